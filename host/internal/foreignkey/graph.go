package foreignkey

import (
	"context"
	"slices"

	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

// Graph is the accepted foreign keys of a snapshot, by both of their tables. Foreign keys of
// copies are left out, except those of the table that represents them.
type Graph struct {
	From, To map[sdk.TableRef][]relationship.Relationship
}

// Graph returns the graph of the keys. It must not be changed.
// Shape: the same pointer each time. The tables are read once for a snapshot, not again after a decision.
// Errors: those of All.
func (k *Keys) Graph(ctx context.Context) (*Graph, error) { return k.graph.get(ctx, k.newGraph) }

func (k *Keys) newGraph(ctx context.Context) (*Graph, error) {
	all, err := k.All(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(r relationship.Relationship) bool {
		return r.Status != relationship.Accepted || r.Evidence.Like != nil
	})
	made := &Graph{
		From: grouped(all, func(r *relationship.Relationship) sdk.TableRef { return r.From }),
		To:   grouped(all, func(r *relationship.Relationship) sdk.TableRef { return r.To }),
	}
	return made, nil
}

// grouped returns links by one of their tables, in their order. All groups are parts of one slice.
func grouped(all []relationship.Relationship, of func(*relationship.Relationship) sdk.TableRef) map[sdk.TableRef][]relationship.Relationship {
	sizes := make(map[sdk.TableRef]int, len(all))
	for i := range all {
		sizes[of(&all[i])]++
	}
	rest, groups := make([]relationship.Relationship, len(all)), make(map[sdk.TableRef][]relationship.Relationship, len(sizes))
	for i := range all {
		table := of(&all[i])
		group, begun := groups[table]
		if !begun {
			group, rest = rest[:0:sizes[table]], rest[sizes[table]:]
		}
		groups[table] = append(group, all[i])
	}
	return groups
}
