package eval

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/search"
)

// tables is how large the made-up warehouse is.
const tables = 5000

// The least that search may score; raise them when it gets better. The held-out
// questions are few, so their bound is looser.
var (
	leastTuned = Score{Recall5: 0.91, MRR: 0.94, NDCG10: 0.83}
	leastHeld  = Score{Recall5: 0.91, MRR: 0.93, NDCG10: 0.77}
	leastAll   = Score{Recall5: 0.92, MRR: 0.95, NDCG10: 0.815}
)

func build(t testing.TB, n int) (*search.Index, []Question) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "segment")
	b, err := search.NewBuilder(path, Abbreviations())
	if err != nil {
		t.Fatal(err)
	}
	questions, err := Fill(b, n)
	if err := errors.Join(err, b.Finish("eval", map[search.Kind]int{search.Table: n + len(samples())}), b.Close()); err != nil {
		t.Fatal(err)
	}
	s, err := search.Open(path, Abbreviations())
	if err != nil {
		t.Fatal(err)
	}
	x := search.NewIndex(Abbreviations(), s)
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), x.Close()); err != nil {
			t.Error(err)
		}
	})
	return x, questions
}

func ask(s *search.Index, q Question) []string {
	query := search.Query{Text: q.Text}
	if q.Connection != "" {
		query.Connections = []string{q.Connection}
	}
	var page []string
	for _, h := range s.Search(query).Hits {
		page = append(page, h.Connection+":"+h.ID)
	}
	return page
}

// TestEval asks one warehouse everything: run it with -v to see the scores.
func TestEval(t *testing.T) {
	s, questions := build(t, tables)
	t.Run("questions", func(t *testing.T) { testQuestions(t, s, questions) })
	t.Run("exact names are first", func(t *testing.T) { testExactNames(t, s) })
	t.Run("typos, prefixes, abbreviations", func(t *testing.T) { testSpellings(t, s) })
	t.Run("allocations", func(t *testing.T) {
		for _, q := range questions {
			if n := testing.AllocsPerRun(1, func() { ask(s, q) }); n > 1000 {
				t.Errorf("%s: %v allocations", q.Text, n)
			}
		}
	})
	t.Run("size", func(t *testing.T) {
		if perDocument := s.Size() / int64(s.Count(search.Table)+s.Count(search.Column)); perDocument > 125 {
			t.Errorf("%d bytes a document, want at most 125", perDocument)
		}
	})
}

func testQuestions(t *testing.T, s *search.Index, questions []Question) {
	if len(questions) < 80 {
		t.Fatalf("%d questions, want at least 80", len(questions))
	}
	var tuned, held []Score
	for _, q := range questions {
		page := ask(s, q)
		score := Judge(q, page)
		if q.HeldOut {
			held = append(held, score)
			continue
		}
		tuned = append(tuned, score)
		if score.Recall5 < 0.5 || score.MRR < 0.5 {
			t.Logf("weak: %-45s recall@5 %.2f, MRR %.2f: %v", q.Text, score.Recall5, score.MRR, page[:min(5, len(page))])
		}
	}
	check(t, "tuned", Mean(tuned), leastTuned)
	check(t, "held out", Mean(held), leastHeld)
	check(t, "all", Mean(append(tuned, held...)), leastAll)
}

func check(t *testing.T, name string, got, least Score) {
	t.Helper()
	t.Logf("%-8s %3d questions: recall@5 %.3f, MRR %.3f, nDCG@10 %.3f", name, got.Questions, got.Recall5, got.MRR, got.NDCG10)
	if got.Recall5 < least.Recall5 || got.MRR < least.MRR || got.NDCG10 < least.NDCG10 {
		t.Errorf("%s: below recall@5 %.2f, MRR %.2f, nDCG@10 %.2f", name, least.Recall5, least.MRR, least.NDCG10)
	}
}

// What a name is called exactly comes first, whatever else matches.
func testExactNames(t *testing.T, s *search.Index) {
	n := 0
	Warehouse(warehouseName, tables, func(table Table) {
		if n++; n%17 != 0 {
			return
		}
		first := func(question string) string {
			hits := s.Search(search.Query{Text: question}).Hits
			if len(hits) == 0 {
				return "nothing"
			}
			return hits[0].ID
		}
		if got := first(table.ID); got != table.ID {
			t.Errorf("%s: first is %s", table.ID, got)
		}
		if got := first(table.Name); !strings.EqualFold(got[strings.LastIndex(got, ".")+1:], table.Name) {
			t.Errorf("%s: first is %s", table.Name, got)
		}
	})
}

// Every entity is found by its name with a letter wrong, by its beginning, and
// where its name is abbreviated.
func testSpellings(t *testing.T, s *search.Index) {
	r := rand.New(rand.NewPCG(3, 9))
	about, abbreviated := map[string]map[string]int{}, map[string]map[string]int{}
	note := func(grades map[string]int, table Table) {
		grades[warehouseName+":"+table.ID] = 3
		for _, c := range table.Columns {
			grades[warehouseName+":"+table.ID+"."+c.Name] = 3
		}
	}
	Warehouse(warehouseName, tables, func(table Table) {
		if about[table.Entity] == nil {
			about[table.Entity] = map[string]int{}
		}
		note(about[table.Entity], table)
		if table.Role == ERP && table.Name != strings.ToUpper(table.Entity) {
			if abbreviated[table.Entity] == nil {
				abbreviated[table.Entity] = map[string]int{}
			}
			note(abbreviated[table.Entity], table)
		}
	})
	var typos, prefixes, short []Score
	for _, e := range entities() {
		q := Question{Connection: warehouseName, Grades: about[e.name]}
		word := strings.ReplaceAll(e.name, "_", " ")
		if abbreviated[e.name] != nil {
			q := Question{Connection: warehouseName, Text: "erp " + word, Grades: abbreviated[e.name]}
			score := Judge(q, ask(s, q))
			if short = append(short, score); score.MRR < 0.5 {
				t.Logf("weak abbreviation: %s", word)
			}
		}
		if len(word) < 6 {
			continue
		}
		q.Text = word[:len(word)-2]
		prefixes = append(prefixes, Judge(q, ask(s, q)))
		at := 1 + r.IntN(len(word)-2)
		switch r.IntN(4) {
		case 0:
			q.Text = word[:at] + word[at+1:]
		case 1:
			q.Text = word[:at] + "x" + word[at:]
		case 2:
			q.Text = word[:at] + "x" + word[at+1:]
		default:
			q.Text = word[:at] + string(word[at+1]) + string(word[at]) + word[at+2:]
		}
		score := Judge(q, ask(s, q))
		if typos = append(typos, score); score.MRR < 0.5 {
			t.Logf("weak typo: %s", q.Text)
		}
	}
	check(t, "typos", Mean(typos), Score{Recall5: 0.95, MRR: 0.95})
	check(t, "prefixes", Mean(prefixes), Score{Recall5: 0.92, MRR: 0.93})
	check(t, "short", Mean(short), Score{Recall5: 0.85, MRR: 0.85})
}

func TestJudge(t *testing.T) {
	t.Parallel()
	q := Question{Grades: map[string]int{"a": 3, "b": 2, "c": 1}}
	for _, test := range []struct {
		name string
		page []string
		want Score
	}{
		{"best order", []string{"a", "b", "c"}, Score{1, 1, 1, 1}},
		{"nothing", nil, Score{1, 0, 0, 0}},
		{"wrong ones first", []string{"x", "c", "b"}, Score{1, 0.5, 1.0 / 3, (1/math.Log2(3) + 3.0/2) / (7 + 3/math.Log2(3) + 1.0/2)}},
		{"after the fifth", []string{"x", "x", "x", "x", "x", "a"}, Score{1, 0, 1.0 / 6, 7 / math.Log2(7) / (7 + 3/math.Log2(3) + 1.0/2)}},
	} {
		got := Judge(q, test.page)
		if math.Abs(got.Recall5-test.want.Recall5) > 1e-9 || math.Abs(got.MRR-test.want.MRR) > 1e-9 || math.Abs(got.NDCG10-test.want.NDCG10) > 1e-9 {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
		}
	}
}

func TestWarehouseIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	read := func(n int) (ids []string) {
		seen := map[string]bool{}
		Warehouse("w", n, func(table Table) {
			ids = append(ids, table.ID)
			seen[table.ID] = true
		})
		if len(ids) != n {
			t.Fatalf("%d tables, want %d", len(ids), n)
		}
		return ids
	}
	small, large := read(300), read(2000)
	for i := range small {
		if small[i] != large[i] {
			t.Fatalf("table %d is %s and %s", i, small[i], large[i])
		}
	}
}
