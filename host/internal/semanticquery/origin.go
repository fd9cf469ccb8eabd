package semanticquery

import (
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// Place is a position in a layer: "scanned", "schema", "imported", "person", "memory" or
// "described".
type Place struct {
	Layer string `json:"layer"`
	// File below the project's folder, with the line; "" = a scan or the engine's description.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// Origin is the place that a part of a source comes from.
type Origin struct {
	// Kind is the YAML key of the part, such as "measures" or "synonyms".
	Kind string `json:"kind"`
	// Name is that of a member or a word; "" for what a source has once.
	Name string `json:"name,omitempty"`
	Place
	// Hides are the places in other layers that define it too and are overridden, the nearest first.
	Hides []Place `json:"hides,omitempty"`
}

func originsOf(id connection.ID, all []model.Origin) []Origin {
	out := make([]Origin, len(all))
	for i, o := range all {
		out[i] = Origin{Kind: o.Kind, Name: o.Name, Place: placeOf(id, o.Place)}
		for _, h := range o.Hides {
			out[i].Hides = append(out[i].Hides, placeOf(id, h))
		}
	}
	return out
}

func placeOf(id connection.ID, p model.Place) Place {
	return Place{p.Layer.String(), binding.File(id, p.File), int(p.Line)}
}
