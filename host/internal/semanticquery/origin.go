package semanticquery

import (
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// Place is where a layer says something: "scanned", "schema", "imported", "person",
// "memory" or "described".
type Place struct {
	Layer string `json:"layer"`
	// File below the project's folder, with the line; "" = what a scan found or the engine describes.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// Origin says where a part of a source is from.
type Origin struct {
	// Kind is the key under which files have it, as "measures" or "synonyms".
	Kind string `json:"kind"`
	// Name is that of a member or a word; "" for what a source has once.
	Name string `json:"name,omitempty"`
	Place
	// Hides are the other layers that say it too, the nearest first: they do not count.
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
