package listing

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// files parses "path: content" pairs.
func files(pairs ...string) (all []*model.File) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, model.Parse(pairs[i], []byte(pairs[i+1])))
	}
	return all
}

// ids lists what queries can name, each behind its kind.
func ids(l *Listing) (all []string) {
	for e := range l.Entries() {
		s, before := e.Source(), ""
		if !e.IsMetrics() {
			all, before = append(all, "source "+e.ID), e.ID+"."
		}
		for _, m := range s.Measures {
			all = append(all, "measure "+before+m.Name)
		}
		for _, d := range s.Dimensions {
			all = append(all, "dimension "+before+d.Name)
		}
	}
	return all
}

func TestOf(t *testing.T) {
	t.Parallel()
	const shard = "tables:\n  orders:\n    table: shop.orders\n    columns:\n      - {name: id, type: bigint}\n" +
		"      - {name: state, type: text, descriptions: {db: Where it stands}}\n      - {name: note, type: text, description: Free text}\n"
	for _, tt := range []struct {
		name  string
		files []*model.File
		want  []string
	}{
		{"nothing", nil, nil},
		{
			"a source",
			files("orders.yaml", "name: orders\ntable: shop.orders\ndimensions: [{name: id}]\nmeasures: [{name: revenue, agg: sum, expr: amount}]\n"),
			[]string{"source orders", "measure orders.revenue", "dimension orders.id"},
		},
		{
			"an overlay of a table that only a scan knows",
			files("orders.yaml", "name: orders\nmeasures: [{name: revenue, agg: sum, expr: amount}]\ncolumn_overrides: [{name: state, description: Where it stands}]\n"),
			[]string{"source orders", "measure orders.revenue", "dimension orders.state"},
		},
		{
			"what is hidden or excluded",
			files("orders.yaml", "name: orders\nsql: select 1\ndimensions: [{name: id, visibility: hidden}, {name: state, visibility: internal}, {name: note}]\nexclude_columns: [note]\n"+
				"measures: [{name: a, agg: count, visibility: hidden}, {name: b, agg: count, visibility: internal}]\n",
				"secret.yaml", "name: secret\nsql: select 1\nvisibility: hidden\nmeasures: [{name: a, agg: count}]\n"),
			[]string{"source orders", "measure orders.b", "dimension orders.state"},
		},
		{
			"what is broken",
			files("orders.yaml", "name: orders\nsql: select 1\nmeasures: [{name: a, agg: nonsense}, {name: b, agg: count}]\n",
				"broken.yaml", "name: broken\nmeasures: [\n", "text.yaml", "just text"),
			[]string{"source orders", "measure orders.b"},
		},
		{
			"members that are there twice",
			files("orders.yaml", "name: orders\nsql: select 1\ndimensions: [{name: id}, {name: ID}, {name: state}]\nmeasures: [{name: a, agg: count}, {name: a, agg: sum, expr: b}, {name: A, agg: count}]\n"),
			[]string{"source orders", "measure orders.A", "dimension orders.state"},
		},
		{
			"sources that two files define",
			files("a.yaml", "name: orders\nsql: select 1\n", "b.yaml", "name: orders\nsql: select 2\n", "c.yaml", "name: fine\nsql: select 2\n"),
			[]string{"source fine"},
		},
		{
			"one name in two schemas",
			files("a.yaml", "name: orders\ntable: shop.orders\nmeasures: [{name: n, agg: count}]\n", "b.yaml", "name: orders\ntable: crm.orders\n", "c.yaml", "name: crm.leads\ntable: crm.leads\n"),
			[]string{"source crm.orders", "source leads", "source shop.orders", "measure shop.orders.n"},
		},
		{
			"an overlay that may be of either",
			files("a.yaml", "name: shop.orders\ntable: shop.orders\n", "b.yaml", "name: crm.orders\ntable: crm.orders\n", "c.yaml", "name: orders\nmeasures: [{name: n, agg: count}]\n"),
			[]string{"source crm.orders", "source shop.orders"},
		},
		{
			"names that need quotes",
			files("a.yaml", "name: Order Details\nsql: select 1\ndimensions: [{name: unit price}, {name: select}]\n"),
			[]string{`source "Order Details"`, `dimension "Order Details"."unit price"`, `dimension "Order Details".select`},
		},
		{
			"metrics",
			files("metrics.yaml", "metrics: [{name: a, type: ratio, numerator: x.y, denominator: x.z}, {name: b, type: ratio, numerator: x.y, denominator: x.z, visibility: hidden}, {name: c}]\n"),
			[]string{"measure a"},
		},
		{"metrics of which none can be used", files("metrics.yaml", "metrics: [{name: c}]\n"), nil},
		{
			"a table of a shard, without its bare columns",
			files("_schema/shop.yaml", shard),
			[]string{"source orders", "dimension orders.state", "dimension orders.note"},
		},
		{
			"an overlay of it",
			files("_schema/shop.yaml", shard, "orders.yaml", "name: orders\nexclude_columns: [note]\ncolumn_overrides: [{name: id, description: The number}]\nmeasures: [{name: n, agg: count}]\n"),
			[]string{"source orders", "measure orders.n", "dimension orders.id", "dimension orders.state"},
		},
		{
			"a definition in its place",
			files("_schema/shop.yaml", shard, "orders.yaml", "name: orders\nsql: select 1\ndimensions: [{name: amount}]\n"),
			[]string{"source orders", "dimension orders.amount"},
		},
		{
			"a broken file about it",
			files("_schema/shop.yaml", shard, "orders.yaml", "name: orders\nmeasures: [\n"),
			[]string{"source orders", "dimension orders.state", "dimension orders.note"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := Of(tt.files, nil)
			if diff := cmp.Diff(tt.want, ids(l)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			for e := range l.Entries() {
				if s := e.Source(); e.Measures != len(s.Measures) || e.Dimensions != len(s.Dimensions) || l.Entry(e.ID) != e {
					t.Errorf("%q has %d measures and %d dimensions, counted are %d and %d", e.ID, len(s.Measures), len(s.Dimensions), e.Measures, e.Dimensions)
				}
			}
		})
	}
}

// A later file says more about what an earlier one has.
func TestSource(t *testing.T) {
	t.Parallel()
	l := Of(files(
		"_schema/shop.yaml", "tables:\n  orders:\n    table: shop.orders\n    descriptions: {db: From the database}\n    columns: [{name: state, type: text, description: Old, enum_values: {dbt: [new]}}, {name: amount, type: numeric}]\n",
		"orders.yaml", "name: orders\ndescription: One row per order\nsynonyms: [sales]\nai_context: {instructions: Ask for the year., synonyms: [bookings], examples: [sales by state]}\n"+
			"column_overrides: [{name: STATE, description: Where it stands, synonyms: [status]}]\n"+
			"segments: [{name: done, expr: \"state = 'paid'\", description: Paid ones}]\n",
		"copy.yaml", "name: copy\nsql: select 1\ninherits_columns_from: orders\ndimensions: [{name: state, label: State}]\n",
	), nil)
	state := Member{Name: "state", Description: "Where it stands", Type: "string", Values: []string{"new"}, Synonyms: []string{"status"}, Described: model.Person}
	want := map[string]*Source{
		"orders": {
			Name: "orders", Table: "shop.orders", Description: "One row per order", Synonyms: []string{"sales", "bookings"},
			Instructions: "Ask for the year.", Examples: []string{"sales by state"}, Dimensions: []Member{state},
			Segments: []Member{{Name: "done", Description: "Paid ones", Expr: "state = 'paid'", Described: model.Person, Trust: model.Person}}, Trust: model.Person,
			Described: model.Person,
		},
		"copy": {Name: "copy", Dimensions: []Member{{Name: "state", Label: "State", Description: "Old", Type: "string", Values: []string{"new"}, Trust: model.Person}}, Trust: model.Person},
	}
	for id, source := range want {
		if diff := cmp.Diff(source, l.Entry(id).Source(), cmp.AllowUnexported(Source{}, Member{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
	if got, want := l.Entry("orders").Source().Text(), "Ask for the year.\nPaid ones\nsales by state"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}

func TestFormula(t *testing.T) {
	t.Parallel()
	for measure, want := range map[string]string{
		"agg: count":                                                                    "count(*)",
		"agg: count_distinct, expr: customer_id":                                        "count_distinct(customer_id)",
		"expr: sum(a) / count(*)":                                                       "sum(a) / count(*)",
		"agg: sum, expr: amount, filter: \"state = 'paid'\"":                            "sum(amount) where state = 'paid'",
		"agg: sum, expr: amount, filter: \"a > 1\", segments: [done]":                   "sum(amount) where a > 1 and done",
		"agg: percentile, expr: amount, percentile: 0.9":                                "percentile(amount, 0.9)",
		"agg: sum, expr: stock, non_additive: {dimension: day, pick: last, per: [sku]}": "sum(stock) at the last day per sku",
		"type: ratio, numerator: paid, denominator: revenue":                            "paid / revenue",
		"type: derived, expr: revenue - costs":                                          "revenue - costs",
		"type: cumulative, measure: revenue, window: 28 days":                           "revenue over the last 28 days",
		"type: cumulative, measure: revenue, window: 1 month":                           "revenue over the last 1 month",
		"type: cumulative, measure: revenue, grain_to_date: year":                       "revenue, year to date",
		"type: cumulative, measure: revenue":                                            "revenue, running total",
		"type: time_shift, measure: revenue, offset: 1 year":                            "revenue, 1 year earlier",
		"type: share, measure: revenue, within: [customers.segment, state]":             "revenue as a share of its total within customers.segment, state",
		"type: share, measure: revenue":                                                 "revenue as a share of its total",
		"type: nested, agg: avg, measure: revenue, per: [customers.id]":                 "avg(revenue) per customers.id",
	} {
		l := Of(files("s.yaml", "name: s\nsql: select 1\nmeasures:\n  - {name: m, "+measure+"}\n"), nil)
		s := l.Entry("s").Source()
		if len(s.Measures) != 1 || s.Measures[0].Expr != want {
			t.Errorf("%s: %+v, want %q", measure, s.Measures, want)
		}
	}
}

// What did not change is shared, also across a change of another file.
func TestShared(t *testing.T) {
	t.Parallel()
	a, b := "name: a\nsql: select 1\nmeasures: [{name: n, agg: count}]\n", "name: b\nsql: select 1\n"
	before := files("a.yaml", a, "b.yaml", b)
	first := Of(before, nil)
	next := Of([]*model.File{before[0], files("b.yaml", b+"description: More\n")[0]}, first)
	if next.Entry("a") != first.Entry("a") || next.Entry("b") == first.Entry("b") || next.Entry("b").Content == first.Entry("b").Content {
		t.Error("an entry of which nothing changed is another one, or one that changed is the same")
	}
	moved := Of(files("elsewhere.yaml", a), first)
	if moved.Entry("a").Content != first.Entry("a").Content {
		t.Error("another path is another content")
	}
}

// Whatever is listed is a reference that a query can use, and whatever the model
// offers of a file is listed.
func TestAgreesWithTheModel(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{
		"../model/testdata/example", "../model/testdata/ktx", "../model/testdata/tpch",
		"../../demo/sample/semantic-layer/shop", "../../demo/sample/semantic-layer/crm", "../../search/eval/testdata/semantic-layer",
	} {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			all := folder(t, dir)
			l, m := Of(all, nil), model.Build(model.Input{Files: all})
			listed := ids(l)
			if len(listed) == 0 {
				t.Fatal("nothing is listed")
			}
			resolved := 0
			for _, id := range listed {
				kind, reference, _ := strings.Cut(id, " ")
				name, err := expression.ParseName(reference)
				if err != nil {
					t.Errorf("%s: %v", id, err)
					continue
				}
				if kind == "source" {
					_, err = m.FindSource(reference)
				} else {
					_, err = m.Lookup(model.Metrics, name.Parts...)
				}
				// A source without a table is of one that only a scan knows.
				if code := sdk.AsError(err, ""); err != nil && code.Code != model.CodeBroken && code.Code != model.CodeUnknown {
					t.Errorf("%s: %v", id, err)
				} else if err == nil {
					resolved++
				}
			}
			t.Logf("%d of %d references are of files alone", resolved, len(listed))
			for _, id := range offered(m) {
				if !slices.Contains(listed, id) {
					t.Errorf("%s is not listed", id)
				}
			}
		})
	}
}

// offered lists the measures of a model and the dimensions that a file writes
// more about than a column's name.
func offered(m *model.Model) (all []string) {
	list := func(s *model.Source, before string) {
		for i := range s.Measures {
			if d := &s.Measures[i]; d.Name != "" && d.Broken == "" && d.Visibility != model.Hidden {
				all = append(all, "measure "+before+d.Name)
			}
		}
		for i := range s.Dimensions {
			if d := &s.Dimensions[i]; d.Broken == "" && d.Visibility != model.Hidden && d.Description != "" {
				all = append(all, "dimension "+before+d.Name)
			}
		}
	}
	list(m.Source(model.Metrics), "")
	for s := range m.Sources() {
		if s.ID != model.Metrics && s.Broken == "" && s.Visibility != model.Hidden {
			all = append(all, "source "+s.Name)
			list(s, s.Name+".")
		}
	}
	return all
}

func folder(t *testing.T, dir string) (all []*model.File) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all = append(all, model.Parse(filepath.ToSlash(name), content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// FuzzOf tests that whatever files say, what is listed can be indexed as it is
// counted, under ids that are written as references are.
func FuzzOf(f *testing.F) {
	for _, seed := range []string{
		"name: orders\nsql: select 1\nmeasures: [{name: a b, agg: count}]\n", "name: \"\"\n", "name: a.b.c.d\nsql: x\ndimensions: [{name: \"\"}]\n",
		"name: orders\nmeasures: [\n", "tables:\n  o:\n    table: s.o\n    columns: [{name: id, description: x}]\n", "metrics: [{name: m, type: ratio, numerator: a, denominator: b}]\n",
		"name: '\"'\ntable: \"..\"\ninherits_columns_from: o\n",
	} {
		f.Add(seed, "name: orders\nexclude_columns: [id]\ncolumn_overrides: [{name: id, description: x}]\n")
	}
	dir, analyzer := f.TempDir(), text.New()
	f.Fuzz(func(t *testing.T, one, other string) {
		all := files("one.yaml", one, "_schema/one.yaml", one, "metrics.yaml", one, "other.yaml", other)
		l := Of(all, nil)
		b, err := search.NewBuilder(filepath.Join(dir, "segment"), analyzer)
		if err != nil {
			t.Fatal(err)
		}
		counts := map[search.Kind]int{search.Source: 0, search.Measure: 0, search.Dimension: 0}
		for e := range l.Entries() {
			if e.Index(b, "shop") != nil {
				t.Fatalf("%q cannot be indexed", e.ID)
			}
			for kind, n := range e.Counts() {
				counts[kind] += n
			}
			if _, err := expression.ParseName(e.ID); !e.IsMetrics() && err != nil {
				t.Errorf("%q is no reference: %v", e.ID, err)
			}
		}
		if err := errors.Join(b.Finish("fuzz", counts), b.Close()); err != nil {
			t.Error(err)
		}
		if again := Of(all, l); !slices.Equal(again.entries, l.entries) {
			t.Error("the listing of the same files is another one")
		}
	})
}
