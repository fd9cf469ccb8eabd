package oracle_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/oracle"
)

// decision is a request with the rows that were written for it by hand.
type decision struct {
	name    string
	want    string // rows, or "refused: code"
	ordered bool
	refused string // what the request is refused with before it means anything
	missing string // what the compiler refuses it with although it has rows
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
		if e, ok := errors.AsType[*compile.Error](err); ok {
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

// settled brings rows into one order and spelling.
func settled(rows string, ordered bool) []string {
	var all []string
	for line := range strings.Lines(rows) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	if !ordered {
		slices.Sort(all)
	}
	return all
}

// Every decision about what a query means, with the rows that it must have: the
// oracle gives them, and so does the compiler's statement on the engine.
func TestDecisions(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join("testdata", "decisions", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are no decisions: %v", err)
	}
	for _, path := range paths {
		for _, d := range decisions(t, path) {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar")+"/"+d.name, func(t *testing.T) {
				t.Parallel()
				m := d.Model(sqlite(t))
				for _, p := range append(m.Problems(), m.Validate()...) {
					t.Fatalf("the model has a problem: %s", p)
				}
				if d.refused != "" {
					if d.refused != d.want {
						t.Errorf("%s, not %s", d.refused, d.want)
					}
					return
				}
				want := settled(d.want, d.ordered)
				if diff := cmp.Diff(want, settled(answer(t, &d.Case), d.ordered)); diff != "" {
					t.Fatalf("oracle (-want +got):\n%s", diff)
				}
				got, refused := compiled(t, &d.Case)
				if refused != "" {
					if refused != d.missing && "refused: "+refused != d.want {
						t.Errorf("the compiler refuses it: %s", refused)
					}
					return
				}
				if d.missing != "" {
					t.Errorf("the compiler answers it: it is missing no more")
				}
				if diff := cmp.Diff(want, settled(got, d.ordered)); diff != "" {
					t.Errorf("compiler (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func answer(t *testing.T, c *oracle.Case) string {
	t.Helper()
	rows, err := oracle.Answer(c.Model(sqlite(t)), c.Data, c.Request)
	if r, ok := errors.AsType[*oracle.Refusal](err); ok {
		return "refused: " + string(r.Code)
	}
	if err != nil {
		t.Fatal(err)
	}
	return shown(rows)
}

// compiled runs what the compiler makes of a case; or the code of its refusal.
func compiled(t *testing.T, c *oracle.Case) (rows, refused string) {
	t.Helper()
	query, err := compile.Compile(c.Model(sqlite(t)), sqlite(t), c.Request, compile.Options{})
	if e, ok := errors.AsType[*compile.Error](err); ok {
		return "", string(e.Code)
	}
	if err != nil {
		t.Fatalf("an error without a code: %v", err)
	}
	db := open(t)
	if _, err := db.ExecContext(t.Context(), script(c.Tables, c.Data)); err != nil {
		t.Fatal(err)
	}
	all, err := db.rows(t.Context(), query.SQL)
	if err != nil {
		t.Fatalf("%v\n%s", err, query.SQL)
	}
	var lines []string
	for _, r := range all {
		lines = append(lines, oracle.FormatRow(r))
	}
	return strings.Join(lines, "\n"), ""
}
