package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gopkg.in/yaml.v3"
)

// expected is a text about the sample project, with what is expected of it: testdata/corpus/README.md.
type expected struct {
	ID, Conn, Text string
	Sure, May      []string
	// Ask: a question is expected. Open: it is not asked today.
	Ask, Open bool
}

// leastFound is how many of the sure measures of the corpus are found today.
const leastFound = 83

var wholeCorpus = flag.Bool("corpus", false, "tell all texts, not one of a few")

// TestCorpusOfTheSample tells each text of the corpus to a project of its own, and compares the numbers of what became measures
// with those of the SQL that the text means: none is wrong, and what is expected to be asked is.
func TestCorpusOfTheSample(t *testing.T) {
	heavy(t, "190 texts about the sample project")
	t.Parallel()
	files, err := filepath.Glob("testdata/corpus/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no texts", err)
	}
	direct := stdioServer(t, scannedProject(t))
	var found, sure atomic.Int64
	t.Run("texts", func(t *testing.T) {
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var all []expected
			if err := yaml.Unmarshal(content, &all); err != nil {
				t.Fatal(file, err)
			}
			for i, w := range all {
				if i%6 != 0 && !*wholeCorpus {
					continue
				}
				sure.Add(int64(len(w.Sure)))
				t.Run(w.ID, func(t *testing.T) {
					t.Parallel()
					found.Add(w.try(t, direct))
				})
			}
		}
	})
	t.Logf("%d of %d sure measures are found", found.Load(), sure.Load())
	if *wholeCorpus && found.Load() < leastFound {
		t.Errorf("%d of %d sure measures are found, once %d were", found.Load(), sure.Load(), leastFound)
	}
}

// try tells a text to a project, and returns how many of its sure measures are found. direct answers SQL.
func (w *expected) try(t *testing.T, direct *server) (found int64) {
	t.Helper()
	s := stdioServer(t, scannedProject(t))
	connection := w.Conn
	if connection == "none" {
		connection = ""
	}
	told := s.tell(t, w.Text, connection)
	if asked := len(told.Questions) > 0; w.Ask && asked == w.Open {
		t.Errorf("asked: %t; marked as open: %t", asked, w.Open)
	}
	wanted := append(slices.Clone(w.Sure), w.May...)
	numbers := make([]float64, len(wanted))
	for i, sql := range wanted {
		numbers[i] = direct.number(t, "sql_execution", map[string]any{"connectionId": w.Conn, "sql": sql})
	}
	hit := make([]bool, len(wanted))
	for _, m := range append(told.Captured.SL, told.Captured.Metrics...) {
		got, right := s.number(t, "sl_query", map[string]any{"connectionId": w.Conn, "measures": []string{m}}), false
		for i, n := range numbers {
			if math.Abs(got-n) <= 1e-6*max(1, math.Abs(n)) {
				hit[i], right = true, true
			}
		}
		if !right {
			t.Errorf("%s is %v, which nobody wanted", m, got)
		}
	}
	for i, ok := range hit[:len(w.Sure)] {
		if ok {
			found++
		} else {
			t.Logf("no measure is %s: %q became %+v", w.Sure[i], w.Text, told)
		}
	}
	return found
}

// scannedProject is the sample project with all that the tour left in it.
func scannedProject(t *testing.T) string {
	t.Helper()
	source, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "project")
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// number is the only number that a tool answers.
func (s *server) number(t *testing.T, tool string, args map[string]any) (n float64) {
	t.Helper()
	var a struct{ Rows [][]json.RawMessage }
	if failed := s.ask(t, tool, args, &a); failed != nil {
		t.Fatalf("%v: %+v", args, failed)
	}
	if len(a.Rows) != 1 || len(a.Rows[0]) != 1 {
		t.Fatalf("%v: %s", args, a.Rows)
	}
	if _, err := fmt.Sscan(strings.Trim(string(a.Rows[0][0]), `"`), &n); err != nil {
		t.Fatalf("%v: %s", args, a.Rows[0][0])
	}
	return n
}
