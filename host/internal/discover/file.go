package discover

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/chunk"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// searchFiles searches the collected files.
func (s *Service) searchFiles(ctx context.Context, q search.Query) (p part, err error) {
	state, err := s.Files.Current(ctx)
	if err != nil {
		return p, err
	}
	if open := allowed(ctx); caller.Of(ctx).Narrows() {
		state.Only(open)
		q.Connections = slices.DeleteFunc(slices.Clone(q.Connections), func(id string) bool { return id != noConnection && !open(connection.ID(id)) })
	}
	defer state.Release()
	q.Kinds = []search.Kind{search.File}
	p.found = state.Index.Search(q)
	p.Refs, p.Notes = make([]Ref, len(p.found.Hits)), slices.Clone(state.Notes)
	for i := range p.found.Hits {
		if p.Refs[i], err = s.fileRef(ctx, &p.found.Hits[i]); err != nil {
			return p, err
		}
	}
	if state.Index.Count(search.File) == 0 {
		p.Notes = append(p.Notes, "No files are collected: loam ingest files DIR --repo NAME makes them found.")
	}
	return p, nil
}

// fileRef returns the reference of a chunk: its heading and lines as the summary, the text
// around the match as the snippet.
// Errors: those of the store and of ctx.
func (s *Service) fileRef(ctx context.Context, h *search.Hit) (Ref, error) {
	if err := ctx.Err(); err != nil {
		return Ref{}, err
	}
	r := Ref{
		Kind: h.Kind.String(), ID: h.ID, Score: h.Score, MatchedOn: h.MatchedOn.String(), Partial: h.Partial,
		ConnectionID: connection.ID(h.Connection), Standing: Standing{Trust: string(model.Imported)},
	}
	piece, err := s.Texts.Find(ctx, h.ID)
	if err != nil || piece == nil { // it went in this moment
		return r, err
	}
	r.Summary = excerpt(place(piece))
	text, ok := s.around(piece.Text, h.Terms)
	if !ok {
		text = piece.Text
	}
	r.Snippet = excerpt(text)
	return r, nil
}

// place returns the heading and the lines of a chunk in its file.
func place(p *chunk.Piece) string {
	var parts []string
	if p.Heading != "" {
		parts = append(parts, p.Heading)
	}
	switch {
	case p.First == 0:
	case p.First == p.Last:
		parts = append(parts, fmt.Sprintf("line %d", p.First))
	default:
		parts = append(parts, fmt.Sprintf("lines %d–%d", p.First, p.Last))
	}
	return strings.Join(parts, ", ")
}
