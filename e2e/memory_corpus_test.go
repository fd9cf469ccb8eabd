package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gopkg.in/yaml.v3"
)

// expected is a text about the sample project, with what is expected of it: testdata/corpus/README.md.
type expected struct {
	ID, Conn, Text string
	Sure, May      []string
	Ask            bool
}

// leastFound is how many of the sure measures of the corpus are found today.
const leastFound = 43

// TestCorpusOfTheSample tells each text of the corpus to a project of its own, and compares the numbers of what became measures
// with those of the SQL that the text means: none is wrong, and what is expected to be asked is.
func TestCorpusOfTheSample(t *testing.T) {
	heavy(t, "110 texts about the sample project")
	t.Parallel()
	source, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/corpus/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no texts", err)
	}
	var mu sync.Mutex
	found, sure := 0, 0
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
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				for _, w := range all {
					n := w.try(t, source)
					mu.Lock()
					found, sure = found+n, sure+len(w.Sure)
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("%d of %d sure measures are found", found, sure)
	if found < leastFound {
		t.Errorf("%d of %d sure measures are found, once %d were", found, sure, leastFound)
	}
}

// try tells a text to a copy of a project, and returns how many of its sure measures are found.
func (w *expected) try(t *testing.T, source string) (found int) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "text.md")
	writeFile(t, path, w.Text)
	args := []string{"ingest", "text", "--json", "--file", path}
	if w.Conn != "none" {
		args = append(args, "-c", w.Conn)
	}
	var run struct {
		Captured  struct{ SL, Metrics []string }
		Questions []struct{ Code string }
	}
	unmarshal(t, []byte(loam(t, dir, args...).stdout), &run)
	if w.Ask && len(run.Questions) == 0 {
		t.Errorf("%s asks nothing", w.ID)
	}
	wanted := append(append([]string{}, w.Sure...), w.May...)
	numbers := make([]float64, len(wanted))
	for i, sql := range wanted {
		numbers[i] = number(t, dir, "sql", "--json", "-c", w.Conn, sql)
	}
	hit := make([]bool, len(wanted))
	for _, m := range append(run.Captured.SL, run.Captured.Metrics...) {
		got, right := number(t, dir, "sl", "query", "--json", "-c", w.Conn, "-m", m), false
		for i, n := range numbers {
			if math.Abs(got-n) <= 1e-6*max(1, math.Abs(n)) {
				hit[i], right = true, true
			}
		}
		if !right {
			t.Errorf("%s: %s is %v, which nobody wanted", w.ID, m, got)
		}
	}
	for _, ok := range hit[:len(w.Sure)] {
		if ok {
			found++
		}
	}
	return found
}

// number is the only number that a command answers.
func number(t *testing.T, dir string, args ...string) (n float64) {
	t.Helper()
	r := loam(t, dir, args...)
	var a struct{ Rows [][]json.RawMessage }
	unmarshal(t, []byte(r.stdout), &a)
	if len(a.Rows) != 1 || len(a.Rows[0]) != 1 {
		t.Fatalf("%v: %s%s", args, r.stdout, r.stderr)
	}
	if _, err := fmt.Sscan(strings.Trim(string(a.Rows[0][0]), `"`), &n); err != nil {
		t.Fatalf("%v: %s", args, a.Rows[0][0])
	}
	return n
}
