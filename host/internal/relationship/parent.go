package relationship

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// offspring are the columns of a table that may refer to something.
type offspring struct {
	from    *table
	columns []int
}

// children returns the columns of each table that may refer to something, but for those
// of copies: the first one is asked.
func (w *warehouse) children(open func(sdk.TableRef, string) bool) (all []offspring) {
	for _, from := range w.tables {
		if from.first != nil {
			continue
		}
		one := offspring{from: from}
		for i := range from.columns {
			c := &from.columns[i]
			if c.class != noKey && !c.measure && !c.empty() && open(from.ref, c.name) {
				one.columns = append(one.columns, i)
			}
		}
		all = append(all, one)
	}
	return all
}

// ownKey reports whether a column is its table's key and named so: what others
// refer to.
func (w *warehouse) ownKey(t *table, i int) bool {
	c := &t.columns[i]
	return i == t.key && (len(c.core) == 0 || w.namer.owns(t, c.core))
}

// parentIndex finds the tables that a name may refer to by the first letters of
// any of their words; under one letter and "*" are those for a word whose
// vowels were left out.
type parentIndex map[string][]*table

const initials = 3

// A word leads to the tables that have it if they are at most manyAlike, a word without
// vowels if they are at most manySkeletons. In a warehouse of thousands of tables all
// begin alike, and each column would be compared with each.
const manyAlike, manySkeletons = 64, 512

func (w *warehouse) index() parentIndex {
	index := parentIndex{}
	for _, t := range w.tables {
		if len(t.keys) == 0 || t.first != nil {
			continue
		}
		seen := map[string]bool{}
		add := func(at string) {
			if !seen[at] {
				seen[at] = true
				index[at] = append(index[at], t)
			}
		}
		words := slices.Clone(t.words)
		for _, at := range t.keys {
			if at == t.key || w.identifies(&t.columns[at]) {
				words = append(words, t.columns[at].core...)
			}
		}
		for _, word := range words {
			for _, one := range append([]string{word}, w.namer.expand(word)...) {
				add(one[:min(initials, len(one))])
				add(one[:1] + "*")
			}
		}
		if last := t.words; len(last) == 1 {
			for k := 2; len(last[0])-k >= leastCompound; k++ {
				add("$" + last[0][k:])
			}
		}
		for _, one := range t.names {
			add("=" + strings.Join(one.words, " "))
		}
		add("#" + t.initials())
		if t.is(persons) {
			add("@")
		}
	}
	return index
}

// manyUnique is in how many tables a unique column is whose name says nothing, as slug
// does.
const manyUnique = 2

// identifies reports whether the name of a unique column that is not the key identifies
// its table.
func (w *warehouse) identifies(c *column) bool { return w.known.unique[c.joined] <= manyUnique }

// parents returns the tables with a key that a column may refer to, each once.
func (x parentIndex) parents(w *warehouse, from *table, c *column) []*table {
	var found []*table
	seen := map[*table]bool{}
	add := func(tables ...*table) {
		for _, t := range tables {
			if !seen[t] {
				seen[t] = true
				found = append(found, t)
			}
		}
	}
	near := func(at string, many int) {
		if tables := x[at]; len(tables) <= many {
			add(tables...)
		}
	}
	for i, word := range c.core {
		for _, one := range append([]string{word}, w.namer.expand(word)...) {
			near(one[:min(initials, len(one))], manyAlike)
		}
		if text.Skeleton(word) {
			near(word[:1]+"*", manySkeletons)
		}
		near("="+strings.Join(c.core[i:], " "), manyAlike)
	}
	joined := strings.Join(c.core, "")
	near("$"+joined, manyAlike)
	if len(c.core) == 1 {
		near("#"+joined, manyAlike)
	}
	if c.person() || c.last == "uid" {
		add(x.persons(from)...)
	}
	if len(c.core) == 1 && generic(joined) {
		for _, stem := range stems(from) {
			near("="+strings.Join(stem, " "), manyAlike)
			near("$"+strings.Join(stem, ""), manyAlike)
		}
	}
	if from.key >= 0 {
		add(from)
	}
	return found
}

// manyPersons is how many tables of persons may be asked about.
const manyPersons = 8

// persons returns the tables of persons: those of the same schema, else all.
func (x parentIndex) persons(from *table) (near []*table) {
	all := x["@"]
	if len(all) <= manyPersons {
		return all
	}
	for _, t := range all {
		if t.ref.Catalog == from.ref.Catalog && t.ref.Schema == from.ref.Schema && len(near) < manyPersons {
			near = append(near, t)
		}
	}
	return near
}
