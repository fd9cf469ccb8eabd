package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk/dialect"
)

const (
	// maxTwins is how many measures a new one is compared with.
	maxTwins = 40
	// twinMonths is over how many closed months they are compared.
	twinMonths = 3
)

// twins looks for a measure of the same source with the same numbers.
func (t *trial) twins(ctx context.Context, p *change.Proposal, r period, now time.Time) error {
	others := t.others(p.Target)
	if len(others) == 0 || t.away != "" {
		return nil
	}
	ask := request.Request{
		Measures: []request.Measure{{Name: p.Target}}, OrderBy: []request.Order{{Field: request.MetricTime, Desc: true}}, Limit: twinMonths,
		Dimensions: []request.Dimension{{Field: request.MetricTime, Grain: dialect.Month, Name: request.MetricTime}},
	}
	first := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	ask.DateRanges = []request.DateRange{{To: first.AddDate(0, 0, -1).Format(time.DateOnly)}}
	if r.name != "" {
		ask.DateRanges[0].From = first.AddDate(0, -twinMonths, 0).Format(time.DateOnly)
	}
	var names []string
	for _, other := range others { // one that has no such time is not compared
		with := ask
		with.Measures = append(slices.Clone(ask.Measures), request.Measure{Name: other})
		if _, err := compile.Compile(t.model, t.view.dialect, with, compile.Options{Now: now, Ended: t.ended}); err == nil {
			ask.Measures, names = with.Measures, append(names, other)
		}
	}
	if len(names) == 0 {
		return t.ended()
	}
	q, err := compile.Compile(t.model, t.view.dialect, ask, compile.Options{Now: now, Ended: t.ended})
	if err != nil {
		return t.ended() // together they are too much; the measure itself runs
	}
	rows, err := t.ask(ctx, p, q)
	if err != nil || p.Verified.Level == levelPlans {
		p.Verified.Level, p.Verified.Reason = levelRuns, "it was not compared with other measures"
		return ctx.Err()
	}
	for i, name := range names {
		if sameNumbers(rows, 1, 2+i) {
			p.Verified = &change.Verified{Level: levelEqual, At: now, Of: name}
			wait(p, change.WhyTwin, fmt.Sprintf("%s has the same numbers as %s.", p.Target, name))
			return nil
		}
	}
	return nil
}

// others names the measures that a new one may be the twin of: those of its source; for one over several sources, the
// metrics.
func (t *trial) others(target string) (all []string) {
	home, name, ok := strings.Cut(target, ".")
	of, prefix := t.model.Source(model.Metrics), ""
	if !ok {
		name = target
	} else if found, err := t.model.FindSource(home); err == nil {
		of, prefix = found, home+"."
	} else {
		return nil
	}
	for i := range of.Measures {
		if m := &of.Measures[i]; m.Visibility == model.Public && m.Broken == "" && m.Name != name && len(all) < maxTwins {
			all = append(all, prefix+m.Name)
		}
	}
	return all
}

// sameNumbers reports whether two columns have equal values that are not all zero or NULL.
func sameNumbers(rows [][]json.RawMessage, a, b int) bool {
	some := false
	for _, row := range rows {
		if len(row) <= max(a, b) || !equalNumbers(row[a], row[b]) {
			return false
		}
		some = some || !empty(row[a])
	}
	return some
}

// number reads a JSON number, or a text that holds one; nil = it is none.
func number(cell json.RawMessage) *big.Rat {
	n, ok := new(big.Rat).SetString(strings.Trim(string(cell), `"`))
	if !ok {
		return nil
	}
	return n
}

func equalNumbers(a, b json.RawMessage) bool {
	x, y := number(a), number(b)
	if x == nil || y == nil {
		return bytes.Equal(a, b)
	}
	return x.Cmp(y) == 0
}

// empty reports whether a value is NULL or zero.
func empty(cell json.RawMessage) bool {
	n := number(cell)
	return string(cell) == "null" || n != nil && n.Sign() == 0
}
