package wiki

import (
	"cmp"
	"context"
	"time"

	"github.com/loam-data/loam/host/internal/console/markdown"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/text"
)

const (
	listed = 40 // pages of the wiki on one page
	// Lengths of texts in lists, in characters.
	maxTitle   = 100
	maxKey     = 120
	maxSummary = 140
)

// list is the list of pages.
type list struct {
	Pages   []line        `json:"pages"`
	Pager   page.Pager    `json:"pager"`
	Filters []page.Filter `json:"filters"`
	// Filtered: the list may have more pages without its filters.
	Filtered bool     `json:"filtered"`
	Notes    []string `json:"notes,omitempty"`
}

// line is a page in the list.
type line struct {
	Key       string    `json:"key"`
	Href      string    `json:"href"`
	Title     string    `json:"title"`
	Summary   string    `json:"summary,omitempty"`
	Scope     string    `json:"scope"`
	Source    string    `json:"source,omitempty"`
	Trust     string    `json:"trust"`
	Flags     []string  `json:"flags,omitempty"`
	UpdatedAt time.Time `json:"updatedAt"`
}

func (p *pages) list(ctx context.Context, r *page.Request) (*page.View, error) {
	if key := tidy(r.Param("key")); key != "" && r.Param("edit") != "" { // the form for a new page
		return p.edit(ctx, key)
	}
	request := discover.PagesRequest{
		Text: r.Param("q"), Trust: r.Param("trust"), Flag: r.Param("flag"), Latest: r.Param("order") == "latest", Limit: listed, Cursor: r.Query.Get("cursor"),
	}
	found, err := p.Discover.Pages(ctx, request)
	if err != nil {
		return nil, err
	}
	data := list{
		Pages: []line{}, Filters: filters(request, found), Filtered: cmp.Or(request.Text, request.Trust, request.Flag) != "", Notes: shownLines(found.Notes),
		Pager: page.Pager{Total: found.Total, Shown: len(found.Pages), Next: found.NextCursor, Cursor: request.Cursor},
	}
	for i := range found.Pages {
		data.Pages = append(data.Pages, lineOf(&found.Pages[i]))
	}
	return &page.View{Title: "Wiki", Command: "loam wiki list", Data: &data, Template: "wiki.list"}, nil
}

func lineOf(p *discover.PageLine) line {
	return line{
		Key: markdown.Line(p.Key, maxKey), Href: address(p.Key), Title: markdown.Line(p.Title, maxTitle), Summary: markdown.Line(p.Summary, maxSummary),
		Scope: string(p.Scope), Source: markdown.Line(p.Source, maxTitle), Trust: p.Trust, Flags: p.Flags, UpdatedAt: p.UpdatedAt,
	}
}

func filters(r discover.PagesRequest, found *discover.PagesAnswer) []page.Filter {
	trusts := []page.Choice{{Label: "any trust", Count: -1, Now: r.Trust == ""}}
	for _, t := range []string{"reviewed", "person", "agent", "imported"} {
		trusts = append(trusts, page.Choice{Value: t, Label: t, Count: found.Trusts[t], Now: r.Trust == t})
	}
	order := ""
	if r.Latest {
		order = "latest"
	}
	return []page.Filter{
		{Name: "q", Label: "Text", Value: r.Text},
		{Name: "trust", Label: "Trust", Value: r.Trust, Choices: trusts},
		{Name: "flag", Label: "Flag", Value: r.Flag, Choices: []page.Choice{
			{Label: "any or none", Count: -1, Now: r.Flag == ""},
			{Value: "conflict", Label: "conflict", Count: found.Conflicts, Now: r.Flag == "conflict"},
			{Value: "stale", Label: "stale", Count: -1, Now: r.Flag == "stale"},
		}},
		{Name: "order", Label: "Order", Value: order, Choices: []page.Choice{
			{Label: "by key", Count: -1, Now: !r.Latest}, {Value: "latest", Label: "changed last", Count: -1, Now: r.Latest},
		}},
	}
}

// command returns a command line about a page.
func command(before, key, after string) string {
	return before + " " + text.ShellWord(markdown.Line(key, maxKey)) + after
}

// shownLines returns texts as a page may show them.
func shownLines(all []string) (out []string) {
	for _, s := range all {
		out = append(out, markdown.Line(s, 400))
	}
	return out
}
