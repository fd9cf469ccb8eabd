package query

import (
	"context"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/telemetry"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
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
func (s *Service) Validate(ctx context.Context, id connection.ID, sql string) (sdk.Validation, error) {
	found, err := s.Examine(ctx, Request{Connection: id, SQL: sql})
	if err == nil {
		err = found.Fault
	}
	return found.Validation, err
}

// Examination is what the guard and the engine find out about a statement that is not run.
type Examination struct {
	sdk.Validation
	// Dialect is that in which the text was read.
	Dialect *dialect.Dialect
	// Fault is why the statement cannot run; nil = it can.
	Fault error
	// ReadOnly: the guard found one statement that only reads.
	ReadOnly bool
	// Engine: the engine checked the statement; false = the guard alone did.
	Engine bool
}

// Examine has the guard and then the engine check a statement without running it. That either
// refuses the statement is no error: Fault says why.
// Errors: KindNotFound (no such connection or connector), KindUnsupported (parameters of a connector that binds
// none), KindTimeout, KindCanceled, and those of connecting.
// Concurrency: as in Run.
func (s *Service) Examine(ctx context.Context, req Request) (found Examination, err error) {
	p, err := s.withSession(ctx, "describe", req, func(ctx context.Context, p *plan, session sdk.Session) error {
		validator, ok := session.(sdk.Validator)
		if !ok {
			return nil
		}
		found.Engine = true
		found.Validation, err = validator.Validate(ctx, sdk.ValidateRequest{SQL: p.asked.SQL, Timeout: p.limits(ctx).Timeout})
		return err
	})
	if p == nil {
		return found, err
	}
	found.Dialect, found.ReadOnly = p.checked, p.refused == nil
	if p.refused != nil || found.Engine && judges(err) {
		found.Fault, err = err, nil
	}
	return found, err
}

// judges reports whether an engine's error is its opinion of the statement.
func judges(err error) bool {
	switch sdk.KindOf(err) {
	case sdk.KindSyntax, sdk.KindNotReadOnly, sdk.KindNotFound, sdk.KindInvalid, sdk.KindDenied, sdk.KindUnsupported, sdk.KindConflict, sdk.KindLimit:
		return err != nil
	}
	return false
}

// Explain returns the engine's plan of a statement, and the dialect in which the text was read. It
// never asks for an analysis, which would run the statement. The guard checks the text as in Run.
// Errors: those of Run, except those of a sink; KindUnsupported for a connector without plans.
// Concurrency: as in Run.
func (s *Service) Explain(ctx context.Context, req Request) (e sdk.Explanation, d *dialect.Dialect, err error) {
	p, err := s.withSession(ctx, "explain", req, func(ctx context.Context, p *plan, session sdk.Session) error {
		explainer, ok := session.(sdk.Explainer)
		if !ok {
			return sdk.Errorf(sdk.KindUnsupported, sdk.SourceConnector, "connector %s shows no plans", p.warehouse.Connector).
				WithHint("call validate to check the statement without running it, or sql_execution to run it")
		}
		e, err = explainer.Explain(ctx, sdk.ExplainRequest{SQL: p.asked.SQL, Params: p.asked.Params, Timeout: p.limits(ctx).Timeout})
		return err
	})
	if p != nil {
		d = p.checked
	}
	return e, d, err
}

// withSession leases a session for a statement that the guard accepts and calls f, which runs nothing.
// Shape: p is nil before the connection and its connector are known.
func (s *Service) withSession(ctx context.Context, span string, req Request, f func(context.Context, *plan, sdk.Session) error) (p *plan, err error) {
	started := time.Now()
	ctx, traced := telemetry.Start(ctx, span, telemetry.Internal, telemetry.With("loam.connection", string(req.Connection)))
	defer func() { traced.End(failureCode(err)) }()
	p, server, err := s.prepare(ctx, req)
	if err != nil {
		return nil, err
	}
	if err := p.check(server); err != nil {
		return p, err
	}
	limited, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	session, release, err := p.lease(limited)
	if err == nil {
		defer release()
		err = f(limited, p, session)
	}
	if err != nil {
		err = p.explain(ctx, limited, started, err)
	}
	return p, err
}
