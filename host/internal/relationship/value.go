package relationship

import (
	"math"
	"slices"

	"github.com/loam-data/loam/sdk"
)

const (
	// probes are how many values of a column are looked up to find the keys that hold
	// them, and commonplace is in how many keys a value may be to say anything.
	probes, commonplace = 8, 16
	// enough bits of surprise are proof.
	enoughBits = 60
	// offset is a number from which on keys may be counted, so that small numbers are
	// not among them.
	offset = 1000
	// drawn is how long a text is that is not given twice by chance.
	drawn = 16
)

// parentKey is a column of a table that others may refer to.
type parentKey struct {
	t  *table
	at int
}

func (k parentKey) column() *column { return &k.t.columns[k.at] }

// holders finds the keys that hold the values of columns, whatever they are called:
// one look at the sketch of each key, by the smallest hashes of the columns.
type holders map[uint64]*holder

type holder struct {
	keys   []parentKey
	common bool
}

// holders looks for the keys that hold the values of some columns.
func (w *warehouse) holders(children []*column) holders {
	all := holders{}
	for _, c := range children {
		for _, h := range c.probes() {
			if all[h] == nil {
				all[h] = &holder{}
			}
		}
	}
	if len(all) == 0 {
		return all
	}
	for _, t := range w.tables {
		if t.first != nil {
			continue
		}
		for _, at := range t.keys {
			key := parentKey{t, at}
			if !key.column().sparse() || spoken(key.column().last) {
				continue
			}
			for _, h := range key.column().sketch {
				if one := all[h]; one != nil && !one.common {
					one.keys = append(one.keys, key)
					one.common = len(one.keys) > commonplace
				}
			}
		}
	}
	return all
}

// of returns the keys that hold values of a column, each once.
func (x holders) of(c *column) (found []parentKey) {
	for _, h := range c.probes() {
		if one := x[h]; one != nil && !one.common {
			for _, key := range one.keys {
				if !slices.Contains(found, key) {
					found = append(found, key)
				}
			}
		}
	}
	return found
}

// probes returns the hashes by which the keys are found that hold a column's values:
// the smallest, which the sketch of a larger column has first.
func (c *column) probes() []uint64 {
	if c.class == noKey || c.measure || spoken(c.last) || c.class == integers && (!c.ranged || c.dense() >= .5) {
		return nil
	}
	return c.sketch[:min(probes, len(c.sketch))]
}

// sparse reports whether a column's values are more than the first few numbers.
func (c *column) sparse() bool {
	return c.class == texts || c.class == integers && c.ranged && c.dense() < .5
}

// drawn reports whether a column's values were drawn, as UUIDs and hashes are, and not
// counted.
func (c *column) drawn() bool { return c.class == texts && !c.numbers && c.length >= drawn }

// containment estimates how many of the child's distinct values the parent has,
// from the smallest hashes of both; -1 = not known. A value that stands for nothing
// does not count.
func containment(child, parent *column) float64 {
	if len(child.sketch) == 0 || len(parent.sketch) == 0 {
		return -1
	}
	// Below the largest hash that the parent kept, it kept all.
	limit := uint64(math.MaxUint64)
	if int64(len(parent.sketch)) < parent.distinct || parent.distinct < 0 {
		limit = parent.sketch[len(parent.sketch)-1]
	}
	seen, hits := 0, 0
	for _, h := range child.sketch {
		if h > limit {
			break
		}
		seen++
		if _, ok := slices.BinarySearch(parent.sketch, h); ok {
			hits++
		}
	}
	if seen > hits && lacks(child, parent) {
		seen--
	}
	if seen == 0 {
		return -1
	}
	return float64(hits) / float64(seen)
}

// surprise is how unlikely it is that the child's values are among the parent's
// by chance: numbers without gaps contain any small numbers.
func surprise(child, parent *column) float64 {
	if child.distinct <= 0 || parent.distinct <= 0 {
		return 0
	}
	if child.class == integers {
		if !parent.ranged {
			return 0
		}
		many := min(1, math.Log2(float64(child.distinct)+1)/5) // 31 values say all they can
		s := (1 - parent.dense()) * many
		if parent.low >= offset && child.ranged && child.low >= parent.low {
			s = max(s, strongValues*many) // they begin where the parent's do
		}
		if child.ranged && child.distinct > 1 && child.dense() >= .9 {
			s *= 1 - child.dense() // they follow each other there
		}
		return s
	}
	each := min(child.length, 16)*3.5 - math.Log2(float64(parent.distinct))
	if child.numbers && parent.ranged {
		each = -math.Log2(parent.dense())
		if child.length >= 6 {
			each = max(each, 2) // a number that was written with its zeros
		}
	}
	return min(1, max(0, each)*float64(child.distinct)/enoughBits)
}

// coverage is how much of the parent's keys the child refers to at most.
func coverage(child, parent *column) float64 {
	if child.distinct < 0 || parent.distinct <= 0 || !child.counted || !parent.counted {
		return -1
	}
	return min(1, float64(child.distinct)/float64(parent.distinct))
}

// telling are the values that stand for nothing where there are others.
var telling = []string{"0", "-1", "-", "N/A", "n/a", "NA", "none", "None", "NONE", "null", "NULL", "unknown", "Unknown", "UNKNOWN",
	"00000000-0000-0000-0000-000000000000"}

// noValue returns the value of a column that may stand for nothing.
func noValue(is class, s *sdk.ColumnStats) string {
	if is == integers {
		if s.Min != nil && (*s.Min == "0" || *s.Min == "-1") {
			return *s.Min
		}
		return ""
	}
	for _, v := range telling {
		if slices.Contains(s.Values, v) || s.Min != nil && *s.Min == v {
			return v
		}
	}
	return ""
}

// lacks reports whether the child has a value for nothing that the parent has not.
func lacks(child, parent *column) bool {
	if child.none == "" {
		return false
	}
	if child.class == integers {
		return parent.ranged && parent.low > child.low
	}
	return parent.none != child.none
}

// inside reports whether the values of a key are all among those of another one,
// which may be the same.
func inside(key, of *column) bool {
	return key.class == of.class && containment(key, of) >= fullyContained && key.distinct <= of.distinct
}
