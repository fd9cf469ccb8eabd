package memory

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
)

// A decision names what was seen: the version of the change, and the file that it was compared with.
func TestDecisionsAreForWhatWasSeen(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.settings.Review = "strict"
	s := f.open(t, pageOf, nil)
	id := string(remember(t, s, "Fact one.", agent).Captured.Pending[0].ID)
	seen, err := s.Change(t.Context(), id)
	if err != nil || seen.Base == "" || seen.File == nil || seen.File.Before != nil {
		t.Fatalf("%+v, %v", seen, err)
	}
	decision := Decision{IDs: []string{id}, Versions: []int64{seen.Version}, Bases: []string{seen.Base}, Actor: reviewer}
	f.write(t, "wiki/global/notes.md", "# Notes\n\nMine.\n")
	out, err := s.Approve(t.Context(), decision)
	if err != nil || !out[0].Failed || out[0].Kind != sdk.KindConflict || out[0].State != "pending" || !strings.Contains(out[0].Problem, "was edited since") {
		t.Fatalf("the file is another: %+v, %v", out, err)
	}
	if seen, err = s.Change(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	decision.Bases = []string{seen.Base}
	if out, err = s.Approve(t.Context(), decision); err != nil || out[0].Failed || out[0].Was != "pending" || out[0].State != "applied" {
		t.Fatalf("seen again: %+v, %v", out, err)
	}
	again, err := s.Approve(t.Context(), decision) // of a second reviewer
	if err != nil || !again[0].Failed || again[0].Kind != sdk.KindConflict {
		t.Errorf("decided already: %+v, %v", again, err)
	}
	if now, err := s.Change(t.Context(), id); err != nil || now.Version != out[0].Version || now.DecidedBy != "ada (console, root)" || now.DecidedAt.IsZero() {
		t.Errorf("%+v, %v", now, err)
	}
	for _, wrong := range []Decision{{IDs: []string{id}, Versions: []int64{1, 2}}, {IDs: []string{id}, Bases: []string{"", ""}}} {
		wrong.Actor = reviewer
		if _, err := s.Reject(t.Context(), wrong); sdk.KindOf(err) != sdk.KindInvalid {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}

// Each decision can be taken back: an approval, a revert, and a rejection.
func TestDecisionsCanBeTakenBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.settings.Review = "strict"
	s := f.open(t, pageOf, nil)
	run := remember(t, s, "Fact one.", agent)
	id := string(run.Captured.Pending[0].ID)
	rejected, err := s.Reject(t.Context(), Decision{IDs: []string{id}, Actor: reviewer, Note: "not worth keeping"})
	if err != nil || rejected[0].State != "rejected" {
		t.Fatalf("%+v, %v", rejected, err)
	}
	if again := rememberAbout(t, s, Input{Content: "Fact one.", Source: "finance", Connection: "shop", Actor: codex}); len(again.Notes) == 0 || !strings.Contains(again.Notes[0], "rejected before by ada (console, root) (not worth keeping)") {
		t.Errorf("the reason is not in %q", again.Notes)
	}
	opened, err := s.Reopen(t.Context(), Decision{IDs: []string{id}, Versions: []int64{rejected[0].Version}, Actor: reviewer})
	if err != nil || opened[0].State != "pending" || opened[0].Failed {
		t.Fatalf("%+v, %v", opened, err)
	}
	done, err := s.Approve(t.Context(), Decision{IDs: []string{id}, Versions: []int64{opened[0].Version}, Actor: reviewer})
	if err != nil || done[0].State != "applied" {
		t.Fatalf("%+v, %v", done, err)
	}
	ids, versions, with := []string{id}, []int64{done[0].Version}, f.read(t, "wiki/global/notes.md")
	for i := range 4 { // taken back, and back, and back
		out, err := s.Revert(t.Context(), RevertRequest{IDs: ids, Versions: versions, Actor: reviewer})
		if err != nil || len(out.Changes) != 1 || out.Changes[0].Failed || out.Changes[0].Undo == "" {
			t.Fatalf("%d: %+v, %v", i, out, err)
		}
		if there := f.read(t, "wiki/global/notes.md") == with; there != (i%2 == 1) {
			t.Errorf("%d: the page is %q", i, f.read(t, "wiki/global/notes.md"))
		}
		ids, versions = []string{string(out.Changes[0].Undo)}, []int64{out.Changes[0].UndoVersion}
	}
	out, err := s.Revert(t.Context(), RevertRequest{IDs: ids, Versions: []int64{versions[0] - 1}, Actor: reviewer})
	if err != nil || !out.Changes[0].Failed || out.Changes[0].Kind != sdk.KindConflict {
		t.Errorf("another version: %+v, %v", out, err)
	}
}

// An outlook lists what a revert would do, to people who may decide nothing, too.
func TestOutlook(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.settings = project.Memory{ApproveFrom: []string{}}
	s := f.open(t, pageOf, nil)
	for _, text := range []string{"Fact one.", "Fact two.", "Fact three."} {
		remember(t, s, text, agent)
	}
	before := f.read(t, "wiki/global/notes.md")
	f.write(t, "wiki/global/notes.md", strings.Replace(before, "Fact three.", "Fact three, as a person has it.", 1))
	out, total, err := s.Outlook(t.Context(), RevertRequest{By: "claude-code", Actor: reviewer}, 2)
	if err != nil || total != 3 || len(out.Changes) != 2 || len(out.Changes[0].Kept) != 1 || len(out.Changes[1].Kept) != 0 || out.Changes[0].Says != "Fact three." {
		t.Fatalf("%+v, %d, %v", out, total, err)
	}
	if _, _, err := s.Outlook(t.Context(), RevertRequest{}, 2); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("nothing is chosen: %v", err)
	}
	if _, err := s.Revert(t.Context(), RevertRequest{By: "claude-code", Actor: reviewer, DryRun: true}); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("nobody may decide: %v", err)
	}
}

func TestListOfTheInbox(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.settings.Review = "strict"
	s := f.open(t, pageOf, nil)
	var ids []string
	for _, text := range []string{"Fact one.", "Fact two: 100%.", "Fact three."} {
		ids = append(ids, string(remember(t, s, text, agent).Captured.Pending[0].ID))
	}
	answer, err := s.Changes(t.Context(), ChangesRequest{Open: true, Text: "0%"})
	if err != nil || len(answer.Changes) != 1 || answer.Total != -1 || string(answer.Changes[0].ID) != ids[1] || answer.Changes[0].Version != 1 {
		t.Errorf("%+v, %v", answer, err)
	}
	if answer, err = s.Changes(t.Context(), ChangesRequest{Disputed: true}); err != nil || answer.Total != 0 {
		t.Errorf("%+v, %v", answer, err)
	}
	detail, err := s.Change(t.Context(), ids[1])
	if err != nil {
		t.Fatal(err)
	}
	before, after, err := s.Around(t.Context(), ChangesRequest{Open: true}, detail.ID)
	if err != nil || before == nil || after == nil || string(before.ID) != ids[2] || string(after.ID) != ids[0] {
		t.Errorf("%v, %v, %v", before, after, err)
	}
	if _, _, err := s.Around(t.Context(), ChangesRequest{State: "odd"}, detail.ID); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("%v", err)
	}
	events, err := s.LogOf(t.Context(), detail.ID, 10)
	if err != nil || len(events) != 0 {
		t.Errorf("%+v, %v", events, err)
	}
}

// The impact of a measure is the measures that are computed from it, and what would break without it.
func TestImpact(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, measure, nil)
	id := string(remember(t, s, "paid = {agg: sum, expr: amount, filter: \"status = 'paid'\"}", script).Captured.SL[0])
	if id != "orders.paid" {
		t.Fatal(id)
	}
	f.write(t, "semantic-layer/shop/metrics.yaml", "metrics:\n  - {name: double, type: derived, expr: orders.paid * 2}\n  - {name: fourfold, type: derived, expr: double * 2}\n")
	f.write(t, "wiki/global/paid.md", "---\nsl_refs: [orders.paid]\n---\n# Paid\n")
	list, err := s.Changes(t.Context(), ChangesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	draft := string(list.Changes[0].ID)
	waiting := string(remember(t, s, "paid = {agg: max, expr: amount}", codex).Captured.Pending[0].ID)
	impact := func(id string) *Impact {
		t.Helper()
		d, err := s.Change(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Impact(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	got := impact(draft)
	var names []string
	for _, r := range got.References {
		names = append(names, r.Kind+" "+r.Name)
	}
	if text := strings.Join(names, ", "); !strings.HasPrefix(text, "page paid, metric double, metric fourfold, measure orders.yaml: ") || string(got.References[3].Change) != waiting {
		t.Errorf("%s", text)
	}
	if got.When != "reverted" || len(got.Faults) == 0 || !strings.Contains(strings.Join(got.Faults, "\n"), "double") {
		t.Errorf("%+v", got)
	}
	if got = impact(waiting); len(got.References) < 3 {
		t.Errorf("%+v", got)
	}
	state, err := s.layerOf(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]string{
		"orders.amount": "metric double, metric fourfold, measure orders.paid, measure orders.revenue", "orders.status": "metric double, metric fourfold, measure orders.paid",
		"orders.email": "", "orders.nothing": "", "nowhere.x": "", "fourfold": "", "double": "metric fourfold",
	} {
		var names []string
		for _, r := range dependents(state.Model, target) {
			names = append(names, r.Kind+" "+r.Name)
		}
		slices.Sort(names)
		wanted := strings.Split(want, ", ")
		slices.Sort(wanted)
		if got := strings.Join(names, ", "); got != strings.Join(wanted, ", ") {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
}

// A change names the saved queries that a decision reaches: those whose text names the target, and those whose statement
// reads the columns that it is made of. What names a target that goes is a fault.
func TestImpactOnSavedQueries(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, measure, nil)
	remember(t, s, "paid = {agg: sum, expr: amount, filter: \"status = 'paid'\"}", script)
	remember(t, s, "count_of_all = {agg: count}", script)
	orders := sdk.TableRef{Schema: "main", Name: "orders"}
	s.Queries = func(_ context.Context, id connection.ID) ([]SavedQuery, error) {
		if id != "shop" {
			t.Errorf("the queries of %s", id)
		}
		return []SavedQuery{
			{Name: "described", Path: "queries/shop/described.sql", Says: "Top customers\nby Orders.Paid."},
			{Name: "other", Path: "queries/shop/other.sql", Says: "of orders.paid_amount and my.orders.paid"},
			{Name: "sums", Path: "queries/shop/sums.sql", Reads: []catalog.TableRead{{Table: orders, Columns: []string{"day", "AMOUNT"}}}},
			{Name: "days", Path: "queries/shop/days.sql", Reads: []catalog.TableRead{{Table: orders, Columns: []string{"day"}}}},
			{Name: "all", Path: "queries/shop/all.sql", Reads: []catalog.TableRead{{Table: orders, Any: true}}},
			{Name: "elsewhere", Path: "queries/shop/elsewhere.sql", Reads: []catalog.TableRead{{Table: sdk.TableRef{Schema: "b", Name: "customers"}, Any: true}}},
		}, nil
	}
	list, err := s.Changes(t.Context(), ChangesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		queries string
		apart   int
		fault   bool
	}{
		{"sums: its statement reads orders, days: its statement reads orders, all: its statement reads orders", 3, false}, // a count of rows
		{"described: its text names it, sums: its statement reads orders.amount, all: its statement reads orders.amount", 2, true},
	} {
		d, err := s.Change(t.Context(), string(list.Changes[i].ID))
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Impact(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, r := range got.References {
			if r.Kind == "query" {
				all = append(all, r.Name+": "+r.How)
			}
		}
		if text := strings.Join(all, ", "); text != want.queries || got.Apart != want.apart {
			t.Errorf("%s: %d apart, %s", d.Target, got.Apart, text)
		}
		if text := strings.Join(got.Faults, "\n"); strings.Contains(text, "queries/shop/described.sql names orders.paid, which is not there any more") != want.fault {
			t.Errorf("%s: %s", d.Target, text)
		}
	}
}

// What cannot be read is named: the other references are still there, and the end of the request is an error.
func TestImpactWithoutWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, measure, nil)
	remember(t, s, "paid = {agg: sum, expr: amount, filter: \"status = 'paid'\"}", script)
	list, err := s.Changes(t.Context(), ChangesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.Change(t.Context(), string(list.Changes[0].ID))
	if err != nil {
		t.Fatal(err)
	}
	s.Queries = func(context.Context, connection.ID) ([]SavedQuery, error) {
		return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the folder queries: permission denied")
	}
	got, err := s.Impact(t.Context(), d)
	if err != nil || len(got.Unread) != 1 || got.Unread[0] != "the saved queries could not be read: the folder queries: permission denied" || got.When != "reverted" {
		t.Errorf("%+v, %v", got, err)
	}
	ctx, end := context.WithCancel(t.Context())
	s.Queries = func(ctx context.Context, _ connection.ID) ([]SavedQuery, error) {
		end()
		return nil, ctx.Err()
	}
	if got, err := s.Impact(ctx, d); err == nil {
		t.Errorf("of a request that ended: %+v", got)
	}
}
