package catalog

import (
	"context"
	"fmt"
	"html/template"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/er"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// picturePage is tables and the foreign keys between them.
type picturePage struct {
	site
	Focus  name   `json:"focus,omitempty"`
	Schema string `json:"schema,omitempty"`
	Hops   int    `json:"hops,omitempty"`
	// SVG is "" when neither a focus nor a schema that fits was chosen.
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

// maxSays is how many characters the list of a table's foreign keys has, maxCopied how many bytes a button copies.
const maxSays, maxCopied = 160, 6000

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
	d := &drawing{scanned: s, keys: keys, graph: graph, places: map[sdk.TableRef]int{}}
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
	if len(d.Tables) == 0 {
		data.offer(s.snapshot)
		return view, nil
	}
	switch r.Param("as") {
	case "svg":
		view.File = file(s, "svg", "image/svg+xml", d.SVG(er.Style))
	case "mermaid":
		view.File = file(s, "mmd", "text/plain; charset=utf-8", d.Mermaid())
	}
	data.SVG = template.HTML(d.SVG("")) //nolint:gosec // er escapes all texts
	data.Mermaid = d.Mermaid()
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

// drawing is a picture of tables of a snapshot.
type drawing struct {
	*scanned
	er.Picture
	keys    *foreignkey.Keys
	graph   *foreignkey.Graph
	refs    []sdk.TableRef
	places  map[sdk.TableRef]int
	edges   []relationship.Relationship
	missing []sdk.TableRef
	most    int // characters of a name
}

const (
	// roomNames is how many bytes the names of a picture's tables have; more of them are cut to shortName characters.
	roomNames, shortName = 4000, 24
)

// around draws the tables around a focus.
// Errors: those of catalog.Snapshot.Find and of reading the snapshot.
func (d *drawing) around(asked string, data *picturePage) error {
	at, _, err := discover.Find(d.snapshot, d.dialect, asked)
	if err != nil {
		return err
	}
	t, err := d.snapshot.At(at)
	if err != nil {
		return err
	}
	focus := t.TableRef
	own, _ := d.keys.Of(focus, t.Keys) // those of a copy are not in the graph
	chosen := er.Around(focus, data.Hops, func(ref sdk.TableRef) (parents, children []sdk.TableRef) {
		from := d.graph.From[ref]
		if ref == focus {
			from = own
		}
		for _, r := range from {
			parents = d.existing(parents, r.To)
		}
		for _, r := range d.graph.To[ref] {
			children = d.existing(children, r.From)
		}
		return parents, children
	})
	data.Focus = name(catalog.Display(focus))
	d.missing, data.More = chosen.Missing, chosen.Left-len(chosen.Missing)
	d.Title = "Tables around " + string(data.Focus)
	if err := d.add(chosen.Tables, own); err != nil {
		return err
	}
	for i, level := range chosen.Levels {
		d.Tables[i].Level = level
	}
	d.Description = fmt.Sprintf("%s, at most %s away; a table stands to the right of those that it refers to", text.Count(len(d.Tables), "table"), text.Count(data.Hops, "foreign key"))
	return nil
}

func (d *drawing) existing(all []sdk.TableRef, ref sdk.TableRef) []sdk.TableRef {
	if _, there := d.snapshot.Position(ref); there {
		return append(all, ref)
	}
	return all
}

// whole draws the tables of a schema, or of a small snapshot, unless they are too many.
// Errors: KindNotFound for an unknown schema; those of reading the snapshot.
func (d *drawing) whole(data *picturePage) error {
	first, count := 0, d.snapshot.Len()
	d.Title = "Tables of " + string(d.ID)
	if data.Schema != "" {
		ref, _ := catalog.Parse(data.Schema)
		schema, there := d.snapshot.Schema(ref.Schema, ref.Name)
		if !there {
			return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "connection %s has no schema %q", d.ID, cut(data.Schema, maxShown)).WithHint("choose one of its list of tables")
		}
		first, count = schema.First, schema.Tables
		d.Title = "Tables of the schema " + data.Schema
	}
	if count > er.MostWhole {
		data.Large = count
		return nil
	}
	var refs []sdk.TableRef
	for i := first; i < first+count; i++ {
		refs = append(refs, d.snapshot.Entry(i).TableRef)
	}
	if err := d.add(refs, nil); err != nil {
		return err
	}
	d.Focus = -1
	for i, level := range er.Levels(len(d.Tables), d.Edges) {
		d.Tables[i].Level = level
	}
	d.Description = text.Count(count, "table") + "; a table stands to the right of those that it refers to"
	return nil
}

// shownOf returns how many characters of each table's name a picture shows.
func shownOf(refs []sdk.TableRef) int {
	bytes, characters := 0, 1
	for _, ref := range refs {
		display := catalog.Display(ref)
		bytes += size(display)
		characters += utf8.RuneCountInString(display)
	}
	if bytes <= roomNames {
		return maxTitle
	}
	return max(shortName, min(maxTitle, 2*roomNames/len(refs)*characters/bytes))
}

// address returns the address of the picture around a table, or of the table's page; that of the list of tables where
// the name is not shown whole.
func (d *drawing) address(of func(connection.ID, string) string, display string) string {
	if cut(display, d.most) != display {
		return page.Link(section, string(d.ID))
	}
	return of(d.ID, display)
}

// add adds tables with the foreign keys between them. own are those of the first table.
// Errors: those of reading the snapshot.
func (d *drawing) add(refs []sdk.TableRef, own []relationship.Relationship) error {
	for i, ref := range refs {
		d.places[ref] = i
	}
	d.refs, d.most = refs, shownOf(slices.Concat(refs, d.missing))
	for i, ref := range refs {
		from := d.graph.From[ref]
		if i == 0 && own != nil {
			from = own
		}
		for _, r := range from {
			if to, there := d.places[r.To]; there {
				if err := d.edge(i, to, r); err != nil {
					return err
				}
			}
		}
	}
	for i, ref := range refs {
		t, err := d.box(i, ref)
		if err != nil {
			return err
		}
		d.Tables = append(d.Tables, t)
	}
	return nil
}

func (d *drawing) edge(from, to int, r relationship.Relationship) error {
	cardinality, err := d.keys.Cardinality(r)
	if err != nil {
		return err
	}
	e := er.Edge{
		From: from, To: to, Columns: d.cut(r.Columns), ToColumns: d.cut(r.ToColumns), Inferred: r.Origin == relationship.Inferred,
		FromMany: cardinality == foreignkey.ManyToOne || cardinality == foreignkey.ManyToMany,
		ToMany:   cardinality == foreignkey.OneToMany || cardinality == foreignkey.ManyToMany,
	}
	e.Label = cut(fmt.Sprintf("%s; %s; %s", r.Link, cardinality, r.Origin), d.most)
	d.Edges, d.edges = append(d.Edges, e), append(d.edges, r)
	return nil
}

// cut cuts names of columns.
func (d *drawing) cut(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = cut(n, min(d.most, maxShown))
	}
	return out
}

// lines is how many columns a box shows: the more boxes, the fewer.
func (d *drawing) lines() int {
	switch n := len(d.refs); {
	case n <= 12:
		return 10
	case n <= 24:
		return 6
	}
	return 3
}

// box returns a table with the columns of its keys, and then others.
func (d *drawing) box(i int, ref sdk.TableRef) (er.Table, error) {
	display := catalog.Display(ref)
	b := er.Table{Name: cut(display, d.most), Link: d.address(pictureLink, display)}
	at, ok := d.snapshot.Position(ref)
	if !ok {
		return b, nil
	}
	t, err := d.snapshot.At(at)
	if err != nil {
		return b, err
	}
	var primary, foreign []string
	for _, k := range t.Keys {
		switch k.Kind {
		case sdk.KeyPrimary:
			primary = k.Columns
		case sdk.KeyForeign:
			foreign = append(foreign, k.Columns...)
		}
	}
	for n := range d.Edges {
		if d.Edges[n].From == i {
			foreign = append(foreign, d.edges[n].Columns...)
		}
	}
	rank := func(c string) int {
		switch {
		case slices.Contains(primary, c):
			return 0
		case slices.Contains(foreign, c):
			return 1
		}
		return 2
	}
	columns := slices.Clone(t.Columns)
	slices.SortStableFunc(columns, func(a, b sdk.Column) int { return rank(a.Name) - rank(b.Name) })
	shown := columns[:min(len(columns), d.lines())]
	b.More = len(columns) - len(shown)
	for _, c := range shown {
		b.Columns = append(b.Columns, er.Column{Name: d.cut([]string{c.Name})[0], Type: cut(c.NativeType, maxValue), Primary: slices.Contains(primary, c.Name), Foreign: slices.Contains(foreign, c.Name)})
	}
	return b, nil
}

// list lists the tables of the picture with their foreign keys, and the tables that found no place.
func (d *drawing) list(data *picturePage) {
	says := make([]string, len(d.refs))
	say := func(i int, words string, other int) {
		if says[i] != "" {
			says[i] += "; "
		}
		if len(says[i]) < 4*maxSays { // the rest would be cut off
			says[i] += words + " " + cut(d.Tables[other].Name, maxShown)
		}
	}
	for _, e := range d.Edges {
		how := ""
		if e.Inferred {
			how = " (inferred)"
		}
		say(e.From, "refers to", e.To)
		says[e.From] += how
		if e.From != e.To {
			say(e.To, "referred to by", e.From)
			says[e.To] += how
		}
	}
	for i, t := range d.Tables {
		row := boxRow{name(t.Name), d.address(tableLink, catalog.Display(d.refs[i])), t.Link, cut(says[i], min(maxSays, 2*d.most))}
		data.Tables = append(data.Tables, row)
	}
	for _, ref := range d.missing {
		display := catalog.Display(ref)
		row := boxRow{Display: name(cut(display, d.most)), Link: d.address(tableLink, display), Around: d.address(pictureLink, display)}
		data.Missing = append(data.Missing, row)
	}
	for _, r := range d.edges {
		data.Edges = append(data.Edges, relation{From: newEnd(d.ID, r.From, r.Columns), To: newEnd(d.ID, r.To, r.ToColumns), State: string(r.Origin), Score: r.Score})
	}
}
