package health

import (
	"context"

	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// CheckWiki checks only the pages and their references to members of semantic
// layers.
func (s *Service) CheckWiki(ctx context.Context, report func(Finding)) error {
	k := &check{s, report, map[string]string{}}
	view, err := k.service.config.Wiki.View(ctx)
	if err != nil {
		return err
	}
	k.brokenPages(view)
	for _, dead := range deadLinks(view) {
		k.found("link", "", dead)
	}
	refs, err := k.service.config.DeadSLRefs(ctx)
	if err != nil {
		return err
	}
	for _, dead := range refs {
		k.found("sl_refs", "", dead)
	}
	return nil
}

func (k *check) wiki(ctx context.Context) {
	view, err := k.service.config.Wiki.View(ctx)
	if err != nil {
		k.found("wiki", "", err)
		return
	}
	k.found("wiki", text.Count(view.Len(), "page"), nil)
	k.brokenPages(view)
	for _, dead := range deadLinks(view) {
		k.warn("wiki", dead.Msg, dead.Hint)
	}
}

func (k *check) brokenPages(view *wiki.View) {
	for _, p := range view.Problems() {
		k.found("wiki", "", p.Err)
	}
}

// index makes what is missing of the search index, and says what cannot be
// searched nevertheless.
func (k *check) index(ctx context.Context, progress func(sdk.Progress)) {
	if err := k.service.config.Index.Refresh(ctx, progress); err != nil {
		k.found("search", "", err)
		return
	}
	state, err := k.service.config.Index.Current(ctx)
	if err != nil {
		k.found("search", "", err)
		return
	}
	defer state.Release()
	if len(state.Notes) == 0 {
		k.found("search", "the index is up to date", nil)
	}
	for _, note := range state.Notes {
		k.warn("search", note)
	}
}

// deadLinks lists the links to pages that do not exist, as errors that name the
// page; one to a file that is broken leads somewhere.
func deadLinks(view *wiki.View) (dead []*sdk.Error) {
	for _, key := range view.Keys() {
		p, err := view.Page(key)
		if err != nil {
			dead = append(dead, sdk.AsError(err, sdk.SourceHost))
			continue
		}
		for _, to := range p.Links {
			if _, err := view.Page(to); sdk.KindOf(err) == sdk.KindNotFound {
				e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "%s links to %q, which does not exist", p.Path, to).
					WithHint("write wiki/global/%s.md, or mend the link", to)
				e.Candidates = sdk.AsError(err, sdk.SourceHost).Candidates
				dead = append(dead, e)
			}
		}
	}
	return dead
}
