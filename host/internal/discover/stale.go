package discover

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/wiki"
)

// maxRemembered bounds the pages that a staleness caches; it is cleared when there are more.
const maxRemembered = 20_000

// staleness caches which pages are stale, by the hash of their content. The zero value is ready.
type staleness struct {
	mu sync.Mutex
	// state identifies the snapshots and semantic layers for which dead was computed.
	state string
	dead  map[[32]byte]bool
	over  map[[32]byte]time.Time
}

// stalePages returns a function that reports whether a page is stale: it refers to something that no longer exists,
// or its statements are no longer valid. state may be nil: then references are not checked.
// Errors: those of warehouse.Set.Connections.
func (s *Service) stalePages(ctx context.Context, state *indexer.State, now time.Time) (func(*wiki.Page) bool, error) {
	// References into connections that the caller may not use cannot be checked.
	if state == nil || caller.Of(ctx).Narrows() {
		_, over := s.stale.known("")
		return func(p *wiki.Page) bool { return s.over(p, over, now) }, nil
	}
	connections, err := s.asked(ctx, "")
	if err != nil {
		return nil, err
	}
	dead, over := s.stale.known(identify(state))
	return func(p *wiki.Page) bool {
		return s.over(p, over, now) || len(refs(p)) > 0 && recall(&s.stale, dead, p, func() bool {
			return slices.ContainsFunc(refs(p), func(ref string) bool { return !s.offered(state, connections, p, ref) })
		})
	}, nil
}

// over reports whether the validity of a page that Loam wrote has ended: for some subject, the last statement ended.
func (s *Service) over(p *wiki.Page, known map[[32]byte]time.Time, now time.Time) bool {
	if p.Origin != originAgent {
		return false
	}
	end := recall(&s.stale, known, p, func() time.Time {
		body, err := s.Wiki.Body(p)
		if err != nil { // it was changed in this moment
			return time.Time{}
		}
		return firstEnd(read(body))
	})
	return !end.IsZero() && !end.After(now)
}

// read returns the statements of a page that Loam wrote. All count: somebody asked Loam to remember them.
func read(body string) []assertion.Statement {
	return assertion.Read(body, assertion.Options{Asked: true}).Statements
}

// firstEnd returns the earliest time at which the last statement about some subject ends; zero = none ends.
func firstEnd(all []assertion.Statement) (first time.Time) {
	ends := map[string]time.Time{} // by subject; zero = open
	for i := range all {
		st := &all[i]
		key := assertion.Key(st.Subject, st.Language)
		if end, known := ends[key]; !known || !end.IsZero() && (st.ValidTo.IsZero() || st.ValidTo.After(end)) {
			ends[key] = st.ValidTo
		}
	}
	for _, end := range ends {
		if !end.IsZero() && (first.IsZero() || end.Before(first)) {
			first = end
		}
	}
	return first
}

// refs returns a page's references into the catalog and the semantic layer: its sl_refs, and the refs of a page that
// Loam wrote. People write anything into refs.
func refs(p *wiki.Page) []string {
	if p.Origin == originAgent {
		return slices.Concat(p.SLRefs, p.Refs)
	}
	return p.SLRefs
}

// originAgent is the origin of a page that Loam wrote.
const originAgent = "agent"

// identify returns a key of the snapshots and semantic layers of a state.
func identify(state *indexer.State) string {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(state.Snapshots)) {
		fmt.Fprintf(&b, "%s %s\n", id, state.Snapshots[id].Content)
	}
	for _, id := range slices.Sorted(maps.Keys(state.Semantic)) {
		fmt.Fprintf(&b, "%s %x\n", id, state.Semantic[id].Files.Version)
	}
	return b.String()
}

// known returns the caches of dead references in a state and of ends of validity. The maps are guarded by mu.
func (s *staleness) known(state string) (dead map[[32]byte]bool, over map[[32]byte]time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead == nil || s.state != state && state != "" || len(s.dead) > maxRemembered {
		s.state, s.dead = state, map[[32]byte]bool{}
	}
	if s.over == nil || len(s.over) > maxRemembered {
		s.over = map[[32]byte]time.Time{}
	}
	return s.dead, s.over
}

// recall returns the cached value of a page, or computes and caches it.
func recall[V any](s *staleness, known map[[32]byte]V, p *wiki.Page, find func() V) V {
	s.mu.Lock()
	v, ok := known[p.Content]
	s.mu.Unlock()
	if ok {
		return v
	}
	v = find()
	s.mu.Lock()
	defer s.mu.Unlock()
	known[p.Content] = v
	return v
}
