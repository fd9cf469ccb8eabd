package approved

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/savedquery"
	"github.com/loam-data/loam/host/internal/savedquery/library"
	"github.com/loam-data/loam/host/internal/text"
)

// nameWeight is what a word in a name, a title or a tag counts, against 1 elsewhere.
const nameWeight = 3

// terms are the terms of texts, with how many queries have them. It is a text.Vocabulary.
type terms map[string]int

func (t terms) Count(term string) int { return t[term] }

func (t terms) Prefix(p string) iter.Seq2[string, int] {
	return t.where(func(term string) bool { return strings.HasPrefix(term, p) })
}

func (t terms) Suffix(p string) iter.Seq2[string, int] {
	return t.where(func(term string) bool { return strings.HasSuffix(term, p) })
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

// ranked returns the items with any of the words, the best first; all items, as they are sorted, without words.
func ranked(items []library.Item, words string) []library.Item {
	if strings.TrimSpace(words) == "" {
		return items
	}
	type entry struct {
		item         library.Item
		names, texts terms
		score        float64
	}
	all := make([]entry, len(items))
	vocabulary := terms{}
	for i, item := range items {
		all[i] = entry{item: item, names: terms{}, texts: terms{}}
		all[i].names.add(item.Name + "\n" + item.Query.Title + "\n" + strings.Join(item.Query.Tags, "\n"))
		all[i].texts.add(prose(item.Query))
		for _, has := range []terms{all[i].names, all[i].texts} {
			for term := range has {
				vocabulary[term]++
			}
		}
	}
	asked := text.New().Expand(words, vocabulary)
	for i := range all {
		for _, g := range asked.Groups {
			all[i].score += best(g, all[i].names, all[i].texts)
		}
	}
	all = slices.DeleteFunc(all, func(e entry) bool { return e.score == 0 })
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(b.score, a.score) })
	found := make([]library.Item, len(all))
	for i := range all {
		found[i] = all[i].item
	}
	return found
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

// prose returns the texts of a query beside its name, title and tags.
func prose(q *savedquery.Query) string {
	all := []string{q.Description, q.Constraints}
	for _, p := range q.Parameters {
		all = append(all, p.Name, p.Description)
	}
	for _, c := range q.Output {
		all = append(all, c.Name)
	}
	return strings.Join(all, "\n")
}
