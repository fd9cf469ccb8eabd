package compile

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

// combination is a kind of measure over another, whatever is between them, that has no
// meaning.
type combination struct {
	outer, inner model.MeasureKind
	why          string
}

// meaningless are the combinations that are refused for what they are: every other one
// is computed.
var meaningless = []combination{
	{model.Cumulative, model.Cumulative, "the values of one window hold the days of others, so that days would count several times"},
	{model.Cumulative, model.Share, "each part is of a total of its own, and such parts do not add up over days"},
	{model.Share, model.Share, "all parts of a total are the whole, so that a part of it is the part itself"},
}

// inside reports whether a measure that is taken in a context is inside of one of a
// kind.
func (x context) inside(k model.MeasureKind) bool {
	return k == model.Cumulative && x.window() != nil || k == model.Share && x.part
}

// composed returns a measure that takes another one in its own way.
func (c *compiler) composed(m *model.Measure, under context) (expression.Node, error) {
	base := c.m.Measure(m.Base)
	for _, n := range meaningless {
		if n.inner == m.Kind && under.inside(n.outer) {
			return nil, refusal.New(refusal.CodeNotSupported, "%s is a %s measure inside of a %s one, which has no meaning: %s", c.measureName(m), m.Kind, n.outer, n.why).
				About(c.measureName(m)).Advise("query %s, or %s itself", c.measureName(m), c.measureName(base))
		}
	}
	if err := c.findCalendars(m); err != nil {
		return nil, err
	}
	switch m.Kind {
	case model.Share:
		return c.share(m, base, under)
	case model.Nested:
		return c.nest(m, base, under)
	case model.Cumulative:
		return c.measured(base, under.then(step{window: m}))
	}
	return c.measured(base, under.then(step{shift: &m.Offset}))
}

// share is a measure as a part of what it is for the coarser groups.
func (c *compiler) share(m, base *model.Measure, under context) (expression.Node, error) {
	under.part = true
	part, err := c.measured(base, under)
	if err != nil {
		return nil, err
	}
	under.total, under.within, under.owner = true, m.Within, m.ID.Source()
	whole, err := c.measured(base, under)
	return binary(expression.Divide, part, whole), err
}

// groups reports whether a measure that is taken in a context is grouped by a dimension
// of the request.
func (c *compiler) groups(under context, at int) bool {
	if c.summary.rolls(at) && (c.summary.only == nil || under.total) {
		return false
	}
	return !under.total || c.within(under, c.dims[at])
}

// within reports whether the groups of a total are those of a dimension.
func (c *compiler) within(under context, d *dimension) bool {
	return slices.ContainsFunc(under.within, func(ref model.Ref) bool { return c.means(under.owner, ref, d) })
}

// means reports whether a reference of a definition is a dimension of the
// request: the same field, over the same way from the source that refers to it.
func (c *compiler) means(owner model.SourceID, ref model.Ref, d *dimension) bool {
	if d.tree != nil || d.per != nil || ref.Dimension != d.id && !c.isConformed(d) || d.Grain != "" {
		return false
	}
	if owner == model.Metrics {
		return true
	}
	path, err := c.m.Path(owner, ref)
	found, other, failed := c.wayOf(owner, d.name)
	return err == nil && failed == nil && ref.Dimension == found.Dimension && slices.Equal(path.Steps, other.Steps)
}

// checkTotals refuses a share within groups that were not asked for.
func (c *compiler) checkTotals() error {
	for _, b := range c.bases {
		for _, ref := range b.under.within {
			if !slices.ContainsFunc(c.dims, func(d *dimension) bool { return c.means(b.under.owner, ref, d) }) {
				name := c.refName(ref)
				return refusal.Invalid("dimensions", "a share of %s is within %s, which is not among them", b.label, name).About(name).Advise("add %s to dimensions", name)
			}
		}
	}
	return nil
}

// totalNumber is the number of a branch among those of coarser groups, 0 = it has
// the groups that were asked for.
func (c *compiler) totalNumber(br *branch) int { return slices.Index(c.totals, br) + 1 }
