package eval

import (
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/loam-data/loam/host/internal/search"
)

// tables is how large the made-up warehouse is.
const tables = 5000

// The least that search may score; raise them when it gets better. The held-out
// questions are few, so their bound is looser.
var (
	leastTuned = Score{Recall5: 0.85, MRR: 0.85, NDCG10: 0.75}
	leastHeld  = Score{Recall5: 0.80, MRR: 0.80, NDCG10: 0.70}
)

func build(t testing.TB, n int) (*search.Segment, []Question) {
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
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, questions
}

func ask(s *search.Segment, q Question) []string {
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

func TestEval(t *testing.T) {
	t.Parallel()
	s, questions := build(t, tables)
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
	check(t, "all", Mean(append(tuned, held...)), leastTuned)
}

func check(t *testing.T, name string, got, least Score) {
	t.Helper()
	t.Logf("%-8s %3d questions: recall@5 %.3f, MRR %.3f, nDCG@10 %.3f", name, got.Questions, got.Recall5, got.MRR, got.NDCG10)
	if got.Recall5 < least.Recall5 || got.MRR < least.MRR || got.NDCG10 < least.NDCG10 {
		t.Errorf("%s: below recall@5 %.2f, MRR %.2f, nDCG@10 %.2f", name, least.Recall5, least.MRR, least.NDCG10)
	}
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
