package value

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/search/archive"
	"github.com/loam-data/loam/sdk"
)

// maxText is how long the values may be together: what the suffix array indexes
// with four bytes a character.
const maxText = math.MaxInt32 - 1

// Builder collects the values of columns. Concurrency: one goroutine.
type Builder struct {
	names     table // of connections, sources and columns
	columns   []column
	values    table // folded
	spellings table // where they differ from the folded value
	postings  []posting
	withheld  []Withheld
	size      int
	scratch   []byte
}

type column struct {
	connection, source, name uint32
	cardinality              int64
}

// posting says that a value is in a column. A spelling of 0 is the folded value
// itself, others count from 1.
type posting struct{ value, column, spelling uint32 }

// table gives strings numbers.
type table struct {
	ids map[string]uint32
	all []string
}

func (t *table) id(s []byte) (id uint32, added bool) {
	id, ok := t.ids[string(s)]
	if !ok {
		if t.ids == nil {
			t.ids = map[string]uint32{}
		}
		id = uint32(len(t.all))
		t.all = append(t.all, string(s))
		t.ids[t.all[id]] = id
	}
	return id, !ok
}

// NewBuilder returns an empty builder.
func NewBuilder() *Builder { return &Builder{} }

// Add adds a column with its sampled values. Values that are empty are left
// out; the same spelling counts once.
// Errors: KindLimit when all values together are longer than 2 GiB.
func (b *Builder) Add(c Column, values []string) error {
	number := uint32(len(b.columns))
	connection, _ := b.names.id([]byte(c.Connection))
	source, _ := b.names.id([]byte(c.Source))
	name, _ := b.names.id([]byte(c.Name))
	b.columns = append(b.columns, column{connection, source, name, c.Cardinality})
	for _, v := range values {
		if v == "" {
			continue
		}
		b.scratch = appendFold(b.scratch[:0], v)
		if b.size+len(b.scratch)+1 > maxText {
			return sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "the sampled values are longer than 2 GiB together").
				WithHint("profile fewer columns or keep fewer values of each")
		}
		id, added := b.values.id(b.scratch)
		if added {
			b.size += len(b.scratch) + 1
		}
		p := posting{value: id, column: number}
		if v != string(b.scratch) {
			spelling, _ := b.spellings.id([]byte(strings.ToValidUTF8(v, "\ufffd")))
			p.spelling = spelling + 1
		}
		b.postings = append(b.postings, p)
	}
	return nil
}

// Write puts the dictionary into an archive. What it holds depends on the columns
// and their values alone, not on the order in which they were added. Nothing may
// be added after it.
func (b *Builder) Write(w *archive.Writer) error {
	values, rank := ranked(len(b.values.all), func(x, y uint32) int { return strings.Compare(b.values.all[x], b.values.all[y]) })
	columns, columnRank := ranked(len(b.columns), b.compareColumns)
	spellings, spellingRank := ranked(len(b.spellings.all), func(x, y uint32) int { return strings.Compare(b.spellings.all[x], b.spellings.all[y]) })
	for i := range b.postings {
		p := &b.postings[i]
		p.value, p.column = rank[p.value], columnRank[p.column]
		if p.spelling > 0 {
			p.spelling = spellingRank[p.spelling-1] + 1
		}
	}
	slices.SortFunc(b.postings, posting.compare)
	b.postings = slices.Compact(b.postings)
	spelled := make([]string, 0, len(spellings))
	for _, s := range spellings {
		spelled = append(spelled, b.spellings.all[s])
	}
	return errors.Join(b.putColumns(w, columns), b.putText(w, values), b.putPostings(w), b.putWithheld(w), archive.PutStrings(w, "value.spelling", spelled))
}

// ranked returns the numbers up to n in an order, and the place of each in it.
func ranked(n int, compare func(x, y uint32) int) (order, rank []uint32) {
	order, rank = make([]uint32, n), make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, compare)
	for i, x := range order {
		rank[x] = uint32(i)
	}
	return order, rank
}

func (b *Builder) compareColumns(x, y uint32) int {
	c, d, names := b.columns[x], b.columns[y], b.names.all
	return cmp.Or(
		strings.Compare(names[c.connection], names[d.connection]), strings.Compare(names[c.source], names[d.source]),
		strings.Compare(names[c.name], names[d.name]), cmp.Compare(x, y),
	)
}

func (p posting) compare(q posting) int {
	return cmp.Or(cmp.Compare(p.value, q.value), cmp.Compare(p.column, q.column), cmp.Compare(p.spelling, q.spelling))
}

func (b *Builder) putColumns(w *archive.Writer, order []uint32) error {
	var connection, source, name []uint32
	var cardinality []uint64
	for _, i := range order {
		c := &b.columns[i]
		connection, source, name = append(connection, c.connection), append(source, c.source), append(name, c.name)
		cardinality = append(cardinality, uint64(c.cardinality))
	}
	return errors.Join(
		archive.PutStrings(w, "value.name", b.names.all),
		archive.PutArray(w, "value.column.connection", connection),
		archive.PutArray(w, "value.column.source", source),
		archive.PutArray(w, "value.column.name", name),
		archive.PutArray(w, "value.column.cardinality", cardinality),
	)
}

// putText writes the values with a separator after each.
func (b *Builder) putText(w *archive.Writer, order []uint32) error {
	starts := make([]uint32, 0, len(order)+1)
	at := uint32(0)
	s := w.Section("value.text", int64(b.size))
	for _, v := range order {
		starts = append(starts, at)
		value := b.values.all[v]
		if _, err := s.Write(append([]byte(value), separator)); err != nil {
			return err
		}
		at += uint32(len(value)) + 1
	}
	return errors.Join(s.Close(), archive.PutArray(w, "value.start", append(starts, at)))
}

// putPostings writes the columns and spellings of each value. Every value has one.
func (b *Builder) putPostings(w *archive.Writer) error {
	first := make([]uint32, 0, len(b.values.all)+1)
	columns, spellings := make([]uint32, 0, len(b.postings)), make([]uint32, 0, len(b.postings))
	for i, p := range b.postings {
		if i == 0 || p.value != b.postings[i-1].value {
			first = append(first, uint32(i))
		}
		columns, spellings = append(columns, p.column), append(spellings, p.spelling)
	}
	return errors.Join(
		archive.PutArray(w, "value.posting.first", append(first, uint32(len(b.postings)))),
		archive.PutArray(w, "value.posting.column", columns),
		archive.PutArray(w, "value.posting.spelling", spellings),
	)
}
