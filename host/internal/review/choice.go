package review

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

// Choice is a verdict on a link, or on a group of links, as a person saw it.
type Choice struct {
	// ID is the one of a link.
	ID string
	// Version is that of the link, or that of its group: then the verdict is on all links of the group.
	Version string
	Verdict
}

// Outcome is the result of a Choice.
type Outcome struct {
	Choice
	// Links are those that were decided on, as they are now; one that is no longer known has no status.
	Links []Link
	// Before are the earlier decisions about Links, in their order; nil = there was none.
	Before []*relationship.Decision
	// Back are the choices that give Links the decisions that they had before: one for each of their groups, or for each
	// link where a group has others. A link that is no longer known has none.
	Back []Choice
	// Err is why nothing was decided: KindConflict for a link that is no longer as it was seen, KindNotFound,
	// KindInvalid.
	Err error
}

// Choose records each of several verdicts, or says why not.
// Shape: an Outcome for each choice, in their order.
// Errors: KindConflict while another process decides, KindInvalid for a malformed file of decisions, KindDenied.
func (s *Service) Choose(ctx context.Context, of Scope, choices []Choice) (_ []Outcome, err error) {
	unlock, err := s.config.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	o, err := s.Overview(ctx, of)
	if err != nil {
		return nil, err
	}
	made := &making{overview: o, now: s.config.Now().UTC().Truncate(time.Second), changed: map[string]*relationship.Decision{}}
	outcomes := make([]Outcome, len(choices))
	for i, c := range choices {
		outcomes[i] = Outcome{Choice: c}
		outcomes[i].Links, outcomes[i].Err = made.links(c)
	}
	made.refuseRivals(outcomes)
	for i := range outcomes {
		made.decide(&outcomes[i])
	}
	if len(made.changed) == 0 {
		return outcomes, nil
	}
	if err := s.put(s.config.Keys.File(of.Connection), made.merge(o.keys.Decisions())); err != nil {
		return nil, err
	}
	if o, err = s.Overview(ctx, of); err != nil {
		return nil, err
	}
	now := o.byDigest()
	var events []Event
	for i := range outcomes {
		if len(outcomes[i].Links) > 0 {
			events = append(events, outcomes[i].event(of.Connection, outcomes[i].Links))
		}
		for j := range outcomes[i].Links {
			l := &outcomes[i].Links[j]
			if at, ok := now[l.digest]; ok {
				*l = o.links[at]
			} else {
				l.Status, l.Decision = "", nil
			}
		}
		outcomes[i].Back = o.back(&outcomes[i], now)
	}
	s.record(ctx, events)
	return outcomes, nil
}

// back returns the choices that undo an outcome. now has the places of links by their digests.
func (o *Overview) back(out *Outcome, now map[string]int) (all []Choice) {
	members := map[int][]int{} // places in out.Links by group
	var groups []int
	for j := range out.Links {
		at, ok := now[out.Links[j].digest]
		if !ok {
			continue
		}
		g := o.group[at]
		if members[g] == nil {
			groups = append(groups, g)
		}
		members[g] = append(members[g], j)
	}
	for _, g := range groups {
		of := members[g]
		first := earlier(out.Before[of[0]])
		whole := len(of) == len(o.Groups[g].Links) && !slices.ContainsFunc(of, func(j int) bool { return earlier(out.Before[j]) != first })
		if whole {
			all = append(all, Choice{ID: out.Links[of[0]].ID, Version: o.Groups[g].Version(), Verdict: first})
			continue
		}
		for _, j := range of {
			all = append(all, Choice{ID: out.Links[j].ID, Version: out.Links[j].Version(), Verdict: earlier(out.Before[j])})
		}
	}
	return all
}

// earlier returns the verdict that makes a decision again; nil = there was none.
func earlier(d *relationship.Decision) Verdict {
	if d == nil {
		return Verdict{}
	}
	return Verdict{Status: d.Status, Note: d.Note}
}

// making is the decisions of one call of Choose.
type making struct {
	overview *Overview
	now      time.Time
	changed  map[string]*relationship.Decision // by digest; nil = removed
}

// links returns the links that a choice is about.
// Errors: KindNotFound, KindConflict.
func (m *making) links(c Choice) ([]Link, error) {
	at := m.overview.find(c.ID)
	if at < 0 {
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no relationship %q any more", c.ID).WithHint("look at the list again")
	}
	l, g := m.overview.links[at], &m.overview.Groups[m.overview.group[at]]
	switch {
	case c.Version == l.Version():
		return []Link{l}, nil
	case c.Version == g.Version():
		return slices.Clone(g.Links), nil
	}
	what := "its evidence changed, or the tables that are like it"
	if l.Decision != nil {
		what = "it was " + string(l.Decision.Status) + " " + l.Decision.At.UTC().Format("2006-01-02 15:04 UTC")
	}
	return nil, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s is no longer as it was seen: %s", l.Text(), what).WithHint("look at it again, then decide")
}

// refuseRivals refuses to accept several links of the same columns.
func (m *making) refuseRivals(outcomes []Outcome) {
	parents := map[string]map[string]bool{}
	each := func(f func(child string, l *Link, o *Outcome)) {
		for i := range outcomes {
			if outcomes[i].Status != relationship.Accepted {
				continue
			}
			for j := range outcomes[i].Links {
				f(childOf(outcomes[i].Links[j].Link), &outcomes[i].Links[j], &outcomes[i])
			}
		}
	}
	each(func(child string, l *Link, _ *Outcome) {
		if parents[child] == nil {
			parents[child] = map[string]bool{}
		}
		parents[child][l.digest] = true
	})
	each(func(child string, l *Link, o *Outcome) {
		if n := len(parents[child]); n > 1 && o.Err == nil {
			o.Err = sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s is one of %d chosen parents of the same columns", l.Text(), n).WithHint("accept one of them")
		}
	})
}

// decide notes the decisions of a choice, about all of its links or none.
func (m *making) decide(o *Outcome) {
	for i := range o.Links {
		l := &o.Links[i]
		if _, twice := m.changed[l.digest]; twice && o.Err == nil {
			o.Err = sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s was chosen twice", l.Text()).WithHint("look at the list again")
		}
		if o.Status == "" && l.Decision == nil && o.Err == nil {
			o.Err = sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "nothing was decided on %s", l.Text()).WithHint("look at the list again")
		}
	}
	if o.Err != nil {
		o.Links = nil
		return
	}
	for i := range o.Links {
		l := &o.Links[i]
		o.Before = append(o.Before, l.Decision)
		m.changed[l.digest] = nil
		if o.Status != "" {
			m.changed[l.digest] = &relationship.Decision{Link: l.Link, Status: o.Status, At: m.now, By: o.by(), Note: strings.TrimSpace(o.Note)}
		}
	}
}

// merge returns the decisions with those that were made.
func (m *making) merge(decisions relationship.Decisions) relationship.Decisions {
	kept := make(relationship.Decisions, 0, len(decisions)+len(m.changed))
	for _, d := range decisions {
		if l, err := newLink(relationship.Relationship{Link: d.Link}); err == nil {
			if _, gone := m.changed[l.digest]; gone {
				continue
			}
		}
		kept = append(kept, d)
	}
	for _, l := range m.overview.links { // in a stable order
		if d := m.changed[l.digest]; d != nil {
			kept = append(kept, *d)
		}
	}
	return kept
}
