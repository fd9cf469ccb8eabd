package memory

import (
	"cmp"
	"context"
	"slices"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/planner"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// author is who sent a text, as the row of its run keeps it. A run is planned with the connections that
// its author could see, whichever process does it.
type author struct{ run.Author }

// seeing returns ctx as a call of the author would have it.
func (a author) seeing(ctx context.Context) context.Context {
	if len(a.Connections) == 0 {
		return ctx
	}
	return caller.With(ctx, &caller.Caller{Principal: cmp.Or(a.Principal, caller.None), Named: a.Principal != "", Grant: caller.Grant{Connections: a.Connections}})
}

// open reports whether a caller may see what came of the author's text: its questions and conflicts
// may name everything that the author could see.
func (a author) open(who *caller.Caller) bool {
	return !who.Narrows() || len(a.Connections) > 0 && !slices.ContainsFunc(a.Connections, func(id string) bool { return !who.AllowsConnection(id) })
}

// pages returns the pages of the wiki that the caller of ctx may see, and the paths of the other ones.
func (s *Service) pages(ctx context.Context) (open *wiki.View, hidden map[string]bool, err error) {
	all, err := s.Wiki.View(ctx)
	who := caller.Of(ctx)
	if err != nil || !who.Narrows() {
		return all, nil, err
	}
	about := func(p *wiki.Page) bool {
		return indexer.About(p, func(id connection.ID) bool { return who.AllowsConnection(string(id)) })
	}
	hidden = map[string]bool{}
	for p := range all.Pages() {
		if !about(p) {
			hidden["wiki/"+p.Path] = true
		}
	}
	return all.Only(about), hidden, nil
}

// seen refuses a change that the caller of ctx may not see, as if there were none, and takes the
// conflicts with pages out that the caller may not see.
// Errors: KindNotFound.
func (s *Service) seen(ctx context.Context, c *change.Change) error {
	who := caller.Of(ctx)
	if !who.Narrows() {
		return nil
	}
	_, hidden, err := s.pages(ctx)
	if err != nil {
		return err
	}
	if c.Connection == "" || !who.AllowsConnection(c.Connection) || hidden[c.Path] {
		return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no change %s", c.ID).WithHint("change_list shows those of your connections")
	}
	c.Conflicts = slices.DeleteFunc(slices.Clone(c.Conflicts), func(o change.Conflict) bool { return hidden[o.Path] })
	return nil
}

// guarded has proposals for pages wait that their author cannot see: the planner took them for new.
func guarded(plan *planner.Plan, hidden map[string]bool) {
	for i := range plan.Changes {
		if p := &plan.Changes[i]; hidden[p.Path] {
			wait(p, change.WhyPolicy, "")
		}
	}
}

// without is content, as if there were no file at some paths.
func without(hidden map[string]bool, content func(string) ([]byte, error)) func(string) ([]byte, error) {
	if len(hidden) == 0 {
		return content
	}
	return func(path string) ([]byte, error) {
		if hidden[path] {
			return nil, nil
		}
		return content(path)
	}
}
