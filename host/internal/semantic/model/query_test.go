package model

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

const soldQuery = "SELECT id, price, qty, amount, At, note FROM orders"

// sold is a source over a query with what a file says of it.
func sold(yaml string) []*File {
	return []*File{
		Parse("sold.yaml", []byte("name: sold\nsql: "+soldQuery+";\n"+yaml)),
		Parse("other.yaml", []byte("name: other\ntable: other\ndimensions: [{name: note}]\nmeasures: [{name: n, agg: count}]\n")),
	}
}

func soldColumns() []*Query {
	return []*Query{{SQL: soldQuery, Columns: []Column{
		{Name: "id", Type: sdk.TypeInt64}, {Name: "price", Type: sdk.TypeDecimal}, {Name: "qty", Type: sdk.TypeInt64},
		{Name: "amount", Type: sdk.TypeDecimal}, {Name: "At", Type: sdk.TypeTimestamp}, {Name: "note", Type: sdk.TypeText},
	}}}
}

func dimensions(s *Source) (all []string) {
	for i := range s.Dimensions {
		d := &s.Dimensions[i]
		all = append(all, fmt.Sprintf("%s/%s/%s/%s", d.Name, d.Type, d.Logical, d.Column))
	}
	return all
}

// A description gives dimensions types, adds those that no file declares, and names
// what the query does not give.
func TestDescribedQuery(t *testing.T) {
	t.Parallel()
	files := sold(`primary_key: [id]
dimensions: [{name: at, type: time}, {name: amount}, {name: price, type: string}, {name: lost, type: number}, {name: twice, expr: qty * 2}]
measures: [{name: revenue, agg: sum, expr: amount}, {name: wrong, agg: sum, expr: amout}]
`)
	native := postgres(t, "main")
	before := Build(Input{Dialect: native, Files: files})
	clean(t, before)
	if got := before.Undescribed(nil); len(got) != 1 || got[0].Name != "sold" {
		t.Errorf("undescribed: %v", got)
	}
	m := before.WithColumns(nil, soldColumns())
	if got := m.Undescribed(nil); got != nil {
		t.Errorf("still undescribed: %v", got)
	}
	s := source(t, m, "sold")
	want := []string{
		"at/time/timestamp/At", "amount/number/decimal/amount", "price/string/decimal/price", "lost/number/unspecified/lost", "twice//unspecified/",
		"id/number/int64/id", "qty/number/int64/qty", "note/string/text/note",
	}
	if diff := cmp.Diff(want, dimensions(s)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var got []string
	for _, p := range m.Problems() {
		got = append(got, p.String())
	}
	want = []string{
		"sold.yaml:4:90: dimensions.lost: the query of sold gives no column lost",
		"sold.yaml:5:83: measures.wrong.expr: sold has no column or dimension amout; did you mean amount?",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if before.Hash() == m.Hash() {
		t.Error("a description leaves the model's hash as it was")
	}
	if again := m.WithColumns(nil, m.input.Queries); source(t, again, "sold") != s {
		t.Error("the same description makes the source again")
	}
	if diff := cmp.Diff(dump(Build(Input{Dialect: native, Files: files, Queries: soldColumns()})), dump(m)); diff != "" {
		t.Errorf("-fresh +after:\n%s", diff)
	}
	other := Parse("sold.yaml", []byte("name: sold\nsql: SELECT 1 AS one\n"))
	if got := m.With(other).Undescribed(nil); len(got) != 1 {
		t.Errorf("another query is described: %v", got)
	}
}

// No name means another thing because a query was described: neither in definitions,
// in the engine's own SQL, nor in requests.
func TestDescriptionsChangeNoMeaning(t *testing.T) {
	t.Parallel()
	native := postgres(t, "main")
	files := sold(`dimensions: [{name: amount, expr: price * qty}, {name: price}]
measures:
  - {name: revenue, agg: sum, expr: amount}
  - {name: spent, agg: sum, expr: qty}
  - {name: raw, expr: "sum(price -> note)", dialect: postgres}
joins: [{to: other, join_on: sold.id = other.id, relationship: many_to_one}]
`)
	for _, queries := range [][]*Query{nil, soldColumns()} {
		m := Build(Input{Dialect: native, Files: files, Queries: queries})
		clean(t, m)
		s := source(t, m, "sold")
		var got []string
		for i := range s.Measures {
			got = append(got, s.Measures[i].Name+" "+strings.Trim(meaning(m, s.Measures[i].Expr), "<>"))
		}
		if diff := cmp.Diff([]string{"revenue amount", "spent qty", "raw price"}, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if s.Measures[0].Expr.Refs[0].Dimension == 0 {
			t.Error("amount is the column that only the engine names")
		}
		for _, home := range []SourceID{Metrics, s.ID} {
			found, err := m.Lookup(home, "note")
			if err != nil || len(found) != 1 || m.Source(found[0].Source).Name != "other" {
				t.Errorf("note means %+v, %v", found, err)
			}
		}
		found, err := m.Lookup(Metrics, "sold", "note")
		if described := queries != nil; described != (err == nil && len(found) == 1) {
			t.Errorf("sold.note means %+v, %v", found, err)
		}
	}
	m := Build(Input{Dialect: native, Files: files, Queries: soldColumns()})
	if all := m.Warnings(); len(all) == 0 || !strings.Contains(all[0].Msg, "is called like a column that the query of sold gives") {
		t.Errorf("%v", all)
	}
}
