package eval

import (
	"testing"

	"github.com/loam-data/loam/host/internal/search"
)

// The least shares of questions whose first answer is of the right connection, and of the
// first five answers that are: without the rule they are 0.81 and 0.78.
const leastConnection, leastOfFive = 0.84, 0.82

// TestConnections asks several warehouses at once: run it with -v to see the figures.
func TestConnections(t *testing.T) {
	t.Parallel()
	c, err := New(tables, notes, samples(t))
	if err != nil {
		t.Fatal(err)
	}
	x, questions := build(t, c, 0), ConnectionQuestions()
	first, right, all := 0, 0, 0
	for _, q := range questions {
		seen := 0
		for _, h := range x.Search(search.Query{Text: q.Text}).Hits {
			if h.Kind == search.Wiki || seen == 5 {
				continue
			}
			seen++
			if h.Connection != q.Connection {
				continue
			}
			right++
			if seen == 1 {
				first++
			}
		}
		all += seen
	}
	asFirst, ofFive := float64(first)/float64(len(questions)), float64(right)/float64(all)
	t.Logf("%d questions: first of the right connection %.2f, of the first five %.2f", len(questions), asFirst, ofFive)
	if asFirst < leastConnection || ofFive < leastOfFive {
		t.Errorf("below %.2f and %.2f", leastConnection, leastOfFive)
	}
}

// TestApart asks the messy warehouse with each of its schemas as a connection of its own.
func TestApart(t *testing.T) {
	t.Parallel()
	tables, questions, err := Messy(messySeed)
	if err != nil {
		t.Fatal(err)
	}
	for i := range tables {
		if tables[i].Connection == messyName {
			tables[i].Connection = tables[i].Schema
		}
	}
	x := indexOf(t, tables, 3)
	halves := map[bool]*placed{false: {}, true: {}}
	for _, q := range questions {
		hits := x.Search(search.Query{Text: q.Text}).Hits
		for i := range hits {
			if hits[i].Connection != demoName {
				hits[i].Connection = messyName
			}
		}
		halves[q.HeldOut].add(q.Found(hits))
	}
	for held, half := range halves {
		first, five := half.shares()
		t.Logf("held out %v: %d questions: right table first %.2f, in the first five %.2f", held, half.questions, first, five)
		if first < leastFirst || five < leastFive {
			t.Errorf("below %.2f and %.2f", leastFirst, leastFive)
		}
	}
}
