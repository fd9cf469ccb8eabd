package review

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

func ref(name string) sdk.TableRef { return sdk.TableRef{Schema: "s", Name: name} }

func inferred(from, column, to string, status relationship.Status, score float64) relationship.Relationship {
	return relationship.Relationship{
		Link:   relationship.Link{From: ref(from), Columns: []string{column}, To: ref(to), ToColumns: []string{"id"}},
		Origin: relationship.Inferred, Status: status, Score: score,
		Evidence: relationship.Evidence{Name: score, Key: 1, Containment: 1, Checked: 10},
	}
}

// fixture is a service on a project of one connection.
type fixture struct {
	*Service
	scope Scope
}

func newFixture(t testing.TB, tables []string, found ...relationship.Relationship) *fixture {
	t.Helper()
	dir := t.TempDir()
	c := catalog.Open(filepath.Join(dir, "catalog"), "wh")
	w, err := c.Begin(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range tables {
		err := w.Table(&sdk.Table{TableRef: ref(name), RowEstimate: -1, ByteEstimate: -1, Columns: []sdk.Column{
			{Name: "id", NativeType: "int"}, {Name: "customer_id", NativeType: "int"},
		}, Keys: []sdk.Key{{Kind: sdk.KeyPrimary, Columns: []string{"id"}}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	data, err := (&relationship.Result{Relationships: found}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	w.Attach(data)
	if _, err := w.Commit(t.Context(), catalog.Identity{SyncID: "s1"}); err != nil {
		t.Fatal(err)
	}
	snapshot, err := c.Latest()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := New(Config{
		Keys: foreignkey.NewSet(func(connection.ID) string { return filepath.Join(dir, "relationships", "wh.json") }),
		Lock: func(context.Context) (func() error, error) { return func() error { return nil }, nil },
		Now:  func() time.Time { now = now.Add(time.Minute); return now },
	})
	return &fixture{s, Scope{Connection: "wh", Snapshot: snapshot}}
}

func (f *fixture) overview(t testing.TB) *Overview {
	t.Helper()
	o, err := f.Overview(t.Context(), f.scope)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func (f *fixture) choose(t *testing.T, choices ...Choice) []Outcome {
	t.Helper()
	out, err := f.Choose(t.Context(), f.scope, choices)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func groups(o *Overview) (all []string) {
	for i := range o.Groups {
		g := &o.Groups[i]
		all = append(all, fmt.Sprintf("%s %d %s", g.State, len(g.Links), g.Links[0].Text()))
	}
	return all
}

func accept(g *Group) Choice {
	return Choice{ID: g.Links[0].ID, Version: g.Version(), Verdict: Verdict{Status: relationship.Accepted, Note: "seen"}}
}

func copiesOf(n int) (tables []string, found []relationship.Relationship) {
	tables = []string{"customers"}
	for i := range n {
		name := fmt.Sprintf("orders_%d", i+8) // 10 is newer than 9
		tables = append(tables, name)
		found = append(found, inferred(name, "customer_id", "customers", relationship.Review, .7))
	}
	return tables, found
}

// Undecided links come first, parents of one column together; copies are one group, the newest first.
func TestOverview(t *testing.T) {
	t.Parallel()
	tables, found := copiesOf(3)
	found = append(found,
		inferred("customers", "customer_id", "orders_8", relationship.Review, .5),
		inferred("customers", "customer_id", "customers", relationship.Review, .9),
		inferred("customers", "id", "orders_9", relationship.Accepted, .95))
	f := newFixture(t, tables, found...)
	o := f.overview(t)
	if diff := cmp.Diff([]string{
		"undecided 1 s.customers(customer_id) → s.customers(id)",
		"undecided 1 s.customers(customer_id) → s.orders_8(id)",
		"undecided 3 s.orders_10(customer_id) → s.customers(id)",
		"inferred 1 s.customers(id) → s.orders_9(id)",
	}, groups(o)); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if f.overview(t) != o {
		t.Error("nothing changed, but the overview did")
	}
	if rivals := o.Rivals(&o.Groups[0].Links[0]); len(rivals) != 1 || rivals[0].To.Name != "orders_8" {
		t.Errorf("rivals: %v", rivals)
	}
	if from, to := o.Of(ref("customers")); len(from) != 3 || len(to) != 3 {
		t.Errorf("%d links from and %d to the table", len(from), len(to))
	}
}

// A group is decided with all of its links; what was seen before is refused after, and Before undoes it.
func TestChooseGroup(t *testing.T) {
	t.Parallel()
	tables, found := copiesOf(3)
	f := newFixture(t, tables, found...)
	seen := accept(&f.overview(t).Groups[0])
	out := f.choose(t, seen)
	if out[0].Err != nil || len(out[0].Links) != 3 || out[0].Links[0].State() != Accepted || out[0].Links[2].Decision.Note != "seen" {
		t.Fatalf("accepted: %+v", out[0])
	}
	if diff := cmp.Diff([]string{"accepted 3 s.orders_10(customer_id) → s.customers(id)"}, groups(f.overview(t))); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if again := f.choose(t, seen); sdk.KindOf(again[0].Err) != sdk.KindConflict || again[0].Links != nil {
		t.Errorf("decided on what was seen before: %+v", again[0])
	}
	var back []Choice
	for i, l := range out[0].Links {
		if out[0].Before[i] != nil {
			t.Errorf("%s was decided before", l.Text())
		}
		back = append(back, Choice{ID: l.ID, Version: l.Version()})
	}
	for _, o := range f.choose(t, back...) {
		if o.Err != nil || o.Links[0].State() != Undecided {
			t.Errorf("taken back: %+v", o)
		}
	}
	if now := accept(&f.overview(t).Groups[0]); now.Version != seen.Version {
		t.Error("what was taken back is not as it was")
	}
}

// A decision names who took it, and the log of reviews has an event of each choice. Back undoes it, a group as one choice.
func TestWhoDecided(t *testing.T) {
	t.Parallel()
	tables, found := copiesOf(300)
	found = append(found, inferred("customers", "customer_id", "customers", relationship.Review, .9))
	f := newFixture(t, tables, found...)
	var events []Event
	f.config.Record = func(_ context.Context, all []Event) { events = append(events, all...) }
	ada := change.Actor{Channel: change.Console, User: "root", Label: "ada"}
	g := f.overview(t).Groups
	of := []Choice{accept(&g[0]), accept(&g[1])}
	of[0].By, of[1].By, of[1].Status = ada, ada, relationship.Rejected
	out := f.choose(t, append(of, Choice{ID: "none"})...)
	if d := out[1].Links[7].Decision; d == nil || d.By != "ada (console, root)" {
		t.Errorf("%+v", d)
	}
	want := []Event{
		{ada, VerbAccepted, "wh: s.customers(customer_id) → s.customers(id); seen"},
		{ada, VerbRejected, "wh: s.orders_307(customer_id) → s.customers(id), and 299 like it; seen"},
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if len(out[0].Back) != 1 || len(out[1].Back) != 1 || out[2].Back != nil {
		t.Fatalf("back: %+v", out)
	}
	forget := Choice{ID: out[1].Links[0].ID, Version: out[1].Back[0].Version}
	forgotten := f.choose(t, forget)
	if forgotten[0].Err != nil || len(forgotten[0].Links) != 300 || len(forgotten[0].Back) != 1 || forgotten[0].Back[0].Status != relationship.Rejected || forgotten[0].Back[0].Note != "seen" {
		t.Fatalf("%+v", forgotten[0].Back)
	}
	if again := f.choose(t, forgotten[0].Back...); again[0].Err != nil || len(again[0].Links) != 300 || again[0].Links[9].State() != Rejected {
		t.Errorf("%+v", again[0].Err)
	}
	if n := len(events); n != 4 || events[2].Verb != VerbForgotten {
		t.Errorf("%d events, %+v", n, events[2:])
	}
	// Those of a group with others are named, and taken back as they were seen.
	group := func() *Group { o := f.overview(t); return &o.Groups[len(o.Groups)-1] }
	part := Choice{Version: version(group().Links[:7]...)}
	for _, l := range group().Links[1:7] {
		part.More = append(part.More, l.ID)
	}
	part.ID = group().Links[0].ID
	done := f.choose(t, part)
	if done[0].Err != nil || len(done[0].Links) != 7 || len(done[0].Back) != 1 || len(group().Links) != 293 {
		t.Fatalf("%v, %+v", done[0].Err, done[0].Back)
	}
	back := done[0].Back[0]
	if again := f.choose(t, back); again[0].Err != nil || len(again[0].Links) != 7 || again[0].Links[6].State() != Rejected {
		t.Errorf("%v", again[0].Err)
	}
	if stale := f.choose(t, back); sdk.KindOf(stale[0].Err) != sdk.KindConflict {
		t.Errorf("seen before: %v", stale[0].Err)
	}
}

// Each choice is decided alone.
func TestChooseEach(t *testing.T) {
	t.Parallel()
	tables, _ := copiesOf(1)
	f := newFixture(t, tables,
		inferred("customers", "customer_id", "orders_8", relationship.Review, .5),
		inferred("customers", "customer_id", "customers", relationship.Review, .9),
		inferred("orders_8", "customer_id", "customers", relationship.Review, .4))
	g := f.overview(t).Groups
	reject := accept(&g[2])
	reject.Status = relationship.Rejected
	out := f.choose(t, accept(&g[0]), accept(&g[1]), reject, reject, Choice{ID: "none"}, Choice{ID: g[0].Links[0].ID, Version: "other"})
	var kinds []sdk.Kind
	for _, o := range out {
		kinds = append(kinds, sdk.KindOf(o.Err))
	}
	if diff := cmp.Diff([]sdk.Kind{sdk.KindConflict, sdk.KindConflict, sdk.KindOf(nil), sdk.KindInvalid, sdk.KindNotFound, sdk.KindConflict}, kinds); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
	if o := f.overview(t); len(o.Groups) != 3 || o.Groups[2].State != Rejected {
		t.Errorf("groups: %v", groups(o))
	}
	if out := f.choose(t, Choice{ID: g[0].Links[0].ID, Version: g[0].Version()}); sdk.KindOf(out[0].Err) != sdk.KindNotFound {
		t.Errorf("forgot a decision that nobody made: %v", out[0].Err)
	}
}

func BenchmarkOverview(b *testing.B) {
	for _, n := range []int{5_000, 50_000} {
		var found []relationship.Relationship
		for i := range n {
			found = append(found, inferred(fmt.Sprintf("orders_of_shop_%c%c", 'a'+i%26, 'a'+i/26%26), fmt.Sprintf("customer_%d_id", i), "customers", relationship.Review, .7))
		}
		f := newFixture(b, []string{"customers"}, found...)
		b.Run(fmt.Sprintf("links=%d/made", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f.overviews = overviews{}
				f.overview(b)
			}
		})
		b.Run(fmt.Sprintf("links=%d/kept", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f.overview(b)
			}
		})
	}
}
