package request

import (
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/timerange"
)

var rangeForm = form[DateRange]{
	members: []member[DateRange]{
		{"relative", func(n *normaliser, g given, r *DateRange) { *r = n.rangeValue(g) }},
		{"from", func(n *normaliser, g given, r *DateRange) { r.From = n.date(g) }},
		{"to", func(n *normaliser, g given, r *DateRange) { r.To = n.date(g) }},
		{"field", func(n *normaliser, g given, r *DateRange) { r.Field = n.name(g) }},
		{"via", func(n *normaliser, g given, r *DateRange) { r.Via = n.names(g) }},
	},
	aliases: map[string]string{
		"dimension": "field", "member": "field", "start": "from", "since": "from", "end": "to", "until": "to", "range": "relative", "path": "via",
		"date_range": "relative", "daterange": "relative", "id": "field",
	},
}

// dateRange reads a range of the default time dimension.
func (n *normaliser) dateRange(g given, r *Request) {
	if o, ok := g.value.(*object); ok {
		r.DateRanges = append(r.DateRanges, n.rangeObject(g, o))
		n.note("date range", g.key+" was read as date_ranges")
		return
	}
	r.DateRanges = append(r.DateRanges, n.rangeValue(g))
	n.note("date range", g.key+" was read as a range of the default time dimension")
}

func (n *normaliser) dateRanges(g given, r *Request) {
	for _, one := range n.list(g, maxMembers) {
		o, ok := one.value.(*object)
		if !ok {
			n.invalid(one.key, "a range is an object, not %s", ValueWords(one.value)).Advise(`write {"field": "orders.created_at", "from": "2024-05-01", "to": "2024-05-31"}`)
			return
		}
		r.DateRanges = append(r.DateRanges, n.rangeObject(one, o))
	}
}

// rangeValue reads a range in one text, or its two ends.
func (n *normaliser) rangeValue(g given) DateRange {
	all := []given{g}
	if _, encoded := decodeList(g.value); encoded || !isText(g.value) { // a text is no list of one
		all = n.list(g, 2)
	}
	var texts []string
	for _, one := range all {
		if len(all) == 2 {
			texts = append(texts, n.date(one))
		} else {
			texts = append(texts, n.text(one, "a date"))
		}
	}
	if n.refused != nil {
		return DateRange{}
	}
	r, err := RangeOf(g.key, texts)
	if err != nil {
		n.fail(err)
	}
	return r
}

// date reads a date in the form of some zone.
func (n *normaliser) date(g given) string {
	s := n.text(g, "a date")
	if _, err := timerange.ParsePeriod(g.key, s, time.UTC); err != nil {
		n.fail(err)
	}
	return s
}

func (n *normaliser) rangeObject(g given, o *object) (r DateRange) {
	said := rangeForm.read(n, g.key, o, &r)
	switch {
	case said.has("relative") && said.has("from", "to"):
		n.invalid(g.key, "it has both a relative range and ends").Advise("write one of %s", timerange.RangeForms)
	case r.From == "" && r.To == "" && r.Relative == "":
		n.invalid(g.key, "it has no ends").Advise("write one of %s", timerange.RangeForms)
	}
	return r
}

func (n *normaliser) timeZone(g given, r *Request) {
	r.TimeZone = n.text(g, "a time zone")
	if _, err := timerange.Zone(r.TimeZone); err != nil {
		n.fail(err)
	}
}

// Interval resolves a range, a relative one by the present day in the zone.
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

// RangeOf makes a range from one text, or from its two ends.
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
