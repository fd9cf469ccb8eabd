package value

import (
	"cmp"
	"index/suffixarray"
	"iter"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/loam-data/loam/host/internal/search/archive"
)

const (
	// smallText is a text that is scanned faster than a suffix array is worth.
	smallText = 64 << 10
	// maxPlaces is how many places the suffix array is asked for: beyond it,
	// scanning is faster.
	maxPlaces = 1 << 14
)

// Dictionary is the values of some columns, in its archive's memory.
// Concurrency: any number of readers until Close.
type Dictionary struct {
	text   []byte
	starts []uint32 // of each value, and the end

	first     []uint32 // posting of each value, and the end
	column    []uint32
	spelling  []uint32
	spellings archive.Strings

	names       archive.Strings // of connections, sources and columns
	connection  []uint32        // of each column
	source      []uint32
	name        []uint32
	cardinality []uint64

	withheld withheldColumns

	questions atomic.Int64
	suffixes  atomic.Pointer[suffixarray.Index]
	building  sync.WaitGroup
}

// span is columns or postings that follow each other.
type span struct{ from, to uint32 }

func (s span) len() int { return int(s.to - s.from) }

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
	var err1, err2, err3 error
	d.names, err1 = archive.StringList(a, "value.name")
	d.spellings, err2 = archive.StringList(a, "value.spelling")
	d.withheld, err3 = openWithheld(a)
	n := len(d.name)
	whole := err1 == nil && err2 == nil && err3 == nil && len(d.starts) > 0 && len(d.first) == len(d.starts) &&
		int(d.starts[len(d.starts)-1]) == len(d.text) && int(d.first[len(d.first)-1]) == len(d.column) &&
		len(d.spelling) == len(d.column) && len(d.connection) == n && len(d.source) == n && len(d.cardinality) == n
	if !whole {
		return nil, archive.ErrDamaged
	}
	return d, nil
}

// Len returns how many distinct folded values there are.
func (d *Dictionary) Len() int { return len(d.starts) - 1 }

// Close waits for the suffix array, if one is being built.
func (d *Dictionary) Close() error {
	d.building.Wait()
	return nil
}

// among returns the columns of some connections (none = all), in order. Columns
// are in the order of their connections, sources and names.
func (d *Dictionary) among(connections []string) (out []span) {
	if len(connections) == 0 {
		return []span{{0, uint32(len(d.name))}}
	}
	for _, c := range slices.Compact(slices.Sorted(slices.Values(connections))) {
		if s := d.columns(c); s.len() > 0 {
			out = append(out, s)
		}
	}
	return out
}

// columns returns the columns of a connection.
func (d *Dictionary) columns(connection string) span {
	from := sort.Search(len(d.connection), func(i int) bool { return d.names.View(d.connection[i]) >= connection })
	n := sort.Search(len(d.connection)-from, func(i int) bool { return d.names.View(d.connection[from+i]) > connection })
	return span{uint32(from), uint32(from + n)}
}

// compareColumns orders columns of two dictionaries as they are in each.
func compareColumns(d *Dictionary, a uint32, e *Dictionary, b uint32) int {
	return cmp.Or(
		strings.Compare(d.names.View(d.connection[a]), e.names.View(e.connection[b])),
		strings.Compare(d.names.View(d.source[a]), e.names.View(e.source[b])),
		strings.Compare(d.names.View(d.name[a]), e.names.View(e.name[b])),
	)
}

// value returns a folded value.
func (d *Dictionary) value(number uint32) []byte {
	return d.text[d.starts[number] : d.starts[number+1]-1]
}

// postings yields those of a value that are in some of the columns, in order,
// none of them empty.
func (d *Dictionary) postings(value uint32, columns []span) iter.Seq[span] {
	return func(yield func(span) bool) {
		at, end := d.first[value], d.first[value+1]
		for _, c := range columns {
			from, _ := slices.BinarySearch(d.column[at:end], c.from)
			n, _ := slices.BinarySearch(d.column[at+uint32(from):end], c.to)
			s := span{at + uint32(from), at + uint32(from+n)}
			if at = s.to; n > 0 && !yield(s) {
				return
			}
		}
	}
}

// match spells out a posting of a value.
func (d *Dictionary) match(value, posting uint32) Match {
	c := d.column[posting]
	m := Match{Column: Column{
		Connection: d.names.At(d.connection[c]), Source: d.names.At(d.source[c]), Name: d.names.At(d.name[c]),
		Cardinality: int64(d.cardinality[c]),
	}}
	if s := d.spelling[posting]; s > 0 {
		m.Value = d.spellings.At(s - 1)
	} else {
		m.Value = string(d.value(value))
	}
	return m
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
