package compile

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

// gaps lists the groups that are to be shown whether there are rows or not: every
// period with the combinations of the other dimensions that occur in stages. It is
// nil where all stages are of windows, which have every period by themselves.
func (c *compiler) gaps(stages []*stage) (*stage, error) {
	at := slices.IndexFunc(c.dims, func(d *dimension) bool { return d.Grain != "" })
	d := c.dims[at]
	rows, groups := c.occurring(stages)
	first, last := c.ends(d, c.limiting(d))
	waits := (*branch).waits
	if !slices.ContainsFunc(c.branches, func(br *branch) bool { return !waits(br) && !br.under.total }) {
		return nil, nil
	}
	var periods plan.Relation
	var err error
	if !first.IsZero() && !last.IsZero() && slices.ContainsFunc(c.branches, waits) {
		periods, err = c.shownPeriods(d, first, last) // windows list the same ones
	} else {
		periods, err = c.spine(d, first, last, rows, groups[at])
	}
	if err != nil {
		return nil, err
	}
	out := &stage{rel: periods, dims: make([]plan.Column, len(c.dims)), values: map[*base]plan.Column{}}
	if len(c.dims) > 1 {
		others := &plan.Project{In: rows, Distinct: true}
		for i, g := range groups {
			if i != at {
				out.dims[i] = others.Compute(c.numbers, g.Name, g.Type, g.Ref())
			}
		}
		out.rel = &plan.Join{L: periods, R: others, Kind: plan.Cross}
	}
	out.dims[at] = periods.Columns()[0]
	if len(c.totals) > 0 {
		out.number(c, 0)
	}
	return out, nil
}

// occurring are the groups of stages together, and their columns.
func (c *compiler) occurring(stages []*stage) (plan.Relation, []plan.Column) {
	u := &plan.Union{}
	from := make([][]plan.Column, len(c.dims))
	for k, s := range stages {
		if br := c.branches[k]; br.under.total {
			continue // a total has coarser groups
		}
		u.In = append(u.In, s.rel)
		for i, d := range s.dims {
			from[i] = append(from[i], d)
		}
	}
	for i, d := range c.dims {
		u.Stack(c.numbers, d.out, d.typ, from[i]...)
	}
	if len(u.In) > 1 {
		return &plan.Shared{In: u, Name: "members"}, u.Columns()
	}
	return u, u.Columns()
}

// checkGaps refuses gaps where it is not certain which they are.
func (c *compiler) checkGaps() error {
	if !c.r.FillGaps {
		return nil
	}
	var times []string
	for _, d := range c.dims {
		if d.Grain != "" {
			for _, r := range c.ranges {
				if r.periods != nil && c.limiting(d)(r) {
					return r.refusePeriods("fill_gaps")
				}
			}
			times = append(times, d.text()+" by "+string(d.Grain))
		}
	}
	switch {
	case len(times) == 0:
		return refusal.New(refusal.CodeGranularity, "there are no periods whose gaps could be filled").Advise("add a time dimension with a granularity, or leave fill_gaps out")
	case len(times) > 1:
		return refusal.New(refusal.CodeNotSupported, "the gaps of %s: each pair of periods would be a group, though most have no meaning", refusal.Listed(times)).
			Advise("leave a granularity out, or fill_gaps")
	}
	return nil
}

// addEmpty adds a branch of the members that the dimensions have by themselves.
func (c *compiler) addEmpty() error {
	if !c.r.IncludeEmpty || len(c.dims) == 0 {
		return nil
	}
	if len(c.entities) > 0 {
		return refusal.New(refusal.CodeNotSupported, "empty groups are not known beside a measure per entity").Advise("leave include_empty out")
	}
	var sources []model.SourceID
	if slices.ContainsFunc(c.dims, func(d *dimension) bool { return d.axis }) {
		return refusal.New(refusal.CodeNotSupported, "empty groups of metric_time belong to no source").Advise("use fill_gaps, which adds the periods without rows")
	}
	for _, d := range c.dims {
		if c.isConformed(d) {
			return refusal.New(refusal.CodeNotSupported, "empty groups of %s belong to several sources", d.text()).Advise("leave include_empty out, or name one of %s", refusal.Listed(c.conformed(d.name.Parts)))
		}
		if d.tree != nil {
			return refusal.New(refusal.CodeNotSupported, "empty groups of %s belong to no source, for it is computed", d.text()).Advise("leave include_empty out, or define it as a dimension in the model")
		}
		if !slices.Contains(sources, d.id.Source()) {
			sources = append(sources, d.id.Source())
		}
	}
	home, ok := c.memberHome(sources)
	if !ok {
		return refusal.New(refusal.CodeNotSupported, "empty groups of dimensions of several sources are not known").Advise("leave include_empty out, or ask for dimensions of one source")
	}
	rows, err := c.newRows(home)
	if err != nil {
		return err
	}
	br := &branch{home: home, rows: rows}
	for _, d := range c.dims {
		if err := br.group(d, c.m.Source(home).Name); err != nil {
			return err
		}
	}
	var own []formula // conditions on what each member has one of
	for _, f := range c.filters {
		if f.time != nil && f.time.home != home {
			continue
		}
		if taken, _, err := c.waysOf(home, f); err == nil && len(taken.downs) == 0 {
			own = append(own, f)
		}
	}
	if err := br.filter(own, c.m.Source(home).Name); err != nil {
		return err
	}
	c.branches = append(c.branches, br)
	return nil
}
