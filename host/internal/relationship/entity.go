package relationship

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// naming is what a table may be called; weight says how surely.
type naming struct {
	words  []string
	weight float64
	module bool // without the module that the table is of
}

const (
	// A word that begins as many tables of a schema says which module they are of, and
	// one that begins most of them says nothing.
	leastModule, leastCommon, mostTables = 3, 4, .8
	// moduleLess, compound and initialed are what a name is worth without its module,
	// as the end of a word and by its first letters.
	moduleLess, compound, initialed = .95, .8, .8
	leastCompound                   = 4
)

// name finds what each table may be called.
func (w *warehouse) name() {
	type place struct{ catalog, schema string }
	within := func(ref sdk.TableRef) place { return place{ref.Catalog, ref.Schema} }
	tables := map[place]int{}
	begins := map[place]map[string]int{}
	for _, t := range w.tables {
		if at := within(t.ref); t.first == nil && len(t.words) > 0 {
			tables[at]++
			if begins[at] == nil {
				begins[at] = map[string]int{}
			}
			begins[at][t.words[0]]++
		}
	}
	for _, t := range w.tables {
		if len(t.words) > 1 {
			at := within(t.ref)
			n := begins[at][t.words[0]]
			switch {
			case n >= leastCommon && float64(n) >= mostTables*float64(tables[at]):
				t.words = t.words[1:]
			case n >= leastModule:
				t.module = t.words[0]
			}
		}
		t.names = []naming{{t.words, 1, false}}
		rest := t.words
		for len(rest) > 1 && padding(rest[len(rest)-1]) {
			rest = rest[:len(rest)-1]
		}
		if len(rest) < len(t.words) {
			t.names = append(t.names, naming{rest, 1, false})
		}
		if whole := w.namer.words(t.ref.Name); len(whole) > len(t.words) {
			t.names = append(t.names, naming{whole, 1, false}) // as keys may be called after it
		}
		if t.module != "" && len(rest) > 1 {
			t.names = append(t.names, naming{rest[1:], moduleLess, true})
		}
	}
}

// called is how surely words name a table.
func (n *namer) called(words []string, t *table) (best float64) {
	if len(words) == 0 {
		return 0
	}
	for _, one := range t.names {
		if one.module && vague(words[len(words)-1]) && len(words) == 1 {
			continue
		}
		best = max(best, one.weight*n.match(words, one.words))
	}
	if best > 0 {
		return best
	}
	if len(words) == 1 && len(words[0]) > 1 && words[0] == t.initials() {
		return initialed
	}
	return ending(words, t)
}

// ending is how surely words name a table as the end of its one word.
func ending(words []string, t *table) float64 {
	joined := strings.Join(words, "")
	if last := t.names[0].words; len(last) == 1 && len(joined) >= leastCompound && len(last[0]) > len(joined)+1 && strings.HasSuffix(last[0], joined) {
		return compound // issue of jiraissue
	}
	return 0
}

// owns reports whether words name the table that they are found in.
func (n *namer) owns(t *table, words []string) bool {
	return n.called(words, t) > 0 || slices.ContainsFunc(t.names, func(one naming) bool { return n.match(words, one.words) > 0 })
}

func (t *table) initials() string {
	if len(t.words) < 2 {
		return ""
	}
	letters := ""
	for _, word := range t.words {
		letters += word[:1]
	}
	return letters
}

// is reports whether a table is called as one of some.
func (t *table) is(named func(word string) bool) bool {
	for _, one := range t.names {
		if n := len(one.words); n > 0 && n <= 2 && named(one.words[n-1]) {
			return true
		}
	}
	return false
}

// extends is how surely a table's name says that it belongs to another one:
// order_items to orders, postmeta to posts, issuelink to issues.
func (n *namer) extends(t, to *table) (best float64) {
	for _, name := range stems(t) {
		best = max(best, ending(name, to))
		for _, one := range to.names {
			if !one.module {
				best = max(best, one.weight*n.match(name, one.words))
			}
		}
	}
	return best
}

// stems are the names that a table's name begins with, without what it says more.
func stems(t *table) (all [][]string) {
	for _, one := range t.names {
		n := len(one.words)
		for k := n - 1; k > 0; k-- {
			all = append(all, one.words[:k])
		}
		if n == 0 {
			continue
		}
		for _, end := range glued {
			if stem, ok := strings.CutSuffix(one.words[n-1], end); ok && len(stem) >= leastCompound {
				all = append(all, append(slices.Clone(one.words[:n-1]), stem))
			}
		}
	}
	return all
}

// How surely a column refers by what it is called to: the table that its own one
// belongs to, persons, rows of its own table, and that where no row is at the top.
// toEither is where it may as well be its own, and unkeyed what is left of a name that
// does not say that it is a key.
const (
	toOwner, toPerson, toUser, toSelf, toNoTop = .9, .86, .9, .9, .6
	toEither, toVague, unkeyed                 = .86, .55, .95
)

// nameOf is how much a column's name says that it refers to a table's key.
func (w *warehouse) nameOf(from *table, c *column, to *table, at int) float64 {
	n, key := &w.namer, &to.columns[at]
	if at != to.key {
		return w.other(c, key)
	}
	if k := len(c.core) - 1; k > 0 && numeric(c.core[k]) && n.called(c.core, to) == 0 {
		first := *c
		first.core = c.core[:k] // player1_id
		c = &first
	}
	if from == to {
		return w.self(from, c)
	}
	best := 0.
	offer := func(score float64) { best = max(best, score) }
	if len(c.core) == 0 {
		return 0
	}
	stem := strings.Join(c.core, " ")
	shared := generic(stem) || common(stem)
	whole := n.called(c.core, to)
	if c.joined == key.joined {
		switch {
		case whole > 0:
			return 1
		case !shared:
			offer(.9)
		default:
			offer(toVague)
		}
	}
	offer(.95 * whole)
	if len(key.core) > 0 && !shared && (c.keyed || !vague(key.core[len(key.core)-1])) {
		offer(.9 * n.match(c.core, key.core))
	}
	for _, one := range to.names {
		offer(one.weight * n.partly(c, one))
		if one.module && from.module == to.module && vague(c.core[len(c.core)-1]) {
			offer(.95 * one.weight * n.match(c.core, one.words))
		}
	}
	if !c.keyed {
		best *= unkeyed
	}
	if role := w.role(from, c, to); role > best {
		return role
	}
	return best
}

// partly is how much the end of one of two names says that they mean the same.
func (n *namer) partly(c *column, to naming) (best float64) {
	k := len(to.words)
	if k == 0 {
		return 0
	}
	if len(c.core) > k {
		if !to.module || !vague(to.words[k-1]) {
			best = .9 * n.match(c.core[len(c.core)-k:], to.words) // billing_customer_id
		}
		if c.keyed && len(c.core) == k+1 && purposes(c.core[k]) {
			best = max(best, .88*n.match(c.core[:k], to.words)) // partner_shipping_id
		}
		if !c.keyed {
			best = max(best, .7*n.match(c.core[:k], to.words)) // ship_via
		}
	}
	if len(c.core) < k {
		best = max(best, .75*n.match(c.core, to.words[k-len(c.core):])) // category_id of product_categories
	}
	return best
}

// other is how much a column's name says that it refers to a unique column that is
// not its table's key.
func (w *warehouse) other(c, key *column) float64 {
	switch {
	case len(c.core) == 0 || !w.identifies(key) || generic(strings.Join(c.core, " ")) || plain(key.joined):
		return 0
	case c.joined == key.joined:
		return .9
	case len(key.core) > 0 && key.keyed && c.keyed:
		return .85 * w.namer.match(c.core, key.core)
	}
	return 0
}

// self is how much a column's name says that it refers to a row of its own table.
func (w *warehouse) self(t *table, c *column) (best float64) {
	if len(c.core) == 0 {
		return 0
	}
	for _, one := range t.names {
		if k := len(one.words); len(c.core) > k {
			best = max(best, .88*one.weight*w.namer.match(c.core[len(c.core)-k:], one.words)) // parent_category_id
		}
	}
	if !c.keyed {
		best = 0
	}
	for _, word := range c.core {
		switch {
		case !selfWords(word):
		case c.tops():
			best = max(best, toSelf)
		default:
			best = max(best, toNoTop)
		}
	}
	if w.several(t, c) {
		return best
	}
	return max(best, c.personal(t))
}

// tops reports whether some rows refer to nothing, as those at the top of a
// hierarchy do.
func (c *column) tops() bool { return !c.counted || c.nulls > 0 || c.none != "" }

// role is how much a column's name says by what another table's row is to one of its
// own that it refers to that table.
func (w *warehouse) role(from *table, c *column, to *table) float64 {
	last, role := c.core[len(c.core)-1], c.personal(to)
	if generic(last) && len(c.core) == 1 {
		if extends := w.namer.extends(from, to); extends > 0 {
			role = toOwner * extends
			if c.tops() && selfWords(last) {
				role = toEither
			}
		}
	}
	if role > 0 && w.several(from, c) {
		return 0 // of which table it is, another column says
	}
	return role
}

// personal is how much a column's name says that it refers to a table of persons.
func (c *column) personal(to *table) float64 {
	switch {
	case c.last == "uid" && to.is(users):
		return toUser
	case !c.person() || !to.is(persons):
		return 0
	case !c.keyed && roles(c.core[len(c.core)-1]):
		return toPerson * unkeyed
	}
	return toPerson
}

// person reports whether a column is called after what a person does.
func (c *column) person() bool {
	n := len(c.core)
	return n > 0 && !(c.plural && !c.keyed) && (roles(c.core[n-1]) || by(c.core[n-1]) && n > 1 || strings.HasSuffix(c.core[n-1], "by") && len(c.core[n-1]) > 5)
}

// several reports whether a column beside says which table's row is meant.
func (w *warehouse) several(from *table, c *column) bool {
	name := strings.Join(c.core, " ")
	for i := range from.columns {
		switch from.columns[i].joined {
		case name + " type", name + " class", name + " model", name + " table":
			return true
		}
	}
	return false
}
