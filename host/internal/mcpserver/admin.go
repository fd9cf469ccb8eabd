package mcpserver

import (
	"context"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/semanticquery/validation"
	"github.com/loam-data/loam/host/internal/usage"
	"github.com/loam-data/loam/sdk"
)

// Admin has the use cases of the tools that look after a project.
type Admin struct {
	Health  healthy
	Usage   counting
	Sources sources
}

type healthy interface {
	Status(context.Context) (*health.Status, error)
	TestConnection(ctx context.Context, id connection.ID, resume bool, report func(sdk.TestStep)) (*health.Tested, error)
}

type counting interface {
	Report(context.Context, usage.Request) (*usage.Report, error)
}

type sources interface {
	Listings(context.Context, semanticquery.ListingsRequest) (*semanticquery.Listings, error)
	Validate(context.Context, validation.Request) (*validation.Report, error)
}

// testTime bounds a test of a connection: it waits for networks that do not answer.
const testTime = time.Minute

// validateTime bounds the statements that a validation may run, as those of loam.yaml do with a long limits.timeout.
const validateTime = 5 * time.Minute
