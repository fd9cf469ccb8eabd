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
		n := sort.Search(len(s.count)-first, func(i int) bool { return !strings.HasPrefix(s.terms.View(uint32(first+i)), prefix) })
		return list{s: s, first: uint32(first), left: n}
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
}

func (l *list) number() uint32 {
	if l.numbers != nil {
		return l.numbers[0]
	}
	return l.first
}

func (l *list) term() string { return l.s.terms.View(l.number()) }

func (l *list) next() {
	if l.numbers != nil {
		l.numbers = l.numbers[1:]
	}
	l.first++
	l.left--
}

// merged yields the terms of a list of each segment, each once and with the sum
// of its counts. The lists are in the order of compare.
func (v vocabulary) merged(compare func(a, b string) int, of func(*Segment) list) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		lists := make([]list, 0, len(v))
		for _, s := range v {
			if l := of(s); l.left > 0 {
				lists = append(lists, l)
			}
		}
		for len(lists) > 0 {
			least := lists[0].term()
			for i := range lists[1:] {
				if t := lists[1+i].term(); compare(t, least) < 0 {
					least = t
				}
			}
			n, left := 0, lists[:0]
			for _, l := range lists {
				if l.term() == least {
					n += int(l.s.count[l.number()])
					l.next()
				}
				if l.left > 0 {
					left = append(left, l)
				}
			}
			if lists = left; !yield(least, n) {
				return
			}
		}
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
