package model

import "slices"

// Plus returns the file with the measures of other files of the same path behind its own; they keep their positions.
// Everything else is that of the first file.
// Units: the cost is that of copying all lists.
func (f *File) Plus(others ...*File) *File {
	sum := *f
	sum.Metrics, sum.Problems, sum.Sources = slices.Clip(f.Metrics), slices.Clip(f.Problems), slices.Clone(f.Sources)
	for i := range sum.Sources {
		sum.Sources[i].Measures = slices.Clip(sum.Sources[i].Measures)
	}
	hashes := slices.Clone(f.Hash[:])
	for _, more := range others {
		hashes = append(hashes, more.Hash[:]...)
		sum.Metrics = append(sum.Metrics, more.Metrics...)
		sum.Problems = append(sum.Problems, more.Problems...)
		if len(f.Sources) == 1 && len(more.Sources) == 1 {
			sum.Sources[0].Measures = append(sum.Sources[0].Measures, more.Sources[0].Measures...)
		}
	}
	sum.Hash = hashOf(hashes)
	return &sum
}
