package search

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// mostUse is how much more a document counts that answers most. It is less than what one
// word more in a name costs (3.5 of a hundred of the score), so that among tables of the
// same name the used one comes first, and a used one does not pass a better match.
const mostUse = 0.03

// Use is how much tables, sources and measures were used. It never changes.
type Use struct{ shares map[Used]float32 }

// Used identifies a document by the ID and the Name of its Hit.
type Used struct {
	Kind                 Kind
	Connection, ID, Name string
}

// NewUse returns the use of documents, each from 0 (unused) to 1.
func NewUse(shares map[Used]float32) *Use { return &Use{shares} }

// All yields the documents that were used with their shares, in no set order. u may be nil.
func (u *Use) All() iter.Seq2[Used, float32] {
	if u == nil {
		return func(func(Used, float32) bool) {}
	}
	return maps.All(u.shares)
}

// usedIn is the use of the documents of a segment, in their order.
type usedIn struct {
	of        *Use
	documents []uint32
	shares    []float32
}

// used returns the use of the segment's documents; nil where there is none. It is looked up
// once for each Use.
func (s *Segment) used(u *Use) *usedIn {
	if u == nil || len(u.shares) == 0 {
		return nil
	}
	known := s.use.Load()
	if known == nil || known.of != u {
		known = s.findUsed(u)
		s.use.Store(known)
	}
	if len(known.documents) == 0 {
		return nil
	}
	return known
}

func (s *Segment) findUsed(u *Use) *usedIn {
	type one struct {
		document uint32
		share    float32
	}
	var found []one
	for used, share := range u.shares {
		if s.Count(used.Kind) == 0 || !slices.Contains(s.meta.Connections, used.Connection) {
			continue
		}
		c := s.open([]string{text.Key(used.Name)})
		for i := range c.documents.len() {
			document := c.documents.at(i)
			if c.sources[i]&keyFlag != 0 && s.is(document, used) {
				found = append(found, one{document, min(1, share)})
			}
		}
	}
	slices.SortFunc(found, func(a, b one) int { return cmp.Compare(a.document, b.document) })
	in := &usedIn{of: u}
	for _, o := range found {
		in.documents, in.shares = append(in.documents, o.document), append(in.shares, o.share)
	}
	return in
}

// is reports whether a document is the one that is named.
func (s *Segment) is(document uint32, u Used) bool {
	if Kind(s.flags[document]&kindMask) != u.Kind || s.meta.Connections[s.connection[document]] != u.Connection {
		return false
	}
	id := u.ID
	if parent := s.parent[document]; parent != none {
		rest, ok := strings.CutPrefix(id, s.labels.View(s.label[parent])+".")
		if !ok {
			return false
		}
		id = rest
	}
	return s.labels.View(s.label[document]) == id
}

// settle returns a score of a document with its use.
func (u *usedIn) settle(document uint32, score float32) float32 {
	if u == nil {
		return score
	}
	if at, ok := slices.BinarySearch(u.documents, document); ok {
		score *= 1 + mostUse*u.shares[at]
	}
	return score
}

// next returns the first document from one on that was used; none = no further one.
func (u *usedIn) next(document uint32) uint32 {
	if u == nil {
		return none
	}
	at, _ := slices.BinarySearch(u.documents, document)
	if at == len(u.documents) {
		return none
	}
	return u.documents[at]
}

// least is the share of a score that a document has at least without its use.
func (u *usedIn) least() float32 {
	if u == nil {
		return 1
	}
	return 1 / (slack * (1 + mostUse))
}
