package indexer

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/listing"
	"github.com/loam-data/loam/sdk"
)

// deepest bounds the metrics that are made of metrics.
const deepest = 8

// Lost returns the tables and columns that a learned measure or segment reads and that the newest snapshot of its
// connection does not have; nil = it has all of them, or there is no snapshot.
// Shape: "orders.amount", "orders" for a table.
func (s *State) Lost(id connection.ID, e *listing.Entry, member string) []string {
	return s.lost(id, e, member, deepest)
}

func (s *State) lost(id connection.ID, e *listing.Entry, member string, depth int) (all []string) {
	columns, snapshot, table := e.Standing(member).Columns, s.Snapshots[id], e.Table()
	switch {
	case len(columns) == 0 || snapshot == nil || depth == 0:
		return nil
	case e.IsMetrics():
		for _, name := range columns {
			at := strings.LastIndexByte(name, '.')
			if of := s.Semantic[id].Listing.Entry(name[:max(at, 0)]); of != nil {
				all = append(all, s.lost(id, of, name[at+1:], depth-1)...)
			}
		}
		return all
	case table == "":
		return nil
	}
	position, err := snapshot.Find(nil, table)
	if sdk.KindOf(err) == sdk.KindNotFound {
		return []string{table}
	}
	if err != nil { // several tables have the name
		return nil
	}
	t, err := snapshot.At(position)
	if err != nil {
		return nil
	}
	for _, name := range columns {
		if !slices.ContainsFunc(t.Columns, func(c sdk.Column) bool { return strings.EqualFold(c.Name, name) }) {
			all = append(all, table+"."+name)
		}
	}
	return all
}
