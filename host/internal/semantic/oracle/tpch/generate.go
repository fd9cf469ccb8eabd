// Package tpch makes the tables of the TPC-H benchmark at small scales, from a
// seed: keys, columns and the distributions that its queries select by have the
// shape of the benchmark's own. It is no replacement for that generator: texts are
// shorter, and what a small scale would make too rare to meet (large orders, the
// parts of single queries, complaints) is planted, so that the queries have rows.
package tpch

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Table is one of the eight tables.
// Shape: a value is int64, float64 or string; dates are "2006-01-02". No value is
// missing.
// Source: the keys that clause 1.4.2 of the TPC-H specification (version 3) allows.
type Table struct {
	Name    string
	Columns []Column
	Rows    [][]any
	Key     []string // the primary key
	Refers  []Reference
}

// Reference is a foreign key to a primary key.
type Reference struct {
	Columns []string
	To      string
}

// Column has a name and a type of SQL that every engine has.
type Column struct{ Name, Type string }

// generator draws the rows.
type generator struct {
	rng                                 *rand.Rand
	customers, suppliers, parts, orders int
}

// Generate makes the tables at a scale, referred ones before referring ones. The
// same scale and seed make the same rows.
// Units: scale 1 has 1,500,000 orders with about four lines each.
func Generate(scale float64, seed uint64) []Table {
	at := func(rows float64, least int) int { return max(least, int(rows*scale)) }
	g := &generator{
		rng:       rand.New(rand.NewPCG(seed, 0)),
		customers: at(150_000, 30), suppliers: at(10_000, 25), parts: at(200_000, 100), orders: at(1_500_000, 150),
	}
	orders, lines := g.ordered()
	return []Table{
		{"region", columns("r_regionkey bigint, r_name varchar(25), r_comment varchar(152)"), g.regions(), strings.Fields("r_regionkey"), nil},
		{"nation", columns("n_nationkey bigint, n_name varchar(25), n_regionkey bigint, n_comment varchar(152)"), g.nations(), strings.Fields("n_nationkey"), refers("n_regionkey region")},
		{"supplier", columns("s_suppkey bigint, s_name varchar(25), s_address varchar(40), s_nationkey bigint, s_phone varchar(15), s_acctbal decimal(15,2), s_comment varchar(101)"), g.supplying(), strings.Fields("s_suppkey"), refers("s_nationkey nation")},
		{"customer", columns("c_custkey bigint, c_name varchar(25), c_address varchar(40), c_nationkey bigint, c_phone varchar(15), c_acctbal decimal(15,2), c_mktsegment varchar(10), c_comment varchar(117)"), g.buying(), strings.Fields("c_custkey"), refers("c_nationkey nation")},
		{"part", columns("p_partkey bigint, p_name varchar(55), p_mfgr varchar(25), p_brand varchar(10), p_type varchar(25), p_size integer, p_container varchar(10), p_retailprice decimal(15,2), p_comment varchar(23)"), g.made(), strings.Fields("p_partkey"), nil},
		{"partsupp", columns("ps_partkey bigint, ps_suppkey bigint, ps_availqty integer, ps_supplycost decimal(15,2), ps_comment varchar(199)"), g.stocked(), strings.Fields("ps_partkey ps_suppkey"), refers("ps_partkey part, ps_suppkey supplier")},
		{"orders", columns("o_orderkey bigint, o_custkey bigint, o_orderstatus varchar(1), o_totalprice decimal(15,2), o_orderdate date, o_orderpriority varchar(15), o_clerk varchar(15), o_shippriority integer, o_comment varchar(79)"), orders, strings.Fields("o_orderkey"), refers("o_custkey customer")},
		{"lineitem", columns("l_orderkey bigint, l_partkey bigint, l_suppkey bigint, l_linenumber integer, l_quantity decimal(15,2), l_extendedprice decimal(15,2), l_discount decimal(15,2), l_tax decimal(15,2), l_returnflag varchar(1), l_linestatus varchar(1), l_shipdate date, l_commitdate date, l_receiptdate date, l_shipinstruct varchar(25), l_shipmode varchar(10), l_comment varchar(44)"), lines, strings.Fields("l_orderkey l_linenumber"), refers("l_orderkey orders, l_partkey part, l_suppkey supplier, l_partkey l_suppkey partsupp")},
	}
}

func pick[T any](g *generator, all []T) T { return all[g.rng.IntN(len(all))] }

// between draws a whole number, both ends included.
func (g *generator) between(low, high int) int { return low + g.rng.IntN(high-low+1) }

// money draws an amount with two digits, as the number that its text reads as.
func (g *generator) money(low, high int) float64 { return float64(g.between(low, high)) / 100 }

func (g *generator) comment(words int) string {
	text := pick(g, commentWords)
	for range words - 1 {
		text += " " + pick(g, commentWords)
	}
	return text
}

func (g *generator) address() string {
	return fmt.Sprintf("%d %s %s", g.between(1, 999), pick(g, commentWords), pick(g, colours))
}

// phone begins with the country: the nation's key and ten.
func (g *generator) phone(nation int) string {
	return fmt.Sprintf("%d-%03d-%03d-%04d", nation+10, g.between(100, 999), g.between(100, 999), g.between(1000, 9999))
}

func (g *generator) regions() (rows [][]any) {
	for i, name := range regions {
		rows = append(rows, []any{int64(i), name, g.comment(6)})
	}
	return rows
}

func (g *generator) nations() (rows [][]any) {
	for i, n := range nations {
		rows = append(rows, []any{int64(i), n.name, int64(n.region), g.comment(6)})
	}
	return rows
}

// supplying draws suppliers; one in fifty has complaints against it.
func (g *generator) supplying() (rows [][]any) {
	for i := range g.suppliers {
		key, nation, comment := i+1, g.rng.IntN(len(nations)), g.comment(6)
		if i < len(nations) {
			nation = i // each nation has one
		}
		if key%50 == 7 {
			comment = g.comment(2) + " Customer " + g.comment(1) + " Complaints"
		}
		rows = append(rows, []any{int64(key), fmt.Sprintf("Supplier#%09d", key), g.address(), int64(nation), g.phone(nation), g.money(-99_999, 999_999), comment})
	}
	return rows
}

func (g *generator) buying() (rows [][]any) {
	for i := range g.customers {
		key, nation := i+1, g.rng.IntN(len(nations))
		rows = append(rows, []any{
			int64(key), fmt.Sprintf("Customer#%09d", key), g.address(), int64(nation), g.phone(nation), g.money(-99_999, 999_999), pick(g, segments), g.comment(7),
		})
	}
	return rows
}

// planted are parts that single queries look for, by key modulo 100.
var planted = []struct {
	brand      string
	containers []string
	size       int
}{
	{"Brand#12", []string{"SM CASE", "SM BOX", "SM PACK", "SM PKG"}, 5},
	{"Brand#23", []string{"MED BAG", "MED BOX", "MED PKG", "MED PACK"}, 10},
	{"Brand#34", []string{"LG CASE", "LG BOX", "LG PACK", "LG PKG"}, 15},
	{"Brand#23", []string{"MED BOX"}, 50},
}

func (g *generator) made() (rows [][]any) {
	for i := range g.parts {
		key := i + 1
		maker := g.between(1, 5)
		brand, container, size := fmt.Sprintf("Brand#%d%d", maker, g.between(1, 5)), pick(g, containerSizes)+" "+pick(g, containerKinds), g.between(1, 50)
		if at := key % 100; at < len(planted) {
			p := planted[at]
			brand, container, size = p.brand, pick(g, p.containers), g.between(1, p.size)
		}
		name := pick(g, colours)
		for range 4 {
			name += " " + pick(g, colours)
		}
		kind := pick(g, typeFirst) + " " + pick(g, typeSecond) + " " + pick(g, typeThird)
		if key%100 == 50 {
			kind = "ECONOMY ANODIZED STEEL"
		}
		rows = append(rows, []any{int64(key), name, "Manufacturer#" + brand[6:7], brand, kind, int64(size), container, price(key), g.comment(2)})
	}
	return rows
}

// price is a part's price, which depends on its key alone.
func price(part int) float64 {
	return float64(90_000+part/10%20_001+100*(part%1000)) / 100
}

// supplierOf is the i-th of a part's four suppliers, which are spread over all.
func (g *generator) supplierOf(part, i int) int {
	s := g.suppliers
	return (part+i*(s/4+(part-1)/s))%s + 1
}

func (g *generator) stocked() (rows [][]any) {
	for part := 1; part <= g.parts; part++ {
		seen := map[int]bool{}
		for i := range 4 {
			supplier := g.supplierOf(part, i)
			if seen[supplier] {
				continue
			}
			seen[supplier] = true
			rows = append(rows, []any{int64(part), int64(supplier), int64(g.between(1, 9999)), g.money(100, 100_000), g.comment(8)})
		}
	}
	return rows
}

var (
	firstOrder = time.Date(1992, 1, 1, 0, 0, 0, 0, time.UTC)
	today      = time.Date(1995, 6, 17, 0, 0, 0, 0, time.UTC)
)

// orderDays is how many days orders are placed on, up to 2 August 1998.
const orderDays = 2406

func day(t time.Time) string { return t.Format("2006-01-02") }

// ordered draws orders with their lines. Every third customer has none, and keys
// are sparse: eight in a row, then a gap of 24.
func (g *generator) ordered() (orders, lines [][]any) {
	for i := range g.orders {
		key := int64(i/8*32 + i%8 + 1)
		customer := g.between(1, g.customers)
		for customer%3 == 0 {
			customer = g.between(1, g.customers)
		}
		placed := firstOrder.AddDate(0, 0, g.rng.IntN(orderDays))
		large := i%500 == 100
		n := g.between(1, 7)
		if large {
			n = 7
		}
		total, shipped := 0.0, 0
		for number := range n {
			line, open, gross := g.line(key, number+1, placed, large)
			lines = append(lines, line)
			total += gross
			if !open {
				shipped++
			}
		}
		status := "P"
		switch shipped {
		case 0:
			status = "O"
		case n:
			status = "F"
		}
		comment := g.comment(7)
		if g.rng.IntN(60) == 0 {
			comment = g.comment(1) + " special " + g.comment(2) + " requests " + g.comment(1)
		}
		orders = append(orders, []any{
			key, int64(customer), status, float64(int64(total*100+0.5)) / 100, day(placed), pick(g, priorities),
			fmt.Sprintf("Clerk#%09d", g.between(1, max(1, g.orders/1500))), int64(0), comment,
		})
	}
	return orders, lines
}

// line draws a line of an order; open says that it was not shipped yet.
func (g *generator) line(order int64, number int, placed time.Time, large bool) (row []any, open bool, gross float64) {
	part := g.between(1, g.parts)
	quantity, mode, instruct := g.between(1, 50), pick(g, shipModes), pick(g, instructions)
	if part%100 < 3 && g.rng.IntN(3) == 0 {
		mode, instruct, quantity = "AIR", "DELIVER IN PERSON", 1+10*(part%100)+g.rng.IntN(10)
	}
	if part%100 == 3 && g.rng.IntN(3) == 0 {
		quantity = 1
	}
	if large {
		quantity = g.between(45, 50)
	}
	shipped := placed.AddDate(0, 0, g.between(1, 121))
	committed := placed.AddDate(0, 0, g.between(30, 90))
	received := shipped.AddDate(0, 0, g.between(1, 30))
	flag, status := "N", "F"
	if !received.After(today) {
		flag = pick(g, []string{"R", "A"})
	}
	if open = shipped.After(today); open {
		status = "O"
	}
	discount, tax := g.money(0, 10), g.money(0, 8)
	extended := float64(int64(float64(quantity)*price(part)*100+0.5)) / 100
	return []any{
		order, int64(part), int64(g.supplierOf(part, g.rng.IntN(4))), int64(number), float64(quantity), extended, discount, tax,
		flag, status, day(shipped), day(committed), day(received), instruct, mode, g.comment(4),
	}, open, extended * (1 + tax) * (1 - discount)
}
