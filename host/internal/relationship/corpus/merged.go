package corpus

import (
	"fmt"
	"math/rand/v2"

	"github.com/loam-data/loam/host/internal/relationship"
)

// Merged makes one warehouse of all shapes side by side, as a company's is: each keeps its
// schemas, of which none refers to those of another shape.
func Merged(seed uint64) []*Warehouse {
	all := &Warehouse{Name: "all in one database", rng: rand.New(rand.NewPCG(seed, 0))}
	for i, w := range append(Warehouses(seed), HeldOut(seed)...) {
		for _, t := range w.Tables {
			t.Schema = inShape(i, t.Schema)
			all.Tables = append(all.Tables, t)
		}
		for _, links := range [][]relationship.Link{w.References, w.Open} {
			for j := range links {
				links[j].From.Schema, links[j].To.Schema = inShape(i, links[j].From.Schema), inShape(i, links[j].To.Schema)
			}
		}
		all.References, all.Open = append(all.References, w.References...), append(all.Open, w.Open...)
	}
	return []*Warehouse{all}
}

func inShape(i int, schema string) string { return fmt.Sprintf("%s%d", schema, i) }
