package relationship

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// within puts a table into another schema.
func within(schema string, t Table) Table {
	t.Schema = schema
	return t
}

// rivals are a shop's products and those of its star schema, numbered alike.
func rivals(reviews string) []Table {
	return []Table{
		within("shop", made("products", 50, 1, "product_id", "price")), within("wh", made("dim_prod", 50, 1, "prod_key", "brand")),
		within(reviews, made("reviews", 40, 1, "review_id", "prod_id")),
	}
}

// Where two parents hold, the one in the column's schema is meant, and with none
// there a person is asked: both are shown, each with the other.
func TestRivals(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string][]string{
		"shop": {"inferred accepted shop.reviews(prod_id) → shop.products(product_id)"},
		"wh":   {"inferred accepted wh.reviews(prod_id) → wh.dim_prod(prod_key)"},
		"web":  {"inferred review web.reviews(prod_id) → wh.dim_prod(prod_key)", "inferred review web.reviews(prod_id) → shop.products(product_id)"},
	} {
		got := infer(t, Request{Tables: all(rivals(schema)...)})
		if diff := cmp.Diff(want, shown(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", schema, diff)
		}
		for _, r := range got.Relationships {
			if named := len(r.Evidence.Rivals) == 1 && strings.Contains(r.Evidence.Reason, r.Evidence.Rivals[0].end()); named != (r.Status == Review) {
				t.Errorf("%s: %+v", r, r.Evidence)
			}
		}
	}
}

// Who rejects one of two rivals has said which is meant: at once, and in every scan
// after it.
func TestRejectedRival(t *testing.T) {
	t.Parallel()
	tables := rivals("web")
	first := infer(t, Request{Tables: all(tables...)})
	rejected := Decisions{{Link: first.Relationships[0].Link, Status: Rejected}}
	want := []string{"person rejected web.reviews(prod_id) → wh.dim_prod(prod_key)", "inferred accepted web.reviews(prod_id) → shop.products(product_id)"}
	if diff := cmp.Diff(want, shown(&Result{Relationships: Decided(first.Relationships, rejected)})); diff != "" {
		t.Errorf("at once (-want +got):\n%s", diff)
	}
	for name, same := range map[string]bool{"a scan of the same": true, "a full scan": false} {
		got := infer(t, Request{Tables: all(tables...), Decisions: rejected, Earlier: first, Same: func(sdk.TableRef) bool { return same }})
		if diff := cmp.Diff(want, shown(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	again := infer(t, Request{Tables: all(tables...), Earlier: first, Same: func(sdk.TableRef) bool { return true }})
	if diff := cmp.Diff(shown(first), shown(again)); diff != "" || again.Validations != 0 {
		t.Errorf("without a decision, %d validations (-first +again):\n%s", again.Validations, diff)
	}
}

// Of three rivals one is rejected: the others still wait, and neither names the one
// that is out.
func TestOneOfThreeRivals(t *testing.T) {
	t.Parallel()
	tables := append(rivals("web"), within("mart", made("dim_prod", 50, 1, "prod_key", "unit")))
	first := infer(t, Request{Tables: all(tables...)})
	if len(first.Relationships) != 3 {
		t.Fatalf("%q", shown(first))
	}
	out := first.Relationships[0].Link
	for _, r := range Decided(first.Relationships, Decisions{{Link: out, Status: Rejected}}) {
		if r.Equal(out) {
			continue
		}
		if r.Status != Review || len(r.Evidence.Rivals) != 1 || r.Evidence.Rivals[0].Equal(out) || !strings.Contains(r.Evidence.Reason, r.Evidence.Rivals[0].end()) {
			t.Errorf("%s: %s, %+v", r, r.Status, r.Evidence)
		}
	}
}

// A parent that could not be asked may be the one that is meant.
func TestUnknownRival(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]error{"a query failed": errors.New("statement timeout"), "there was enough": ErrEnough} {
		got := infer(t, Request{Tables: all(rivals("web")...), Validate: func(_ context.Context, c Candidate) (Check, error) {
			if c.To.Name == "products" {
				return Check{}, refuse
			}
			return Check{Checked: 10}, nil
		}})
		for _, r := range got.Relationships {
			if r.Status == Accepted {
				t.Errorf("%s: accepted %s", name, r)
			}
		}
		if refuse == ErrEnough && got.Unchecked != 1 {
			t.Errorf("%d unchecked", got.Unchecked)
		}
	}
}

// What was validated before a full scan stays when the scan has no time to validate
// it again, and gives way to what nobody ever asked about.
func TestVerdictsStay(t *testing.T) {
	t.Parallel()
	then := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)
	old := []Table{made("customers", 50, 1, "id"), made("orders", 40, 1, "id", "customer_id")}
	first := infer(t, Request{Tables: all(old...), Now: func() time.Time { return then }})
	var asked []string
	got := infer(t, Request{
		Tables: all(append(old, made("tickets", 30, 1, "id", "customer_id"))...), Earlier: first, Same: func(sdk.TableRef) bool { return false },
		Validate: func(_ context.Context, c Candidate) (Check, error) {
			asked = append(asked, c.From.Name)
			if len(asked) > 1 {
				return Check{}, ErrEnough
			}
			return Check{Checked: 10}, nil
		},
	})
	if diff := cmp.Diff([]string{"tickets", "orders"}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	want := []string{"inferred accepted s.orders(customer_id) → s.customers(id)", "inferred accepted s.tickets(customer_id) → s.customers(id)"}
	if diff := cmp.Diff(want, shown(got)); diff != "" || got.Unchecked != 0 || !got.Relationships[0].Evidence.ValidatedAt.Equal(then) {
		t.Errorf("%d unchecked, %+v (-want +got):\n%s", got.Unchecked, got.Relationships[0].Evidence, diff)
	}
}

// Two tables of the same name in different schemas may each count their own rows: that
// the numbers of one are among those of the other is left to a person. A table that says
// more of another one's rows refers to it, and so does a column that is no key.
func TestCountedAlikeAcrossSchemas(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		from Table
		want []string
	}{
		"its own key":   {within("club", made("bills_2024", 30, 11, "bill_id", "seats")), []string{"inferred review club.bills_2024(bill_id) → fin.bills(bill_id)"}},
		"a detail":      {within("club", made("bill_details", 30, 11, "bill_id", "seats")), []string{"inferred accepted club.bill_details(bill_id) → fin.bills(bill_id)"}},
		"another's key": {within("club", made("visits", 30, 11, "visit_id", "bill_id")), []string{"inferred accepted club.visits(bill_id) → fin.bills(bill_id)"}},
	} {
		got := infer(t, Request{Tables: all(within("fin", made("bills", 90, 1, "bill_id", "pages")), tt.from)})
		if diff := cmp.Diff(tt.want, shown(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// In a database of many systems a name that fits by half and numbers that fit by chance
// are left to a person, until something certain joins the two schemas: then they count
// again, without another query.
func TestSchemasThatNothingJoins(t *testing.T) {
	t.Parallel()
	tables := []Table{
		within("shop", made("dim_product", 90, 1, "product_key", "price")), within("erp", made("order_line", 60, 1, "id", "product_id")),
		within("erp", made("stock", 60, 1, "id", "line_no")),
	}
	joined := within("erp", made("prices", 80, 1, "price_id", "product_key"))
	for i := range 7 {
		tables = append(tables, within("other"+strings.Repeat("x", i), made("notes", 5, 1, "note_id", "body")))
	}
	review := []string{"inferred review erp.order_line(product_id) → shop.dim_product(product_key)"}
	first := infer(t, Request{Tables: all(tables...)})
	if diff := cmp.Diff(review, shown(first)); diff != "" || first.Relationships[0].Evidence.Reason != apart {
		t.Errorf("%+v (-want +got):\n%s", first.Relationships, diff)
	}
	few := infer(t, Request{Tables: all(tables[:len(tables)-1]...)})
	want := []string{"inferred accepted erp.order_line(product_id) → shop.dim_product(product_key)"}
	if diff := cmp.Diff(want, shown(few)); diff != "" {
		t.Errorf("of few schemas (-want +got):\n%s", diff)
	}
	again := infer(t, Request{Tables: all(append(tables, joined)...), Earlier: first, Same: func(ref sdk.TableRef) bool { return ref.Name != "prices" }})
	want = append(want, "inferred accepted erp.prices(product_key) → shop.dim_product(product_key)")
	got := shown(again)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" || again.Validations != 1 {
		t.Errorf("%d validations, with a certain link (-want +got):\n%s", again.Validations, diff)
	}
}

// In a database of many systems the table of a schema that nothing certain joins to the
// column's is no rival of one in the column's own schema; where something joins them it is.
func TestRivalsInSchemasThatNothingJoins(t *testing.T) {
	t.Parallel()
	tables := []Table{
		within("shop", made("products", 90, 1, "product_id", "price")), within("erp", made("articles", 400, 1, "product_id", "price")),
		within("erp", made("order_line", 60, 1, "id", "product_id")),
	}
	for i := range 7 {
		tables = append(tables, within("other"+strings.Repeat("x", i), made("notes", 5, 1, "note_id", "body")))
	}
	joined := []Table{within("erp", made("carts", 60, 1, "cart_id", "country_code")), within("shop", made("countries", 80, 1, "country_code", "area"))}
	abroad, home := "shop.products(product_id)", "erp.articles(product_id)"
	for name, tt := range map[string]struct {
		tables []Table
		want   []string
	}{
		"many schemas":         {tables, []string{"accepted " + home}},
		"few schemas":          {tables[:len(tables)-1], []string{"review " + abroad, "review " + home}},
		"many that are joined": {append(slices.Clone(tables), joined...), []string{"review " + abroad, "review " + home}},
	} {
		var got []string
		for _, r := range infer(t, Request{Tables: all(tt.tables...)}).Relationships {
			if r.From.Name == "order_line" {
				got = append(got, string(r.Status)+" "+r.end())
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A column is no less its table's key because another schema has a table of its name.
func TestKeysNamedLikeTablesOfOtherSchemas(t *testing.T) {
	t.Parallel()
	own := []Table{within("club", made("bills_2024", 90, 1001, "bill_id", "seats")), within("club", made("bill_lines", 60, 1001, "line_id", "bill_id"))}
	want := []string{"inferred accepted club.bill_lines(bill_id) → club.bills_2024(bill_id)"}
	for name, tables := range map[string][]Table{"alone": own, "beside fin.bills": append(own, within("fin", made("bills", 90, 1, "bill_id", "pages")))} {
		if diff := cmp.Diff(want, shown(infer(t, Request{Tables: all(tables...)}))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
