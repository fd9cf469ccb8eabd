package search

import "github.com/loam-data/loam/host/internal/search/archive"

// narrow is how many documents a segment has at most whose postings number them in two bytes, not four.
const narrow = 1 << 16

// numbers are the documents of postings, in order. They are most of a segment's memory.
// Shape: one of both is set.
type numbers struct {
	small []uint16
	large []uint32
}

// readNumbers returns the postings of a segment with so many documents.
func readNumbers(a *archive.Archive, documents int) numbers {
	const section = "posting.document"
	if documents <= narrow {
		return numbers{small: archive.Array[uint16](a, section)}
	}
	return numbers{large: archive.Array[uint32](a, section)}
}

func (n numbers) len() int { return len(n.small) + len(n.large) }

func (n numbers) at(i int) uint32 {
	if n.small != nil {
		return uint32(n.small[i])
	}
	return n.large[i]
}

func (n numbers) part(from, to uint32) numbers {
	if n.small != nil {
		return numbers{small: n.small[from:to]}
	}
	return numbers{large: n.large[from:to]}
}

// search returns the place of the first posting of a document or one after it, and whether it is the document's.
func (n numbers) search(document uint32) (int, bool) {
	low, high := 0, n.len()
	for low < high {
		middle := int(uint(low+high) >> 1)
		if n.at(middle) < document {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, low < n.len() && n.at(low) == document
}
