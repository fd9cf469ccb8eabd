package eval

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/host/internal/search"
)

// messySeed is any number: another one puts the tables in another order and
// calls the columns of wide tables otherwise.
const messySeed = 20

// The least shares of questions whose right table is first, and in the first five.
const leastFirst, leastFive = 0.82, 0.92

// placed counts the questions whose right table is first, and in the first five.
type placed struct{ questions, first, five int }

func (p *placed) add(place int) {
	p.questions++
	if place == 1 {
		p.first++
	}
	if place >= 1 && place <= 5 {
		p.five++
	}
}

func (p *placed) shares() (first, five float64) {
	n := float64(max(1, p.questions))
	return float64(p.first) / n, float64(p.five) / n
}

// indexOf returns the index of some tables in so many segments.
func indexOf(t testing.TB, tables []search.TableDocument, segments int) *search.Index {
	t.Helper()
	var parts []func(*search.Builder) error
	for shard := range segments {
		parts = append(parts, func(b *search.Builder) (err error) {
			for i := shard; i < len(tables); i += segments {
				err = errors.Join(err, b.Table(tables[i]))
			}
			return err
		})
	}
	return indexed(t, parts...)
}

// TestMessy asks a messy warehouse: run it with -v to see the figures. What
// becomes of single questions is shown for the tuned half alone.
func TestMessy(t *testing.T) {
	t.Parallel()
	tables, questions, err := Messy(messySeed)
	if err != nil {
		t.Fatal(err)
	}
	x, divided := indexOf(t, tables, 1), indexOf(t, tables, 5)
	var tuned, kept placed
	for _, q := range questions {
		hits := x.Search(search.Query{Text: q.Text}).Hits
		if diff := cmp.Diff(hits, divided.Search(search.Query{Text: q.Text}).Hits, cmpopts.IgnoreUnexported(search.Hit{})); diff != "" {
			t.Errorf("%s: -one segment +5\n%s", q.Text, diff)
		}
		place := q.Found(hits)
		if q.HeldOut {
			kept.add(place)
			continue
		}
		tuned.add(place)
		if place != 1 {
			var page []string
			for _, h := range hits[:min(6, len(hits))] {
				page = append(page, h.ID)
			}
			t.Logf("place %d: %-40s %v", place, q.Text, page)
		}
	}
	for _, half := range []struct {
		name string
		placed
	}{{"tuned", tuned}, {"kept", kept}} {
		first, five := half.shares()
		t.Logf("%-6s %d tables, %d questions: right table first %.2f, in the first five %.2f", half.name, len(tables), half.questions, first, five)
		if first < leastFirst || five < leastFive {
			t.Errorf("%s: below %.2f and %.2f", half.name, leastFirst, leastFive)
		}
	}
}
