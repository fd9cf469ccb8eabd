package query

import (
	"context"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/telemetry"
	"github.com/loam-data/loam/sdk"
)

// Describe returns the columns of a statement's result without running it; nil = the
// engine does not name them before. The guard checks the text as in Run.
// Errors: those of Run, except those of a sink.
// Concurrency: as in Run.
func (s *Service) Describe(ctx context.Context, id connection.ID, sql string) ([]sdk.Column, error) {
	found, err := s.Validate(ctx, id, sql)
	return found.Columns, err
}

// Validate returns the engine's validation of a statement without running it, such as
// the bytes that it would read; the zero value where the connector cannot validate.
// Errors: those of Describe.
// Concurrency: as in Run.
func (s *Service) Validate(ctx context.Context, id connection.ID, sql string) (_ sdk.Validation, err error) {
	started := time.Now()
	ctx, span := telemetry.Start(ctx, "describe", telemetry.Internal, telemetry.With("loam.connection", string(id)))
	defer func() { span.End(failureCode(err)) }()
	p, err := s.plan(ctx, Request{Connection: id, SQL: sql})
	if err != nil {
		return sdk.Validation{}, err
	}
	limited, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	found, err := p.validate(limited)
	if err != nil {
		return sdk.Validation{}, p.explain(ctx, limited, started, err)
	}
	return found, nil
}

func (p *plan) validate(ctx context.Context) (sdk.Validation, error) {
	session, release, err := p.lease(ctx)
	if err != nil {
		return sdk.Validation{}, err
	}
	defer release()
	validator, ok := session.(sdk.Validator)
	if !ok {
		return sdk.Validation{}, nil
	}
	return validator.Validate(ctx, sdk.ValidateRequest{SQL: p.asked.SQL, Timeout: p.limits(ctx).Timeout})
}
