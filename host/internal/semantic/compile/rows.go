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

// rowset is the rows of a home with what is joined to them.
type rowset struct {
	c     *compiler
	nodes []row // nodes[0] is the home
	// marks say of rows of a scope whether there are some.
	marks []mark
	// beside are joined after the sources, and multiply no rows.
	beside []beside
	// only joins the groups whose rows count; nil = all.
	only *plan.Join
}

// row is a source in a rowset, under an alias of its own.
type row struct {
	source model.SourceID
	alias  string
	// parent leads here by step; -1 at the home.
	parent int
	step   model.Step
	on     expression.Node
	// scope is the EXISTS that the row stands in, 0 = it is joined.
	scope int
	// inner: the row must be there, for a filter is about it.
	inner bool
	scan  *plan.Scan
}

// beside joins what a row has one of and no source has: the value of its entity, the day
// of a calendar, the ends of a range.
type beside struct {
	of any // comparable: equal ones are one
	plan.Join
}

// join joins what is beside the rows once, and returns it.
func (s *rowset) join(of any, made func() plan.Join) plan.Relation {
	at := slices.IndexFunc(s.beside, func(b beside) bool { return b.of == of })
	if at < 0 {
		at = len(s.beside)
		s.beside = append(s.beside, beside{of, made()})
	}
	return s.beside[at].R
}

// way is how a row is reached; of a home, from is nil.
type way struct {
	home  model.SourceID
	from  *plan.Scan
	edge  *model.Edge
	down  bool
	scope int
}

// mark is an EXISTS: rows of a scope that satisfy a condition.
type mark struct {
	plan.Column
	scope int
	on    expression.Node
}

func (c *compiler) newRows(home model.SourceID) (*rowset, error) {
	s := &rowset{c: c}
	if err := c.usable(home); err != nil {
		return nil, err
	}
	scan, err := s.scan(way{home: home}, home)
	if err != nil {
		return nil, err
	}
	s.nodes = append(s.nodes, row{source: home, parent: -1, alias: s.alias(home), scan: scan})
	return s, nil
}

func (c *compiler) usable(id model.SourceID) error {
	if s := c.m.Source(id); s.Broken != "" {
		return refusal.New(refusal.CodeBroken, "the source %s cannot be used: %s", s.Name, s.Broken).About(s.Name)
	}
	return nil
}

// clone returns a copy that may be joined to on its own.
func (s *rowset) clone() *rowset {
	return &rowset{c: s.c, marks: slices.Clone(s.marks), beside: slices.Clone(s.beside), nodes: slices.Clone(s.nodes), only: s.only}
}

// alias returns the name of a source that no row has yet.
func (s *rowset) alias(id model.SourceID) string {
	name := s.c.m.Source(id).Name
	if most := s.c.d.MaxIdentifierBytes; most > 0 && len(name) > most-4 {
		name = "t"
	}
	taken := func(name string) bool {
		return slices.ContainsFunc(s.nodes, func(r row) bool { return strings.EqualFold(r.alias, name) })
	}
	alias := name
	for i := 2; taken(alias); i++ {
		alias = fmt.Sprintf("%s_%d", name, i)
	}
	return alias
}

// place is where an expression stands that rows are joined for.
type place struct {
	// scope is the EXISTS, 0 = among the rows.
	scope int
	// down: it may be about rows of which there are several for each of the home.
	down bool
	// inner: these rows must be there.
	inner bool
	// several: a step up that leads to several rows is one of the EXISTS.
	several bool
	use     use // "" = filterBy
}

// follow joins the rows that steps lead to from one, and returns the last. A step
// up from a joined row is joined, for it adds no rows.
func (s *rowset) follow(at int, steps []model.Step, p place) (int, error) {
	for _, step := range steps {
		scope := s.nodes[at].scope
		if step.Down || p.several && step.Repeats {
			scope = p.scope
		}
		next := slices.IndexFunc(s.nodes, func(r row) bool {
			return r.parent == at && r.step.Edge == step.Edge && r.step.Down == step.Down && r.scope == scope
		})
		if next < 0 {
			if err := s.c.usable(step.Source()); err != nil {
				return 0, err
			}
			scan, err := s.scan(way{from: s.nodes[at].scan, edge: step.Edge, down: step.Down, scope: scope}, step.Source())
			if err != nil {
				return 0, err
			}
			next = len(s.nodes)
			s.nodes = append(s.nodes, row{source: step.Source(), parent: at, step: step, scope: scope, alias: s.alias(step.Source()), scan: scan})
			on, err := s.joinedBy(next)
			if err != nil {
				return 0, err
			}
			if len(s.nodes) > next+1 {
				return 0, refusal.New(refusal.CodeNotSupported, "the join from %s to %s is on a dimension that needs joins itself", s.c.m.Source(step.From).Name, s.c.m.Source(step.To).Name).
					Advise("join on columns")
			}
			s.nodes[next].on = on
		}
		if step.Down && p.inner {
			s.nodes[next].inner = true
		}
		at = next
	}
	return at, nil
}

// joinedBy is the condition that a row is joined by.
func (s *rowset) joinedBy(at int) (expression.Node, error) {
	r := s.nodes[at]
	from, to := r.parent, at
	if r.step.Down {
		from, to = at, r.parent
	}
	if r.step.Reversed {
		from, to = to, from
	}
	j := s.c.m.Join(r.step.Join)
	return expression.Substitute(j.On.Tree, func(n *expression.Name) (expression.Node, error) {
		ref, _ := j.On.Ref(n)
		side := from
		if len(ref.Via) > 0 {
			side = to
		}
		if d := ref.Dimension; d != 0 && conversion(s.c.m.Dimension(d)) != sdk.TypeUnspecified {
			return s.column(side, s.c.m.Dimension(d).Column, s.c.m.Dimension(d).Logical), nil // a join relates columns
		}
		return s.field(side, ref.Field)
	})
}

// field is the value of a field of a row.
func (s *rowset) field(at int, f model.Field) (expression.Node, error) {
	if f.Dimension != 0 {
		return s.dimension(at, f.Dimension)
	}
	return s.column(at, f.Column, s.c.m.Source(s.nodes[at].source).ColumnType(f.Column)), nil
}

// scan is the table of the rows that a way leads to. Equal ways of a request have
// one, so that equal rows of two branches are known to be equal.
func (s *rowset) scan(by way, source model.SourceID) (*plan.Scan, error) {
	if known, ok := s.c.scans[by]; ok {
		return known, nil
	}
	scan, err := s.c.scan(source)
	if err == nil {
		s.c.scans[by] = scan
	}
	return scan, err
}

// column is a column of a row, or a field of a record in one.
func (s *rowset) column(at int, name string, t sdk.Type) expression.Node {
	source, scan := s.c.m.Source(s.nodes[at].source), s.nodes[at].scan
	path := source.ColumnPath(name)
	if path == nil {
		return expression.NewColumn(scan.Field(s.c.numbers, stored(source, name, s.c.d.Folding)).ID, t)
	}
	var value expression.Node = expression.NewColumn(scan.Field(s.c.numbers, path[0]).ID, sdk.TypeNestedJSON)
	for i, field := range path[1:] {
		typ := sdk.TypeNestedJSON
		if i == len(path)-2 {
			typ = t
		}
		value = expression.NewForm(dialect.NestedField, value, typ, map[string]string{"field": s.c.d.QuoteIdentifier(field)})
	}
	return value
}

// dimension is the value of a dimension of a row, in the type that queries see.
func (s *rowset) dimension(at int, id model.DimensionID) (expression.Node, error) {
	d := s.c.m.Dimension(id)
	if d.Broken != "" {
		return nil, refusal.New(refusal.CodeBroken, "%s cannot be used: %s", s.c.dimensionName(id), d.Broken).About(s.c.dimensionName(id))
	}
	t := s.c.typeOf(id)
	var value expression.Node
	if to := conversion(d); to != sdk.TypeUnspecified {
		return expression.Check(&expression.Cast{X: s.column(at, d.Column, d.Logical), To: to}, ownType)
	}
	if d.Expr == nil {
		value = s.column(at, d.Column, t)
	} else {
		var err error
		if value, err = s.bind(at, d.Expr, place{}); err != nil {
			return nil, err
		}
		value = s.ofRow(at, value)
	}
	form, converted := storageForms[d.ColumnType]
	if !converted {
		if d.Expr != nil {
			return expression.As(value, t), nil
		}
		return value, nil
	}
	if !s.c.has(form) {
		return nil, unsupported(s.c.d.Name, "reading "+s.c.dimensionName(id)+", a time stored as "+d.ColumnType+",",
			"define it with an expr that makes a timestamp in the engine's own SQL").About(s.c.dimensionName(id))
	}
	return expression.NewForm(form, value, sdk.TypeTimestamp, nil), nil
}

// storageForms read times that are stored as something else.
var storageForms = map[string]dialect.Form{"epoch_s": dialect.EpochSeconds, "epoch_ms": dialect.EpochMillis, "text_iso": dialect.TextISO}

// bind puts what the names of a definition mean in their place, seen from a row.
func (s *rowset) bind(at int, e *model.Expr, p place) (expression.Node, error) {
	tree, err := expression.Substitute(e.Tree, func(n *expression.Name) (expression.Node, error) {
		ref, ok := e.Ref(n)
		if !ok {
			return nil, refusal.New(refusal.CodeInternal, "a name of the definition %s has no meaning", refusal.Quote(e.Value))
		}
		return s.value(at, ref, p)
	})
	if err != nil {
		return nil, err
	}
	checked, err := expression.Check(tree, ownType)
	if err != nil {
		return nil, refusal.New(refusal.CodeBroken, "the definition %s cannot be used: %s", refusal.Quote(e.Value), refusal.From(err).Message).Advise("mend the definition").Because(err)
	}
	return checked, nil
}

// value is what a reference of a definition means, seen from a row.
func (s *rowset) value(at int, ref model.Ref, p place) (expression.Node, error) {
	path, err := s.c.m.Path(s.nodes[at].source, ref)
	if err != nil {
		return nil, refusal.Lookup(err, s.c.refName(ref))
	}
	if !path.ToOne() && (at != 0 || !p.down) {
		return nil, refusal.New(refusal.CodeNoCommonGrain, "a definition of %s uses %s, of which there are several for each row", s.c.m.Source(path.Home).Name, s.c.refName(ref)).
			About(s.c.refName(ref)).Advise("make it a measure of %s", s.c.m.Source(ref.Source).Name)
	}
	end, err := s.follow(at, path.Steps, p)
	if err != nil {
		return nil, err
	}
	return s.field(end, ref.Field)
}

// ofRow makes a value of a row NULL where there is no such row: a definition may
// have a value for NULLs, but an orphan has none.
func (s *rowset) ofRow(at int, value expression.Node) expression.Node {
	if at == 0 || strict(value) {
		return value
	}
	return &expression.Case{Whens: []expression.When{{Condition: s.nodes[at].on, Result: value}}}
}

// strict reports whether an expression is NULL when all of its columns are.
func strict(n expression.Node) bool {
	return strictIn(n, func(*expression.Column) bool { return true })
}
