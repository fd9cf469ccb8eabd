package indexer

import (
	"context"
	"maps"
	"os"
	"slices"

	"github.com/loam-data/loam/host/internal/connection"
)

// Behind is a part of the project that changed since it was indexed.
type Behind struct {
	// Kind is tables, semantic, wiki or files.
	Kind string
	// Connection "" = it belongs to none.
	Connection connection.ID
	// Missing counts its segments that are not made, of Segments.
	Missing, Segments int
	// Note says why a part cannot be indexed, which then has no kind; "" = it can.
	Note string
}

// Behind returns the parts whose segments are not all on disk, and those that cannot be indexed. It makes no segment.
// Errors: those of Config.Connections and of ctx.
func (x *Indexer) Behind(ctx context.Context) (behind []Behind, err error) {
	s, err := x.look(ctx)
	if err != nil {
		return nil, err
	}
	for _, at := range slices.SortedFunc(maps.Keys(s.units), compareKeys) {
		b := Behind{Kind: at.kind, Connection: at.connection, Segments: len(s.units[at].parts)}
		for _, p := range s.units[at].parts {
			if _, err := os.Stat(x.path(p.file)); err != nil {
				b.Missing++
			}
		}
		if b.Missing > 0 {
			behind = append(behind, b)
		}
	}
	for _, n := range s.notes {
		behind = append(behind, Behind{Connection: n.connection, Note: n.text})
	}
	return behind, nil
}
