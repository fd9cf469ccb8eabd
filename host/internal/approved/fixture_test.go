package approved_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/loam-data/loam/host/internal/approved"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/finding"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/savedquery/library"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// fixture is a service over the connections shop and crm, which are one database, and old, which binds no parameters.
type fixture struct {
	*approved.Service
	t         testing.TB
	dir       string // of the project
	connector *sdk.Connector
	session   sdk.Session
	ids       []connection.ID // open to the caller

	uses     map[history.SavedQuery]history.Usage
	used     []history.SavedQuery // whose usage was asked for
	recorded bool
	usageErr error
	found    []finding.Finding
	asked    string // the statement that findings were asked about
}

// newFixture is a service over a database of SQLite with these statements.
func newFixture(t testing.TB, statements ...string) *fixture {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bank.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range append([]string{"CREATE TABLE orders (id INTEGER, status TEXT, day TEXT)", "INSERT INTO orders VALUES (1, 'paid', '2024-01-01'), (2, 'open', '2024-02-01'), (3, 'paid', '2024-03-01')"}, statements...) {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return over(t, sqlite.Connector(), map[string]any{"path": path}, nil)
}

// over is a service over a connection of a connector.
func over(t testing.TB, c *sdk.Connector, config map[string]any, secrets map[string]sdk.Secret) *fixture {
	t.Helper()
	raw, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, dir: t.TempDir(), connector: c, recorded: true, ids: []connection.ID{"shop", "crm", "old"}}
	if f.session, err = c.Open(t.Context(), sdk.OpenRequest{ConnectionID: "shop", Config: sdk.Config{JSON: raw, Secrets: secrets}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.session.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	warehouses := warehouse.New(func(context.Context) (*connection.Registry, error) {
		var all []connection.Connection
		for _, id := range f.ids {
			all = append(all, connection.Connection{ID: id, Connector: string(id)})
		}
		return connection.New(all)
	}, f, slog.New(slog.DiscardHandler))
	f.Service = approved.New(approved.Config{
		Warehouses: warehouses, Queries: library.New(filepath.Join(f.dir, "queries")), Query: query.New(warehouses, "project"), Findings: f.findings,
		Usage: func(_ context.Context, asked []history.SavedQuery) (map[history.SavedQuery]history.Usage, bool, error) {
			f.used = asked
			return f.uses, f.recorded, f.usageErr
		},
	})
	return f
}

func (f *fixture) Describe(c connection.Connection) (sdk.Description, error) {
	d := f.connector.Describe()
	if c.Connector == "old" {
		d.Capabilities.Params = false
	}
	return d, nil
}

func (f *fixture) LastKnown(context.Context, connection.Connection) (connection.State, error) {
	return connection.State{Server: f.session.Server()}, nil
}

func (f *fixture) Lease(context.Context, connection.Connection) (sdk.Session, func(), error) {
	return f.session, func() {}, nil
}

func (f *fixture) findings(_ context.Context, _ connection.ID, sql string, _ *dialect.Dialect) []finding.Finding {
	f.asked = sql
	return f.found
}

// put writes the file of a query, of its YAML and its SQL.
func (f *fixture) put(path, header, sql string) {
	f.t.Helper()
	f.file(path+".sql", "/* loam\n"+header+"\n*/\n"+sql+"\n")
}

func (f *fixture) file(path, content string) {
	f.t.Helper()
	path = filepath.Join(f.dir, "queries", path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// sink collects rows as text.
type sink struct {
	names []string
	rows  []string
}

func (s *sink) Columns(columns []sdk.Column) error {
	for _, c := range columns {
		s.names = append(s.names, c.Name)
	}
	return nil
}

func (s *sink) Row(cells [][]byte) error {
	var texts []string
	for _, c := range cells {
		texts = append(texts, string(c))
	}
	s.rows = append(s.rows, strings.Join(texts, " "))
	return nil
}

// run runs a query that must work.
func (f *fixture) run(r approved.Run) (*approved.Result, []string) {
	f.t.Helper()
	var s sink
	result, err := f.Execute(f.t.Context(), r, &s)
	if err != nil {
		f.t.Fatalf("%s %.200v: %v", r.Name, r.Parameters, err)
	}
	return result, s.rows
}

// refused returns the error of a run that must fail, with a hint.
func (f *fixture) refused(r approved.Run, kind sdk.Kind, says ...string) {
	f.t.Helper()
	_, err := f.Execute(f.t.Context(), r, &sink{})
	e := sdk.AsError(err, sdk.SourceHost)
	if e == nil || e.Kind != kind || e.Hint == "" {
		f.t.Errorf("%s %.200v: %v, want %s with a hint", r.Name, r.Parameters, err, kind)
		return
	}
	for _, text := range says {
		if whole := fmt.Sprint(e.Msg, " ", e.Pos, " ", e.Hint); !strings.Contains(whole, text) {
			f.t.Errorf("%s %.200v: %q does not say %q", r.Name, r.Parameters, whole, text)
		}
	}
}
