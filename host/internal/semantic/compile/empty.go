package compile

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/model"
)

// gaps lists the periods that are to be shown, whether there are rows or not; with
// are the stages before it.
func (c *compiler) gaps(suffix string, with []string) (string, error) {
	d := c.dims[0]
	var legs, used []string
	for _, l := range c.legs {
		if len(l.before) > 0 || len(l.rows.entities) > 0 {
			used = with
		}
		if l.dims[0] != nil {
			legs = append(legs, "SELECT b."+d.column+" FROM ("+l.text+") AS b")
		}
	}
	first, last := c.ends(d, func(r *dateRange) bool { return r.id == d.id && sameWay(r.field.Name, d.name) })
	spine, err := c.spine(d, first, last, strings.Join(legs, " UNION ALL "), used)
	if err != nil {
		return "", err
	}
	return "g" + suffix + " AS (SELECT q.period AS " + d.column + " FROM (" + spine + ") AS q)", nil
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

// addEmpty adds a leg of the members that the dimensions have by themselves.
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
	l := &leg{home: home, rows: rows}
	for _, d := range c.dims {
		if err := l.group(d, c.m.Source(home).Name); err != nil {
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
	if err := l.filter(own, c.m.Source(home).Name); err != nil {
		return err
	}
	c.legs = append(c.legs, l)
	return nil
}

// checkSpanned refuses a window whose periods only its own rows tell, where others
// bring in more: a value would be missing there.
func (c *compiler) checkSpanned() error {
	var window *base
	others := c.r.IncludeEmpty
	for _, b := range c.bases {
		if b.take.window != nil {
			window = b
		}
		others = others || b.take.shift != nil || b.home != c.bases[0].home
	}
	closed := slices.ContainsFunc(c.ranges, func(r *dateRange) bool {
		return r.from != nil && r.until != nil && slices.ContainsFunc(c.dims, func(d *dimension) bool { return d.Grain != "" && d.id == r.id })
	})
	if window == nil || !others || closed {
		return nil
	}
	name := c.measureName(window.take.window)
	return refuse(CodeNotSupported, "%s adds up over periods that only its own rows tell, and what else is asked for has others", name).
		about(name).fix("add a date range with both ends")
}
