package compile_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// ofKind is a measure of each kind over another.
var ofKind = map[string]string{
	"cumulative": "type: cumulative, measure: %s, grain_to_date: year",
	"share":      "type: share, measure: %s",
}

// byPeriod are requests by periods for which a measure of another time has none.
var byPeriod = []struct{ measure, grain, asked, message, why string }{
	{"type: time_shift, measure: revenue, offset: 1 month", "week", "`time_shift` by months, by week", "goes by 1 month", "weeks and months do not end together"},
	{"type: time_shift, measure: revenue, offset: 1 month", "quarter", "`time_shift` by a part of the period, as 1 month by quarter", "goes by 1 month", "there is no quarter a month earlier"},
	{"type: time_shift, measure: revenue, offset: 1 week", "month", "`time_shift` by days or weeks, by month, quarter or year", "goes by 1 week", "months are not of one length"},
	{"type: time_shift, measure: revenue, offset: 1 day", "hour", "`time_shift` of another unit, by hour or finer", "goes by 1 day", "days are not of one length where clocks change"},
	{"type: cumulative, measure: revenue, window: 2 days", "hour", "`cumulative`, by hour or finer", "goes by days", "a window is of whole days"},
}

const page = "../../../../docs/semantic.md"

// Each combination that docs/semantic.md lists as refused is refused, with the reason
// that stands there; -update writes the list.
func TestMeaningless(t *testing.T) {
	t.Parallel()
	var list strings.Builder
	list.WriteString("| asked | why it has no meaning |\n|---|---|\n")
	for _, n := range compile.Meaningless() {
		outer, inner, why := n[0], n[1], n[2]
		refused(t, fmt.Sprintf("{name: inner, %s}\n  - {name: middle, type: derived, expr: inner + 1}\n  - {name: outer, %s}",
			fmt.Sprintf(ofKind[inner], "revenue"), fmt.Sprintf(ofKind[outer], "middle")), "month", refusal.CodeNotSupported, why)
		fmt.Fprintf(&list, "| `%s` over a `%s`, with measures between them or without | %s |\n", outer, inner, why)
	}
	for _, p := range byPeriod {
		refused(t, "{name: outer, "+p.measure+"}", p.grain, refusal.CodeGranularity, p.message)
		fmt.Fprintf(&list, "| %s | %s |\n", p.asked, p.why)
	}
	listed(t, "refused", list.String())
}

// pageLock is held while a list of the page is compared or written.
var pageLock sync.Mutex

// listed compares a list with that in docs/semantic.md between comments with its name;
// -update writes it there.
func listed(t *testing.T, name, list string) {
	t.Helper()
	pageLock.Lock()
	defer pageLock.Unlock()
	content, err := os.ReadFile(filepath.FromSlash(page))
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
	before, rest, found := strings.Cut(string(content), begin)
	have, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("the page has no place for the list %s", name)
	}
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(page, []byte(before+begin+list+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(list, have); diff != "" {
		t.Errorf("%s: go test -update writes it (-want +got):\n%s", page, diff)
	}
}

func refused(t *testing.T, measures, grain string, code refusal.Code, why string) {
	t.Helper()
	d := engine(t, "duckdb")
	m := model.Build(model.Input{Dialect: d, Files: []*model.File{model.Parse("orders.yaml", []byte(`name: orders
table: orders
dimensions:
  - {name: at, type: time, column_type: timestamp}
  - {name: amount, type: number}
measures:
  - {name: revenue, agg: sum, expr: amount}
  - `+measures+"\n"))}})
	for _, p := range m.Problems() {
		t.Fatal(p)
	}
	r, _, err := request.Normalise([]byte(`{"measures": ["orders.outer"], "dimensions": ["orders.at.` + grain + `"]}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = compile.Compile(m, d, r, compile.Options{})
	if e, ok := errors.AsType[*refusal.Error](err); !ok || e.Code != code || !strings.Contains(e.Message, why) {
		t.Errorf("%s by %s: %v", measures, grain, err)
	}
}
