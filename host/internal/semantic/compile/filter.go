package compile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// conditions reads a filter of the request and splits it at its top-level ANDs.
func (c *compiler) conditions(f request.Filter, where string) ([]formula, error) {
	tree, err := c.structured(&f, where)
	if err != nil {
		return nil, err
	}
	var all []formula
	for _, term := range expression.Conjuncts(tree) {
		all = append(all, formula{tree: term, written: c.show(term), where: where, text: f.SQL})
	}
	if f.SQL != "" && len(all) == 1 {
		all[0].written = f.SQL
	}
	return all, nil
}

// show prints a condition of the request for a message, a field behind its way as an expression has it.
func (c *compiler) show(tree expression.Node) string { return expression.String(spelled(tree)) }

// spelled is a condition whose names have no mark behind their way.
func spelled(tree expression.Node) expression.Node {
	out, err := expression.Transform(tree, func(n expression.Node) (expression.Node, error) {
		switch n := n.(type) {
		case *expression.Name:
			if at := slices.Index(n.Parts, via); at >= 0 {
				return &expression.Name{Parts: slices.Concat(n.Parts[:at], n.Parts[at+1:])}, nil
			}
		case *expression.Quantified:
			of := *n
			of.X = spelled(n.X)
			return &of, nil
		}
		return n, nil
	})
	if err != nil {
		panic(err) // the change has none
	}
	return out
}

// selectFilter reads a filter into conditions on rows and conditions on groups. The latter
// may compare measures that are not shown.
func (c *compiler) selectFilter(i int) error {
	where := fmt.Sprintf("filters[%d]", i)
	if c.namesMetricTime(&c.r.Filters[i]) {
		c.timed = append(c.timed, i) // once it is known whose
		return nil
	}
	all, err := c.conditions(c.r.Filters[i], where)
	if err != nil {
		return err
	}
	for _, f := range all {
		if !c.namesMeasures(f.tree) {
			c.filters = append(c.filters, f)
			continue
		}
		if n := c.rowName(f.tree); n != nil {
			return mixedOr(where, c.r.Filters[i].SQL, n.Pos()).About(nameText(n))
		}
		if all := expression.Quantifieds(f.tree); len(all) > 0 {
			return mixedOr(where, c.r.Filters[i].SQL, all[0].Pos())
		}
		value, err := c.overMeasures(f.tree, where, f.written, context{})
		if err != nil {
			return err
		}
		if len(c.r.Dimensions) == 0 {
			return c.onGrandTotal(f)
		}
		c.note("having: " + f.written + " limits the groups that are shown, not the rows that are measured")
		c.having, c.shownHaving = append(c.having, value), append(c.shownHaving, f.written)
	}
	return nil
}

// rowName returns a name outside of all aggregates that means no measure.
func (c *compiler) rowName(tree expression.Node) (found *expression.Name) {
	expression.Walk(tree, func(n expression.Node) bool {
		if name, ok := n.(*expression.Name); ok && found == nil && !c.isMeasure(name) {
			found = name
		}
		_, aggregate := n.(*expression.Aggregate)
		return !aggregate
	})
	return found
}

// condition replaces the names in a condition by the columns that they mean, seen from the
// home.
func (s *rowset) condition(f formula, p place) (expression.Node, error) {
	if f.expr != nil {
		at, err := s.end(model.Ref{Source: f.source}, p)
		if err != nil {
			return nil, err
		}
		return s.bind(at, f.expr, p)
	}
	checked, err := expression.CheckCondition(f.tree, s.c.fieldType)
	if err != nil {
		return nil, refusal.InExpression(f.where, f.text, err)
	}
	if err := s.c.checkTimes(f.tree, f.where); err != nil {
		return nil, err
	}
	if f.text != "" {
		s.c.noteMidnights(f)
	}
	if checked, err = s.related(checked); err != nil {
		return nil, err
	}
	return s.substitute(checked, p)
}

// substitute replaces the names in an expression of the request by the columns that they mean.
func (s *rowset) substitute(tree expression.Node, p place) (expression.Node, error) {
	home := s.nodes[0].source
	return expression.Substitute(tree, func(n *expression.Name) (expression.Node, error) {
		if e := entityOf(n); e != nil {
			return s.joinEntity(e, cmp.Or(p.use, filterBy))
		}
		if named := segmentOf(n); named != nil {
			ref, segment, err := s.c.segmentIn(home, named)
			if err != nil {
				return nil, err
			}
			at, err := s.end(ref, p)
			if err != nil {
				return nil, err
			}
			return s.bind(at, segment.Expr, p)
		}
		if in := rangeNamed(n); in.field != nil {
			return s.inside(in, p)
		}
		_, value, err := s.named(n, p)
		return value, err
	})
}

// wayOf returns the dimension that a name means from a home, and the join path to it.
func (c *compiler) wayOf(home model.SourceID, n *expression.Name) (model.Ref, *model.Path, error) {
	ref, err := c.dimensionOf(home, n)
	if err != nil {
		return ref, nil, err
	}
	path, err := c.m.Path(home, ref)
	return ref, path, err
}

// wayFor does the same for a dimension that a measure uses; a refusal names the measure.
func (c *compiler) wayFor(home model.SourceID, n *expression.Name, measure string, u use) (model.Ref, *model.Path, error) {
	ref, path, err := c.wayOf(home, n)
	if _, said := errors.AsType[*refusal.Error](err); err != nil && !said {
		err = c.pathError(err, home, measure, nameText(n), u)
	}
	return ref, path, err
}

// named returns the dimension that a name of the request means, and its value.
func (s *rowset) named(n *expression.Name, p place) (model.Ref, expression.Node, error) {
	ref, err := s.c.dimensionOf(s.nodes[0].source, n)
	if err != nil {
		return ref, nil, err
	}
	at, err := s.end(ref, p)
	if err != nil {
		return ref, nil, err
	}
	value, err := s.field(at, ref.Field)
	return ref, value, err
}

// byDay truncates a time to days in the zone of the request.
func (c *compiler) byDay(n *expression.Name, id model.DimensionID, at expression.Node) (expression.Node, error) {
	return c.grained((&dimension{name: n, id: id}).byDay(), at)
}

// end returns the row that a reference of the home leads to.
func (s *rowset) end(ref model.Ref, p place) (int, error) {
	path, err := s.c.m.Path(s.nodes[0].source, ref)
	if err != nil {
		return 0, err
	}
	s.c.note(path.Note)
	return s.follow(0, path.Steps, p)
}

// ways are the joins of a condition that have several matching rows: the first to-many steps
// from a home, and the to-one steps for which a scan found several matches. Conditions with
// the same ways are about the same rows.
type ways struct{ downs, several []*model.Edge }

// waysOf returns the ways of a condition. Errors: those of the model, unchanged, with the name
// that caused them.
func (c *compiler) waysOf(home model.SourceID, f formula) (found ways, about string, err error) {
	take := func(name string, ref model.Ref) {
		path, failed := c.m.Path(home, ref)
		switch {
		case err != nil:
		case failed != nil:
			about, err = name, failed
		case len(path.Steps) > 0 && path.Steps[0].Down:
			found.downs = append(found.downs, path.Steps[0].Edge)
		default:
			for _, step := range path.Steps {
				if step.Repeats && !slices.Contains(found.several, step.Edge) {
					found.several = append(found.several, step.Edge)
				}
			}
		}
	}
	within := func(source model.SourceID, e *model.Expr) {
		for i := range e.Refs {
			if source == home {
				take(c.refName(e.Refs[i].Ref), e.Refs[i].Ref)
			}
		}
	}
	if f.expr != nil {
		take(c.m.Source(f.source).Name, model.Ref{Source: f.source})
		within(f.source, f.expr)
		return found, about, err
	}
	for _, q := range expression.Quantifieds(f.tree) {
		if err := c.checkQuantified(home, q, f.where); err != nil {
			return ways{}, c.show(q), err
		}
	}
	for _, n := range expression.Names(f.tree) {
		if entityOf(n) != nil {
			continue // it is joined to each row
		}
		if in := rangeNamed(n); in.field != nil {
			n = in.field
		}
		named := segmentOf(n)
		if named == nil {
			ref, failed := c.dimensionAmong(takesAny, home, n)
			if failed != nil {
				return ways{}, nameText(n), failed
			}
			take(nameText(n), ref)
			continue
		}
		ref, segment, failed := c.segmentIn(home, named)
		if failed != nil {
			return ways{}, nameText(named), failed
		}
		take(nameText(named), ref)
		within(ref.Source, segment.Expr)
	}
	return found, about, err
}
