package compile

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
)

// gaps lists the periods that are to be shown, whether there are rows or not.
func (c *compiler) gaps(stages []*stage) (plan.Relation, error) {
	d := c.dims[0]
	shown := plan.UnionColumn{Column: c.column(d.out, d.typ)}
	u := &plan.Union{}
	for _, s := range stages {
		if s.dims[0].ID != 0 {
			u.In, shown.From = append(u.In, s.rel), append(shown.From, s.dims[0].ID)
		}
	}
	u.Out = []plan.UnionColumn{shown}
	first, last := c.ends(d, func(r *dateRange) bool { return r.id == d.id && sameWay(r.field.Name, d.name) })
	return c.spine(d, first, last, u, shown.Column)
}

// checkGaps refuses gaps where it is not certain which they are.
func (c *compiler) checkGaps() error {
	if !c.r.FillGaps {
		return nil
	}
	if !slices.ContainsFunc(c.dims, func(d *dimension) bool { return d.Grain != "" }) {
		return refuse(CodeGranularity, "there are no periods whose gaps could be filled").fix("add a time dimension with a granularity, or leave fill_gaps out")
	}
	if len(c.dims) > 1 {
		return refuse(CodeNotSupported, "gaps are filled for one time dimension alone").fix("leave fill_gaps out, or the other dimensions")
	}
	return nil
}

// addEmpty adds a branch of the members that the dimensions have by themselves.
func (c *compiler) addEmpty() error {
	if !c.r.IncludeEmpty || len(c.dims) == 0 {
		return nil
	}
	if len(c.entities) > 0 {
		return refuse(CodeNotSupported, "empty groups are not known beside a measure per entity").fix("leave include_empty out")
	}
	var sources []model.SourceID
	for _, d := range c.dims {
		if !slices.Contains(sources, d.id.Source()) {
			sources = append(sources, d.id.Source())
		}
	}
	home, ok := c.memberHome(sources)
	if !ok {
		return refuse(CodeNotSupported, "empty groups of dimensions of several sources are not known").fix("leave include_empty out, or ask for dimensions of one source")
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
		if f.home != 0 && f.home != home {
			continue
		}
		if edges, _, err := c.downs(home, f); err == nil && len(edges) == 0 {
			own = append(own, f)
		}
	}
	if err := br.filter(own, c.m.Source(home).Name); err != nil {
		return err
	}
	c.branches = append(c.branches, br)
	return nil
}

// checkSpanned refuses a window whose periods only its own rows tell, where others
// bring in more: a value would be missing there.
func (c *compiler) checkSpanned() error {
	var window *base
	others := c.r.IncludeEmpty
	for _, b := range c.bases {
		if b.under.window != nil {
			window = b
		}
		others = others || b.under.shift != nil || b.home != c.bases[0].home
	}
	closed := slices.ContainsFunc(c.ranges, func(r *dateRange) bool {
		return r.from != nil && r.until != nil && slices.ContainsFunc(c.dims, func(d *dimension) bool { return d.Grain != "" && d.id == r.id })
	})
	if window == nil || !others || closed {
		return nil
	}
	name := c.measureName(window.under.window)
	return refuse(CodeNotSupported, "%s adds up over periods that only its own rows tell, and what else is asked for has others", name).
		about(name).fix("add a date range with both ends")
}
