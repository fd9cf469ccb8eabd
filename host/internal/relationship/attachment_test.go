package relationship

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// What was validated between tables that are the same is not asked again, and
// comes out the same; where a table changed, it is.
func TestEarlierValidations(t *testing.T) {
	t.Parallel()
	tables := all(made("customers", 50, 1, "id"), made("products", 60, 1, "id"),
		made("orders", 40, 1, "id", "customer_id", "product_id", "billing_product_id"))
	asked := 0
	validate := func(_ context.Context, c Candidate) (Check, error) {
		asked++
		if c.Columns[0] == "billing_product_id" {
			return Check{Checked: 10, Missing: 9}, nil
		}
		return Check{Checked: 10}, nil
	}
	then := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)
	first := infer(t, Request{Tables: tables, Validate: validate, Now: func() time.Time { return then }})
	if asked != 3 || first.Validations != 3 || len(first.Refuted) != 1 {
		t.Fatalf("%d questions, %+v", asked, first)
	}
	raw, err := first.Encode()
	if err != nil {
		t.Fatal(err)
	}
	earlier, err := Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name    string
		changed string
		asked   int
	}{{"nothing changed", "", 0}, {"a parent changed", "customers", 1}, {"the child changed", "orders", 3}} {
		asked = 0
		again := infer(t, Request{
			Tables: tables, Validate: validate, Earlier: earlier,
			Same: func(ref sdk.TableRef) bool { return ref.Name != tc.changed },
			Now:  func() time.Time { return then },
		})
		if asked != tc.asked || again.Validations != tc.asked {
			t.Errorf("%s: %d questions, %d counted; want %d", tc.name, asked, again.Validations, tc.asked)
		}
		if diff := cmp.Diff(first.Relationships, again.Relationships); diff != "" {
			t.Errorf("%s (-first +again):\n%s", tc.name, diff)
		}
	}
}

func TestEnoughValidations(t *testing.T) {
	t.Parallel()
	asked := 0
	got := infer(t, Request{
		Tables: all(made("customers", 50, 1, "id"), made("products", 60, 1, "id"), made("orders", 40, 1, "id", "customer_id", "product_id")),
		Validate: func(context.Context, Candidate) (Check, error) {
			if asked++; asked > 1 {
				return Check{}, ErrEnough
			}
			return Check{Checked: 10}, nil
		},
	})
	if asked != 2 || got.Validations != 1 || got.Unchecked != 1 || len(got.Relationships) != 1 {
		t.Errorf("%d questions: %+v", asked, got)
	}
}

// A view shows what tables hold: nothing is inferred about it, but a person may
// have decided something.
func TestDerived(t *testing.T) {
	t.Parallel()
	view := made("orders", 40, 1, "id", "customer_id")
	view.Derived = true
	parent := made("customer", 50, 1, "id")
	parent.Derived = true
	decided := Decision{Link: link("orders", "customer_id", "customers"), Status: Accepted}
	got := infer(t, Request{Tables: all(made("customers", 50, 1, "id"), parent, view), Decisions: Decisions{decided}})
	if diff := cmp.Diff([]string{"person accepted s.orders(customer_id) → s.customers(id)"}, shown(got)); diff != "" || len(got.Stale) > 0 || got.Candidates != 0 {
		t.Errorf("%+v (-want +got):\n%s", got, diff)
	}
}

func TestDecided(t *testing.T) {
	t.Parallel()
	inferred := func(status Status, score float64, l Link) Relationship {
		return Relationship{Link: l, Origin: Inferred, Status: status, Score: score}
	}
	found := []Relationship{
		{Link: link("a", "x_id", "x"), Origin: Declared, Status: Accepted, Score: 1},
		inferred(Accepted, .9, link("a", "y_id", "y")),
		inferred(Review, .5, link("a", "z_id", "z")),
		inferred(Accepted, .8, link("a", "w_id", "w")),
	}
	decisions := Decisions{
		{Link: link("a", "x_id", "x"), Status: Rejected}, // of what the warehouse declares
		{Link: link("a", "z_id", "z"), Status: Accepted},
		{Link: link("a", "w_id", "v"), Status: Accepted}, // to another table than was inferred
		{Link: link("b", "q", "y"), Status: Rejected},
		{Link: Link{From: sdk.TableRef{Name: "s.a"}, Columns: []string{"y_id"}, To: sdk.TableRef{Name: "s.y"}, ToColumns: []string{"id"}}, Status: Rejected},
	}
	got := shown(&Result{Relationships: Decided(found, decisions)})
	want := []string{
		"declared accepted s.a(x_id) → s.x(id)",
		"person accepted s.a(w_id) → s.v(id)",
		"person rejected s.a(y_id) → s.y(id)",
		"person accepted s.a(z_id) → s.z(id)",
		"person rejected s.b(q) → s.y(id)",
		"inferred accepted s.a(y_id) → s.y(id)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	if r, err := Decode(nil); err != nil || len(r.Relationships) != 0 {
		t.Errorf("nothing: %+v, %v", r, err)
	}
	if _, err := Decode([]byte("{")); sdk.KindOf(err) != sdk.KindInternal {
		t.Errorf("half of it: %v", err)
	}
}
