package query

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	_ "modernc.org/sqlite"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/shown"
	"github.com/loam-data/loam/host/internal/finding"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/savedquery"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var now = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

// fixture is a shop in SQLite with a file of the semantic layer, and what the runner did.
type fixture struct {
	Services
	dir         string
	description sdk.Description
	session     sdk.Session

	// run replaces the engine; nil = the engine runs.
	run func(ctx context.Context, r query.Request, sink query.Sink) (query.Summary, error)
	// proposed are the proposals; refuse is the answer to the next.
	proposed []memory.QueryProposal
	refuse   error

	// away is the error of a lease; nil = there is none.
	away error

	mu    sync.Mutex
	calls []shown.Call
}

const shop = `
CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT, amount INTEGER, day DATE);
INSERT INTO orders VALUES (1, 'paid', 10, '2026-01-05'), (2, 'paid', 20, '2026-02-05'), (3, '<b>back</b>', 30, '2026-02-06');
`

const orders = `
name: orders
table: orders
primary_key: [id]
default_time_dimension: day
dimensions:
  - {name: id, type: number}
  - {name: status, type: string}
  - {name: day, type: time, column_type: date}
measures:
  - {name: revenue, agg: sum, expr: amount, unit: EUR}
`

func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{dir: t.TempDir()}
	file := filepath.Join(f.dir, "shop.db")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), shop)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{"path": file})
	if err != nil {
		t.Fatal(err)
	}
	plugin := sqlite.Connector()
	f.description = plugin.Describe()
	if f.session, err = plugin.Open(t.Context(), sdk.OpenRequest{ConnectionID: "shop", Config: sdk.Config{JSON: config}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.session.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	folder := filepath.Join(f.dir, "semantic-layer", "shop")
	if err := errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(filepath.Join(folder, "orders.yaml"), []byte(orders), 0o644)); err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	warehouses := warehouse.New(func(context.Context) (*connection.Registry, error) {
		return connection.New([]connection.Connection{{ID: "shop", Connector: "sqlite"}})
	}, f, log)
	engine := query.New(warehouses, "shop")
	f.Services = Services{
		Connections: warehouses.Connections, Findings: f.OfEmpty, Propose: f.ProposeQuery, Record: f.record, Now: func() time.Time { return now },
		Redact: func(text string) string { return strings.ReplaceAll(text, "hunter2", "[secret]") },
		Offer: func(_ context.Context, _ connection.ID, _ string, err error) error {
			if e := sdk.AsError(err, sdk.SourceHost); strings.Contains(e.Msg, "ordrs") {
				more := *e
				more.Candidates = []string{"orders", "<i>other</i>"}
				return &more
			}
			return err
		},
		Run: func(ctx context.Context, r query.Request, sink query.Sink) (query.Summary, error) {
			if f.run != nil {
				return f.run(ctx, r, sink)
			}
			return engine.Run(ctx, r, sink)
		},
		Semantic: semanticquery.New(semanticquery.Config{
			Warehouses: warehouses, Query: engine, Now: func() time.Time { return now },
			Layer: layer.New(layer.Config{
				Dir: filepath.Join(f.dir, "semantic-layer"), Cache: filepath.Join(f.dir, "cache"), Catalogs: catalog.NewSet(filepath.Join(f.dir, "catalog")),
				Keys: foreignkey.NewSet(func(id connection.ID) string { return filepath.Join(f.dir, string(id)+".json") }), Logger: log,
			}),
		}),
	}
	return f
}

func (f *fixture) record(_ context.Context, c shown.Call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, c)
}

func (f *fixture) recorded() []shown.Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]shown.Call{}, f.calls...)
}

func (f *fixture) OfEmpty(context.Context, connection.ID, string) []finding.Finding {
	return []finding.Finding{{Code: finding.ValueNotFound, Message: "No row has the status lost.", Evidence: "Seen <b>5</b> rows."}}
}

func (f *fixture) ProposeQuery(_ context.Context, c memory.Call, q memory.QueryProposal) (*memory.SuggestedQuery, error) {
	if f.refuse != nil {
		return nil, f.refuse
	}
	f.proposed = append(f.proposed, q)
	id := change.ID("ab12")
	return &memory.SuggestedQuery{
		Suggested: memory.Suggested{ChangeID: &id, Status: "queued"}, Checks: []savedquery.Check{{Check: "parameters", OK: true, Message: "<script>" + c.Connection}},
	}, nil
}

func (f *fixture) Describe(connection.Connection) (sdk.Description, error) { return f.description, nil }

func (f *fixture) LastKnown(context.Context, connection.Connection) (connection.State, error) {
	return connection.State{}, nil
}

func (f *fixture) Lease(context.Context, connection.Connection) (sdk.Session, func(), error) {
	return f.session, func() {}, f.away
}
