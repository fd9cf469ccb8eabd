package relationship_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// What a first scan must find at least, and how much of what it accepts must be right: of
// the shapes that the rules were made on, of those that they were not made on, and of all
// side by side in one database.
const leastRecall, leastPrecision = .90, .98

const (
	figuresPath  = "../../../docs/catalog.md"
	figuresStart = "<!-- figures of the relationships, written by go test ./host/internal/relationship -update -->\n"
	figuresEnd   = "<!-- end of the relationships' figures -->\n"
)

var update = flag.Bool("update", false, "write the figures into the docs")

// The first scan of each shape of warehouse finds what refers to what, and accepts
// little else, whatever the seed is. The held-out shapes say how far that can be
// trusted elsewhere. The docs have the figures.
func TestCorpus(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString(figuresStart + "| warehouse | tables | references | found | wrong | to review | queries |\n|---|---|---|---|---|---|---|\n")
	made := half(t, &table, "made on these", corpus.Warehouses)
	held := half(t, &table, "held out", corpus.HeldOut)
	merged := half(t, &table, "side by side", corpus.Merged)
	table.WriteString(figuresEnd)
	for name, f := range map[string]figures{"made on these": made, "held out": held, "side by side": merged} {
		if f.recall() < leastRecall || f.precision() < leastPrecision {
			t.Errorf("%s: %s; want a recall of %.2f and a precision of %.2f", name, f, leastRecall, leastPrecision)
		}
	}
	compareFigures(t, table.String())
}

// half measures two of each shape and adds their lines to a table.
func half(t *testing.T, table *strings.Builder, name string, warehouses func(seed uint64) []*corpus.Warehouse) (all figures) {
	t.Helper()
	line := func(name string, f figures) {
		fmt.Fprintf(table, "| %s | %d | %d | %d | %d | %d | %d |\n", name, f.tables, f.right+f.missed, f.right, f.wrong, f.review, f.validations)
	}
	first, second := warehouses(1), warehouses(2)
	for i := range first {
		f := measure(t, first[i])
		f.add(measure(t, second[i]))
		line(first[i].Name, f)
		all.add(f)
	}
	line("**"+name+"**", all)
	t.Logf("%s: %s", name, all)
	return all
}

// compareFigures compares the docs with what was measured, or writes them.
func compareFigures(t *testing.T, want string) {
	t.Helper()
	content, err := os.ReadFile(figuresPath)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(content), figuresStart)
	_, after, end := strings.Cut(rest, figuresEnd)
	if !ok || !end {
		t.Fatalf("%s has no place for the figures", figuresPath)
	}
	whole := before + want + after
	if *update {
		if err := os.WriteFile(figuresPath, []byte(whole), 0o644); err != nil { //nolint:gosec // documentation
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(content), whole); diff != "" {
		t.Errorf("run go test ./host/internal/relationship -update and review the figures (-docs +measured):\n%s", diff)
	}
}
