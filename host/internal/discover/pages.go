package discover

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// PagesRequest chooses pages of the wiki; a zero field chooses all.
type PagesRequest struct {
	// Text is part of the key, the title, the summary, an alias or a tag; letters of either case.
	Text string
	// Trust is "reviewed", "person", "agent" or "imported", Flag is "conflict" or "stale".
	Trust, Flag string
	// Latest orders by the time of the last change, the latest first; else by key.
	Latest bool
	Limit  int // 0 or less = 50
	Cursor string
}

// PagesAnswer lists pages. Total counts those on all pages of the list.
type PagesAnswer struct {
	Pages      []PageLine `json:"pages"`
	Total      int        `json:"total"`
	NextCursor string     `json:"nextCursor,omitempty"`
	// Trusts counts the pages of the text by trust, Conflicts those that a statement contradicts.
	Trusts    map[string]int `json:"trusts"`
	Conflicts int            `json:"conflicts"`
	// Notes name files that cannot be read as pages.
	Notes []string `json:"notes,omitempty"`
}

// PageLine is a page in a list of them.
type PageLine struct {
	Key         string     `json:"key"`
	Title       string     `json:"title"`
	Summary     string     `json:"summary,omitempty"`
	Tags        []string   `json:"tags,omitempty"`
	Scope       wiki.Scope `json:"scope"`
	Connections []string   `json:"connectionIds,omitempty"`
	Source      string     `json:"source,omitempty"`
	UpdatedAt   time.Time  `json:"updatedAt"`
	Standing
}

const (
	defaultListedPages = 50
	maxListedPages     = 200
)

// Pages lists pages of the wiki with their trust.
// Errors: KindInvalid for an unknown trust or flag, or a cursor of another list; those of the wiki.
func (s *Service) Pages(ctx context.Context, r PagesRequest) (*PagesAnswer, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	view, state, err := s.pages(ctx)
	if err != nil {
		return nil, err
	}
	if state != nil {
		defer state.Release()
	}
	t, err := s.trust(ctx, state)
	if err != nil {
		return nil, err
	}
	a := &PagesAnswer{Pages: []PageLine{}, Trusts: map[string]int{}, Notes: brokenPages(view.Problems())}
	found := a.choose(view, t, r)
	a.Total = len(found)
	at, err := r.position(found)
	if err != nil {
		return nil, err
	}
	last := min(len(found), at+min(maxListedPages, cmp.Or(max(0, r.Limit), defaultListedPages)))
	for _, p := range found[at:last] {
		standing := t.page(p)
		standing.Trust = p.Trust()
		a.Pages = append(a.Pages, PageLine{
			Key: p.Key, Title: p.Title, Summary: p.Summary, Tags: p.Tags, Scope: p.Scope, Connections: ofCaller(ctx, p.Connections),
			Source: p.Source, UpdatedAt: p.Updated, Standing: standing,
		})
	}
	if last < len(found) {
		a.NextCursor = r.cursor(found[last-1])
	}
	return a, nil
}

// pages returns the pages that the caller of ctx may see, and the state of the index that they are from; nil = pages are
// listed without an index, too.
func (s *Service) pages(ctx context.Context) (*wiki.View, *indexer.State, error) {
	state, err := s.open(ctx)
	if err == nil {
		return state.Pages, state, nil
	}
	s.Logger.DebugContext(ctx, "pages are listed without what their references lead to", "error", err)
	view, err := s.Wiki.View(ctx)
	if err == nil && caller.Of(ctx).Narrows() {
		view = view.Only(func(p *wiki.Page) bool { return indexer.About(p, allowed(ctx)) })
	}
	return view, nil, err
}

func (r *PagesRequest) check() error {
	if !slices.Contains([]string{"", "reviewed", "person", originAgent, "imported"}, r.Trust) {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no trust %q of a page", brief(r.Trust)).WithHint("use reviewed, person, agent or imported")
	}
	if !slices.Contains([]string{"", flagConflict, flagStale}, r.Flag) {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no flag %q of a page", brief(r.Flag)).WithHint("use conflict or stale")
	}
	return nil
}

// choose returns the pages of a request in order, and counts those of its text.
func (a *PagesAnswer) choose(view *wiki.View, t *trust, r PagesRequest) (found []*wiki.Page) {
	text := strings.ToLower(strings.TrimSpace(r.Text))
	for p := range view.Shared() {
		if text != "" && !mentions(p, text) {
			continue
		}
		a.Trusts[p.Trust()]++
		disputed := len(t.opened(t.disputes.OfPage("wiki/"+p.Path))) > 0
		if disputed {
			a.Conflicts++
		}
		if r.Trust != "" && p.Trust() != r.Trust || r.Flag == flagConflict && !disputed {
			continue
		}
		if r.Flag == flagStale && !slices.Contains(t.page(p).Flags, flagStale) {
			continue
		}
		found = append(found, p)
	}
	if r.Latest {
		slices.SortFunc(found, latestFirst)
	}
	return found
}

// mentions reports whether a page has a text, in lower case, in what a list shows of it.
func mentions(p *wiki.Page, text string) bool {
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), text) }
	return has(p.Key) || has(p.Title) || has(p.Summary) || slices.ContainsFunc(p.Aliases, has) || slices.ContainsFunc(p.Tags, has)
}

func latestFirst(x, y *wiki.Page) int {
	return cmp.Or(y.Updated.Compare(x.Updated), strings.Compare(x.Key, y.Key))
}

// cursor names the last page that was listed: its key, before it the time if that decides the order.
func (r *PagesRequest) cursor(last *wiki.Page) string {
	if r.Latest {
		return last.Updated.UTC().Format(time.RFC3339Nano) + " " + last.Key
	}
	return last.Key
}

// position returns the number of pages up to the cursor. Pages that came or went meanwhile do not move the others.
func (r *PagesRequest) position(found []*wiki.Page) (int, error) {
	if r.Cursor == "" {
		return 0, nil
	}
	compare, last := func(x, y *wiki.Page) int { return strings.Compare(x.Key, y.Key) }, &wiki.Page{Key: r.Cursor}
	if r.Latest {
		at, key, ok := strings.Cut(r.Cursor, " ")
		updated, err := time.Parse(time.RFC3339Nano, at)
		if !ok || err != nil {
			return 0, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q is no cursor of this list", brief(r.Cursor)).WithHint("start without a cursor")
		}
		compare, last = latestFirst, &wiki.Page{Key: key, Updated: updated}
	}
	at, there := slices.BinarySearchFunc(found, last, compare)
	if there {
		at++
	}
	return at, nil
}
