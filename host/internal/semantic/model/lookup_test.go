package model

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/sdk"
)

func TestLookup(t *testing.T) {
	t.Parallel()
	m := load(t, "example")
	kind := func(found []Member) string {
		var all []string
		for _, f := range found {
			switch {
			case f.Measure != 0:
				all = append(all, "measure "+m.sources[f.Source].Name+"."+m.Measure(f.Measure).Name)
			case f.Segment != 0:
				all = append(all, "segment "+m.sources[f.Source].Name+"."+m.Segment(f.Segment).Name)
			default:
				all = append(all, "dimension "+m.sources[f.Source].Name+"."+m.Dimension(f.Dimension).Name)
			}
		}
		return strings.Join(all, ", ")
	}
	for _, tt := range []struct {
		home, ref, want string
		code            string
		candidates      []string
	}{
		{ref: "orders.revenue", want: "measure orders.revenue"},
		{ref: "ORDERS.Revenue", want: "measure orders.revenue"},
		{ref: "analytics.orders.revenue", want: "measure orders.revenue"},
		{ref: "orders.status", want: "dimension orders.status"},
		{ref: "orders.completed", want: "segment orders.completed"},
		{ref: "refund_rate", want: "measure metrics.refund_rate"},
		{ref: "paid_rate", want: "measure orders.paid_rate"},
		{ref: "ship_region.name", want: "dimension regions.name"},
		{home: "orders", ref: "status", want: "dimension orders.status"},
		{ref: "id", code: CodeAmbiguous, candidates: []string{"analytics.customers.id", "analytics.orders.id", "analytics.regions.id", "refunds.id"}},
		{ref: "orders.internal_flag", code: CodeHidden},
		{ref: "customers.region_id", want: "dimension customers.region_id"},
		{ref: "region_id", code: CodeUnknown},
		{ref: "orders.segment", code: CodeUnknown, candidates: []string{"customers.segment"}},
		{ref: "orders.revenu", code: CodeUnknown, candidates: []string{"orders.revenue"}},
		{ref: "order.revenue", code: CodeUnknown, candidates: []string{"orders.revenue"}},
		{ref: "revnue", code: CodeUnknown, candidates: []string{"orders.revenue"}},
		{ref: "orders.sttae", code: CodeUnknown, candidates: []string{"orders.status"}},
		{ref: "state", want: "", code: CodeUnknown, candidates: []string{"orders.status"}},
		{ref: "refund_ratee", code: CodeUnknown, candidates: []string{"refund_rate"}},
		{ref: "nothing.like.it", code: CodeUnknown},
	} {
		home := Metrics
		if tt.home != "" {
			home = source(t, m, tt.home).ID
		}
		found, err := m.Lookup(home, strings.Split(tt.ref, ".")...)
		e := sdk.AsError(err, sdk.SourceHost)
		if tt.code == "" {
			if e != nil || kind(found) != tt.want {
				t.Errorf("%s: %s, %v", tt.ref, kind(found), err)
			}
			continue
		}
		if e == nil || e.Code != tt.code {
			t.Errorf("%s: %s, %v; want %s", tt.ref, kind(found), err, tt.code)
			continue
		}
		if got := e.Candidates[:min(len(tt.candidates), len(e.Candidates))]; tt.candidates != nil && !cmp.Equal(tt.candidates, got, cmpopts.EquateEmpty()) {
			t.Errorf("%s: candidates %v, want %v", tt.ref, e.Candidates, tt.candidates)
		}
		if len(e.Candidates) > 0 && e.Hint == "" {
			t.Errorf("%s: candidates without a hint", tt.ref)
		}
	}
}

// TestLookupOfACircle tells a measure that is made of itself from other broken ones.
func TestLookupOfACircle(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("testdata/invalid/cycle.yaml")
	if err != nil {
		t.Fatal(err)
	}
	m := Build(Input{Files: []*File{Parse("items.yaml", content)}})
	for name, want := range map[string]string{"first": CodeCyclic, "fourth": CodeCyclic, "a": CodeBroken} {
		_, err := m.Lookup(Metrics, "items", name)
		if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Code != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// TestSuggestionsAmongMany finds misspelt names among a hundred thousand without
// comparing them all.
func TestSuggestionsAmongMany(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: suggestions among 3,000 sources")
	}
	t.Parallel()
	names, contents := folder(3_000)
	m := Build(Input{Files: parseAll(names, contents)})
	x := m.names.index()
	if len(x.words.list) < 50_000 {
		t.Fatalf("%d names only", len(x.words.list))
	}
	for asked, want := range map[string]string{
		"source_17.atribute_17_3":      "source_17.attribute_17_3",
		"source_2999.attribute_299_17": "source_299.attribute_299_17",
		"atribute_1717_3":              "source_1717.attribute_1717_3",
		"sorce_40.revenue":             "source_40.revenue",
	} {
		parts := strings.Split(asked, ".")
		got := m.Suggest(Metrics, parts...)
		if len(got) == 0 || len(got) > maxSuggestions || !strings.Contains(strings.Join(got, " "), want) {
			t.Errorf("%s: %v, want %s", asked, got, want)
		}
	}
}

// TestSuggestionsAfterAReload tests that suggestions are those of the files as they are now.
func TestSuggestionsAfterAReload(t *testing.T) {
	t.Parallel()
	file := func(measure string) *File {
		return Parse("a.yaml", fmt.Appendf(nil, "name: a\ntable: a\nmeasures: [{name: %s, agg: count}]\n", measure))
	}
	m := Build(Input{Files: []*File{file("turnover"), Parse("b.yaml", []byte("name: b\ntable: b\nmeasures: [{name: margin, agg: count}]\n"))}})
	if got := m.Suggest(Metrics, "turnovr"); len(got) != 1 || got[0] != "a.turnover" {
		t.Errorf("before: %v", got)
	}
	m = m.With(file("proceeds"))
	if _, err := m.Lookup(Metrics, "turnover"); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("what is gone is found: %v", err)
	}
	if found, err := m.Lookup(Metrics, "proceeds"); err != nil || len(found) != 1 {
		t.Errorf("what is new is not found: %v", err)
	}
	if found, err := m.Lookup(Metrics, "margin"); err != nil || len(found) != 1 {
		t.Errorf("what stays is not found: %v", err)
	}
	if got := m.Suggest(Metrics, "turnovr"); len(got) != 0 {
		t.Errorf("what is gone is offered: %v", got)
	}
}

func TestBrokenMembersSayWhy(t *testing.T) {
	t.Parallel()
	m := Build(Input{Files: []*File{
		Parse("a.yaml", []byte(`name: a
table: a
dimensions: [{name: id}, {name: good, expr: id + 1}, {name: bad, expr: "id +"}]
measures:
  - {name: fine, agg: count}
  - {name: filtered, agg: sum, expr: id, filtr: "id > 1"}
  - {name: rate, type: ratio, numerator: filtered, denominator: fine}
  - {name: over_bad, agg: sum, expr: bad}
  - {name: over_good, agg: sum, expr: good}
`)),
		Parse("b.yaml", []byte("name: b\ntable: [\n")),
		Parse("c.yaml", []byte("name: c\ntable: c\nmeasures: [{name: n, agg: count}]\njoins: [{to: b, on: c.x = b.y, relationship: many_to_one}, {to: a, on: c.a_id = a.id, relationship: many_to_one}]\n")),
	}})
	for ref, want := range map[string]string{
		"a.fine": "", "a.good": "", "a.over_good": "", "c.n": "",
		"a.bad":      "the expression ends",
		"a.filtered": "unknown key",
		"a.rate":     "a.filtered cannot be used",
		"a.over_bad": "bad cannot be used",
		"b.anything": "is no valid YAML",
	} {
		_, err := m.Lookup(Metrics, strings.Split(ref, ".")...)
		switch e := sdk.AsError(err, sdk.SourceHost); {
		case want == "" && e != nil:
			t.Errorf("%s: %v", ref, err)
		case want != "" && (e == nil || e.Code != CodeBroken || !strings.Contains(e.Msg, want)):
			t.Errorf("%s: %v; want %s", ref, err, want)
		}
	}
	if got := way(t, m, "c", "a.good"); got != "→ a" {
		t.Errorf("a from c: %s", got)
	}
	var files []string
	for _, p := range m.Problems() {
		files = append(files, p.File)
	}
	if diff := cmp.Diff([]string{"a.yaml", "a.yaml", "b.yaml"}, files); diff != "" {
		t.Errorf("one problem each (-want +got):\n%s", diff)
	}
}

// TestTogether asks one model from many goroutines while others reload it.
func TestTogether(t *testing.T) {
	t.Parallel()
	names, contents := folder(60)
	m := Build(Input{Files: parseAll(names, contents)})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 20 {
				if i%2 == 0 {
					next := m.With(Parse(names[k], []byte(strings.Replace(string(contents[k]), "EUR", "USD", 1))))
					next.Suggest(Metrics, "atribute_7_1")
					continue
				}
				from := source(t, m, fmt.Sprintf("source_%d", 30+k)).ID
				found, err := m.Lookup(from, fmt.Sprintf("parent_0_of_%d", 30+k), "status")
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := m.Path(from, found[0].Ref); err != nil {
					t.Error(err)
				}
				m.Suggest(from, "source_3", "revnue")
			}
		})
	}
	wg.Wait()
}

// TestLookupFor: what does not fit the place of a name neither makes it ambiguous
// nor hides what does.
func TestLookupFor(t *testing.T) {
	t.Parallel()
	m := Build(Input{Files: []*File{
		Parse("a.yaml", []byte("name: a\ntable: a\ndimensions: [{name: x, type: number}, {name: z, type: number}]\nmeasures: [{name: y, agg: count}]\n")),
		Parse("b.yaml", []byte("name: b\ntable: b\ndimensions: [{name: x, type: number}, {name: y, type: number}]\nmeasures: [{name: z, agg: sum, expr: nothing +}]\n")),
		Parse("c.yaml", []byte("name: c\ntable: c\nmeasures: [{name: x, agg: count}]\n")),
	}})
	a := source(t, m, "a").ID
	measure := func(f Member) bool { return f.Measure != 0 }
	dimension := func(f Member) bool { return f.Dimension != 0 }
	for _, tt := range []struct {
		name string
		fits Fits
		home SourceID
		ref  string
		want string // the source, or a code
	}{
		{"the only measure", measure, Metrics, "x", "c"},
		{"two dimensions", dimension, Metrics, "x", CodeAmbiguous},
		{"anything", anything, Metrics, "x", CodeAmbiguous},
		{"another source's dimension beside the home's measure", dimension, a, "y", "b"},
		{"the home's measure", measure, a, "y", "a"},
		{"a dimension beside a broken measure", dimension, Metrics, "z", "a"},
		{"a broken measure beside a dimension", measure, Metrics, "z", CodeBroken},
		{"nothing that fits", measure, Metrics, "a.z", "a"},
		{"nothing at all", measure, Metrics, "a.q", CodeUnknown},
	} {
		found, err := m.LookupFor(tt.fits, tt.home, strings.Split(tt.ref, ".")...)
		got := ""
		if e := sdk.AsError(err, sdk.SourceHost); e != nil {
			got = e.Code
		} else if len(found) == 1 {
			got = m.sources[found[0].Source].Name
		}
		if got != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
}
