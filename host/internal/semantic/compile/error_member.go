package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// maxThere is how many names a refusal lists of those that there are.
const maxThere = 12

// withMembers says what there is where a name is like nothing: the members of the source
// that it names, else the sources.
func (c *compiler) withMembers(e *refusal.Error, takes model.Fits, home model.SourceID, parts []string) *refusal.Error {
	if e.Code != refusal.CodeUnknownMember || len(e.DidYouMean) > 0 {
		return e
	}
	last := len(parts) - 1
	if last > 0 && c.isTimeCalled(home, parts[:last]) {
		return c.withGrains(e, parts[:last], parts[last])
	}
	s := c.sourceCalled(home, parts[:last])
	if s == nil {
		var names []string
		for s := range c.m.Outlines() {
			if s.Visibility == model.Public && s.ID != model.Metrics {
				names = append(names, s.Name)
			}
		}
		if near, members := c.sourceMeant(parts[:last], takes); near != nil {
			return e.Advise("there is no source %s; %s has %s", (&expression.Name{Parts: parts[:last]}).String(), near.Name, few(members))
		}
		switch n := len(names); {
		case n == 0:
			return e
		case n > maxThere: // the first by the alphabet are no likelier than others
			return e.Advise("look for the member with discover_data or loam search, and name it with its source, as in %s.row_count; there are %d sources", (&expression.Name{Parts: names[:1]}).String(), n)
		}
		return e.Advise("name a member of one of the sources %s, as in %s.row_count", few(names), (&expression.Name{Parts: names[:1]}).String())
	}
	if names := c.membersOf(s, takes); len(names) > 0 {
		return e.Advise("use one of %s", few(names))
	}
	return e.Advise("name a member of another source, for %s has none that fits here", s.Name)
}

// withGrains says what a time can be cut to.
func (c *compiler) withGrains(e *refusal.Error, time []string, word string) *refusal.Error {
	known := request.GrainNames(c.m.PeriodNames()...)
	cutTo := func(grain string) string { return (&expression.Name{Parts: time}).String() + "." + grain }
	near := sqlkit.Nearest(word, known)
	for i := range near {
		near[i] = cutTo(near[i])
	}
	return e.Meant(near).Advise("cut the time to one of %s, as in %s", few(known), cutTo(string(dialect.Month)))
}

// isTimeCalled reports whether names mean one time dimension.
func (c *compiler) isTimeCalled(home model.SourceID, parts []string) bool {
	all, err := c.m.LookupFor(takesDimension, home, parts...)
	return err == nil && len(all) == 1 && all[0].Dimension != 0 && isTime(c.typeOf(all[0].Dimension))
}

// sourceCalled is the source that the names before a member mean, nil = there is none.
func (c *compiler) sourceCalled(home model.SourceID, before []string) *model.Source {
	if len(before) == 0 {
		if home == model.Metrics {
			return nil
		}
		return c.m.Source(home)
	}
	if s, err := c.m.FindSource((&expression.Name{Parts: before}).String()); err == nil {
		return s
	}
	for i := range c.m.Source(home).Joins {
		if j := &c.m.Source(home).Joins[i]; j.To != 0 && strings.EqualFold(j.Role, before[len(before)-1]) {
			return c.m.Source(j.To)
		}
	}
	return nil
}

// sourceNames are the names of sources.
func (c *compiler) sourceNames(all []model.SourceID) []string {
	names := make([]string, len(all))
	for i, id := range all {
		names[i] = c.m.Source(id).Name
	}
	return names
}

// sourceMeant is the source that a misspelt name most likely means, and its members that
// fit; nil where none is like it.
func (c *compiler) sourceMeant(before []string, takes model.Fits) (*model.Source, []string) {
	if len(before) == 0 {
		return nil, nil
	}
	_, err := c.m.FindSource((&expression.Name{Parts: before}).String())
	for _, name := range sdk.AsError(err, sdk.SourceCaller).Candidates {
		if s, err := c.m.FindSource(name); err == nil {
			if members := c.membersOf(s, takes); len(members) > 0 {
				return s, members
			}
		}
	}
	return nil, nil
}

// membersOf are the names of what a source has for a place in a request.
func (c *compiler) membersOf(s *model.Source, takes model.Fits) (all []string) {
	add := func(m model.Member, v model.Visibility, broken, name string) {
		if v == model.Public && broken == "" && name != "" && takes(m) {
			all = append(all, c.reference(s.ID, name))
		}
	}
	for i := range s.Measures {
		m := &s.Measures[i]
		add(model.Member{Ref: model.Ref{Measure: m.ID}}, m.Visibility, m.Broken, m.Name)
	}
	for i := range s.Dimensions {
		d := &s.Dimensions[i]
		add(model.Member{Ref: model.Ref{Field: model.Field{Dimension: d.ID}}}, d.Visibility, d.Broken, d.Name)
	}
	for i := range s.Segments {
		g := &s.Segments[i]
		add(model.Member{Segment: g.ID}, g.Visibility, g.Broken, g.Name)
	}
	return all
}

// measuresOf are the measures of a source that a request can name.
func (c *compiler) measuresOf(source model.SourceID) (all []string) {
	for i := range c.m.Source(source).Measures {
		m := &c.m.Source(source).Measures[i]
		if m.Visibility == model.Public && m.Broken == "" && m.Name != "" {
			all = append(all, c.measureName(m))
		}
	}
	return all
}

// few lists names, and counts those that are too many.
func few(names []string) string {
	names = slices.Clone(names)
	for i := range names {
		names[i] = refusal.Short(names[i])
	}
	if more := len(names) - maxThere; more > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxThere], ", "), more)
	}
	return strings.Join(names, ", ")
}
