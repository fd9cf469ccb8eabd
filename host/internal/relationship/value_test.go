package relationship

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// texts makes a table of text columns, with each one's values.
func textTable(name string, columns ...textColumn) Table {
	t := Table{Table: &sdk.Table{TableRef: sdk.TableRef{Schema: "s", Name: name}}}
	for _, c := range columns {
		d := sqlkit.NewDistribution(c.name, &sdk.ProfileRequest{SketchSize: 64, MaxValues: 50, TopValues: 20}, int64(c.each*len(c.values)), 0)
		for _, v := range c.values {
			d.Text([]byte(v), int64(c.each))
		}
		t.Columns = append(t.Columns, sdk.Column{Name: c.name, Type: sdk.TypeText, NativeType: "text"})
		t.Stats = append(t.Stats, d.Stats(true, true))
	}
	return t
}

type textColumn struct {
	name   string
	each   int // how often every value comes
	values []string
}

// serial returns n texts that no other kind has.
func serial(kind, n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("%08x-%04x-4000-8000-%012x", kind*7919, i, i*kind+kind))
	}
	return all
}

// A column of drawn texts refers to the key that holds them, whatever it is called: to
// the root where a table repeats its keys, and not to what people read.
func TestValues(t *testing.T) {
	t.Parallel()
	ids, cities := serial(1, 40), []string{"Ulm", "Graz", "Bern", "Lyon", "Oslo", "Riga", "Turin", "Porto"}
	tables := []Table{
		textTable("folk", textColumn{"id", 1, ids}), textTable("folk_settings", textColumn{"folk_id", 1, ids}),
		textTable("sites", textColumn{"site_id", 1, serial(2, 8)}, textColumn{"city", 1, cities}),
		textTable("doings", textColumn{"doing", 1, serial(3, 60)}, textColumn{"whose", 2, ids[:30]}, textColumn{"city", 5, cities}, textColumn{"mark", 30, []string{"a", "b"}}),
		textTable("ranks", textColumn{"rank_id", 1, []string{"a", "b", "c"}}),
	}
	want := []string{"inferred accepted s.folk_settings(folk_id) → s.folk(id)", "inferred accepted s.doings(whose) → s.folk(id)"}
	if diff := cmp.Diff(want, shown(infer(t, Request{Tables: all(tables...)}))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	half := infer(t, Request{Tables: all(tables...), Validate: func(context.Context, Candidate) (Check, error) { return Check{Checked: 10, Missing: 5}, nil }})
	for _, r := range half.Relationships {
		if r.Status == Accepted {
			t.Errorf("accepted with half of the values missing: %s", r)
		}
	}
}

// A value that stands for nothing is no orphan, and the evidence names it.
// A table that refers to another by its key and repeats a unique value of that row, as an
// invoice repeats a customer's postal code, refers to it once.
func TestCopiedValues(t *testing.T) {
	t.Parallel()
	keys, places := serial(1, 40), serial(2, 40)
	customers := textTable("customers", textColumn{"customer_id", 1, keys}, textColumn{"postal_code", 1, places})
	invoices := textTable("invoices", textColumn{"invoice_id", 1, serial(3, 60)}, textColumn{"customer_id", 2, keys[:30]}, textColumn{"billing_postal_code", 2, places[:30]})
	want := []string{"inferred accepted s.invoices(customer_id) → s.customers(customer_id)"}
	if diff := cmp.Diff(want, shown(infer(t, Request{Tables: all(customers, invoices)}))); diff != "" {
		t.Errorf("named (-want +got):\n%s", diff)
	}
	customers.Keys = []sdk.Key{{Kind: sdk.KeyPrimary, Columns: []string{"customer_id"}}}
	invoices.Columns[1].Name, invoices.Stats[1].Column = "whose", "whose"
	invoices.Keys = []sdk.Key{{Kind: sdk.KeyForeign, Columns: []string{"whose"}, Ref: customers.TableRef, RefColumns: []string{"customer_id"}}}
	want = []string{"declared accepted s.invoices(whose) → s.customers(customer_id)"}
	if diff := cmp.Diff(want, shown(infer(t, Request{Tables: all(customers, invoices)}))); diff != "" {
		t.Errorf("declared (-want +got):\n%s", diff)
	}
}

func TestNoValue(t *testing.T) {
	t.Parallel()
	notes := textTable("notes", textColumn{"note_id", 1, serial(5, 40)}, textColumn{"folk_id", 4, append(serial(1, 9), "N/A")})
	got := infer(t, Request{Tables: all(textTable("folk", textColumn{"id", 1, serial(1, 40)}), notes), Validate: func(context.Context, Candidate) (Check, error) {
		return Check{Checked: 10, Missing: 1}, nil
	}})
	if diff := cmp.Diff([]string{"inferred accepted s.notes(folk_id) → s.folk(id)"}, shown(got)); diff != "" {
		t.Fatalf("-want +got:\n%s", diff)
	}
	if e := got.Relationships[0].Evidence; e.None != "N/A" || e.Containment != 1 || e.Missing != 1 {
		t.Errorf("%+v", e)
	}
}

// Ten times as many tables are ten times the work: columns by the thousand that hold
// the same few words make no candidates, each column is asked about few keys, and
// tables that all begin alike are not compared with each other.
func TestGrowth(t *testing.T) {
	for name, tc := range map[string]struct {
		table      func(i, n int) Table
		candidates int // of each table
	}{
		"values": {func(i, n int) Table {
			return textTable("thing"+string(rune(0x4e00+i)), textColumn{"id", 1, serial(i+1, 20)},
				textColumn{"x", 2, serial(i*7%n+1, 10)}, textColumn{"y", 2, serial(i*3%n+1, 10)}, textColumn{"word", 10, []string{"open", "paid"}},
				textColumn{"slug", 1, append(serial(0, 19), fmt.Sprint("only", i))})
		}, 2},
		"names": {func(i, _ int) Table {
			name := "t_" + strings.Map(func(r rune) rune { return 'a' + r - '0' }, strconv.Itoa(i))
			return made(name, 20, 1, name+"_id", "t_parent", "t_other_id", "qty")
		}, 1},
	} {
		work := func(n int) (float64, *Result) {
			var tables []Table
			for i := range n {
				tables = append(tables, tc.table(i, n))
			}
			var result *Result
			allocs := testing.AllocsPerRun(1, func() { result = infer(t, Request{Tables: all(tables...)}) })
			return allocs, result
		}
		few, small := work(100)
		many, large := work(1000)
		if small.Candidates > tc.candidates*100 || large.Candidates > tc.candidates*1000 || name == "values" && large.Candidates < 1500 {
			t.Errorf("%s: %d candidates of 100 tables, %d of 1000", name, small.Candidates, large.Candidates)
		}
		if many > 12*few {
			t.Errorf("%s: %.0f allocations for 100 tables, %.0f for 1000", name, few, many)
		}
	}
}
