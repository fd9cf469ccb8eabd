package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// table makes a table of a name like "schema.name" with its columns.
func table(name string, columns ...string) *sdk.Table {
	schema, name, _ := strings.Cut(name, ".")
	t := &sdk.Table{TableRef: sdk.TableRef{Schema: schema, Name: name}, Kind: sdk.TableBase, RowEstimate: -1, ByteEstimate: 5}
	for _, c := range columns {
		t.Columns = append(t.Columns, sdk.Column{Name: c, Type: sdk.TypeInt64, NativeType: "integer"})
	}
	return t
}

func profile(values ...string) *Profile {
	return &Profile{At: time.Unix(1000, 0).UTC(), Stats: []sdk.ColumnStats{{Column: "id", Rows: 3, Complete: true, Values: values, Counts: make([]int64, len(values)), ValuesComplete: true}}}
}

func begin(t testing.TB, c *Catalog, fresh bool) *Writer {
	t.Helper()
	w, err := c.Begin(context.Background(), fresh)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func add(t testing.TB, w *Writer, tables ...*sdk.Table) {
	t.Helper()
	for _, table := range tables {
		if err := w.Table(table); err != nil {
			t.Fatal(err)
		}
	}
}

func commit(t testing.TB, w *Writer, sync string) Identity {
	t.Helper()
	id, err := w.Commit(context.Background(), Identity{SyncID: sync, ExtractedAt: time.Unix(2000, 0).UTC(), Mode: Structural})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// scanned makes a catalog with one snapshot.
func scanned(t testing.TB, tables ...*sdk.Table) *Catalog {
	t.Helper()
	c := Open(filepath.Join(t.TempDir(), "wh"), "wh")
	w := begin(t, c, false)
	add(t, w, tables...)
	commit(t, w, "s1")
	return c
}

func latest(t testing.TB, c *Catalog) *Snapshot {
	t.Helper()
	m, err := c.Latest()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func names(s *Snapshot) (all []string) {
	for _, e := range s.Entries() {
		all = append(all, e.String())
	}
	return all
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	c := Open(filepath.Join(t.TempDir(), "wh"), "wh")
	if _, err := c.Latest(); sdk.KindOf(err) != sdk.KindNotFound || sdk.AsError(err, "").Hint == "" {
		t.Errorf("before the first scan: %v", err)
	}
	if all, err := c.History(); err != nil || all != nil {
		t.Errorf("before the first scan the history is %v, %v", all, err)
	}
	orders := table("public.orders", "id", "customer_id")
	orders.Keys = []sdk.Key{{Kind: sdk.KeyForeign, Columns: []string{"customer_id"}, Ref: sdk.TableRef{Name: "customers"}, RefColumns: []string{"id"}}}
	orders.RowEstimate = 12
	w := begin(t, c, false)
	if w.Base() != nil {
		t.Error("the first snapshot has a base")
	}
	add(t, w, table("public.users", "id"), orders, table("a.b", "id"))
	if err := w.Profile(orders.TableRef, profile("1", "2")); err != nil {
		t.Fatal(err)
	}
	w.Attach([]byte("relationships"))
	id := commit(t, w, "s1")
	want := Counts{Tables: 3, Columns: 4, ForeignKeys: 1, Profiles: 1, ProfiledColumns: 1}
	if id.Counts != want || len(id.Content) != 64 {
		t.Errorf("identity %+v, want counts %+v", id, want)
	}

	m := latest(t, c)
	if diff := cmp.Diff([]string{"a.b", "public.orders", "public.users"}, names(m)); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
	got, err := m.At(1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*orders, got.Table); diff != "" {
		t.Errorf("orders (-want +got):\n%s", diff)
	}
	p, err := m.Profile(1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(profile("1", "2"), p); diff != "" {
		t.Errorf("its profile (-want +got):\n%s", diff)
	}
	if p, err := m.Profile(0); p != nil || err != nil {
		t.Errorf("a table without a profile has %v, %v", p, err)
	}
	if data, err := m.Attachment(); string(data) != "relationships" || err != nil {
		t.Errorf("the attachment is %q, %v", data, err)
	}
	if diff := cmp.Diff(id, m.Identity); diff != "" {
		t.Errorf("identity (-committed +read):\n%s", diff)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 300)
	deep := &sdk.Table{TableRef: sdk.TableRef{Catalog: "proj", Schema: "ds", Name: "events"}}
	c := scanned(t, table("public.orders", "id"), table("sales.orders", "id"), table("public.Users"), table("public.users"),
		table("public.order_items"), table("public.we\"ird"), table("public.a.b"), table("a.c"), table("x.UPPER"), table("public."+long),
		table("public.😀"), table("my.schema.t"), deep)
	m := latest(t, c)
	quote := []dialect.Quote{{Open: `"`, Close: `"`, Doubled: true}, {Open: "[", Close: "]", Doubled: true}}
	lower := &dialect.Dialect{Folding: dialect.FoldLower, Lexis: dialect.Lexis{Identifiers: quote}}
	upper := &dialect.Dialect{Folding: dialect.FoldUpper, Lexis: dialect.Lexis{Identifiers: quote}}
	any := &dialect.Dialect{Folding: dialect.FoldInsensitive, Lexis: dialect.Lexis{Identifiers: quote}}
	none := &dialect.Dialect{Folding: dialect.FoldNone, Lexis: dialect.Lexis{Identifiers: quote}}
	for _, tc := range []struct {
		name  string
		d     *dialect.Dialect
		asked string
		want  string // the table, or the candidates behind "?" or "!"
	}{
		{"whole", lower, "public.orders", "public.orders"},
		{"name alone in two schemas", lower, "orders", "?public.orders sales.orders"},
		{"name alone", lower, "order_items", "public.order_items"},
		{"folded", lower, "Public.ORDERS", "public.orders"},
		{"quoted is not folded", lower, `"Public"."ORDERS"`, "!public.orders sales.orders"},
		{"spelling goes before folding", lower, "public.Users", "public.Users"},
		{"folding alone", lower, "public.USERS", "public.users"},
		{"quoted", lower, `public."Users"`, "public.Users"},
		{"brackets", lower, `[public].[Users]`, "public.Users"},
		{"upper", upper, "x.upper", "x.UPPER"},
		{"upper does not find lower", upper, "PUBLIC.order_items", "!public.order_items"},
		{"without case", any, "PUBLIC.Order_Items", "public.order_items"},
		{"without case, quoted", any, `"PUBLIC"."Order_Items"`, "public.order_items"},
		{"with case", none, "public.Order_items", "!public.order_items"},
		{"nothing known of the engine", nil, "public.order_items", "public.order_items"},
		{"a quote in the name", lower, `public.we"ird`, `public.we"ird`},
		{"a quote in the name, quoted", lower, `public."we""ird"`, `public.we"ird`},
		{"a dot in the name", lower, "public.a.b", "public.a.b"},
		{"a dot in the name, quoted", lower, `"a.b"`, "public.a.b"},
		{"a dot in the schema", none, "my.schema.t", "my.schema.t"},
		{"300 letters", lower, long, "public." + long},
		{"emoji", none, "😀", "public.😀"},
		{"three parts", lower, "proj.ds.events", "proj.ds.events"},
		{"two of three parts", lower, "ds.events", "proj.ds.events"},
		{"one of three parts", lower, "events", "proj.ds.events"},
		{"another catalog", lower, "other.ds.events", "!proj.ds.events"},
		{"a typo", lower, "public.ordres_items", "!public.order_items"},
		{"a plural", lower, "order_item", "!public.order_items"},
		{"another schema", lower, "salse.order_items", "!public.order_items"},
		{"nothing like it", lower, "zzzzzzzz", "!"},
		{"empty", lower, "", "!"},
		{"dots", lower, "...", "!"},
		{"far too long", lower, strings.Repeat("a.", 8<<10), "!"},
		{"an open quote", lower, `"orders`, "!public.orders sales.orders"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			i, err := m.Find(tc.d, tc.asked)
			got := ""
			switch e := sdk.AsError(err, sdk.SourceHost); {
			case err == nil:
				got = m.Entry(i).String()
			case e.Kind == sdk.KindNotFound && e.Hint != "":
				got = "!" + strings.Join(e.Candidates, " ")
			case e.Code == CodeAmbiguous && e.Hint != "":
				got = "?" + strings.Join(e.Candidates, " ")
			default:
				t.Fatal(err)
			}
			if got != tc.want {
				t.Errorf("Find(%q) = %s, want %s", tc.asked, got, tc.want)
			}
		})
	}
	if i, err := m.Lookup(lower, sdk.TableRef{Schema: "SALES", Name: "orders"}); err != nil || m.Entry(i).String() != "sales.orders" {
		t.Errorf("by parts: %d, %v", i, err)
	}
	if _, err := m.Lookup(lower, sdk.TableRef{Name: "orders"}); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("by an ambiguous part: %v", err)
	}
}

func TestRescan(t *testing.T) {
	t.Parallel()
	c := Open(t.TempDir(), "wh")
	all := func() []*sdk.Table {
		var all []*sdk.Table
		for i := range 600 { // enough for a dictionary
			one := table(fmt.Sprintf("s.t%03d", i), "id", "name")
			one.Comment, one.Fingerprint = strings.Repeat("about this table ", 150), fmt.Sprint("f", i)
			all = append(all, one)
		}
		return all
	}
	w := begin(t, c, false)
	add(t, w, all()...)
	for _, one := range all() {
		if err := w.Profile(one.TableRef, profile(one.Name)); err != nil {
			t.Fatal(err)
		}
	}
	first := commit(t, w, "s1")
	before := latest(t, c)
	if len(before.pack.words) == 0 {
		t.Fatal("there is no dictionary: the test is too small")
	}

	t.Log("the same again, in another order, half of it as unchanged")
	again := all()
	slices.Reverse(again)
	for i, one := range again {
		if i%2 == 0 {
			again[i] = &sdk.Table{
				TableRef: one.TableRef, Kind: one.Kind, Fingerprint: one.Fingerprint, Unchanged: true,
				RowEstimate: one.RowEstimate, ByteEstimate: one.ByteEstimate,
			}
		}
	}
	w = begin(t, c, false)
	add(t, w, again...)
	if second := commit(t, w, "s2"); second.Content != first.Content || second.Counts != first.Counts {
		t.Errorf("an unchanged rescan is %+v after %+v", second, first)
	}

	t.Log("one changed, one gone, one new, one with other estimates")
	next := all()[1:]
	next[0].Comment = "new"
	next[1].Columns[0].NativeType = "bigint"
	next[2].RowEstimate = 99
	next = append(next, table("s.new", "id"))
	w = begin(t, c, false)
	add(t, w, next...)
	third := commit(t, w, "s3")
	m := latest(t, c)
	shared := 0
	for i, e := range m.Entries() {
		j, err := before.Lookup(nil, e.TableRef)
		if err == nil && before.pack.record(j).table().hash == m.pack.record(i).table().hash {
			shared++
		}
	}
	if shared != 597 || third.Counts.Tables != 600 || third.Counts.Profiles != 598 {
		t.Errorf("%d blocks are shared, counts %+v; want 597, 600 tables with 598 profiles", shared, third.Counts)
	}
	i, err := m.Lookup(nil, next[0].TableRef)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := m.Profile(i); err != nil || p == nil || p.Stats[0].Values[0] != next[0].Name {
		t.Errorf("a table whose comment changed lost its profile: %v, %v", p, err)
	}

	t.Log("what the older snapshot shows is as it was")
	if got, err := before.At(1); err != nil || got.Comment == "new" {
		t.Errorf("the older snapshot has %q, %v", got.Comment, err)
	}
	d, err := Compare(t.Context(), before, m)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Added) != 1 || len(d.Removed) != 1 || len(d.Changed) != 2 {
		t.Errorf("the difference is %d added, %d removed, %d changed; want 1, 1, 2", len(d.Added), len(d.Removed), len(d.Changed))
	}
}

func TestWriterRefuses(t *testing.T) {
	t.Parallel()
	c := scanned(t, table("s.a", "id"))
	w := begin(t, c, false)
	add(t, w, table("s.a", "id"))
	for name, one := range map[string]struct {
		err  error
		kind sdk.Kind
	}{
		"twice":               {w.Table(table("s.a", "id")), sdk.KindInternal},
		"unchanged, but new":  {w.Table(&sdk.Table{TableRef: sdk.TableRef{Name: "x"}, Unchanged: true}), sdk.KindInternal},
		"a profile of none":   {w.Profile(sdk.TableRef{Name: "x"}, profile()), sdk.KindInternal},
		"a name without end":  {w.Table(table("s." + strings.Repeat("n", maxName+1))), sdk.KindLimit},
		"a second scan":       {func() error { _, err := Open(c.dir, "wh").Begin(t.Context(), true); return err }(), sdk.KindConflict},
		"a snapshot not kept": {func() error { _, err := c.Snapshot("s0"); return err }(), sdk.KindNotFound},
	} {
		if e := sdk.AsError(one.err, sdk.SourceHost); e == nil || e.Kind != one.kind || e.Hint == "" {
			t.Errorf("%s: %v, want %s with a hint", name, one.err, one.kind)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
	entries, err := os.ReadDir(c.dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("a scan that was given up leaves %v, %v", entries, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	w = begin(t, c, false)
	cancel()
	if _, err := w.Commit(ctx, Identity{SyncID: "s2"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled commit: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if m := latest(t, c); m.SyncID != "s1" {
		t.Errorf("the snapshot is %s", m.SyncID)
	}
}

func TestTenAreKept(t *testing.T) {
	t.Parallel()
	c := Open(t.TempDir(), "wh")
	for i := range Kept + 3 {
		w := begin(t, c, false)
		add(t, w, table(fmt.Sprintf("s.t%d", i), "id"))
		commit(t, w, fmt.Sprint("s", i))
	}
	all, err := c.History()
	if err != nil || len(all) != Kept || all[0].SyncID != "s12" || all[Kept-1].SyncID != "s3" {
		t.Errorf("kept %v, %v", all, err)
	}
	for _, id := range all {
		m, err := c.Snapshot(id.SyncID)
		if err != nil || m.Len() != 1 || m.Entry(0).Name != "t"+id.SyncID[1:] {
			t.Errorf("snapshot %s: %v", id.SyncID, err)
		}
	}
	packs, err := filepath.Glob(filepath.Join(c.dir, "*.pack"))
	if err != nil || len(packs) != Kept {
		t.Errorf("%d files stay, %v; want %d", len(packs), err, Kept)
	}
}

// Two hosts on one folder: the second sees the first one's snapshot at once,
// and readers of the one before go on.
func TestTwoHosts(t *testing.T) {
	t.Parallel()
	one := scanned(t, table("s.a", "id"))
	other := Open(one.dir, "wh")
	before := latest(t, other)
	if latest(t, other) != before {
		t.Error("an unchanged snapshot is opened again")
	}
	for i := range 2 * Kept {
		w := begin(t, one, false)
		add(t, w, table("s.a", "id", fmt.Sprint("c", i)))
		id := commit(t, w, fmt.Sprint("n", i))
		if m := latest(t, other); m.SyncID != id.SyncID {
			t.Fatalf("the other host sees %s after %s", m.SyncID, id.SyncID)
		}
	}
	if got, err := before.At(0); err != nil || len(got.Columns) != 1 {
		t.Errorf("the snapshot from before the file went: %v, %v", got, err)
	}
}

// TestUnchangedHeadIsNotRead counts the bytes that Latest allocates. A connector's token for the
// next scan is in the head, and has a part for each table.
func TestUnchangedHeadIsNotRead(t *testing.T) {
	c := scanned(t, table("s.a", "id"))
	w := begin(t, c, false)
	add(t, w, table("s.a", "id"))
	if _, err := w.Commit(t.Context(), Identity{SyncID: "s2", ExtractedAt: time.Unix(2000, 0).UTC(), Mode: Structural, Since: strings.Repeat("x", 1<<20)}); err != nil {
		t.Fatal(err)
	}
	hour := time.Now().Add(-time.Hour)
	if err := os.Chtimes(c.headPath(), hour, hour); err != nil {
		t.Fatal(err)
	}
	before := latest(t, c)
	var start, end runtime.MemStats
	runtime.ReadMemStats(&start)
	for range 100 {
		if latest(t, c) != before {
			t.Fatal("an unchanged snapshot is opened again")
		}
	}
	runtime.ReadMemStats(&end)
	if each := (end.TotalAlloc - start.TotalAlloc) / 100; each > 100<<10 {
		t.Errorf("a call of Latest allocates %d bytes beside a head of 1 MB", each)
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	before := table("s.a", "id", "gone", "typed", "moved")
	before.Comment, before.Definition = "old", "same"
	before.Keys = []sdk.Key{{Kind: sdk.KeyPrimary, Columns: []string{"id"}}, {Kind: sdk.KeyUnique, Name: "u", Columns: []string{"gone"}}}
	after := table("s.a", "moved", "id", "typed", "new")
	after.Comment, after.Definition, after.Kind = "new", "same", sdk.TableView
	after.Columns[2].NativeType = "bigint"
	after.Keys = []sdk.Key{{Kind: sdk.KeyPrimary, Columns: []string{"id"}}, {Kind: sdk.KeyUnique, Name: "u", Columns: []string{"new"}}}
	c := scanned(t, before, table("s.same", "id"))
	from := latest(t, c)
	w := begin(t, c, false)
	same := table("s.same", "id")
	same.Fingerprint = "another"
	add(t, w, after, same)
	commit(t, w, "s2")
	d, err := Compare(t.Context(), from, latest(t, c))
	if err != nil {
		t.Fatal(err)
	}
	want := []TableChange{{
		TableRef: after.TableRef, Kind: &Change{"table", "view"}, Comment: &Change{"old", "new"}, Moved: true,
		Columns: []ColumnChange{
			{Name: "typed", Before: &before.Columns[2], After: &after.Columns[2]},
			{Name: "new", After: &after.Columns[3]},
			{Name: "gone", Before: &before.Columns[1]},
		},
		Keys: []KeyChange{{Before: &before.Keys[1], After: &after.Keys[1]}},
	}}
	if diff := cmp.Diff(want, d.Changed); diff != "" || d.Added != nil || d.Removed != nil {
		t.Errorf("added %v, removed %v, changed (-want +got):\n%s", d.Added, d.Removed, diff)
	}
}

// Whatever byte of a file is altered, and wherever it is cut, reading everything
// fails with ErrDamaged or is as it was; a fresh scan mends it.
func TestDamage(t *testing.T) {
	t.Parallel()
	one := table("s.a", "id", "name")
	c := Open(t.TempDir(), "wh")
	fresh := func() {
		w := begin(t, c, true)
		add(t, w, one, table("s.b", "id"))
		if err := w.Profile(one.TableRef, profile("v")); err != nil {
			t.Fatal(err)
		}
		w.Attach([]byte("part"))
		commit(t, w, "s1")
	}
	fresh()
	everything := func() (string, error) {
		m, err := Open(c.dir, "wh").Latest()
		if err != nil {
			return "", err
		}
		var all []any
		for i := range m.Len() {
			table, err := m.At(i)
			if err != nil {
				return "", err
			}
			profile, err := m.Profile(i)
			if err != nil {
				return "", err
			}
			shape, err := m.Shape(i)
			keys, wrong := m.ForeignKeys(i)
			if err = errors.Join(err, wrong); err != nil {
				return "", err
			}
			all = append(all, m.Entry(i), table, profile, shape, keys)
		}
		part, err := m.Attachment()
		raw, failed := json.Marshal(append(all, m.Identity, part))
		return string(raw), errors.Join(err, failed)
	}
	want, err := everything()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{c.packPath(latest(t, c).Content), c.headPath()} {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		check := func(what string, at int, content []byte) {
			t.Helper()
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := everything()
			// The compressor's own format has a few bits that mean nothing.
			if err == nil && got == want && what == "altered" {
				return
			}
			if !errors.Is(err, ErrDamaged) || sdk.AsError(err, "").Hint == "" {
				t.Errorf("%s, %s at %d of %d: %v", filepath.Base(path), what, at, len(whole), err)
			}
		}
		for at := range whole {
			altered := slices.Clone(whole)
			altered[at] ^= 0x20
			check("altered", at, altered)
			if at%5 == 0 {
				check("cut", at, whole[:at])
			}
		}
		check("longer", len(whole), append(slices.Clone(whole), 0))
		fresh()
		if got, err := everything(); err != nil || got != want {
			t.Errorf("after a fresh scan: %v", err)
		}
	}
	if err := os.Remove(c.packPath(latest(t, c).Content)); err != nil {
		t.Fatal(err)
	}
	if _, err := everything(); !errors.Is(err, ErrDamaged) {
		t.Errorf("a pack is gone: %v", err)
	}
}
