package relationship

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/loam-data/loam/sdk"
)

const (
	weightName, weightKey, weightSurprise = .55, .20, .25
	// least is the score of a candidate that is worth a query, and leastName that
	// of a name that says anything.
	least, leastName = .40, .5
	// perColumn is how many parents of one column are asked at most, and margin how
	// far a parent's score may be below that of one that holds to be asked as well.
	perColumn, margin = 4, .2
	// contained is the least estimate of a candidate: with five in a hundred rows
	// orphaned more than half of a column's distinct values may be.
	contained = .4

	goodName, fairName, enoughContained = .85, .65, .95
	fullyContained                      = .99
	strongValues                        = .5
	// sureName is the name that makes a table's own key refer to another's.
	sureName = .95
	// clear is how far the preference for one parent must be above that for another
	// that holds as well. near is worth a parent in the same schema, stale takes off
	// what is called a copy, and valuesSay what coverage and surprise are worth.
	clear, near, stale, valuesSay = .08, .15, .2, .1
	// toldByValues is the score of what the values alone say, and root and sameModule
	// are worth a parent that another one refers to, and one of the same module.
	toldByValues, root, sameModule = .6, .1, .1
	// certain is the surprise that orphans do not weaken.
	certain = .9
)

// candidate is a link under consideration.
type candidate struct {
	from, to      *table
	score         float64
	evidence      Evidence
	child, parent *column
	at            int // of the parent among its table's columns
	// alike: the child is unique and counted, the parent a key, and the tables' names differ in digits
	// at most.
	alike bool
}

func (c *candidate) link() Link {
	return Link{From: c.from.ref, Columns: []string{c.child.name}, To: c.to.ref, ToColumns: []string{c.parent.name}}
}

// candidates returns the links worth a query: those of a column together, the best
// first, and the columns in turns of their tables, so that no table waits for all
// columns of another one.
func (w *warehouse) candidates(open func(sdk.TableRef, string) bool) [][]*candidate {
	index, children := w.index(), w.children(open)
	var sought []*column
	for _, all := range children {
		for _, i := range all.columns {
			sought = append(sought, &all.from.columns[i])
		}
	}
	holders := w.holders(sought)
	type turn struct {
		nth int
		all []*candidate
	}
	var turns []turn
	for _, each := range children {
		var columns [][]*candidate
		for _, i := range each.columns {
			if found := w.parents(each.from, i, index, holders); len(found) > 0 {
				columns = append(columns, found)
			}
		}
		slices.SortStableFunc(columns, func(a, b []*candidate) int { return better(a[0], b[0]) })
		for n, all := range columns {
			turns = append(turns, turn{n, all})
		}
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Or(a.nth-b.nth, better(a.all[0], b.all[0])) })
	all := make([][]*candidate, len(turns))
	for i := range turns {
		all[i] = turns[i].all
	}
	return all
}

func better(a, b *candidate) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.evidence.Name, a.evidence.Name))
}

// parents returns the links of a column that are worth a query, the best first: perColumn
// of them, and as many of the same schema behind these.
func (w *warehouse) parents(from *table, i int, index parentIndex, holders holders) (found []*candidate) {
	c := &from.columns[i]
	add := func(one *candidate) {
		if one != nil && !slices.ContainsFunc(found, func(o *candidate) bool { return o.to == one.to && o.parent == one.parent }) {
			found = append(found, one)
		}
	}
	if !w.ownKey(from, i) {
		for _, to := range index.parents(w, from, c) {
			for _, at := range to.keys {
				add(w.consider(from, i, to, at, false))
			}
		}
	}
	for _, key := range holders.of(c) {
		add(w.consider(from, i, key.t, key.at, true))
	}
	slices.SortStableFunc(found, better)
	at := 0
	return slices.DeleteFunc(found, func(c *candidate) bool {
		at++
		if at <= perColumn {
			return false
		}
		return c.abroad() || at > 2*perColumn
	})
}

// consider scores a link; nil when it is not worth a query. The values may speak for
// it where the name does not.
func (w *warehouse) consider(from *table, i int, to *table, at int, byValues bool) *candidate {
	child, parent := &from.columns[i], &to.columns[at]
	if child.class != parent.class || child == parent {
		return nil
	}
	name := w.nameOf(from, child, to, at)
	if name < leastName && !byValues {
		return nil
	}
	if at != to.key && w.refersTo(from, i, to) {
		return nil // a value of the row that another column refers to
	}
	if child.ranged && parent.ranged && (child.high < parent.low || child.low > parent.high) {
		return nil
	}
	e := Evidence{Name: name, Key: keyLike(child), Containment: containment(child, parent), Coverage: coverage(child, parent), Surprise: surprise(child, parent)}
	if e.Containment >= 0 && e.Containment < contained {
		return nil
	}
	told := e.Surprise >= strongValues && e.Containment >= enoughContained && parent.sparse()
	if w.twin(from, i, to, at) {
		return nil
	}
	if !child.drawn() && child.distinctive() && (w.ownKey(from, i) || at != to.key && w.namer.called(child.core, to) == 0) {
		return nil // both are counted, each for itself
	}
	if name < leastName && !told {
		return nil
	}
	if i == from.key && child.unique() && name < sureName && !told {
		return nil // a table's own key refers to another's only where it is named after it
	}
	score := weightName*e.Name + weightKey*e.Key + weightSurprise*e.Surprise*max(0, e.Containment)
	if told {
		score = max(score, toldByValues*e.Surprise)
	}
	if score < least {
		return nil
	}
	alike := !told && !child.drawn() && at == to.key && child.unique() && slices.Equal(from.undated(), to.undated())
	return &candidate{from: from, to: to, score: score, evidence: e, child: child, parent: parent, at: at, alike: alike}
}

// refersTo reports whether another column refers to a table: by a declared key, or by
// its name.
func (w *warehouse) refersTo(from *table, but int, to *table) bool {
	for _, k := range from.foreign {
		if w.resolve(from.ref, k.Ref) == to.ref {
			return true
		}
	}
	if to.key < 0 {
		return false
	}
	for i := range from.columns {
		c := &from.columns[i]
		if i != but && c.class == to.columns[to.key].class && w.nameOf(from, c, to, to.key) >= goodName {
			return true
		}
	}
	return false
}

// twin reports whether a unique column and a key hold the same values, and nothing
// says that it is not the key that refers to the column.
func (w *warehouse) twin(from *table, i int, to *table, at int) bool {
	child, parent := &from.columns[i], &to.columns[at]
	if from == to && child.unique() && parent.unique() {
		return true
	}
	if !child.distinctive() || !inside(parent, child) {
		return false
	}
	return !w.derived(from, i, to)
}

// derived reports whether a column is named after another table, or its table is
// called as if it said more of the other one's rows.
func (w *warehouse) derived(from *table, i int, to *table) bool {
	c := &from.columns[i]
	switch {
	case w.namer.called(c.core, from) > 0 && !from.detail:
		return w.namer.extends(from, to) > 0
	case from.detail && !to.detail, w.namer.extends(from, to) > 0:
		return true
	}
	return len(c.core) > 0 && w.namer.called(c.core, to) > w.namer.called(c.core, from)
}

// counts reports whether a column looks as if it counted within something: it is
// called a number, and holds the first few numbers of a parent that has them all.
func (c *candidate) counts() bool {
	last := c.child.last
	return ordinals(last) && c.child.ranged && c.parent.ranged && c.evidence.Coverage < .5 &&
		c.child.low <= c.parent.low+1 && c.child.dense() >= .9 && c.parent.dense() >= .9
}

// abroad reports whether the parent is in another schema.
func (c *candidate) abroad() bool {
	return c.from.ref.Catalog != c.to.ref.Catalog || c.from.ref.Schema != c.to.ref.Schema
}

// undated are the words of the table's name that are no numbers.
func (t *table) undated() []string {
	return slices.DeleteFunc(slices.Clone(t.words), func(word string) bool {
		return !strings.ContainsFunc(word, unicode.IsLetter)
	})
}

// keyLike is how much a column looks as if it referred to something.
func keyLike(c *column) float64 {
	score := .5
	if c.keyed {
		score = 1
	}
	if c.class == texts && c.length > 36 {
		score /= 2
	}
	return score
}

// preference is how much speaks for one parent of a column before another one that
// holds as well.
func (c *candidate) preference() float64 {
	p := c.evidence.Name + valuesSay*(max(0, c.evidence.Coverage)+c.evidence.Surprise)
	if !c.abroad() {
		p += near
	}
	if c.to.copied && !c.from.copied {
		p -= stale
	}
	if c.from != c.to && c.from.module != "" && c.from.module == c.to.module {
		p += sameModule
	}
	return p
}

// preferences are those for each of several parents of one column. One whose values are
// among another one's is not the root.
func (f *finding) preferences(all []held) map[*candidate]float64 {
	found := make(map[*candidate]float64, len(all))
	for _, h := range all {
		c := h.candidate
		p := c.preference()
		for _, o := range all {
			other := o.candidate
			if c == other || !inside(c.parent, other.parent) {
				continue
			}
			if fewer := c.parent.sparse() && !inside(other.parent, c.parent); fewer || f.warehouse.derived(c.to, c.at, other.to) && !f.warehouse.derived(other.to, other.at, c.to) {
				p -= root
				break
			}
		}
		found[c] = p
	}
	return found
}
