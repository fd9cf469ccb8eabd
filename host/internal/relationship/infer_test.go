package relationship

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// made makes a table whose columns are "name" for integers and "name:text" for
// texts; the values of each are start to start+rows-1.
func made(name string, rows, start int, columns ...string) Table {
	t := Table{Table: &sdk.Table{TableRef: sdk.TableRef{Schema: "s", Name: name}}}
	for _, c := range columns {
		t.Columns = append(t.Columns, sdk.Column{Name: c, Type: sdk.TypeInt64, NativeType: "bigint"})
		d := sqlkit.NewDistribution(c, &sdk.ProfileRequest{SketchSize: 64}, int64(rows), 0)
		for i := range rows {
			d.Number(fmt.Append(nil, start+i), 1)
		}
		t.Stats = append(t.Stats, d.Stats(true, true))
	}
	return t
}

func all(tables ...Table) iter.Seq2[Table, error] {
	return func(yield func(Table, error) bool) {
		for _, t := range tables {
			if !yield(t, nil) {
				return
			}
		}
	}
}

func link(from, column, to string) Link {
	return Link{From: sdk.TableRef{Schema: "s", Name: from}, Columns: []string{column}, To: sdk.TableRef{Schema: "s", Name: to}, ToColumns: []string{"id"}}
}

func infer(t *testing.T, r Request) *Result {
	t.Helper()
	if r.Validate == nil {
		r.Validate = func(context.Context, Candidate) (Check, error) { return Check{Checked: 10}, nil }
	}
	result, err := Infer(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func shown(r *Result) (all []string) {
	for _, one := range r.Relationships {
		all = append(all, fmt.Sprint(one.Origin, " ", one.Status, " ", one.Link))
	}
	return all
}

func TestNames(t *testing.T) {
	t.Parallel()
	parents := []Table{
		made("customers", 50, 1, "id"), made("product_categories", 50, 1, "id"), made("account", 50, 1, "acct_no"),
		made("dim_date", 50, 1, "date_key"), made("Straße", 50, 1, "StraßeID"), made("employees", 50, 1, "id", "manager_id"), made("level2", 50, 1, "id"),
	}
	for _, tc := range []struct{ column, want string }{
		{"customer_id", "customers"},
		{"CustomerID", "customers"},
		{"cust_id", "customers"},
		{"cstmr_id", "customers"},
		{"customer2_id", "customers"},
		{"customer_id_from", "customers"},
		{"level2_id", "level2"},
		{"num_employees", ""},
		{"custkey", "customers"},
		{"fk_customer", "customers"},
		{"billing_customer_id", "customers"},
		{"category_id", "product_categories"},
		{"account_id", "account"},
		{"order_date_key", "dim_date"},
		{"STRASSE_ID", "Straße"},
		{"customer_count", ""},
		{"quantity", ""},
		{"id", ""},
		{"warehouse_id", ""},
	} {
		t.Run(tc.column, func(t *testing.T) {
			t.Parallel()
			result := infer(t, Request{Tables: all(append(parents, made("facts", 20, 1, "x", tc.column))...)})
			got := ""
			for _, r := range result.Relationships {
				if r.From.Name == "facts" {
					got += r.To.Name
				}
			}
			if got != tc.want {
				t.Errorf("%s refers to %q, want %q: %v", tc.column, got, tc.want, shown(result))
			}
		})
	}
	if got := shown(infer(t, Request{Tables: all(parents...)})); len(got) != 0 { // a manager_id that is the id is none of a hierarchy
		t.Errorf("of the parents alone: %q", got)
	}
}

// A hierarchy has rows at its top: without any, what is called a parent may be another
// table's row. Of a table that belongs to another one by its name, either may be.
func TestHierarchies(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		child *sdk.ColumnStats
		want  []string
	}{
		{"deal_lines", parentColumn(30, 0, 0), []string{"inferred accepted s.deal_lines(parent_id) → s.deals(id)"}},
		{"deal_lines", parentColumn(30, 9, 0), []string{"inferred review s.deal_lines(parent_id) → s.deal_lines(id)", "inferred review s.deal_lines(parent_id) → s.deals(id)"}},
		{"topics", parentColumn(30, 9, 0), []string{"inferred accepted s.topics(parent_id) → s.topics(id)"}},
		{"topics", parentColumn(30, 0, 1), []string{"inferred accepted s.topics(parent_id) → s.topics(id)"}},
		{"topics", parentColumn(20, 0, 0), []string{"inferred review s.topics(parent_id) → s.topics(id)"}},
	} {
		table := made(tc.name, 50, 1, "id", "parent_id")
		table.Stats[1] = *tc.child
		got := infer(t, Request{Tables: all(made("deals", 40, 1, "id"), table)})
		if diff := cmp.Diff(tc.want, shown(got)); diff != "" {
			t.Errorf("%s of %d and %d without (-want +got):\n%s", tc.name, tc.child.Nulls, tc.child.Distinct, diff)
		}
	}
}

// parentColumn is a column of 50 rows that holds the numbers from 1 to distinct, and
// NULL and 0 in some rows.
func parentColumn(distinct, nulls, zeros int) *sdk.ColumnStats {
	d := sqlkit.NewDistribution("parent_id", &sdk.ProfileRequest{SketchSize: 64}, 50, int64(nulls))
	if zeros > 0 {
		d.Number([]byte("0"), int64(zeros))
	}
	for i := range distinct {
		n := 1
		if i == 0 {
			n = 50 - nulls - zeros - distinct + 1
		}
		d.Number(fmt.Append(nil, i+1), int64(n))
	}
	s := d.Stats(true, true)
	return &s
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	tables := func() iter.Seq2[Table, error] {
		return all(made("customers", 50, 1, "id"), made("orders", 50, 1, "id", "customer_id", "buyer"), made("people", 50, 1, "id"))
	}
	asked := 0
	count := func(context.Context, Candidate) (Check, error) { asked++; return Check{Checked: 1}, nil }
	decisions := Decisions{}.
		With(Decision{Link: link("orders", "customer_id", "customers"), Status: Rejected}).
		With(Decision{Link: link("orders", "buyer", "people"), Status: Rejected}).
		With(Decision{Link: link("orders", "buyer", "people"), Status: Accepted, Note: "they are"}).
		With(Decision{Link: link("orders", "gone", "people"), Status: Accepted})
	path := filepath.Join(t.TempDir(), "decisions.json")
	if none, err := LoadDecisions(path); none != nil || err != nil {
		t.Errorf("without a file: %v, %v", none, err)
	}
	if err := PutDecisions(path, decisions); err != nil {
		t.Fatal(err)
	}
	back, err := LoadDecisions(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(decisions, back); diff != "" {
		t.Errorf("decisions (-put +loaded):\n%s", diff)
	}
	result := infer(t, Request{Tables: tables(), Decisions: back, Validate: count})
	want := []string{"person accepted s.orders(buyer) → s.people(id)", "person rejected s.orders(customer_id) → s.customers(id)"}
	if diff := cmp.Diff(want, shown(result)); diff != "" || asked != 0 {
		t.Errorf("%d validations; relationships (-want +got):\n%s", asked, diff)
	}
	if len(result.Stale) != 1 || result.Stale[0].Columns[0] != "gone" {
		t.Errorf("stale: %v", result.Stale)
	}
	back = back.Without(link("orders", "customer_id", "customers"))
	result = infer(t, Request{Tables: tables(), Decisions: back, Validate: count})
	if got := shown(result); asked != 1 || got[1] != "inferred accepted s.orders(customer_id) → s.customers(id)" {
		t.Errorf("%d validations after taking a decision back: %v", asked, got)
	}
	for _, content := range []string{"{", `[{"status":"maybe"}]`, `[{"status":"accepted","columns":["a"]}]`} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadDecisions(path); sdk.KindOf(err) != sdk.KindInvalid {
			t.Errorf("%s: %v", content, err)
		}
	}
}

// Decisions that a link leads out of the project are neither read nor written.
func TestDecisionsOutsideTheProject(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	outside, project := filepath.Join(dir, "outside"), filepath.Join(dir, "project")
	own := filepath.Join(project, "relationships", "own.json")
	one := Decisions{}.With(Decision{Link: link("orders", "buyer", "people"), Status: Accepted})
	for _, folder := range []string{outside, filepath.Dir(own)} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	before := []byte("[]\n")
	if err := os.WriteFile(filepath.Join(outside, "theirs.json"), before, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{
		filepath.Join(project, "linked"): outside, filepath.Join(filepath.Dir(own), "theirs.json"): "../../outside/theirs.json", filepath.Join(project, "within"): "relationships",
	} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{filepath.Join(project, "linked", "theirs.json"), filepath.Join(filepath.Dir(own), "theirs.json")} {
		if got, err := LoadDecisions(path); sdk.KindOf(err) != sdk.KindDenied {
			t.Errorf("%s is read: %v, %v", path, got, err)
		}
		if err := PutDecisions(path, one); sdk.KindOf(err) != sdk.KindDenied {
			t.Errorf("%s is written: %v", path, err)
		}
	}
	if err := PutDecisions(filepath.Join(project, "linked", "new.json"), one); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("a new file outside is written: %v", err)
	}
	if now, err := os.ReadFile(filepath.Join(outside, "theirs.json")); err != nil || !bytes.Equal(now, before) {
		t.Errorf("outside is now %q, %v", now, err)
	}
	if err := PutDecisions(filepath.Join(project, "within", "own.json"), one); err != nil {
		t.Errorf("a link within the project: %v", err)
	}
	if got, err := LoadDecisions(own); err != nil || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	at := time.Unix(5, 0)
	for _, tc := range []struct {
		name  string
		check Check
		err   error
		want  string
	}{
		{"holds", Check{Checked: 20}, nil, "inferred accepted s.orders(customer_id) → s.customers(id)"},
		{"at the limit", Check{Checked: 20, Missing: 1}, nil, "inferred accepted s.orders(customer_id) → s.customers(id)"},
		{"below the limit", Check{Checked: 20, Missing: 2}, nil, "inferred review s.orders(customer_id) → s.customers(id)"},
		{"does not hold", Check{Checked: 20, Missing: 19}, nil, ""},
		{"no values", Check{}, nil, "inferred review s.orders(customer_id) → s.customers(id)"},
		{"not unique", Check{Checked: 20, Duplicates: 1}, nil, ""},
		{"fails", Check{}, errors.New("no right to"), "inferred review s.orders(customer_id) → s.customers(id)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			result := infer(t, Request{
				Tables: all(made("customers", 50, 1, "id"), made("orders", 50, 1, "id", "customer_id")), Now: func() time.Time { return at },
				Validate: func(context.Context, Candidate) (Check, error) { return tc.check, tc.err },
			})
			got := ""
			for _, r := range result.Relationships {
				got = shown(result)[0]
				if (r.Status == Accepted) != (r.Evidence.Reason == "") {
					t.Errorf("%s without a reason, or accepted with one: %+v", r.Status, r.Evidence)
				}
				if tc.err == nil && (r.Evidence.Checked != tc.check.Checked || !r.Evidence.ValidatedAt.Equal(at)) {
					t.Errorf("evidence %+v of %+v", r.Evidence, tc.check)
				}
			}
			if got != tc.want || result.Validations != 1 {
				t.Errorf("%q after %d validations, want %q", got, result.Validations, tc.want)
			}
		})
	}
}

// Each table's best candidate is asked about before any table's second one.
func TestEnoughAndCancel(t *testing.T) {
	t.Parallel()
	tables := []Table{made("customers", 50, 1, "id")}
	for i := range 40 {
		name := "fact" + string(rune('a'+i%26)) + string(rune('a'+i/26))
		tables = append(tables, made(name, 20, 1, "x", "customer_id", "billing_customer_id", "shipping_customer_id"))
	}
	asked := 0
	result := infer(t, Request{Tables: all(tables...), Validate: func(context.Context, Candidate) (Check, error) {
		if asked++; asked > 82 {
			return Check{}, ErrEnough
		}
		return Check{Checked: 10}, nil
	}})
	if result.Validations != 82 || result.Unchecked != 38 || result.Candidates != 120 {
		t.Errorf("%d validations, %d unchecked of %d; want 82, 38 of 120", result.Validations, result.Unchecked, result.Candidates)
	}
	found := map[string]int{}
	for _, r := range result.Relationships {
		found[r.Columns[0]]++
	}
	if found["customer_id"] != 40 || found["billing_customer_id"]+found["shipping_customer_id"] != 42 {
		t.Errorf("%v; want the best of each of 40 tables first", found)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Infer(ctx, Request{Tables: all(tables...), Validate: func(context.Context, Candidate) (Check, error) {
		cancel()
		return Check{}, nil
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if result, err := Infer(t.Context(), Request{Tables: all(tables...)}); err != nil || result.Validations != 0 || result.Relationships[0].Status != Review {
		t.Errorf("without validation: %v, %v", result, err)
	}
}

func TestDeclared(t *testing.T) {
	t.Parallel()
	orders := made("orders", 50, 1, "id", "customer_id")
	orders.Keys = []sdk.Key{{Kind: sdk.KeyForeign, Name: "fk", Columns: []string{"customer_id"}, Ref: sdk.TableRef{Name: "customers"}, RefColumns: []string{"id"}}}
	result := infer(t, Request{Tables: all(made("customers", 50, 1, "id"), orders), Decisions: Decisions{{Link: link("orders", "customer_id", "customers"), Status: Accepted}}})
	if diff := cmp.Diff([]string{"declared accepted s.orders(customer_id) → s.customers(id)"}, shown(result)); diff != "" || result.Validations != 0 {
		t.Errorf("%d validations (-want +got):\n%s", result.Validations, diff)
	}
}

func BenchmarkInfer(b *testing.B) {
	var tables []Table
	for i := range 400 {
		columns := []string{fmt.Sprintf("thing%d_id", i)}
		for j := range 49 {
			columns = append(columns, fmt.Sprintf("thing%d_id", (i*7+j*11+1)%400))
		}
		tables = append(tables, made(fmt.Sprintf("thing%d", i), 50, 1, columns...))
	}
	for b.Loop() {
		result, err := Infer(b.Context(), Request{Tables: all(tables...), Validate: func(context.Context, Candidate) (Check, error) { return Check{Checked: 1}, nil }})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(result.Candidates), "candidates")
		b.ReportMetric(float64(result.Validations), "validations")
	}
}
