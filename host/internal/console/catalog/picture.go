package catalog

import (
	"context"
	"html/template"
	"io"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/console/er"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/sdk"
)

// picturePage is tables and the foreign keys between them.
type picturePage struct {
	site
	Focus  name   `json:"focus,omitempty"`
	Schema string `json:"schema,omitempty"`
	Hops   int    `json:"hops,omitempty"`
	// SVG is "" when neither a focus nor a schema that fits was chosen, and for a picture that is too large for a page.
	SVG     template.HTML `json:"svg,omitempty"`
	Mermaid string        `json:"mermaid,omitempty"`
	// Copy: Mermaid is short enough for a button that copies it.
	Copy   bool       `json:"-"`
	Tables []boxRow   `json:"tables,omitempty"`
	Edges  []relation `json:"edges,omitempty"`
	// Missing are tables that found no place; More are not listed.
	Missing []boxRow `json:"missing,omitempty"`
	More    int      `json:"moreMissing,omitempty"`
	// Schemas are those that fit a picture; Large is the number of tables of the one that was asked for and does not.
	Schemas []schemaRow `json:"schemas,omitempty"`
	Large   int         `json:"tooManyTables,omitempty"`
	Query   string      `json:"-"`
}

// boxRow is a table of a picture, or one that is missing.
type boxRow struct {
	Display name   `json:"display"`
	Link    string `json:"-"`
	// Around is the picture around the table.
	Around string `json:"-"`
	// Says lists what the table refers to and what refers to it.
	Says string `json:"says,omitempty"`
}

const (
	// maxSays is how many characters the list of a table's foreign keys has, maxCopied how many bytes a button copies.
	maxSays, maxCopied = 160, 6000
	// maxSVG is how many bytes a picture in a page has, maxList how many the texts of the list beneath
	// the largest one.
	maxSVG, maxList = 40_000, 7000
)

func (p *pages) picture(ctx context.Context, r *page.Request) (*page.View, error) {
	s, err := p.scanned(ctx, r)
	if err != nil {
		return nil, err
	}
	data := &picturePage{site: s.site("er"), Schema: r.Param("schema")}
	if data.Hops, err = r.Number("hops", 1, 1, er.MostHops); err != nil {
		return nil, err
	}
	keys, err := p.Keys.Of(s.ID, s.snapshot)
	if err != nil {
		return nil, err
	}
	graph, err := keys.Graph(ctx)
	if err != nil {
		return nil, err
	}
	d := &drawing{of: s, keys: keys, graph: graph, places: map[sdk.TableRef]int{}}
	view := &page.View{Title: "Picture of " + string(s.ID), Data: data, Command: s.command("relationships")}
	switch asked := r.Param("focus"); {
	case asked != "":
		err = d.around(asked, data)
	case data.Schema != "" || s.snapshot.Len() <= er.MostWhole:
		err = d.whole(data)
	}
	if err != nil {
		return nil, err
	}
	if len(d.er.Tables) == 0 {
		data.offer(s.snapshot)
		return view, nil
	}
	switch r.Param("as") {
	case "svg":
		view.File = file(s, "svg", "image/svg+xml", d.er.SVG(er.Style))
	case "mermaid":
		view.File = file(s, "mmd", "text/plain; charset=utf-8", d.er.Mermaid())
	}
	if svg := d.er.SVG(""); len(svg) <= maxSVG {
		data.SVG = template.HTML(svg) // er escapes all texts
	}
	data.Mermaid = d.er.Mermaid()
	data.Copy = len(data.Mermaid) <= maxCopied
	data.Query = r.URL.RawQuery
	d.list(data)
	return view, nil
}

func file(s *scanned, ending, kind, content string) *page.File {
	return &page.File{Name: string(s.ID) + "." + ending, Type: kind, Write: func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, content)
		return err
	}}
}

// offer lists schemas that fit a picture.
func (d *picturePage) offer(snapshot *catalog.Snapshot) {
	for one := range snapshot.Schemas() {
		if one.Tables <= er.MostWhole && len(d.Schemas) < pageSchemas {
			d.Schemas = append(d.Schemas, schemaRow{name(schemaName(one.Catalog, one.Name)), one.Tables})
		}
	}
}
