package scan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/sdk"
)

// personal is a table whose columns say nothing, with the values of one of them,
// and a view with a literal.
func personal() []*sdk.Table {
	people := table("t1", "id", "feld3:text")
	people.Comment = "ask ann.smith@example.com"
	people.Columns[1].Default = "'sk_live_abcdefghijklmnop'"
	view := table("v1", "id")
	view.Kind, view.Definition = sdk.TableView, "select id from s.t1 where feld3 = 'Hans Müller'"
	return []*sdk.Table{people, view}
}

func names() sdk.ColumnStats {
	s := sdk.ColumnStats{Column: "feld3", Rows: 50, Complete: true, ValuesComplete: true}
	for _, name := range strings.Split("Hans Müller|Petra Schmidt|Klaus Weber|Sabine Wagner|Uwe Becker|Karin Hoffmann|Jürgen Koch|Monika Richter|Stefan Wolf|Anna Neumann", "|") {
		s.Values, s.Counts = append(s.Values, name), append(s.Counts, 5)
	}
	s.Distinct, s.Min, s.Max = int64(len(s.Values)), &s.Values[0], &s.Values[1]
	return s
}

// old commits a snapshot as it was made before there were rules for its content.
func (f *fake) old(t *testing.T, id, since string) {
	t.Helper()
	w, err := f.catalogs.Of(string(f.connection.ID)).Begin(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range f.tables {
		if err := w.Table(one); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Profile(f.tables[0].TableRef, &catalog.Profile{At: f.now, Stats: []sdk.ColumnStats{{Column: "id", Rows: 50, Distinct: 50}, names()}}); err != nil {
		t.Fatal(err)
	}
	identity := catalog.Identity{SyncID: id, Mode: catalog.Enriched, ExtractedAt: f.now, Source: f.connection.Source(), Since: since, Coverage: catalog.Coverage{ValuesPerColumn: 1000}}
	if _, err := w.Commit(t.Context(), identity); err != nil {
		t.Fatal(err)
	}
}

// A rescan takes out of what is there what is not kept any more, whichever way the
// tables come, and the snapshots that have it go.
func TestRescanUnderOtherRules(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		req       Request
		unchanged bool
	}{
		"structural":            {req: Request{Mode: catalog.Structural}},
		"enriched":              {},
		"full":                  {req: Request{Full: true}},
		"nothing sent anew":     {unchanged: true},
		"structural, unchanged": {req: Request{Mode: catalog.Structural}, unchanged: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, personal()...)
			since := ""
			if c.unchanged {
				f.description.Capabilities.IncrementalScan = true
				since = "token"
				for _, one := range f.tables {
					one.Fingerprint = "f"
				}
				f.unchanged = true
			}
			f.old(t, "first", "")
			f.old(t, "second", since)
			r := f.run(t, c.req)
			all, err := f.catalogs.Of(string(f.connection.ID)).History()
			if err != nil || len(all) != 1 || all[0].SyncID != r.SyncID {
				t.Errorf("there are the snapshots %+v, %v", all, err)
			}
			if notes := strings.Join(r.Notes, " "); !strings.Contains(notes, "they were removed") {
				t.Errorf("the notes are %q", notes)
			}
			f.wantNothingPersonal(t)

			again := f.run(t, c.req)
			if notes := strings.Join(again.Notes, " "); strings.Contains(notes, "removed") || again.Added+again.Changed+again.Removed != 0 {
				t.Errorf("the next scan says %q, %d changed", notes, again.Changed)
			}
			if all, err := f.catalogs.Of(string(f.connection.ID)).History(); err != nil || len(all) != 2 {
				t.Errorf("then there are %d snapshots, %v", len(all), err)
			}
			f.wantNothingPersonal(t)
		})
	}
}

// wantNothingPersonal reads all of the snapshot. A new profile has the fake's own
// values.
func (f *fake) wantNothingPersonal(t *testing.T) {
	t.Helper()
	m := f.latest(t)
	for i := range m.Len() {
		one, err := m.At(i)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{one.Comment, one.Definition, one.Columns[len(one.Columns)-1].Default} {
			for _, secret := range []string{"ann", "sk_live", "Hans"} {
				if strings.Contains(text, secret) {
					t.Errorf("%s has %q", one.Name, text)
				}
			}
		}
	}
	p := f.profile(t, "t1")
	if p == nil {
		t.Fatal("there is no profile")
	}
	for _, s := range p.Stats {
		if s.Column == "feld3" && (len(s.Values) > 0 && s.Values[0] != "one" || s.Min != nil && *s.Min != "one") {
			t.Errorf("the profile has %+v", s)
		}
	}
}

// What the warehouse says when something fails may repeat a value.
func TestWarningsAreScrubbed(t *testing.T) {
	t.Parallel()
	f := newFake(t, shop()...)
	f.warnings = []sdk.Warning{{Object: "s.orders", Code: "22P02", Message: "invalid input: ann.smith@example.com"}}
	f.run(t, Request{})
	got := f.latest(t).Coverage.Warnings
	if diff := cmp.Diff([]sdk.Warning{{Object: "s.orders", Code: "22P02", Message: "invalid input: …"}}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
