package oracle

import (
	"errors"
	"fmt"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk"
)

// metricTime is the name that each measure has for the time of its own rows.
const metricTime = "metric_time"

// onAxis reports whether a name is metric_time. What the model calls so goes before.
func (w *world) onAxis(parts []string) bool {
	if len(parts) != 1 || !strings.EqualFold(parts[0], metricTime) {
		return false
	}
	unknown := func(err error) bool {
		e, ok := errors.AsType[*sdk.Error](err)
		return ok && e.Code == model.CodeUnknown
	}
	_, member := w.model.Lookup(model.Metrics, parts...)
	_, source := w.model.FindSource(parts[0])
	return unknown(member) && unknown(source)
}

// timed does something while metric_time is the time of a simple measure.
func (w *world) timed(m *model.Measure, do func() error) error {
	before := w.time
	defer func() { w.time = before }()
	time := w.timeOf(m)
	w.time = &time
	return do()
}

// timeOf is the time of a simple measure's rows.
func (w *world) timeOf(m *model.Measure) model.Ref {
	if m.Time.Dimension != 0 {
		return m.Time
	}
	return w.defaultTime(m.Home)
}

func (w *world) defaultTime(home model.SourceID) model.Ref {
	return model.Ref{Source: home, Field: model.Field{Dimension: w.model.Source(home).DefaultTime}}
}

// ownTime is metric_time, as a home sees it: where no measure is looked at, the time
// that the home has by default.
func (w *world) ownTime(home model.SourceID) (place, error) {
	ref := w.defaultTime(home)
	if w.time != nil {
		ref = *w.time
	}
	if ref.Dimension == 0 {
		return place{}, refuse(refusal.CodeNoJoinPath, "what is measured of %s has no time", w.model.Source(home).Name)
	}
	return w.reach(home, ref)
}

// times are the times of the simple measures that a measure is made of, each once.
func (w *world) times(id model.MeasureID) map[string]bool {
	all := map[string]bool{}
	m := w.model.Measure(id)
	for _, part := range m.Uses {
		for t := range w.times(part) {
			all[t] = true
		}
	}
	if m.Kind == model.Simple {
		time := w.timeOf(m)
		all[fmt.Sprint(m.Home, time.Dimension, time.Via)] = true
	}
	return all
}

// simpleOf is the first simple measure that a measure is made of.
func (w *world) simpleOf(id model.MeasureID) *model.Measure {
	m := w.model.Measure(id)
	for m.Kind != model.Simple {
		m = w.model.Measure(m.Uses[0])
	}
	return m
}
