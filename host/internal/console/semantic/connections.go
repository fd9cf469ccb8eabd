package semantic

import (
	"context"
	"strings"

	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/sdk"
)

// maxOverviews is how many connections a page shows.
const maxOverviews = 25

type connectionsData struct {
	Connections []connectionLine `json:"connections"`
	Pager       page.Pager       `json:"pager"`
}

// connectionLine is a connection with the size of its semantic layer.
type connectionLine struct {
	ID        string `json:"connectionId"`
	Connector string `json:"connector"`
	Sources   int    `json:"sources"`
	Defined   int    `json:"definedSources"`
	Metrics   int    `json:"metrics"`
	Files     int    `json:"files"`
	Problems  int    `json:"problems"`
	// Error is why nothing is known of its layer.
	Error string `json:"error,omitempty"`
}

// connections lists the connections.
func (p *pages) connections(ctx context.Context, r *page.Request) (*page.View, error) {
	registry, err := p.Connections(ctx)
	if err != nil {
		return nil, err
	}
	all := registry.All()
	from, err := offset(r.Param("cursor"), len(all))
	if err != nil {
		return nil, err
	}
	d := &connectionsData{Connections: []connectionLine{}}
	end := min(from+maxOverviews, len(all))
	for _, c := range all[from:end] {
		line := connectionLine{ID: string(c.ID), Connector: c.Connector}
		if o, err := p.Semantic.Overview(ctx, c.ID, 0); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			line.Error = brief(p.Redact(sdk.AsError(err, sdk.SourceHost).Msg), roomLine)
		} else {
			line.Sources, line.Defined, line.Metrics, line.Files, line.Problems = o.Sources, o.Defined, o.Metrics, o.Files, o.TotalProblems
		}
		d.Connections = append(d.Connections, line)
	}
	d.Pager = pagerOf(r, len(all), from, end)
	return &page.View{Title: "Semantic layer", Command: "loam sl list --json", Data: d}, nil
}

// pagerOf leads to the entries behind those from one number to another.
func pagerOf(r *page.Request, total, from, end int) page.Pager {
	p := page.Pager{Total: total, Shown: end - from, Cursor: strings.TrimSpace(r.Param("cursor"))}
	if end < total {
		p.Next = number(end)
	}
	return p
}
