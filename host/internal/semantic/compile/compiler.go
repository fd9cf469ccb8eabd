package compile

import (
	"slices"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

// Compile makes one read-only statement of a request. The same arguments give the
// same text.
// Errors: *refusal.Error, which unwraps to *sdk.Error; the error of o.Ended unchanged, which
// is asked before each member of the request and each part of the statement.
// Units: the cost grows with the request and not with the model.
func Compile(m *model.Model, d *dialect.Dialect, r request.Request, o Options) (*Query, error) {
	c := newCompiler(m, d, &plan.Numbers{})
	c.r, c.o = r, o
	q, err := c.compile()
	switch ended := c.ended(); {
	case err == nil:
		return q, nil
	case ended != nil:
		return nil, ended
	}
	return nil, c.refused(err)
}

func (c *compiler) compile() (*Query, error) {
	if err := c.prepare(); err != nil {
		return nil, err
	}
	q, err := c.query()
	if err != nil {
		return nil, err
	}
	return q, c.check(q.SQL)
}

// ended returns an error once nobody waits for the statement any more.
func (c *compiler) ended() error {
	if c.o.Ended == nil {
		return nil
	}
	return c.o.Ended()
}

// check holds the statement against the guard that all statements pass.
func (c *compiler) check(sql string) error {
	if err := readonly.Check(sql, c.d); err != nil {
		known := refusal.From(err)
		if sdk.KindOf(err) == sdk.KindLimit {
			return tooLong(err)
		}
		return refusal.New(refusal.CodeInternal, "the statement that was made is refused: %s", known.Message).Because(err).
			Advise("report it with the request; a source with a query of its own may be the reason")
	}
	return nil
}

// tooLong refuses a request whose statement is longer than one may be.
func tooLong(err error) *refusal.Error {
	return refusal.Invalid("request", "its statement is too long: %s", refusal.From(err).Message).Advise("ask for fewer measures, dimensions or values")
}

// refused is a refusal with the sources that it may be about.
func (c *compiler) refused(err error) *refusal.Error {
	e := *refusal.From(err)
	e.Sources = slices.Concat(c.named, c.used)
	return &e
}

func newCompiler(m *model.Model, d *dialect.Dialect, numbers *plan.Numbers) *compiler {
	c := &compiler{m: m, d: d, types: map[model.DimensionID]sdk.Type{}, numbers: numbers, scans: map[way]*plan.Scan{}, marks: map[markKey]plan.Column{}, scopes: map[string]int{}}
	c.top = c
	return c
}

// prepare finds what the request means and plans its branches.
func (c *compiler) prepare() error {
	if err := c.resolve(); err != nil {
		return err
	}
	return c.plan()
}

// compiler is one request on its way to a statement.
type compiler struct {
	m *model.Model
	d *dialect.Dialect
	r request.Request
	o Options
	// numbers are shared with the compilers of entities.
	numbers *plan.Numbers
	scans   map[way]*plan.Scan
	marks   map[markKey]plan.Column
	scopes  map[string]int
	used    []model.SourceID               // that are read
	made    []model.MeasureID              // that were put into expressions
	named   []model.SourceID               // that names of the request are looked up in
	types   map[model.DimensionID]sdk.Type // of dimensions, as they are asked for

	dims     []*dimension
	ranges   []*dateRange
	entities []*entity // measures per entity that rows are joined with
	columns  []*column // the measures that are shown
	bases    []*base   // what they, conditions and order keys are made of
	spelled  int       // see spell
	filters  []formula // conditions on rows
	having   []expression.Node
	// shownHaving are the conditions on groups in words.
	shownHaving []string
	order       []orderKey
	homes       []model.SourceID
	// times are those that metric_time means, one for each base; nil = the request is
	// not about it. known are all that were looked at, time is what metric_time stands
	// for while a filter is read, and timed are the filters that name it.
	times, known []*ownTime
	time         *ownTime
	timed        []int

	// top is the request that a measure per entity is nested in, or this one; clock is
	// the dimension that measures of other times go by there.
	top *compiler
	// calendars are those that the request goes by periods of.
	calendars map[model.SourceID]*calendar
	clock     *dimension

	branches []*branch
	// joined are the joins to several rows that are taken as they are, for a value needs
	// them.
	joined []*model.Edge
	// stages are those of branches, nil until they are made; shown are the periods
	// that windows are there in, by the ends of the range.
	stages []*stage
	shown  map[[2]time.Time]plan.Relation
	// summary is set where the request is compiled again for rows over several groups.
	summary *summary
	// totals are the branches with coarser groups than those that were asked for.
	totals []*branch
	// sums are bases that are made of those of finer groups.
	sums  []*base
	notes []string
}

// note tells something once.
func (c *compiler) note(text string) {
	if text != "" && !slices.Contains(c.notes, text) {
		c.notes = append(c.notes, text)
	}
}

// column returns a new column of the plan.
func (c *compiler) column(name string, t sdk.Type) plan.Column { return c.numbers.Column(name, t) }

// has reports whether the dialect can write a form.
func (c *compiler) has(form dialect.Form) bool { return c.d.Forms[form] != "" }

// nullable marks a value as one that can be NULL, for engines that want to know.
func (c *compiler) nullable(n expression.Node) expression.Node {
	if !c.has(dialect.Nullable) {
		return n
	}
	return expression.NewForm(dialect.Nullable, n, n.Type(), nil)
}

// ownType is the resolver of trees without names.
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
				return expression.NewColumn(0, c.typeOf(ref.Dimension)), nil
			}
			return expression.NewColumn(0, c.m.Source(ref.Source).ColumnType(ref.Column)), nil
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
	case d.Logical != sdk.TypeUnspecified && conversion(d) == sdk.TypeUnspecified:
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

// conversion is the type that the values of a column are converted to, for a file says
// another than the engine; TypeUnspecified = they are taken as they are.
func conversion(d *model.Dimension) sdk.Type {
	switch {
	case d.Expr != nil || d.ColumnType != "":
	case d.Type == model.String && isNumberType(d.Logical):
		return sdk.TypeText
	case d.Type == model.Number && d.Logical == sdk.TypeText:
		return sdk.TypeDecimal
	}
	return sdk.TypeUnspecified
}

func isNumberType(t sdk.Type) bool {
	return t == sdk.TypeInt64 || t == sdk.TypeFloat64 || t == sdk.TypeDecimal
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
