package semanticquery_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// mysql is a connection whose connector knows several dialects, and a server.
type mysql struct {
	t          *testing.T
	dialects   []dialect.Dialect
	server     sdk.ServerInfo // that a session finds
	remembered sdk.ServerInfo
	describe   error
	forgot     error // of remembering
	lease      error
	columns    []sdk.Column // of every result; nil = those that the query names
	report     func(progress func(float64, string))

	models []string // products of the dialects that models were asked for
	leased int
	ran    []string
	yaml   string
	until  time.Time // the statement's context is over
	flips  bool      // each statement goes to another server than the one before
}

func newMySQL(t *testing.T) *mysql {
	t.Helper()
	m := &mysql{t: t, server: sdk.ServerInfo{Product: "MySQL", Version: "8.0.36"}, yaml: "name: orders\ntable: orders\nprimary_key: [id]\ndimensions: [{name: id, type: number}]\nmeasures: [{name: n, agg: count}, {name: middle, agg: median, expr: amount}]\n"}
	m.dialects = recorded(t, "mysql")
	return m
}

// recorded are the dialects of a connector.
func recorded(t *testing.T, name string) (all []dialect.Dialect) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "..", "sdk", "dialect", "testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func (m *mysql) service() *semanticquery.Service {
	return semanticquery.New(semanticquery.Config{
		Warehouses: m.warehouses(m), Layer: m, Query: statements{m}, Now: func() time.Time { return now },
	})
}

func (*mysql) warehouses(b warehouse.Backend) *warehouse.Set {
	return warehouse.New(func(context.Context) (*connection.Registry, error) {
		return connection.New([]connection.Connection{{ID: "shop", Connector: "mysql"}})
	}, b, slog.New(slog.DiscardHandler))
}

// statements is the query engine on a server.
type statements struct{ *mysql }

func (statements) Describe(context.Context, connection.ID, string) ([]sdk.Column, error) {
	return nil, nil
}

func (m *mysql) Describe(connection.Connection) (sdk.Description, error) {
	return sdk.Description{Dialects: m.dialects}, m.describe
}

func (m *mysql) LastKnown(context.Context, connection.Connection) (connection.State, error) {
	return connection.State{Server: m.remembered}, m.forgot
}

type session struct {
	sdk.Session
	server sdk.ServerInfo
}

func (s session) Server() sdk.ServerInfo { return s.server }

func (m *mysql) Lease(context.Context, connection.Connection) (sdk.Session, func(), error) {
	m.leased++
	return session{server: m.server}, func() { m.leased += 100 }, m.lease
}

func (*mysql) Learn(context.Context, connection.ID, *layer.State, []*model.Query) error { return nil }

func (*mysql) Strangers(context.Context, []connection.ID) ([]string, error) { return nil, nil }

func (m *mysql) Current(_ context.Context, _ connection.ID, d *dialect.Dialect) (*layer.State, error) {
	m.models = append(m.models, d.Product+" "+d.MaxVersion)
	built := model.Build(model.Input{Dialect: d, Files: []*model.File{model.Parse("orders.yaml", []byte(m.yaml))}})
	return &layer.State{Model: built, Files: &layer.Files{}, Notes: []string{"Connection shop was never scanned."}}, nil
}

func (m statements) Run(ctx context.Context, s query.Request, rows query.Sink) (query.Summary, error) {
	if m.leased%100 != m.leased/100 {
		m.t.Error("the statement runs while a session is held")
	}
	server := m.server
	if m.flips {
		m.server, m.remembered = m.remembered, m.server
	}
	if err := s.Fits(server.DialectOf(m.dialects)); err != nil {
		return query.Summary{}, err
	}
	m.ran = append(m.ran, s.SQL)
	m.until, _ = ctx.Deadline()
	if m.report != nil {
		m.report(s.Progress)
	}
	columns := m.columns
	if columns == nil {
		columns = []sdk.Column{{Name: "n", Type: sdk.TypeInt64}}
	}
	if err := errors.Join(rows.Columns(columns), rows.Row([][]byte{[]byte("1")})); err != nil {
		return query.Summary{}, err
	}
	return query.Summary{RowCount: 1, Notes: []string{"From the warehouse.", "From the warehouse."}}, nil
}

// TestDialect: the statement is in the dialect of the server that runs it.
func TestDialect(t *testing.T) {
	t.Parallel()
	maria, mysql8 := sdk.ServerInfo{Product: "MariaDB", Version: "10.11.19-MariaDB"}, sdk.ServerInfo{Product: "MySQL", Version: "8.0.36"}
	tests := []struct {
		name               string
		remembered, server sdk.ServerInfo
		forgot             error
		one                bool // dialect only
		models             []string
		leases             int
	}{
		{"known and the same", maria, maria, nil, false, []string{"MariaDB "}, 0},
		{"known, and another by now", maria, mysql8, nil, false, []string{"MariaDB ", "MySQL 8.4"}, 0},
		{"nothing known", sdk.ServerInfo{}, mysql8, nil, false, []string{"MySQL 8.4"}, 1},
		{"nothing that can be read", sdk.ServerInfo{}, mysql8, errors.New("damaged"), false, []string{"MySQL 8.4"}, 1},
		{"one dialect", sdk.ServerInfo{}, mysql8, nil, true, []string{" "}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMySQL(t)
			m.remembered, m.server, m.forgot = tt.remembered, tt.server, tt.forgot
			if tt.one {
				m.dialects = m.dialects[len(m.dialects)-1:]
			}
			_, _, err := m.service().Run(t.Context(), body(`{"measures": ["orders.n"]}`), &answer{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.models, m.models); diff != "" {
				t.Errorf("dialects (-want +got):\n%s", diff)
			}
			if m.leased != 101*tt.leases || len(m.ran) != 1 {
				t.Errorf("%d leases and %d releases, %d statements", m.leased%100, m.leased/100, len(m.ran))
			}
		})
	}
}

// TestServersInTurn: a statement runs on no server that it was not written for.
func TestServersInTurn(t *testing.T) {
	t.Parallel()
	m := newMySQL(t)
	m.remembered, m.flips = sdk.ServerInfo{Product: "MariaDB", Version: "10.11.19-MariaDB"}, true
	_, _, err := m.service().Run(t.Context(), body(`{"measures": ["orders.n"]}`), &answer{})
	if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Kind != sdk.KindUnavailable || !e.Retry || len(m.ran) != 0 || m.leased != 0 {
		t.Errorf("%v, ran %q, %d leases", err, m.ran, m.leased)
	}
}

func TestCompileAsksNobody(t *testing.T) {
	t.Parallel()
	m := newMySQL(t)
	c, err := m.service().Compile(t.Context(), body(`{"measures": ["orders.n"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if m.leased != 0 || len(m.ran) != 0 {
		t.Errorf("%d leases, ran %q", m.leased, m.ran)
	}
	if want := "The server of connection shop was never seen: the statement is in the dialect for mysql, and another may be needed."; strings.Join(c.Notes, "|") != want {
		t.Errorf("notes %q, want %q", c.Notes, want)
	}
	m.remembered = m.server
	if c, err = m.service().Compile(t.Context(), body(`{"measures": ["orders.n"]}`)); err != nil || len(c.Notes) > 0 {
		t.Errorf("%v, notes %q", err, c.Notes)
	}
}

// TestRefusedFirst: what is wrong with a request is told before anything is started.
func TestRefusedFirst(t *testing.T) {
	t.Parallel()
	for _, known := range []bool{false, true} {
		m := newMySQL(t)
		request := `{"measures": [}`
		if known {
			m.remembered, request = m.server, `{"measures": ["orders.nothing"]}`
		}
		if _, _, err := m.service().Run(t.Context(), body(request), &answer{}); err == nil || m.leased != 0 {
			t.Errorf("%s: %v after %d leases", request, err, m.leased)
		}
	}
}

// TestUnsupportedBefore: what the last known server could not say, the one of now
// may; what it cannot say either is refused.
func TestUnsupportedBefore(t *testing.T) {
	t.Parallel()
	for _, upgraded := range []bool{true, false} {
		m := newMySQL(t)
		m.dialects[0].Forms = maps.Clone(m.dialects[0].Forms)
		delete(m.dialects[0].Forms, dialect.AscNullsLast)
		m.remembered = sdk.ServerInfo{Product: "MariaDB", Version: "10.2"}
		m.columns = []sdk.Column{{Name: "id"}, {Name: "n"}}
		if !upgraded {
			m.server = m.remembered
		}
		_, _, err := m.service().Run(t.Context(), body(`{"measures": ["orders.n"], "dimensions": ["orders.id"]}`), &answer{})
		if e, ok := errors.AsType[*refusal.Error](err); ok == upgraded || ok && e.Code != refusal.CodeUnsupported || !ok && err != nil {
			t.Errorf("upgraded: %t: %v", upgraded, err)
		}
		if m.leased != 101 {
			t.Errorf("upgraded: %t: %d leases", upgraded, m.leased)
		}
	}
}

// TestServersThatAreTooOld: a server whose SQL cannot be written is told from the
// connector that cannot write, and asked nothing.
func TestServersThatAreTooOld(t *testing.T) {
	t.Parallel()
	old, today := sdk.ServerInfo{Product: "ClickHouse", Version: "18.16.1"}, sdk.ServerInfo{Product: "ClickHouse", Version: "26.7.2"}
	for _, tt := range []struct {
		name               string
		remembered, server sdk.ServerInfo
		runs               bool
	}{
		{"known to be old", old, old, false},
		{"upgraded since", old, today, true},
		{"never seen, and old", sdk.ServerInfo{}, old, false},
		{"never seen, and of today", sdk.ServerInfo{}, today, true},
		{"exchanged for an old one", today, old, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMySQL(t)
			m.dialects, m.remembered, m.server = recorded(t, "clickhouse"), tt.remembered, tt.server
			_, _, err := m.service().Run(t.Context(), body(`{"measures": ["orders.n"]}`), &answer{})
			if (err == nil) != tt.runs || len(m.ran) > 0 != tt.runs {
				t.Fatalf("%v, and %d statements ran", err, len(m.ran))
			}
			if tt.runs {
				return
			}
			e, ok := errors.AsType[*refusal.Error](err)
			if want := "the semantic layer needs clickhouse 21.3 or later, and the server of connection shop is older"; !ok || e.Code != refusal.CodeUnsupported || e.Message != want {
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
}

func TestFailuresBelow(t *testing.T) {
	t.Parallel()
	down := sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "nobody answers").WithHint("start it")
	missing := sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "connector mysql is not installed").WithHint("install it")
	tests := []struct {
		name   string
		change func(*mysql)
		want   sdk.Kind
		text   string
	}{
		{"no session", func(m *mysql) { m.lease = down }, sdk.KindUnavailable, "nobody answers"},
		{"no connector", func(m *mysql) { m.describe = missing }, sdk.KindNotFound, "connector mysql is not installed"},
		{"another column", func(m *mysql) { m.columns = []sdk.Column{{Name: "m"}} }, sdk.KindInternal, `columns ["m"] where the query has ["n"]`},
		{"more columns", func(m *mysql) { m.columns = []sdk.Column{{Name: "n"}, {Name: "n"}} }, sdk.KindInternal, "columns"},
		{"no columns", func(m *mysql) { m.columns = []sdk.Column{} }, sdk.KindInternal, "columns"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMySQL(t)
			tt.change(m)
			a := &answer{}
			_, _, err := m.service().Run(t.Context(), body(`{"measures": ["orders.n"]}`), a)
			e := sdk.AsError(err, sdk.SourceHost)
			if e == nil || e.Kind != tt.want || !strings.Contains(err.Error(), tt.text) || a.columns > 0 {
				t.Errorf("%v, %d columns told", err, a.columns)
			}
		})
	}
}

// TestLongColumnName: an engine keeps the beginning of a name that is too long.
func TestLongColumnName(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("long", 20)
	for kept, ok := range map[int]bool{64: true, 80: true, 65: false, 0: false} {
		m := newMySQL(t)
		m.columns = []sdk.Column{{Name: name[:kept]}}
		a := &answer{}
		_, _, err := m.service().Run(t.Context(), body(`{"measures": [{"expr": "sum(orders.id)", "name": "`+name+`"}]}`), a)
		if (err == nil) != ok {
			t.Errorf("%d of %d bytes: %v", kept, len(name), err)
		}
	}
}

func TestReportsOfTheConnector(t *testing.T) {
	t.Parallel()
	m := newMySQL(t)
	var late func(float64, string)
	m.report = func(progress func(float64, string)) {
		late = progress
		progress(0, "Validating SQL")
		progress(0.65, "half")
		progress(0.475, "a quarter")
		progress(1, "Fetched 1001 rows")
	}
	var got []string
	_, out, err := m.service().Run(t.Context(), semanticquery.Request{
		Body: json.RawMessage(`{"measures": ["orders.n"]}`), Progress: func(_ float64, message string) { got = append(got, message) },
	}, &answer{})
	if err != nil {
		t.Fatal(err)
	}
	late(0.9, "too late")
	want := []string{"Compiling query", "Generating SQL", "Executing", "half", "Fetched 1 rows"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"From the warehouse."}, out.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// TestTime: a query has the time of its connection, whatever takes it, and a little
// more than its statement.
func TestTime(t *testing.T) {
	t.Parallel()
	m := newMySQL(t)
	if _, _, err := m.service().Run(t.Context(), body(`{"measures": ["orders.n"]}`), &answer{}); err != nil {
		t.Fatal(err)
	}
	if left := time.Until(m.until); left <= connection.DefaultTimeout-time.Minute/2 || left > connection.DefaultTimeout+time.Minute/2 {
		t.Errorf("%v are left, where the connection has %v", left, connection.DefaultTimeout)
	}
}
