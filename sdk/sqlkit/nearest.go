package sqlkit

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest returns up to three likely corrections of a misspelt name, best first; the
// order of names decides between equals. A word of more than 200 bytes has none.
func Nearest(word string, names []string) []string {
	const longest = 200
	if len(word) > longest {
		return nil
	}
	return nearest(word, names, func(name string) string { return name })
}

// nearest is Nearest over the parts of the names that count.
func nearest(word string, names []string, part func(string) string) []string {
	type candidate struct {
		name     string
		distance int
	}
	want := []rune(strings.ToLower(part(word)))
	var near []candidate
	for _, name := range names {
		have := []rune(strings.ToLower(part(name)))
		if d := distance(want, have); d <= max(1, min(len(want), len(have))/3) {
			near = append(near, candidate{name, d})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var best []string
	for _, c := range near[:min(3, len(near))] {
		best = append(best, c.name)
	}
	return best
}

// distance counts insertions, deletions, replacements and swaps of neighbours
// (optimal string alignment).
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
