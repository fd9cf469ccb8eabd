package model

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// modelOf builds a model of sources in short form: a name, then joins like
// "buyer=customers on customer_id=id" with what is true of both sides, "<" in
// front of the relationship one_to_many and "=" of one_to_one.
func modelOf(t *testing.T, sources map[string][]string) *Model {
	t.Helper()
	var in Input
	for name, joins := range sources {
		var b strings.Builder
		fmt.Fprintf(&b, "name: %s\ntable: %s\nprimary_key: [id]\ndimensions: [{name: id}, {name: name}]\nmeasures: [{name: count, agg: count}]\njoins:\n", name, name)
		for _, j := range joins {
			relationship := "many_to_one"
			switch j[0] {
			case '<':
				relationship, j = "one_to_many", j[1:]
			case '=':
				relationship, j = "one_to_one", j[1:]
			}
			to, on, _ := strings.Cut(j, " on ")
			role, target, roled := strings.Cut(to, "=")
			fmt.Fprintf(&b, "  - {relationship: %s, to: ", relationship)
			called := role
			if roled {
				fmt.Fprintf(&b, "%s, role: %s", target, role)
			} else {
				b.WriteString(role)
			}
			var terms []string
			for _, term := range strings.Split(on, ", ") {
				if mine, theirs, ok := strings.Cut(term, "="); ok && !strings.Contains(term, " ") {
					term = name + "." + mine + " = " + called + "." + theirs
				}
				terms = append(terms, term)
			}
			fmt.Fprintf(&b, ", on: %q}\n", strings.Join(terms, " AND "))
		}
		in.Files = append(in.Files, Parse(name+".yaml", []byte(b.String())))
	}
	m := Build(in)
	clean(t, m)
	return m
}

func TestPaths(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		sources map[string][]string
		home    string
		refs    map[string]string
	}{
		{
			"two paths that bind the same columns are one",
			map[string][]string{
				"line": {"part on part_id=id", "stock on part_id=part_id, shop_id=shop_id"}, "stock": {"part on part_id=id", "shop on shop_id=id"}, "part": nil, "shop": nil,
			},
			"line",
			map[string]string{"part.name": "→ part", "stock.part.name": "→ part", "shop.name": "→ stock → shop"},
		},
		{
			"a direct join goes before a longer way, and says so",
			map[string][]string{"order": {"customer on customer_id=id", "contract on contract_id=id"}, "contract": {"customer on owner_id=id"}, "customer": nil},
			"order",
			map[string]string{
				"customer.name":          "→ customer (customer.name is taken over order → customer, not over order → contract → customer)",
				"contract.customer.name": "→ contract → customer",
			},
		},
		{
			"two longer ways are refused, whatever their lengths",
			map[string][]string{"order": {"a on a_id=id", "b on b_id=id"}, "a": {"region on region_id=id"}, "b": {"c on c_id=id"}, "c": {"region on region_id=id"}, "region": nil},
			"order",
			map[string]string{
				"region.name":   "order leads to region in several ways: over order → a → region; over order → b → c → region (ambiguous_path)",
				"a.region.name": "→ a → region",
				"b.region.name": "→ b → c → region",
				"c.region.name": "→ b → c → region",
			},
		},
		{
			"a declaration on both sides is one join",
			map[string][]string{"order": {"customer on customer_id=id"}, "customer": {"<order on id=customer_id"}},
			"order",
			map[string]string{"customer.name": "→ customer"},
		},
		{
			"one to one both ways leads back to where it started",
			map[string][]string{"user": {"=profile on id=user_id"}, "profile": nil, "order": {"user on user_id=id"}},
			"order",
			map[string]string{"user.name": "→ user", "profile.name": "→ user → profile"},
		},
		{
			"a range of validity keeps rows apart",
			map[string][]string{
				"sale":     {"rate on currency=currency, sale.day >= rate.valid_from, sale.day < rate.valid_to", "product on product_id=id"},
				"product":  {"rate on currency=currency, product.made >= rate.valid_from, product.made < rate.valid_to"},
				"rate":     nil,
				"currency": nil,
			},
			"sale",
			map[string]string{
				"rate.name":         "→ rate (rate.name is taken over sale → rate, not over sale → product → rate)",
				"product.rate.name": "→ product → rate",
			},
		},
		{
			"down, and down and up",
			map[string][]string{"customer": {"region on region_id=id"}, "order": {"customer on customer_id=id", "store on store_id=id"}, "item": {"order on order_id=id", "product on product_id=id"}, "ticket": {"customer on customer_id=id"}, "region": nil, "product": nil, "store": nil},
			"customer",
			map[string]string{
				"region.name":  "→ region",
				"order.name":   "⇒ order",
				"item.name":    "⇒ order ⇒ item",
				"product.name": "⇒ order ⇒ item → product",
				"store.name":   "⇒ order → store",
			},
		},
		{
			"up and then down shares a parent only",
			map[string][]string{"customer": nil, "order": {"customer on customer_id=id"}, "ticket": {"customer on customer_id=id"}},
			"ticket",
			map[string]string{"order.name": "ticket reaches order only through customer (many_to_one), then order (one_to_many) (not_reachable)"},
		},
		{
			"two ways down",
			map[string][]string{"region": nil, "order": {"ship=region on ship_id=id", "bill=region on bill_id=id"}},
			"region",
			map[string]string{
				"order.name": "region leads to order in several ways: over region → ship; over region → bill (ambiguous_path)",
			},
		},
		{
			"two facts between a home and a dimension",
			map[string][]string{"customer": nil, "product": nil, "order": {"customer on c=id", "product on p=id"}, "wish": {"customer on c=id", "product on p=id"}},
			"customer",
			map[string]string{
				"product.name": "customer leads to product in several ways: over customer → order → product; over customer → wish → product (ambiguous_path)",
			},
		},
		{
			"down, and up a join of a source with itself",
			map[string][]string{"dept": nil, "emp": {"dept on dept_id=id", "manager=emp on manager_id=id"}, "task": {"emp on emp_id=id"}},
			"dept",
			map[string]string{
				"emp.name":                 "⇒ emp",
				"emp.manager.name":         "⇒ emp → manager",
				"manager.name":             "⇒ emp → manager",
				"emp.manager.manager.name": "⇒ emp → manager → manager",
				"task.emp.manager.name":    "dept reaches emp, but not over task, emp and manager (not_reachable)",
			},
		},
		{
			"a join without a role is called by its source, and goes before one with a role",
			map[string][]string{"region": nil, "order": {"customer on customer_id=id", "region on region_id=id", "ship=region on ship_id=id"}, "item": {"order on order_id=id"}, "customer": nil},
			"customer",
			map[string]string{
				"order.region.name":      "⇒ order → region (region.name is taken over customer → order → region, not over customer → order → ship)",
				"order.ship.name":        "⇒ order → ship",
				"order.ship.region.name": "⇒ order → ship",
			},
		},
		{
			"no way at all",
			map[string][]string{"a": nil, "b": nil},
			"a",
			map[string]string{"b.name": "no join leads from a to b (no_join_path)"},
		},
		{
			"a circle of joins",
			map[string][]string{"a": {"b on b_id=id"}, "b": {"c on c_id=id"}, "c": {"a on a_id=id"}},
			"a",
			map[string]string{"c.name": "→ b → c", "b.name": "→ b"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := modelOf(t, tt.sources)
			for ref, want := range tt.refs {
				if diff := cmp.Diff(want, way(t, m, tt.home, ref)); diff != "" {
					t.Errorf("%s from %s (-want +got):\n%s", ref, tt.home, diff)
				}
			}
		})
	}
}

// TestCandidatesCanBePasted asks again with every reference that an ambiguous
// one is refused with: each means another path, and is not refused.
func TestCandidatesCanBePasted(t *testing.T) {
	t.Parallel()
	m := load(t, "tpch")
	for _, tt := range []struct{ home, ref string }{{"lineitem", "nation.n_name"}, {"lineitem", "region.r_name"}} {
		from := source(t, m, tt.home)
		members, err := m.Lookup(from.ID, strings.Split(tt.ref, ".")...)
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Path(from.ID, members[0].Ref)
		candidates := sdk.AsError(err, sdk.SourceHost).Candidates
		if len(candidates) != 2 {
			t.Fatalf("%s: candidates %v", tt.ref, candidates)
		}
		seen := map[string]bool{}
		for _, c := range candidates {
			got := way(t, m, tt.home, c)
			if strings.Contains(got, "(") || seen[got] {
				t.Errorf("%s leads %s", c, got)
			}
			seen[got] = true
		}
	}
}

// TestExplicitPaths asks with the path of a candidate that is an object.
func TestExplicitPaths(t *testing.T) {
	t.Parallel()
	m := modelOf(t, map[string][]string{
		"region": nil, "order": {"ship=region on ship_id=id", "bill=region on bill_id=id"}, "item": {"order on order_id=id"},
	})
	from := source(t, m, "region")
	for _, leaf := range []string{"order", "item"} {
		members, err := m.Lookup(from.ID, leaf, "name")
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Path(from.ID, members[0].Ref)
		candidates := sdk.AsError(err, sdk.SourceHost).Candidates
		if len(candidates) != 2 {
			t.Fatalf("%s: candidates %v", leaf, candidates)
		}
		for i, role := range []string{"ship", "bill"} {
			var c struct {
				Field string
				Via   []string
			}
			if err := json.Unmarshal([]byte(candidates[i]), &c); err != nil {
				t.Fatal(err)
			}
			members, err := m.Lookup(from.ID, strings.Split(c.Field, ".")...)
			if err != nil {
				t.Fatal(err)
			}
			p, err := m.Path(from.ID, members[0].Through(c.Via...))
			if err != nil || p.Steps[0].Role != role || p.Note != "" || m.sources[p.Source()].Name != leaf {
				t.Errorf("%s leads over %+v, %v", candidates[i], p, err)
			}
		}
	}
}

// TestBrokenJoinsStayInTheWay breaks a direct join: the longer way must not be
// taken in its place.
func TestBrokenJoinsStayInTheWay(t *testing.T) {
	t.Parallel()
	m := Build(Input{Files: []*File{
		Parse("customer.yaml", []byte("name: customer\ntable: customer\ndimensions: [{name: id}, {name: name}]\n")),
		Parse("contract.yaml", []byte("name: contract\ntable: contract\ndimensions: [{name: id}]\njoins: [{to: customer, on: contract.owner_id = customer.id, relationship: many_to_one}]\n")),
		Parse("order.yaml", []byte("name: order\ntable: order\ndimensions: [{name: id}]\njoins:\n- {to: contract, on: order.contract_id = contract.id, relationship: many_to_one}\n- {to: customer, on: order.customer_id = customer.id AND, relationship: many_to_one}\n")),
	}})
	if len(m.Problems()) != 1 {
		t.Errorf("problems %v", m.Problems())
	}
	got := way(t, m, "order", "customer.name")
	if !strings.Contains(got, CodeBroken) || !strings.Contains(got, "the expression ends") {
		t.Errorf("customer.name from order: %s", got)
	}
	if got := way(t, m, "order", "contract.customer.name"); got != "→ contract → customer" {
		t.Errorf("contract.customer.name from order: %s", got)
	}
}

// TestManyDiamonds asks across diamonds of joins on different columns, of which
// each doubles the ways: it must be refused, and soon.
func TestManyDiamonds(t *testing.T) {
	t.Parallel()
	sources := map[string][]string{}
	const n = 40
	for i := range n {
		sources[fmt.Sprintf("top%d", i)] = []string{fmt.Sprintf("left%d on l=id", i), fmt.Sprintf("right%d on r=id", i)}
		sources[fmt.Sprintf("left%d", i)] = []string{fmt.Sprintf("top%d on t=id", i+1)}
		sources[fmt.Sprintf("right%d", i)] = []string{fmt.Sprintf("top%d on t=id", i+1)}
	}
	sources[fmt.Sprintf("top%d", n)] = nil
	m := modelOf(t, sources)
	for _, ref := range []string{"top40.name", "top3.name"} {
		if got := way(t, m, "top0", ref); !strings.Contains(got, CodeAmbiguousPath) {
			t.Errorf("%s from top0: %s", ref, got)
		}
	}
	if got := way(t, m, "top0", "left0.name"); got != "→ left0" {
		t.Errorf("left0.name from top0: %s", got)
	}
	if n := len(m.closure(source(t, m, "top0").ID).nodes); n > maxClosure {
		t.Errorf("the closure has %d nodes", n)
	}
}

// TestEqualPathsHaveEqualSteps tests that references of equal meaning have the very same
// joins, so that a planner joins once.
func TestEqualPathsHaveEqualSteps(t *testing.T) {
	t.Parallel()
	m := load(t, "tpch")
	from := source(t, m, "lineitem")
	path := func(parts ...string) []Step {
		members, err := m.Lookup(from.ID, parts...)
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Path(from.ID, members[0].Ref)
		if err != nil {
			t.Fatal(err)
		}
		return p.Steps
	}
	a, b := path("part", "p_brand"), path("partsupp", "part", "p_type")
	if len(a) != 1 || len(b) != 1 || a[0] != b[0] {
		t.Errorf("part leads over %v and %v", a, b)
	}
	nation, region := path("supplier_nation", "n_name"), path("supplier_nation", "region", "r_name")
	if len(nation) != 2 || len(region) != 3 || region[0] != nation[0] || region[1] != nation[1] {
		t.Errorf("supplier_nation leads over %v and %v", nation, region)
	}
}
