package value

import (
	"bytes"
	"cmp"
	"container/heap"
	"slices"
	"sort"
	"unicode"
	"unicode/utf8"
)

// Dictionaries are looked up as one. Concurrency: as of each.
type Dictionaries []*Dictionary

// Columns returns how many columns of a connection have values.
func (all Dictionaries) Columns(connection string) (n int) {
	for _, d := range all {
		n += d.columns(connection).len()
	}
	return n
}

// Find returns the values that contain s, folded, in columns of the given
// connections (none = all): equal ones first, then those that begin with it,
// those with a word that does, and the rest; shorter ones first within each,
// then by value and by column. One or two letters or digits of ASCII are found at the
// start of values and of words alone: inside of ids they are everywhere. How columns are shared out among dictionaries
// changes nothing.
// Shape: one match for each spelling of a value in a column; at most limit of
// them. total counts all: more than len(matches) means that the list was cut. An
// empty s matches nothing.
func (all Dictionaries) Find(s string, connections []string, limit int) (matches []Match, total int) {
	asked := []byte(Fold(s))
	if len(asked) == 0 {
		return nil, 0
	}
	f := finder{asked: asked, limit: max(0, limit), starts: len(asked) < leastInside && isPlain(asked)}
	for _, d := range all {
		if f.d, f.wanted = d, d.among(connections); len(f.wanted) == 0 {
			continue
		}
		f.all = f.wanted[0].len() == len(d.name)
		if places, ok := d.places(asked); ok {
			f.lookAt(places)
		} else {
			f.scan()
		}
	}
	return f.matches(), f.total
}

// leastInside is how many ASCII letters or digits are looked for inside of words.
const leastInside = 3

// isPlain reports whether all of s are letters and digits of ASCII.
func isPlain(s []byte) bool {
	return !slices.ContainsFunc(s, func(c byte) bool {
		return c >= utf8.RuneSelf || !unicode.IsLetter(rune(c)) && !unicode.IsDigit(rune(c))
	})
}

// found is a value that matches, in columns of a dictionary.
type found struct {
	d      *Dictionary
	wanted []span // of columns
	value  uint32
	first  uint32 // the first posting that is wanted
	class  class
	length uint32
}

// compare orders what was found, better values first. The same value of two
// dictionaries is in the order of the first column that has it: so, if enough
// others come before one of them, enough of their matches come before all of its.
func (x *found) compare(y *found) int {
	switch {
	case x.class != y.class:
		return int(x.class) - int(y.class)
	case x.length != y.length:
		return cmp.Compare(x.length, y.length)
	case x.d == y.d:
		return cmp.Compare(x.value, y.value)
	}
	return cmp.Or(
		bytes.Compare(x.d.value(x.value), y.d.value(y.value)),
		compareColumns(x.d, x.d.column[x.first], y.d, y.d.column[y.first]),
	)
}

// worst is a heap with the worst match on top.
type worst []found

func (h worst) Len() int           { return len(h) }
func (h worst) Less(i, j int) bool { return h[i].compare(&h[j]) > 0 }
func (h worst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *worst) Push(x any)        { *h = append(*h, x.(found)) }
func (h *worst) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}

// finder goes through one dictionary after the other.
type finder struct {
	asked  []byte
	limit  int
	starts bool // of values and words alone
	best   worst
	total  int

	d      *Dictionary
	wanted []span // of columns
	all    bool   // of its columns are wanted
}

// scan goes through the text, a value at a time.
func (f *finder) scan() {
	text, starts := f.d.text, f.d.starts
	value := 0
	for at := 0; at < len(text); at = int(starts[value+1]) {
		next := bytes.Index(text[at:], f.asked)
		if next < 0 {
			return
		}
		at += next
		for step := 1; int(starts[value+1]) <= at; {
			// Gallop, then close in.
			if value+step < len(starts)-1 && int(starts[value+step]) <= at {
				value += step
				step *= 2
				continue
			}
			step = max(1, step/2)
			if step == 1 {
				for int(starts[value+1]) <= at {
					value++
				}
			}
		}
		f.take(uint32(value), at)
	}
}

// lookAt takes the values at places of the text, which are in order.
func (f *finder) lookAt(places []int) {
	starts := f.d.starts
	for i := 0; i < len(places); {
		value := sort.Search(len(starts)-1, func(v int) bool { return int(starts[v+1]) > places[i] })
		f.take(uint32(value), places[i])
		for i < len(places) && places[i] < int(starts[value+1]) {
			i++
		}
	}
}

// take counts a value whose first match is at a place, and keeps it if it is
// among the best.
func (f *finder) take(value uint32, at int) {
	first, n := f.count(value)
	if n == 0 || f.starts && f.classify(int(value), at) == inside {
		return
	}
	f.total += n
	start := f.d.starts[value]
	length, likely := f.d.starts[value+1]-start, equal
	if int(start) != at {
		likely = wordStart // at best
	}
	full := len(f.best) == f.limit
	if full && (f.limit == 0 || f.best[0].outdoes(likely, length)) {
		return
	}
	x := found{d: f.d, wanted: f.wanted, value: value, first: first, class: f.classify(int(value), at), length: length}
	switch {
	case !full:
		heap.Push(&f.best, x)
	case x.compare(&f.best[0]) < 0:
		f.best[0] = x
		heap.Fix(&f.best, 0)
	}
}

// outdoes reports whether x comes before every match of a class and length.
func (x *found) outdoes(c class, length uint32) bool {
	return x.class < c || x.class == c && x.length < length
}

// count returns how many postings of a value are wanted, and the first.
func (f *finder) count(value uint32) (first uint32, n int) {
	if f.all {
		first = f.d.first[value]
		return first, int(f.d.first[value+1] - first)
	}
	for p := range f.d.postings(value, f.wanted) {
		if n == 0 {
			first = p.from
		}
		n += p.len()
	}
	return first, n
}

// classify says how well a value matches whose first match is at a place.
func (f *finder) classify(value, at int) class {
	start, end := int(f.d.starts[value]), int(f.d.starts[value+1])-1
	if at == start {
		if end-start == len(f.asked) {
			return equal
		}
		return prefix
	}
	for text := f.d.text; ; {
		before, _ := utf8.DecodeLastRune(text[start:at])
		if !unicode.IsLetter(before) && !unicode.IsDigit(before) {
			return wordStart
		}
		next := bytes.Index(text[at+1:end], f.asked)
		if next < 0 {
			return inside
		}
		at += 1 + next
	}
}

// matches spells out the best values, column by column.
func (f *finder) matches() (out []Match) {
	slices.SortFunc(f.best, func(x, y found) int { return x.compare(&y) })
	for from := 0; from < len(f.best) && len(out) < f.limit; {
		to := from + 1
		for to < len(f.best) && f.best[to].same(&f.best[from]) {
			to++
		}
		out = f.spell(out, f.best[from:to])
		from = to
	}
	return out
}

// same reports whether two are one value.
func (x *found) same(y *found) bool {
	return x.length == y.length && bytes.Equal(x.d.value(x.value), y.d.value(y.value))
}

// spell appends the matches of one value, of which several dictionaries may have
// columns.
func (f *finder) spell(out []Match, value []found) []Match {
	type place struct {
		d       *Dictionary
		value   uint32
		posting uint32
	}
	var all []place
	for i := range value {
		x, most := &value[i], len(all)+f.limit-len(out)
		for p := range x.d.postings(x.value, x.wanted) {
			for posting := p.from; posting < p.to && len(all) < most; posting++ {
				all = append(all, place{x.d, x.value, posting})
			}
		}
	}
	if len(value) > 1 {
		slices.SortStableFunc(all, func(a, b place) int {
			return compareColumns(a.d, a.d.column[a.posting], b.d, b.d.column[b.posting])
		})
	}
	for _, p := range all[:min(len(all), f.limit-len(out))] {
		out = append(out, p.d.match(p.value, p.posting))
	}
	return out
}
