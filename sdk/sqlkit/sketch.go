package sqlkit

import "slices"

// Sketch keeps the k smallest hashes of the distinct values added. Two sketches
// of the same k estimate how far the values of two columns overlap.
type Sketch struct {
	k      int
	hashes []uint64 // ascending, distinct
}

// NewSketch returns an empty sketch of size k; 0 keeps nothing.
func NewSketch(k int) *Sketch { return &Sketch{k: k} }

// Add adds a value, in the text form of ColumnStats.
func (s *Sketch) Add(text []byte) {
	if s.k <= 0 {
		return
	}
	h := hash(text)
	if len(s.hashes) == s.k && h >= s.hashes[s.k-1] {
		return
	}
	at, found := slices.BinarySearch(s.hashes, h)
	if found {
		return
	}
	if len(s.hashes) == s.k {
		s.hashes = s.hashes[:s.k-1]
	}
	s.hashes = slices.Insert(s.hashes, at, h)
}

// Hashes returns the hashes, ascending.
func (s *Sketch) Hashes() []uint64 { return s.hashes }

// hash is FNV-1a followed by the 64-bit finaliser of MurmurHash3, which spreads
// FNV's weak high bits. Source: ColumnStats.Sketch.
func hash(text []byte) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, b := range text {
		h = (h ^ uint64(b)) * 0x100000001b3
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
