package compile

import (
	"fmt"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/host/internal/semantic/timerange"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// zoneName is the name of a zone as the request or a source gives it, "" = UTC.
func zoneName(name string) string {
	if zone, err := timerange.Zone(name); err == nil && zone == time.UTC {
		return ""
	}
	return name
}

// inZone writes a conversion between UTC and a zone.
func (c *compiler) inZone(form dialect.Form, x expression.Node, zone string) (expression.Node, error) {
	spelled, ok := spelledZone(zone, c.d.Zones)
	if !ok {
		return nil, unsupported(c.d.Name, "the time zone "+zone, zoneAdvice[c.d.Zones])
	}
	if !c.has(form) {
		return nil, unsupported(c.d.Name, "a time zone other than UTC", "leave time_zone out")
	}
	return expression.NewForm(form, x, sdk.TypeTimestamp, map[string]string{"zone": c.d.QuoteString(spelled)}), nil
}

// zoneAdvice says which zones a dialect knows.
var zoneAdvice = map[dialect.ZoneStyle]string{
	dialect.ZoneOffset:  "use UTC, or a fixed offset such as +02:00, which has no daylight saving",
	dialect.ZoneIANA:    "use a name such as Europe/Berlin, or an offset of whole hours such as +02:00",
	"":                  "use a name such as Europe/Berlin, or an offset of whole hours such as +02:00",
	dialect.ZoneWindows: "use UTC",
}

// local is a time as a clock in the zone of the request shows it.
func (c *compiler) local(d *dimension, value expression.Node) (expression.Node, error) {
	want, stored := zoneName(c.r.TimeZone), zoneName(c.m.Source(d.id.Source()).TimeZone)
	if _, converted := storageForms[c.m.Dimension(d.id).ColumnType]; converted {
		stored = ""
	}
	switch t := c.typeOf(d.id); {
	case t == sdk.TypeDate:
		return value, nil
	case t == sdk.TypeTimestampTZ:
		if want == "" && c.d.Forms[dialect.InstantToZone] == "" {
			return value, nil
		}
		return c.inZone(dialect.InstantToZone, value, want)
	case want == stored:
		return value, nil
	case t == sdk.TypeUnspecified:
		return nil, refusal.New(refusal.CodeNotSupported, "%s cannot be read in another zone than its own: how it is stored is not known", d.text()).About(d.text()).
			Advise("add column_type (date, timestamp or timestamptz) to the dimension")
	}
	if stored != "" {
		var err error
		if value, err = c.inZone(dialect.ToUTC, value, stored); err != nil {
			return nil, err
		}
	}
	if want == "" {
		return value, nil
	}
	return c.inZone(dialect.ToZone, value, want)
}

// dateRange is a range of the request on one dimension.
type dateRange struct {
	timerange.Interval
	// periods is set instead where the ends are those of periods of a calendar.
	periods *periodRange
	field   filterField
	id      model.DimensionID
	home    model.SourceID // field is found from
	axis    bool           // it is about metric_time
	where   string
}

// selectRange makes a condition of a date range.
func (c *compiler) selectRange(i int) error {
	r := c.r.DateRanges[i]
	where := fmt.Sprintf("date_ranges[%d]", i)
	if r.Field != "" && !c.isMetricTimeField(r.Field, r.Via) {
		name, err := fieldName(where, r.Field, r.Via)
		if err != nil {
			return err
		}
		return c.addRange(where, r, name, c.homes[0], nil)
	}
	for _, t := range c.times {
		if err := c.addRange(where, r, t.name, t.home, t); err != nil {
			return err
		}
	}
	return nil
}

// addRange makes conditions of a range on a field as a home sees it; of: on the rows
// with this time alone.
func (c *compiler) addRange(where string, r request.DateRange, name *expression.Name, home model.SourceID, of *ownTime) error {
	span, periods, err := c.interval(r, nameText(name))
	if err != nil {
		return err
	}
	ref, err := c.dimensionOf(home, name)
	if err != nil {
		return err
	}
	found := &dateRange{Interval: span, periods: periods, field: c.fieldOf(name, ref), id: ref.Dimension, home: home, axis: of != nil, where: where}
	c.ranges = append(c.ranges, found)
	tree, err := found.field.ranged(where, span, periods)
	if err != nil {
		return err
	}
	for _, term := range expression.Conjuncts(tree) {
		c.filters = append(c.filters, formula{tree: term, written: c.show(term), where: where, shown: found, time: of})
	}
	return nil
}
