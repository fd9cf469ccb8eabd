package query

import (
	"context"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/telemetry"
	"github.com/loam-data/loam/sdk"
)

// Describe returns the columns of a statement's result without running it, as far as
// the engine names them; nil = it names none before a statement runs. The guard looks
// at the text as it does in Run.
// Errors: as of Run, but for those of a sink.
// Concurrency: as of Run.
func (s *Service) Describe(ctx context.Context, id connection.ID, sql string) (_ []sdk.Column, err error) {
	started := time.Now()
	ctx, span := telemetry.Start(ctx, "describe", telemetry.Internal, telemetry.With("loam.connection", string(id)))
	defer func() { span.End(failureCode(err)) }()
	p, err := s.plan(ctx, Request{Connection: id, SQL: sql})
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	columns, err := p.describe(limited)
	if err != nil {
		return nil, p.explain(ctx, limited, started, err)
	}
	return columns, nil
}

func (p *plan) describe(ctx context.Context) ([]sdk.Column, error) {
	session, release, err := p.lease(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	validator, ok := session.(sdk.Validator)
	if !ok {
		return nil, nil
	}
	found, err := validator.Validate(ctx, sdk.ValidateRequest{SQL: p.sql, Timeout: p.limits(ctx).Timeout})
	return found.Columns, err
}
