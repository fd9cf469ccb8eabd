// Package semanticquery answers requests to the semantic layer: it compiles a request
// against the current model, runs the statement and forwards its rows. It also lists
// and describes sources; its package validation checks them.
package semanticquery

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/host/internal/semanticquery/validation"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Config is the configuration of a Service. All fields are required.
type Config = binding.Config

// Service answers requests to the semantic layer. Concurrency: any number of calls at
// once.
type Service struct{ Config }

// New makes a Service.
func New(c Config) *Service { return &Service{c} }

// Request asks for measures by dimensions.
type Request struct {
	// Connection "" = the one that Body names, else the only one, else the only one
	// whose semantic layer has the members of Body.
	Connection connection.ID
	// Body is the request in any form that request.Normalise reads.
	Body json.RawMessage
	// Chosen says what the part of Body means with which it was refused before; nil = it was not.
	Chosen *request.Choice
	// MaxBytes bounds the rows rendered as JSON, in characters (code points);
	// 0 = the usual limit of a result, negative = no limit.
	MaxBytes int
	// Progress receives strictly growing fractions from 0 to 1, one call at a time,
	// none after Run has returned; nil = no reports.
	Progress func(fraction float64, message string)
}

// Compiled is an answer without its rows.
type Compiled struct {
	Connection connection.ID
	Request    request.Request
	Query      *compile.Query
	// IncludeSQL and IncludePlan: the request asks for them.
	IncludeSQL, IncludePlan bool
	// Notes are sentences for the reader of the numbers, each once.
	Notes []string
}

// choose returns the warehouse that a request means. Where several are there and none
// is named, it is the only one whose semantic layer has what the request names, else
// the only one that was scanned.
// Errors: as of connection.Registry.Choose.
func (s *Service) choose(ctx context.Context, id connection.ID, has func(*layer.State, *dialect.Dialect) bool) (warehouse.Warehouse, error) {
	fits := func(has func(*layer.State, *dialect.Dialect) bool) func(connection.Connection) bool {
		return func(c connection.Connection) bool {
			known, _ := s.Warehouses.Of(c).Known(ctx) // a layer can be read without the connector
			state, err := s.Layer.Current(ctx, c.ID, known.Dialect())
			return err == nil && has(state, known.Dialect())
		}
	}
	return s.Warehouses.Choose(ctx, id, fits(has), fits(scanned))
}

func scanned(state *layer.State, _ *dialect.Dialect) bool {
	for source := range state.Model.Outlines() {
		if source.Scanned {
			return true
		}
	}
	return false
}

// offers reports whether a semantic layer has every member that a request names, in a
// dialect that it can be written in. It compiles nothing.
func offers(r request.Request) func(*layer.State, *dialect.Dialect) bool {
	references := sync.OnceValue(r.References)
	return func(state *layer.State, d *dialect.Dialect) bool {
		if d == nil || len(d.Forms) == 0 || len(d.Functions) == 0 {
			return false
		}
		return !slices.ContainsFunc(references(), func(n *expression.Name) bool { return !state.Model.Has(n.Parts...) })
	}
}

// named returns the connection that the call and its body agree on.
func named(asked connection.ID, body string) (connection.ID, error) {
	if asked != "" && body != "" && string(asked) != body {
		return "", sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the call names connection %q and the request %q", string(asked), body).
			WithHint("name the connection once")
	}
	if asked == "" {
		asked = connection.ID(body)
	}
	return asked, nil
}

// Validate checks semantic layers; see validation.Run.
func (s *Service) Validate(ctx context.Context, r validation.Request) (*validation.Report, error) {
	return validation.Run(ctx, s.Config, r)
}
