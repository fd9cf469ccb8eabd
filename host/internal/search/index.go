package search

import (
	"cmp"
	"errors"
	"slices"

	"github.com/loam-data/loam/host/internal/search/value"
)

// Index is several segments that are searched as one: what is rare, what is
// known and what is near are those of all of them together. It never changes.
// Concurrency: any number of readers until Close.
type Index struct{ segments []*Segment }

// NewIndex returns the index of some segments, each of which stays open until
// this index, every other one and its owner have closed it.
func NewIndex(segments ...*Segment) *Index { return &Index{segments: slices.Clone(segments)} }

// Search returns the best documents of all segments; see Segment.Search.
func (x *Index) Search(q Query) Result {
	var all Result
	for _, s := range x.segments {
		r := s.Search(q)
		all.Hits = append(all.Hits, r.Hits...)
	}
	slices.SortFunc(all.Hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.score, a.score), tie(&a, &b)) })
	return all
}

// Find returns the sampled values that contain s; see value.Dictionary.Find.
func (x *Index) Find(s string, connections []string, limit int) (matches []value.Match, total int) {
	for _, segment := range x.segments {
		m, n := segment.Values().Find(s, connections, limit)
		matches, total = append(matches, m...), total+n
	}
	return matches[:min(limit, len(matches))], total
}

// Columns returns how many columns of a connection have sampled values.
func (x *Index) Columns(connection string) (n int) {
	for _, s := range x.segments {
		n += s.Values().Columns(connection)
	}
	return n
}

// Close gives the segments back.
func (x *Index) Close() error {
	var errs []error
	for _, s := range x.segments {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}
