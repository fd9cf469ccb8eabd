package scan

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// fake is everything around a Service: a project with the connection
// "warehouse", its connector, and sessions on a warehouse of made-up tables.
type fake struct {
	connection  connection.Connection
	description sdk.Description
	dir         string
	catalogs    *catalog.Set
	refreshErr  error
	refreshed   atomic.Int32
	leaseErr    error
	leases      atomic.Int32
	releases    atomic.Int32
	now         time.Time

	tables     []*sdk.Table
	warnings   []sdk.Warning
	incomplete bool
	billed     int64 // by a scan of the structure
	// unchanged: an incremental scan sends every table as it was.
	unchanged bool
	// scanned is called before each table is sent; profiled instead of the usual
	// profile when it is set; executed instead of an answer that holds.
	scanned  func(context.Context, *sdk.Table) error
	profiled func(context.Context, sdk.ProfileRequest, sdk.ProfileWriter) error
	executed func(context.Context, string) ([]any, error)

	mu       sync.Mutex
	scans    []sdk.ScanRequest
	profiles []sdk.ProfileRequest
	queries  []string
	tags     []map[string]string // of the queries
}

func newFake(t testing.TB, tables ...*sdk.Table) *fake {
	t.Helper()
	dir := t.TempDir()
	quote := dialect.Quote{Open: `"`, Close: `"`, Doubled: true}
	return &fake{
		connection: connection.Connection{ID: "warehouse", Connector: "fake", Config: map[string]any{"host": "a"}},
		description: sdk.Description{
			Capabilities: sdk.Capabilities{Profile: true},
			Dialects: []dialect.Dialect{{
				Name: "fake", Namespace: []string{"schema"}, Identifier: quote, String: dialect.Quote{Open: "'", Close: "'", Doubled: true},
				Limit: dialect.LimitOffset, Folding: dialect.FoldLower,
				Lexis: dialect.Lexis{Identifiers: []dialect.Quote{quote}, Strings: []dialect.Quote{{Open: "'", Close: "'", Doubled: true}}},
				Guard: dialect.Guard{Statements: []dialect.Statement{{Words: []string{"SELECT"}, Kind: dialect.StatementQuery}}},
			}},
		},
		dir: dir, catalogs: catalog.NewSet(dir), tables: tables, now: time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC),
	}
}

func (f *fake) service() *Service {
	return New(Config{
		Warehouses: warehouse.New(func(context.Context) (*connection.Registry, error) {
			return connection.New([]connection.Connection{f.connection})
		}, f, slog.New(slog.DiscardHandler)),
		Catalogs: f.catalogs, Index: f,
		Tags: func(_ context.Context, rules sdk.TagRules, request string) map[string]string {
			return map[string]string{"most": fmt.Sprint(rules.MaxTags), "request": request}
		},
		Decisions: func(id connection.ID) string { return filepath.Join(f.dir, string(id)+".json") },
		Logger:    slog.New(slog.DiscardHandler), Now: func() time.Time { return f.now },
	})
}

// run scans, and fails the test unless that succeeds.
func (f *fake) run(t testing.TB, req Request) *Result {
	t.Helper()
	r, err := f.try(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// try scans after forgetting what earlier scans asked for.
func (f *fake) try(ctx context.Context, req Request) (*Result, error) {
	f.scans, f.profiles, f.queries = nil, nil, nil
	if req.Connection == "" {
		req.Connection = f.connection.ID
	}
	return f.service().Run(ctx, req)
}

func (f *fake) latest(t testing.TB) *catalog.Snapshot {
	t.Helper()
	m, err := f.catalogs.Of(string(f.connection.ID)).Latest()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// profile returns what the last snapshot has of a table of the schema s; nil =
// no profile.
func (f *fake) profile(t testing.TB, table string) *catalog.Profile {
	t.Helper()
	m := f.latest(t)
	i, err := m.Lookup(nil, sdk.TableRef{Schema: "s", Name: table})
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Profile(i)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// asked lists the tables that were profiled, in order. Tables that are profiled side by
// side come in any order: sort them.
func (f *fake) asked() (names []string) {
	for i := range f.profiles {
		names = append(names, f.profiles[i].Table.Name)
	}
	return names
}

// wantSettled reports a lease that was not released.
func (f *fake) wantSettled(t testing.TB) {
	t.Helper()
	if f.leases.Load() != f.releases.Load() {
		t.Errorf("%d leases, %d releases", f.leases.Load(), f.releases.Load())
	}
}

func (f *fake) Describe(connection.Connection) (sdk.Description, error) { return f.description, nil }

func (f *fake) Refresh(ctx context.Context, tell func(sdk.Progress)) error {
	f.refreshed.Add(1)
	tell(sdk.Progress{Phase: "index"})
	return errors.Join(f.refreshErr, ctx.Err())
}

func (f *fake) Lease(ctx context.Context, _ connection.Connection) (sdk.Session, func(), error) {
	if err := errors.Join(f.leaseErr, ctx.Err()); err != nil {
		return nil, nil, err
	}
	f.leases.Add(1)
	return session{f}, func() { f.releases.Add(1) }, nil
}

// session is the fake's session.
type session struct{ *fake }

var _ interface {
	sdk.Session
	sdk.Profiler
} = session{}

func (session) Server() sdk.ServerInfo      { return sdk.ServerInfo{} }
func (session) Ping(context.Context) error  { return nil }
func (session) Close(context.Context) error { return nil }

func (s session) Scan(ctx context.Context, req sdk.ScanRequest, w sdk.ScanWriter) (sdk.ScanSummary, error) {
	s.mu.Lock()
	s.scans = append(s.scans, req)
	s.mu.Unlock()
	filter, err := sqlkit.NewFilter(req.Include, req.Exclude, 2)
	if err != nil {
		return sdk.ScanSummary{}, err
	}
	for _, one := range s.warnings {
		if err := w.Warning(one); err != nil {
			return sdk.ScanSummary{}, err
		}
	}
	for _, t := range s.tables {
		if !filter.Match(t.TableRef) {
			continue
		}
		if s.scanned != nil {
			if err := s.scanned(ctx, t); err != nil {
				return sdk.ScanSummary{}, err
			}
		}
		one := *t
		if one.Fingerprint == "" {
			one.Fingerprint = sqlkit.Fingerprint(t)
		}
		if req.Since == "token" && (one.Comment == "known" || s.unchanged) {
			one = sdk.Table{TableRef: t.TableRef, Kind: t.Kind, Fingerprint: one.Fingerprint, Unchanged: true, RowEstimate: t.RowEstimate, ByteEstimate: t.ByteEstimate}
		}
		if err := w.Table(&one); err != nil {
			return sdk.ScanSummary{}, err
		}
	}
	return sdk.ScanSummary{Since: "token", Complete: !s.incomplete, BytesBilled: s.billed}, nil
}

func (s session) Profile(ctx context.Context, req sdk.ProfileRequest, w sdk.ProfileWriter) error {
	s.mu.Lock()
	s.profiles = append(s.profiles, req)
	s.mu.Unlock()
	if s.fake.profiled != nil {
		return s.fake.profiled(ctx, req, w)
	}
	return s.stats(req, w)
}

// stats is the usual profile: fifty rows, in which integers count from 1 and
// everything else has two values.
func (s session) stats(req sdk.ProfileRequest, w sdk.ProfileWriter) error {
	at := slices.IndexFunc(s.tables, func(t *sdk.Table) bool { return t.TableRef == req.Table })
	if at < 0 {
		return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no table %s", req.Table)
	}
	for _, c := range s.tables[at].Columns {
		d := sqlkit.NewDistribution(c.Name, &req, 50, 0)
		if c.Type == sdk.TypeInt64 {
			for i := range 50 {
				d.Number(fmt.Append(nil, i+1), 1)
			}
		} else {
			d.Text([]byte("one"), 30)
			d.Text([]byte("two"), 20)
		}
		if err := w.Stats(d.Stats(true, c.Type == sdk.TypeInt64)); err != nil {
			return err
		}
	}
	return nil
}

func (s session) Execute(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
	s.mu.Lock()
	s.queries, s.tags = append(s.queries, req.SQL), append(s.tags, req.Tags)
	s.mu.Unlock()
	row := []any{int64(50), int64(50), int64(0)}
	if s.executed != nil {
		var err error
		if row, err = s.executed(ctx, req.SQL); err != nil {
			return err
		}
	}
	columns := make([]sdk.Column, len(row))
	for i, v := range row {
		columns[i] = sdk.Column{Name: fmt.Sprint("c", i), Type: sdk.TypeInt64}
		if _, ok := v.(string); ok {
			columns[i].Type = sdk.TypeDecimal
		}
	}
	if err := w.Columns(columns...); err != nil {
		return err
	}
	return w.Row(row...)
}

// table makes a table of the schema s; columns are "name" for integers and
// "name:text" for texts.
func table(name string, columns ...string) *sdk.Table {
	t := &sdk.Table{TableRef: sdk.TableRef{Schema: "s", Name: name}, Kind: sdk.TableBase, RowEstimate: 50, ByteEstimate: -1}
	for _, c := range columns {
		column := sdk.Column{Name: c, Type: sdk.TypeInt64, NativeType: "bigint"}
		if n := len(c) - len(":text"); n > 0 && c[n:] == ":text" {
			column = sdk.Column{Name: c[:n], Type: sdk.TypeText, NativeType: "text"}
		}
		t.Columns = append(t.Columns, column)
	}
	return t
}

// shop is tables that refer to each other without saying so.
func shop() []*sdk.Table {
	view := table("order_view", "id")
	view.Kind = sdk.TableView
	return []*sdk.Table{
		table("customers", "id", "name:text", "email:text"), table("orders", "id", "customer_id", "status:text"), view,
	}
}

// phases records the phases that were reported, each once, in order.
func phases(into *[]string) func(Progress) {
	return func(p Progress) {
		if n := len(*into); n == 0 || (*into)[n-1] != p.Phase {
			*into = append(*into, p.Phase)
		}
	}
}

// failsAt fails when a table is about to be sent.
func failsAt(name string, err error) func(context.Context, *sdk.Table) error {
	return func(_ context.Context, t *sdk.Table) error {
		if t.Name == name {
			return err
		}
		return nil
	}
}

func (*fake) LastKnown(context.Context, connection.Connection) (connection.State, error) {
	return connection.State{}, nil
}
