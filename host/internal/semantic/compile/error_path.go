package compile

import (
	"errors"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// use is what a query does with a member that a measure has to reach.
type use string

const (
	groupBy  use = "grouped by"
	filterBy use = "filtered by"
)

// pathError is what the model has against the way from the home of a measure to a
// member.
func (c *compiler) pathError(err error, home model.SourceID, measure, member string, u use) *Error {
	known, ok := errors.AsType[*sdk.Error](err)
	code := modelCodes[codeOf(known)]
	if !ok || code == "" {
		return fromBelow(err)
	}
	if code == CodeDimension && u == filterBy {
		code = CodeFilter
	}
	e := refuse(code, "%s cannot be %s %s: %s", measure, u, member, known.Msg).about(member).of(measure).because(err)
	switch code {
	case CodeAmbiguousPath:
		if len(known.Candidates) == 0 {
			return e.fix(known.Hint)
		}
		if paths := c.pathsTo(home, known.Candidates); paths != nil { // which say what the message does
			e.Message = cut(measure+" cannot be "+string(u)+" "+member+": several ways lead there, to different rows", maxMessage)
			e = e.over(paths)
		}
		return e.choices(known.Candidates).fix("write the way that is meant: %s", known.Candidates[0])
	case CodeDimension:
		e = e.choices(c.usableInstead(home))
		if own := c.measuresBeside(member); len(own) > 0 {
			return e.fix("ask for %s by %s in a query of its own, or drop %s", own[0], member, member)
		}
		return e.fix("drop %s, or drop %s", member, measure)
	case CodeFilter:
		return e.choices(c.usableInstead(home)).
			fix(`give the filter to the measures that it can apply to, as in {"measure": …, "filters": ["%s = …"]}, or drop %s`, member, measure)
	case CodeNoJoinPath:
		return e.choices(c.usableInstead(home)).fix(known.Hint)
	}
	return e.choices(known.Candidates).fix(known.Hint)
}

// pathsTo tells in words how references lead to what they mean; nil when one of
// those that are shown does not.
func (c *compiler) pathsTo(home model.SourceID, references []string) (paths []string) {
	for _, reference := range references[:min(maxChoices, len(references))] {
		member, ok := c.findMember(home, reference)
		if !ok {
			return nil
		}
		p, err := c.m.Path(home, member.Ref)
		if err != nil {
			return nil
		}
		paths = append(paths, reference+" is "+c.words(p))
	}
	return paths
}

func (c *compiler) findMember(home model.SourceID, reference string) (model.Member, bool) {
	name, err := expression.ParseName(reference)
	if err != nil {
		return model.Member{}, false
	}
	found, err := c.m.Lookup(home, name.Parts...)
	if err != nil || len(found) == 0 {
		return model.Member{}, false
	}
	return found[0], true
}

// measuresBeside are the measures of the source that a member belongs to.
func (c *compiler) measuresBeside(member string) []string {
	found, ok := c.findMember(model.Metrics, member)
	if !ok {
		return nil
	}
	return c.measuresOf(found.Source)
}

// usableInstead are dimensions that the measures of the request can use, and if
// there are none, those of a home: of the sources that its rows belong to, and its
// own. Keys, which group little, come last.
func (c *compiler) usableInstead(home model.SourceID) []string {
	s := c.m.Source(home)
	var joined []string
	for i := range s.Joins {
		j := &s.Joins[i]
		if j.Broken != "" || j.Relationship == model.OneToMany {
			continue
		}
		to := c.m.Source(j.To)
		called := to.Name
		if j.Role != "" {
			called = j.Role
		}
		describing, _ := publicDimensions(to, called)
		joined = append(joined, describing...)
	}
	own, keys := publicDimensions(s, s.Name)
	const mostJoined = 2
	all := slices.Concat(joined[:min(mostJoined, len(joined))], own, joined[min(mostJoined, len(joined)):], keys)
	var shared []string
	for _, reference := range all {
		if len(shared) < maxChoices && c.reachedByAll(reference) {
			shared = append(shared, reference)
		}
	}
	if shared == nil {
		return all
	}
	return shared
}

// reachedByAll reports whether each row of every home has one value of a dimension.
func (c *compiler) reachedByAll(reference string) bool {
	return !slices.ContainsFunc(c.homes, func(home model.SourceID) bool {
		member, ok := c.findMember(home, reference)
		if !ok || member.Dimension == 0 {
			return true
		}
		p, err := c.m.Path(home, member.Ref)
		return err != nil || !p.ToOne()
	})
}

// publicDimensions are the dimensions of a source that queries may use, those of
// its grain apart.
func publicDimensions(s *model.Source, called string) (describing, keys []string) {
	if s.Broken != "" || s.Visibility != model.Public {
		return nil, nil
	}
	for i := range s.Dimensions {
		d := &s.Dimensions[i]
		if d.Visibility != model.Public || d.Broken != "" {
			continue
		}
		reference := (&expression.Name{Parts: []string{called, d.Name}}).String()
		if slices.ContainsFunc(s.Grain, func(f model.Field) bool { return f.Dimension == d.ID || f.Column != "" && f.Column == d.Column }) {
			keys = append(keys, reference)
		} else {
			describing = append(describing, reference)
		}
	}
	return describing, keys
}
