package search

import (
	"errors"
	"slices"
	"sync"

	"github.com/loam-data/loam/host/internal/search/value"
	"github.com/loam-data/loam/host/internal/text"
)

// Index searches several segments as one, with the term statistics of all of
// them. It never changes.
// Concurrency: any number of readers until Close.
type Index struct {
	analyzer *text.Analyzer
	segments []*Segment
	values   value.Dictionaries
	targets  func() map[target]location
	close    func() error
}

// NewIndex returns the index of some segments, which it keeps open until Close:
// their owner may close them before or after. The analyzer is for questions; it
// may have more abbreviations than the one that built the segments.
func NewIndex(analyzer *text.Analyzer, segments ...*Segment) *Index {
	x := &Index{analyzer: analyzer, segments: slices.Clone(segments)}
	for _, s := range x.segments {
		s.retain()
		x.values = append(x.values, s.values)
	}
	x.targets = sync.OnceValue(x.findTargets)
	x.close = sync.OnceValue(func() error {
		var errs []error
		for _, s := range x.segments {
			errs = append(errs, s.release())
		}
		return errors.Join(errs...)
	})
	return x
}

// Find returns the sampled values that contain s; see value.Dictionaries.Find.
func (x *Index) Find(s string, connections []string, limit int) (matches []value.Match, total int) {
	return x.values.Find(s, connections, limit)
}

// Columns returns how many columns of a connection have sampled values.
func (x *Index) Columns(connection string) int { return x.values.Columns(connection) }

// Withheld returns the columns of a connection whose values are not kept. See
// value.Dictionaries.Withheld.
func (x *Index) Withheld(connection string, limit int, may func(*value.Withheld) bool) (columns []value.Withheld, total int) {
	return x.values.Withheld(connection, limit, may)
}

// Count returns how many documents of a kind there are.
func (x *Index) Count(k Kind) (n int) {
	for _, s := range x.segments {
		n += s.Count(k)
	}
	return n
}

// Size returns the bytes that the segments keep in memory.
func (x *Index) Size() (n int64) {
	for _, s := range x.segments {
		n += s.Size()
	}
	return n
}

// Close releases the segments. It may be called again.
// Errors: those of freeing the memory of segments without other users.
func (x *Index) Close() error { return x.close() }
