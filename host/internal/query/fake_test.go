package query

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// fakeDialect accepts SELECT and SHOW and refuses the functions named.
func fakeDialect(product string, functions ...string) dialect.Dialect {
	d := dialect.Dialect{
		Name: "fake", Product: product, Folding: dialect.FoldLower,
		Identifier: dialect.Quote{Open: `"`, Close: `"`, Doubled: true},
		String:     dialect.Quote{Open: "'", Close: "'", Doubled: true},
		Lexis: dialect.Lexis{
			Strings:     []dialect.Quote{{Open: "'", Close: "'", Doubled: true}},
			Identifiers: []dialect.Quote{{Open: `"`, Close: `"`, Doubled: true}},
		},
		Guard: dialect.Guard{Statements: []dialect.Statement{{Words: []string{"SELECT"}, Kind: dialect.StatementQuery}}},
	}
	for _, f := range functions {
		d.Guard.Functions = append(d.Guard.Functions, dialect.FunctionRule{Pattern: f, Reason: "writes"})
	}
	return d
}

// fake is everything around a Service: a project with the connection
// "warehouse", its connector, and a session that runs execute.
type fake struct {
	connection   connection.Connection
	registryErr  error
	description  sdk.Description
	describeErr  error
	leaseErr     error
	remembered   connection.State
	rememberErr  error
	server       sdk.ServerInfo
	execute      func(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error
	leases       atomic.Int32
	releases     atomic.Int32
	executions   atomic.Int32
	recollection atomic.Int32
}

func newFake(execute func(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error) *fake {
	return &fake{
		connection:  connection.Connection{ID: "warehouse", Connector: "fake"},
		description: sdk.Description{Dialects: []dialect.Dialect{fakeDialect("")}},
		execute:     execute,
	}
}

func (f *fake) service() *Service { return f.serviceOn(f) }

func (f *fake) serviceOn(b warehouse.Backend) *Service {
	return New(warehouse.New(func(context.Context) (*connection.Registry, error) {
		if f.registryErr != nil {
			return nil, f.registryErr
		}
		return connection.New([]connection.Connection{f.connection})
	}, b, slog.New(slog.DiscardHandler)), "shop")
}

func (f *fake) Describe(connection.Connection) (sdk.Description, error) {
	return f.description, f.describeErr
}

func (f *fake) Lease(ctx context.Context, _ connection.Connection) (sdk.Session, func(), error) {
	f.leases.Add(1)
	if f.leaseErr != nil {
		return nil, nil, f.leaseErr
	}
	return session{f}, func() { f.releases.Add(1) }, ctx.Err()
}

func (f *fake) LastKnown(context.Context, connection.Connection) (connection.State, error) {
	f.recollection.Add(1)
	return f.remembered, f.rememberErr
}

// session is the fake's session.
type session struct{ *fake }

var _ sdk.Session = session{}

func (s session) Server() sdk.ServerInfo { return s.server }

func (s session) Execute(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
	s.executions.Add(1)
	return s.execute(ctx, req, w)
}

func (session) Ping(context.Context) error  { return nil }
func (session) Close(context.Context) error { return nil }
func (session) Scan(context.Context, sdk.ScanRequest, sdk.ScanWriter) (sdk.ScanSummary, error) {
	return sdk.ScanSummary{}, errors.New("no scan")
}

// numbers is a result of n rows with one integer each; sent counts the rows
// that the session produced before it was told to stop.
func numbers(n int, sent *atomic.Int32) func(context.Context, sdk.ExecuteRequest, *sdk.RowWriter) error {
	return func(_ context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
		if err := w.Columns(sdk.Column{Name: "n", Type: sdk.TypeInt64, NativeType: "bigint"}); err != nil {
			return err
		}
		for i := range n {
			if sent != nil {
				sent.Add(1)
			}
			if err := w.Row(int64(i)); errors.Is(err, sdk.ErrLimit) {
				return nil
			} else if err != nil {
				return err
			}
		}
		return nil
	}
}

// texts is a result of one text column.
func texts(values ...string) func(context.Context, sdk.ExecuteRequest, *sdk.RowWriter) error {
	return func(_ context.Context, _ sdk.ExecuteRequest, w *sdk.RowWriter) error {
		if err := w.Columns(sdk.Column{Name: "t", Type: sdk.TypeText}); err != nil {
			return err
		}
		for _, v := range values {
			if err := w.Row(v); errors.Is(err, sdk.ErrLimit) {
				return nil
			} else if err != nil {
				return err
			}
		}
		return nil
	}
}

// wantSettled reports a lease that was not released exactly once.
func (f *fake) wantSettled(t *testing.T) {
	t.Helper()
	if f.leaseErr == nil && f.leases.Load() != f.releases.Load() {
		t.Errorf("%d leases, %d releases", f.leases.Load(), f.releases.Load())
	}
}
