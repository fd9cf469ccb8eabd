package compile

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// newScope returns the number of an EXISTS that no row stands in yet.
func (s *rowset) newScope() int {
	s.scopes++
	return s.scopes
}

// exists writes that rows of a scope satisfy conditions. Nothing may be joined in
// the scope afterwards.
func (s *rowset) exists(scope int, conditions []expression.Node) (expression.Node, error) {
	if s.c.d.Forms[dialect.Nullable] != "" && slices.ContainsFunc(expression.Conjuncts(expression.Conjoin(conditions...)), func(t expression.Node) bool { return s.losesNull(scope, t) }) {
		return nil, unsupported(s.c.d.Name, "a condition that mixes fields of related rows with others, other than comparing two,", "write its parts as filters of their own")
	}
	var b strings.Builder
	var on []expression.Node
	first := true
	for i := range s.nodes {
		r := &s.nodes[i]
		if r.scope != scope {
			continue
		}
		if first {
			on = append(on, r.on)
			table, err := s.table(i)
			if err != nil {
				return nil, err
			}
			b.WriteString(table)
			first = false
			continue
		}
		if err := s.join(&b, i, r.step.Down); err != nil {
			return nil, err
		}
	}
	where, err := s.c.print.Predicate(expression.Conjoin(append(on, conditions...)...))
	if err != nil {
		return nil, err
	}
	return s.c.verbatim("EXISTS (SELECT 1 FROM " + b.String() + " WHERE " + where + ")"), nil
}

// losesNull reports whether a condition of an EXISTS could hold where something of
// the rows outside is NULL. An engine whose joins need dialect.Nullable brings the
// two together by what is equal, and NULL is not: it would lose those rows.
func (s *rowset) losesNull(scope int, term expression.Node) bool {
	outside := slices.ContainsFunc(expression.Names(term), func(n *expression.Name) bool {
		return !slices.ContainsFunc(s.nodes, func(r row) bool {
			return r.scope == scope && strings.HasPrefix(n.Parts[0], s.c.d.QuoteIdentifier(r.alias)+".")
		})
	})
	return outside && !everyStrict(term)
}

// everyStrict reports whether an expression is NULL when any of its names is.
func everyStrict(n expression.Node) bool {
	switch n := n.(type) {
	case *expression.Name, *expression.Literal:
		return true
	case *expression.Unary:
		return everyStrict(n.X)
	case *expression.Binary:
		nullSafe := n.Op == expression.Distinct || n.Op == expression.NotDistinct
		return !nullSafe && everyStrict(n.Left) && everyStrict(n.Right)
	}
	return false
}

// verbatim is a condition as SQL.
func (c *compiler) verbatim(sql string) expression.Node {
	return &expression.Native{Dialect: c.d.Name, Text: sql, Parts: []expression.NativePart{{SQL: sql}}}
}

// from writes the home and what is joined to it.
func (s *rowset) from() (string, error) {
	var b strings.Builder
	table, err := s.table(0)
	if err != nil {
		return "", err
	}
	b.WriteString(table)
	for i := 1; i < len(s.nodes); i++ {
		if s.nodes[i].scope == 0 {
			if err := s.join(&b, i, s.nodes[i].inner); err != nil {
				return "", err
			}
		}
	}
	for _, e := range s.entities {
		b.WriteString(" LEFT JOIN " + e.name + s.c.suffix + " AS " + e.name + " ON " + e.on)
	}
	return b.String(), nil
}

func (s *rowset) join(b *strings.Builder, i int, inner bool) error {
	table, err := s.table(i)
	if err != nil {
		return err
	}
	on, err := s.c.print.Predicate(s.nodes[i].on)
	if err != nil {
		return err
	}
	how := " LEFT JOIN "
	if inner {
		how = " JOIN "
	}
	b.WriteString(how + table + " ON " + on)
	return nil
}

// table writes a row's source under its alias.
func (s *rowset) table(i int) (string, error) {
	r := s.nodes[i]
	src := s.c.m.Source(r.source)
	alias := s.c.d.QuoteIdentifier(r.alias)
	text, err := s.c.relation(src)
	if err != nil {
		return "", err
	}
	if form := s.c.d.Forms[dialect.Nullable]; i == 0 || form == "" {
		return text + " AS " + alias, nil
	}
	// What an outer join leaves open is NULL only where the columns can be.
	columns := make([]string, 0, len(r.columns))
	for _, name := range r.columns {
		q := s.c.d.QuoteIdentifier(name)
		x, ok := s.c.d.Expand(dialect.Nullable, map[string]string{"x": alias + "." + q})
		if !ok {
			return "", unsupported(s.c.d.Name, "an outer join", "ask for fields of "+s.c.m.Source(s.nodes[0].source).Name)
		}
		columns = append(columns, x+" AS "+q)
	}
	return "(SELECT " + strings.Join(columns, ", ") + " FROM " + text + " AS " + alias + ") AS " + alias, nil
}

// relation writes what a source reads.
func (c *compiler) relation(s *model.Source) (string, error) {
	if s.SQL != "" {
		if c.d.TopLevelWith && c.startsWith(s.SQL) {
			return "", unsupported(c.d.Name, "the source "+s.Name+", whose query starts with WITH,", "make a view of it, or write its CTEs as subqueries").about(s.Name)
		}
		return "(" + s.SQL + "\n)", nil // a line comment may end it
	}
	var parts []string
	name := func(n string) string {
		if !s.Scanned && c.d.Folding == dialect.FoldUpper && n == strings.ToLower(n) {
			n = strings.ToUpper(n)
		}
		return c.d.QuoteIdentifier(n)
	}
	if s.Table.Catalog != "" && len(c.d.Namespace) > 1 {
		parts = append(parts, name(s.Table.Catalog))
	}
	if s.Table.Schema != "" {
		parts = append(parts, name(s.Table.Schema))
	}
	return strings.Join(append(parts, name(s.Table.Name)), "."), nil
}

func (c *compiler) startsWith(sql string) bool {
	tokens, err := c.d.Tokens(sql, nil)
	return err != nil || len(tokens) > 0 && tokens[0].IsWord(sql, "WITH")
}

// unreserved is a suffix that no table of the request gives a stage's name.
func (c *compiler) unreserved() string {
	taken := map[string]bool{}
	c.tables(taken)
	suffix := ""
	for slices.ContainsFunc(c.stageNames(suffix), func(name string) bool { return taken[name] }) {
		suffix += "_"
	}
	return suffix
}

// tables collects what tables could be called in the statement.
func (c *compiler) tables(taken map[string]bool) {
	for _, l := range c.legs {
		for _, r := range l.rows.nodes {
			src := c.m.Source(r.source)
			taken[strings.ToLower(src.Table.Name)] = true
			tokens, err := c.d.Tokens(src.SQL, nil)
			if err != nil {
				tokens = nil // the guard refuses the statement
			}
			for _, t := range tokens {
				if t.Kind == dialect.TokenWord || t.Kind == dialect.TokenQuoted {
					taken[strings.ToLower(c.d.Unquote(src.SQL, t))] = true
				}
			}
		}
	}
	for _, e := range c.entities {
		e.sub.tables(taken)
	}
}

func (c *compiler) stageNames(suffix string) []string {
	names := []string{"u" + suffix, "s" + suffix, "w" + suffix, "g" + suffix}
	for _, l := range c.legs {
		for _, stage := range []string{"", "x", "p", "j"} {
			names = append(names, l.name+suffix+stage)
		}
	}
	for _, e := range c.entities {
		names = append(append(names, e.name+suffix), e.sub.stageNames("_"+e.name+suffix)...)
	}
	return names
}

// null writes a NULL of the type of a base's values.
func (c *compiler) null(b *base, leg string) (string, error) { return c.nullLike(b.typ, b.name, leg) }

// nullOf writes a NULL of the type of a dimension.
func (c *compiler) nullOf(d *dimension) (string, error) {
	if d.typ != sdk.TypeUnspecified {
		return c.print.Value(&expression.Cast{X: expression.Null(), To: d.typ})
	}
	for i := range c.dims {
		for _, l := range c.legs {
			if c.dims[i] == d && l.dims[i] != nil {
				return "(SELECT MAX(" + d.column + ") FROM " + l.name + " WHERE 1 = 0)", nil
			}
		}
	}
	return "NULL", nil
}

// stitched reports whether groups come from more than one place.
func (c *compiler) stitched() bool { return len(c.legs) > 1 || c.r.FillGaps }
