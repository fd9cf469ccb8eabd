package compile

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/host/internal/semantic/timerange"
)

// branch aggregates rows of one home by the dimensions.
type branch struct {
	home model.SourceID
	axis *ownTime // of metric_time; nil = the request does not name it
	rows *rowset
	// asked are the request's dimensions with their paths from the home.
	asked []*dimension
	under context
	bases []*base
	// dims are the values of the request's dimensions; nil where the branch is not
	// grouped by the dimension.
	dims []expression.Node
	// where are conditions on the rows, exists included.
	where []expression.Node
	// finer are the dimensions of which a row of the home may have several values.
	finer []string
	// downs are the first steps down that dimensions or conditions take.
	downs []*model.Edge
	// several are the conditions that became an EXISTS although their join is declared
	// many_to_one: a scan saw it lead to several rows.
	several []*together
	// keys are a key of the home; set when each of its rows must count once per group.
	keys   []expression.Node
	inputs []plan.Value
	// all: every column of the home is among the inputs.
	all bool
	// windows are computed over the rows.
	windows []plan.WindowValue
	// sub computes a measure per entity, which a nested base aggregates.
	sub *compiler
	// clock is the time by which a shift or a window moves. period is its dimension, at
	// periodAt among dims; steps are those of the context, converted to its grain.
	clock    *clock
	period   *dimension
	periodAt int
	steps    []step
	// span is the interval of the clock that the branch reads, and limits its conditions;
	// uncut: the span ends with a period.
	span   timerange.Interval
	limits [knownLimit + 1]expression.Node
	uncut  bool
	// time is the day of each row, where rows are joined to periods. read are the rows;
	// partial is set where other branches read them too.
	time    expression.Node
	read    plan.Relation
	partial *partial
	// keyColumns and columns are those of keys and dims among the rows.
	keyColumns, columns []plan.Column
	// intervals is set in a branch that counts distinct values over windows: from which
	// day to which a value counts. columns has the first day, lastDay the last one.
	intervals *intervals
	lastDay   plan.Column
	// filters are the conditions in words.
	filters []string
}

// branchKey is equal for bases of one home that aggregate the same rows.
type branchKey struct {
	rows string
	time *ownTime
}

// plan makes the branches: one for all bases of a home that need the same rows.
func (c *compiler) plan() error {
	for _, home := range c.homes {
		started := map[branchKey]*branch{}
		any := false
		for _, b := range c.bases {
			if b.home != home {
				continue
			}
			any = true
			if err := c.ended(); err != nil {
				return err
			}
			if b.nested != nil {
				if err := c.perEntity(b); err != nil {
					return err
				}
				continue
			}
			key := branchKey{b.under.rowsKey(), b.time}
			for placed := false; !placed; {
				from, ok := started[key]
				var err error
				if !ok {
					if from, err = c.start(home, b); err != nil {
						return err
					}
					started[key] = from
				}
				if placed, err = c.place(from, b); err != nil {
					return err
				}
				if !placed { // its values need a join that the rows lack
					delete(started, key)
				}
			}
		}
		if !any && !c.inEntities(home) {
			from, err := c.start(home, nil)
			if err != nil {
				return err
			}
			c.branches = append(c.branches, from)
		}
	}
	if err := c.addEmpty(); err != nil {
		return err
	}
	for _, br := range c.branches {
		if err := br.sound(); err != nil {
			return err
		}
	}
	c.branches = slices.DeleteFunc(c.branches, c.sumsUp)
	if err := c.readOnce(); err != nil {
		return err
	}
	for _, br := range c.branches {
		if br.under.total {
			c.totals = append(c.totals, br)
		}
	}
	return nil
}

// sumsUp computes a total from the groups of another branch, and reports whether that is
// possible: each row is in one of those groups, and the values add up.
func (c *compiler) sumsUp(total *branch) bool {
	if c.summary != nil && c.summary.only != nil {
		return false // the others count in the whole too
	}
	if !total.under.total || total.sub != nil || len(total.keys) > 0 || total.under.window() != nil {
		return false
	}
	finer := map[*base]*base{}
	for _, br := range c.branches {
		if br.under.total || br.home != total.home || br.sub != nil || len(br.keys) > 0 || br.spans() || !slices.Equal(br.filters, total.filters) {
			continue
		}
		for _, b := range total.bases {
			for _, part := range br.bases {
				if b.part == part.key && b.addsUp() {
					finer[b] = part
				}
			}
		}
	}
	if len(finer) < len(total.bases) {
		return false
	}
	for b, part := range finer {
		b.of, b.typ = part, part.typ
		for i, d := range total.dims {
			if d != nil {
				b.within = append(b.within, i)
			}
		}
		c.sums = append(c.sums, b)
	}
	slices.SortFunc(c.sums, func(a, b *base) int { return strings.Compare(a.name, b.name) })
	return true
}

// start makes a branch without bases: the dimensions and the conditions.
func (c *compiler) start(home model.SourceID, b *base) (*branch, error) {
	rows, err := c.newRows(home)
	if err != nil {
		return nil, err
	}
	br := &branch{home: home, rows: rows}
	called := c.m.Source(home).Name
	if b != nil {
		br.under, br.axis, called = b.under, b.time, b.label
	} else if at := slices.IndexFunc(c.times, func(t *ownTime) bool { return t.home == home }); at >= 0 {
		br.axis = c.times[at]
	}
	for _, d := range c.dims {
		br.asked = append(br.asked, d.at(br.axis))
	}
	filters := slices.DeleteFunc(slices.Clone(c.filters), func(f formula) bool { return f.time != nil && f.time != br.axis })
	if err := br.findPeriod(filters, called); err != nil {
		return nil, err
	}
	for _, d := range br.asked {
		if err := br.group(d, called); err != nil {
			return nil, err
		}
	}
	if filters, err = br.shown(filters, called); err != nil {
		return nil, err
	}
	if err := br.filter(filters, called); err != nil {
		return nil, err
	}
	br.restrict()
	if e := rows.split(); e != nil {
		c.joined = append(c.joined, e)
		return c.start(home, b)
	}
	if c.o.NoRows {
		br.where = append(br.where, never())
	}
	return br, nil
}

// group adds a dimension to a branch.
func (br *branch) group(d *dimension, measure string) error {
	c := br.rows.c
	if !c.groups(br.under, len(br.dims)) {
		br.dims = append(br.dims, nil)
		return nil
	}
	if d.per != nil {
		value, err := br.entity(d)
		br.dims = append(br.dims, value)
		return err
	}
	if d.tree != nil {
		value, err := br.valueFor(d, measure)
		br.dims = append(br.dims, value)
		return err
	}
	ref, err := c.dimensionOf(br.home, d.name)
	if err != nil {
		return err
	}
	if c.isConformed(d) {
		c.note(d.text() + " is " + c.dimensionName(ref.Dimension) + " for " + measure)
	} else if ref.Dimension != d.id {
		return refusal.New(refusal.CodeAmbiguousMember, "%s is %s for some measures and %s for %s", d.text(), c.dimensionName(d.id), c.dimensionName(ref.Dimension), measure).
			About(d.text()).Advise("write the dimension in full")
	}
	path, err := c.m.Path(br.home, ref)
	if err != nil {
		return c.pathError(err, br.home, measure, d.text(), groupBy)
	}
	c.note(path.Note)
	if !path.ToOne() {
		if err := br.fanOut(d, path, measure); err != nil {
			return err
		}
	}
	at, err := br.rows.follow(0, path.Steps, place{down: true})
	if err != nil {
		return err
	}
	value, err := br.rows.dimension(at, ref.Dimension)
	if err != nil {
		return err
	}
	if value, err = br.periodOf(d, value); err != nil {
		return err
	}
	br.dims = append(br.dims, value)
	return nil
}

// fanOut makes each row of the home count once per group.
func (br *branch) fanOut(d *dimension, path *model.Path, measure string) error {
	c := br.rows.c
	source := c.m.Source(br.home)
	if c.r.Fanout == request.FanoutError {
		return fanout(measure, d.text(), c.words(path), c.measuresOf(path.Steps[0].From)...)
	}
	if len(source.Grain) == 0 {
		return primaryKeyRequired(source.Name, measure, d.text())
	}
	br.downs = append(br.downs, path.Steps[0].Edge)
	br.finer = append(br.finer, d.text())
	if br.keys != nil {
		return nil
	}
	for _, f := range source.Grain {
		k, err := br.rows.field(0, f)
		if err != nil {
			return err
		}
		br.keys = append(br.keys, k)
	}
	return nil
}

// place puts a base into the branch that has the rows that it needs, or into a new
// one. A branch with other joins is another branch: what a join that should not does
// to the rows, it does to the measures that asked for it alone. placed = false: joined
// has more, which the branch must be started with.
func (c *compiler) place(from *branch, b *base) (placed bool, err error) {
	fresh := *from
	fresh.rows = from.rows.clone()
	fresh.bases, fresh.inputs, fresh.windows = nil, nil, nil
	if err := fresh.measure(b); err != nil {
		return false, err
	}
	if e := fresh.rows.split(); e != nil {
		c.joined = append(c.joined, e)
		return false, nil
	}
	for _, br := range c.branches {
		if br.sub != nil || br.countsOnce() || fresh.countsOnce() || br.home != fresh.home || br.axis != fresh.axis || br.under.rowsKey() != b.under.rowsKey() || br.all != fresh.all || !br.rows.takes(fresh.rows) {
			continue
		}
		br.bases = append(br.bases, b)
		br.inputs = append(br.inputs, fresh.inputs...)
		br.windows = append(br.windows, fresh.windows...)
		return true, nil
	}
	c.branches = append(c.branches, &fresh)
	return true, nil
}

// takes joins the rows of another set that this one lacks, unless a join that one of
// the two has alone could change which rows there are.
func (s *rowset) takes(o *rowset) bool {
	for _, pair := range [][2]*rowset{{s, o}, {o, s}} {
		for i := range pair[0].nodes {
			if n := &pair[0].nodes[i]; !pair[1].hasRow(n) && !n.harmless() {
				return false
			}
		}
	}
	for i := range o.nodes {
		n := o.nodes[i]
		if s.hasRow(&n) {
			continue
		}
		from := o.nodes[n.parent].scan
		n.parent = slices.IndexFunc(s.nodes, func(r row) bool { return r.scan == from })
		s.nodes = append(s.nodes, n)
	}
	for _, m := range o.marks {
		if !slices.ContainsFunc(s.marks, func(known mark) bool { return known.ID == m.ID }) {
			s.marks = append(s.marks, m)
		}
	}
	for _, b := range o.beside {
		s.join(b.of, func() plan.Join { return b.Join })
	}
	return true
}

func (s *rowset) hasRow(n *row) bool {
	return slices.ContainsFunc(s.nodes, func(r row) bool { return r.scan == n.scan && r.inner == n.inner })
}

// harmless reports whether a join leaves the rows as they are: it finds one at most,
// by its key, and none is lost.
func (n *row) harmless() bool {
	if n.scope > 0 {
		return true // rows of an EXISTS are not joined
	}
	if n.inner || n.step.Edge == nil || n.step.Down || n.step.Repeats {
		return false
	}
	j := &plan.Join{L: &plan.Scan{}, R: n.scan, Kind: plan.Left, On: n.on}
	return !plan.Multiplies(j.R, j.Fixed())
}

// sound holds a branch against the one rule that no number may break: rows that a
// step down multiplies are told apart by the key of the home.
func (br *branch) sound() error {
	for _, r := range br.rows.nodes {
		if r.step.Edge != nil && r.step.Down && r.scope == 0 && len(br.keys) == 0 {
			return refusal.New(refusal.CodeInternal, "a plan would count rows of %s several times", br.rows.c.m.Source(br.home).Name).Advise("report this request")
		}
	}
	return nil
}

// words writes a path.
func (c *compiler) words(p *model.Path) string {
	names := []string{c.m.Source(p.Home).Name}
	for _, s := range p.Steps {
		names = append(names, c.m.Source(s.Source()).Name)
	}
	return strings.Join(names, " → ")
}
