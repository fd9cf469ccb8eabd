package compile

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Compile makes one read-only statement of a request. The same arguments give the
// same text.
// Errors: *Error, which unwraps to *sdk.Error.
// Units: the cost grows with the request and not with the model.
func Compile(m *model.Model, d *dialect.Dialect, r Request, o Options) (*Query, error) {
	c := &compiler{m: m, d: d, r: r, o: o, types: map[model.DimensionID]sdk.Type{}}
	c.print = expression.Printer{Dialect: d, Name: cellSQL}
	if err := c.prepare(); err != nil {
		return nil, fromBelow(err)
	}
	q, err := c.render()
	if err == nil {
		err = c.check(q.SQL)
	}
	if err != nil {
		return nil, fromBelow(err)
	}
	return q, nil
}

// prepare makes everything but the text.
func (c *compiler) prepare() error {
	for _, stage := range []func() error{c.resolve, c.plan, c.finish} {
		if err := stage(); err != nil {
			return err
		}
	}
	return nil
}

// compiler is one request on its way to a statement.
type compiler struct {
	m     *model.Model
	d     *dialect.Dialect
	r     Request
	o     Options
	print expression.Printer
	types map[model.DimensionID]sdk.Type // of dimensions, as they are asked for

	dims     []*dimension
	ranges   []*dateRange
	entities []*entity // measures per entity that rows are joined with
	columns  []*column // the measures that are shown
	bases    []*base   // what they, conditions and order keys are made of
	filters  []formula // conditions on rows
	having   []expression.Node
	// shownHaving are the conditions on groups in words.
	shownHaving []string
	order       []orderKey
	homes       []model.SourceID

	legs []*leg
	// totals are the legs with coarser groups than those that were asked for.
	totals []*leg
	notes  []string
	// suffix keeps the names of stages apart from those of tables.
	suffix string
}

// note tells something once.
func (c *compiler) note(text string) {
	if text != "" && !slices.Contains(c.notes, text) {
		c.notes = append(c.notes, text)
	}
}

// cell is a typed name that is printed as it stands: SQL as a primary expression.
func cell(sql string, t sdk.Type) expression.Node {
	n := &expression.Name{Parts: []string{sql}}
	if t == sdk.TypeUnspecified {
		return n
	}
	typed, err := expression.Check(n, func(*expression.Name) (sdk.Type, error) { return t, nil })
	if err != nil {
		panic(err) // the resolver has none
	}
	return typed
}

// cellSQL prints cells, and nothing that was written: that has a place in a text.
func cellSQL(n *expression.Name) (string, error) {
	if len(n.Parts) != 1 || !n.Pos().IsZero() {
		return "", refuse(CodeInternal, "the name %s reached the statement", nameText(n)).fix("report this request")
	}
	return n.Parts[0], nil
}

// typedAs gives what is written in the engine's own SQL the type that is declared.
func (c *compiler) typedAs(n expression.Node, t sdk.Type) (expression.Node, error) {
	if n.Type() == t || t == sdk.TypeUnspecified {
		return n, nil
	}
	sql, err := c.print.Operand(n)
	if err != nil {
		return nil, err
	}
	return cell(sql, t), nil
}

// ownType is the resolver of trees whose names are cells.
func ownType(n *expression.Name) (sdk.Type, error) { return n.Type(), nil }

// typeOf returns the type of a dimension's values as queries see them.
func (c *compiler) typeOf(id model.DimensionID) sdk.Type {
	if t, ok := c.types[id]; ok {
		return t
	}
	d := c.m.Dimension(id)
	t := declaredType(d)
	if d.Expr != nil && t == sdk.TypeUnspecified || d.Expr != nil && d.Type == model.Number {
		c.types[id] = t // what it is made of may come back to it
		tree, err := expression.Substitute(d.Expr.Tree, func(n *expression.Name) (expression.Node, error) {
			ref, _ := d.Expr.Ref(n)
			if ref.Dimension != 0 {
				return cell("x", c.typeOf(ref.Dimension)), nil
			}
			return cell("x", sdk.TypeUnspecified), nil
		})
		if err == nil {
			if tree, err = expression.Check(tree, ownType); err == nil && tree.Type() != sdk.TypeUnspecified {
				t = tree.Type()
			}
		}
	}
	c.types[id] = t
	return t
}

// declaredType is the type that a definition or a scan gives a dimension. A time
// whose storage nobody knows has none, so that texts stay as they are written.
func declaredType(d *model.Dimension) sdk.Type {
	switch d.ColumnType {
	case "date":
		return sdk.TypeDate
	case "timestamp", "epoch_s", "epoch_ms", "text_iso":
		return sdk.TypeTimestamp
	case "timestamptz":
		return sdk.TypeTimestampTZ
	}
	switch {
	case d.Logical != sdk.TypeUnspecified && d.Type == model.Time && !isTime(d.Logical):
		return sdk.TypeUnspecified
	case d.Logical != sdk.TypeUnspecified:
		return d.Logical
	}
	switch d.Type {
	case model.String:
		return sdk.TypeText
	case model.Number:
		return sdk.TypeDecimal
	case model.Boolean:
		return sdk.TypeBool
	}
	return sdk.TypeUnspecified
}

func isTime(t sdk.Type) bool {
	return t == sdk.TypeDate || t == sdk.TypeTimestamp || t == sdk.TypeTimestampTZ
}

// reference writes a member in full.
func (c *compiler) reference(s model.SourceID, name string) string {
	parts := []string{c.m.Source(s).Name, name}
	if s == model.Metrics {
		parts = parts[1:]
	}
	return (&expression.Name{Parts: parts}).String()
}

func (c *compiler) measureName(m *model.Measure) string {
	return c.reference(m.ID.Source(), m.Name)
}

func (c *compiler) dimensionName(id model.DimensionID) string {
	return c.reference(id.Source(), c.m.Dimension(id).Name)
}

// refName writes what a reference of a definition refers to.
func (c *compiler) refName(r model.Ref) string {
	switch {
	case r.Dimension != 0:
		return c.dimensionName(r.Dimension)
	case r.Measure != 0:
		return c.measureName(c.m.Measure(r.Measure))
	}
	return c.reference(r.Source, r.Column)
}

// listed joins names for a sentence.
func listed(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
