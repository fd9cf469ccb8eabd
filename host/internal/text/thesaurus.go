package text

import (
	_ "embed"
	"iter"
	"slices"
	"strings"
	"sync"
)

//go:embed terms.txt
var termFile string

// A meaning is the words that are used for one thing. Each is one or more terms.
type meaning struct {
	english, foreign [][]string
}

// naming is one way to ask for a meaning: its terms, in this order.
type naming struct {
	terms   []string
	foreign bool
	of      *meaning
}

// thesaurus holds the namings by their first term.
var thesaurus = sync.OnceValue(func() map[string][]naming {
	all := map[string][]naming{}
	reader := &Analyzer{}
	for line := range strings.Lines(termFile) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		english, foreign, _ := strings.Cut(line, "|")
		m := &meaning{english: reader.namings(english), foreign: reader.namings(foreign)}
		for i, group := range [][][]string{m.english, m.foreign} {
			for _, terms := range group {
				all[terms[0]] = append(all[terms[0]], naming{terms, i == 1, m})
			}
		}
	}
	return all
})

// namings reads a list of names that commas separate. One with an umlaut is also there
// as it is written without.
func (a *Analyzer) namings(list string) (out [][]string) {
	for name := range strings.SplitSeq(list, ",") {
		terms := a.words(name)
		if len(terms) == 0 {
			continue
		}
		out = append(out, terms)
		if wide, has := fold(nil, compose(strings.TrimSpace(name)), true); has && len(terms) == 1 {
			out = append(out, []string{string(singular(wide))})
		}
	}
	return out
}

// related is a word that means the same as one of the question.
type related struct {
	terms   []string
	foreign bool // one of the two is not English
}

// relate finds what the question's words are also called. A name of several words is
// found where they follow each other, one word of another language in each of its forms too.
func (e *expansion) relate() {
	names := thesaurus()
	for i := range e.words {
		for _, n := range names[e.words[i].term] {
			if !e.follow(i, n.terms) {
				continue
			}
			for at := i; at < i+len(n.terms); at++ {
				e.words[at].related = n.of.append(e.words[at].related, n)
			}
		}
		for stem := range stems(e.words[i].term) {
			for _, n := range names[stem] {
				if n.foreign && len(n.terms) == 1 {
					e.words[i].related = n.of.append(e.words[i].related, n)
				}
			}
		}
	}
}

// follow reports whether the words of the question from one on are these.
func (e *expansion) follow(from int, terms []string) bool {
	if from+len(terms) > len(e.words) {
		return false
	}
	for i, t := range terms {
		if e.words[from+i].term != t {
			return false
		}
	}
	return true
}

// append adds the other names of a meaning.
func (m *meaning) append(to []related, asked naming) []related {
	to = slices.Grow(to, len(m.english)+len(m.foreign))
	for _, terms := range m.english {
		if !slices.Equal(terms, asked.terms) {
			to = append(to, related{terms, asked.foreign})
		}
	}
	for _, terms := range m.foreign {
		to = append(to, related{terms, true})
	}
	return to
}

const (
	// leastPart is from how many bytes a word of another language is looked for as
	// the beginning of a longer one, leastEnd as its end: Germans write many as one.
	leastPart, leastEnd = 5, 6
	maxParts            = 4 // longer words for each
	// spoken is what another word is worth where the word itself is known.
	spoken = 0.8
)

// offerRelated offers what a word is also called.
func (e *expansion) offerRelated(g *Group, w *word) {
	g.Alternatives = slices.Grow(g.Alternatives, min(maxAlternatives, len(w.related)))
	known := e.vocabulary.Count(w.term) > 0
	for _, r := range w.related {
		weight := weightSynonym
		if r.foreign {
			weight = weightTranslation
		}
		if known {
			weight *= spoken
		}
		e.offerOther(g, weight, r.terms...)
		if !r.foreign {
			continue
		}
		if t := r.terms[0]; len(r.terms) == 1 && len(t) >= leastPart && alphabetic(t) {
			e.offerParts(g, e.vocabulary.Prefix(t))
			if len(t) >= leastEnd {
				e.offerParts(g, e.vocabulary.Suffix(t))
			}
		}
	}
}

// longer is the words of the index that have one of another language in them, the most
// frequent first.
type longer struct {
	terms  [maxParts]string
	counts [maxParts]int
}

// offerParts offers them.
func (e *expansion) offerParts(g *Group, found iter.Seq2[string, int]) {
	l := &e.longer
	*l = longer{}
	for t, n := range found {
		at := 0
		for at < maxParts && (l.counts[at] > n || l.counts[at] == n && l.terms[at] < t) {
			at++
		}
		if at < maxParts {
			copy(l.terms[at+1:], l.terms[at:])
			copy(l.counts[at+1:], l.counts[at:])
			l.terms[at], l.counts[at] = t, n
		}
	}
	for i, t := range l.terms {
		if l.counts[i] > 0 {
			e.offerOther(g, weightTranslatedPart, strings.Clone(t))
		}
	}
}
