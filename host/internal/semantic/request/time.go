package request

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/timerange"
)

var (
	rangeKeys    = []string{"field", "via", "from", "to", "relative"}
	rangeAliases = map[string]string{
		"dimension": "field", "member": "field", "start": "from", "since": "from", "end": "to", "until": "to", "range": "relative", "path": "via",
		"date_range": "relative", "daterange": "relative", "id": "field",
	}
)

// timeDimensions reads Cube's list: a granularity makes a dimension of an entry, a
// range limits it.
func (n *normaliser) timeDimensions(g given) error {
	all, err := n.list(g, maxMembers)
	if err != nil {
		return err
	}
	if len(all) > 0 {
		n.note("time dimensions", g.key+" was read as dimensions with a granularity and date_ranges")
	}
	for _, one := range all {
		o, ok := one.value.(*object)
		if !ok {
			return refusal.Invalid(one.key, "it is an object, not %s", ValueWords(one.value)).Advise(`write {"field": "orders.created_at", "granularity": "month"} in dimensions`)
		}
		d, r, err := n.dimension(one, o)
		if err != nil {
			return err
		}
		if d.Grain != "" {
			n.r.Dimensions = append(n.r.Dimensions, d)
		} else if r == nil {
			return refusal.Invalid(one.key, "it has neither a granularity nor a range").Advise(`write {"field": "orders.created_at", "granularity": "month"} in dimensions`)
		}
		if r != nil {
			n.r.DateRanges = append(n.r.DateRanges, *r)
		}
	}
	return nil
}

// dateRange reads a range of the default time dimension.
func (n *normaliser) dateRange(g given) error {
	if o, ok := g.value.(*object); ok {
		r, err := n.rangeObject(g, o)
		n.r.DateRanges = append(n.r.DateRanges, r)
		n.note("date range", g.key+" was read as date_ranges")
		return err
	}
	r, err := n.rangeValue(g)
	n.r.DateRanges = append(n.r.DateRanges, r)
	n.note("date range", g.key+" was read as a range of the default time dimension")
	return err
}

func (n *normaliser) dateRanges(g given) error {
	all, err := n.list(g, maxMembers)
	if err != nil {
		return err
	}
	for _, one := range all {
		o, ok := one.value.(*object)
		if !ok {
			return refusal.Invalid(one.key, "a range is an object, not %s", ValueWords(one.value)).Advise(`write {"field": "orders.created_at", "from": "2024-05-01", "to": "2024-05-31"}`)
		}
		r, err := n.rangeObject(one, o)
		if err != nil {
			return err
		}
		n.r.DateRanges = append(n.r.DateRanges, r)
	}
	return nil
}

// rangeValue reads a range in one text, or its two ends.
func (n *normaliser) rangeValue(g given) (DateRange, error) {
	all, err := n.list(given{g.key, unwrapped(g.value)}, 2)
	if err != nil {
		return DateRange{}, err
	}
	var texts []string
	for _, one := range all {
		s, err := one.text("a date")
		if err != nil {
			return DateRange{}, err
		}
		texts = append(texts, s)
	}
	for i, text := range texts {
		if len(texts) == 2 {
			if err := checkDate(all[i].key, text); err != nil {
				return DateRange{}, err
			}
		}
	}
	return RangeOf(g.key, texts)
}

// unwrapped leaves a range in one text alone, which is no list of one.
func unwrapped(v any) any {
	if s, ok := v.(string); ok {
		if _, list := decodeList(s); !list {
			return []any{s}
		}
	}
	return v
}

func (n *normaliser) rangeObject(g given, o *object) (r DateRange, err error) {
	fields, err := n.keys(g.key, o, rangeKeys, rangeAliases)
	if err != nil {
		return r, err
	}
	if f := fields["relative"]; f != nil {
		if fields["from"] != nil || fields["to"] != nil {
			return r, refusal.Invalid(g.key, "it has both a relative range and ends").Advise("write one of %s", timerange.RangeForms)
		}
		if r, err = n.rangeValue(f[0]); err != nil {
			return r, err
		}
	}
	for _, end := range []struct {
		key string
		to  *string
	}{{"from", &r.From}, {"to", &r.To}} {
		if f := fields[end.key]; f != nil {
			if *end.to, err = f[0].text("a date"); err != nil {
				return r, err
			}
			if err := checkDate(f[0].key, *end.to); err != nil {
				return r, err
			}
		}
	}
	if r.From == "" && r.To == "" && r.Relative == "" {
		return r, refusal.Invalid(g.key, "it has no ends").Advise("write one of %s", timerange.RangeForms)
	}
	if f := fields["field"]; f != nil {
		if r.Field, err = n.name(f[0]); err != nil {
			return r, err
		}
	}
	if f := fields["via"]; f != nil {
		r.Via, err = n.names(f[0])
	}
	return r, err
}

func (n *normaliser) timeZone(g given) error {
	s, err := g.text("a time zone")
	if err != nil {
		return err
	}
	if _, err := timerange.Zone(s); err != nil {
		return err
	}
	n.r.TimeZone = s
	return nil
}

func (n *normaliser) limit(g given) (err error) {
	if n.r.Limit, err = n.count(g); err != nil {
		return err
	}
	switch {
	case n.r.Limit < 1:
		return refusal.Invalid(g.key, "%d rows cannot be asked for", n.r.Limit).Advise("write a number from 1 to %d, or leave it out for %d rows", MaxLimit, DefaultLimit)
	case n.r.Limit > MaxLimit:
		return refusal.Invalid(g.key, "%d rows are too many; the limit is %d", n.r.Limit, MaxLimit).Advise("write a number from 1 to %d and page with offset", MaxLimit)
	case n.r.Limit == DefaultLimit:
		n.r.Limit = 0
	}
	return nil
}

func (n *normaliser) offset(g given) (err error) {
	if n.r.Offset, err = n.count(g); err == nil && n.r.Offset < 0 {
		return refusal.Invalid(g.key, "it must not be negative").Advise("write 0 or more, or leave it out")
	}
	return err
}

func (n *normaliser) fanout(g given) error {
	word, err := g.oneOf([]string{string(FanoutDistinct), string(FanoutError)})
	n.r.Fanout = Fanout(word) // distinct too: what is left out may have another default
	return err
}

// connection reads the id of the connection, which belongs to the call.
func (n *normaliser) connection(g given) (err error) {
	n.call.Connection, err = g.text("an id")
	return err
}

// include reads what the answer shows, which belongs to the call.
func (n *normaliser) include(g given) error {
	all, err := n.list(g, maxMembers)
	for _, one := range all {
		word, err := one.oneOf([]string{"sql", "plan"})
		if err != nil {
			return err
		}
		n.call.SQL = n.call.SQL || word == "sql"
		n.call.Plan = n.call.Plan || word == "plan"
	}
	return err
}

// truth reads true or false.
func (n *normaliser) truth(g given, to *bool) error {
	switch v := g.value.(type) {
	case bool:
		*to = v
		return nil
	case string:
		if v == "true" || v == "false" {
			*to = v == "true"
			n.note("truth", fmt.Sprintf("%s was read as %s", g.key, v))
			return nil
		}
	}
	return refusal.Invalid(g.key, "it is true or false, not %s", ValueWords(g.value)).Advise("write true or false, without quotes")
}

// count reads a whole number.
func (n *normaliser) count(g given) (int, error) {
	v := g.value
	if s, ok := v.(string); ok {
		if number, err := decode([]byte(s)); err == nil {
			if _, ok := number.(json.Number); ok {
				n.note("number", fmt.Sprintf("%s was read as a number", g.key))
				v = number
			}
		}
	}
	f, ok := numberValue(v)
	if !ok || f != math.Trunc(f) || math.Abs(f) > maxCount {
		return 0, refusal.Invalid(g.key, "it is a whole number, not %s", ValueWords(g.value)).Advise("write a number without quotes, as in 100")
	}
	return int(f), nil
}

// maxCount is the greatest whole number below which a float64 has all of them.
const maxCount = 1 << 53

func numberValue(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

// checkDate refuses what is no date in any zone.
func checkDate(where, text string) error {
	_, err := timerange.ParsePeriod(where, text, time.UTC)
	return err
}
