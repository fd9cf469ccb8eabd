package model

import "slices"

// Plus returns the file with the measures of another file of the same path behind its own; they keep their positions.
// Everything else is that of the first file.
// Units: the cost is that of copying two lists.
func (f *File) Plus(more *File) *File {
	sum := *f
	sum.Hash = hashOf(slices.Concat(f.Hash[:], more.Hash[:]))
	sum.Metrics = slices.Concat(f.Metrics, more.Metrics)
	sum.Problems = slices.Concat(f.Problems, more.Problems)
	if len(f.Sources) == 1 && len(more.Sources) == 1 {
		one := f.Sources[0]
		one.Measures = slices.Concat(one.Measures, more.Sources[0].Measures)
		sum.Sources = []SourceDef{one}
	}
	return &sum
}
