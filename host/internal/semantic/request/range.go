package request

import (
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/timerange"
)

// Interval resolves a range: relative ones by the day that now is in the zone.
// Errors: CodeInvalidRequest with the accepted forms.
func (r DateRange) Interval(now time.Time, zone *time.Location) (timerange.Interval, error) {
	where := "date_range"
	if r.Field != "" {
		where += " of " + refusal.Short(r.Field)
	}
	i, err := r.resolve(where, now, zone)
	if err != nil {
		return timerange.Interval{}, err
	}
	if i.From != nil && i.Until != nil {
		if order := i.From.At.Compare(i.Until.At); order > 0 || order == 0 && !i.Until.Closed {
			return timerange.Interval{}, refusal.Invalid(where, "it ends before it begins: %s", r.words()).Advise("write the earlier end first")
		}
	}
	return i, nil
}

func (r DateRange) resolve(where string, now time.Time, zone *time.Location) (timerange.Interval, error) {
	if r.Relative != "" {
		if r.From != "" || r.To != "" {
			return timerange.Interval{}, refusal.Invalid(where, "it has both a relative range and ends").Advise("write one of %s", timerange.RangeForms)
		}
		p, ok := timerange.ParseRelative(r.Relative)
		if !ok {
			return timerange.Interval{}, refusal.Invalid(where, "%s is no range of time", refusal.Quote(r.Relative)).Advise("write one of %s", timerange.RangeForms)
		}
		return p.Interval(where, now, zone)
	}
	if r.From == "" && r.To == "" {
		return timerange.Interval{}, refusal.Invalid(where, "it has no ends").Advise("write one of %s", timerange.RangeForms)
	}
	var i timerange.Interval
	if r.From != "" {
		p, err := timerange.ParsePeriod(where, r.From, zone)
		if err != nil {
			return timerange.Interval{}, err
		}
		i.From = p.From
	}
	if r.To != "" {
		p, err := timerange.ParsePeriod(where, r.To, zone)
		if err != nil {
			return timerange.Interval{}, err
		}
		i.Until = p.Until
	}
	return i, nil
}

// words is the range as it was written.
func (r DateRange) words() string {
	switch {
	case r.Relative != "":
		return r.Relative
	case r.From == "":
		return "until " + r.To
	case r.To == "":
		return "since " + r.From
	}
	return r.From + " to " + r.To
}

// readRange reads a range in one text that is not relative: a period, or two ends
// with "to" between them.
func readRange(where, text string) (DateRange, error) {
	from, to, two := strings.Cut(strings.TrimPrefix(text, "from "), " to ")
	if !two {
		to = from
	}
	r := DateRange{From: strings.TrimSpace(from), To: strings.TrimSpace(to)}
	for _, end := range []string{r.From, r.To} {
		if _, err := timerange.ParsePeriod(where, end, time.UTC); err != nil {
			return DateRange{}, refusal.Invalid(where, "%s is no range of time", refusal.Quote(text)).Advise("write %s", timerange.RangeForms)
		}
	}
	return r, nil
}

// RangeOf makes a range of one text, which says all of it, or of two ends.
func RangeOf(where string, texts []string) (DateRange, error) {
	if len(texts) == 2 {
		return DateRange{From: texts[0], To: texts[1]}, nil
	}
	if len(texts) != 1 {
		return DateRange{}, refusal.Invalid(where, "a range has two ends, not %d", len(texts)).Advise("write %s", timerange.RangeForms)
	}
	if p, ok := timerange.ParseRelative(texts[0]); ok {
		return DateRange{Relative: p.String()}, nil
	}
	return readRange(where, texts[0])
}
