package assertion

import (
	"hash/fnv"
	"math"
	"slices"
	"strings"
)

// sketchSize is the number of minima of a sketch, shingle the number of stems of one element of the
// set (spec §5, "Pages").
const (
	sketchSize = 128
	shingle    = 3
)

// Sketch is a MinHash of a text; nil = a text without words.
type Sketch []uint64

// Draw returns the sketch of a text. It is the same on every machine.
func Draw(text string, l Language) Sketch {
	list := words(text)
	if len(list) == 0 {
		return nil
	}
	for i, w := range list {
		list[i] = Stem(w, l)
	}
	s := make(Sketch, sketchSize)
	for i := range s {
		s[i] = math.MaxUint64
	}
	for _, words := range shingles(list) {
		h := fnv.New64a()
		for _, w := range words {
			h.Write([]byte(w))
			h.Write([]byte{' '})
		}
		s.add(h.Sum64())
	}
	return s
}

// shingles are the runs of words that a sketch is drawn of: all words where there are no more than one run has.
func shingles(words []string) (all [][]string) {
	for i := 0; i == 0 && len(words) > 0 || i+shingle <= len(words); i++ {
		all = append(all, words[i:min(i+shingle, len(words))])
	}
	return all
}

// Shingles are the different elements of the set that Draw(text, None) sketches: runs of words in lower case.
func Shingles(text string) [][]string {
	all := shingles(words(strings.ToLower(text)))
	slices.SortFunc(all, slices.Compare)
	return slices.CompactFunc(all, slices.Equal)
}

// add updates the minima with one element. Its i-th hash is a mix of the element's hash and i times
// the golden ratio (splitmix64).
func (s Sketch) add(element uint64) {
	for i := range s {
		x := element + uint64(i+1)*0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		s[i] = min(s[i], x^x>>31)
	}
}

// Similarity estimates the Jaccard similarity of two texts by their sketches. Units: 0 to 1.
func (s Sketch) Similarity(other Sketch) float64 {
	if len(s) != len(other) || len(s) == 0 {
		return 0
	}
	equal := 0
	for i := range s {
		if s[i] == other[i] {
			equal++
		}
	}
	return float64(equal) / float64(len(s))
}
