package relationship_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/relationship/corpus"
)

// figures say how well what was accepted agrees with what refers to what.
type figures struct{ right, wrong, missed, review, tables, validations int }

func (f figures) precision() float64 { return float64(f.right) / float64(max(1, f.right+f.wrong)) }
func (f figures) recall() float64    { return float64(f.right) / float64(max(1, f.right+f.missed)) }

func (f *figures) add(g figures) {
	f.right, f.wrong, f.missed, f.review = f.right+g.right, f.wrong+g.wrong, f.missed+g.missed, f.review+g.review
	f.tables, f.validations = f.tables+g.tables, f.validations+g.validations
}

func (f figures) String() string {
	return fmt.Sprintf("precision %.3f, recall %.3f: %d right, %d wrong, %d missed, %d to review, %d validations of %d tables", f.precision(), f.recall(), f.right, f.wrong, f.missed, f.review, f.validations, f.tables)
}

func measure(t *testing.T, w *corpus.Warehouse) figures {
	t.Helper()
	result, err := relationship.Infer(t.Context(), w.Request())
	if err != nil {
		t.Fatal(err)
	}
	contains := func(all []relationship.Link, one relationship.Link) bool { return slices.ContainsFunc(all, one.Equal) }
	f := figures{tables: len(w.Tables), validations: result.Validations}
	found := map[string]bool{}
	for _, r := range result.Relationships {
		switch right := contains(w.References, r.Link); {
		case r.Status == relationship.Review:
			f.review++
			t.Logf("%s: review, true: %t: %s: %+v", w.Name, right, r.Link, r.Evidence)
		case right:
			f.right++
			found[r.String()] = true
		case !contains(w.Open, r.Link):
			f.wrong++
			t.Logf("%s: wrong: %s: %+v", w.Name, r.Link, r.Evidence)
		}
	}
	for _, link := range w.References {
		if !found[link.String()] {
			f.missed++
			t.Logf("%s: missed: %s", w.Name, link)
		}
	}
	t.Logf("%s: %s", w.Name, f)
	return f
}

func TestCorpus(t *testing.T) {
	t.Parallel()
	var all figures
	for _, w := range corpus.Warehouses(1) {
		all.add(measure(t, w))
	}
	t.Logf("all: %s", all)
}
