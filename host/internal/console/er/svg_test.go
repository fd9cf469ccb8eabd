package er

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func shop() *Picture {
	return &Picture{
		Title: "orders", Description: "3 tables", Focus: 0,
		Tables: []Table{
			{Name: "shop.orders", Link: "/o?a=1&b=2", Columns: []Column{{"id", "bigint", true, false}, {"customer_id", "bigint", false, true}}, More: 3},
			{Name: "shop.customers", Link: "/c", Level: -1, Columns: []Column{{"id", "bigint", true, false}}},
			{Name: "shop.lines_of_orders_by_weight", Level: 1},
		},
		Edges: []Edge{
			{From: 0, To: 1, Columns: []string{"customer_id"}, ToColumns: []string{"id"}, FromMany: true, Label: "orders.customer_id → customers.id"},
			{From: 2, To: 0, Columns: []string{"order_id"}, FromMany: true, Inferred: true, Label: "lines"},
		},
	}
}

// elements parses XML and returns its elements with their attributes, and the texts.
func elements(t *testing.T, svg string) (all []xml.StartElement, texts []string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all, texts
		}
		if err != nil {
			t.Fatalf("no XML: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			all = append(all, token.Copy())
		case xml.CharData:
			texts = append(texts, string(token))
		}
	}
}

func TestSVG(t *testing.T) {
	t.Parallel()
	svg := shop().SVG("")
	_, texts := elements(t, svg)
	want := []string{
		"orders", "3 tables", "orders.customer_id → customers.id", "lines",
		"shop.orders", "PK", " id", "FK", " customer_id", "and 3 more", "shop.customers", "PK", " id", "shop.lines_of_orders_by_weight", "shop.lines_of_orders_by_wei…",
	}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	for _, part := range []string{`href="/o?a=1&amp;b=2"`, `class="er-box er-focus"`, `class="er-edge er-inferred"`, `<g class="er-box"`} {
		if !strings.Contains(svg, part) {
			t.Errorf("no %s in\n%s", part, svg)
		}
	}
	if strings.Contains(svg, "<style") || !strings.Contains(shop().SVG(Style), "<style>") {
		t.Error("only a picture that stands alone has a style")
	}
}

// Parents are left of the focus, children right of it, and the focus is in the middle of its level.
func TestPlaces(t *testing.T) {
	t.Parallel()
	p := shop()
	p.Tables = append(p.Tables, Table{Name: "sibling"}, Table{Name: "sibling"})
	p.Edges = append(p.Edges, Edge{From: 3, To: 1}, Edge{From: 4, To: 1})
	l := place(p)
	if focus := l.boxes[0]; l.boxes[1].x >= focus.x || l.boxes[2].x <= focus.x || min(l.boxes[3].y, l.boxes[4].y) >= focus.y || max(l.boxes[3].y, l.boxes[4].y) <= focus.y {
		t.Errorf("places: %+v", l.boxes)
	}
}

// Boxes never overlap, and none is outside of the picture.
func TestNoOverlap(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		p := random(rand.New(rand.NewPCG(seed, 1)), 60)
		l := place(p)
		for i, a := range l.boxes {
			if a.x < 0 || a.y < 0 || a.x+boxWidth > l.width || a.y+a.height > l.height {
				t.Fatalf("seed %d: box %d at %d, %d is outside of %d, %d", seed, i, a.x, a.y, l.width, l.height)
			}
			for j, o := range l.boxes[:i] { // bends among them: no edge runs through a box of a level that it passes
				if a.x < o.x+boxWidth && o.x < a.x+boxWidth && a.y < o.y+o.height && o.y < a.y+a.height {
					t.Fatalf("seed %d: boxes %d and %d overlap", seed, i, j)
				}
			}
		}
	}
}

func random(r *rand.Rand, n int) *Picture {
	p := &Picture{Focus: -1}
	for i := range n {
		t := Table{Name: fmt.Sprint("table_", i), Link: "/"}
		for j := range r.IntN(9) {
			t.Columns = append(t.Columns, Column{Name: fmt.Sprint("column_", j), Type: "int"})
		}
		p.Tables = append(p.Tables, t)
	}
	for range n {
		p.Edges = append(p.Edges, Edge{From: r.IntN(n), To: r.IntN(n), Columns: []string{"column_1"}})
	}
	for i, level := range Levels(n, p.Edges) {
		p.Tables[i].Level = level
	}
	return p
}

// An edge over several levels bends at each of them.
func TestBends(t *testing.T) {
	t.Parallel()
	p := &Picture{Focus: -1, Tables: make([]Table, 4), Edges: []Edge{{From: 3, To: 0}, {From: 1, To: 0}, {From: 2, To: 1}, {From: 3, To: 2}, {From: 0, To: 3}}}
	for i := range p.Tables {
		p.Tables[i].Level = i
	}
	l := place(p)
	if len(l.bends[0]) != 2 || len(l.bends[1]) != 0 || len(l.bends[4]) != 2 || len(l.boxes) != 8 {
		t.Errorf("bends: %v", l.bends)
	}
	if a, o := l.boxes[l.bends[0][0]], l.boxes[l.bends[0][1]]; a.x >= o.x || a.x != l.boxes[1].x {
		t.Errorf("bends at %d and %d", a.x, o.x)
	}
}

// The same input is drawn the same way.
func TestStable(t *testing.T) {
	t.Parallel()
	a, b := random(rand.New(rand.NewPCG(1, 1)), 60), random(rand.New(rand.NewPCG(1, 1)), 60)
	if a.SVG("") != b.SVG("") {
		t.Error("two pictures of the same tables")
	}
}

func TestLevels(t *testing.T) {
	t.Parallel()
	edges := []Edge{{From: 1, To: 0}, {From: 2, To: 1}, {From: 2, To: 0}, {From: 3, To: 3}, {From: 5, To: 6}, {From: 6, To: 5}}
	got := Levels(7, edges)
	if diff := cmp.Diff([]int{0, 1, 2, 0, -1, 1, 0}, got); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
}

func TestAround(t *testing.T) {
	t.Parallel()
	parents := map[int][]int{0: {1}, 1: {2}, 10: {0, 11}, 20: {10}, 3: {1}, 2: {99}}
	neighbours := func(id int) (up, down []int) {
		for child, all := range parents {
			for _, p := range all {
				if p == id {
					down = append(down, child)
				}
			}
		}
		return parents[id], down
	}
	one := Around(0, 1, neighbours)
	if diff := cmp.Diff(Chosen[int]{Tables: []int{0, 1, 10}, Levels: []int{0, -1, 1}}, one); diff != "" {
		t.Errorf("one hop (-want +got):\n%s", diff)
	}
	// What is two hops away in one direction comes before what is back and forth.
	two := Around(0, 9, neighbours)
	if diff := cmp.Diff(Chosen[int]{Tables: []int{0, 1, 10, 2, 20, 3, 11}, Levels: []int{0, -1, 1, -2, 2, 0, 0}}, two); diff != "" {
		t.Errorf("two hops (-want +got):\n%s", diff)
	}
	hub := Around(0, 2, func(id int) (up, down []int) {
		for i := range 10_000 {
			down = append(down, i+1)
		}
		return nil, down
	})
	if len(hub.Tables) != Most || len(hub.Missing) != Most || hub.Left != 10_001-Most {
		t.Errorf("a hub: %d tables, %d of %d missing", len(hub.Tables), len(hub.Missing), hub.Left)
	}
}

var hostile = []string{
	`<script>alert(1)</script>`, `"]`, `"><a href="javascript:alert(1)">`, "a\u202eb\u2066c", strings.Repeat("x", 1<<20), "\x00\x01\xff", "</title></svg>", "]]>", "%%{init: {}}%%\nerDiagram",
	"z" + strings.Repeat("\u0301", 500), "表" + strings.Repeat("格", 100), "",
}

// Texts of a warehouse are never more than texts, and take no more room than a box has.
func TestHostile(t *testing.T) {
	t.Parallel()
	for _, text := range hostile {
		p := &Picture{Title: text, Description: text, Focus: 0}
		p.Tables = []Table{{Name: text, Link: "/x?" + text[:min(len(text), 100)], Columns: []Column{{Name: text, Type: text, Primary: true}}}, {Name: text, Level: -1}}
		p.Edges = []Edge{{From: 0, To: 1, Columns: []string{text}, Label: text}, {From: 0, To: 0, Columns: []string{text}}}
		svg := p.SVG("")
		all, texts := elements(t, svg)
		for _, e := range all {
			if !strings.Contains(" svg title desc g a rect text tspan path ", " "+e.Name.Local+" ") {
				t.Errorf("%.20q made the element %s", text, e.Name.Local)
			}
			for _, a := range e.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "style" || a.Name.Local == "href" && !strings.HasPrefix(a.Value, "/x?") {
					t.Errorf("%.20q made the attribute %s=%q", text, a.Name.Local, a.Value)
				}
			}
		}
		for _, shown := range texts {
			if strings.ContainsAny(shown, "\u202e\u2066\x00\x01") {
				t.Errorf("%.20q is shown as %q", text, shown)
			}
		}
		if len(svg) > 40_000 {
			t.Errorf("%.20q takes %d bytes", text, len(svg))
		}
		for line := range strings.SplitSeq(p.Mermaid(), "\n") {
			if strings.ContainsAny(line, "<>%;\x00") || strings.Count(line, `"`) > 2 {
				t.Errorf("%.20q is written as %q", text, line)
			}
		}
	}
}

func TestMermaid(t *testing.T) {
	t.Parallel()
	want := `erDiagram
    t0["shop.orders"] {
        bigint id PK
        bigint customer_id FK
    }
    t1["shop.customers"] {
        bigint id PK
    }
    t2["shop.lines_of_orders_by_weight"]
    t1 ||--o{ t0 : "customer_id"
    t0 ||..o{ t2 : "order_id"
`
	if diff := cmp.Diff(want, shop().Mermaid()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func BenchmarkSVG(b *testing.B) {
	for _, n := range []int{60, 600} {
		p := random(rand.New(rand.NewPCG(1, 1)), n)
		b.Run(fmt.Sprintf("tables=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.SVG("")
			}
		})
	}
}
