package foreignkey

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

func ref(name string) sdk.TableRef { return sdk.TableRef{Schema: "s", Name: name} }

func link(from, column, to string) relationship.Link {
	return relationship.Link{From: ref(from), Columns: []string{column}, To: ref(to), ToColumns: []string{"id"}}
}

func orders() *sdk.Table {
	return &sdk.Table{
		TableRef: ref("orders"), RowEstimate: -1, ByteEstimate: -1,
		Columns: []sdk.Column{{Name: "id"}, {Name: "customer_id"}, {Name: "shop_id"}, {Name: "agent_id"}},
		Keys: []sdk.Key{
			{Kind: sdk.KeyPrimary, Columns: []string{"id"}},
			{Kind: sdk.KeyForeign, Name: "fk", Columns: []string{"customer_id"}, Ref: sdk.TableRef{Name: "customers"}},
		},
	}
}

// scan commits a snapshot of orders with what was inferred.
func scan(t *testing.T, c *catalog.Catalog, found ...relationship.Relationship) *catalog.Snapshot {
	t.Helper()
	w, err := c.Begin(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Table(orders()); err != nil {
		t.Fatal(err)
	}
	data, err := (&relationship.Result{Relationships: found}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	w.Attach(data)
	if _, err := w.Commit(t.Context(), catalog.Identity{SyncID: time.Now().String()}); err != nil {
		t.Fatal(err)
	}
	snapshot, err := c.Latest()
	if err != nil {
		t.Fatal(err)
	}
	return snapshot
}

func keys(t *testing.T, s *Set, snapshot *catalog.Snapshot) *Keys {
	t.Helper()
	k, err := s.Of("wh", snapshot)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func links(k *Keys) (all []string) {
	accepted, _ := k.Of(ref("orders"), orders().Keys)
	for _, r := range accepted {
		all = append(all, string(r.Origin)+" "+r.String())
	}
	return all
}

// What was declared, inferred and decided is put together; what is decided or
// scanned later is there on the next call, and what did not change is the same.
func TestKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	decisions := filepath.Join(dir, "wh.json")
	s := NewSet(func(connection.ID) string { return decisions })
	c := catalog.Open(filepath.Join(dir, "catalog"), "wh")
	inferred := relationship.Relationship{Link: link("orders", "shop_id", "shops"), Origin: relationship.Inferred, Status: relationship.Accepted, Score: .9}
	suspected := relationship.Relationship{Link: link("orders", "agent_id", "agents"), Origin: relationship.Inferred, Status: relationship.Review, Score: .5}
	snapshot := scan(t, c, inferred, suspected)

	const declared = "declared s.orders(customer_id) → s.customers()"
	before := keys(t, s, snapshot)
	if diff := cmp.Diff([]string{declared, "inferred s.orders(shop_id) → s.shops(id)"}, links(before)); diff != "" {
		t.Errorf("without decisions (-want +got):\n%s", diff)
	}
	if keys(t, s, snapshot) != before {
		t.Error("nothing changed, but the keys did")
	}

	if _, undecided := before.Of(ref("orders"), nil); len(undecided) != 1 || undecided[0].String() != suspected.String() {
		t.Errorf("undecided: %v", undecided)
	}

	decide := func(all ...relationship.Decision) {
		t.Helper()
		if err := relationship.PutDecisions(decisions, all); err != nil {
			t.Fatal(err)
		}
	}
	decide(relationship.Decision{Link: suspected.Link, Status: relationship.Accepted}, relationship.Decision{Link: inferred.Link, Status: relationship.Rejected})
	after := keys(t, s, snapshot)
	if scanned := keys(t, s, scan(t, c)); keys(t, s, snapshot) != after || keys(t, s, scan(t, c)) != scanned {
		t.Error("the keys of two snapshots take each other's place")
	}
	if diff := cmp.Diff([]string{declared, "person s.orders(agent_id) → s.agents(id)"}, links(after)); diff != "" {
		t.Errorf("with decisions (-want +got):\n%s", diff)
	}
	if keys(t, s, snapshot) != after {
		t.Error("the decisions are the same, but the keys are not")
	}

	if diff := cmp.Diff([]string{declared, "person s.orders(agent_id) → s.agents(id)"}, links(keys(t, s, scan(t, c)))); diff != "" {
		t.Errorf("after a scan (-want +got):\n%s", diff)
	}

	if err := os.WriteFile(decisions, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Of("wh", snapshot); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("a broken file: %v", err)
	}
	if err := os.Remove(decisions); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(links(before), links(keys(t, s, scan(t, c, inferred)))); diff != "" {
		t.Errorf("after the decisions were removed (-want +got):\n%s", diff)
	}
}

func TestFit(t *testing.T) {
	t.Parallel()
	from := shapeOf(orders())
	to := &Shape{Columns: []string{"id", "code"}, PrimaryKey: []string{"id"}}
	for _, tc := range []struct {
		name               string
		columns, toColumns []string
		from, to           *Shape
		want               []string
	}{
		{"as it is", []string{"shop_id"}, []string{"code"}, from, to, []string{"code"}},
		{"the primary key is meant", []string{"shop_id"}, nil, from, to, []string{"id"}},
		{"no such column", []string{"none"}, []string{"id"}, from, to, nil},
		{"no such column there", []string{"shop_id"}, []string{"none"}, from, to, nil},
		{"no such table", []string{"shop_id"}, []string{"id"}, from, nil, nil},
		{"no primary key", []string{"shop_id"}, nil, from, &Shape{Columns: []string{"id"}}, nil},
		{"another number of columns", []string{"shop_id", "agent_id"}, nil, from, to, nil},
		{"no columns", nil, nil, from, &Shape{}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, ok := Fit(relationship.Link{Columns: tc.columns, ToColumns: tc.toColumns}, tc.from, tc.to)
			if ok != (tc.want != nil) {
				t.Fatalf("fits: %t", ok)
			}
			if diff := cmp.Diff(tc.want, got.ToColumns); ok && diff != "" {
				t.Errorf("columns of the target (-want +got):\n%s", diff)
			}
		})
	}
}

// What is undeclared does not list a decision about a key that is declared, nor reads tables without a decision.
func TestUndeclared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	decisions := filepath.Join(dir, "wh.json")
	if err := relationship.PutDecisions(decisions, relationship.Decisions{
		{Link: link("orders", "agent_id", "agents"), Status: relationship.Rejected},
		{Link: link("gone", "x", "agents"), Status: relationship.Accepted},
	}); err != nil {
		t.Fatal(err)
	}
	s := NewSet(func(connection.ID) string { return decisions })
	snapshot := scan(t, catalog.Open(filepath.Join(dir, "catalog"), "wh"),
		relationship.Relationship{Link: link("orders", "shop_id", "shops"), Origin: relationship.Inferred, Status: relationship.Review, Score: .5},
		relationship.Relationship{Link: link("orders", "agent_id", "agents"), Origin: relationship.Inferred, Status: relationship.Review, Score: .9})
	found, err := keys(t, s, snapshot).Undeclared()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range found {
		got = append(got, string(r.Origin)+" "+string(r.Status)+" "+r.String())
	}
	want := []string{"person accepted s.gone(x) → s.agents(id)", "person rejected s.orders(agent_id) → s.agents(id)", "inferred review s.orders(shop_id) → s.shops(id)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCardinality(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := catalog.Open(filepath.Join(dir, "catalog"), "wh")
	w, err := c.Begin(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Table(orders()); err != nil {
		t.Fatal(err)
	}
	counted := func(column string, distinct int64) sdk.ColumnStats {
		return sdk.ColumnStats{Column: column, Rows: 10, Complete: true, Distinct: distinct, MinLength: -1, MaxLength: -1}
	}
	if err := w.Profile(ref("orders"), &catalog.Profile{Stats: []sdk.ColumnStats{counted("shop_id", 10), counted("agent_id", 3)}}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(t.Context(), catalog.Identity{SyncID: "s"}); err != nil {
		t.Fatal(err)
	}
	snapshot, err := c.Latest()
	if err != nil {
		t.Fatal(err)
	}
	k := keys(t, NewSet(func(connection.ID) string { return filepath.Join(dir, "wh.json") }), snapshot)
	for _, tt := range []struct {
		from, to, column, toColumn string
		origin                     relationship.Origin
		want                       Cardinality
	}{
		{"orders", "none", "customer_id", "id", relationship.Inferred, ManyToOne},
		{"orders", "none", "id", "id", relationship.Inferred, OneToOne},
		{"orders", "none", "shop_id", "id", relationship.Inferred, OneToOne},
		{"orders", "orders", "id", "agent_id", relationship.Inferred, OneToMany},
		{"orders", "orders", "agent_id", "agent_id", relationship.Inferred, ManyToMany},
		{"orders", "orders", "agent_id", "agent_id", relationship.Declared, ManyToOne},
	} {
		l := relationship.Link{From: ref(tt.from), Columns: []string{tt.column}, To: ref(tt.to), ToColumns: []string{tt.toColumn}}
		if got, err := k.Cardinality(relationship.Relationship{Link: l, Origin: tt.origin}); got != tt.want || err != nil {
			t.Errorf("%s %s: %s, %v; want %s", tt.origin, l, got, err, tt.want)
		}
	}
}
