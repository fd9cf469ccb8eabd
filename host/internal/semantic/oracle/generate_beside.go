package oracle

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/request"
)

// nearInTime are measures that may read the rows of one that goes by time.
var nearInTime = []string{"n", "total", "mean", "least", "latest", "known", "some", "some_n", "kinds", "some_kinds", "rate", "part",
	"before", "before_twice", "running", "recent", "recent_before", "this_year", "year_before", "mean_year", "running_before",
	"kinds_recent", "kinds_running", "distinct_recent", "distinct_running", "distinct_before", "part_of_running", "part_of_before"}

// besideInTime adds measures to one of the same source that goes by time, and at times
// an end of the range that cuts a period.
func (g *Generator) besideInTime(r *request.Request) {
	aside := &Generator{rng: g.aside, Features: g.Features}
	if !g.timed(r.Measures) || !aside.feature(50, "measures beside one that goes by time") {
		return
	}
	source, _, _ := strings.Cut(r.Measures[0].Name, ".")
	at := slices.IndexFunc(g.sources, func(d *draft) bool { return d.name == source })
	if at < 0 {
		return
	}
	var known []string
	for _, name := range nearInTime {
		taken := slices.ContainsFunc(r.Measures, func(m request.Measure) bool { return m.Name == source+"."+name })
		if slices.Contains(g.sources[at].measures, name) && !taken {
			known = append(known, name)
		}
	}
	for range min(len(known), 1+aside.rng.IntN(2)) {
		i := aside.rng.IntN(len(known))
		r.Measures = append(r.Measures, request.Measure{Name: source + "." + known[i]})
		known = slices.Delete(known, i, i+1)
	}
	for i := range r.DateRanges {
		cut := &r.DateRanges[i]
		if from := pick(aside, "05", "15", "28"); cut.From != "" && (cut.To == "" || cut.From[:8]+from <= cut.To) && aside.feature(30, "range that cuts a period") {
			cut.From = cut.From[:8] + from
		}
	}
}
