package discover

import (
	"context"

	"github.com/loam-data/loam/host/internal/note"
	"github.com/loam-data/loam/host/internal/search"
)

// searchCheckpoints searches the checkpoints that the caller may see.
func (s *Service) searchCheckpoints(ctx context.Context, q search.Query) (p part, err error) {
	p.Refs = []Ref{}
	if s.Notes == nil {
		return p, nil
	}
	found, err := s.Notes.FindCheckpoints(ctx, note.Query{Text: q.Text, Limit: q.Limit})
	for i := range found {
		c := &found[i].Note
		p.addNote(found[i].Hit, c.Author, c.Summary, c.Description)
	}
	return p, err
}

// searchRemediations searches the remediations that the caller may see.
func (s *Service) searchRemediations(ctx context.Context, q search.Query) (p part, err error) {
	p.Refs = []Ref{}
	if s.Notes == nil {
		return p, nil
	}
	found, err := s.Notes.FindRemediations(ctx, note.Query{Text: q.Text, Limit: q.Limit})
	for i := range found {
		r, trust := &found[i].Note, found[i].Note.Author
		if r.Review == note.Approved {
			trust = "reviewed"
		}
		p.addNote(found[i].Hit, trust, r.ErrorType+": "+r.ErrorMessage, r.Solution)
	}
	return p, err
}

// addNote adds the reference of a note.
func (p *part) addNote(h search.Hit, trust, summary, snippet string) {
	p.found.Hits = append(p.found.Hits, h)
	p.Refs = append(p.Refs, Ref{
		Kind: h.Kind.String(), ID: h.ID, Score: h.Score, MatchedOn: h.MatchedOn.String(), Partial: h.Partial,
		Summary: excerpt(summary), Snippet: excerpt(snippet), Standing: Standing{Trust: trust},
	})
}
