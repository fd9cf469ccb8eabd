package cli

import (
	"context"
	"strings"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/layer"
)

// layerDocument counts what a connection's files of the semantic layer define, and
// what is wrong with each file by itself: loam sl validate looks at them together.
type layerDocument struct {
	Files    int `json:"files"`
	Sources  int `json:"sources"`
	Measures int `json:"measures"`
	Metrics  int `json:"metrics"`
	Problems int `json:"problems"`
}

// layerOf looks at a connection's files; nil = there are none. No model is built.
func layerOf(ctx context.Context, rooms *Rooms, id connection.ID) (*layerDocument, error) {
	files, err := rooms.Layer.Files(ctx, id)
	if err != nil {
		return nil, err
	}
	return newLayerDocument(files), nil
}

// newLayerDocument counts files; nil = there are none.
func newLayerDocument(files *layer.Files) *layerDocument {
	if len(files.List)+len(files.Problems) == 0 {
		return nil
	}
	d := &layerDocument{Files: len(files.List) + len(files.Problems), Problems: len(files.Problems)}
	for _, f := range files.List {
		d.Sources += len(f.Sources)
		for i := range f.Sources {
			d.Measures += len(f.Sources[i].Measures)
		}
		d.Metrics += len(f.Metrics)
		d.Problems += len(f.Problems)
	}
	return d
}

// text is a semantic layer in a few words.
func (d *layerDocument) text() string {
	if d == nil {
		return "none"
	}
	parts := []string{plural(d.Sources, "source"), plural(d.Measures, "measure")}
	if d.Metrics > 0 {
		parts = append(parts, plural(d.Metrics, "metric"))
	}
	if d.Problems > 0 {
		parts = append(parts, plural(d.Problems, "problem"))
	}
	return strings.Join(parts, ", ")
}
