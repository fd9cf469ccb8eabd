package discover

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/wiki"
)

// Standing says how far a definition or page can be trusted.
// Shape: Trust is "agent" (an agent supplied it), "imported" (from a file) or "reviewed" (from either, and
// approved by a person); ReadWiki also returns "person". "" = a person wrote it, or a scan found it. Flags
// are flagConflict and flagStale.
type Standing struct {
	Trust string   `json:"trust,omitempty"`
	Flags []string `json:"flags,omitempty"`
}

// The flags of a Standing.
const (
	flagConflict = "conflict" // a pending statement contradicts it
	flagStale    = "stale"    // its object, a column or its source is gone, its validity ended, or it was not verified for long
)

// Factors of a hit's fused score; the product is at least shareLeast. Source: the specification of memory, section 8.
const (
	shareAgent    = .90
	shareConflict = .90
	shareStale    = .85
	shareLeast    = .75
)

// trust returns the standing of definitions and pages of one state, for the caller of a request.
type trust struct {
	state    *indexer.State
	open     func(connection.ID) bool
	disputes *change.Disputes
	stale    func(*wiki.Page) bool
	now      time.Time
}

// trust returns the trust of a state.
// Errors: those of Config.Disputes and of warehouse.Set.Connections.
func (s *Service) trust(ctx context.Context, state *indexer.State) (*trust, error) {
	t := &trust{state: state, open: allowed(ctx), now: s.Now()}
	var err error
	if t.disputes, err = s.disputes(ctx); err != nil {
		return nil, err
	}
	t.stale, err = s.stalePages(ctx, state, t.now)
	return t, err
}

func (s *Service) disputes(ctx context.Context) (*change.Disputes, error) {
	if s.Disputes == nil {
		return nil, nil
	}
	return s.Disputes(ctx)
}

// worth implements search.Query.Worth.
func (t *trust) worth(u search.Used) search.Worth {
	standing := t.of(u)
	share := 1.0
	if standing.Trust == string(model.Agent) {
		share *= shareAgent
	}
	if slices.Contains(standing.Flags, flagConflict) {
		share *= shareConflict
	}
	if slices.Contains(standing.Flags, flagStale) {
		share *= shareStale
	}
	return search.Worth{
		Share:  max(share, shareLeast),
		Behind: standing.Trust == string(model.Agent) || standing.Trust == string(model.Imported),
	}
}

// of returns the standing of an indexed item.
func (t *trust) of(u search.Used) Standing {
	if u.Kind == search.Wiki {
		page, err := t.state.Pages.Page(u.ID)
		if err != nil { // the reference of the hit reports it
			return Standing{}
		}
		return t.page(page)
	}
	layer, ok := t.state.Semantic[connection.ID(u.Connection)]
	if !ok {
		return Standing{}
	}
	source, member := u.ID, ""
	switch {
	case u.Kind == search.Source:
	case u.ID == u.Name: // a metric
		source, member = "", u.Name
	default:
		source, member = strings.TrimSuffix(u.ID, "."+u.Name), u.Name
	}
	entry := layer.Listing.Entry(source)
	if entry == nil {
		return Standing{}
	}
	known := entry.Standing(member)
	out := Standing{Trust: string(known.Trust.Shown())}
	unsaid := false
	if t.disputes != nil {
		targets := []string{u.ID}
		if member != "" {
			targets = entry.Source().Targets(u.ID, member)
		}
		out.flag(flagConflict, len(t.opened(t.disputes.OfMember(u.Connection, targets...))) > 0)
		unsaid = len(t.opened(t.disputes.Unsaid().OfMember(u.Connection, targets...))) > 0
	}
	out.flag(flagStale, unsaid || known.Verified.Stale(t.now) || len(t.state.Lost(connection.ID(u.Connection), entry, member)) > 0)
	return out
}

// page returns the standing of a page.
func (t *trust) page(p *wiki.Page) Standing {
	out := Standing{Trust: string(model.Trust(p.Trust()).Shown())}
	out.flag(flagConflict, len(t.opened(t.disputes.OfPage("wiki/"+p.Path))) > 0)
	out.flag(flagStale, t.stale(p) || len(t.opened(t.disputes.Unsaid().OfPage("wiki/"+p.Path))) > 0)
	return out
}

func (s *Standing) flag(name string, set bool) {
	if set {
		s.Flags = append(s.Flags, name)
	}
}

// opened returns the disputes that the caller may see.
func (t *trust) opened(all []change.Dispute) (open []change.Dispute) {
	for _, d := range all {
		if d.Connection == "" || t.open(connection.ID(d.Connection)) {
			open = append(open, d)
		}
	}
	return open
}

// standing returns the standing of a page and the statements that contradict it.
// Errors: those of Service.trust.
func (s *Service) standing(ctx context.Context, p *wiki.Page) (Standing, change.Disputed, error) {
	var state *indexer.State
	if refs(p) != nil {
		var err error
		if state, err = s.open(ctx); err != nil { // a page is read without an index too
			s.Logger.DebugContext(ctx, "a page is read without what its references lead to", "error", err)
		} else {
			defer state.Release()
		}
	}
	t, err := s.trust(ctx, state)
	if err != nil {
		return Standing{}, change.Disputed{}, err
	}
	out := t.page(p)
	out.Trust = p.Trust()
	return out, change.Shown(t.opened(t.disputes.OfPage("wiki/" + p.Path))), nil
}

// used returns the key of a hit.
func used(h *search.Hit) search.Used {
	return search.Used{Kind: h.Kind, Connection: h.Connection, ID: h.ID, Name: h.Name}
}
