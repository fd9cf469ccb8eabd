package history

import (
	"context"
	"net/url"
	"time"

	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/store"
)

const (
	// pageRows is the number of rows of a page.
	pageRows = 50
	// followEvery is how often a list is loaded again that is followed.
	followEvery = 30 * time.Second
	// maxGaps bounds the gaps that a page names.
	maxGaps = 5
)

// List is a page of calls and events, the latest first.
type List struct {
	// Show is calls or reviews; "" = both.
	Show  string     `json:"show,omitempty"`
	Rows  []Row      `json:"rows"`
	Pager page.Pager `json:"pager"`
	// Many: there are more than are counted.
	Many    bool          `json:"many,omitempty"`
	Filters []page.Filter `json:"filters"`
	// Searched is how many rows were looked at where older ones were not; 0 = all.
	Searched int `json:"searched,omitempty"`
	// Gaps are the last periods, within the page, of which calls are missing.
	Gaps []store.CallGap `json:"gaps,omitempty"`
	// Off: no calls are recorded now.
	Off bool `json:"off,omitempty"`
	// Follow and Unfollow are the addresses that begin and end Following.
	Follow   string `json:"-"`
	Unfollow string `json:"-"`
	// Following: the page is loaded again every 30 seconds.
	Following bool `json:"following,omitempty"`
	// Actor is the one whose decisions are shown, and whose changes can be undone together.
	Actor string `json:"actor,omitempty"`
	// Exports are the addresses of files with all rows of the filter.
	Exports []Export `json:"exports"`

	narrow bool // a filter is set
}

// Export is a file with the rows of a filter.
type Export struct {
	Label string `json:"label"`
	URL   string `json:"url"`
}

// Of names a row for the pager.
func (l *List) Of() string {
	switch l.Show {
	case onlyCalls:
		return "call"
	case onlyReviews:
		return "event"
	}
	return "row"
}

// Nothing is the text of a page without rows.
func (l *List) Nothing() string {
	switch {
	case l.Searched > 0:
		return "None of the searched rows fits this filter."
	case l.narrow || l.Pager.Cursor != "":
		return "Nothing fits this filter."
	}
	return "No agent has called a tool yet, and nobody decided anything."
}

// Try is the command that leads on.
func (l *List) Try() string {
	if l.narrow || l.Pager.Cursor != "" {
		return ""
	}
	return "loam agents setup"
}

// Undo is the address of the page that shows what taking back all changes of the actor would do.
func (l *List) Undo() string {
	return page.Link("revert") + "?" + url.Values{"actor": {l.Actor}}.Encode()
}

// list returns a page of the list.
func (s *Services) list(ctx context.Context, from logs, r *page.Request, a *asked) (*page.View, error) {
	l := &List{Show: a.show, Rows: []Row{}, Actor: a.events.Actor, Exports: exports(r.URL, a.show), narrow: a.narrow, Follow: page.With(r.URL, "follow", "1"), Unfollow: page.With(r.URL, "follow", ""), Pager: page.Pager{Cursor: r.Param("cursor")}}
	set, err := s.Settings(ctx)
	if err != nil {
		return nil, err
	}
	l.Off = set.Off
	if l.Filters, err = s.filters(ctx, from.calls, r, a); err != nil {
		return nil, err
	}
	if err := l.count(ctx, from, a); err != nil {
		return nil, err
	}
	if l.Pager.Total != 0 {
		if err := l.read(ctx, from, a); err != nil {
			return nil, err
		}
	}
	if err := l.gaps(ctx, from.calls, a, r.Now); err != nil {
		return nil, err
	}
	view := &page.View{Title: "History", Command: a.command(), Data: l}
	if r.Param("follow") == "1" && l.Pager.Cursor == "" {
		l.Following, view.Refresh = true, followEvery
	}
	return view, nil
}

// read reads the rows of the page.
func (l *List) read(ctx context.Context, from logs, a *asked) error {
	calls, events, err := from.read(ctx, a)
	if err != nil {
		return err
	}
	l.Rows = merge(calls, events, pageRows)
	l.Pager.Shown = len(l.Rows)
	next := cursor{calls.next(), events.next()}
	if next.calls != over || next.events != over {
		l.Pager.Next = next.String()
	}
	if calls.rest.Stopped || events.rest.Stopped {
		l.Searched = store.Searched
	}
	return nil
}

// count counts the rows of all pages as far as that is cheap.
func (l *List) count(ctx context.Context, from logs, a *asked) error {
	total := 0
	add := func(n int, err error) error {
		switch {
		case n < 0:
			total = -1
		case total >= 0:
			total += n
		}
		return err
	}
	if a.show != onlyReviews {
		if err := add(from.calls.CountCallsOf(ctx, a.calls)); err != nil {
			return err
		}
	}
	if a.show != onlyCalls {
		if err := add(from.events.CountEvents(ctx, a.events)); err != nil {
			return err
		}
	}
	if l.Many = a.narrow && total > store.Counted; l.Many {
		total = -1
	}
	l.Pager.Total = total
	return nil
}

// gaps finds the periods within the page whose calls are not recorded.
func (l *List) gaps(ctx context.Context, opened *store.Store, a *asked, now time.Time) error {
	if a.show == onlyReviews || len(l.Rows) == 0 {
		return nil
	}
	until := now
	if l.Pager.Cursor != "" {
		until = l.Rows[0].At
	}
	all, err := opened.CallGaps(ctx, l.Rows[len(l.Rows)-1].At)
	for _, g := range all {
		if !g.From.After(until) {
			l.Gaps = append(l.Gaps, g)
		}
	}
	l.Gaps = l.Gaps[max(0, len(l.Gaps)-maxGaps):]
	return err
}

// exports returns the files of a filter.
func exports(here *url.URL, show string) (all []Export) {
	for _, of := range []string{onlyCalls, onlyReviews} {
		if show != "" && show != of {
			continue
		}
		for _, form := range []string{asCSV, asJSON} {
			all = append(all, Export{of + " as " + form, page.With(here, "show", of, "export", form, "follow", "")})
		}
	}
	return all
}
