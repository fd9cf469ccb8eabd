package search

import (
	"cmp"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

const (
	// mostColumns is how many columns of a table stand on a page before those of all others.
	mostColumns = 2
	// widened is how many of the best tables are looked at with all that they hold.
	widened = 24
	// heldShare is what a word is worth to a table that only its columns have.
	heldShare = 0.6
	// joinedShare is what it is worth where only a table that it refers to has it, and
	// joinedMatch how much of a word that is.
	joinedShare, joinedMatch = 0.5, 0.6
)

// widen lets the best tables score with the words that they have together with their
// columns, values and comments among them, and with the tables that they refer to: no
// single one of these may have them all.
func (r *run) widen() {
	if r.words < 2 || !r.wanted[Table] {
		return
	}
	tables := r.tops[Table].best()
	best := slices.Clone(tables)
	slices.SortFunc(best, func(a, b candidate) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	for _, c := range best[:min(widened, len(best))] {
		if c.level > 0 || r.leftOut(c, Table) {
			continue
		}
		r.part = c.part
		if score := r.part.used.settle(c.document, r.part.related(c.document, r.together(c.document))); score > c.score {
			at := slices.IndexFunc(tables, func(o candidate) bool { return o.part == c.part && o.document == c.document })
			tables[at].score = score
		}
	}
}

// together is the score of a parent with the words that it or a child has, or else
// something that it refers to.
func (r *run) together(parent uint32) float32 {
	sum, matched := float32(0), float32(0)
	for i := range r.part.groups {
		own, _ := r.part.groups[i].lookBack(parent)
		if held := heldShare * r.part.groups[i].among(parent+1, r.part.s.children(parent)); held > own {
			own = held
		}
		if own > 0 {
			sum += own
			matched++
		} else if there := r.joined(i, location{r.part.s, parent}); there > 0 {
			sum += joinedShare * there
			matched += joinedMatch
		}
	}
	return r.weigh(parent, sum, matched)
}

// among returns the most that the group gives one of some documents that follow each other.
func (g *group) among(from, to uint32) (best float32) {
	for i := range g.cursors {
		c := &g.cursors[i]
		at, _ := c.documents.search(from)
		for ; at < c.documents.len() && c.documents.at(at) < to; at++ {
			if !c.passes(at) {
				best = max(best, c.scale*float32(c.impacts[at]))
			}
		}
	}
	return best
}

// spread moves what says little more behind the rest: further columns of a table that is
// there with two, and further copies of a table, whose names differ in their digits alone.
// Exact names stay where they are. columns is empty, and counts those of each table.
func spread(all []ranked, columns map[location]int) {
	var firsts []location
	for i := range all {
		one := &all[i]
		if one.kind != Table && one.kind != Column {
			continue
		}
		s := one.part.s
		root := location{s, s.root(one.document)}
		if one.kind == Column {
			columns[root]++
		}
		if one.level > 0 {
			continue
		}
		one.behind = columns[root] > mostColumns
		if strings.ContainsAny(root.name(root.document), "0123456789") {
			first := slices.IndexFunc(firsts, func(o location) bool { return o == root || root.copies(o) })
			if first < 0 {
				firsts = append(firsts, root)
			} else if firsts[first] != root {
				one.behind = true
			}
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		if a.level != b.level {
			return cmp.Compare(b.level, a.level)
		}
		return text.CompareBool(a.behind, b.behind)
	})
}

// copies reports whether two tables of a connection have the same columns, and names that
// differ in their digits alone.
func (l location) copies(o location) bool {
	if !sameButDigits(l.name(l.document), o.name(o.document)) || l.s.meta.Connections[l.s.connection[l.document]] != o.s.meta.Connections[o.s.connection[o.document]] {
		return false
	}
	n := l.s.children(l.document) - l.document
	if n != o.s.children(o.document)-o.document {
		return false
	}
	for i := uint32(1); i < n; i++ {
		if l.name(l.document+i) != o.name(o.document+i) {
			return false
		}
	}
	return true
}

// name is the label of a document of the segment, valid while that is open.
func (l location) name(document uint32) string { return l.s.labels.View(l.s.label[document]) }

func sameButDigits(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if a[i] != b[i] && !(isDigit(a[i]) && isDigit(b[i])) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
