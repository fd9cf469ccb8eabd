package planner

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// TestPlanGrowsWithItsText: ten times the sentences cost about ten times the allocations. A measure that drafts its source
// with all measures before it, or that is compiled by every dimension, shows here.
func TestPlanGrowsWithItsText(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the cost of a text beside one ten times as long")
	}
	p := shop(t)
	v := p.view()
	for _, tt := range []struct {
		name, sentence string
		few            int
		most           float64 // how many times as much ten times as many cost
		each           float64 // how many allocations one costs; the race detector empties pools, and words cost twice as many
	}{
		{"measures", "M%d is the sum of amount in sales.orders where amount > %[1]d.\n\n", 9, 11, 1150},
		{"definitions", "Term%d means the number %[1]d of the parcels.\n\n", 9, 13, 400},
		{"words", "This is paragraph %d about the weather, which nobody has to keep.\n\n", 300, 11, 220},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cost := func(n int) float64 {
				var text strings.Builder
				for i := range n {
					fmt.Fprintf(&text, tt.sentence, i)
				}
				in := p.input(text.String())
				return testing.AllocsPerRun(1, func() {
					plan, err := Make(in, v)
					if err != nil {
						t.Fatal(err)
					}
					if tt.name == "measures" && len(plan.Changes) < n {
						t.Fatalf("%d changes of %d measures", len(plan.Changes), n)
					}
				})
			}
			few, many := cost(tt.few), cost(10*tt.few)
			if many > tt.most*few {
				t.Errorf("%d sentences cost %.0f allocations, %d cost %.0f", tt.few, few, 10*tt.few, many)
			}
			if each := (many - few) / float64(9*tt.few); each > tt.each {
				t.Errorf("a sentence costs %.0f allocations", each)
			}
			t.Logf("%.0f and %.0f allocations", few, many)
		})
	}
}

// TestShapesAreCompiledOnce: of measures that differ in a constant one is compiled, in all groups and alone. A compilation
// asks more than once whether somebody waits for it, and a statement and its page ask once each.
func TestShapesAreCompiledOnce(t *testing.T) {
	t.Parallel()
	p := shop(t)
	for _, tt := range []struct {
		name, sentence string
		shapes         int // of ten sentences
	}{
		{"numbers", "M%d is the sum of amount in sales.orders where amount > %[1]d.\n\n", 1},
		{"words", "M%d is the sum of amount in sales.orders where status = '%[2]s'.\n\n", 1},
		{"other columns and numbers", "M%d is the sum of amount in sales.orders where %[3]s > %[1]d.\n\n", 2},
		{"factors", "M%d = sum(amount * %[1]d) in sales.orders.\n\n", 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			plan := func(n int) (w *work, asked int) {
				var text strings.Builder
				for i := range n {
					fmt.Fprintf(&text, tt.sentence, i, []string{"paid", "refunded", "pending"}[i%3], []string{"amount", "customer_id"}[i%2])
				}
				v := p.view()
				v.Values = func(string, string) ([]string, bool) { return nil, false }
				v.Ended = func() error { asked++; return nil }
				w = newWork(p.input(text.String()), v)
				if err := w.run(); err != nil {
					t.Fatal(err)
				}
				return w, asked
			}
			w, few := plan(10)
			if len(w.shapes) != tt.shapes || len(w.groups) != 1 {
				t.Errorf("%d shapes and %d forms: %v", len(w.shapes), len(w.groups), w.shapes)
			}
			if _, many := plan(40); tt.shapes < 10 && many-few > 2*30 {
				t.Errorf("10 measures ask %d times, 40 ask %d times", few, many)
			}
		})
	}
}

// TestOtherTablesCostLittle: a text is planned without a look at the members of tables that it does not name, and without
// a new order of all tables for each measure.
func TestOtherTablesCostLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the cost of a text beside that with forty times as many tables")
	}
	var text strings.Builder
	for i := range 20 {
		fmt.Fprintf(&text, "Term%d means the number %[1]d of the parcels.\n\nM%[1]d is the sum of amount in sales.orders where amount > %[1]d.\n\n", i)
	}
	cost := func(tables int) float64 {
		p := shop(t)
		for i := range tables {
			p.tables = append(p.tables, &model.Table{
				Ref: sdk.TableRef{Schema: "wide", Name: fmt.Sprintf("t%d", i)}, Hash: model.Hash{1, byte(i), byte(i >> 8)},
				Columns: []model.Column{{Name: "id", Type: sdk.TypeInt64}, {Name: "note", Type: sdk.TypeText}},
			})
		}
		v, in := p.view(), p.input(text.String())
		return testing.AllocsPerRun(1, func() {
			if plan, err := Make(in, v); err != nil || len(plan.Changes) < 40 {
				t.Fatalf("%+v, %v", plan, err)
			}
		})
	}
	if few, many := cost(25), cost(1000); many > 1.1*few {
		t.Errorf("beside 25 tables a text costs %.0f allocations, beside 1000 %.0f", few, many)
	}
}

// TestPagesAreReadOnce: a text with many subjects reads each page once to compare them.
func TestPagesAreReadOnce(t *testing.T) {
	t.Parallel()
	p := shop(t)
	const pages, subjects = 40, 20
	for i := range pages {
		p.write(fmt.Sprintf("wiki/global/page-%d.md", i), fmt.Appendf(nil, "Word%d means one thing.\n", i))
	}
	var text strings.Builder
	for i := range subjects {
		fmt.Fprintf(&text, "Parcel%d means a box of the size %d.\n\n", i, i)
	}
	v := p.view()
	read, body := 0, v.Body
	v.Body = func(page *wiki.Page) (string, error) {
		read++
		return body(page)
	}
	plan, err := Make(p.input(text.String()), v)
	if err != nil || len(plan.Changes) < subjects {
		t.Fatalf("%d changes, %v", len(plan.Changes), err)
	}
	if read > 2*pages {
		t.Errorf("%d pages were read %d times", pages, read)
	}
}

// TestOtherPagesAreNotRead: ten times the pages about other things are read no more often, by a text that states something
// and by one that is compared as a whole.
func TestOtherPagesAreNotRead(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a definition": "Churn means the customers that left us.",
		"prose":        "Yesterday afternoon everybody visited the harbour, watched enormous container vessels and ate excellent fried fish.",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cost := func(pages int) (read int, planned string) {
				p := shop(t)
				p.write("wiki/global/leavers.md", []byte("---\norigin: agent\n---\n# Leavers\n\nChurn means a cancelled contract.\n"))
				p.write("wiki/global/outing.md", []byte("---\norigin: agent\n---\n# Outing\n\nYesterday afternoon everybody visited the harbour, watched enormous container vessels and ate excellent fried trout.\n"))
				for i := range pages {
					p.write(fmt.Sprintf("wiki/global/page-%d.md", i), fmt.Appendf(nil, "---\norigin: agent\n---\n# Page %d\n\nWord%[1]d means one thing of the warehouse, and nobody doubts it.\n", i))
				}
				v := p.view()
				body := v.Body
				v.Body = func(page *wiki.Page) (string, error) {
					read++
					return body(page)
				}
				plan, err := Make(p.input(text), v)
				if err != nil || len(plan.Changes) == 0 {
					t.Fatalf("%+v, %v", plan, err)
				}
				return read, plan.Changes[0].Target
			}
			few, target := cost(30)
			many, other := cost(300)
			if few == 0 || many > few+2 || target != other {
				t.Errorf("%d pages are read of 30 others for %s, %d of 300 for %s", few, target, many, other)
			}
			t.Log(few, target)
		})
	}
}
