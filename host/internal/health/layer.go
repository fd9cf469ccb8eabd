package health

import (
	"context"
	"strings"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/text"
)

// Layer counts the definitions in a connection's files of the semantic layer, and
// the problems of each file by itself: loam sl validate checks them together.
type Layer struct {
	Files    int `json:"files"`
	Sources  int `json:"sources"`
	Measures int `json:"measures"`
	Metrics  int `json:"metrics"`
	Problems int `json:"problems"`
}

// Layer counts a connection's files; nil = there are none. It builds no model.
func (s *Service) Layer(ctx context.Context, id connection.ID) (*Layer, error) {
	files, err := s.config.Layer.Files(ctx, id)
	if err != nil {
		return nil, err
	}
	return countLayer(files), nil
}

// countLayerDocument counts files; nil = there are none.
func countLayer(files *layer.Files) *Layer {
	if len(files.List)+len(files.Problems) == 0 {
		return nil
	}
	d := &Layer{Files: len(files.List) + len(files.Problems), Problems: len(files.Problems)}
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

// Text summarises the semantic layer.
func (d *Layer) Text() string {
	if d == nil {
		return "none"
	}
	parts := []string{text.Count(d.Sources, "source"), text.Count(d.Measures, "measure")}
	if d.Metrics > 0 {
		parts = append(parts, text.Count(d.Metrics, "metric"))
	}
	if d.Problems > 0 {
		parts = append(parts, text.Count(d.Problems, "problem"))
	}
	return strings.Join(parts, ", ")
}
