package memory

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// Impact is what a decision about a change reaches.
type Impact struct {
	// References are pages, measures, metrics, saved queries and changes that are about the target or compute from it.
	References []Reference `json:"references"`
	// More counts references that are left out.
	More int `json:"more,omitempty"`
	// When says which decision Faults are about: "approved" or "reverted".
	When string `json:"when,omitempty"`
	// Faults are those that the semantic layer would have more than now.
	Faults []string `json:"faults"`
	// Mended counts the faults that it would have no more.
	Mended int `json:"mended,omitempty"`
	// Apart counts the saved queries that compute from the same columns by their own SQL: a decision about a measure does
	// not change their numbers.
	Apart int `json:"apart,omitempty"`
	// Unread says, a sentence for each, what could not be read, so that References and Faults lack what it has.
	Unread []string `json:"unread,omitempty"`
}

// Reference is something that refers to the target of a change.
type Reference struct {
	Kind string `json:"kind"` // page, measure, metric, query, or the kind of the change
	Name string `json:"name"`
	// Path of the file, "" = it is not known.
	Path string `json:"path,omitempty"`
	// Change and State are set of a change.
	Change change.ID `json:"changeId,omitempty"`
	State  string    `json:"state,omitempty"`
	// How says in words how a saved query refers to the target.
	How string `json:"how,omitempty"`
}

const (
	// maxReferences and maxFaults bound the lists of an Impact.
	maxReferences = 50
	maxFaults     = 10
	// maxSameTarget bounds the other changes of the target.
	maxSameTarget = 20
)

// Impact returns what refers to the target of a change that Change returned, and what its approval or, of an applied
// one, its revert would break. It asks no warehouse. What cannot be read is in Unread.
// Errors: KindNotFound; those of the store and of ctx.
func (s *Service) Impact(ctx context.Context, d *Detail) (*Impact, error) {
	c, err := s.change(ctx, string(d.ID))
	if err != nil {
		return nil, err
	}
	out := &Impact{References: []Reference{}, Faults: []string{}}
	for _, p := range d.Impact {
		out.References = append(out.References, Reference{Kind: string(change.Page), Name: pageKey(strings.TrimPrefix(p, "wiki/")), Path: p})
	}
	if err := s.members(ctx, c, out); err != nil {
		return nil, err
	}
	if err := s.sameTarget(ctx, c, out); err != nil {
		return nil, err
	}
	if out.More = len(out.References) - maxReferences; out.More > 0 {
		out.References = out.References[:maxReferences]
	}
	out.More = max(out.More, 0)
	return out, nil
}

// members adds the measures that are computed from the target, and the faults of the semantic layer with the change.
func (s *Service) members(ctx context.Context, c *change.Change, out *Impact) error {
	id, below, ok := overlay(c.Path)
	if !ok {
		return nil
	}
	state, err := s.layerOf(ctx, connection.ID(id))
	if sdk.KindOf(err) == sdk.KindNotFound || err == nil && state.Model == nil { // the connection is gone
		return nil
	}
	if err != nil {
		return out.lacks(ctx, "the semantic layer of "+id, err)
	}
	out.References = append(out.References, dependents(state.Model, c.Target)...)
	next, err := s.decided(ctx, c, state.Model, below, out)
	if err != nil {
		return err
	}
	return s.saved(ctx, c, state.Model, next, out)
}

// lacks notes that something could not be read. Errors: those of ctx.
func (out *Impact) lacks(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	why := err.Error()
	if e, ok := errors.AsType[*sdk.Error](err); ok && e.Kind != sdk.KindInternal {
		why = e.Msg
	}
	out.Unread = append(out.Unread, what+" could not be read: "+why)
	return nil
}

// decided returns the semantic layer after the decision that a change waits for, and sets its faults; the layer itself
// where there is no such decision.
func (s *Service) decided(ctx context.Context, c *change.Change, m *model.Model, file string, out *Impact) (*model.Model, error) {
	var would *change.Preview
	var err error
	switch {
	case c.State == change.Pending:
		out.When = "approved"
		would, err = s.Engine.Preview(ctx, &c.Proposal)
	case c.State == change.Applied:
		out.When = "reverted"
		would, err = s.Engine.PreviewRevert(ctx, c.ID)
	default:
		return m, nil
	}
	if kind := sdk.KindOf(err); kind == sdk.KindConflict || kind == sdk.KindInvalid {
		return m, nil // the page says so already
	}
	if err != nil {
		return nil, err
	}
	changed := &model.File{Path: file}
	if would.After != nil {
		changed = model.Parse(file, would.After)
	}
	next := m.With(changed)
	out.compare(m, next)
	return next, nil
}

// layerOf returns the semantic layer of a connection. Errors: KindNotFound.
func (s *Service) layerOf(ctx context.Context, id connection.ID) (*layer.State, error) {
	all, err := s.Warehouses.Connections(ctx)
	if err != nil {
		return nil, err
	}
	of, err := all.Get(id)
	if err != nil {
		return nil, err
	}
	known, _ := s.Warehouses.Of(of).Known(ctx) // a layer can be read without the connector
	return s.Layer.Current(ctx, id, known.Dialect())
}

// compare sets the faults that a model has more than another one.
func (out *Impact) compare(m, next *model.Model) {
	was := map[string]int{}
	for _, p := range m.Problems() {
		was[faultOf(p)]++
	}
	for _, p := range next.Problems() {
		text := faultOf(p)
		if was[text]--; was[text] < 0 && len(out.Faults) < maxFaults {
			out.Faults = append(out.Faults, p.String())
		}
	}
	for _, left := range was {
		out.Mended += max(left, 0)
	}
}

// faultOf identifies a fault wherever it stands: lines move when an entry is added.
func faultOf(p model.Problem) string {
	return strings.Join([]string{p.File, p.Path, p.Source, p.Member, p.Msg}, "\x00")
}

// dependents are the measures and metrics that are computed from a measure or a column, or that use a segment:
// directly, and by way of others.
func dependents(m *model.Model, target string) (all []Reference) {
	t := targetOf(m, target)
	if t == nil {
		return nil
	}
	users := defined(m)
	for found := true; found; { // by way of others
		found = false
		for _, u := range users {
			if id := u.measure.ID; !slices.Contains(t.measures, id) && t.usedBy(u.measure) {
				t.measures, found = append(t.measures, id), true
				all = append(all, u.reference())
			}
		}
	}
	slices.SortFunc(all, func(a, b Reference) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) })
	return all
}

// reached is what a target is in a model, and what was found to use it.
type reached struct {
	source   model.SourceID
	measures []model.MeasureID
	segments []model.SegmentID
	// dimensions and column are of a column, "" = it is none.
	dimensions []model.DimensionID
	column     string
}

// targetOf finds a target by its name; nil = the model does not have it.
func targetOf(m *model.Model, target string) *reached {
	home := homeOf(target)
	name := strings.TrimPrefix(strings.TrimPrefix(target, home), ".")
	source := m.Source(model.Metrics)
	if home != "" {
		var err error
		if source, err = m.FindSource(home); source == nil || err != nil && source.Broken == "" {
			return nil
		}
	}
	t := &reached{source: source.ID}
	for i := range source.Measures {
		if source.Measures[i].Name == name {
			t.measures = append(t.measures, source.Measures[i].ID)
		}
	}
	for i := range source.Segments {
		if source.Segments[i].Name == name {
			t.segments = append(t.segments, source.Segments[i].ID)
		}
	}
	for i := range source.Dimensions {
		if d := &source.Dimensions[i]; d.Name == name || d.Column == name {
			t.dimensions, t.column = append(t.dimensions, d.ID), cmp.Or(d.Column, t.column)
		}
	}
	if len(t.measures)+len(t.segments)+len(t.dimensions) == 0 {
		return nil
	}
	return t
}

// usedBy reports whether a measure uses the target or something that was found to use it.
func (t *reached) usedBy(x *model.Measure) bool {
	field := func(e *model.Expr) bool {
		return e != nil && slices.ContainsFunc(e.Refs, func(r model.NameRef) bool {
			return r.Source == t.source && (slices.Contains(t.dimensions, r.Dimension) || t.column != "" && r.Column == t.column)
		})
	}
	return slices.ContainsFunc(x.Uses, func(id model.MeasureID) bool { return slices.Contains(t.measures, id) }) ||
		slices.ContainsFunc(x.Segments, func(id model.SegmentID) bool { return slices.Contains(t.segments, id) }) ||
		len(t.dimensions) > 0 && (field(x.Expr) || slices.ContainsFunc(x.Filter, field))
}

// user is a measure with its source.
type user struct {
	source  *model.Source
	measure *model.Measure
}

// defined returns the measures of files: those of scanned tables use no others.
func defined(m *model.Model) (all []user) {
	add := func(s *model.Source) {
		for i := range s.Measures {
			all = append(all, user{s, &s.Measures[i]})
		}
	}
	add(m.Source(model.Metrics))
	for outline := range m.Outlines() {
		if outline.File != "" && outline.ID != model.Metrics {
			add(m.Source(outline.ID))
		}
	}
	return all
}

func (u user) reference() Reference {
	if u.source.ID == model.Metrics {
		return Reference{Kind: "metric", Name: u.measure.Name}
	}
	return Reference{Kind: "measure", Name: u.source.Name + "." + u.measure.Name}
}

// sameTarget adds the other changes of the target, which are no more than waiting or applied: synonyms, descriptions.
func (s *Service) sameTarget(ctx context.Context, c *change.Change, out *Impact) error {
	list, err := s.Engine.List(ctx, change.Filter{
		Target: c.Target, Connection: c.Connection, States: []change.State{change.Pending, change.Draft, change.Applied}, Limit: maxSameTarget,
	})
	if err != nil {
		return err
	}
	for i := range list.Changes {
		o := &list.Changes[i]
		if o.ID == c.ID || o.Undoes != "" || s.seen(ctx, o) != nil {
			continue
		}
		out.References = append(out.References, Reference{
			Kind: string(o.Kind), Name: path.Base(o.Path) + ": " + o.Says, Path: o.Path, Change: o.ID, State: string(o.Shown()),
		})
	}
	return nil
}
