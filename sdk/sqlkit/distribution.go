package sqlkit

import (
	"cmp"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
)

const (
	// MaxListedBytes is the longest value that a profile lists. Longer values are
	// only counted; where one is the minimum or the maximum, the profile has
	// neither.
	MaxListedBytes = 512
	// maxListBytes bounds the values that are listed of one column: of those that
	// do not fit the most frequent are.
	maxListBytes = 100 << 10
)

// Distribution computes the statistics of a column from its values, grouped and
// sorted by the engine. It keeps no more values than the request lists.
type Distribution struct {
	stats     sdk.ColumnStats
	quantiles []float64
	order     []int // of quantiles, ascending
	found     []string
	list, top int
	total     int64 // non-NULL values to come
	numbers   int64 // of them seen as numbers
	texts     int64 // of them seen as text
	chars     int64 // in texts
	kept      []group
	keptBytes int
	floor     *group // it and what comes behind it no longer fit; nil = all fit
	unlisted  bool   // a value was too long to list, or one too many
	sketch    *Sketch
}

type group struct {
	text  string
	count int64
	// order is that of arrival, hash breaks ties: of values that come equally often
	// those are kept that are anywhere among all, not the first ones.
	order int64
	hash  uint64
}

func (g *group) compare(h *group) int {
	return cmp.Or(cmp.Compare(h.count, g.count), cmp.Compare(g.hash, h.hash))
}

// NewDistribution starts the statistics of a column with rows rows, nulls of
// them NULL.
func NewDistribution(column string, req *sdk.ProfileRequest, rows, nulls int64) *Distribution {
	d := &Distribution{
		stats: sdk.ColumnStats{
			Column: column, Rows: rows, Nulls: nulls, MinLength: -1, MaxLength: -1, AvgLength: -1,
		},
		quantiles: req.Quantiles, found: make([]string, len(req.Quantiles)),
		list: req.MaxValues, top: req.TopValues,
		total: rows - nulls, sketch: NewSketch(req.SketchSize),
	}
	for i := range req.Quantiles {
		d.order = append(d.order, i)
	}
	slices.SortFunc(d.order, func(i, j int) int { return cmp.Compare(req.Quantiles[i], req.Quantiles[j]) })
	return d
}

// Number adds count values that are numbers or times. Values come ascending,
// each one once; text is their text form and is copied.
func (d *Distribution) Number(text []byte, count int64) {
	d.numbers += count
	for len(d.order) > 0 && d.rank(d.quantiles[d.order[0]]) <= d.numbers {
		d.found[d.order[0]] = string(text)
		d.order = d.order[1:]
	}
	d.add(text, count)
}

// rank is the nearest rank of a quantile, from 1: what SQL's percentile_disc picks.
func (d *Distribution) rank(quantile float64) int64 {
	return max(1, int64(math.Ceil(quantile*float64(d.total))))
}

// Text adds count values that are text.
func (d *Distribution) Text(text []byte, count int64) {
	d.length(int64(utf8.RuneCount(text)), count)
	d.add(text, count)
}

// Long adds count values that are too long to be sent; chars is the length of a
// text in characters, -1 for other types.
func (d *Distribution) Long(chars, count int64) {
	if chars >= 0 {
		d.length(chars, count)
	}
	d.stats.Distinct++
	d.skip()
}

func (d *Distribution) length(n, count int64) {
	if d.texts == 0 {
		d.stats.MinLength, d.stats.MaxLength = n, n
	}
	d.stats.MinLength, d.stats.MaxLength = min(d.stats.MinLength, n), max(d.stats.MaxLength, n)
	d.texts += count
	d.chars += n * count
}

// Other adds count values that have no length and no quantiles: bytes, booleans.
func (d *Distribution) Other(text []byte, count int64) { d.add(text, count) }

func (d *Distribution) add(text []byte, count int64) {
	d.sketch.Add(text)
	d.stats.Distinct++
	if len(text) > MaxListedBytes {
		d.skip()
		return
	}
	value := string(text)
	if d.stats.Distinct == 1 {
		d.stats.Min = &value
	}
	d.stats.Max = &value
	if full := len(d.kept) > 0 && len(d.kept) == max(d.list, d.top); full && count < d.kept[len(d.kept)-1].count {
		return
	}
	d.keep(group{text: value, count: count, order: d.stats.Distinct, hash: hash(text)})
}

// skip passes over a value that is too long to list.
func (d *Distribution) skip() { d.stats.Max, d.unlisted = nil, true }

// keep holds the most frequent groups, as many as may be listed.
func (d *Distribution) keep(g group) {
	limit := max(d.list, d.top)
	if limit <= 0 || d.floor != nil && g.compare(d.floor) >= 0 {
		return
	}
	if len(d.kept) == limit {
		if g.compare(&d.kept[limit-1]) >= 0 {
			return
		}
		d.drop()
	}
	at, _ := slices.BinarySearchFunc(d.kept, g, func(a, b group) int { return a.compare(&b) })
	d.kept = slices.Insert(d.kept, at, g)
	for d.keptBytes += len(g.text); d.keptBytes > maxListBytes; d.unlisted = true {
		last := d.drop()
		d.floor = &last
	}
}

// drop lets the least frequent group go and returns it.
func (d *Distribution) drop() group {
	last := d.kept[len(d.kept)-1]
	d.kept, d.keptBytes = d.kept[:len(d.kept)-1], d.keptBytes-len(last.text)
	return last
}

// Sketch adds a value to the column's sketch only: the sketch covers the whole
// table where the counts cover a sample.
func (d *Distribution) Sketch(text []byte) { d.sketch.Add(text) }

// Stats returns the statistics; complete: the rows are the whole table; keys: the
// column may join to others and gets a sketch.
func (d *Distribution) Stats(complete, keys bool) sdk.ColumnStats {
	s := d.stats
	s.Complete = complete
	if d.texts > 0 {
		s.AvgLength = float64(d.chars) / float64(d.texts)
	}
	if d.numbers > 0 && d.numbers == d.total {
		s.Quantiles = d.found
	}
	if s.Min == nil || s.Max == nil {
		s.Min, s.Max = nil, nil
	}
	s.ValuesComplete = s.Distinct <= int64(d.list) && !d.unlisted && d.list > 0
	listed := d.kept
	if !s.ValuesComplete {
		listed = listed[:min(len(listed), d.top)]
	}
	listed = slices.SortedFunc(slices.Values(listed), func(a, b group) int { return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.order, b.order)) })
	for _, g := range listed {
		s.Values, s.Counts = append(s.Values, g.text), append(s.Counts, g.count)
	}
	if keys {
		s.Sketch = d.sketch.Hashes()
	}
	return s
}
