package usage

import (
	"context"
	"time"

	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// The values of Request.Period.
const (
	Daily   = "daily"
	Weekly  = "weekly"
	Monthly = "monthly"
	All     = "all"
)

// maxPeriods bounds the periods of a report.
const maxPeriods = 400

// Request asks for a report. Start and End are a time in RFC 3339, a day of UTC or an age such as 7d.
type Request struct {
	// Period divides the time: daily, weekly (from Monday), monthly, or all; "" = all.
	Period string
	Start  string // "" = the first recorded call
	End    string // a day is in it as a whole; "" = now
}

// window is a checked Request.
type window struct {
	period     string
	start, end time.Time // start zero = the first recorded call
}

// window checks a request.
func (r Request) window(now time.Time) (w window, err error) {
	w.period = All
	switch r.Period {
	case "", All:
	case Daily, Weekly, Monthly:
		w.period = r.Period
	default:
		return w, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "period is %q", r.Period).WithHint("choose daily, weekly, monthly or all")
	}
	if r.Start != "" {
		if w.start, _, err = moment("start", r.Start, now); err != nil {
			return w, err
		}
	}
	// A call that begins in the second that passes is in it.
	w.end = now.Truncate(time.Second).Add(time.Second)
	if r.End != "" {
		end, day, err := moment("end", r.End, now)
		if err != nil {
			return w, err
		}
		if day {
			end = end.AddDate(0, 0, 1)
		}
		if end.Before(w.end) {
			w.end = end
		}
	}
	if !w.start.IsZero() && !w.start.Before(w.end) {
		return w, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "start (%s) is not before end (%s)", clock(w.start), clock(w.end)).
			WithHint("choose a start before the end and before now")
	}
	return w, nil
}

// moment reads a time; day = it names a whole day.
func moment(name, text string, now time.Time) (at time.Time, day bool, err error) {
	if age, ok := project.ParseAge(text); ok && age >= 0 {
		return now.Add(-age), false, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.UTC(), false, nil
	}
	if at, err := time.Parse(time.DateOnly, text); err == nil {
		return at, true, nil
	}
	return at, false, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s is %q, which is no time", name, text).
		WithHint("write 90m, 7d, 2026-05-01 or 2026-05-01T12:00:00Z")
}

// begin sets the start of a window without one.
func (w *window) begin(ctx context.Context, state *store.Store) error {
	if !w.start.IsZero() {
		return nil
	}
	first, err := state.FirstCall(ctx)
	if err == nil && first.Before(w.end) {
		w.start = first
	}
	return err
}

// bounds returns the ends of the periods of a window, from its start to its end.
// Errors: KindInvalid for more periods than maxPeriods.
func (w *window) bounds() ([]time.Time, error) {
	if w.start.IsZero() {
		w.start = w.end
	}
	w.start = w.start.Truncate(time.Second)
	all := []time.Time{w.start}
	for at := w.next(w.start); w.period != All && at.Before(w.end); at = w.next(at) {
		if all = append(all, at); len(all) > maxPeriods {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there are more than %d periods from %s to %s", maxPeriods, clock(w.start), clock(w.end)).
				WithHint("ask for longer periods, such as monthly, or for a later start")
		}
	}
	return append(all, w.end), nil
}

// next returns the beginning of the period after the one of a time.
func (w *window) next(t time.Time) time.Time {
	day := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	switch w.period {
	case Weekly:
		const days = 7
		since := (int(day.Weekday()) + days - int(time.Monday)) % days
		return day.AddDate(0, 0, days-since)
	case Monthly:
		return time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	default:
		return day.AddDate(0, 0, 1)
	}
}
