package oracle

import (
	"errors"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// dimension is what a measure is broken down by, before a home is known.
type dimension struct {
	label string
	find  func(home model.SourceID) (place, error)
	grain dialect.Grain
	// axis: it is metric_time.
	axis bool
	// tree is set when the value is computed instead; one that is the moment of a field
	// may be cut to a period, as may be what a nested measure is per.
	tree   expression.Node
	cut    dialect.Grain
	moment place
	// dropped: its groups are taken together, under NULL.
	dropped bool
}

// limits are the periods that are counted: [from, before), "" = open.
type limits struct {
	find         func(home model.SourceID) (place, error)
	from, before string
	axis         bool     // on metric_time
	days         *almanac // that has the days; nil = any day
}

// scope is what rows a measure looks at and how it groups them.
type scope struct {
	dims     []dimension
	rows     []expression.Node // conditions on rows
	own      []expression.Node // conditions of the measure alone
	segments []model.SegmentID
	ranges   []limits
	fanout   request.Fanout
	zone     *time.Location // in which days begin
	// only tells the groups whose rows count; nil = of all. conditional: they are
	// those that satisfy conditions on measures.
	only        func(tuple []any) bool
	conditional bool
	// time is what measures of other times go by: the time dimension of the request,
	// else the time that its ranges are about; nil = neither.
	time *dimension
	// window finds the time dimension that this is one window of: rows were groups of it
	// before; nil = it is none.
	window func(home model.SourceID) (place, error)
	// shown are the periods that measures over windows are there in, nil = those of
	// their own rows.
	shown []string
}

// hit is a home row in a group.
type hit struct {
	home   int
	tuple  []any
	choice choice
}

// view is a scope as one home sees it.
type view struct {
	world *world
	scope
	home   model.SourceID
	places []place // of dims; the zero place for what is computed
	values []*scoped
	rows   []*scoped
	own    []*scoped
	ranges []place
	need   []place
}

func (w *world) viewOf(home model.SourceID, s scope) (*view, error) {
	l := &view{world: w, scope: s, home: home}
	var groups []place
	for _, d := range s.dims {
		value, here, err := w.places(home, d)
		if err != nil {
			return nil, from(err, refusal.CodeDimension)
		}
		for _, p := range here {
			if p.downs() > 0 && s.fanout == request.FanoutError {
				return nil, refuse(refusal.CodeFanout, "%s is finer than %s", d.label, w.model.Source(home).Name)
			}
		}
		l.need, groups = append(l.need, here...), append(groups, here...)
		l.values = append(l.values, value)
		if value != nil {
			here = []place{{}}
		}
		l.places = append(l.places, here...)
	}
	var err error
	if l.rows, err = l.bindAll(s.rows); err != nil {
		return nil, err
	}
	if l.own, err = l.bindAll(s.own); err != nil {
		return nil, err
	}
	for _, id := range s.segments {
		if err := l.segment(id); err != nil {
			return nil, err
		}
	}
	if s.window != nil {
		p, err := s.window(home)
		if err != nil {
			return nil, from(err, refusal.CodeDimension)
		}
		groups = append(groups, p)
	}
	if err := errors.Join(l.unclear(l.rows, len(s.rows), groups), l.unclear(l.own, len(s.own), nil)); err != nil {
		return nil, err
	}
	for _, r := range s.ranges {
		p, err := r.find(home)
		if err != nil {
			return nil, from(err, refusal.CodeFilter)
		}
		if l.world.unknownTime(p) {
			return nil, refuse(refusal.CodeInvalidRequest, "a range of a time of which nobody knows how it is stored")
		}
		l.need, l.ranges = append(l.need, p), append(l.ranges, p)
	}
	return l, nil
}

// places are those of a dimension as a home sees it: of its field, or of all that its
// value is computed from.
func (w *world) places(home model.SourceID, d dimension) (value *scoped, all []place, err error) {
	if d.tree == nil {
		p, err := d.find(home)
		return nil, []place{p}, err
	}
	if value, err = w.bind(home, d.tree); err != nil {
		return nil, nil, err
	}
	for _, p := range value.places {
		all = append(all, p)
	}
	return value, all, nil
}

// from gives a refusal the code of the place where it is met, when it says that
// no way leads there.
func from(err error, code refusal.Code) error {
	if r, ok := errors.AsType[*Refusal](err); ok && r.Code == refusal.CodeNoJoinPath {
		return &Refusal{code, r.Why}
	}
	return err
}

func (l *view) bindAll(trees []expression.Node) (all []*scoped, err error) {
	for _, tree := range trees {
		s, err := l.world.bind(l.home, tree)
		if err != nil {
			return nil, from(err, refusal.CodeFilter)
		}
		l.needs(s)
		all = append(all, s)
	}
	return all, nil
}

func (l *view) needs(s *scoped) {
	for _, p := range s.places {
		l.need = append(l.need, p)
	}
}

// segment adds the condition of a segment, which belongs to some source.
func (l *view) segment(id model.SegmentID) error {
	at := id.Source()
	var steps []model.Step
	if at != l.home {
		p, err := l.world.reach(l.home, model.Ref{Source: at})
		if err != nil {
			return from(err, refusal.CodeFilter)
		}
		steps = p.steps
	}
	s, err := l.world.bindDefinition(steps, at, l.world.model.Segment(id).Expr)
	if err != nil {
		return from(err, refusal.CodeFilter)
	}
	l.needs(s)
	l.rows = append(l.rows, s)
	return nil
}

// hits are the rows of the home in the groups that they belong to, one per
// combination of finer rows that satisfies every condition.
func (l *view) hits() []hit {
	var all []hit
	for i := range l.world.table(l.home).Rows {
		for _, c := range l.world.choices(row{l.home, i}, l.need) {
			if !l.world.some(func() bool { return l.counts(c) }) {
				continue
			}
			tuple := l.tuple(c)
			if l.only != nil && !l.only(tuple) {
				continue
			}
			for k, d := range l.dims {
				if d.dropped {
					tuple[k] = nil
				}
			}
			all = append(all, hit{i, tuple, c})
		}
	}
	return all
}

func (l *view) counts(c choice) bool {
	for _, s := range l.rows {
		if !l.world.holds(c, s) {
			return false
		}
	}
	for i, p := range l.ranges {
		v, ok := l.local(p, l.world.at(c, p)).(string)
		r := l.scope.ranges[i]
		if !ok || r.from != "" && v < r.from || r.before != "" && v >= r.before {
			return false
		}
		if r.days != nil && r.days.holding(v) < 0 {
			return false
		}
	}
	return true
}

// local reads a timestamp on the clocks of the request's zone.
func (l *view) local(p place, v any) any {
	s, ok := v.(string)
	t := l.world.typeOf(p.source, p.field)
	if !ok || t != sdk.TypeTimestamp && t != sdk.TypeTimestampTZ {
		return v
	}
	return utc(s, l.world.clocks(p)).In(l.zone).Format(clockLayout)
}

func (l *view) tuple(c choice) []any {
	tuple := make([]any, len(l.dims))
	for i, d := range l.dims {
		if d.tree != nil {
			tuple[i] = l.world.compute(c, l.values[i])
			if s, ok := l.local(d.moment, tuple[i]).(string); ok && d.cut != "" {
				tuple[i] = periodOf(d.cut, instant(s))
			}
			continue
		}
		tuple[i] = l.world.at(c, l.places[i])
		if s, ok := l.local(l.places[i], tuple[i]).(string); ok && d.grain+d.cut != "" {
			tuple[i] = l.world.periodIn(d.grain+d.cut, s)
		}
	}
	return tuple
}
