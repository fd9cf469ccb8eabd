package compile

import (
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

// finish puts what the bases are in the last stage into the columns, conditions
// and order keys.
func (c *compiler) finish() error {
	for _, m := range c.columns {
		value, err := c.final(m.value)
		if err != nil {
			return err
		}
		m.value, m.Type = value, value.Type()
	}
	for i, h := range c.having {
		value, err := c.final(h)
		if err != nil {
			return err
		}
		if t := value.Type(); t != sdk.TypeBool && t != sdk.TypeUnspecified {
			return refuse(CodeInvalidExpression, "the condition %s is neither true nor false", quote(c.show(h))).fix("compare it with something: revenue > 100")
		}
		c.having[i] = value
	}
	for i := range c.order {
		if c.order[i].value == nil {
			continue
		}
		value, err := c.final(c.order[i].value)
		if err != nil {
			return err
		}
		c.order[i].value = value
	}
	return nil
}

// final is an expression over the columns of the last stage.
func (c *compiler) final(n expression.Node) (expression.Node, error) {
	tree, err := expression.Substitute(n, func(name *expression.Name) (expression.Node, error) {
		for _, b := range c.bases {
			if b.name == name.Parts[0] {
				return b.final(c.stitched()), nil
			}
		}
		return nil, refuse(CodeInternal, "the column %s has no meaning", name.Parts[0])
	})
	if err != nil {
		return nil, err
	}
	checked, err := expression.Check(tree, ownType)
	if err != nil {
		return nil, refuse(CodeInvalidExpression, "%s", fromBelow(err).Message).fix("combine measures of one type").because(err)
	}
	return checked, nil
}

// final is a base in the last stage; missing: there may be groups that its leg
// does not have.
func (b *base) final(missing bool) expression.Node {
	value := cell("f."+b.name, b.typ)
	switch m := b.take.nested; {
	case m == nil && b.measure != nil && b.measure.Default != nil:
		return withDefault(value, *b.measure.Default)
	case missing && (m == nil && counts(b.agg) || m != nil && counts(m.Agg)):
		return withDefault(value, 0) // a count of nothing
	}
	return value
}

func counts(f expression.AggregateFunction) bool {
	return f == expression.Count || f == expression.CountDistinct || f == expression.ApproxDistinct
}

// render writes the statement.
func (c *compiler) render() (*Query, error) {
	with, last, err := c.stages(c.unreserved())
	if err != nil {
		return nil, err
	}
	final, err := c.last(last)
	if err != nil {
		return nil, err
	}
	c.tellInferred()
	q := &Query{SQL: "WITH " + strings.Join(with, ",\n") + "\n" + final, Notes: c.notes}
	for _, d := range c.dims {
		q.Columns = append(q.Columns, d.result(c))
	}
	for _, m := range c.columns {
		q.Columns = append(q.Columns, m.Column)
	}
	q.Plan = c.describe()
	return q, nil
}

// stages writes the CTEs of the statement, and the name of the last one.
func (c *compiler) stages(suffix string) (with []string, last string, err error) {
	c.suffix = suffix
	for _, e := range c.entities {
		if e.text, err = e.stages(suffix); err != nil {
			return nil, "", err
		}
		with = append(with, e.text...)
	}
	for _, l := range c.legs {
		l.name += suffix
		if l.text, err = l.sql(); err != nil {
			return nil, "", err
		}
		with = append(with, l.before...)
		with = append(with, l.name+" AS ("+l.text+")")
	}
	last = c.legs[0].name
	if c.r.FillGaps {
		gaps, err := c.gaps(suffix, with)
		if err != nil {
			return nil, "", err
		}
		with = append(with, gaps)
	}
	if c.stitched() {
		union, err := c.union(suffix)
		if err != nil {
			return nil, "", err
		}
		last = "s" + suffix
		with = append(with, "u"+suffix+" AS ("+union+")", last+" AS ("+c.stitch("u"+suffix)+")")
	}
	if len(c.totals) > 0 {
		with = append(with, "w"+suffix+" AS ("+c.spread(last)+")")
		last = "w" + suffix
	}
	return with, last, nil
}

// union puts the legs below each other, what a leg has no values for as NULL.
func (c *compiler) union(suffix string) (string, error) {
	var parts []string
	for i, l := range c.legs {
		var columns []string
		for k, d := range c.dims {
			if l.dims[k] != nil {
				columns = append(columns, d.column)
				continue
			}
			null, err := c.nullOf(d)
			if err != nil {
				return "", err
			}
			columns = append(columns, null+" AS "+d.column)
		}
		if len(c.totals) > 0 {
			columns = append(columns, strconv.Itoa(c.totalNumber(l))+" AS z")
		}
		for _, of := range c.legs {
			for _, b := range of.bases {
				if of == l {
					columns = append(columns, b.name)
					continue
				}
				null, err := c.null(b, of.name)
				if err != nil {
					return "", err
				}
				if i == 0 {
					null += " AS " + b.name
				}
				columns = append(columns, null)
			}
		}
		if len(columns) == 0 {
			columns = []string{"1"}
		}
		parts = append(parts, "SELECT "+strings.Join(columns, ", ")+" FROM "+l.name)
	}
	if c.r.FillGaps {
		columns := []string{c.dims[0].column}
		if len(c.totals) > 0 {
			columns = append(columns, "0")
		}
		for _, of := range c.legs {
			for _, b := range of.bases {
				null, err := c.null(b, of.name)
				if err != nil {
					return "", err
				}
				columns = append(columns, null)
			}
		}
		parts = append(parts, "SELECT "+strings.Join(columns, ", ")+" FROM g"+suffix)
	}
	return strings.Join(parts, "\nUNION ALL "), nil
}

// stitch brings the parts of one group together: each base has a value in one leg
// at most, and NULL dimensions are one group.
func (c *compiler) stitch(union string) string {
	var columns, groups []string
	for _, d := range c.dims {
		groups = append(groups, d.column)
	}
	if len(c.totals) > 0 {
		groups = append(groups, "z")
	}
	columns = append(columns, groups...)
	for _, l := range c.legs {
		for _, b := range l.bases {
			columns = append(columns, "MAX("+b.name+") AS "+b.name)
		}
	}
	return selected(columns, union, groups)
}

// spread gives every group the totals of the coarser group that it is in.
func (c *compiler) spread(from string) string {
	columns := []string{"z"}
	for _, d := range c.dims {
		columns = append(columns, d.column)
	}
	for _, l := range c.legs {
		for _, b := range l.bases {
			if !l.take.total {
				columns = append(columns, b.name)
				continue
			}
			over := ""
			if groups := l.groups(); len(groups) > 0 {
				over = "PARTITION BY " + strings.Join(groups, ", ")
			}
			columns = append(columns, "MAX("+b.name+") OVER ("+over+") AS "+b.name)
		}
	}
	return "SELECT " + strings.Join(columns, ", ") + " FROM " + from
}

// last writes the statement that the stages are for.
func (c *compiler) last(from string) (string, error) {
	var columns []string
	for _, d := range c.dims {
		columns = append(columns, "f."+d.column+" AS "+c.d.QuoteIdentifier(d.out))
	}
	for _, m := range c.columns {
		text, err := c.print.Value(m.value)
		if err != nil {
			return "", err
		}
		columns = append(columns, text+" AS "+c.d.QuoteIdentifier(m.Name))
	}
	tail := " FROM " + from + " AS f"
	having := c.having
	if len(c.totals) > 0 {
		asked := &expression.Binary{Op: expression.Equal, Left: cell("f.z", sdk.TypeInt64), Right: expression.Int(0)}
		having = append([]expression.Node{asked}, having...)
	}
	if having := expression.Conjoin(having...); having != nil {
		text, err := c.print.Predicate(having)
		if err != nil {
			return "", err
		}
		tail += " WHERE " + text
	}
	order, err := c.orderBy()
	if err != nil {
		return "", err
	}
	return c.limited("SELECT ", strings.Join(columns, ", ")+tail, order), nil
}

// orderBy writes the order: what was asked for, then the dimensions, so that the
// same rows come in the same order.
func (c *compiler) orderBy() (string, error) {
	keys := c.order
	for _, d := range c.dims {
		keys = append(keys[:len(keys):len(keys)], orderKey{dim: d})
	}
	sorted := map[string]bool{}
	var parts []string
	for _, k := range keys {
		value := k.value
		if k.dim != nil {
			value = cell("f."+k.dim.column, k.dim.typ)
		}
		text, err := c.print.Operand(value)
		if err != nil {
			return "", err
		}
		if sorted[text] {
			continue
		}
		sorted[text] = true
		form := dialect.AscNullsLast
		switch {
		case k.desc && k.first:
			form = dialect.DescNullsFirst
		case k.desc:
			form = dialect.DescNullsLast
		case k.first:
			form = dialect.AscNullsFirst
		}
		by, err := c.sorted(form, text)
		if err != nil {
			return "", err
		}
		parts = append(parts, by)
	}
	return strings.Join(parts, ", "), nil
}

// limited bounds the rows in the way of the dialect.
func (c *compiler) limited(head, body, order string) string {
	limit, offset := c.r.Limit, c.r.Offset
	if limit == 0 {
		limit = DefaultLimit
	}
	n, m := strconv.Itoa(limit), strconv.Itoa(offset)
	by := ""
	if order != "" {
		by = "\nORDER BY " + order
	}
	switch style := c.d.Limit; {
	case style == dialect.LimitTop && offset == 0:
		return head + "TOP (" + n + ") " + body + by
	case style == dialect.LimitTop || style == dialect.LimitFetch:
		if by == "" {
			by = "\nORDER BY (SELECT NULL)"
		}
		next := " ROWS FETCH NEXT "
		if style == dialect.LimitFetch {
			next = " ROWS FETCH FIRST "
		}
		return head + body + by + " OFFSET " + m + next + n + " ROWS ONLY"
	case offset == 0:
		return head + body + by + "\nLIMIT " + n
	}
	return head + body + by + "\nLIMIT " + n + " OFFSET " + m
}

// check holds the statement against the guard that all statements pass.
func (c *compiler) check(sql string) error {
	if err := readonly.Check(sql, c.d); err != nil {
		known := fromBelow(err)
		if sdk.KindOf(err) == sdk.KindLimit {
			return invalidRequest("request", "its statement is too long: %s", known.Message).fix("ask for fewer measures, dimensions or values")
		}
		return refuse(CodeInternal, "the statement that was made is refused: %s", known.Message).because(err).
			fix("report it with the request; a source with a query of its own may be the reason")
	}
	return nil
}
