package query

import (
	"context"

	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/savedquery"
	"github.com/loam-data/loam/sdk"
)

// save proposes the statement as a saved query. It is checked and not run, and waits for review.
func (s *service) save(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	f := read(r.Form)
	f.Tab = tabSQL
	if s.Propose == nil {
		return s.faulty(ctx, r, f, sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "queries cannot be saved here").WithHint("write a file below queries/%s", f.Connection))
	}
	if err := f.check(); err != nil {
		return s.faulty(ctx, r, f, err)
	}
	s.recent.add(r.Session, f)
	done, err := s.Propose(ctx, memory.Call{Actor: r.Actor, Connection: f.Connection}, memory.QueryProposal{
		Name: f.Name, Query: &savedquery.Query{Title: f.Title, Description: f.About, SQL: f.SQL},
	})
	if err != nil {
		return s.faulty(ctx, r, f, err)
	}
	v, d, err := s.view(ctx, r, f)
	if err != nil {
		return nil, err
	}
	if d.Saved = done; done.ChangeID != nil {
		d.SavedAs = string(*done.ChangeID)
	}
	return &page.Outcome{View: v}, nil
}
