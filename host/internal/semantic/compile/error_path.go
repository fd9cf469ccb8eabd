package compile

import (
	"cmp"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

// use is what a query does with a member that a measure has to reach.
type use string

const (
	groupBy  use = "grouped by"
	filterBy use = "filtered by"
)

// pathError is what the model has against the way from the home of a measure to a
// member.
func (c *compiler) pathError(err error, home model.SourceID, measure, member string, u use) *refusal.Error {
	known, code := refusal.ModelError(err)
	if code == "" {
		return refusal.From(err)
	}
	if code == refusal.CodeDimension && u == filterBy {
		code = refusal.CodeFilter
	}
	e := refusal.New(code, "%s cannot be %s %s: %s", measure, u, member, known.Msg).About(member).Of(measure).Because(err)
	switch code {
	case refusal.CodeAmbiguousPath:
		if len(known.Candidates) == 0 {
			return e.Advise(known.Hint)
		}
		if paths := c.pathsTo(home, known.Candidates); paths != nil { // which say what the message does
			e = e.Reword("%s cannot be %s %s: several ways lead there, to different rows", measure, u, member).Over(paths)
		}
		return e.Choices(known.Candidates).Advise("write the way that is meant: %s", known.Candidates[0])
	case refusal.CodeDimension:
		e = e.Choices(c.usableInstead(home))
		if own := c.measuresBeside(member); len(own) > 0 {
			return e.Advise("ask for %s by %s in a query of its own, or drop %s", own[0], member, member)
		}
		return e.Advise("drop %s, or drop %s", member, measure)
	case refusal.CodeFilter:
		return e.Choices(c.usableInstead(home)).
			Advise(`give the filter to the measures that it can apply to, as in {"measure": …, "filters": ["%s = …"]}, or drop %s`, member, measure)
	case refusal.CodeNoJoinPath:
		return e.Choices(c.usableInstead(home)).Advise(known.Hint)
	}
	return e.Choices(known.Candidates).Advise(known.Hint)
}

// pathsTo tells in words how references lead to what they mean; nil when one of
// those that are shown does not.
func (c *compiler) pathsTo(home model.SourceID, references []string) (paths []string) {
	for _, reference := range references[:min(refusal.MaxChoices, len(references))] {
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
		describing, _ := publicDimensions(to, cmp.Or(j.Role, to.Name))
		joined = append(joined, describing...)
	}
	own, keys := publicDimensions(s, s.Name)
	const mostJoined = 2
	all := slices.Concat(joined[:min(mostJoined, len(joined))], own, joined[min(mostJoined, len(joined)):], keys)
	var shared []string
	for _, reference := range all {
		if len(shared) < refusal.MaxChoices && c.reachedByAll(reference) {
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
