package cli

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	cmdcatalog "github.com/loam-data/loam/host/internal/cli/catalog"
	"github.com/loam-data/loam/host/internal/cli/snapshot"
	"github.com/loam-data/loam/host/internal/cli/terminal"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/sdk"
)

// TestCatalog is what a person sees of a project with one connection that was
// scanned and one that was not.
func TestCatalog(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "shop", "crm")
	f.scan(t, "shop", "sync-one", shop, sdk.Warning{Object: "main.secret", Code: "denied", Message: "the account may not read it"})
	f.session(t, "catalog",
		words("catalog list"),
		words("catalog tables"),
		words("catalog tables -c shop --include order*"),
		words("catalog tables --include nothing*"),
		words("catalog tables --include a..b"),
		words("catalog tables -c crm"),
		words("catalog tables -c shpo"),
		words("catalog show orders"),
		words("catalog show customers"),
		words("catalog show main.order_totals"),
		words("catalog show ordrs"),
		words("catalog diff"),
		words("catalog history"),
	)
}

func TestCatalogWithoutScan(t *testing.T) {
	t.Parallel()
	newFolder(t, "shop", "crm").session(t, "catalog-none", words("catalog list"), words("catalog tables"), words("catalog tables -c crm"))
	newFolder(t).session(t, "catalog-empty", words("catalog list"), words("catalog tables"))
}

func TestCatalogDiff(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "shop")
	f.scan(t, "shop", "sync-one", shop)
	f.scan(t, "shop", "sync-two", changedShop)
	f.scan(t, "shop", "sync-three", changedShop)
	f.session(t, "catalog-diff",
		words("catalog diff sync-o sync-tw"),
		words("catalog diff sync-one --exit-code"),
		words("catalog diff --exit-code"),
		words("catalog diff sync-t"),
		words("catalog diff sync-nine"),
	)
	var d cmdcatalog.DiffDocument
	f.decode(t, &d, "catalog", "diff", "sync-one", "--json")
	if !d.Differ || len(d.Added) != 1 || len(d.Removed) != 1 || len(d.Changed) != 1 || len(d.Changed[0].Columns) != 3 || len(d.Changed[0].Keys) != 1 {
		t.Errorf("%+v", d)
	}
	if k := d.Changed[0].Keys[0]; k.After != nil || k.Before.References.Display != "customers" {
		t.Errorf("key %+v", k)
	}
}

// decode runs a command that prints one JSON document and nothing else.
func (f *folder) decode(t *testing.T, into any, args ...string) {
	t.Helper()
	code, stdout, stderr := f.loam(t, args...)
	dec := json.NewDecoder(strings.NewReader(stdout))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); code != 0 || stderr != "" || err != nil {
		t.Fatalf("loam %q: exit %d, %v\n%s%s", args, code, err, stdout, stderr)
	}
	if dec.More() {
		t.Errorf("loam %q prints more than one document", args)
	}
}

func TestCatalogAsJSON(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "shop", "crm")
	f.scan(t, "shop", "sync-one", shop, sdk.Warning{Object: "x", Message: "y"})
	var list struct{ Connections []cmdcatalog.CatalogDocument }
	f.decode(t, &list, "catalog", "list", "--json")
	if list.Connections[0].LastScan.Warnings[0] != (snapshot.Warning{Object: "x", Message: "y"}) || list.Connections[1].LastScan != nil {
		t.Errorf("list %+v", list)
	}
	var tables struct {
		ConnectionID string
		Snapshot     snapshot.Document
		Tables       []cmdcatalog.TableDocument
	}
	f.decode(t, &tables, "catalog", "tables", "--json")
	names := ""
	for _, table := range tables.Tables {
		names += " " + table.Display
	}
	if names != " main.customers main.order_totals main.orders main.regions" || tables.Snapshot.SyncID != "sync-one" {
		t.Errorf("tables%s of %+v", names, tables.Snapshot)
	}
	if e := tables.Tables[3]; e.EstimatedRows != nil || e.Comment != nil || *e.TableRef.DB != "main" || e.TableRef.Catalog != nil {
		t.Errorf("what is not known is not null: %+v", e)
	}
	var e cmdcatalog.EntityDocument
	f.decode(t, &e, "catalog", "show", "orders", "--json")
	got := e.Columns[3].Profile
	want := &cmdcatalog.StatsDocument{
		Rows: 6000, Complete: true, Distinct: new(int64(3)), MinLength: new(int64(4)), MaxLength: new(int64(9)), AvgLength: 6.5,
		Values: []cmdcatalog.ValueDocument{{Value: "shipped", Count: 4000}, {Value: "paid", Count: 1500}, {Value: "on hold", Count: 500}}, ValuesComplete: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("profile (-want +got):\n%s", diff)
	}
	if len(e.Relationships) != 2 || e.Relationships[1].Evidence.Surprise != nil || *e.Relationships[1].Evidence.Name != 0.9 {
		t.Errorf("relationships %+v", e.Relationships)
	}
	var history struct {
		ConnectionID string
		Snapshots    []snapshot.Document
	}
	f.decode(t, &history, "catalog", "history", "--json")
	if len(history.Snapshots) != 1 || history.Snapshots[0].ProfiledTables != 2 {
		t.Errorf("history %+v", history)
	}
}

// TestHostileNames: what a warehouse calls its tables moves no terminal, and
// JSON has it as it is.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	const hostile = "a\x1b[2J\u009b.b\n\"c\u202e\x00" + `(d)`
	long := strings.Repeat("x", 300)
	f := newFolder(t, "shop")
	f.scan(t, "shop", "s", func(w *catalog.Writer) error {
		odd := &sdk.Table{
			TableRef: sdk.TableRef{Schema: "s", Name: hostile}, Kind: sdk.TableBase, Comment: hostile, RowEstimate: -1, ByteEstimate: -1,
			Definition: hostile, Columns: []sdk.Column{{Name: hostile, NativeType: hostile, Comment: hostile, Default: hostile}, {Name: "plain, too"}},
			Keys: []sdk.Key{{Kind: sdk.KeyPrimary, Name: hostile, Columns: []string{hostile}}},
		}
		plain := &sdk.Table{TableRef: sdk.TableRef{Schema: "s", Name: long}, Kind: sdk.TableBase, Columns: []sdk.Column{{Name: "id"}}}
		return errors.Join(w.Table(odd), w.Table(plain), w.Profile(odd.TableRef, &catalog.Profile{At: time.Unix(1, 0), Stats: []sdk.ColumnStats{
			{Column: hostile, Rows: 1, Min: new(hostile), Max: new(hostile), Values: []string{hostile, strings.Repeat("y", 1<<20)}, Counts: []int64{1, 1}},
		}}))
	}, sdk.Warning{Object: hostile, Message: hostile})
	display := catalog.Display(sdk.TableRef{Schema: "s", Name: hostile})
	from := review.EndText(sdk.TableRef{Schema: "s", Name: hostile}, []string{hostile, "plain, too"})
	for _, args := range [][]string{
		{"catalog", "list"},
		{"catalog", "tables"},
		{"catalog", "show", display},
		{"catalog", "show", hostile + "x"},
		{"catalog", "relationships", "accept", from, "s." + long + "(id, id)", "--note", hostile},
		{"catalog", "relationships"},
		{"catalog", "relationships", "forget", from + " → " + "s." + long + "(id, id)"},
	} {
		code, stdout, stderr := f.loam(t, args...)
		if code != 0 && !strings.HasSuffix(args[2], "x") {
			t.Errorf("loam %q: exit %d: %s", args, code, stderr)
		}
		for _, line := range strings.Split(stdout+stderr, "\n") {
			if terminal.Escape(line) != line {
				t.Errorf("loam %q prints %q", args, line)
			}
		}
		if len(stdout) > 20_000 {
			t.Errorf("loam %q prints %d bytes", args, len(stdout))
		}
	}
	var e cmdcatalog.EntityDocument
	f.decode(t, &e, "catalog", "show", display, "--json")
	if e.TableRef.Name != hostile || e.Columns[0].Name != hostile || *e.Comment != hostile || e.Columns[0].Profile.Values[0].Value != hostile || len(e.Columns[0].Profile.Values[1].Value) != 1<<20 {
		t.Errorf("the document is not exact: %.200q", e.TableRef.Name)
	}
}

func TestRelationships(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "shop")
	f.scan(t, "shop", "sync-one", shop)
	f.session(t, "relationships",
		words("catalog relationships"),
		words("catalog relationships --status review"),
		words("catalog relationships --status new"),
		words("catalog relationships acept x"),
		words("catalog relationships accept"),
		words("catalog relationships accept zzz"),
		[]string{"catalog", "relationships", "accept", "88d590637a", "--note", "regions were renumbered"},
		words("catalog relationships reject 88d590"),
		words("catalog relationships"),
		words("catalog relationships --status all"),
		words("catalog relationships forget 88d590637a"),
		words("catalog relationships forget 88d590637a"),
		[]string{"catalog", "relationships", "accept", "orders(status)", "customers(emial)"},
		[]string{"catalog", "relationships", "accept", "orders(status)", "custmers(email)"},
		[]string{"catalog", "relationships", "accept", "orders(status, id)", "customers(email)"},
		[]string{"catalog", "relationships", "accept", "orders(status)", "customers"},
		[]string{"catalog", "relationships", "accept", "main.orders(STATUS)", "customers(email)"},
		[]string{"catalog", "relationships", "reject", "orders(customer_id) -> customers(id)"},
		words("catalog relationships --status accepted"),
	)
	t.Log("a rescan leaves what was decided; what it is about may be gone")
	f.scan(t, "shop", "sync-two", func(w *catalog.Writer) error {
		return w.Table(&sdk.Table{TableRef: ref("orders"), Kind: sdk.TableBase, Columns: []sdk.Column{{Name: "id"}}})
	})
	var list struct {
		ConnectionID  string
		Snapshot      snapshot.Document
		Relationships []cmdcatalog.LinkDocument
	}
	f.decode(t, &list, "catalog", "relationships", "--json")
	if len(list.Relationships) != 1 || !list.Relationships[0].Stale || list.Relationships[0].Status != relationship.Accepted {
		t.Errorf("%+v", list.Relationships)
	}
}

// TestTwoDecide: of two that write decisions at once neither loses its own.
func TestTwoDecide(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "shop")
	f.scan(t, "shop", "s", shop)
	var wg sync.WaitGroup
	ends := []string{"orders(id)", "orders(status)", "orders(region)", "regions(id)", "order_totals(order_id)"}
	for _, from := range ends {
		wg.Go(func() {
			if code, _, stderr := f.loam(t, "catalog", "relationships", "accept", from, "customers(email)"); code != 0 {
				t.Errorf("%s: exit %d: %s", from, code, stderr)
			}
		})
	}
	wg.Wait()
	if all, err := relationship.LoadDecisions(f.decisions("shop")); err != nil || len(all) != len(ends) {
		t.Errorf("%d decisions are left of %d: %v", len(all), len(ends), err)
	}
}

// TestDecisionsLocked: whoever finds the decisions being written waits, but not
// for ever, and not after it was cancelled.
func TestDecisionsLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unlock, err := project.Lock(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		if _, err := project.Lock(t.Context(), dir); sdk.KindOf(err) != sdk.KindConflict || !sdk.AsError(err, "").Retry {
			t.Errorf("while another one keeps at it: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), project.LockTimeout/2)
		defer cancel()
		if _, err := project.Lock(ctx, dir); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("cancelled: %v", err)
		}
	})
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	unlock, err = project.Lock(t.Context(), dir)
	if err != nil {
		t.Fatalf("afterwards: %v", err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
}

// TestCopies: a family of copies is one line, and its short name the newest of them.
func TestCopies(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "shop")
	f.scan(t, "shop", "sync-one", func(w *catalog.Writer) error {
		for _, name := range []string{"visits_20240101", "visits_20240102", "visits_20240103", "visits_log"} {
			visits := &sdk.Table{TableRef: ref(name), Kind: sdk.TableBase, Comment: "one row per visit", RowEstimate: 60, ByteEstimate: -1, Columns: []sdk.Column{column("page", "TEXT", sdk.TypeText)}}
			if err := w.Table(visits); err != nil {
				return err
			}
		}
		return nil
	})
	f.session(t, "catalog-copies",
		words("catalog tables"), words("catalog tables --copies"), words("catalog show visits"), words("catalog show visit_20240102"), words("catalog show visit"),
	)
	var tables struct {
		ConnectionID string
		Snapshot     snapshot.Document
		Tables       []cmdcatalog.TableDocument
	}
	if f.decode(t, &tables, "catalog", "tables", "--json"); len(tables.Tables) != 4 {
		t.Errorf("%+v", tables.Tables)
	}
}

// TestSameNames: a table's name that two schemas have is not guessed at.
func TestSameNames(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "shop")
	f.scan(t, "shop", "s", func(w *catalog.Writer) error {
		return errors.Join(
			w.Table(&sdk.Table{TableRef: sdk.TableRef{Schema: "new", Name: "orders"}, Kind: sdk.TableBase, Columns: []sdk.Column{{Name: "id"}}}),
			w.Table(&sdk.Table{TableRef: sdk.TableRef{Schema: "old", Name: "orders"}, Kind: sdk.TableBase, Columns: []sdk.Column{{Name: "id"}}}),
		)
	})
	for _, args := range [][]string{
		{"catalog", "show", "orders"},
		{"catalog", "relationships", "accept", "orders(id)", "new.orders(id)"},
	} {
		if code, stdout, stderr := f.loam(t, args...); code != 2 || stdout != "" || !strings.Contains(stderr, "did you mean: new.orders, old.orders") {
			t.Errorf("loam %q: exit %d, %q, %q", args, code, stdout, stderr)
		}
	}
	if code, stdout, _ := f.loam(t, "catalog", "tables", "--include", "old.*"); code != 0 || strings.Contains(stdout, "new") {
		t.Errorf("exit %d: %s", code, stdout)
	}
}
