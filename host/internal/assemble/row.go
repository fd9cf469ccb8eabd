package assemble

import (
	"cmp"
	"context"
	"slices"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/semantic/listing"
	"github.com/loam-data/loam/sdk"
)

// The most key columns and measures that an Entity names.
const maxKeys, maxMeasures = 8, 5

// row is a table as an answer may list it, from the whole to its name.
type row struct {
	depth         Depth
	entity        Entity
	table         Table
	columns       TableColumns
	lines         []line // at depth Columns
	relationships []Relationship
	dropped       int // relationships that the row had
}

// row reads a table.
// Errors: those of reading the snapshot.
func (w *writer) row(at int32) (*row, error) {
	o := w.view.outlines[0]
	t, err := o.snapshot.At(int(at))
	if err != nil {
		return nil, err
	}
	var profile *catalog.Profile
	if w.view.request.Depth == Columns || t.RowEstimate < 0 {
		if profile, err = o.snapshot.Profile(int(at)); err != nil {
			return nil, err
		}
	}
	links, err := o.keysOf(&t.Table)
	if err != nil {
		return nil, err
	}
	r := &row{depth: w.view.request.Depth}
	source, linked := sourceOf(o, at), map[string]bool{}
	for _, l := range links {
		for _, c := range l.Columns {
			linked[c] = true
		}
	}
	if !w.view.request.WithoutRelationships {
		r.relationships = o.relationships(links, source)
	}
	if e := o.sources[at]; e != nil {
		r.entity.Name = e.ID
	}
	r.fill(o, &t.Table, source, profile, linked)
	return r, nil
}

// sourceOf returns the semantic source of a table; nil = none.
func sourceOf(o *outline, at int32) *listing.Source {
	if e := o.sources[at]; e != nil {
		return e.Source()
	}
	return nil
}

// fill sets what the depth lists.
func (r *row) fill(o *outline, t *sdk.Table, source *listing.Source, profile *catalog.Profile, links map[string]bool) {
	display, rows := catalog.Display(t.TableRef), rowsOf(t.RowEstimate, profile)
	description, trust := about(t, source)
	keys := keyColumns(t, links)
	switch r.depth {
	case Entities:
		r.entity = Entity{
			Name: cmp.Or(r.entity.Name, t.Name), Table: display, ConnectionID: o.id, Description: description, Trust: trust, RowCount: rows,
			KeyColumns: keys[:min(maxKeys, len(keys))],
		}
		if source != nil {
			for i := range source.Measures[:min(maxMeasures, len(source.Measures))] {
				r.entity.Measures = append(r.entity.Measures, source.Measures[i].Name)
			}
		}
	case Tables:
		r.table = Table{
			Table: display, ConnectionID: o.id, Kind: kinds[t.Kind], Description: description, Trust: trust, RowCount: rows,
			KeyColumns: keys[:min(maxKeys, len(keys))], Columns: len(t.Columns),
		}
	default:
		r.columns = TableColumns{Table: display, ConnectionID: o.id, Description: description, Trust: trust, RowCount: rows}
		r.lines = lines(t, links, profile, source)
		r.columns.Columns = textsOf(r.lines)
	}
}

// kinds are the names of the kinds that are no plain tables.
var kinds = map[sdk.TableKind]string{sdk.TableView: "view", sdk.TableMaterialized: "view", sdk.TableExternal: "external"}

func textsOf(all []line) []string {
	texts := make([]string, len(all))
	for i := range all {
		texts[i] = all[i].String()
	}
	return texts
}

// about returns the description of a table and its trust: that of the semantic layer, else the comment.
func about(t *sdk.Table, source *listing.Source) (description, trust string) {
	if source != nil && source.Description != "" {
		return clip(source.Description, maxText), string(source.Described.Shown())
	}
	return clip(t.Comment, maxText), ""
}

// rowsOf returns the number of a table's rows: the engine's estimate, else the count of a profile of all rows; nil =
// not known.
func rowsOf(estimate int64, p *catalog.Profile) *int64 {
	if estimate < 0 && p != nil && len(p.Stats) > 0 && p.Stats[0].Complete {
		estimate = p.Stats[0].Rows
	}
	if estimate < 0 {
		return nil
	}
	return &estimate
}

// keyColumns returns the columns of the primary key, then of unique keys and of foreign keys.
func keyColumns(t *sdk.Table, links map[string]bool) (all []string) {
	add := func(name string) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	for _, kind := range []sdk.KeyKind{sdk.KeyPrimary, sdk.KeyUnique, sdk.KeyForeign} {
		for _, k := range t.Keys {
			if k.Kind == kind {
				for _, c := range k.Columns {
					add(c)
				}
			}
		}
	}
	for i := range t.Columns {
		if links[t.Columns[i].Name] {
			add(t.Columns[i].Name)
		}
	}
	return all
}

// list returns the name of the list that the row belongs to, and its element.
func (r *row) list() (string, any) {
	switch r.depth {
	case Entities:
		return string(Entities), &r.entity
	case Tables:
		return string(Tables), &r.table
	default:
		return string(Columns), &r.columns
	}
}

const relationshipList = "relationships"

// cost returns the tokens of the row in its list, and of its relationships in theirs.
func (r *row) cost(a *account) (own, links int) {
	list, element := r.list()
	all := make([]any, len(r.relationships))
	for i := range r.relationships {
		all[i] = &r.relationships[i]
	}
	return a.cost(list, element), a.cost(relationshipList, all...)
}

// tables lists as many tables as the budget has room for.
// Errors: KindLimit for a first table that has no room at all; those of reading the snapshot and of ctx.
func (w *writer) tables(ctx context.Context) error {
	w.next = w.first
	for ; w.next < len(w.view.order); w.next++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := w.row(w.view.order[w.next])
		if err != nil {
			return err
		}
		own, links := r.cost(w.account)
		if own+links > w.account.left {
			if w.next > w.first {
				return nil
			}
			if own, links = r.shrink(w.account); own+links > w.account.left {
				return tooSmall(w.view.request.Budget, own+links-w.account.left)
			}
			w.shrunk = true
		}
		w.add(r, own, links)
	}
	return nil
}

func (w *writer) add(r *row, own, links int) {
	list, _ := r.list()
	w.account.spend(list, own)
	if len(r.relationships) > 0 {
		w.account.spend(relationshipList, links)
	}
	a := w.answer
	switch r.depth {
	case Entities:
		a.Entities = append(a.Entities, r.entity)
	case Tables:
		a.Tables = append(a.Tables, r.table)
	default:
		a.Columns = append(a.Columns, r.columns)
		w.left += r.columns.Left
	}
	a.Relationships = append(a.Relationships, r.relationships...)
	w.dropped += r.dropped
}

// shrink takes parts away until the row has room in the account, and returns its cost.
func (r *row) shrink(a *account) (own, links int) {
	for _, step := range []func(*row, *account){
		func(r *row, _ *account) { r.each(func(l *line) { l.values = "" }) },
		func(r *row, _ *account) { r.each(func(l *line) { l.description = "" }); r.undescribe(Entities, Tables) },
		(*row).narrow,
		func(r *row, a *account) { r.dropped, r.relationships = len(r.relationships), nil; r.narrow(a) },
		func(r *row, a *account) { r.undescribe(Columns); r.narrow(a) },
		func(r *row, _ *account) {
			r.entity.Measures, r.entity.KeyColumns, r.table.KeyColumns = nil, nil, nil
		},
	} {
		step(r, a)
		if own, links = r.cost(a); own+links <= a.left {
			return own, links
		}
	}
	return own, links
}

func (r *row) each(change func(*line)) {
	for i := range r.lines {
		change(&r.lines[i])
	}
	if r.lines != nil {
		r.columns.Columns = textsOf(r.lines)
	}
}

// undescribe removes the description at some depths.
func (r *row) undescribe(at ...Depth) {
	if !slices.Contains(at, r.depth) {
		return
	}
	r.entity.Description, r.table.Description, r.columns.Description = "", "", ""
	r.entity.Trust, r.table.Trust, r.columns.Trust = "", "", ""
}

// narrow keeps the columns of keys, then of the others as many as there is room for, in the order of the table.
func (r *row) narrow(a *account) {
	if r.depth != Columns {
		return
	}
	r.columns.Columns, r.columns.Left = nil, len(r.lines)
	own, links := r.cost(a)
	room := a.left - own - links - seam - len(`"columns":[]`)
	shown := make([]bool, len(r.lines))
	for _, keys := range []bool{true, false} {
		for i, l := range r.lines {
			if (len(l.keys) > 0) != keys {
				continue
			}
			cost := a.cost("columns of a table", l.String())
			if cost > room {
				break
			}
			room -= cost
			shown[i] = true
		}
	}
	for i, l := range r.lines {
		if shown[i] {
			r.columns.Columns = append(r.columns.Columns, l.String())
			r.columns.Left--
		}
	}
}

// total returns what an answer without a budget lists.
func (w *writer) total() (all Omitted) {
	if w.view.request.Depth == Domain || len(w.view.order) == 0 {
		return all
	}
	return w.counts(w.view.order[w.first:])
}

// omitted returns what is left for later answers, and the columns and relationships that tables of this one lack.
func (w *writer) omitted() (left Omitted) {
	if w.view.request.Depth == Domain || len(w.view.order) == 0 {
		return left
	}
	left = w.counts(w.view.order[w.next:])
	left.Columns += w.left
	left.Relationships += w.dropped
	return left
}

// counts counts tables with their columns and relationships, as the depth lists them.
func (w *writer) counts(tables []int32) (n Omitted) {
	o := w.view.outlines[0]
	for _, at := range tables {
		if w.view.request.Depth == Columns {
			n.Columns += o.snapshot.Entry(int(at)).Columns
		}
		if !w.view.request.WithoutRelationships {
			n.Relationships += int(o.outgoing[at])
		}
	}
	if w.view.request.Depth == Entities {
		n.Entities = len(tables)
	} else {
		n.Tables = len(tables)
	}
	return n
}
