package catalog

import (
	"context"
	"slices"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/sdk"
)

// pageConnections is how many connections a page has.
const pageConnections = 100

// connectionsPage lists the connections.
type connectionsPage struct {
	Connections []connectionRow `json:"connections"`
	Pager       page.Pager      `json:"pager"`
}

type connectionRow struct {
	ID        string           `json:"connectionId"`
	Connector string           `json:"connector"`
	LastScan  *catalog.Summary `json:"lastScan"`
	Scanned   time.Time        `json:"-"`
	Error     string           `json:"error,omitempty"`
	// Next is the command to type.
	Next string `json:"next,omitempty"`
}

func (p *pages) connections(ctx context.Context, r *page.Request) (*page.View, error) {
	registry, err := p.Connections(ctx)
	if err != nil {
		return nil, err
	}
	all := registry.All()
	first, cursor := 0, r.Param("cursor")
	if at := slices.IndexFunc(all, func(c connection.Connection) bool { return string(c.ID) == cursor }); at >= 0 {
		first = at
	}
	last := min(first+pageConnections, len(all))
	data := connectionsPage{Connections: []connectionRow{}, Pager: page.Pager{Total: len(all), Shown: last - first}}
	if first > 0 {
		data.Pager.Cursor = cursor
	}
	if last < len(all) {
		data.Pager.Next = string(all[last].ID)
	}
	for _, c := range all[first:last] {
		row := connectionRow{ID: string(c.ID), Connector: c.Connector}
		history, err := p.Catalogs.Of(string(c.ID)).History()
		switch {
		case err != nil:
			e := sdk.AsError(err, sdk.SourceHost)
			row.Error, row.Next = e.Msg, "loam scan --full "+string(c.ID)
		case len(history) == 0:
			row.Next = "loam scan " + string(c.ID)
		default:
			scan := history[0].Summary()
			row.LastScan, row.Scanned = &scan, history[0].ExtractedAt
		}
		data.Connections = append(data.Connections, row)
	}
	return &page.View{Title: "Catalog", Command: "loam catalog list", Data: data}, nil
}
