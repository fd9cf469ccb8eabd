package saved

import (
	"context"
	"strings"

	"github.com/loam-data/loam/host/internal/approved"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/console/result"
	"github.com/loam-data/loam/host/internal/text"
)

// Units: characters of a query's description and of a name in a list.
const (
	maxAbout = 160
	maxName  = 80
)

// onlyReviewed is the value of the parameter state that leaves out what nobody reviewed.
const onlyReviewed = "reviewed"

// List is a page of saved queries.
type List struct {
	Queries []Line        `json:"queries"`
	Pager   page.Pager    `json:"pager"`
	Filters []page.Filter `json:"filters"`
	Notes   []string      `json:"notes,omitempty"`
}

// Line is a saved query in a list.
type Line struct {
	approved.Listed
	URL string `json:"url"`
	// About is the description, cut.
	About string `json:"-"`
}

// Last is when agents ran the query last, and how that ended; "" = it never ran, or the runs are not recorded.
func (l *Line) Last() string {
	if l.Usage == nil || l.Usage.LastRunAt == nil || l.Usage.LastOutcome == nil {
		return ""
	}
	return *l.Usage.LastRunAt + " (" + *l.Usage.LastOutcome + ")"
}

// Tagged lists the tags of a query.
func (l *Line) Tagged() string { return result.Short(strings.Join(l.Tags, ", "), maxName) }

func (s *Services) list(ctx context.Context, r *page.Request) (*page.View, error) {
	ask := approved.ListRequest{
		Connection: connection.ID(r.Param("connection")), Query: r.Param("q"), Cursor: r.Param("cursor"), All: r.Param("state") != onlyReviewed,
	}
	if tag := r.Param("tag"); tag != "" {
		ask.Tags = []string{tag}
	}
	listing, err := s.Queries.List(ctx, ask)
	if err != nil {
		return nil, err
	}
	l := &List{Queries: []Line{}, Notes: listing.Notes, Pager: page.Pager{Total: listing.Total, Shown: len(listing.Queries), Cursor: ask.Cursor}}
	if listing.NextCursor != nil {
		l.Pager.Next = *listing.NextCursor
	}
	for _, q := range listing.Queries {
		q.Title = result.Short(q.Title, maxAbout)
		l.Queries = append(l.Queries, Line{Listed: q, URL: page.Link(root, string(q.ConnectionID), q.Name), About: result.Short(q.Description, maxAbout)})
	}
	if l.Filters, err = s.filters(ctx, r); err != nil {
		return nil, err
	}
	command := "loam queries list --all --json"
	if ask.Query != "" {
		command = "loam queries list --all --json " + text.ShellWord(ask.Query)
	}
	return &page.View{Title: "Saved queries", Command: command, Data: l}, nil
}

func (s *Services) filters(ctx context.Context, r *page.Request) ([]page.Filter, error) {
	registry, err := s.Connections(ctx)
	if err != nil {
		return nil, err
	}
	of := page.Filter{Name: "connection", Label: "Connection", Value: r.Param("connection"), Choices: []page.Choice{{Label: "any", Count: -1}}}
	for _, c := range registry.All() {
		of.Choices = append(of.Choices, page.Choice{Value: string(c.ID), Label: string(c.ID), Count: -1, Now: string(c.ID) == of.Value})
	}
	reviewed := r.Param("state") == onlyReviewed
	return []page.Filter{
		{Name: "q", Label: "Words", Value: r.Param("q")}, of, {Name: "tag", Label: "Tag", Value: r.Param("tag")},
		{Name: "state", Label: "State", Value: r.Param("state"), Choices: []page.Choice{{Label: "all", Count: -1, Now: !reviewed}, {Value: onlyReviewed, Label: onlyReviewed, Count: -1, Now: reviewed}}},
	}, nil
}
