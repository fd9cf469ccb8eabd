package search

import "slices"

// target names a table that others refer to. The names are valid while the index is open.
type target struct{ connection, id string }

// findTargets returns where the tables are that others refer to.
func (x *Index) findTargets() map[target]location {
	all := map[target]location{}
	for _, s := range x.segments {
		for i, document := range s.refersFrom {
			all[s.target(document, s.refersTo[i])] = location{}
		}
	}
	if len(all) == 0 {
		return nil
	}
	for _, s := range x.segments {
		for document, flags := range s.flags {
			if Kind(flags&kindMask) != Table {
				continue
			}
			to := s.target(uint32(document), s.label[document])
			if _, referred := all[to]; referred {
				all[to] = location{s, uint32(document)}
			}
		}
	}
	return all
}

// target names a table of the connection of a document.
func (s *Segment) target(document, label uint32) target {
	return target{s.meta.Connections[s.connection[document]], s.labels.View(label)}
}

// refers returns the labels of what a document refers to.
func (s *Segment) refers(document uint32) []uint32 {
	from, _ := slices.BinarySearch(s.refersFrom, document)
	to := from
	for to < len(s.refersFrom) && s.refersFrom[to] == document {
		to++
	}
	return s.refersTo[from:to]
}

// joined returns the most that a word gives one of the tables that a table refers to.
func (r *run) joined(word int, from location) (best float32) {
	for _, label := range from.s.refers(from.document) {
		to := r.targets()[from.s.target(from.document, label)]
		for i := range r.parts {
			if r.parts[i].s == to.s {
				v, _ := r.parts[i].groups[word].lookBack(to.document)
				best = max(best, v)
			}
		}
	}
	return best
}
