package oracle_test

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/oracle"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk/dialect"
)

// decision is a request with the rows that were written for it by hand.
type decision struct {
	name    string
	want    string // rows, or "refused: code"
	ordered bool
	refused string // what the request is refused with before it means anything
	// missing is what the compiler refuses it with although it has rows; "code, nullable"
	// where the dialect's joins need that form.
	missing string
	oracle.Case
}

// decisions reads a file: a model, its tables, and requests under their names.
func decisions(t *testing.T, path string) (all []decision) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	shared, err := oracle.ParseCase(string(txtar.Format(archive)))
	if err != nil {
		t.Fatal(err)
	}
	wants, missing := map[string]string{}, map[string]string{}
	for _, f := range archive.Files {
		if name, ok := strings.CutSuffix(f.Name, ".missing"); ok {
			missing[name] = strings.TrimSpace(string(f.Data))
		}
		if name, ok := strings.CutSuffix(f.Name, ".want"); ok {
			wants[name] = strings.TrimSpace(string(f.Data))
		}
	}
	for _, f := range archive.Files {
		name, ok := strings.CutSuffix(f.Name, ".request")
		if !ok {
			continue
		}
		d := decision{name: name, missing: missing[name], Case: *shared}
		d.Request, err = oracle.ParseRequest(f.Data)
		if e, ok := errors.AsType[*refusal.Error](err); ok {
			d.refused = "refused: " + string(e.Code)
		} else if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if d.want, ok = wants[name]; !ok {
			t.Fatalf("%s has no rows", name)
		}
		d.ordered = len(d.Request.OrderBy) > 0
		delete(wants, name)
		all = append(all, d)
	}
	for name := range wants {
		t.Errorf("%s.want has no request", name)
	}
	return all
}

var longNumber = regexp.MustCompile(`-?[0-9]+\.[0-9]{10,}`)

// rounded is a number that engines compute in their own order.
func rounded(number string) string {
	f, err := strconv.ParseFloat(number, 64)
	if err != nil {
		panic(err) // digits
	}
	return strconv.FormatFloat(f, 'g', 12, 64)
}

// settled brings rows into one order and spelling.
func settled(rows string, ordered bool) []string {
	var all []string
	for line := range strings.Lines(rows) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, longNumber.ReplaceAllStringFunc(line, rounded))
		}
	}
	if !ordered {
		slices.Sort(all)
	}
	return all
}

// Every decision about what a query means, with the rows that it must have: the
// oracle gives them, and so does the compiler's statement on every engine.
func TestDecisions(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join("testdata", "decisions", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are no decisions: %v", err)
	}
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sqliteAlone(t, name, "decisions")
			db := engines[name](t)
			for _, path := range paths {
				for _, d := range decisions(t, path) {
					t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar")+"/"+d.name, func(t *testing.T) { d.check(t, db) })
				}
			}
		})
	}
}

// check compares the rows of the oracle and of the engine with the written ones.
func (d *decision) check(t *testing.T, db *engine) {
	m := d.Model(db.dialect)
	for _, p := range problemsOf(m) {
		t.Fatalf("the model has a problem: %s", p)
	}
	if d.refused != "" {
		if d.refused != d.want {
			t.Errorf("%s, not %s", d.refused, d.want)
		}
		return
	}
	want := settled(d.want, d.ordered)
	if diff := cmp.Diff(want, settled(answer(t, m, &d.Case), d.ordered)); diff != "" {
		t.Fatalf("oracle (-want +got):\n%s", diff)
	}
	missing, nullable := strings.CutSuffix(d.missing, ", nullable")
	if nullable && db.dialect.Forms[dialect.Nullable] == "" {
		missing = ""
	}
	query, err := compile.Compile(m, db.dialect, d.Request, compile.Options{Now: oracle.Now})
	if e, ok := errors.AsType[*refusal.Error](err); ok {
		if string(e.Code) != missing && "refused: "+string(e.Code) != d.want && !(e.Code == refusal.CodeUnsupported && d.Request.TimeZone != "") {
			t.Errorf("the compiler refuses it: %s: %s", e.Code, e.Message)
		}
		return
	}
	if err != nil {
		t.Fatalf("an error without a code: %v", err)
	}
	if missing != "" {
		t.Errorf("the compiler answers it: it is missing no more")
	}
	if err := db.load(t.Context(), &d.Case); err != nil {
		t.Fatal(err)
	}
	rows, err := db.ask(t.Context(), query.SQL)
	if err != nil {
		t.Fatalf("%v\n%s", err, query.SQL)
	}
	if diff := cmp.Diff(want, settled(formatted(rows), d.ordered)); diff != "" {
		t.Errorf("compiler (-want +got):\n%s\n%s", diff, query.SQL)
	}
}

func answer(t *testing.T, m *model.Model, c *oracle.Case) string {
	t.Helper()
	rows, err := oracle.Answer(m, c.Data, c.Request)
	if r, ok := errors.AsType[*oracle.Refusal](err); ok {
		return "refused: " + string(r.Code)
	}
	if err != nil {
		t.Fatal(err)
	}
	return rows.Shown()
}
