package semanticquery

import (
	"context"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// Overview counts what the semantic layer of a connection has.
// Shape: Problems are the first ones of TotalProblems, by file and line.
type Overview struct {
	Connection connection.ID `json:"connectionId"`
	// Sources counts the public sources, Defined those of them that a file defines or changes.
	Sources int `json:"sources"`
	Defined int `json:"defined"`
	// Metrics are the measures of no source.
	Metrics       int               `json:"metrics"`
	Files         int               `json:"files"`
	Problems      []binding.Problem `json:"problems"`
	TotalProblems int               `json:"totalProblems"`
	Notes         []string          `json:"notes,omitempty"`
}

// Overview returns the counts of a semantic layer and its first problems. No connector is needed.
// Units: a step for each source; no source is built.
// Errors: those of List.
func (s *Service) Overview(ctx context.Context, id connection.ID, problems int) (*Overview, error) {
	c, state, notes, err := s.state(ctx, id, scanned)
	if err != nil {
		return nil, err
	}
	o := &Overview{Connection: c.ID, Files: len(state.Files.List) + len(state.Files.Problems), Problems: []binding.Problem{}, Notes: notes}
	for source := range state.Model.Outlines() {
		if source.Visibility != model.Public {
			continue
		}
		o.Sources++
		if source.File != "" {
			o.Defined++
		}
	}
	for call := range state.Model.Source(model.Metrics).Called() {
		if call.Visibility == model.Public && call.Kind == "measure" {
			o.Metrics++
		}
	}
	for _, list := range [][]model.Problem{state.Files.Problems, state.Model.Problems()} {
		o.TotalProblems += len(list)
		for _, p := range list[:min(len(list), problems-len(o.Problems))] {
			o.Problems = append(o.Problems, binding.NewProblem(c.ID, p))
		}
	}
	return o, nil
}
