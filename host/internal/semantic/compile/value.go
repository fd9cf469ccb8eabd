package compile

import (
	"cmp"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// selectValue takes an expression as a dimension.
func (c *compiler) selectValue(where string, i int) error {
	ref := c.r.Dimensions[i]
	tree, err := c.valueOf(where, ref.Expr)
	if err != nil {
		return err
	}
	if tree, err = c.withEntities(tree, where); err != nil {
		return err
	}
	if tree, err = expression.Check(tree, c.fieldType); err != nil {
		return refusal.InExpression(where, ref.Expr, err)
	}
	if err := c.checkTimes(tree, where); err != nil {
		return err
	}
	c.dims = append(c.dims, &dimension{Dimension: ref, name: &expression.Name{Parts: []string{"dimension"}}, tree: tree, typ: tree.Type()})
	return nil
}

// valueOf reads an expression over the fields of a row.
func (c *compiler) valueOf(where, text string) (expression.Node, error) {
	tree, err := expression.ParseValue(text)
	if err != nil {
		return nil, refusal.InExpression(where, text, err)
	}
	for _, n := range expression.Names(tree) {
		switch {
		case c.isMetricTime(n):
			return nil, refusal.Invalid(where, "metric_time inside of an expression").About(request.MetricTime).Advise("name the time dimension that is meant")
		case c.isMeasure(n):
			return nil, refusal.Invalid(where, "%s is a measure, and a dimension is about single rows", nameText(n)).About(nameText(n)).
				Advise("take it per entity, as in per(%s, customers.id), or put it in measures", nameText(n))
		}
	}
	if class := expression.ClassOf(tree); class != expression.Scalar {
		return nil, refusal.Invalid(where, "%s is no value of a row", refusal.Quote(text)).Advise("put an aggregate in measures, or take it per entity, as in per(sum(orders.amount), customers.id)")
	}
	return tree, nil
}

// fieldsOf are the names of the fields that a dimension of the request is made of.
func (c *compiler) fieldsOf(d request.Dimension) ([]*expression.Name, error) {
	if d.Expr == "" {
		n, err := fieldName("dimensions", d.Field, d.Via)
		return []*expression.Name{n}, err
	}
	tree, err := c.valueOf("dimensions", d.Expr)
	if err != nil {
		return nil, err
	}
	return expression.Names(tree), nil
}

// valueFor is the value of a computed dimension for the rows of a branch.
func (br *branch) valueFor(d *dimension, measure string) (expression.Node, error) {
	c, finer := br.rows.c, false
	for _, n := range expression.Names(d.tree) {
		if entityOf(n) != nil {
			continue
		}
		_, path, err := c.wayFor(br.home, n, measure, groupBy)
		if err != nil {
			return nil, err
		}
		c.note(path.Note)
		if path.ToOne() {
			continue
		}
		if err := br.fanOut(d, path, measure); err != nil {
			return nil, err
		}
		if finer {
			br.finer = br.finer[:len(br.finer)-1] // said before
		}
		finer = true
	}
	value, err := br.rows.substitute(d.tree, place{down: true, use: groupBy})
	if err != nil {
		return nil, err
	}
	if d.cut != "" {
		return c.grained(d.moment, value)
	}
	return expression.As(value, d.typ), nil
}

// words says what the dimension is.
func (d *dimension) words(c *compiler) string {
	text := d.member(c)
	switch {
	case d.entity != nil:
		text = c.measureName(d.entity.measure) + " per " + strings.Join(d.Per, ", ")
	case d.tree != nil:
		text = d.Expr
	}
	if grain := cmp.Or(d.Grain, d.cut); grain != "" {
		text += " by " + string(grain)
	}
	return text
}

// member is the dimension in full.
func (d *dimension) member(c *compiler) string {
	switch {
	case d.axis:
		return request.MetricTime
	case d.tree != nil:
		return ""
	case c.isConformed(d):
		return strings.Join(c.conformed(d.name.Parts), ", ")
	}
	return c.dimensionName(d.id)
}

// result is the column that the dimension becomes.
func (d *dimension) result(c *compiler) Column {
	if e := d.entity; e != nil {
		return Column{Name: d.out, Member: c.measureName(e.measure), Type: d.typ, Unit: e.measure.Unit, Format: e.measure.Format, Provenance: Composed}
	}
	out := Column{Name: d.out, Member: d.member(c), Type: d.typ, Provenance: Defined}
	if d.tree != nil {
		out.Provenance = AdHoc
		return out
	}
	if !d.axis {
		def := c.m.Dimension(d.id)
		out.Unit, out.Format = def.Unit, def.Format
	}
	if d.Grain != "" || c.isConformed(d) {
		out.Provenance = Composed
	}
	return out
}

// leaf is the name that its column gets unless it was given one.
func (d *dimension) leaf(c *compiler) string {
	if d.entity != nil {
		return d.entity.measure.Name
	}
	switch {
	case d.axis:
		return request.MetricTime
	case d.tree != nil:
		return "dimension"
	case c.isConformed(d):
		return d.name.Parts[0]
	}
	return c.m.Dimension(d.id).Name
}
