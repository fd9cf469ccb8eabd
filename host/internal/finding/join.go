package finding

import (
	"context"
	"strings"
	"unicode"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/statement"
)

// joins reports equalities of columns that identify rows of different tables.
func (r *reading) joins(ctx context.Context) {
	var l *links
	for _, b := range r.statement.Blocks {
		if len(b.Joins) > 0 && l == nil {
			if l = r.service.linksOf(ctx, r.warehouse.ID, r.schema.snapshot); l == nil {
				return
			}
		}
		known := r.known(l, b)
		for i := range b.Joins {
			if j := &b.Joins[i]; !r.full() && !known[relations(j)] {
				r.join(ctx, l, j)
			}
		}
	}
}

// known returns the pairs of relations that a block connects in a known way: a further equality
// of their columns is one more condition.
func (r *reading) known(l *links, b *statement.Block) map[[2]*statement.Relation]bool {
	known := map[[2]*statement.Relation]bool{}
	for i := range b.Joins {
		j := &b.Joins[i]
		left, right := r.side(j.Left), r.side(j.Right)
		if left != nil && right != nil && l.connected(left.table, left.column, right.table, right.column) {
			known[relations(j)] = true
		}
	}
	return known
}

// relations returns those of an equality in the order of the text.
func relations(j *statement.Join) [2]*statement.Relation {
	if j.Right.Relation.Start < j.Left.Relation.Start {
		return [2]*statement.Relation{j.Right.Relation, j.Left.Relation}
	}
	return [2]*statement.Relation{j.Left.Relation, j.Right.Relation}
}

// side is a column of a join.
type side struct {
	*table
	column string
}

func (s *side) String() string { return s.name(s.column) }

func (r *reading) side(c *statement.Column) *side {
	t, column := r.schema.column(c)
	if t == nil {
		return nil
	}
	return &side{t, column.Name}
}

// join reports one equality, if it is certain that it is not meant: both columns identify rows,
// each of another table.
func (r *reading) join(ctx context.Context, l *links, j *statement.Join) {
	left, right := r.side(j.Left), r.side(j.Right)
	if left == nil || right == nil || left.position == right.position && left.column == right.column ||
		l.connected(left.table, left.column, right.table, right.column) ||
		!l.identifies(left.table, left.column) || !l.identifies(right.table, right.column) {
		return
	}
	evidence, suggestion := r.meant(ctx, l, left, right)
	if suggestion == "" || r.modelled(ctx, left, right) || r.recorded(ctx, left, right) {
		return
	}
	r.add(Finding{
		Code:     JoinNotKnown,
		Message:  "No relationship and no recorded statement connects " + left.String() + " with " + right.String() + ".",
		Evidence: evidence, Suggestion: suggestion,
	}, j.At)
}

// meant returns what is known in place of an equality; "" = nothing.
func (r *reading) meant(ctx context.Context, l *links, left, right *side) (evidence, suggestion string) {
	if known := l.between(ctx, left.table, right.table); len(known) > 0 {
		best := preferred(known, left, right)
		return provenance(best) + " connects the tables by other columns.", "Join on " + condition(r.schema.snapshot, &best.Link) + "."
	}
	for _, ends := range [][2]*side{{left, right}, {right, left}} {
		from, other := ends[0], ends[1]
		key := l.from(ctx, from.table, from.column)
		if _, known := l.class(other.table, other.column); key == nil || !known || mentions(from.column, other.Name) || alikeNamed(key, from, other) {
			continue
		}
		return provenance(key) + " says that " + from.String() + " refers to " + catalog.Display(key.To) + ".",
			"Join on " + condition(r.schema.snapshot, &key.Link) + "."
	}
	return "", ""
}

// preferred returns the relationship that has a column of the equality, else the first.
func preferred(known []relationship.Relationship, left, right *side) *relationship.Relationship {
	for i := range known {
		for _, s := range []*side{left, right} {
			if known[i].From == s.TableRef && len(known[i].Columns) == 1 && known[i].Columns[0] == s.column {
				return &known[i]
			}
		}
	}
	return &known[0]
}

// provenance says who knows a relationship.
func provenance(r *relationship.Relationship) string {
	switch r.Origin {
	case relationship.Declared:
		return "A foreign key of the warehouse"
	case relationship.Inferred:
		return "A relationship that the scan found"
	}
	return "A relationship that a person accepted"
}

// mentions reports whether the name of a column has a word of the name of a table: then it may
// be a copy of what the column refers to.
func mentions(column, table string) bool {
	table = strings.ToLower(table)
	for _, word := range strings.FieldsFunc(column, func(c rune) bool { return !unicode.IsLetter(c) }) {
		if word = strings.ToLower(word); len(word) > 3 && strings.Contains(table, strings.TrimSuffix(strings.TrimSuffix(word, "s"), "id")) {
			return true
		}
	}
	return false
}

// general are names of keys that say nothing about what they are keys of.
var general = map[string]bool{"id": true, "key": true, "code": true, "no": true, "nr": true, "number": true, "name": true, "uuid": true, "guid": true, "pk": true, "sk": true}

// alikeNamed reports whether a column is named like a foreign key or like what that refers to, as the keys of several
// calendars are: then both may be of one kind.
func alikeNamed(key *relationship.Relationship, from, other *side) bool {
	name := strings.ToLower(other.column)
	return name == strings.ToLower(from.column) || len(key.ToColumns) == 1 && name == strings.ToLower(key.ToColumns[0]) && !general[name]
}

// modelled reports whether a join of the semantic layer equates two columns. Without the layer
// that is not known, and true.
func (r *reading) modelled(ctx context.Context, left, right *side) bool {
	state := r.model(ctx)
	if state == nil {
		return true
	}
	for _, s := range sourcesOf(state.Model, left.table, right.table) {
		for i := range s.Joins {
			join := &s.Joins[i]
			to := state.Model.Source(join.To)
			for _, p := range join.Equal {
				from, other := fieldColumn(state.Model, p.From), fieldColumn(state.Model, p.To)
				if s.Table == left.TableRef && from == left.column && to.Table == right.TableRef && other == right.column ||
					s.Table == right.TableRef && from == right.column && to.Table == left.TableRef && other == left.column {
					return true
				}
			}
		}
	}
	return false
}

// sourcesOf returns the sources of tables, with their members.
func sourcesOf(m *model.Model, tables ...*table) (all []*model.Source) {
	for s := range m.Outlines() {
		for _, t := range tables {
			if s.SQL == "" && s.Table == t.TableRef {
				all = append(all, m.Source(s.ID))
				break
			}
		}
	}
	return all
}

// fieldColumn returns the physical column of a field; "" = it is computed.
func fieldColumn(m *model.Model, f model.Field) string {
	if f.Dimension != 0 {
		return m.Dimension(f.Dimension).Column
	}
	return f.Column
}
