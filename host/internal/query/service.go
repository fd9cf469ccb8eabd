package query

import (
	"context"
	"errors"
	"time"

	"github.com/loam-data/loam/host/internal/telemetry"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

// Service runs statements. Concurrency: any number of Run at once.
type Service struct {
	warehouses *warehouse.Set
	project    string
}

// New makes a Service. project names the project in the query logs of warehouses.
func New(warehouses *warehouse.Set, project string) *Service { return &Service{warehouses, project} }

// Run runs one statement and writes its rows to sink. The guard refuses a
// statement before any connector starts, and checks it again once the version of the
// server is known.
// Errors: KindNotFound (no such connection or connector), KindNotReadOnly, KindSyntax,
// KindUnsupported (parameters of a connector that binds none), KindTimeout, KindCanceled, those of the connector, and the sink's own error unchanged.
// After an error the delivered rows are not a result.
// Concurrency: a cancelled context ends the statement in the warehouse. Run returns with
// the session's Execute: at once for a connector in a process of its own, which then ends
// the statement.
func (s *Service) Run(ctx context.Context, req Request, sink Sink) (_ Summary, err error) {
	started := time.Now()
	ctx, span := telemetry.Start(ctx, "query", telemetry.Internal, telemetry.With("loam.connection", string(req.Connection)))
	defer func() { span.End(failureCode(err)) }()
	p := NewProgress(req.Progress)
	defer p.Stop()
	p.Send(fractionValidating, "Validating SQL")
	plan, err := s.plan(ctx, req)
	if err != nil {
		return Summary{}, err
	}
	r := newResult(sink, plan.maxBytes, p)
	limited, cancel := context.WithTimeout(ctx, plan.timeout)
	defer cancel()
	request := telemetry.StatementID(ctx)
	plan.request = sdk.ExecuteRequest{RequestID: request, SQL: plan.asked.SQL, Params: plan.asked.Params, Tags: s.Tags(ctx, plan.tags, request)}
	written, err := plan.execute(limited, r)
	switch {
	case r.err != nil:
		return Summary{}, r.err
	case err != nil:
		return Summary{}, plan.explain(ctx, limited, started, err)
	}
	p.end(r.rows)
	telemetry.Delivered(ctx, r.rows)
	return plan.summarize(r, written, time.Since(started)), nil
}

// plan is a request that may run: its connection, the dialect its text was
// checked with, and the limits in force.
type plan struct {
	warehouse warehouse.Warehouse
	request   sdk.ExecuteRequest // without its limits
	tags      sdk.TagRules
	asked     Request
	dialects  []dialect.Dialect
	checked   *dialect.Dialect
	timeout   time.Duration
	maxRows   int64 // 0 = no limit
	maxBytes  int   // negative = no limit
	// ownLimit: maxRows is the connection's limit, not the request's.
	ownLimit bool
	refused  error // by the guard; nil = not
}

func (s *Service) plan(ctx context.Context, req Request) (*plan, error) {
	p, server, err := s.prepare(ctx, req)
	if err == nil {
		err = p.check(server)
	}
	return p, err
}

// prepare returns the plan of a text that is not checked yet, and the last known server.
func (s *Service) prepare(ctx context.Context, req Request) (*plan, sdk.ServerInfo, error) {
	var none sdk.ServerInfo
	w, err := s.warehouses.Choose(ctx, req.Connection)
	if err != nil {
		return nil, none, err
	}
	req.Connection = w.ID
	telemetry.Uses(ctx, string(w.ID))
	known, err := w.Known(ctx)
	if err != nil {
		return nil, none, err
	}
	if len(req.Params) > 0 && !known.Description.Capabilities.Params {
		return nil, none, sdk.Errorf(sdk.KindUnsupported, sdk.SourceConnector, "connector %s binds no parameters", w.Connector).
			WithHint("install a version of the connector that binds parameters")
	}
	p := &plan{warehouse: w, tags: known.Description.Capabilities.Tags, asked: req, dialects: known.Description.Dialects, timeout: w.Limits.OrDefault().Timeout, maxBytes: req.MaxBytes}
	if p.maxBytes == 0 {
		p.maxBytes = DefaultMaxBytes
	}
	p.limitRows(req.MaxRows)
	return p, known.Server, nil
}

func (p *plan) limitRows(asked int) {
	switch {
	case asked == 0:
		p.maxRows = DefaultMaxRows
	case asked > 0:
		p.maxRows = int64(asked)
	}
	if own := int64(p.warehouse.Limits.MaxRows); own > 0 && (p.maxRows == 0 || own < p.maxRows) {
		p.maxRows, p.ownLimit = own, true
	}
}

// check has the guard check the text in the dialect of a server, unless it already
// accepted the text in that dialect.
func (p *plan) check(server sdk.ServerInfo) error {
	if len(p.dialects) == 0 {
		return sdk.Errorf(sdk.KindUnsupported, sdk.SourceConnector, "connector %s describes no SQL dialect, so no statement can be checked", p.warehouse.Connector).
			WithHint("install a version of the connector that passes the conformance suite")
	}
	fits := server.DialectOf(p.dialects)
	if fits == p.checked {
		return p.refused
	}
	p.checked, p.refused = fits, readonly.Check(p.asked.SQL, fits)
	return p.refused
}

// lease leases a session and checks the text again in the dialect of its server.
func (p *plan) lease(ctx context.Context) (sdk.Session, func(), error) {
	session, release, err := p.warehouse.Lease(ctx)
	if err != nil {
		return nil, nil, err
	}
	server := session.Server()
	err = p.asked.Fits(server.DialectOf(p.dialects))
	if err == nil {
		err = p.check(server)
	}
	if err != nil {
		release()
		return nil, nil, err
	}
	return session, release, nil
}

// execute runs the statement and returns what the writer counted.
func (p *plan) execute(ctx context.Context, r *result) (summary sdk.Summary, err error) {
	session, release, err := p.lease(ctx)
	if err != nil {
		return sdk.Summary{}, err
	}
	defer release()
	r.progress.Send(fractionExecuting, "Executing")
	limits := p.limits(ctx)
	w := sdk.NewRowWriter(r, limits)
	ctx, span := telemetry.Start(ctx, "execute", telemetry.Asking, telemetry.With("db.system.name", session.Server().Product), telemetry.With("loam.connection", string(p.warehouse.ID)))
	defer func() {
		span.Set(telemetry.With("db.response.returned_rows", w.Summary().Rows))
		span.End(failureCode(err))
	}()
	p.request.Limits = limits
	err = session.Execute(ctx, p.request, w)
	if err == nil {
		err = w.Close()
	}
	if errors.Is(err, sdk.ErrLimit) { // the last rows, which Close sent, did not fit
		err = nil
	}
	return w.Summary(), err
}

// limits bounds the connector's rows and bytes at little more than the answer can take.
func (p *plan) limits(ctx context.Context) sdk.Limits {
	limits := sdk.Limits{MaxRows: p.maxRows, Timeout: p.timeout}
	if deadline, ok := ctx.Deadline(); ok {
		limits.Timeout = max(time.Millisecond, time.Until(deadline))
	}
	if p.maxBytes > 0 {
		const perCharacter, least = 4, 64 << 10
		limits.BatchBytes = min(max(perCharacter*p.maxBytes, least), sdk.MaxBatchBytes)
	}
	return limits
}

// explain returns the error of a statement that a timeout or its caller ended. asked is the
// caller's context, limited the one with the connection's timeout. A connector that did not
// answer in time, or had no free slot, is not reported as a fault of the statement.
func (p *plan) explain(asked, limited context.Context, started time.Time, err error) error {
	e := sdk.AsError(err, sdk.SourceHost)
	switch e.Kind {
	case sdk.KindTimeout, sdk.KindCanceled, sdk.KindUnavailable:
	default:
		return err
	}
	var ended *sdk.Error
	switch {
	case errors.Is(asked.Err(), context.Canceled):
		ended = sdk.Errorf(sdk.KindCanceled, sdk.SourceCaller, "the request was cancelled: %s", e.Msg)
	case e.Source == sdk.SourceConnector:
		return err
	case limited.Err() != nil, e.Kind == sdk.KindTimeout && e.Hint == "":
		ended = sdk.Errorf(sdk.KindTimeout, sdk.SourceCaller, "the statement did not finish in the time allowed and was stopped after %s: %s", time.Since(started).Round(time.Millisecond), e.Msg).
			WithHint("narrow or aggregate the statement, or raise limits.timeout of connection %s in loam.yaml (now %s)", p.warehouse.ID, p.timeout)
	default:
		return err
	}
	ended.Code, ended.QueryID, ended.Err = e.Code, e.QueryID, err // the code once, in its field
	return ended
}

// failureCode is an error as spans name it.
func failureCode(err error) string {
	if err == nil {
		return ""
	}
	return string(sdk.AsError(err, sdk.SourceHost).Kind)
}
