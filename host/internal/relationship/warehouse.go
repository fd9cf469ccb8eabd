package relationship

import (
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// class says which columns may refer to which.
type class uint8

const (
	noKey class = iota
	integers
	texts
)

// maxKeyLength is how long a text may be on average that is a key.
const maxKeyLength = 64

// column is what inference needs of a column.
type column struct {
	name   string
	native string
	class  class
	core   []string
	joined string // all its words
	last   string // of its words
	keyed  bool
	first  bool
	plural bool

	counted              bool
	complete             bool
	rows, nulls          int64
	distinct             int64
	low, high            float64
	ranged               bool
	length               float64
	sketch               []uint64
	measure, declaredKey bool
	// none is the value that stands for nothing in the column, as 0 does, where it
	// holds one that may.
	none string
	// numbers: a text of digits alone.
	numbers bool
}

// unique reports whether the statistics show that no value comes twice.
func (c *column) unique() bool {
	return c.counted && c.complete && c.rows > 0 && c.nulls == 0 && c.distinct == c.rows
}

// distinctive reports whether the statistics show that no value comes twice, and
// most rows have one.
func (c *column) distinctive() bool {
	return c.counted && c.complete && c.distinct > 1 && c.distinct == c.rows-c.nulls && c.nulls <= c.rows/2
}

// dense is how much of its range a column of numbers holds.
func (c *column) dense() float64 { return min(1, float64(c.distinct)/(c.high-c.low+1)) }

// empty reports that the column holds nothing.
func (c *column) empty() bool { return c.counted && c.complete && c.nulls == c.rows }

type table struct {
	ref     sdk.TableRef
	words   []string
	names   []naming
	columns []column
	key     int   // the column that is its key, -1 = none
	keys    []int // the columns that others may refer to, the key first
	copied  bool  // it is called a copy of something
	detail  bool  // it is called as if it said more of another table's rows
	module  string
	// first is the table that this one is a copy of, as orders_20240101 is one of
	// orders_20240102, copies are its copies, and digits are those of the name.
	first   *table
	copies  []*table
	digits  string
	foreign []sdk.Key
	// composite are the columns of a declared key of several.
	composite []string
}

type warehouse struct {
	namer  namer
	tables []*table
	at     map[sdk.TableRef]*table
	known  keyNames
	having map[string][]*table // by the names of their columns
}

func newWarehouse() *warehouse {
	return &warehouse{namer: namer{analyzer: text.New(), long: map[string][]string{}}, at: map[sdk.TableRef]*table{}}
}

// add keeps what inference needs of a table.
func (w *warehouse) add(t Table, hide bool) {
	own := &table{ref: t.TableRef, words: w.namer.words(t.Name), key: -1}
	own.detail = len(own.words) > 1 && (details(own.words[0]) || details(own.words[len(own.words)-1]))
	for len(own.words) > 1 && noise(own.words[0]) {
		own.words = own.words[1:]
	}
	own.copied = slices.ContainsFunc(slices.Concat(own.words, w.namer.words(t.Schema), w.namer.words(t.Catalog)), func(word string) bool { return copyWords(word) })
	stats := make(map[string]*sdk.ColumnStats, len(t.Stats))
	for i := range t.Stats {
		stats[t.Stats[i].Column] = &t.Stats[i]
	}
	all := make([][]string, len(t.Columns))
	for i := range t.Columns {
		all[i] = w.namer.words(t.Columns[i].Name)
	}
	common := prefix(all)
	for i := range t.Columns {
		column := newColumn(&t.Columns[i], stats[t.Columns[i].Name], all[i][common:], i == 0)
		if t.Derived {
			column.class = noKey
		}
		own.columns = append(own.columns, column)
	}
	if !hide {
		own.declare(t.Keys)
	}
	w.tables = append(w.tables, own)
	w.at[own.ref] = own
}

// prefix returns 1 when all columns begin with the same short word, which says
// which table they are of (l_orderkey, l_partkey).
func prefix(columns [][]string) int {
	if len(columns) < 2 {
		return 0
	}
	for _, words := range columns {
		if len(words) < 2 || len(words[0]) > 3 || words[0] != columns[0][0] {
			return 0
		}
	}
	return 1
}

func newColumn(c *sdk.Column, s *sdk.ColumnStats, words []string, first bool) column {
	own := column{name: c.Name, native: c.NativeType, joined: strings.Join(words, " "), first: first}
	own.core, own.keyed = core(words)
	if len(words) > 0 {
		own.last = words[len(words)-1]
	}
	switch c.Type {
	case sdk.TypeInt64:
		own.class = integers
	case sdk.TypeDecimal:
		if c.Scale == 0 {
			own.class = integers
		}
	case sdk.TypeText, sdk.TypeUUID:
		own.class = texts
	}
	own.measure = own.class == integers && (!own.keyed && (measures(own.last) && !(lookups(own.last) && len(words) == 1) || len(words) > 1 && before(own.last)) || counting(c.Name, words))
	own.plural = plural(c.Name, words)
	if s == nil || own.class == noKey {
		return own
	}
	own.counted, own.complete = true, s.Complete && !s.DistinctApprox
	own.rows, own.nulls, own.distinct, own.sketch = s.Rows, s.Nulls, s.Distinct, s.Sketch
	own.length = s.AvgLength
	if own.class == texts && s.AvgLength > maxKeyLength {
		own.class = noKey
	}
	if s.Min != nil && s.Max != nil {
		own.numbers = own.class == texts && numeric(*s.Min+*s.Max)
		if own.class == integers || own.numbers {
			low, err1 := strconv.ParseFloat(*s.Min, 64)
			high, err2 := strconv.ParseFloat(*s.Max, 64)
			own.low, own.high, own.ranged = low, high, err1 == nil && err2 == nil
		}
	}
	own.none = noValue(own.class, s)
	return own
}

// declare takes the declared keys over.
func (t *table) declare(keys []sdk.Key) {
	for _, k := range keys {
		switch {
		case k.Kind == sdk.KeyForeign:
			t.foreign = append(t.foreign, k)
		case k.Kind != sdk.KeyPrimary && k.Kind != sdk.KeyUnique:
		case len(k.Columns) == 1 && (t.key < 0 || k.Kind == sdk.KeyPrimary):
			if i := t.column(k.Columns[0]); i >= 0 {
				t.key = i
				t.columns[i].declaredKey = true
			}
		case len(k.Columns) > 1 && (t.composite == nil || k.Kind == sdk.KeyPrimary):
			t.composite = k.Columns
		}
	}
}

func (t *table) column(name string) int {
	return slices.IndexFunc(t.columns, func(c column) bool { return c.name == name })
}

func (w *warehouse) has(ref sdk.TableRef, columns []string) bool {
	t := w.at[ref]
	return t != nil && len(columns) > 0 && !slices.ContainsFunc(columns, func(c string) bool { return t.column(c) < 0 })
}

// resolve completes the reference of a declared key, which may leave out what
// it has in common with its table.
func (w *warehouse) resolve(from, to sdk.TableRef) sdk.TableRef {
	if w.at[to] == nil {
		return to.Within(from)
	}
	return to
}

// finish finds copies and infers keys, which needs all tables.
func (w *warehouse) finish() {
	w.family()
	w.name()
	k := keyNames{tables: map[string]bool{}, repeated: map[string]bool{}, unique: map[string]int{}}
	for _, t := range w.tables {
		for _, one := range t.names {
			k.tables[named(t, one.words)] = true
		}
		for i := range t.columns {
			switch c := &t.columns[i]; {
			case c.class == noKey || !c.counted || c.distinct <= 1:
			case !c.unique():
				k.repeated[c.joined] = true
			case t.first == nil:
				k.unique[c.joined]++
			}
		}
	}
	for _, t := range w.tables {
		if t.key < 0 {
			w.infer(t, k)
		}
		w.list(t, k)
	}
	w.known = k
	w.having = map[string][]*table{}
	for _, t := range w.tables {
		for i := range t.columns {
			w.having[t.columns[i].name] = append(w.having[t.columns[i].name], t)
		}
	}
}

// list finds the columns of a table that others may refer to: its key, and what is as
// unique.
func (w *warehouse) list(t *table, names keyNames) {
	if t.key >= 0 {
		t.keys = append(t.keys, t.key)
	}
	for i := range t.columns {
		c := &t.columns[i]
		if i == t.key || c.class == noKey || c.measure || spoken(c.last) || !c.distinctive() {
			continue
		}
		if !w.namer.owns(t, c.core) && names.tables[named(t, c.core)] {
			continue // another table's, of which there is one here at most
		}
		if c.keyed || names.repeated[c.joined] || c.class == texts {
			t.keys = append(t.keys, i)
		}
	}
}

// keyNames are names that say what a column is.
type keyNames struct {
	tables   map[string]bool // the words of the tables' names, each within its schema
	repeated map[string]bool // of columns that hold values several times somewhere
	unique   map[string]int  // of columns that hold each once, and in how many tables
}

// named is a name within the schema of a table. A table of that name in another schema,
// which may be another system's, says nothing of a column here.
func named(t *table, words []string) string {
	return t.ref.Catalog + "\x00" + t.ref.Schema + "\x00" + strings.Join(words, " ")
}

// The least that a column must look like its table's key: where the values show
// that it is unique, and where there are none.
const (
	leastKey      = .5
	leastEmptyKey = .6
)

// infer finds the column that is a table's key.
func (w *warehouse) infer(t *table, names keyNames) {
	best, unnamed := 0., -1
	for i := range t.columns {
		c := &t.columns[i]
		known := c.counted && c.rows > 0 && c.complete
		if c.class == noKey || known && !c.unique() {
			continue
		}
		score := 0.
		if c.first {
			score += .4
		}
		if c.keyed {
			score += .2
		}
		if w.namer.owns(t, c.core) || len(c.core) == 0 && c.keyed {
			score += .4
		} else if names.tables[named(t, c.core)] {
			score -= .5 // another table's
		} else if known && names.repeated[c.joined] && !plain(c.last) {
			score += .5 // others are called like it and repeat: they refer to it
		}
		if known && c.first && c.rows > 1 && !c.measure && !spoken(c.last) && !names.tables[named(t, c.core)] {
			unnamed = i
		}
		if least := leastEmptyKey; known && score >= leastKey || score >= least {
			if score > best {
				best, t.key = score, i
			}
		}
	}
	if t.key < 0 {
		t.key = unnamed // it leads the table and is unique
	}
}
