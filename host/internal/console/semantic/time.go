package semantic

import (
	"context"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/sdk"
)

const (
	// maxTimes is how many times are offered for a chart, and maxTimed how many sources are looked at for them.
	maxTimes, maxTimed = 20, 12
	monthly            = "month"
)

// times returns the times by which a measure can be charted, none when it has a time of its own: those of its source,
// else the default times of sources that are to-one from it.
func (p *pages) times(ctx context.Context, id connection.ID, a *semanticquery.MeasureAnswer) ([]string, error) {
	own := asked{Measures: []string{a.Name}, Dimensions: []dimension{{request.MetricTime, monthly}}}
	if _, err := p.Semantic.Compile(ctx, semanticquery.Request{Connection: id, Body: own.body()}); err == nil {
		return nil, nil
	}
	var all []string
	for i := range a.Source.Dimensions {
		if d := &a.Source.Dimensions[i]; len(d.Granularities) > 0 && d.Broken == "" && !d.Internal && len(all) < maxTimes {
			all = append(all, semanticquery.MemberName(a.Source.Qualifier, d.Name))
		}
	}
	if len(all) > 0 {
		return all, nil
	}
	for i := range a.Source.Reachable[:min(len(a.Source.Reachable), maxTimed)] {
		to := &a.Source.Reachable[i]
		if to.Reference == "" {
			continue
		}
		source, err := p.Semantic.ReadSource(ctx, semanticquery.SourceRequest{Connection: id, Name: to.Source, Dimensions: []string{}})
		switch {
		case sdk.KindOf(err) == sdk.KindNotFound || sdk.KindOf(err) == sdk.KindInvalid:
			continue // it cannot be named, or is broken
		case err != nil:
			return nil, err
		case source.DefaultTimeDimension != nil:
			all = append(all, semanticquery.MemberName(to.Reference, *source.DefaultTimeDimension))
		}
	}
	return all, nil
}
