package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Table is the rows of a table.
type Table struct {
	Columns []string
	Rows    [][]any
}

// Data are the tables by name. A source that is a query is under its own name,
// unless it is one that the generator writes.
type Data map[string]*Table

// row is a row of a source; at is -1 where a join leads to none.
type row struct {
	source model.SourceID
	at     int
}

// world is a model with its rows.
type world struct {
	model   *model.Model
	data    Data
	trees   map[*model.Expr]expression.Node
	related map[string][]int
	// entities are those that conditions of the request compare.
	entities []*entity
	// quantified are conditions on related rows.
	quantified []*quantified
	// time is what metric_time means for the measure that is looked at.
	time *model.Ref
	// conform are names of the request for dimensions that mean the same.
	conform map[string][]string
	// almanacs are the periods of calendars that were read.
	almanacs map[dialect.Grain]*almanac
	// picks are the rows that are tried where a join leads to several; see some.
	picks *picks
}

func newWorld(m *model.Model, data Data) *world {
	return &world{model: m, data: data, trees: map[*model.Expr]expression.Node{}, related: map[string][]int{}, almanacs: map[dialect.Grain]*almanac{}}
}

func (w *world) table(id model.SourceID) *Table {
	s := w.model.Source(id)
	name := s.Table.Name
	if name == "" {
		name = s.Name
	}
	if t := w.data[name]; t != nil {
		return t
	}
	if found := query().FindStringSubmatch(s.SQL); found != nil {
		t := *w.data[found[1]]
		id := slices.Index(t.Columns, "id")
		t.Rows = slices.DeleteFunc(slices.Clone(t.Rows), func(row []any) bool { return row[id] == 2.0 })
		return &t
	}
	panic("there are no rows of " + name)
}

// query is what a random source is that is some rows of another.
var query = text.Pattern(`^SELECT \* FROM (\w+) WHERE id <> 2$`)

// value is a field of a row; of a row that is not there, every field is NULL.
func (w *world) value(r row, f model.Field) any {
	if r.at < 0 {
		return nil
	}
	column, stored := f.Column, ""
	if f.Dimension != 0 {
		d := w.model.Dimension(f.Dimension)
		column, stored = d.Column, d.ColumnType
		if d.Expr != nil {
			return decode(stored, w.define(d.Expr, func(ref model.Ref) any { return w.follow(r, ref) }))
		}
		if t := declared(d); t != sdk.TypeUnspecified {
			return declaredValue(t, w.value(r, w.bare(f)))
		}
	}
	t := w.table(r.source)
	at := slices.IndexFunc(t.Columns, func(c string) bool { return strings.EqualFold(c, column) })
	if at < 0 {
		panic(fmt.Sprintf("%s has no column %s", w.model.Source(r.source).Name, column))
	}
	return decode(stored, t.Rows[r.at][at])
}

// follow is what a reference of a definition means for a row.
func (w *world) follow(r row, ref model.Ref) any {
	p, err := w.model.Path(r.source, ref)
	if err != nil {
		panic(err) // the model was validated
	}
	return w.value(w.climb(r, p.Steps), ref.Field)
}

// climb goes up joins of which each leads to at most one row.
func (w *world) climb(r row, steps []model.Step) row {
	way := fmt.Sprint(r)
	for _, s := range steps {
		next := row{s.Source(), -1}
		way += fmt.Sprint(" ", s.Join, s.Reversed)
		switch found := w.across(s, r); {
		case s.Down:
			panic("a definition goes down a join")
		case len(found) > 1 && w.picks != nil:
			next.at = found[w.picks.of(way, len(found))]
		case len(found) > 1:
			panic(fmt.Sprintf("row %d of %s leads to %d rows of %s", r.at, w.model.Source(r.source).Name, len(found), w.model.Source(s.To).Name))
		case len(found) == 1:
			next.at = found[0]
		}
		r = next
	}
	return r
}

// across are the rows that a join relates to a row: those with which its
// condition holds.
func (w *world) across(s model.Step, r row) []int {
	if r.at < 0 {
		return nil
	}
	key := fmt.Sprint(s.Join, s.Down, s.Reversed, r)
	if found, ok := w.related[key]; ok {
		return found
	}
	var found []int
	on := w.model.Join(s.Join).On
	w.check(on, w.bare)
	for i := range w.table(s.Source()).Rows {
		here, there := r, row{s.Source(), i}
		if s.Down != s.Reversed { // the other row is of the source that declares the join
			here, there = there, here
		}
		holds := w.define(on, func(ref model.Ref) any {
			if len(ref.Via) > 0 {
				return w.value(there, w.bare(ref.Field))
			}
			return w.value(here, w.bare(ref.Field))
		})
		if holds == true {
			found = append(found, i)
		}
	}
	w.related[key] = found
	return found
}

// define computes a definition; of says what its references mean.
func (w *world) define(e *model.Expr, of func(model.Ref) any) any {
	refs := refsOf(e)
	return env{name: func(n *expression.Name) any { return of(refs[n.String()]) }}.eval(w.tree(e))
}

func refsOf(e *model.Expr) map[string]model.Ref {
	refs := map[string]model.Ref{}
	for _, r := range e.Refs {
		refs[r.Name.String()] = r.Ref
	}
	return refs
}

// tree is a definition with its types.
func (w *world) tree(e *model.Expr) expression.Node {
	return w.check(e, func(f model.Field) model.Field { return f })
}

// check types a definition, whose references mean the fields that of says.
func (w *world) check(e *model.Expr, of func(model.Field) model.Field) expression.Node {
	if n, ok := w.trees[e]; ok {
		return n
	}
	refs := refsOf(e)
	n, err := expression.Check(e.Tree, func(n *expression.Name) (sdk.Type, error) {
		ref := refs[n.String()]
		return w.typeOf(ref.Source, of(ref.Field)), nil
	})
	if err != nil {
		panic(err) // the model was validated
	}
	w.trees[e] = n
	return n
}

// typeOf is the type of a field as far as it is known.
func (w *world) typeOf(source model.SourceID, f model.Field) sdk.Type {
	if f.Dimension == 0 {
		return w.model.Source(source).ColumnType(f.Column)
	}
	d := w.model.Dimension(f.Dimension)
	switch {
	case encoded(d.ColumnType):
		return sdk.TypeTimestamp
	case columnTypes[d.ColumnType] != sdk.TypeUnspecified:
		return columnTypes[d.ColumnType]
	case declared(d) != sdk.TypeUnspecified:
		return declared(d)
	case d.Logical != sdk.TypeUnspecified:
		return d.Logical
	case d.Expr != nil:
		return w.tree(d.Expr).Type()
	case d.Type == model.String:
		return sdk.TypeText
	case d.Type == model.Boolean:
		return sdk.TypeBool
	}
	return sdk.TypeUnspecified
}
