package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// layered makes a model of the table main.orders and of files, given as path and
// content in turn.
func layered(scanned bool, contents ...string) *Model {
	in := Input{}
	if scanned {
		in.Tables = []*Table{{
			Ref: sdk.TableRef{Schema: "main", Name: "orders"}, Comment: "As scanned.", PrimaryKey: []string{"id"},
			Columns: []Column{{Name: "id", Type: sdk.TypeInt64}, {Name: "amount", Type: sdk.TypeInt64, Comment: "In cents."}, {Name: "status", Type: sdk.TypeText}},
		}}
	}
	for i := 0; i < len(contents); i += 2 {
		in.Files = append(in.Files, Parse(contents[i], []byte(contents[i+1])))
	}
	return Build(in)
}

// merged is what a model has, in words.
func merged(m *Model) (all []string) {
	for s := range m.Sources() {
		words := []string{s.Name}
		if s.SQL != "" {
			words = append(words, "("+s.SQL+")")
		}
		if s.Broken != "" {
			words = append(words, "BROKEN")
		}
		words = append(words, s.Description)
		for i := range s.Dimensions {
			d := &s.Dimensions[i]
			word := d.Name
			for _, more := range []string{d.Label, d.Description, d.Unit} {
				if more != "" {
					word += "/" + more
				}
			}
			if d.Broken != "" {
				word += "!"
			}
			words = append(words, word)
		}
		for i := range s.Measures {
			x := &s.Measures[i]
			word := fmt.Sprintf("%s=%s", x.Name, x.Agg)
			if x.Broken != "" {
				word += "!"
			}
			words = append(words, word)
		}
		for _, name := range s.Synonyms {
			words = append(words, "~"+name)
		}
		all = append(all, strings.Join(words, " "))
	}
	return all
}

const (
	dbt    = "imported/dbt/orders.yaml"
	looker = "imported/looker/orders.yaml"
	memory = "_memory/orders.yaml"
	own    = "orders.yaml"

	imported = "name: orders\ntable: main.orders\ndescription: From dbt.\nsynonyms: [sales]\ndimensions:\n  - {name: id, type: number}\n  - {name: amount, unit: cents, label: Amount}\n" +
		"measures:\n  - {name: revenue, agg: sum, expr: amount}\n  - {name: largest, agg: max, expr: amount}\n"
)

// The nearest layer to the person wins, member by member; what another layer says
// besides stays.
func TestLayers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		scanned bool
		files   []string
		want    []string
		// problems are the files and paths of what is wrong.
		problems []string
	}{
		{
			"an import over a scan", true,
			[]string{dbt, imported},
			[]string{"orders From dbt. id amount/Amount/In cents./cents status row_count=count revenue=sum largest=max ~sales"}, nil,
		},
		{
			"a person's overlay over an import", true,
			[]string{dbt, imported, own, "name: orders\ndescription: Mine.\ncolumn_overrides: [{name: amount, label: Money}]\nmeasures: [{name: revenue, agg: avg, expr: amount}]\n"},
			[]string{"orders Mine. id amount/Money/In cents./cents status row_count=count revenue=avg largest=max ~sales"}, nil,
		},
		{
			"a person's overlay over an import of a table that no scan found", false,
			[]string{dbt, imported, own, "name: orders\nmeasures: [{name: revenue, agg: avg, expr: amount}]\n"},
			[]string{"orders From dbt. id amount/Amount/cents revenue=avg largest=max ~sales"}, nil,
		},
		{
			"a person's definition of the same table", true,
			[]string{dbt, imported, own, "name: orders\ntable: orders\nmeasures: [{name: revenue, agg: avg, expr: amount}]\n"},
			[]string{"orders From dbt. id amount/Amount/In cents./cents status row_count=count revenue=avg largest=max ~sales"}, nil,
		},
		{
			"a person's definition of other rows replaces the import", true,
			[]string{dbt, imported, own, "name: main.orders\nsql: select 1 AS id\nmeasures: [{name: n, agg: count}]\n"},
			[]string{"orders (select 1 AS id)  n=count"}, nil,
		},
		{
			"a person's query of that name replaces an import that no scan found", false,
			[]string{dbt, imported, own, "name: orders\nsql: select 1 AS id\nmeasures: [{name: n, agg: count}]\n"},
			[]string{"orders (select 1 AS id)  n=count"}, nil,
		},
		{
			"_memory adds what nobody says", true,
			[]string{memory, "name: orders\nsynonyms: [purchases]\ncolumn_overrides: [{name: status, description: Where it is., unit: step}]\nmeasures: [{name: aov, agg: avg, expr: amount}]\n"},
			[]string{"orders As scanned. id amount/In cents. status/Where it is./step row_count=count aov=avg ~purchases"}, nil,
		},
		{
			"_memory overrides nothing", true,
			[]string{
				memory, "name: orders\ndescription: Learned.\nprimary_key: [status]\nexclude_columns: [amount]\ncolumn_overrides: [{name: amount, description: In euros.}]\ndimensions: [{name: status, expr: upper(status)}]\nmeasures: [{name: revenue, agg: min, expr: amount}, {name: row_count, agg: sum, expr: id}]\n",
				dbt, imported,
			},
			[]string{"orders From dbt. id amount/Amount/In cents./cents status row_count=count revenue=sum largest=max ~sales"},
			[]string{
				memory + " description", memory + " exclude_columns", memory + " primary_key", memory + " column_overrides.amount.description",
				memory + " dimensions.status", memory + " measures.revenue", memory + " measures.row_count",
			},
		},
		{
			"a person's file hides what _memory says, without a word", true,
			[]string{memory, "name: orders\nmeasures: [{name: aov, agg: min, expr: amount}, {name: more, agg: max, expr: id}]\n", own, "name: orders\nmeasures: [{name: aov, agg: avg, expr: amount}]\n"},
			[]string{"orders As scanned. id amount/In cents. status row_count=count aov=avg more=max"}, nil,
		},
		{
			"_memory about nothing", true,
			[]string{memory, "name: nothing\nmeasures: [{name: aov, agg: min, expr: amount}]\n"},
			[]string{"orders As scanned. id amount/In cents. status row_count=count"},
			[]string{memory + " name"},
		},
		{
			"two files of an importer's layer", true,
			[]string{dbt, imported, looker, imported},
			[]string{"orders BROKEN From dbt."}, []string{looker + " name"},
		},
		{
			"two files of _memory break themselves alone", true,
			[]string{memory, "name: orders\nsynonyms: [a]\n", "_memory/more/orders.yaml", "name: orders\nsynonyms: [b]\n"},
			[]string{"orders As scanned. id amount/In cents. status row_count=count"},
			[]string{memory + " name"},
		},
		{
			"a file that is not valid breaks itself alone", true,
			[]string{dbt, imported, own, "name: orders\nmesures: []\n", memory, "name: orders\nmeasures: ["},
			[]string{"orders From dbt. id amount/Amount/In cents./cents status row_count=count revenue=sum largest=max ~sales"},
			[]string{memory + " ", own + " mesures"},
		},
		{
			"an import that is not valid", true,
			[]string{dbt, "name: orders\ntable: [", own, "name: orders\nmeasures: [{name: mine, agg: count}]\n"},
			[]string{"orders As scanned. id amount/In cents. status row_count=count mine=count"}, []string{dbt + " "},
		},
		{
			"a member that is not valid hides what is below it", true,
			[]string{dbt, imported, own, "name: orders\nmeasures: [{name: revenue, agg: nonsense, expr: amount}]\n"},
			[]string{"orders From dbt. id amount/Amount/In cents./cents status row_count=count revenue=nonsense! largest=max ~sales"}, []string{own + " measures.revenue.agg"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := layered(tt.scanned, tt.files...)
			got := merged(m)
			if strings.Contains(got[0], "BROKEN") { // what it has does not matter
				got = tt.want
				if m.sources[m.order[0]].Broken == "" {
					t.Error("the source is not broken")
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			var problems []string
			for _, p := range m.Problems() {
				problems = append(problems, p.File+" "+p.Path)
			}
			if diff := cmp.Diff(slices.Sorted(slices.Values(tt.problems)), slices.Sorted(slices.Values(problems))); diff != "" {
				t.Errorf("problems -want +got:\n%s%v", diff, m.Problems())
			}
		})
	}
}

// Metrics have layers too.
func TestLayersOfMetrics(t *testing.T) {
	t.Parallel()
	metrics := func(names ...string) (text string) {
		for _, n := range names {
			name, expr, _ := strings.Cut(n, "=")
			text += fmt.Sprintf("  - {name: %s, type: derived, expr: orders.row_count * %s}\n", name, expr)
		}
		return "metrics:\n" + text
	}
	m := layered(true, "imported/dbt/metrics.yaml", metrics("a=1", "b=1"), "imported/looker/metrics.yaml", metrics("b=2", "e=2"),
		"_memory/metrics.yaml", metrics("a=3", "c=3", "d=3"), "metrics.yaml", metrics("c=4"))
	var got []string
	for _, x := range m.Source(Metrics).Measures {
		got = append(got, fmt.Sprintf("%s %s", x.Name, x.Broken))
		if x.Expr != nil {
			got[len(got)-1] += x.Expr.Value
		}
	}
	want := []string{"a orders.row_count * 1", "b b is defined in imported/dbt/metrics.yaml too; keep one of them", "e orders.row_count * 2", "c orders.row_count * 4", "d orders.row_count * 3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s%v", diff, m.Problems())
	}
}

// A model whose layers were edited one by one is the one that is built of them.
func TestLayersReload(t *testing.T) {
	t.Parallel()
	versions := map[string][]string{
		dbt:    {imported, strings.Replace(imported, "agg: max", "agg: min", 1), "name: orders\ntable: [", "name: orders\nsql: select 2 AS id\n", "name: orders\nsql: select 3 AS id\n"},
		memory: {"name: orders\nsynonyms: [a]\n", "name: orders\nsynonyms: [b]\nmeasures: [{name: aov, agg: avg, expr: amount}]\n", "name: [", ""},
		own:    {"name: orders\nmeasures: [{name: n, agg: count}]\n", "name: orders\nsql: select 3 AS id\n", "name: orders\nsql: select 4 AS id\n", "name: orders\nmesures: []\n", "name: orders\n\nmesures: []\n", ""},
	}
	m := layered(true)
	now := map[string]string{}
	for step := range 60 {
		path := []string{dbt, memory, own}[step%3]
		content := versions[path][(step*step/3+step)%len(versions[path])]
		now[path] = content
		f := Parse(path, []byte(content))
		if content == "" {
			delete(now, path)
			f = &File{Path: path}
		}
		m = m.With(f)
		var files []string
		for path, content := range now {
			files = append(files, path, content)
		}
		built := layered(true, files...)
		if diff := cmp.Diff(dump(built), dump(m)); diff != "" {
			t.Fatalf("step %d, %v (-built +edited):\n%s", step, now, diff)
		}
	}
}
