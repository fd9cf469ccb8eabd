package memory

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// SavedQuery is a saved query of a connection, as Impact compares it with a change.
type SavedQuery struct {
	Name string
	// Path of its file in the project.
	Path string
	// Says is its text for people: title, description and constraints.
	Says  string
	Reads []catalog.TableRead
}

// saved adds the saved queries whose text names the target, or whose statement reads what the target is made of. now is
// the semantic layer, next the one after the decision; next may be now.
func (s *Service) saved(ctx context.Context, c *change.Change, now, next *model.Model, out *Impact) error {
	if s.Queries == nil {
		return nil
	}
	all, err := s.Queries(ctx, connection.ID(c.Connection))
	if err != nil {
		return out.lacks(ctx, "the saved queries", err)
	}
	if len(all) == 0 {
		return nil
	}
	made := append(groundOf(now, c.Target), groundOf(next, c.Target)...)
	gone := targetOf(now, c.Target) != nil && targetOf(next, c.Target) == nil
	for i := range all {
		q := &all[i]
		var how []string
		if mentions(q.Says, c.Target) {
			how = append(how, "its text names it")
			if gone && len(out.Faults) < maxFaults {
				out.Faults = append(out.Faults, q.Path+" names "+c.Target+", which is not there any more")
			}
		}
		if at := slices.IndexFunc(made, func(g ground) bool { return g.readBy(q) }); at >= 0 {
			how = append(how, "its statement reads "+made[at].String())
			if c.Kind == change.Measure || c.Kind == change.Segment {
				out.Apart++
			}
		}
		if how != nil {
			out.References = append(out.References, Reference{Kind: string(change.Query), Name: q.Name, Path: q.Path, How: strings.Join(how, "; ")})
		}
	}
	return nil
}

// mentions reports whether a text has a name as a word, in capital or small letters.
func mentions(text, name string) bool {
	text, name = strings.ToLower(text), strings.ToLower(name)
	inside := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	for from := 0; name != ""; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(name):])
		if !inside(before) && before != '.' && !inside(after) {
			return true
		}
		from = at + len(name)
	}
	return false
}

// ground is tables, and columns of one of them, that a target is made of. A statement that reads all of the tables and one
// of the columns computes from the same values.
type ground struct {
	tables  []sdk.TableRef
	columns []string // of the first table; nil = any
}

func (g ground) String() string {
	var all []string
	for _, t := range g.tables {
		all = append(all, t.Name)
	}
	if len(g.columns) > 0 {
		return all[0] + "." + strings.Join(g.columns, ", "+all[0]+".")
	}
	return strings.Join(all, " and ")
}

func (g ground) readBy(q *SavedQuery) bool {
	for i, table := range g.tables {
		at := slices.IndexFunc(q.Reads, func(r catalog.TableRead) bool { return sameTable(r.Table, table) })
		if at < 0 {
			return false
		}
		if read := &q.Reads[at]; i == 0 && g.columns != nil && !read.Any && !slices.ContainsFunc(g.columns, func(c string) bool { return containsFold(read.Columns, c) }) {
			return false
		}
	}
	return len(g.tables) > 0
}

func containsFold(all []string, one string) bool {
	return slices.ContainsFunc(all, func(s string) bool { return strings.EqualFold(s, one) })
}

// sameTable compares two names of tables, of which one may have fewer parts.
func sameTable(a, b sdk.TableRef) bool {
	part := func(a, b string) bool { return a == "" || b == "" || strings.EqualFold(a, b) }
	return strings.EqualFold(a.Name, b.Name) && part(a.Schema, b.Schema) && part(a.Catalog, b.Catalog)
}

// groundOf returns what a target is made of, each of which alone is enough; nil = the model does not have it.
func groundOf(m *model.Model, target string) []ground {
	if from, to, ok := strings.Cut(target, " → "); ok {
		a, b := tableOf(m, from), tableOf(m, to)
		if a == nil || b == nil {
			return nil
		}
		return []ground{{tables: append(a, b...)}}
	}
	t := targetOf(m, target)
	if t == nil {
		if table := tableOf(m, target); table != nil {
			return []ground{{tables: table}}
		}
		return nil
	}
	g := grounds{model: m}
	for _, id := range t.measures {
		g.measure(id, 0)
	}
	for _, id := range t.segments {
		g.fields(m.Segment(id).Expr)
	}
	for _, id := range t.dimensions {
		g.field(t.source, id, "", 0)
	}
	return g.all
}

// tableOf returns the table of a source; nil = there is none.
func tableOf(m *model.Model, name string) []sdk.TableRef {
	source, err := m.FindSource(name)
	if source == nil || err != nil || source.Table.Name == "" {
		return nil
	}
	return []sdk.TableRef{source.Table}
}

// grounds collects what members are made of.
type grounds struct {
	model *model.Model
	all   []ground
}

// maxDeep bounds how far measures and dimensions are followed to those that they use.
const maxDeep = 8

// measure adds the columns that a measure aggregates; of a count of rows its table.
func (g *grounds) measure(id model.MeasureID, deep int) {
	m := g.model.Measure(id)
	if deep > maxDeep {
		return
	}
	for _, used := range m.Uses {
		g.measure(used, deep+1)
	}
	if m.Expr != nil && len(m.Uses) == 0 {
		g.fields(m.Expr)
		return
	}
	if table := g.model.Source(m.Home).Table; len(m.Uses) == 0 && table.Name != "" {
		g.add(table, "")
	}
}

// fields adds the columns of an expression.
func (g *grounds) fields(e *model.Expr) {
	if e == nil {
		return
	}
	for i := range e.Refs {
		g.field(e.Refs[i].Source, e.Refs[i].Dimension, e.Refs[i].Column, 0)
	}
}

// field adds a column, or the columns of a dimension.
func (g *grounds) field(of model.SourceID, id model.DimensionID, column string, deep int) {
	if id != 0 {
		d := g.model.Dimension(id)
		column = d.Column
		if d.Expr != nil && deep < maxDeep {
			for i := range d.Expr.Refs {
				g.field(d.Expr.Refs[i].Source, d.Expr.Refs[i].Dimension, d.Expr.Refs[i].Column, deep+1)
			}
			return
		}
	}
	if table := g.model.Source(of).Table; table.Name != "" && column != "" {
		g.add(table, column)
	}
}

// add adds a column of a table, "" = the table.
func (g *grounds) add(table sdk.TableRef, column string) {
	at := slices.IndexFunc(g.all, func(x ground) bool { return x.tables[0] == table && (x.columns == nil) == (column == "") })
	switch {
	case at < 0 && column == "":
		g.all = append(g.all, ground{tables: []sdk.TableRef{table}})
	case at < 0:
		g.all = append(g.all, ground{[]sdk.TableRef{table}, []string{column}})
	case column != "" && !slices.Contains(g.all[at].columns, column):
		g.all[at].columns = append(g.all[at].columns, column)
	}
}
