package compile

import (
	"fmt"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// dateForms says how the end of a range is written.
const dateForms = "a day as 2024-05-15, a month as 2024-05, a quarter as 2024-Q2, a year as 2024, a time of the query's zone as 2024-05-15 13:14:15, or an instant as 2024-05-15T13:14:15+02:00"

// rangeForms says how a whole range is written.
const rangeForms = `["2024-05-01", "2024-05-31"] with both ends included, "2024-05", "today", "yesterday", "this month", "last quarter", "last 7 days", "next 2 weeks", "year to date", "since 2024-05-01" or "until 2024-05-31"`

// interval is a range of time in a query's zone.
// Shape: an end that is nil is open. Both ends are in order.
type interval struct {
	from, until *bound
}

// bound is an end of an interval.
type bound struct {
	at time.Time // in the query's zone
	// day is set when the end is the beginning of a day: the date, at UTC midnight.
	day time.Time
	// closed: the moment itself belongs to the interval. Only for the end of one.
	closed bool
}

func beginning(day time.Time, zone *time.Location) *bound {
	return &bound{at: startOf(day, zone), day: day}
}

// interval resolves a range: relative ones by the day that now is in the zone.
// Errors: CodeInvalidRequest with the accepted forms.
func (r DateRange) interval(now time.Time, zone *time.Location) (interval, error) {
	where := "date_range"
	if r.Field != "" {
		where += " of " + cut(r.Field, maxQuote)
	}
	i, err := r.resolve(where, now, zone)
	if err != nil {
		return interval{}, err
	}
	if i.from != nil && i.until != nil {
		if order := i.from.at.Compare(i.until.at); order > 0 || order == 0 && !i.until.closed {
			return interval{}, invalidRequest(where, "it ends before it begins: %s", r.words()).fix("write the earlier end first")
		}
	}
	return i, nil
}

func (r DateRange) resolve(where string, now time.Time, zone *time.Location) (interval, error) {
	if r.Relative != "" {
		if r.From != "" || r.To != "" {
			return interval{}, invalidRequest(where, "it has both a relative range and ends").fix("write one of %s", rangeForms)
		}
		p, ok := parseRelative(r.Relative)
		if !ok {
			return interval{}, invalidRequest(where, "%s is no range of time", quote(r.Relative)).fix("write one of %s", rangeForms)
		}
		return p.interval(where, now, zone)
	}
	if r.From == "" && r.To == "" {
		return interval{}, invalidRequest(where, "it has no ends").fix("write one of %s", rangeForms)
	}
	var i interval
	if r.From != "" {
		p, err := parsePeriod(where, r.From, zone)
		if err != nil {
			return interval{}, err
		}
		i.from = p.from
	}
	if r.To != "" {
		p, err := parsePeriod(where, r.To, zone)
		if err != nil {
			return interval{}, err
		}
		i.until = p.until
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

// String says which days or moments belong to the interval.
func (i interval) String() string {
	var parts []string
	if i.from != nil {
		parts = append(parts, "from "+i.from.words(0))
	}
	if i.until != nil {
		last := -1 // the last day that belongs to it
		word := "to "
		if i.until.day.IsZero() {
			last = 0
			if !i.until.closed {
				word = "to before "
			}
		}
		parts = append(parts, word+i.until.words(last))
	}
	return strings.Join(parts, " ")
}

func (b *bound) words(days int) string {
	if b.day.IsZero() {
		return b.at.Format("2006-01-02 15:04:05.999999 -07:00")
	}
	return b.day.AddDate(0, 0, days).Format(time.DateOnly)
}

// condition limits a time to the interval, in the way it is stored: a date by
// days, a timestamp by what clocks in its own zone show.
// Errors: CodeInvalidRequest for what has no times, or none that are fine enough.
func (i interval) condition(where string, f filterField) (expression.Node, error) {
	var all []expression.Node
	for _, end := range []*bound{i.from, i.until} {
		if end == nil {
			continue
		}
		literal, err := f.literal(where, end)
		if err != nil {
			return nil, err
		}
		op := expression.GreaterEqual
		switch {
		case end == i.until && end.closed:
			op = expression.LessEqual
		case end == i.until:
			op = expression.Less
		}
		all = append(all, &expression.Binary{Op: op, Left: f.Name, Right: literal})
	}
	return expression.Conjoin(all...), nil
}

// literal writes the end of an interval as a value of the field.
func (f *filterField) literal(where string, b *bound) (expression.Node, error) {
	stored, err := zoneOf(f.Zone)
	if err != nil {
		return nil, err
	}
	clock := b.at.In(stored).Format("2006-01-02 15:04:05.999999")
	day := b.day.Format(time.DateOnly)
	var l *expression.Literal
	ok := true
	switch {
	case f.Type == sdk.TypeDate && b.day.IsZero():
		return nil, invalidRequest(where, "%s has days and no times of day", f).about(f.String()).fix("write days, as in 2024-05-15")
	case f.Type == sdk.TypeDate:
		l, ok = expression.Date(day)
	case f.Type == sdk.TypeTimestamp:
		l, ok = expression.Timestamp(clock)
	case f.Type == sdk.TypeTimestampTZ:
		l, ok = expression.TimestampTZ(b.at.UTC().Format("2006-01-02 15:04:05.999999") + "Z")
	case f.Type == sdk.TypeUnspecified:
		return nil, f.unknownTime(where)
	default:
		return nil, f.noTime(where)
	}
	if !ok {
		return nil, invalidRequest(where, "the range leaves the years 1 to 9999").fix("leave the end open that is out of them: \"since 2024-05-01\", \"until 2024-05-31\"")
	}
	return l, nil
}

func (f *filterField) noTime(where string) *Error {
	return invalidRequest(where, "%s is %s, not a time", f, typeWords(f.Type)).about(f.String()).fix("use a time dimension, or compare with equals, gt, lt")
}

// parsePeriod reads one end of a range as the time that it takes up: a day, a
// month, a quarter, a year, or a moment.
func parsePeriod(where, text string, zone *time.Location) (interval, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxDateText {
		return interval{}, badDate(where, text)
	}
	for _, layout := range []struct {
		form                string
		years, months, days int
	}{{time.DateOnly, 0, 0, 1}, {"2006-01", 0, 1, 0}, {"2006", 1, 0, 0}} {
		if day, err := time.Parse(layout.form, text); err == nil && day.Year() > 0 {
			return interval{beginning(day, zone), beginning(day.AddDate(layout.years, layout.months, layout.days), zone)}, nil
		}
	}
	var year, quarter int
	if n, err := fmt.Sscanf(strings.ToUpper(text), "%4d-Q%1d", &year, &quarter); err == nil && n == 2 && len(text) == 7 && quarter >= 1 && quarter <= 4 && year > 0 {
		day := time.Date(year, time.Month(3*quarter-2), 1, 0, 0, 0, 0, time.UTC)
		return interval{beginning(day, zone), beginning(day.AddDate(0, 3, 0), zone)}, nil
	}
	at, err := parseMoment(where, text, zone)
	if err != nil {
		return interval{}, err
	}
	return interval{&bound{at: at}, &bound{at: at, closed: true}}, nil
}

// maxDateText is longer than any date.
const maxDateText = 64

func badDate(where, text string) *Error {
	return invalidRequest(where, "%s is no date or time", quote(text)).fix("write %s", dateForms)
}

// parseMoment reads a time of the zone, or one with an offset.
func parseMoment(where, text string, zone *time.Location) (time.Time, error) {
	written := text
	if len(text) > len(time.DateOnly) && (text[len(time.DateOnly)] == 'T' || text[len(time.DateOnly)] == 't') {
		text = text[:len(time.DateOnly)] + " " + text[len(time.DateOnly)+1:]
	}
	const finest = 1000 // nanoseconds
	for _, layout := range []string{"2006-01-02 15:04Z07:00", "2006-01-02 15:04:05Z07:00"} {
		if t, err := time.Parse(layout, text); err == nil && t.Nanosecond()%finest == 0 && t.UTC().Year() > 0 {
			return t.In(zone), nil
		}
	}
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02 15:04:05"} {
		t, err := time.Parse(layout, text)
		if err != nil || t.Nanosecond()%finest != 0 || t.Year() == 0 {
			continue
		}
		all := momentsOf(t, zone)
		if len(all) == 1 {
			return all[0], nil
		}
		how := "is left out"
		if len(all) > 1 {
			how = "comes twice"
		}
		return time.Time{}, invalidRequest(where, "%s %s in %s, where clocks change", quote(written), how, zone).fix("write it with its offset, as in 2024-05-15T13:14:15+02:00")
	}
	return time.Time{}, badDate(where, written)
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
		if _, err := parsePeriod(where, end, time.UTC); err != nil {
			return DateRange{}, invalidRequest(where, "%s is no range of time", quote(text)).fix("write %s", rangeForms)
		}
	}
	return r, nil
}
