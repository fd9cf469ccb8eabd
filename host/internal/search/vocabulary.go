package search

import (
	"iter"
	"math"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/text"
)

// vocabulary is the terms of several segments, for expanding questions.
type vocabulary []*Segment

var _ text.Vocabulary = vocabulary(nil)

// Count returns how many documents of all segments have a term.
func (v vocabulary) Count(term string) (n int) {
	for _, s := range v {
		if i, ok := s.term(term); ok {
			n += int(s.count[i])
		}
	}
	return n
}

// rarity is the inverse document frequency of a term.
func (v vocabulary) rarity(term string) float64 {
	all := 0
	for _, s := range v {
		all += len(s.flags)
	}
	n := float64(v.Count(term))
	return math.Log(1 + (float64(all)-n+0.5)/(n+0.5))
}

func (v vocabulary) Prefix(prefix string) iter.Seq2[string, int] {
	return v.merged(strings.Compare, func(s *Segment) list {
		first := sort.Search(len(s.count), func(i int) bool { return s.terms.View(uint32(i)) >= prefix })
		return list{s: s, first: uint32(first), left: s.beginning(first, len(s.count)-first, prefix)}
	})
}

// beginning returns how many of n terms from one on, which is not before a prefix, begin with the prefix.
func (s *Segment) beginning(first, n int, prefix string) int {
	return sort.Search(n, func(i int) bool { return !strings.HasPrefix(s.terms.View(uint32(first+i)), prefix) })
}

func (v vocabulary) Words(prefix string) iter.Seq2[string, int] {
	return v.merged(strings.Compare, func(s *Segment) list {
		first := sort.Search(len(s.count), func(i int) bool { return s.terms.View(uint32(i)) >= prefix })
		return list{s: s, first: uint32(first), left: s.beginning(first, len(s.count)-first, prefix), words: true}
	})
}

func (v vocabulary) Suffix(suffix string) iter.Seq2[string, int] {
	return v.merged(compareEnds, func(s *Segment) list {
		first := sort.Search(len(s.ends), func(i int) bool { return compareEnds(s.terms.View(s.ends[i]), suffix) >= 0 })
		n := sort.Search(len(s.ends)-first, func(i int) bool { return !strings.HasSuffix(s.terms.View(s.ends[first+i]), suffix) })
		return list{s: s, numbers: s.ends[first : first+n], left: n}
	})
}

func (v vocabulary) Skeletons(first rune) iter.Seq2[string, int] {
	return v.merged(strings.Compare, func(s *Segment) list {
		numbers := s.skeletons()[first]
		return list{s: s, numbers: numbers, left: len(numbers)}
	})
}

// list is some terms of a segment, in order: those with the numbers, or without
// them those that follow each other.
type list struct {
	s       *Segment
	numbers []uint32
	first   uint32
	left    int
	words   bool   // terms with other characters than a to z are skipped; there are no numbers
	term    string // the next one
}

func (l *list) number() uint32 {
	if l.numbers != nil {
		return l.numbers[0]
	}
	return l.first
}

// load sets the next term; left is 0 afterwards if there is none.
func (l *list) load() {
	for l.left > 0 {
		l.term = l.s.terms.View(l.number())
		if !l.words {
			return
		}
		other := strings.IndexFunc(l.term, func(r rune) bool { return r < 'a' || r > 'z' })
		if other < 0 {
			return
		}
		// All terms with the same beginning have it, too.
		n := l.s.beginning(int(l.first), l.left, l.term[:other+1])
		l.first, l.left = l.first+uint32(n), l.left-n
	}
}

func (l *list) next() {
	if l.numbers != nil {
		l.numbers = l.numbers[1:]
	}
	l.first++
	l.left--
	l.load()
}

// merged yields the terms of a list of each segment, each once and with the sum
// of its counts. The lists are in the order of compare.
func (v vocabulary) merged(compare func(a, b string) int, of func(*Segment) list) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		lists := make([]list, 0, len(v)) // a heap by the next term
		for _, s := range v {
			l := of(s)
			if l.load(); l.left > 0 {
				lists = append(lists, l)
			}
		}
		for i := len(lists)/2 - 1; i >= 0; i-- {
			sink(lists, i, compare)
		}
		for len(lists) > 0 {
			least, n := lists[0].term, 0
			for len(lists) > 0 && lists[0].term == least {
				l := &lists[0]
				n += int(l.s.count[l.number()])
				if l.next(); l.left == 0 {
					lists[0] = lists[len(lists)-1]
					lists = lists[:len(lists)-1]
				}
				sink(lists, 0, compare)
			}
			if !yield(least, n) {
				return
			}
		}
	}
}

// sink moves a list down to its place in a heap.
func sink(lists []list, i int, compare func(a, b string) int) {
	for {
		child := 2*i + 1
		if child >= len(lists) {
			return
		}
		if child+1 < len(lists) && compare(lists[child+1].term, lists[child].term) < 0 {
			child++
		}
		if compare(lists[i].term, lists[child].term) <= 0 {
			return
		}
		lists[i], lists[child] = lists[child], lists[i]
		i = child
	}
}

// findSkeletons returns the terms that may be words without their vowels, by
// their first letters.
func (s *Segment) findSkeletons() map[rune][]uint32 {
	all := map[rune][]uint32{}
	for i := range uint32(len(s.count)) {
		if t := s.terms.View(i); text.Skeleton(t) {
			first, _ := utf8.DecodeRuneInString(t)
			all[first] = append(all[first], i)
		}
	}
	return all
}
