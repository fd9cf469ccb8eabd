package model

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
)

// Query is the query of a source with the columns that its engine reports.
// Shape: columns in the engine's order, each name once.
type Query struct {
	// SQL as Source.SQL has it.
	SQL     string
	Columns []Column
}

func (q *Query) hash() Hash {
	h := sha256.New()
	if err := json.NewEncoder(h).Encode(q); err != nil {
		panic(err) // texts and numbers only
	}
	return Hash(h.Sum(nil)[:len(Hash{})])
}

// Undescribed returns the sources among these whose query has unknown columns; nil =
// all sources.
func (m *Model) Undescribed(of []SourceID) (all []*Source) {
	if of == nil {
		of = m.order
	}
	for _, id := range of {
		if s := m.sources[id]; s != nil && s.SQL != "" && s.Broken == "" && s.draft.group.query == nil && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// SQLText returns the query of a source and the file that has it.
func (m *Model) SQLText(s *Source) (file string, t Text) {
	l := s.draft.group.definition()
	return l.File.Path, l.Def.SQL
}

// Named returns the sources that the qualifier of a reference may name, seen from a
// home, whether or not they have such a member.
func (m *Model) Named(home SourceID, parts ...string) (all []SourceID) {
	for _, t := range m.targets(m.sources[home], parts[:len(parts)-1]) {
		all = append(all, t.source)
	}
	return all
}

// describe finds the query of each source among those that were described.
func (g *grouping) describe(all []*Query) {
	if len(all) == 0 {
		return
	}
	known := make(map[string]*Query, len(all))
	for _, q := range all {
		known[q.SQL] = q
	}
	for _, c := range g.groups {
		if l := c.definition(); c.table == nil && l != nil && l.Def.SQL.Value != "" {
			c.query = known[body(l.Def.SQL.Value, g.dialect)]
		}
	}
}

// complete gives the dimensions of a query the types that its columns have, and adds
// a dimension for each column that no file declares. No name means another thing
// because of it: a column that only the engine names answers to its full name alone.
func (r *draft) complete(q *Query) {
	if q == nil {
		return
	}
	r.table = q.hash()
	taken := make(map[*Column]bool, len(q.Columns))
	for i := range r.dims {
		m := &r.dims[i]
		c, ok := columnOf(q.Columns, m.Name.Value)
		switch {
		case ok && m.Computed != nil:
			m.beside = true
		case ok:
			m.column = c
			if m.Type == AnyType {
				m.edit().Type = typeOf(c.Type)
			}
		case m.Computed == nil && m.Broken == "":
			near := r.guesses.near(m.Name.Value, columnsNamed(q.Columns))
			m.edit().Broken = r.problem(m.file, under("dimensions", m.Name.Value), m.Name, near, "the query of %s gives no column %s%s", r.name, m.Name.Value, didYouMean(near))
		}
		taken[c] = true
	}
	for i := range q.Columns {
		if c := &q.Columns[i]; !taken[c] {
			d := &DimensionDef{Name: Text{Value: c.Name}, Type: typeOf(c.Type)}
			r.dims = append(r.dims, dimension{DimensionDef: d, edited: true, column: c, described: true})
		}
	}
}

func columnsNamed(all []Column) []string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	return names
}

// known reports whether all columns are known.
func (r *draft) known() bool { return r.scanned() || r.group.query != nil }

// declares reports whether a file or a scan names a dimension.
func (r *draft) declares(name string) bool {
	at := r.find(name, isDimension)
	return at >= 0 && !r.dims[at].described
}

// columns are those that a scan found or the engine gives a query; nil = not known.
func (g *group) columns() []Column {
	if g.query != nil {
		return g.query.Columns
	}
	return g.table.columns()
}

// unlessDescribed leaves out the dimensions of columns that only the engine names.
func (m *Model) unlessDescribed(all []Member) []Member {
	return slices.DeleteFunc(all, func(f Member) bool {
		return f.Dimension != 0 && m.sources[f.Dimension.Source()].full().dims[place(f.Dimension)].described
	})
}
