package model

import "iter"

// Definition is the definition of a source with its file; Def is nil for the metrics
// of a file.
type Definition struct {
	File *File
	Def  *SourceDef
}

// Rank is the order in which definitions are merged into sources: each builds on
// those of lower ranks.
type Rank int

const (
	RankSchema Rank = iota
	RankPerson
	RankImported
	RankOverlay
	RankMemory
	RankInvalid // of a file that is not valid, which is left out of its source
)

// Ranked yields the definitions of files by rank, and by the order of the files
// within a rank.
func Ranked(files []*File) iter.Seq2[Rank, Definition] {
	return func(yield func(Rank, Definition) bool) {
		for rank := RankSchema; rank <= RankInvalid; rank++ {
			for _, f := range files {
				for i := range f.Sources {
					if d := (Definition{f, &f.Sources[i]}); d.rank() == rank && !yield(rank, d) {
						return
					}
				}
			}
		}
	}
}

func (d Definition) rank() Rank {
	switch from := d.File.Layer(); {
	case d.Def.Broken != "":
		return RankInvalid
	case from == MemoryLayer:
		return RankMemory
	case d.Def.Shard:
		return RankSchema
	case d.Def.overlay():
		return RankOverlay
	case from == ImportedLayer:
		return RankImported
	}
	return RankPerson
}
