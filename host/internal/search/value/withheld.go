package value

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/search/archive"
)

// Withheld is a column whose values are not kept.
// Units: Longest is that of its values, in characters; -1 = not known.
type Withheld struct {
	Column
	Reason  string
	Longest int64
}

// Withhold adds a column of which no value can be found.
func (b *Builder) Withhold(w Withheld) { b.withheld = append(b.withheld, w) }

// putWithheld writes the columns without values, in order.
func (b *Builder) putWithheld(w *archive.Writer) error {
	slices.SortFunc(b.withheld, func(x, y Withheld) int {
		return cmp.Or(strings.Compare(x.Connection, y.Connection), strings.Compare(x.Source, y.Source), strings.Compare(x.Name, y.Name))
	})
	var names table
	id := func(s string) uint32 {
		n, _ := names.id([]byte(s))
		return n
	}
	var parts []uint32 // connection, source, name and reason of each
	var longest []uint64
	for _, one := range b.withheld {
		parts = append(parts, id(one.Connection), id(one.Source), id(one.Name), id(one.Reason))
		longest = append(longest, uint64(one.Longest))
	}
	return errors.Join(
		archive.PutStrings(w, "value.withheld.text", names.all),
		archive.PutArray(w, "value.withheld.part", parts),
		archive.PutArray(w, "value.withheld.longest", longest),
	)
}

const withheldParts = 4

// withheldColumns are the columns of a dictionary without values.
type withheldColumns struct {
	text    archive.Strings
	parts   []uint32
	longest []uint64
}

func openWithheld(a *archive.Archive) (w withheldColumns, err error) {
	w = withheldColumns{parts: archive.Array[uint32](a, "value.withheld.part"), longest: archive.Array[uint64](a, "value.withheld.longest")}
	if w.text, err = archive.StringList(a, "value.withheld.text"); err == nil && len(w.parts) != withheldParts*len(w.longest) {
		err = archive.ErrDamaged
	}
	return w, err
}

func (w *withheldColumns) at(i int) Withheld {
	p := w.parts[withheldParts*i:]
	return Withheld{
		Column: Column{Connection: w.text.At(p[0]), Source: w.text.At(p[1]), Name: w.text.At(p[2]), Cardinality: -1},
		Reason: w.text.At(p[3]), Longest: int64(w.longest[i]),
	}
}

// Withheld returns the columns of a connection of which no value can be found and
// for which may is true, in order: at most limit of them, and how many there are.
func (all Dictionaries) Withheld(connection string, limit int, may func(*Withheld) bool) (columns []Withheld, total int) {
	for _, d := range all {
		for i := range d.withheld.longest {
			if d.withheld.text.View(d.withheld.parts[withheldParts*i]) != connection {
				continue
			}
			if one := d.withheld.at(i); may(&one) {
				total++
				columns = append(columns, one)
			}
		}
	}
	slices.SortFunc(columns, func(x, y Withheld) int {
		return cmp.Or(strings.Compare(x.Source, y.Source), strings.Compare(x.Name, y.Name))
	})
	return columns[:min(len(columns), limit)], total
}
