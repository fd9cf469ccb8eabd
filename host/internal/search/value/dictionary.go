package value

import (
	"bytes"
	"cmp"
	"container/heap"
	"index/suffixarray"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/search/archive"
)

const (
	// smallText is a text that is scanned faster than a suffix array is worth.
	smallText = 64 << 10
	// maxPlaces is how many places the suffix array is asked for: beyond it,
	// scanning is faster.
	maxPlaces = 1 << 14
)

// Dictionary looks up values. It lives in its archive's memory.
// Concurrency: any number of readers until Close.
type Dictionary struct {
	text   []byte
	starts []uint32 // of each value, and the end

	first     []uint32 // posting of each value, and the end
	column    []uint32
	spelling  []uint32
	spellings archive.Strings

	names       archive.Strings
	connection  []uint32 // of each column
	source      []uint32
	name        []uint32
	cardinality []uint64

	questions atomic.Int64
	suffixes  atomic.Pointer[suffixarray.Index]
	building  sync.WaitGroup
}

// Open returns the dictionary in an archive.
// Errors: archive.ErrDamaged.
func Open(a *archive.Archive) (*Dictionary, error) {
	d := &Dictionary{
		text: a.Bytes("value.text"), starts: archive.Array[uint32](a, "value.start"),
		first: archive.Array[uint32](a, "value.posting.first"), column: archive.Array[uint32](a, "value.posting.column"),
		spelling: archive.Array[uint32](a, "value.posting.spelling"), connection: archive.Array[uint32](a, "value.column.connection"),
		source: archive.Array[uint32](a, "value.column.source"), name: archive.Array[uint32](a, "value.column.name"),
		cardinality: archive.Array[uint64](a, "value.column.cardinality"),
	}
	var err1, err2 error
	d.names, err1 = archive.StringList(a, "value.name")
	d.spellings, err2 = archive.StringList(a, "value.spelling")
	n := len(d.name)
	whole := err1 == nil && err2 == nil && len(d.starts) > 0 && len(d.first) == len(d.starts) &&
		int(d.starts[len(d.starts)-1]) == len(d.text) && int(d.first[len(d.first)-1]) == len(d.column) &&
		len(d.spelling) == len(d.column) && len(d.connection) == n && len(d.source) == n && len(d.cardinality) == n
	if !whole {
		return nil, archive.ErrDamaged
	}
	return d, nil
}

// Len returns how many distinct folded values there are.
func (d *Dictionary) Len() int { return len(d.starts) - 1 }

// Columns returns how many columns of a connection have values.
func (d *Dictionary) Columns(connection string) (n int) {
	for _, c := range d.connection {
		if d.names.View(c) == connection {
			n++
		}
	}
	return n
}

// Close waits for the suffix array, if one is being built.
func (d *Dictionary) Close() error {
	d.building.Wait()
	return nil
}

// Find returns the values that contain s, folded, in columns of the given
// connections (none = all): equal ones first, then those that begin with it,
// those with a word that does, and the rest; shorter ones first within each.
// Shape: at most limit matches; total counts all of them, and more than len(matches)
// means that the list was cut. An empty s matches nothing.
func (d *Dictionary) Find(s string, connections []string, limit int) (matches []Match, total int) {
	asked := []byte(Fold(s))
	if len(asked) == 0 || len(d.text) == 0 {
		return nil, 0
	}
	f := finder{d: d, asked: asked, limit: max(0, limit)}
	if len(connections) > 0 {
		f.wanted = make([]bool, d.names.Len())
		for i := range uint32(d.names.Len()) {
			f.wanted[i] = slices.Contains(connections, d.names.View(i))
		}
	}
	if places, ok := d.places(asked); ok {
		f.among(places)
	} else {
		f.scan()
	}
	return f.matches(), f.total
}

// places returns where s is, in order, if the suffix array is there and they
// are not too many.
func (d *Dictionary) places(s []byte) ([]int, bool) {
	suffixes := d.suffixes.Load()
	if suffixes == nil {
		if d.questions.Add(1) == 2 && len(d.text) > smallText {
			d.building.Go(func() { d.suffixes.Store(suffixarray.New(d.text)) })
		}
		return nil, false
	}
	places := suffixes.Lookup(s, maxPlaces)
	if len(places) >= maxPlaces {
		return nil, false
	}
	slices.Sort(places)
	return places, true
}

// found is a value that matches.
type found struct {
	value  uint32
	class  class
	length uint32
}

func (x found) compare(y found) int {
	return cmp.Or(cmp.Compare(x.class, y.class), cmp.Compare(x.length, y.length), cmp.Compare(x.value, y.value))
}

// worst is a heap with the worst match on top.
type worst []found

func (h worst) Len() int           { return len(h) }
func (h worst) Less(i, j int) bool { return h[i].compare(h[j]) > 0 }
func (h worst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *worst) Push(x any)        { *h = append(*h, x.(found)) }
func (h *worst) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}

type finder struct {
	d      *Dictionary
	asked  []byte
	wanted []bool // names of connections; nil = all
	limit  int
	best   worst
	total  int
}

// scan goes through the text, a value at a time.
func (f *finder) scan() {
	text, starts := f.d.text, f.d.starts
	value := 0
	for at := 0; ; {
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
		end := int(starts[value+1])
		f.take(uint32(value), at)
		at = end
		if at >= len(text) {
			return
		}
	}
}

// among takes the values at places of the text, which are in order.
func (f *finder) among(places []int) {
	starts := f.d.starts
	for i := 0; i < len(places); {
		value := sort.Search(len(starts)-1, func(v int) bool { return int(starts[v+1]) > places[i] })
		f.take(uint32(value), places[i])
		for i < len(places) && places[i] < int(starts[value+1]) {
			i++
		}
	}
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

// take counts a value whose first match is at a place, and keeps it if it is
// among the best.
func (f *finder) take(value uint32, at int) {
	n := f.count(value)
	if n == 0 {
		return
	}
	f.total += n
	start := f.d.starts[value]
	x := found{value: value, length: f.d.starts[value+1] - start}
	if int(start) != at {
		x.class = wordStart // at best
	}
	full := len(f.best) == f.limit
	if full && (f.limit == 0 || x.compare(f.best[0]) >= 0) {
		return
	}
	x.class = f.classify(int(value), at)
	switch {
	case !full:
		heap.Push(&f.best, x)
	case x.compare(f.best[0]) < 0:
		f.best[0] = x
		heap.Fix(&f.best, 0)
	}
}

// count returns in how many columns that are asked about a value is.
func (f *finder) count(value uint32) int {
	first, end := f.d.first[value], f.d.first[value+1]
	if f.wanted == nil {
		return int(end - first)
	}
	n := 0
	for p := first; p < end; p++ {
		if f.wanted[f.d.connection[f.d.column[p]]] {
			n++
		}
	}
	return n
}

// matches spells out the best values, column by column.
func (f *finder) matches() []Match {
	d := f.d
	slices.SortFunc(f.best, found.compare)
	var out []Match
	for _, x := range f.best {
		for p := d.first[x.value]; p < d.first[x.value+1] && len(out) < f.limit; p++ {
			c := d.column[p]
			if f.wanted != nil && !f.wanted[d.connection[c]] {
				continue
			}
			m := Match{Column: Column{
				Connection: d.names.At(d.connection[c]), Source: d.names.At(d.source[c]), Name: d.names.At(d.name[c]),
				Cardinality: int64(d.cardinality[c]),
			}}
			if s := d.spelling[p]; s > 0 {
				m.Value = d.spellings.At(s - 1)
			} else {
				m.Value = string(d.text[d.starts[x.value] : d.starts[x.value+1]-1])
			}
			out = append(out, m)
		}
	}
	return out
}
