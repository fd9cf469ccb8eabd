package discover

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

const (
	defaultPages = 10
	// maxTotal bounds WikiAnswer.Total.
	maxTotal = 1000
)

// WikiAnswer has the best hits of a wiki search, best first. Total counts all hits, up to 1,000.
type WikiAnswer struct {
	Results []WikiHit `json:"results"`
	Total   int       `json:"total"`
	Notes   []string  `json:"notes,omitempty"`
}

// WikiHit is a wiki page that matches a search.
type WikiHit struct {
	Key           string   `json:"key"`
	Title         string   `json:"title"`
	Summary       *string  `json:"summary,omitempty"`
	Snippet       string   `json:"snippet,omitempty"`
	Score         float64  `json:"score"`
	MatchedOn     string   `json:"matchedOn"`
	Tags          []string `json:"tags,omitempty"`
	ConnectionIDs []string `json:"connectionIds,omitempty"`
	UpdatedAt     string   `json:"updatedAt"` // RFC 3339
	Standing
}

// SearchWiki searches only the wiki; limit 0 or less = 10.
// Errors: KindInvalid for a query of more than 1,024 bytes; those of the index.
func (s *Service) SearchWiki(ctx context.Context, query string, limit int) (*WikiAnswer, error) {
	connections, err := s.asked(ctx, "")
	if err != nil {
		return nil, err
	}
	state, err := s.current(ctx, query)
	if err != nil {
		return nil, err
	}
	defer state.Release()
	trust, err := s.trust(ctx, state)
	if err != nil {
		return nil, err
	}
	found := state.Index.Search(search.Query{
		Text: query, Kinds: []search.Kind{search.Wiki}, Connections: filter(ctx, "", connections), Limit: maxTotal, Worth: trust.worth,
	})
	page := found.Hits[:min(len(found.Hits), cmp.Or(max(0, limit), defaultPages))]
	b := refBuilder{service: s, state: state, trust: trust}
	a := &WikiAnswer{Results: make([]WikiHit, len(page)), Total: len(found.Hits)}
	for i := range page {
		if a.Results[i], err = b.wikiHit(ctx, &page[i]); err != nil {
			return nil, err
		}
	}
	a.Notes = slices.Concat(broken(state), state.Notes, missed(ctx, query, found))
	return a, nil
}

// broken returns a note about files of the wiki that cannot be read as pages.
func broken(state *indexer.State) []string { return brokenPages(state.Pages.Problems()) }

func brokenPages(problems []wiki.Problem) []string {
	switch len(problems) {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("The wiki's %s cannot be read as a page: run loam doctor.", problems[0].Path)}
	default:
		return []string{fmt.Sprintf("The wiki's %s and %d more files cannot be read as pages: run loam doctor.", problems[0].Path, len(problems)-1)}
	}
}

func (b *refBuilder) wikiHit(ctx context.Context, h *search.Hit) (WikiHit, error) {
	page, err := b.state.Pages.Page(h.ID)
	if err != nil { // a state has every page of its index
		return WikiHit{}, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "a page of the index: %w", err)
	}
	hit := WikiHit{
		Key: h.ID, Title: page.Title, Summary: excerpt(page.Summary), Score: h.Score, MatchedOn: h.MatchedOn.String(),
		Tags: list(page.Tags), ConnectionIDs: ofCaller(ctx, page.Connections), UpdatedAt: moment(page.Updated),
		Standing: b.trust.of(used(h)),
	}
	if snippet := b.bodySnippet(page, h); snippet != nil {
		hit.Snippet = *snippet
	}
	return hit, nil
}

// ofCaller returns the connections that the caller of ctx may use.
func ofCaller(ctx context.Context, connections []string) []string {
	open := allowed(ctx)
	return slices.DeleteFunc(append([]string{}, connections...), func(id string) bool { return !open(connection.ID(id)) })
}

// mayRead returns an error when the caller of ctx may not read a page: the same as for a page
// that does not exist.
// Errors: those of wiki.View.Page.
func (s *Service) mayRead(ctx context.Context, key string) error {
	if !caller.Of(ctx).Narrows() {
		return nil
	}
	view, err := s.Wiki.View(ctx)
	if err != nil {
		return err
	}
	_, err = view.Only(func(p *wiki.Page) bool { return indexer.About(p, allowed(ctx)) }).Page(key)
	return err
}

// WikiPage is a wiki page with its body.
type WikiPage struct {
	Key        string     `json:"key"`
	Title      string     `json:"title"`
	Summary    *string    `json:"summary,omitempty"`
	Tags       []string   `json:"tags,omitempty"`
	Refs       []string   `json:"refs,omitempty"`
	SLRefs     []string   `json:"slRefs,omitempty"`
	Body       string     `json:"body"`
	Scope      string     `json:"scope"`
	Provenance Provenance `json:"provenance"`
	// Version of the page's file, which wiki_write takes as baseVersion: its SHA-256, in hexadecimal.
	Version string   `json:"version"`
	Links   []string `json:"links,omitempty"`
	Standing
	// Disputed are the statements that contradict the page and wait for a person's decision.
	change.Disputed
}

// Provenance says where a page comes from. Origin is "unknown" when the page does not name one.
type Provenance struct {
	Origin    string  `json:"origin"`
	Source    *string `json:"source,omitempty"`
	UpdatedAt string  `json:"updatedAt"` // RFC 3339
	Reviewed  bool    `json:"reviewed"`
}

// ReadWiki returns a page as it is on disk now.
// Errors: KindNotFound with the nearest keys; KindInvalid for a broken file.
func (s *Service) ReadWiki(ctx context.Context, key string) (*WikiPage, error) {
	if err := s.mayRead(ctx, key); err != nil {
		return nil, err
	}
	p, body, err := s.Wiki.Read(ctx, key)
	if err != nil {
		return nil, err
	}
	if !indexer.About(p, allowed(ctx)) { // the page changed since mayRead
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "the wiki has no page %q", p.Key).WithHint("call wiki_search")
	}
	standing, disputed, err := s.standing(ctx, p)
	if err != nil {
		return nil, err
	}
	return &WikiPage{
		Standing: standing, Disputed: disputed,
		Key: p.Key, Title: p.Title, Summary: known(p.Summary), Tags: list(p.Tags), Refs: list(p.Refs), SLRefs: list(p.SLRefs),
		Body: body, Scope: string(p.Scope), Links: list(p.Links),
		Provenance: Provenance{
			Origin: cmp.Or(p.Origin, "unknown"), Source: known(p.Source), UpdatedAt: moment(p.Updated), Reviewed: p.Reviewed,
		},
		Version: hex.EncodeToString(p.Content[:]),
	}, nil
}
