package connection

import (
	"cmp"
	"slices"
)

// maxTypos is how far a name may be from another to be taken for a typo of it.
const maxTypos = 2

// Nearest returns the known names that name is probably a typo of, best first,
// at most three.
func Nearest(name string, known []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var found []candidate
	for _, k := range known {
		// A name of three letters with two typos is another name.
		if d := typos([]rune(name), []rune(k)); d <= min(maxTypos, len([]rune(k))/2) {
			found = append(found, candidate{k, d})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, c := range found[:min(3, len(found))] {
		names = append(names, c.name)
	}
	return names
}

// typos is the optimal string alignment distance (Damerau-Levenshtein without
// repeated edits of one place): insertions, deletions, substitutions and swaps
// of neighbours.
func typos(a, b []rune) int {
	before := make([]int, len(b)+1) // the row two above
	above := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
