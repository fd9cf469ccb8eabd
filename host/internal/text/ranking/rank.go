// Package ranking ranks few documents, such as the saved queries of a project, by the words of a question. It reads all of
// them for each question; package search has an index for many.
package ranking

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// nameWeight is what a word in a name counts, against 1 in a text.
const nameWeight = 3

// Document is one that is found by its names and by its texts, which count less.
type Document struct{ Names, Texts string }

// Hit is a document with any of the words. At is its place among the documents; Score is from 0 to 1, where every word is
// in a name, with three digits.
type Hit struct {
	At    int
	Score float64
}

// Of returns the documents with any of the words, the best first; equally good ones keep their order.
func Of(words string, documents []Document) []Hit {
	type entry struct{ names, texts terms }
	all := make([]entry, len(documents))
	vocabulary := terms{}
	for i, d := range documents {
		all[i] = entry{names: terms{}, texts: terms{}}
		all[i].names.add(d.Names)
		all[i].texts.add(d.Texts)
		for _, has := range []terms{all[i].names, all[i].texts} {
			for term := range has {
				vocabulary[term]++
			}
		}
	}
	asked := text.New().Expand(words, vocabulary)
	var hits []Hit
	for i := range all {
		score := 0.0
		for _, g := range asked.Groups {
			score += best(g, all[i].names, all[i].texts)
		}
		if score > 0 {
			hits = append(hits, Hit{i, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	for i := range hits {
		hits[i].Score = math.Round(min(1, hits[i].Score/float64(nameWeight*len(asked.Groups)))*1000) / 1000
	}
	return hits
}

// best returns the weight of the best match of a word; 0 = none.
func best(g text.Group, names, texts terms) (score float64) {
	for _, a := range g.Alternatives {
		in := func(where terms) bool {
			return !slices.ContainsFunc(a.Terms, func(term string) bool { return where[term] == 0 })
		}
		switch {
		case in(names):
			score = max(score, nameWeight*a.Weight)
		case in(texts):
			score = max(score, a.Weight)
		}
	}
	return score
}

// terms are the terms of texts, with how many documents have them. It is a text.Vocabulary.
type terms map[string]int

func (t terms) Count(term string) int { return t[term] }

func (t terms) Prefix(p string) iter.Seq2[string, int] {
	return t.where(func(term string) bool { return strings.HasPrefix(term, p) })
}

func (t terms) Suffix(p string) iter.Seq2[string, int] {
	return t.where(func(term string) bool { return strings.HasSuffix(term, p) })
}

func (t terms) Words(p string) iter.Seq2[string, int] {
	return t.where(func(term string) bool {
		return strings.HasPrefix(term, p) && strings.Trim(term, "abcdefghijklmnopqrstuvwxyz") == ""
	})
}

func (t terms) Skeletons(first rune) iter.Seq2[string, int] {
	return t.where(func(term string) bool {
		return strings.HasPrefix(term, string(first)) && !strings.ContainsAny(strings.TrimPrefix(term, string(first)), "aeiou")
	})
}

func (t terms) where(wanted func(string) bool) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for term, n := range t {
			if wanted(term) && !yield(term, n) {
				return
			}
		}
	}
}

// add adds the terms of a text.
func (t terms) add(s string) {
	var tokens text.Tokens
	text.New().Append(&tokens, s, text.Prose)
	for i := range tokens.Len() {
		term, _ := tokens.At(i)
		t[string(term)]++
	}
}
