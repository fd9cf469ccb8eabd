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

// Choice is a verdict on a link, on several, or on a group of links, as a person saw it.
type Choice struct {
	// ID is the one of a link. More are those of other links that the verdict is on, too.
	ID   string
	More []string
	// Version is that of the links. Without More it may be that of the group of ID: then the verdict is on all links of the
	// group.
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
	// Back are the choices that give Links the decisions that they had before: one for each group that they are in now,
	// or some for those of them that are in a group with others. A link that is no longer known has none.
	Back []Choice
	// Err is why nothing was decided: KindConflict for a link that is no longer as it was seen, KindNotFound,
	// KindInvalid.
	Err error
}

// maxNamed is how many links a choice of Outcome.Back names.
const maxNamed = 500

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
	made := newMaking(o, s.config.Now())
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

// back returns the choices that undo an outcome: its links had equal decisions, since they were one group. now has the
// places of links by their digests.
func (o *Overview) back(out *Outcome, now map[string]int) (all []Choice) {
	members := map[int][]Link{} // by group
	var groups []int
	for i := range out.Links {
		at, ok := now[out.Links[i].digest]
		if !ok {
			continue
		}
		g := o.group[at]
		if members[g] == nil {
			groups = append(groups, g)
		}
		members[g] = append(members[g], o.links[at])
	}
	for _, g := range groups {
		of := members[g]
		if whole := &o.Groups[g]; len(of) == len(whole.Links) {
			all = append(all, Choice{ID: of[0].ID, Version: whole.Version(), Verdict: earlier(out.Before[0])})
			continue
		}
		for part := range slices.Chunk(of, maxNamed) {
			c := Choice{ID: part[0].ID, Version: version(part...), Verdict: earlier(out.Before[0])}
			for i := range part[1:] {
				c.More = append(c.More, part[1+i].ID)
			}
			all = append(all, c)
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
	places   map[string]int // in overview.links, by id
	now      time.Time
	changed  map[string]*relationship.Decision // by digest; nil = removed
}

func newMaking(o *Overview, now time.Time) *making {
	m := &making{overview: o, places: make(map[string]int, len(o.links)), now: now.UTC().Truncate(time.Second), changed: map[string]*relationship.Decision{}}
	for i := range o.links {
		m.places[o.links[i].ID] = i
	}
	return m
}

// links returns the links that a choice is about.
// Errors: KindNotFound, KindConflict.
func (m *making) links(c Choice) ([]Link, error) {
	var named []Link
	for _, id := range append([]string{c.ID}, c.More...) {
		at, ok := m.places[id]
		if !ok {
			return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no relationship %q any more", id).WithHint("look at the list again")
		}
		named = append(named, m.overview.links[at])
	}
	l := &named[0]
	if c.Version == version(named...) {
		return named, nil
	}
	if g := &m.overview.Groups[m.overview.group[m.places[c.ID]]]; len(named) == 1 && c.Version == g.Version() {
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
