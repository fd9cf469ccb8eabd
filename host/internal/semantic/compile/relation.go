package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// relation is the home with what is joined to it, and a column for every mark.
func (s *rowset) relation() plan.Relation {
	r := s.joined(0, s.nodes[0].scan)
	for _, b := range s.beside {
		b.L, r = r, &b.Join
	}
	for _, m := range s.marks {
		r = s.marked(r, m)
	}
	if s.only != nil {
		j := *s.only
		j.L = r
		return &j
	}
	return r
}

// where is the relation of the rows that satisfy all of some conditions.
func (s *rowset) where(all []expression.Node) plan.Relation {
	rel, cond := s.relation(), expression.Conjoin(all...)
	plan.Tighten(rel, cond)
	rel = plan.InnerFirst(rel)
	if cond == nil {
		return rel
	}
	return &plan.Filter{In: rel, Cond: cond}
}

// joined adds the rows of a scope to a relation.
func (s *rowset) joined(scope int, r plan.Relation) plan.Relation {
	for i := range s.nodes {
		n := &s.nodes[i]
		if i == 0 || n.scope != scope || plan.Relation(n.scan) == r {
			continue
		}
		kind, must := plan.Left, n.inner
		if scope > 0 {
			must = n.step.Down
		}
		if must {
			kind = plan.Inner
		}
		if s.outside(n) {
			r = &plan.Join{L: r, R: n.scan, Kind: plan.Cross}
			continue
		}
		r = &plan.Join{L: r, R: n.scan, Kind: kind, On: n.on, ToOne: !n.step.Down, Total: n.step.Total && !n.step.Down}
	}
	return r
}

// marked adds the mark of a scope.
func (s *rowset) marked(r plan.Relation, m mark) plan.Relation {
	at := s.first(m.scope)
	var on []expression.Node
	for i := range s.nodes {
		if n := &s.nodes[i]; n.scope == m.scope && s.outside(n) {
			on = append(on, n.on)
		}
	}
	related := s.joined(m.scope, s.nodes[at].scan)
	plan.Tighten(related, nil)
	return &plan.Join{L: r, R: related, Kind: plan.Mark, On: expression.Conjoin(append(on, m.on)...), Mark: m.Column}
}

// first is the first row of a scope, -1 = it has none.
func (s *rowset) first(scope int) int {
	return slices.IndexFunc(s.nodes, func(n row) bool { return n.scope == scope })
}

// outside reports whether a row of an EXISTS is joined by one that is outside of it.
func (s *rowset) outside(n *row) bool {
	return n.scope > 0 && s.nodes[n.parent].scope != n.scope
}

// scope returns the number of the EXISTS that has conditions: equal ones have one.
func (c *compiler) scope(home model.SourceID, all []formula) int {
	var key strings.Builder
	fmt.Fprintf(&key, "%d", home)
	for _, f := range all {
		fmt.Fprintf(&key, "|%d %s", f.source, expression.String(f.tree))
	}
	known, ok := c.scopes[key.String()]
	if !ok {
		known = len(c.scopes) + 1
		c.scopes[key.String()] = known
	}
	return known
}

// exists is the condition that rows of a scope satisfy others. Nothing may be joined
// in the scope afterwards.
func (s *rowset) exists(scope int, conditions []expression.Node) (expression.Node, error) {
	on := expression.Conjoin(conditions...)
	if s.c.has(dialect.Nullable) && slices.ContainsFunc(expression.Conjuncts(on), func(t expression.Node) bool { return s.losesNull(scope, t) }) {
		return nil, unsupported(s.c.d.Name, "a condition that mixes fields of related rows with others, other than comparing two,", "write its parts as filters of their own")
	}
	m := mark{scope: scope, on: on}
	first := s.first(scope)
	key := markKey{s.nodes[first].scan, expression.String(on)}
	known, ok := s.c.marks[key]
	if !ok {
		known = s.c.column("related", sdk.TypeBool)
		s.c.marks[key] = known
	}
	m.Column = known
	s.marks = append(s.marks, m)
	c := expression.NewColumn(m.ID, sdk.TypeBool)
	c.Condition = true
	return c, nil
}

// noteExists notes that conditions of the request became an EXISTS.
func (s *rowset) noteExists(scope int, all []formula) {
	var written []string
	for _, f := range all {
		if f.expr == nil {
			written = append(written, f.written)
		}
	}
	if len(written) == 0 {
		return
	}
	first := s.first(scope)
	s.c.note(fmt.Sprintf("exists: a row of %s counts when some row of %s satisfies %s, whatever its other rows are",
		s.c.m.Source(s.nodes[0].source).Name, s.c.m.Source(s.nodes[first].source).Name, refusal.Listed(written)))
}

// markKey tells EXISTS apart: those of one have the same rows and condition.
type markKey struct {
	scan *plan.Scan
	on   string
}

// losesNull reports whether a condition of an EXISTS could hold where something of
// the rows outside is NULL. An engine whose joins need dialect.Nullable brings the
// two together by what is equal, and NULL is not: it would lose those rows.
func (s *rowset) losesNull(scope int, term expression.Node) bool {
	here := s.within(scope)
	outside := expression.AnyColumn(term, func(c *expression.Column) bool { return !here(c) })
	return outside && !plan.Strict(term)
}

// within tells the columns of a scope's rows.
func (s *rowset) within(scope int) func(*expression.Column) bool {
	return func(c *expression.Column) bool {
		return slices.ContainsFunc(s.nodes, func(r row) bool {
			return r.scope == scope && slices.ContainsFunc(r.scan.Fields, func(f plan.Field) bool { return f.ID == c.ID })
		})
	}
}

// scan is what a source reads.
func (c *compiler) scan(id model.SourceID) (*plan.Scan, error) {
	s := c.m.Source(id)
	c.used = append(c.used, id)
	t := plan.Table{Name: s.Name, Query: s.SQL}
	if s.SQL != "" {
		if c.d.TopLevelWith && c.startsWith(s.SQL) {
			return nil, unsupported(c.d.Name, "the source "+s.Name+", whose query starts with WITH,", "make a view of it, or write its CTEs as subqueries").About(s.Name)
		}
		return &plan.Scan{Table: t}, nil
	}
	tables := c.d.FoldingOfTables()
	if s.Table.Catalog != "" && len(c.d.Namespace) > 1 {
		t.Path = append(t.Path, stored(s, s.Table.Catalog, tables))
	}
	if s.Table.Schema != "" {
		t.Path = append(t.Path, stored(s, s.Table.Schema, tables))
	}
	t.Path = append(t.Path, stored(s, s.Table.Name, tables))
	scan := &plan.Scan{Table: t}
	var key []string
	for _, f := range s.Grain {
		column := f.Column
		if f.Dimension != 0 {
			d := c.m.Dimension(f.Dimension)
			if d.Expr != nil {
				return scan, nil // a computed key is no field
			}
			column = d.Column
		}
		key = append(key, stored(s, column, c.d.Folding))
	}
	if key != nil {
		scan.Unique = [][]string{key}
	}
	return scan, nil
}

// stored is a name as the warehouse has it: that of a source without a scan is as the
// engine reads it without quotes.
func stored(s *model.Source, name string, by dialect.Folding) string {
	if !s.Scanned && by == dialect.FoldUpper && name == strings.ToLower(name) {
		return strings.ToUpper(name)
	}
	return name
}

func (c *compiler) startsWith(sql string) bool {
	tokens, err := c.d.Tokens(sql, nil)
	return err != nil || len(tokens) > 0 && tokens[0].IsWord(sql, "WITH")
}
