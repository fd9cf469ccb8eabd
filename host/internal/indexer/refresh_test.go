package indexer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// project is a project folder, on which several hosts may be.
type project struct {
	t   testing.TB
	dir string

	mu          sync.Mutex
	connections []connection.Connection
}

func newProject(t testing.TB, connections ...string) *project {
	p := &project{t: t, dir: t.TempDir()}
	p.configure(connections...)
	return p
}

// configure makes these the connections of loam.yaml.
func (p *project) configure(ids ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.connections = nil
	for _, id := range ids {
		p.connections = append(p.connections, connection.Connection{ID: connection.ID(id), Connector: "foodb"})
	}
}

// host is one indexer on the folder.
type host struct {
	*Indexer
	t      testing.TB
	writes atomic.Int64 // how many segments it made
	hook   atomic.Pointer[func(at string)]
}

func (p *project) host() *host {
	p.t.Helper()
	h, err := p.open()
	if err != nil {
		p.t.Fatal(err)
	}
	h.t = p.t
	h.patience = time.Minute // the machine may be busy
	h.step = func(at string) {
		if at == "written" {
			h.writes.Add(1)
		}
		if hook := h.hook.Load(); hook != nil {
			(*hook)(at)
		}
	}
	p.t.Cleanup(func() {
		if err := h.Close(); err != nil {
			p.t.Error(err)
		}
		if len(h.segments) > 0 {
			p.t.Errorf("%d segments are open after Close", len(h.segments))
		}
	})
	return h
}

func (p *project) open() (*host, error) {
	pages, err := wiki.Open(filepath.Join(p.dir, "wiki"), "ann")
	if err != nil {
		return nil, err
	}
	log, catalogs := slog.New(slog.DiscardHandler), catalog.NewSet(filepath.Join(p.dir, "catalog"))
	sources := layer.New(layer.Config{Dir: filepath.Join(p.dir, "semantic-layer"), Cache: filepath.Join(p.dir, "semantic"), Catalogs: catalogs, Logger: log})
	return &host{Indexer: New(Config{
		Dir: p.index(), Catalogs: catalogs, Semantic: sources, Wiki: pages, Logger: log,
		Connections: func(context.Context) (*connection.Registry, error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			return connection.New(p.connections)
		},
	})}, nil
}

func (p *project) index() string { return filepath.Join(p.dir, "index") }

// wrote returns how many segments were made since it was last asked.
func (h *host) wrote() int { return int(h.writes.Swap(0)) }

func (p *project) page(path, content string) {
	p.t.Helper()
	p.put(filepath.Join("wiki", path+".md"), content)
}

func (p *project) put(path, content string) {
	p.t.Helper()
	path = filepath.Join(p.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	// As editors do: a reader has the file as it was or as it is.
	if err := errors.Join(os.WriteFile(path+"~", []byte(content), 0o644), os.Rename(path+"~", path)); err != nil {
		p.t.Fatal(err)
	}
}

// source writes a file of a connection's semantic layer.
func (p *project) source(connection, name, content string) {
	p.t.Helper()
	p.put(filepath.Join("semantic-layer", connection, name+".yaml"), content)
}

func table(name string, columns ...string) *sdk.Table {
	schema, name, _ := strings.Cut(name, ".")
	t := &sdk.Table{TableRef: sdk.TableRef{Schema: schema, Name: name}, Kind: sdk.TableBase, RowEstimate: -1, ByteEstimate: -1}
	for _, c := range columns {
		t.Columns = append(t.Columns, sdk.Column{Name: c, Type: sdk.TypeText, NativeType: "text"})
	}
	return t
}

var scans atomic.Int64

// scan commits a snapshot of a connection; values are those of a table's first
// column.
func (p *project) scan(id string, values map[string][]string, tables ...*sdk.Table) {
	p.t.Helper()
	w, err := catalog.Open(filepath.Join(p.dir, "catalog", id), id).Begin(context.Background(), false)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, t := range tables {
		if err := w.Table(t); err != nil {
			p.t.Fatal(err)
		}
		if v := values[t.Name]; v != nil {
			stats := sdk.ColumnStats{Column: t.Columns[0].Name, Rows: 9, Complete: true, Distinct: int64(len(v)), Values: v, Counts: make([]int64, len(v))}
			if err := w.Profile(t.TableRef, &catalog.Profile{At: time.Unix(1, 0).UTC(), Stats: []sdk.ColumnStats{stats}}); err != nil {
				p.t.Fatal(err)
			}
		}
	}
	n := scans.Add(1)
	if _, err := w.Commit(context.Background(), catalog.Identity{SyncID: fmt.Sprint(n), ExtractedAt: time.Unix(n, 0).UTC()}); err != nil {
		p.t.Fatal(err)
	}
}

func (h *host) current() *State {
	h.t.Helper()
	s, err := h.Current(context.Background())
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(s.Release)
	return s
}

// found returns the ids of the tables, pages, sources and measures that a state
// finds, best first, each of which must be in its snapshots, pages and listings, and
// the tables of values behind "=".
func found(t testing.TB, s *State, question string) (ids []string) {
	t.Helper()
	kinds := []search.Kind{search.Table, search.Wiki, search.Source, search.Measure}
	for _, hit := range s.Index.Search(search.Query{Text: question, Kinds: kinds}).Hits {
		ids = append(ids, hit.ID)
		switch hit.Kind {
		case search.Source, search.Measure:
			source := hit.Parent
			if hit.Kind == search.Source {
				source = hit.ID
			}
			if s.Semantic[connection.ID(hit.Connection)].Listing.Entry(source) == nil {
				t.Errorf("the hit %s %s is in no listing", hit.Kind, hit.ID)
			}
		case search.Wiki:
			if _, err := s.Pages.Page(hit.ID); err != nil {
				t.Errorf("the hit %s: %v", hit.ID, err)
			}
		case search.Table:
			if _, err := s.Snapshots[connection.ID(hit.Connection)].Find(nil, hit.ID); err != nil {
				t.Errorf("the hit %s: %v", hit.ID, err)
			}
		}
	}
	values, _ := s.Index.Find(question, nil, 10)
	for _, v := range values {
		ids = append(ids, "="+v.Source)
	}
	return ids
}

func (h *host) finds(question string, want ...string) {
	h.t.Helper()
	s := h.current()
	if diff := cmp.Diff(want, found(h.t, s, question)); diff != "" || s.Notes != nil {
		h.t.Errorf("%q, notes %q (-want +got):\n%s", question, s.Notes, diff)
	}
}

// Whatever changes is in the next state, of this host and of another, and
// nothing is made again that did not change.
func TestFresh(t *testing.T) {
	t.Parallel()
	p := newProject(t, "shop", "crm", "new")
	p.scan("shop", map[string][]string{"orders": {"Berlin", "Madrid"}}, table("s.orders", "city"), table("s.users", "id"))
	p.scan("crm", nil, table("c.leads", "id"))
	p.page("global/churn", "# Churn\nWho left us")
	a, b := p.host(), p.host()

	a.finds("orders", "s.orders")
	a.finds("leads", "c.leads")
	a.finds("churn", "churn")
	if n := a.wrote(); n != 3 {
		t.Errorf("%d segments were made, want those of two connections and the wiki", n)
	}
	b.finds("orders", "s.orders")
	if n := b.wrote(); n != 0 {
		t.Errorf("another host made %d segments again", n)
	}
	first := a.current()
	if again := a.current(); again.Index != first.Index || again.Pages != first.Pages {
		t.Error("nothing changed, but the index did")
	}
	matches, total := first.Index.Find("madrid", nil, 10)
	if total != 1 || matches[0].Source != "s.orders" || matches[0].Cardinality != 2 || first.Index.Columns("shop") != 1 {
		t.Errorf("the value was found in %+v, %d", matches, total)
	}

	for _, change := range []struct {
		name   string
		do     func()
		asked  string
		want   []string
		writes int
	}{
		{"a rescan", func() { p.scan("shop", nil, table("s.invoices", "id"), table("s.users", "id")) }, "invoices", []string{"s.invoices"}, 1},
		{"a table that is gone", func() {}, "orders", nil, 0},
		{"a rescan that finds the same", func() { p.scan("shop", nil, table("s.invoices", "id"), table("s.users", "id")) }, "invoices", []string{"s.invoices"}, 0},
		{"a new profile", func() {
			p.scan("shop", map[string][]string{"users": {"Quito"}}, table("s.invoices", "id"), table("s.users", "id"))
		}, "quito", []string{"=s.users"}, 1},
		{"the first scan of a connection", func() { p.scan("new", nil, table("n.fresh", "id")) }, "fresh", []string{"n.fresh"}, 1},
		{"an edited page", func() { p.page("global/churn", "# Attrition\nWho left us") }, "attrition", []string{"churn"}, 1},
		{"a page that is new", func() { p.page("global/margin", "# Margin") }, "margin", []string{"margin"}, 1},
		{"a user's page", func() { p.page("user/ann/margin", "# Gross xylem") }, "gross xylem", []string{"margin"}, 1},
		{"a page that was removed", func() {
			if err := os.RemoveAll(filepath.Join(p.dir, "wiki", "user")); err != nil {
				t.Fatal(err)
			}
		}, "gross xylem", nil, 0},
		{"a page that was renamed", func() {
			if err := os.Rename(filepath.Join(p.dir, "wiki/global/margin.md"), filepath.Join(p.dir, "wiki/global/moved.md")); err != nil {
				t.Fatal(err)
			}
		}, "margin", []string{"moved"}, 1},
		{"an abbreviation", func() { p.page("global/glossary", "- XQZ: attrition") }, "xqz", []string{"glossary", "churn"}, 1},
		{"a connection that was removed", func() { p.configure("shop", "new") }, "leads", nil, 0},
		{"a connection that was added again", func() { p.configure("shop", "new", "crm") }, "leads", []string{"c.leads"}, 0},
		{"no wiki", func() {
			if err := os.RemoveAll(filepath.Join(p.dir, "wiki")); err != nil {
				t.Fatal(err)
			}
		}, "attrition", nil, 0},
	} {
		t.Run(change.name, func(t *testing.T) {
			change.do()
			for _, h := range []*host{a, b} {
				s := h.current()
				got := found(t, s, change.asked)
				slices.Sort(got)
				want := slices.Sorted(slices.Values(change.want))
				if diff := cmp.Diff(want, got); diff != "" || s.Notes != nil {
					t.Errorf("%q, notes %q (-want +got):\n%s", change.asked, s.Notes, diff)
				}
			}
			if n, other := a.wrote(), b.wrote(); n != change.writes || other != 0 {
				t.Errorf("%d segments were made, want %d, and %d by the other host", n, change.writes, other)
			}
		})
	}
	if diff := cmp.Diff([]string{"=s.orders"}, found(t, first, "madrid")); diff != "" {
		t.Errorf("a state changed while it was used (-want +got):\n%s", diff)
	}
}

// Of a large project only the shards are made again that a change is in.
func TestShards(t *testing.T) {
	t.Parallel()
	p := newProject(t, "shop")
	for i := range 3 * pagesPerShard {
		p.page(fmt.Sprintf("global/page-%04d", i), fmt.Sprintf("# Page %d", i))
	}
	var tables []*sdk.Table
	for i := range tablesPerShard + 1 {
		tables = append(tables, table(fmt.Sprintf("s.t%05d", i), "id"))
	}
	p.scan("shop", nil, tables...)
	h := p.host()
	s := h.current()
	if n := h.wrote(); n != 4+2 {
		t.Errorf("%d segments were made, want 4 of pages and 2 of tables", n)
	}
	if n, m := s.Index.Count(search.Wiki), s.Index.Count(search.Table); n != 3*pagesPerShard || m != len(tables) {
		t.Errorf("the index has %d pages and %d tables", n, m)
	}
	p.page("global/page-0007", "# Another")
	h.finds("another", "page-0007")
	if n := h.wrote(); n != 1 {
		t.Errorf("for an edited page %d segments were made", n)
	}
	tables[7] = table("s.t00007", "changed")
	p.scan("shop", nil, tables...)
	h.finds("changed", "s.t00007")
	if n := h.wrote(); n != 1 {
		t.Errorf("for a changed table %d segments were made", n)
	}
}

func TestNothing(t *testing.T) {
	t.Parallel()
	h := newProject(t).host()
	s := h.current()
	if got := found(t, s, "anything"); got != nil || s.Notes != nil || len(s.Snapshots) != 0 || s.Pages.Len() != 0 {
		t.Errorf("found %q, state %+v", got, s)
	}
	if err := h.Refresh(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

// A caller who goes away takes nothing from the others, and a closed indexer
// says so.
func TestEnds(t *testing.T) {
	t.Parallel()
	p := newProject(t, "shop")
	p.scan("shop", nil, table("s.orders", "id"))
	h := p.host()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Current(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	s := h.current()
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"s.orders"}, found(t, s, "orders")); diff != "" {
		t.Errorf("a state after Close (-want +got):\n%s", diff)
	}
	s.Release()
	s.Release()
	if _, err := h.Current(t.Context()); sdk.KindOf(err) != sdk.KindUnavailable {
		t.Errorf("after Close: %v", err)
	}
	if err := h.Refresh(t.Context(), nil); sdk.KindOf(err) != sdk.KindUnavailable {
		t.Errorf("after Close: %v", err)
	}
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	p := newProject(t, "shop")
	var tables []*sdk.Table
	for i := range 250 {
		tables = append(tables, table(fmt.Sprintf("s.t%03d", i), "id"))
	}
	p.scan("shop", nil, tables...)
	p.page("global/a", "# A")
	h := p.host()
	var got []sdk.Progress
	if err := h.Refresh(t.Context(), func(p sdk.Progress) { got = append(got, p) }); err != nil {
		t.Fatal(err)
	}
	want := []sdk.Progress{
		{Phase: "index", Done: 1, Total: 1, Unit: "pages"},
		{Phase: "index", Done: 100, Total: 250, Unit: "tables"},
		{Phase: "index", Done: 200, Total: 250, Unit: "tables"},
		{Phase: "index", Done: 250, Total: 250, Unit: "tables"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if h.wrote(); h.current() == nil || h.wrote() != 0 {
		t.Error("after a refresh something was made again")
	}
}
