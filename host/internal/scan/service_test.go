package scan

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

func TestFirstScan(t *testing.T) {
	t.Parallel()
	f := newFake(t, shop()...)
	f.warnings = []sdk.Warning{{Object: "secret", Code: "42501", Message: "the account may not use this schema"}}
	var seen []string
	r := f.run(t, Request{Progress: phases(&seen)})
	if diff := cmp.Diff([]string{phaseConnect, phaseTables, phaseProfiles, phaseRelationships, phaseCommit, "index"}, seen); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
	want := catalog.Identity{
		SyncID: r.SyncID, ScanRunID: r.ScanRunID, ExtractedAt: f.now, Mode: catalog.Enriched, Source: f.connection.Source(), Content: r.Content,
		Counts:   catalog.Counts{Tables: 3, Columns: 7, Profiles: 2, ProfiledColumns: 6},
		Coverage: catalog.Coverage{SampledRows: 50, ValuesPerColumn: 1000, ProfiledAt: f.now, Warnings: f.warnings}, Rules: f.latest(t).Rules,
	}
	if diff := cmp.Diff(want, f.latest(t).Identity); diff != "" {
		t.Errorf("identity (-want +got):\n%s", diff)
	}
	if r.Profiled != 2 || r.Kept != 0 || r.LeftOut != 0 || r.Before != nil || r.Queries != 1 || f.refreshed.Load() != 1 {
		t.Errorf("%+v", r)
	}
	links := r.Relationships.Relationships
	if len(links) != 1 || links[0].String() != "s.orders(customer_id) → s.customers(id)" || links[0].Status != relationship.Accepted {
		t.Errorf("relationships: %+v", links)
	}
	kept, err := f.latest(t).Attachment()
	if err != nil {
		t.Fatal(err)
	}
	if found, err := relationship.Decode(kept); err != nil || len(found.Relationships) != 1 {
		t.Errorf("the snapshot has the relationships %s, %v", kept, err)
	}
	f.wantSettled(t)

	p := f.profile(t, "customers")
	if diff := cmp.Diff([]catalog.Withheld{{Column: "email", Reason: "it is called like an e-mail address"}}, p.Withheld); diff != "" {
		t.Errorf("withheld (-want +got):\n%s", diff)
	}
	if s := p.Stats[2]; s.Values != nil || s.Min != nil || s.Sketch != nil || s.Distinct != 2 || s.MaxLength != 3 {
		t.Errorf("of an e-mail address there is %+v", s)
	}
	if s := p.Stats[1]; strings.Join(s.Values, " ") != "one two" || !s.ValuesComplete {
		t.Errorf("of a name there is %+v", s)
	}
	if s := p.Stats[0]; len(s.Values) != 20 || s.ValuesComplete || *s.Max != "50" || len(s.Quantiles) != 5 || len(s.Sketch) == 0 {
		t.Errorf("of a number there is %+v", s)
	}
	if f.profile(t, "order_view") != nil {
		t.Error("a view was profiled")
	}
	if req := f.profiles[0]; req.MaxValues != 1000 || req.TopValues != evidence || req.SketchSize != 64 || req.SampleRows != sampleRows || req.Limits.Timeout == 0 {
		t.Errorf("a profile was asked for with %+v", req)
	}
}

// Nothing has changed: nothing is asked of the warehouse but its catalogue.
func TestUnchangedRescan(t *testing.T) {
	t.Parallel()
	f := newFake(t, shop()...)
	first := f.run(t, Request{})
	f.now = f.now.Add(time.Hour)
	second := f.run(t, Request{})
	if len(f.profiles) != 0 || len(f.queries) != 0 || second.Profiled != 0 || second.Kept != 2 || second.Queries != 0 {
		t.Errorf("%d profiles, %d queries: %+v", len(f.profiles), len(f.queries), second)
	}
	if second.Before == nil || second.Before.SyncID != first.SyncID || second.SyncID <= first.SyncID || second.Added+second.Removed+second.Changed != 0 {
		t.Errorf("%s after %+v, %d added, %d removed, %d changed", second.SyncID, second.Before, second.Added, second.Removed, second.Changed)
	}
	if at := second.Coverage.ProfiledAt; !at.Equal(first.ExtractedAt) || second.Coverage.SampledRows != 50 {
		t.Errorf("coverage: %+v", second.Coverage)
	}
	if len(second.Relationships.Relationships) != 1 {
		t.Errorf("relationships: %+v", second.Relationships)
	}
}

// What changed is profiled and validated again, and counted.
func TestRescanAfterChanges(t *testing.T) {
	t.Parallel()
	f := newFake(t, shop()...)
	f.run(t, Request{})
	f.tables[1].Columns = append(f.tables[1].Columns, sdk.Column{Name: "note", Type: sdk.TypeText, NativeType: "text"})
	f.tables[2] = table("payments", "id", "order_id")
	r := f.run(t, Request{})
	if diff := cmp.Diff([]string{"orders", "payments"}, slices.Sorted(slices.Values(f.asked()))); diff != "" {
		t.Errorf("profiled (-want +got):\n%s", diff)
	}
	if r.Added != 1 || r.Removed != 1 || r.Changed != 1 || r.Kept != 1 || r.Queries != 2 || len(r.Relationships.Relationships) != 2 {
		t.Errorf("%+v", r)
	}
}

func TestWhatIsProfiledAgain(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		change func(*fake)
		req    Request
		want   string
	}{
		{"nothing changed", func(*fake) {}, Request{}, ""},
		{"all is wanted", func(*fake) {}, Request{Full: true}, "customers orders"},
		{"after a week", func(f *fake) { f.now = f.now.Add(7*24*time.Hour + time.Second) }, Request{}, "customers orders"},
		{"within a week", func(f *fake) { f.now = f.now.Add(7 * 24 * time.Hour) }, Request{}, ""},
		{"a tenth more rows", func(f *fake) { f.tables[0].RowEstimate = 55 }, Request{}, ""},
		{"more than a tenth more rows", func(f *fake) { f.tables[0].RowEstimate = 56 }, Request{}, "customers"},
		{"more than a tenth fewer rows", func(f *fake) { f.tables[1].RowEstimate = 44 }, Request{}, "orders"},
		{"rows that are not known any more", func(f *fake) { f.tables[1].RowEstimate = -1 }, Request{}, ""},
		{"a comment", func(f *fake) { f.tables[0].Comment = "who buys" }, Request{}, "customers"},
		{"more values are wanted", func(f *fake) { f.connection.Scan.ValuesPerColumn = 2000 }, Request{}, "customers orders"},
		{"values are to be kept that were not", func(f *fake) { f.connection.Scan.KeepValues = []string{"customers.email"} }, Request{}, "customers"},
		{"views are wanted", func(f *fake) { f.connection.Scan.ProfileViews = true }, Request{}, "order_view"},
		{"structure alone is wanted", func(f *fake) { f.tables[0].Comment = "who buys" }, Request{Mode: catalog.Structural}, ""},
		{"the connection leads elsewhere", func(f *fake) { f.connection.Config = map[string]any{"host": "b"} }, Request{}, "customers orders"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, shop()...)
			f.connection.Limits.Concurrency = 1
			f.run(t, Request{})
			tc.change(f)
			f.run(t, tc.req)
			if got := strings.Join(slices.Sorted(slices.Values(f.asked())), " "); got != tc.want {
				t.Errorf("%q were profiled, want %q", got, tc.want)
			}
		})
	}
}

// A table of another server is queried only when the connection asks for it:
// neither for a profile nor for its relationships.
func TestForeignTables(t *testing.T) {
	t.Parallel()
	for _, wanted := range []bool{false, true} {
		f := newFake(t, shop()...)
		f.connection.Scan.ForeignTables = wanted
		orders := slices.IndexFunc(f.tables, func(t *sdk.Table) bool { return t.Name == "orders" })
		f.tables[orders].Kind = sdk.TableExternal
		f.tables[orders].Properties = map[string]string{sdk.PropertyForeignServer: "erp"}
		r := f.run(t, Request{Full: true})
		if got := slices.Contains(f.asked(), "orders"); got != wanted || (r.Queries > 0) != wanted {
			t.Errorf("wanted %t: profiled %t, with %d queries of relationships", wanted, got, r.Queries)
		}
	}
}

// A value that is not to be kept any more goes out of the profiles that are
// taken over, also without a query.
func TestWithheldLater(t *testing.T) {
	t.Parallel()
	for _, mode := range []catalog.Mode{catalog.Enriched, catalog.Structural} {
		f := newFake(t, shop()...)
		f.run(t, Request{})
		f.connection.Scan.WithholdValues = []string{"orders.*"}
		r := f.run(t, Request{Mode: mode})
		p := f.profile(t, "orders")
		if len(f.profiles) != 0 || len(p.Withheld) != 3 || p.Stats[2].Values != nil || r.Kept != 2 {
			t.Errorf("%s: %d profiles, %+v", mode, len(f.profiles), p)
		}
	}
}

// A structural scan keeps what is known of tables that are still there.
func TestStructuralRescan(t *testing.T) {
	t.Parallel()
	f := newFake(t, append(shop(), table("payments", "id", "order_id"))...)
	f.run(t, Request{})
	f.tables[1].Columns = f.tables[1].Columns[:1] // without customer_id
	r := f.run(t, Request{Mode: catalog.Structural})
	if r.Mode != catalog.Structural || r.Counts.Profiles != 3 || r.Coverage.ValuesPerColumn != 1000 || !r.Coverage.ProfiledAt.Equal(f.now) || len(f.queries) != 0 {
		t.Errorf("%+v", r)
	}
	if links := r.Relationships.Relationships; len(links) != 1 || links[0].From.Name != "payments" {
		t.Errorf("relationships: %+v", links)
	}
	f.connection.ID = "other"
	if r := f.run(t, Request{Mode: catalog.Structural}); r.Counts.Profiles != 0 || len(r.Relationships.Relationships) != 0 || !r.Coverage.ProfiledAt.IsZero() {
		t.Errorf("a first structural scan: %+v", r)
	}
}

// A connector that lists only what changed is asked for that, when the scan
// selects the same as the one before.
func TestIncrementalScan(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		able bool
		req  Request
		want string
	}{
		{"the same", true, Request{}, "token"},
		{"not able to", false, Request{}, ""},
		{"all is wanted", true, Request{Full: true}, ""},
		{"other includes", true, Request{Include: []string{"s.*"}}, ""},
		{"other excludes", true, Request{Exclude: []string{"orders"}}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, shop()...)
			f.description.Capabilities.IncrementalScan = tc.able
			f.tables[0].Comment = "known"
			f.run(t, Request{})
			r := f.run(t, tc.req)
			if got := f.scans[0].Since; got != tc.want {
				t.Errorf("asked for what changed since %q, want %q", got, tc.want)
			}
			m := f.latest(t)
			i, err := m.Lookup(nil, sdk.TableRef{Name: "customers"})
			if err != nil {
				t.Fatal(err)
			}
			if tc.want != "" && r.Kept != 2 {
				t.Errorf("%d profiles were kept", r.Kept)
			}
			if one, err := m.At(i); err != nil || len(one.Columns) != 3 || one.Comment != "known" || r.Counts.Profiles == 0 {
				t.Errorf("a table that was not sent again is %+v, %v", one, err)
			}
		})
	}
}

// After each of these the snapshot before is still the last one.
func TestFailures(t *testing.T) {
	t.Parallel()
	boom := sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "the server went away")
	for _, tc := range []struct {
		name  string
		spoil func(*testing.T, *fake)
		req   Request
		kind  sdk.Kind
		says  string
	}{
		{"no such connection", func(*testing.T, *fake) {}, Request{Connection: "none"}, sdk.KindNotFound, "none"},
		{"no session", func(_ *testing.T, f *fake) { f.leaseErr = boom }, Request{}, sdk.KindUnavailable, "went away"},
		{"in the middle of the scan", func(_ *testing.T, f *fake) {
			f.scanned = failsAt("orders", boom)
		}, Request{}, sdk.KindUnavailable, "went away"},
		{"not complete", func(_ *testing.T, f *fake) {
			f.incomplete, f.warnings = true, []sdk.Warning{{Message: "half of it is locked"}}
		}, Request{}, sdk.KindUnavailable, "half of it is locked"},
		{"a table twice", func(_ *testing.T, f *fake) { f.tables = append(f.tables, table("orders", "id")) }, Request{}, sdk.KindInternal, "twice"},
		{"an include that fits nothing", func(*testing.T, *fake) {}, Request{Include: []string{"s.*", "s.custmers"}}, sdk.KindNotFound, "s.custmers"},
		{"an include of which nothing is left", func(*testing.T, *fake) {}, Request{Include: []string{"orders"}, Exclude: []string{"s.*"}}, sdk.KindNotFound, "the excludes leave nothing of orders"},
		{"excludes that leave nothing", func(*testing.T, *fake) {}, Request{Exclude: []string{"*"}}, sdk.KindNotFound, "leave no table"},
		{"a glob that is none", func(*testing.T, *fake) {}, Request{Include: []string{"a."}}, sdk.KindInvalid, `"a."`},
		{"a glob for values that is none", func(_ *testing.T, f *fake) { f.connection.Scan.KeepValues = []string{"."} }, Request{}, sdk.KindInvalid, `"."`},
		{"decisions that are none", func(t *testing.T, f *fake) {
			if err := os.WriteFile(filepath.Join(f.dir, "warehouse.json"), []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, Request{}, sdk.KindInvalid, "decisions"},
		{"another scan", func(t *testing.T, f *fake) {
			w, err := f.catalogs.Of("warehouse").Begin(t.Context(), false)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = w.Close() })
		}, Request{}, sdk.KindConflict, "scanned already"},
		{"no dialect", func(_ *testing.T, f *fake) { f.description.Dialects = nil }, Request{}, sdk.KindUnsupported, "dialect"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, shop()...)
			before := f.run(t, Request{})
			tc.spoil(t, f)
			_, err := f.try(t.Context(), tc.req)
			if sdk.KindOf(err) != tc.kind || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%v of kind %s, want %q of kind %s", err, sdk.KindOf(err), tc.says, tc.kind)
			}
			if e := sdk.AsError(err, sdk.SourceHost); e.Hint == "" && !errors.Is(err, boom) {
				t.Errorf("%v says not what to do", err)
			}
			if now := f.latest(t); now.SyncID != before.SyncID {
				t.Errorf("the last snapshot is %s, want %s", now.SyncID, before.SyncID)
			}
			f.wantSettled(t)
		})
	}
}

// A glob that fits nothing is named, with what there is instead.
func TestGlobs(t *testing.T) {
	t.Parallel()
	f := newFake(t, shop()...)
	f.warnings = []sdk.Warning{{Object: "hr", Code: "42501", Message: "the account may not use this schema"}}
	_, err := f.try(t.Context(), Request{Include: []string{"s.custmers", "hr.*", "orders"}})
	e := sdk.AsError(err, sdk.SourceHost)
	if !strings.Contains(e.Msg, "s.custmers, hr.*") || strings.Contains(e.Msg, ", orders") || !strings.Contains(e.Msg, "may not use") ||
		!strings.Contains(e.Hint, "3 tables in 1 schema") || len(e.Candidates) == 0 || e.Candidates[0] != "s.customers" {
		t.Errorf("%q, %q, %q", e.Msg, e.Hint, e.Candidates)
	}
	r := f.run(t, Request{Exclude: []string{"tmp_*", "ord*"}})
	if r.Counts.Tables != 1 || len(f.scans) != 2 || len(f.scans[1].Facets) != 1 {
		t.Errorf("%d tables after %+v", r.Counts.Tables, f.scans)
	}
	if w := r.Coverage.Warnings; len(w) != 2 || w[1].Code != codeGlob || !strings.HasSuffix(w[1].Message, "exclude tmp_*") {
		t.Errorf("warnings: %+v", w)
	}

	empty := newFake(t)
	if r := empty.run(t, Request{}); r.Counts.Tables != 0 || len(r.Notes) != 1 || empty.latest(t).SyncID != r.SyncID {
		t.Errorf("an empty database: %+v", r)
	}
	if _, err := empty.try(t.Context(), Request{Include: []string{"*"}}); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("a glob over an empty database: %v", err)
	}
}

func TestDamagedSnapshotIsMadeAnew(t *testing.T) {
	t.Parallel()
	f := newFake(t, shop()...)
	first := f.run(t, Request{})
	if err := os.WriteFile(filepath.Join(f.dir, "warehouse", first.Content+".pack"), []byte("not a pack"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.catalogs = catalog.NewSet(f.dir) // a new process
	r := f.run(t, Request{})
	if r.Profiled != 2 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "damaged") || f.profile(t, "orders") == nil {
		t.Errorf("%+v", r)
	}
}

func TestIndexFailure(t *testing.T) {
	t.Parallel()
	f := newFake(t, shop()...)
	f.refreshErr = errors.New("no space")
	if r := f.run(t, Request{}); len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "no space") || f.latest(t).SyncID != r.SyncID {
		t.Errorf("%+v", r)
	}
}

func TestConnectorWithoutProfiles(t *testing.T) {
	t.Parallel()
	f := newFake(t, shop()...)
	f.description.Capabilities.Profile = false
	if r := f.run(t, Request{}); r.Mode != catalog.Structural || len(r.Notes) != 1 || len(f.profiles) != 0 {
		t.Errorf("%+v", r)
	}
	f.connection.Scan = connection.Scan{Mode: connection.ScanStructural}
	if r := f.run(t, Request{}); r.Mode != catalog.Structural || len(r.Notes) != 0 {
		t.Errorf("by configuration: %+v", r)
	}
}

// Relationships are inferred again when something speaks for it: another table, a
// decision, a query that failed. Else what was found stays as it was.
func TestInferredOnce(t *testing.T) {
	t.Parallel()
	f := newFake(t, shop()...)
	scan := func(req Request) (links []string, inferred bool) {
		t.Helper()
		var seen []string
		req.Progress = phases(&seen)
		for _, r := range f.run(t, req).Relationships.Relationships {
			links = append(links, fmt.Sprint(r.String(), " ", r.Origin, " ", r.Status))
		}
		return links, slices.Contains(seen, phaseRelationships)
	}
	expect := func(when string, req Request, want []string, inferred bool) {
		t.Helper()
		got, again := scan(req)
		if diff := cmp.Diff(want, got); diff != "" || again != inferred {
			t.Errorf("%s: inferred %t, want %t; relationships (-want +got):\n%s", when, again, inferred, diff)
		}
	}
	f.executed = func(context.Context, string) ([]any, error) {
		return nil, sdk.Errorf(sdk.KindTimeout, sdk.SourceWarehouse, "too slow")
	}
	const link = "s.orders(customer_id) → s.customers(id) "
	expect("a query failed", Request{}, []string{link + "inferred review"}, true)
	f.executed = nil
	expect("then it is asked again", Request{}, []string{link + "inferred accepted"}, true)
	expect("nothing changed", Request{}, []string{link + "inferred accepted"}, false)
	expect("structural", Request{Mode: catalog.Structural}, []string{link + "inferred accepted"}, false)
	expect("after a structural one", Request{}, []string{link + "inferred accepted"}, false)
	f.tables[1].Comment = "changed"
	expect("a table changed", Request{}, []string{link + "inferred accepted"}, true)
	err := relationship.PutDecisions(filepath.Join(f.dir, "warehouse.json"), relationship.Decisions{{
		Link:   relationship.Link{From: f.tables[1].TableRef, Columns: []string{"customer_id"}, To: f.tables[0].TableRef, ToColumns: []string{"id"}},
		Status: relationship.Rejected,
	}})
	if err != nil {
		t.Fatal(err)
	}
	expect("a decision", Request{}, []string{link + "person rejected"}, true)
	expect("the same decision", Request{}, []string{link + "person rejected"}, false)
	expect("full", Request{Full: true}, []string{link + "person rejected"}, true)
	removed := f.tables
	f.tables = f.tables[1:]
	expect("a table went, structural", Request{Mode: catalog.Structural}, nil, false)
	f.tables = removed
	expect("it came back", Request{}, []string{link + "person rejected"}, true)
}
