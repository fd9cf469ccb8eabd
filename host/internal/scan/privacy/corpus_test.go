package privacy

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/scan/privacy/corpus"
)

var update = flag.Bool("update", false, "write the figures into the docs")

// tallied is how many columns of a class were withheld.
type tallied struct{ withheld, all int }

func (n tallied) share() float64 { return float64(n.withheld) / float64(max(n.all, 1)) }

// measure protects a half of the corpus and returns how many columns of each class
// were withheld, "" being those that hold nothing personal, and which went wrong.
func measure(t testing.TB, half corpus.Half) (figures map[string]tallied, wrong map[string]int) {
	t.Helper()
	figures, wrong = map[string]tallied{}, map[string]int{}
	r := rules(t, nil, nil)
	for _, table := range corpus.Generate(half, 1) {
		p := table.Profile()
		r.Protect(&table.Table, p)
		for i, c := range table.Columns {
			at := slices.IndexFunc(p.Withheld, func(w catalog.Withheld) bool { return w.Column == p.Stats[i].Column })
			n := figures[c.Class]
			n.all++
			reason := ""
			if at >= 0 {
				n.withheld++
				reason = p.Withheld[at].Reason
			}
			figures[c.Class] = n
			if (at >= 0) != (c.Class != "") {
				example := ""
				if len(c.Values) > 0 {
					example = c.Values[0]
				}
				wrong[fmt.Sprintf("%s %s/%s (%s, %d rows) %s: %q", table.Language, c.Class, c.Kind, c.Type, len(c.Values), reason, example[:min(len(example), 30)])]++
			}
		}
	}
	return figures, wrong
}

// targets are the least shares of columns that are withheld on the held-out half;
// those of innocent columns may be harmless at most.
var targets = map[string]float64{
	corpus.Telling: 1, corpus.Mail: .95, corpus.Phone: .95, corpus.Card: .95, corpus.Paper: .95, corpus.Birth: .95, corpus.Token: .95, corpus.Device: .95,
	corpus.Person: .8, corpus.Address: .8, corpus.Note: .8, corpus.Attribute: .95, corpus.Document: .95,
}

const harmlessTarget = .02

const (
	figuresPath  = "../../../../docs/catalog.md"
	figuresStart = "<!-- figures of the privacy corpus, written by go test ./host/internal/scan/privacy -update -->\n"
	figuresEnd   = "<!-- end of the figures -->\n"
)

// The targets hold on the half that the recogniser was not made on, and the docs
// have the figures.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: how much of a corpus of personal values is recognised")
	}
	development, _ := measure(t, corpus.Development)
	held, wrong := measure(t, corpus.HeldOut)
	var table strings.Builder
	table.WriteString(figuresStart + "| what a column holds | columns | withheld | target | on the development half |\n|---|---|---|---|---|\n")
	for _, class := range corpus.Classes {
		n, target := held[class], targets[class]
		if n.all < 20 || n.share() < target {
			t.Errorf("%s: %d of %d columns are withheld, want %.2f", class, n.withheld, n.all, target)
		}
		fmt.Fprintf(&table, "| %s | %d | %.3f | ≥ %.2f | %.3f |\n", class, n.all, n.share(), target, development[class].share())
	}
	n := held[""]
	if n.all < 1000 || n.share() > harmlessTarget {
		t.Errorf("%d of %d harmless columns are withheld", n.withheld, n.all)
	}
	fmt.Fprintf(&table, "| nothing personal | %d | %.3f | ≤ %.2f | %.3f |\n", n.all, n.share(), harmlessTarget, development[""].share())
	given, surnames := corpus.Names(corpus.HeldOut)
	fmt.Fprintf(&table, "\nOf the first names of the held-out half %.0f %% are in the dictionary, of its family names %.0f %%.\n",
		100*known(given, "given"), 100*known(surnames, "surname"))
	table.WriteString(figuresEnd)
	for _, line := range slices.Sorted(maps.Keys(wrong)) {
		t.Log(line)
	}
	compareFigures(t, table.String())
}

// known is the share of names that the dictionary has.
func known(names []string, as string) float64 {
	senses := map[string]sense{"given": given, "surname": surname}
	n := 0
	var buffer []byte
	for _, name := range names {
		if senseOf(name, &buffer)&senses[as] != 0 {
			n++
		}
	}
	return float64(n) / float64(len(names))
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
		t.Errorf("run go test ./host/internal/scan/privacy -update and review the figures (-docs +measured):\n%s", diff)
	}
}
