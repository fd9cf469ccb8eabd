package catalog

import (
	"fmt"
	"net/url"
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

// drawing is a picture of tables of a snapshot.
type drawing struct {
	of      *scanned
	er      er.Picture
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
	at, _, err := discover.Find(d.of.snapshot, d.of.dialect, asked)
	if err != nil {
		return err
	}
	t, err := d.of.snapshot.At(at)
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
	d.er.Title = "Tables around " + string(data.Focus)
	if err := d.add(chosen.Tables, own); err != nil {
		return err
	}
	for i, level := range chosen.Levels {
		d.er.Tables[i].Level = level
	}
	d.er.Description = fmt.Sprintf("%s, at most %s away; a table stands to the right of those that it refers to", text.Count(len(d.er.Tables), "table"), text.Count(data.Hops, "foreign key"))
	return nil
}

func (d *drawing) existing(all []sdk.TableRef, ref sdk.TableRef) []sdk.TableRef {
	if _, there := d.of.snapshot.Position(ref); there {
		return append(all, ref)
	}
	return all
}

// whole draws the tables of a schema, or of a small snapshot, unless they are too many.
// Errors: KindNotFound for an unknown schema; those of reading the snapshot.
func (d *drawing) whole(data *picturePage) error {
	first, count := 0, d.of.snapshot.Len()
	d.er.Title = "Tables of " + string(d.of.ID)
	if data.Schema != "" {
		ref, _ := catalog.Parse(data.Schema)
		schema, there := d.of.snapshot.Schema(ref.Schema, ref.Name)
		if !there {
			return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "connection %s has no schema %q", d.of.ID, cut(data.Schema, maxShown)).WithHint("choose one of its list of tables")
		}
		first, count = schema.First, schema.Tables
		d.er.Title = "Tables of the schema " + data.Schema
	}
	if count > er.MostWhole {
		data.Large = count
		return nil
	}
	var refs []sdk.TableRef
	for i := first; i < first+count; i++ {
		refs = append(refs, d.of.snapshot.Entry(i).TableRef)
	}
	if err := d.add(refs, nil); err != nil {
		return err
	}
	d.er.Focus = -1
	for i, level := range er.Levels(len(d.er.Tables), d.er.Edges) {
		d.er.Tables[i].Level = level
	}
	d.er.Description = text.Count(count, "table") + "; a table stands to the right of those that it refers to"
	return nil
}

// focusLink returns the address of the picture around a table, seen from another picture.
func focusLink(_ connection.ID, display string) string { return "?focus=" + url.QueryEscape(display) }

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
		return page.Link(section, string(d.of.ID))
	}
	return of(d.of.ID, display)
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
		d.er.Tables = append(d.er.Tables, t)
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
	if d.detail().labels {
		e.Label = cut(fmt.Sprintf("%s; %s; %s", r.Link, cardinality, r.Origin), d.most)
	}
	d.er.Edges, d.edges = append(d.er.Edges, e), append(d.edges, r)
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

// detail is how much a picture shows of each table and foreign key: the more tables, the less.
type detail struct {
	// lines of a box, characters of the list of a table's foreign keys.
	lines, says int
	// labels: foreign keys say what they are when they are pointed at.
	labels bool
}

func (d *drawing) detail() detail {
	switch n := len(d.refs); {
	case n <= 12:
		return detail{10, maxSays, true}
	case n <= 24:
		return detail{6, maxSays, true}
	case n <= er.Most:
		return detail{3, maxSays, true}
	}
	return detail{1, maxSays / 3, false}
}

// box returns a table with the columns of its keys, and then others.
func (d *drawing) box(i int, ref sdk.TableRef) (er.Table, error) {
	display := catalog.Display(ref)
	b := er.Table{Name: cut(display, d.most), Link: d.address(focusLink, display)}
	at, ok := d.of.snapshot.Position(ref)
	if !ok {
		return b, nil
	}
	t, err := d.of.snapshot.At(at)
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
	for n := range d.er.Edges {
		if d.er.Edges[n].From == i {
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
	shown := columns[:min(len(columns), d.detail().lines)]
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
			says[i] += words + " " + cut(d.er.Tables[other].Name, maxShown)
		}
	}
	for _, e := range d.er.Edges {
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
	for i, t := range d.er.Tables {
		row := boxRow{name(t.Name), d.address(tableLink, catalog.Display(d.refs[i])), t.Link, cut(says[i], min(d.detail().says, 2*d.most))}
		data.Tables = append(data.Tables, row)
	}
	data.shorten()
	for _, ref := range d.missing {
		display := catalog.Display(ref)
		row := boxRow{Display: name(cut(display, d.most)), Link: d.address(tableLink, display), Around: d.address(focusLink, display)}
		data.Missing = append(data.Missing, row)
	}
	for _, r := range d.edges {
		data.Edges = append(data.Edges, relation{From: newEnd(d.of.ID, r.From, r.Columns), To: newEnd(d.of.ID, r.To, r.ToColumns), State: string(r.Origin), Score: r.Score})
	}
}

// shorten removes the foreign keys from a list that is too large beside its picture.
func (d *picturePage) shorten() {
	total := len(d.SVG)
	for _, row := range d.Tables {
		total += size(row.Link, row.Display.Cut(), row.Display.Title(), row.Says)
	}
	for i := range d.Tables {
		if total > maxSVG+maxList {
			d.Tables[i].Says = ""
		}
	}
}
