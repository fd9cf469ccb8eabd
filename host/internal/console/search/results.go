package search

import (
	"context"
	"strconv"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/markdown"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/text"
)

const (
	listed = 25 // hits on one page
	// maxRank is how far the hits can be paged: what ranks lower is no answer.
	maxRank = 200
)

// results is the page.
type results struct {
	Query string `json:"query"`
	Kind  string `json:"kind,omitempty"`
	Hits  []hit  `json:"hits"`
	// Values are the columns that have the query as a sampled value; nil = they were not searched.
	Values  *values       `json:"values,omitempty"`
	Notes   []string      `json:"notes,omitempty"`
	Pager   page.Pager    `json:"pager"`
	Filters []page.Filter `json:"filters"`
}

func (p *pages) search(ctx context.Context, r *page.Request) (*page.View, error) {
	registry, err := p.Connections(ctx)
	if err != nil {
		return nil, err
	}
	data := &results{Query: r.Param("q"), Kind: r.Param("kind"), Hits: []hit{}}
	id := connection.ID(r.Param("connection"))
	data.Filters = filters(data, registry, string(id))
	view := &page.View{Title: "Search", Command: commandOf(data, string(id)), Data: data}
	if data.Query == "" {
		return view, nil
	}
	view.Title = "Search for " + markdown.Line(data.Query, maxValue)
	if data.Kind != valueKind {
		if err := p.words(ctx, r, data, id); err != nil {
			return nil, err
		}
	}
	if data.Kind == valueKind || data.Kind == "" && data.Pager.Cursor == "" {
		return view, p.values(ctx, data, id)
	}
	return view, nil
}

// words searches names and texts, a page of them from the rank that the cursor names.
func (p *pages) words(ctx context.Context, r *page.Request, data *results, id connection.ID) error {
	from, err := r.Number("cursor", 0, 1, maxRank)
	if err != nil {
		return err
	}
	request := discover.SearchRequest{Query: data.Query, Connection: id, Limit: from + listed + 1}
	if data.Kind != "" {
		request.Kinds = []string{data.Kind}
	}
	found, err := p.Discover.Search(ctx, request)
	if err != nil {
		return err
	}
	last := min(len(found.Refs), from+listed)
	for i := min(from, last); i < last; i++ {
		data.Hits = append(data.Hits, hitOf(i+1, &found.Refs[i]))
	}
	data.Pager = page.Pager{Total: -1, Shown: len(data.Hits), Cursor: r.Param("cursor")}
	if last < len(found.Refs) && last < maxRank {
		data.Pager.Next = strconv.Itoa(last)
	} else if from == 0 {
		data.Pager.Total = len(found.Refs)
	}
	for _, n := range found.Notes {
		data.Notes = append(data.Notes, markdown.Line(n, 400))
	}
	return nil
}

func filters(data *results, registry *connection.Registry, id string) []page.Filter {
	of := []page.Choice{{Label: "all but files and notes", Count: -1, Now: data.Kind == ""}}
	for _, k := range kinds {
		of = append(of, page.Choice{Value: k.name, Label: k.label + "s", Count: -1, Now: data.Kind == k.name})
	}
	connections := []page.Choice{{Label: "all", Count: -1, Now: id == ""}}
	for _, c := range registry.All() {
		connections = append(connections, page.Choice{Value: string(c.ID), Label: string(c.ID), Count: -1, Now: string(c.ID) == id})
	}
	return []page.Filter{
		{Name: "q", Label: "Words or a value", Value: data.Query}, {Name: "kind", Label: "Kind", Value: data.Kind, Choices: of},
		{Name: "connection", Label: "Connection", Value: id, Choices: connections},
	}
}

// commandOf returns the command that finds the same.
func commandOf(data *results, id string) string {
	command := "loam search"
	switch data.Kind {
	case "":
	case valueKind:
		command += " --value"
	default:
		command += " --kind " + text.ShellWord(markdown.Line(data.Kind, maxValue))
	}
	if id != "" {
		command += " -c " + text.ShellWord(markdown.Line(id, maxValue))
	}
	words := markdown.Line(data.Query, maxID)
	switch {
	case words == "":
		return command + " WORD..."
	case words[0] == '-':
		command += " --"
	}
	return command + " " + text.ShellWord(words)
}
