package saved

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/loam-data/loam/host/internal/approved"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/consoletest"
	"github.com/loam-data/loam/host/internal/console/result"
	"github.com/loam-data/loam/host/internal/finding"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/savedquery/library"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// fixture is the saved queries of one connection, shop.
type fixture struct {
	t       *testing.T
	dir     string
	state   *store.Store
	session sdk.Session
	leased  int

	mu       sync.Mutex
	recorded []history.Call
}

func newFixture(t *testing.T, statements ...string) *fixture {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bank.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range append([]string{"CREATE TABLE orders (id INTEGER, status TEXT, day TEXT)", "INSERT INTO orders VALUES (1, 'paid', '2024-01-01'), (2, 'open', NULL), (3, 'paid', '=1+1')"}, statements...) {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, dir: t.TempDir()}
	raw, err := json.Marshal(map[string]string{"path": path})
	if err != nil {
		t.Fatal(err)
	}
	if f.session, err = sqlite.Connector().Open(t.Context(), sdk.OpenRequest{ConnectionID: "shop", Config: sdk.Config{JSON: raw}}); err != nil {
		t.Fatal(err)
	}
	if f.state, err = store.Open(t.Context(), filepath.Join(t.TempDir(), "state.db")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.session.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := f.state.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func (f *fixture) Get(context.Context) (*store.Store, error) { return f.state, nil }

func (f *fixture) Describe(connection.Connection) (sdk.Description, error) {
	return sqlite.Connector().Describe(), nil
}

func (f *fixture) LastKnown(context.Context, connection.Connection) (connection.State, error) {
	return connection.State{Server: f.session.Server()}, nil
}

func (f *fixture) Lease(context.Context, connection.Connection) (sdk.Session, func(), error) {
	f.leased++
	return f.session, func() {}, nil
}

func (f *fixture) open(token string) *consoletest.Browser {
	f.t.Helper()
	connections := func(context.Context) (*connection.Registry, error) {
		return connection.New([]connection.Connection{{ID: "shop", Connector: "sqlite"}})
	}
	warehouses := warehouse.New(connections, f, slog.New(slog.DiscardHandler))
	service := approved.New(approved.Config{
		Warehouses: warehouses, Queries: library.New(filepath.Join(f.dir, "queries")), Query: query.New(warehouses, "project"),
		Findings: func(context.Context, connection.ID, string, *dialect.Dialect) []finding.Finding { return nil },
		Usage: func(context.Context, []history.SavedQuery) (map[history.SavedQuery]history.Usage, bool, error) {
			return map[history.SavedQuery]history.Usage{{Connection: "shop", Name: "orders"}: {Runs: 3, Outcome: "timeout"}}, true, nil
		},
	})
	record := func(c history.Call) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.recorded = append(f.recorded, c)
	}
	return consoletest.As(f.t, token, Pages(Services{Queries: service, State: f, Connections: connections, Record: record}), result.Group())
}

// put writes the file of a query, of its YAML and its SQL.
func (f *fixture) put(name, header, text string) {
	f.t.Helper()
	path := filepath.Join(f.dir, "queries", "shop", name+".sql")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("/* loam\n"+header+"\n*/\n"+text+"\n"), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

const orders = `title: Orders of a status
description: All orders.
parameters:
  - {name: statuses, type: "string[]", values: [paid, open]}
  - {name: least, type: integer, required: true, minimum: 0, description: "smallest id"}
  - {name: day, type: date, default: 2024-01-01}
  - {name: kind, type: string, values: [a, b]}
  - {name: big, type: boolean}
output:
  - {name: id, type: integer}
examples:
  - {statuses: [paid], least: 2}
tags: [finance]
reviewed: true`

const ordersSQL = "SELECT id, status, day FROM orders WHERE id >= {{ least }} [[AND status IN ({{ statuses }})]] [[AND '' <> {{ day }}]] [[AND {{ kind }} <> '']] [[AND {{ big }} = 1]] ORDER BY id"

func (f *fixture) filled(token string) *consoletest.Browser {
	f.put("orders", orders, ordersSQL)
	f.put("draft", "title: A draft\nreviewed: false", "SELECT 1 AS one")
	return f.open(token)
}

func TestList(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.open(consoletest.ReviewerToken).Get("queries")
	if !strings.Contains(p.Text, "loam queries add NAME") {
		t.Errorf("an empty list: %s", p.Text)
	}
	b := f.filled(consoletest.ReviewerToken)
	p = b.Get("queries")
	for _, want := range []string{"Orders of a status. All orders.", "reviewed", "unreviewed", "timeout", "finance", "2 shown"} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("no %q in %.900s", want, p.Text)
		}
	}
	if p.Link("orders") != "queries/shop/orders" {
		t.Errorf("links %v", p.Links)
	}
	for address, want := range map[string]int{"queries": 2, "queries?state=reviewed": 1, "queries?q=orders": 1, "queries?tag=FINANCE": 1, "queries?connection=shop": 2, "queries?q=nothing": 0} {
		var l List
		if b.JSON(address, &l); len(l.Queries) != want || l.Pager.Total != want {
			t.Errorf("%s: %d queries of %d", address, len(l.Queries), l.Pager.Total)
		}
	}
	if p = b.Get("queries?connection=none"); p.Status != http.StatusNotFound {
		t.Errorf("an unknown connection: %d", p.Status)
	}
	if f.leased != 0 {
		t.Error("a list asks the warehouse")
	}
}

func TestOne(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if err := f.state.PutMemory(t.Context(), &store.MemoryBatch{New: []store.MemoryChange{{ID: "ab12", Kind: "query", Path: "queries/shop/draft.sql", Actor: "<chat>", State: "pending", Proposal: "{}", ProposedBy: "{}", Signature: []byte{1}}}}); err != nil {
		t.Fatal(err)
	}
	b := f.filled(consoletest.ReviewerToken)
	p := b.Get("queries/shop/orders")
	for _, want := range []string{"Orders of a status", "statuses (string[])", "least (integer, required)", "smallest id", "at least 0", "All orders.", "SELECT id, status", "queries/shop/orders.sql", "3 runs", "loam queries show -c shop orders --json", "its declarations can be read"} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("no %q in %.900s", want, p.Text)
		}
	}
	if got := form(p).Fields.Get("p.day"); got != "2024-01-01" {
		t.Errorf("the default of the day is %q: %v", got, form(p).Fields)
	}
	if p = b.Get(p.Link("example 1")); form(p).Fields.Get("p.least") != "2" || form(p).Fields.Get("p.statuses") != "paid" {
		t.Errorf("the example is not filled in: %v", form(p).Fields)
	}
	if p = b.Get("queries/shop/draft"); p.Link("change ab12") != "change/ab12" || !strings.Contains(p.Text, "agents cannot run it") {
		t.Errorf("the draft: %v", p.Links)
	}
	if p = b.Get("queries/shop/none"); p.Status != http.StatusNotFound {
		t.Errorf("an unknown query: %d", p.Status)
	}
	if f.leased != 0 {
		t.Error("a page asks the warehouse")
	}
}

// form returns the form of the page of a query.
func form(p *consoletest.Page) consoletest.Form {
	for _, f := range p.Forms {
		if f.Fields.Has("version") {
			return f
		}
	}
	return consoletest.Form{}
}

func TestRun(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := f.filled(consoletest.ReviewerToken)
	p := b.Get("queries/shop/orders")
	send := func(fields url.Values) *consoletest.Page {
		t.Helper()
		return b.Submit(form(p), fields)
	}
	got := send(url.Values{"do": {"run"}, "p.least": {" 2 "}, "p.statuses": {"paid\r\n\r\nopen\r\n"}})
	for _, want := range []string{"All 2 rows.", "2 open NULL", `"least":2`, `"statuses":["paid","open"]`} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("no %q in %.900s", want, got.Text)
		}
	}
	if strings.Contains(got.Text, "Checks of the file") || got.Link("All about") != "queries/shop/orders" {
		t.Error("the result is far below the form")
	}
	if form(got).Fields.Get("p.least") != " 2 " {
		t.Errorf("the form forgets its values: %v", form(got).Fields)
	}
	if got = send(url.Values{"do": {"run"}, "p.least": {"1"}, "rows": {"1"}}); !strings.Contains(got.Text, "First 1 row, truncated") {
		t.Errorf("a truncated result: %s", got.Text)
	}
	for says, fields := range map[string]url.Values{
		"the parameter least is required":             {"do": {"run"}},
		"the parameter least must be of type integer": {"do": {"run"}, "p.least": {"1.5; DROP TABLE orders"}},
		"the parameter kind must be one of a, b":      {"do": {"run"}, "p.least": {"1"}, "p.kind": {"c"}},
		"the parameter least must be at least 0":      {"do": {"run"}, "p.least": {"-1"}},
	} {
		if got := send(fields); !strings.Contains(got.Text, says) {
			t.Errorf("no %q in %s", says, got.Text)
		}
	}
	if got = send(url.Values{"do": {"csv"}, "p.least": {"1"}, "rows": {"2"}}); got.Body != "id,status,day\r\n1,paid,2024-01-01\r\n2,open,\r\ntruncated: the statement has more than these 2 rows\r\n" {
		t.Errorf("CSV: %q", got.Body)
	}
	if got = send(url.Values{"do": {"csv"}, "p.least": {"3"}}); !strings.Contains(got.Body, "3,paid,'=1+1\r\n") || !strings.Contains(got.Header.Get("Content-Disposition"), "shop-orders.csv") {
		t.Errorf("CSV: %q %v", got.Body, got.Header)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	first, bad := f.recorded[0], f.recorded[2]
	if len(f.recorded) != 8 || first.Tool != Tool || first.Rows != 2 || first.Outcome != "ok" || first.Connection != "shop" || first.Caller.Transport != "console" || first.Bytes == 0 || first.Request == "" || bad.Outcome != "invalid" {
		t.Errorf("%d recorded: %+v", len(f.recorded), first)
	}
}

// A file that was changed since the page was shown is not run.
func TestRunOfAnotherVersion(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := f.filled(consoletest.ReviewerToken)
	p := b.Get("queries/shop/draft")
	f.put("draft", "title: A draft\nreviewed: false", "SELECT 2 AS another")
	for _, do := range []string{"run", "csv"} {
		got := b.Submit(form(p), url.Values{"do": {do}})
		if !strings.Contains(got.Text, "Nothing was run") || !strings.Contains(got.Text, "SELECT 2 AS another") || f.leased != 0 {
			t.Errorf("%s: %s", do, got.Text)
		}
	}
	if got := b.Submit(form(b.Get("queries/shop/draft")), url.Values{"do": {"run"}}); !strings.Contains(got.Text, "All 1 row.") {
		t.Errorf("a reviewer tries what is not reviewed: %s", got.Text)
	}
}

func TestReaderRunsNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := f.filled(consoletest.ReaderToken)
	if p := b.Get("queries/shop/orders"); strings.Contains(p.Body, "p.least") || !strings.Contains(p.Text, "Your role may not run queries") {
		t.Errorf("a reader sees the form: %s", p.Text)
	}
	if p := b.Post("queries/shop/orders", url.Values{"do": {"run"}, "p.least": {"1"}}); p.Status != http.StatusForbidden || f.leased != 0 {
		t.Errorf("a reader runs it: %d", p.Status)
	}
}

// Texts of agents and of the warehouse run nothing, and pages stay small.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	bad := []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, "a\u202egpj", strings.Repeat("w", 1<<20), `</pre></table><h1>x</h1>`}
	var insert []string
	for _, text := range bad {
		insert = append(insert, "INSERT INTO orders VALUES (9, '"+strings.ReplaceAll(text, "'", "''")+"', '')")
	}
	f := newFixture(t, insert...)
	for i, text := range bad {
		text = text[:min(len(text), 5000)]
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		header := "reviewed: true\n"
		for _, key := range []string{"title", "description", "constraints"} {
			header += key + ": " + string(quoted) + "\n"
		}
		header += "tags: [" + string(quoted) + "]\noutput: [{name: " + string(quoted) + "}]\nparameters: [{name: a, type: string, description: " + string(quoted) + ", values: [" + string(quoted) + "]}]\n"
		f.put(fmt.Sprint("bad", i), header, "SELECT *, '"+strings.ReplaceAll(text, "'", "''")+"' FROM orders [[WHERE {{ a }} <> '']]")
	}
	b := f.open(consoletest.ReviewerToken)
	list := b.Get("queries")
	pages := []*consoletest.Page{list}
	for i := range bad {
		p := b.Get(fmt.Sprint("queries/shop/bad", i))
		ran := b.Submit(form(p), url.Values{"do": {"run"}})
		if !strings.Contains(ran.Text, "rows") {
			t.Errorf("%d: %.300s", i, ran.Text)
		}
		pages = append(pages, p, ran)
	}
	for _, p := range pages { // the browser fails the test for scripts, headings and large pages
		if p.Status != http.StatusOK || strings.Contains(p.Body, "<script>alert") || strings.Contains(p.Body, "<img") {
			t.Errorf("%s: %d", p.Path, p.Status)
		}
	}
}
