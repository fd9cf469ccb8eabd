package foreignkey

import (
	"context"

	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

// Graph is the accepted foreign keys of a snapshot, by both of their tables. Foreign keys of
// copies are left out, except those of the table that represents them.
type Graph struct {
	From, To map[sdk.TableRef][]relationship.Relationship
}

// Graph returns the graph of the keys. It must not be changed.
// Shape: the same pointer each time; the tables are read once.
// Errors: those of All.
func (k *Keys) Graph(ctx context.Context) (*Graph, error) {
	if made := k.graph.Load(); made != nil {
		return made, nil
	}
	all, err := k.All(ctx)
	if err != nil {
		return nil, err
	}
	made := &Graph{
		From: make(map[sdk.TableRef][]relationship.Relationship, len(all)), To: make(map[sdk.TableRef][]relationship.Relationship, len(all)),
	}
	for _, r := range all {
		if r.Status != relationship.Accepted || r.Evidence.Like != nil {
			continue
		}
		made.From[r.From] = append(made.From[r.From], r)
		made.To[r.To] = append(made.To[r.To], r)
	}
	if !k.graph.CompareAndSwap(nil, made) {
		made = k.graph.Load()
	}
	return made, nil
}
