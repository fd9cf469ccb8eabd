package note

import (
	"context"

	"fmt"
	"math/rand/v2"

	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/store"
)

// many is the number of notes of the benchmarks.
const many = 100_000

// vocabulary are the words of the notes of benchmarks, of which the first are the most frequent.
var vocabulary = func() (all []string) {
	const letters = "abcdefghijklmnoprstuvwy"
	r := rand.New(rand.NewPCG(7, 7))
	for range 20_000 {
		w := make([]byte, 4+r.IntN(7))
		for i := range w {
			w[i] = letters[r.IntN(len(letters))]
		}
		all = append(all, string(w))
	}
	return all
}()

func words(r *rand.Rand, n int) string {
	z := rand.NewZipf(r, 1.1, 8, uint64(len(vocabulary)-1))
	out := make([]string, n)
	for i := range out {
		out[i] = vocabulary[z.Uint64()]
	}
	return strings.Join(out, " ")
}

// report95 reports the 95th percentile of durations, and the median.
func report95(b *testing.B, all []time.Duration) {
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(all[len(all)*95/100].Microseconds())/1000, "p95-ms")
}

func timed(b *testing.B, f func()) {
	var all []time.Duration
	for b.Loop() {
		began := time.Now()
		f()
		all = append(all, time.Since(began))
	}
	report95(b, all)
}

// BenchmarkCheckpoints measures with 100,000 checkpoints of three principals: the first search, which makes the index;
// searches; searches right after a save; saves; pages of the list, the deepest by offset and by cursor.
func BenchmarkCheckpoints(b *testing.B) {
	dir := b.TempDir()
	e := engine(b, dir)
	s, err := e.Store(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	put := func(n int) {
		at := start.Add(time.Duration(n) * time.Second)
		owner := []string{"", "ada", "bob"}[n%3]
		c := store.Checkpoint{Note: store.Note{ID: NewID(at), Owner: owner, Principal: owner, Author: "agent", ProjectPath: "/srv/p" + fmt.Sprint(n%20), Context: Context(map[string]string{"branch": words(r, 1)}), Tags: Tags([]string{vocabulary[n%200]}), CreatedAt: at, UsedAt: at},
			Summary: words(r, 8), Description: words(r, 40)}
		if _, err := s.PutCheckpoint(context.Background(), &c, store.NoteCall{}, "", store.NotePrune{MostCheckpoints: 1_000_000, Principal: &owner}); err != nil {
			b.Fatal(err)
		}
	}
	began := time.Now()
	for n := range many {
		put(n)
	}
	b.Logf("%d saves took %v", many, time.Since(began))
	ada := as(context.Background(), "ada")
	search := func(q Query) {
		if _, err := e.FindCheckpoints(ada, q); err != nil {
			b.Fatal(err)
		}
	}
	began = time.Now()
	search(Query{Text: "x", Limit: 5})
	b.Logf("the index of all took %v, in %d segments", time.Since(began), len(e.checkpoints.spans))
	other := engine(b, dir)
	began = time.Now()
	if _, err := other.FindCheckpoints(ada, Query{Text: "x", Limit: 5}); err != nil {
		b.Fatal(err)
	}
	b.Logf("the first search of another process took %v", time.Since(began))
	n := many
	b.Run("search", func(b *testing.B) { timed(b, func() { search(Query{Text: words(r, 3), Limit: 5}) }) })
	b.Run("search100", func(b *testing.B) { timed(b, func() { search(Query{Text: words(r, 3), Limit: 100}) }) })
	b.Run("searchPathAndTag", func(b *testing.B) {
		timed(b, func() {
			search(Query{Text: words(r, 3), Limit: 5, ProjectPath: "/srv/p7", Tags: []string{vocabulary[r.IntN(200)]}})
		})
	})
	b.Run("saveThenSearch", func(b *testing.B) {
		timed(b, func() { put(n); n++; search(Query{Text: words(r, 3), Limit: 5}) })
	})
	b.Run("save", func(b *testing.B) { timed(b, func() { put(n); n++ }) })
	list := func(l store.CheckpointList) {
		l.Viewer = "ada"
		if all, _, err := s.Checkpoints(ada, l); err != nil || len(all) == 0 {
			b.Fatal(len(all), err)
		}
	}
	b.Run("list", func(b *testing.B) { timed(b, func() { list(store.CheckpointList{Limit: 11}) }) })
	b.Run("list100ByUse", func(b *testing.B) { timed(b, func() { list(store.CheckpointList{Limit: 101, ByUse: true}) }) })
	b.Run("listOffset", func(b *testing.B) { timed(b, func() { list(store.CheckpointList{Limit: 11, Offset: 10_000}) }) })
	b.Run("listCursor", func(b *testing.B) {
		timed(b, func() {
			list(store.CheckpointList{Limit: 11, ProjectPath: "/srv/p7", After: &store.NotePlace{At: start.Add(time.Hour), Seq: 1 << 40}})
		})
	})
}

// BenchmarkRemediations measures with 100,000 remediations: comparisons of an error with what is known, and patterns.
func BenchmarkRemediations(b *testing.B) {
	e := engine(b, b.TempDir())
	s, err := e.Store(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(2, 2))
	messages := make([]string, many)
	for n := range many {
		at := start.Add(time.Duration(n) * time.Second)
		messages[n] = words(r, 12) + fmt.Sprintf(" at line %d of /srv/app/%s.py: %q", n, words(r, 1), words(r, 2))
		row := store.Remediation{Note: store.Note{ID: NewID(at), Author: "agent", Context: Context(nil), Tags: Tags(nil), CreatedAt: at, UsedAt: at},
			ErrorType: "Error" + fmt.Sprint(n%50), ErrorMessage: messages[n], Solution: words(r, 20), Pattern: Normalize(messages[n]), Category: "other"}
		row.PatternHash, row.Signature, row.SolutionHash = HashOf(row.Pattern), Signature(row.ErrorType, row.ErrorMessage, ""), HashOf(row.Solution)
		for range 1 + n%100/97*3 {
			if _, err := s.PutRemediation(b.Context(), &row, store.NoteCall{}, func() string { return "" }, store.NotePrune{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	ctx := context.Background()
	rank := func(message string) {
		if best, _, err := e.Rank(ctx, &Trouble{Message: message, Limit: 5, Least: .5}); err != nil || len(best) == 0 {
			b.Fatal(len(best), err)
		}
	}
	began := time.Now()
	rank(messages[0])
	b.Logf("the index of all took %v", time.Since(began))
	b.Run("search", func(b *testing.B) {
		timed(b, func() { rank(strings.Replace(messages[r.IntN(many)], "/srv/app/", "/home/x/", 1)) })
	})
	b.Run("patterns", func(b *testing.B) {
		timed(b, func() {
			if all, err := s.NotePatterns(ctx, "ada", 3); err != nil || len(all) == 0 {
				b.Fatal(len(all), err)
			}
		})
	})
}
