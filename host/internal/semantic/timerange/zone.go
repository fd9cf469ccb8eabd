package timerange

import (
	"slices"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // zones are the same on every machine, whether it has them or not

	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

// zones are the loaded locations by name. Only names that exist are kept, so that
// it does not grow with what is asked for.
var zones sync.Map

const zoneHint = "write an IANA name, as in Europe/Berlin, or an offset from UTC, as in +02:00"

// Zone returns the zone of a request: an IANA name, an offset, "" = UTC.
// Errors: CodeInvalidRequest.
func Zone(name string) (*time.Location, error) {
	if name == "" || strings.EqualFold(name, "utc") || name == "Z" {
		return time.UTC, nil
	}
	if loc, ok := zones.Load(name); ok {
		return loc.(*time.Location), nil
	}
	if t, err := time.Parse("-07:00", name); err == nil {
		_, seconds := t.Zone()
		if seconds < -12*3600 || seconds > 14*3600 {
			return nil, refusal.Invalid("time_zone", "no place has the offset %s", name).Advise(zoneHint)
		}
		return time.FixedZone(name, seconds), nil
	}
	const most = 64 // bytes of the longest name, with room
	// "Local" is the zone of the machine, which nobody who asks knows.
	if len(name) <= most && name != "Local" {
		if loc, err := time.LoadLocation(name); err == nil {
			zones.Store(name, loc)
			return loc, nil
		}
	}
	return nil, refusal.Invalid("time_zone", "there is no time zone %s", refusal.Quote(name)).Advise(zoneHint)
}

// startOf returns the first moment of a day in a zone; of a day that a zone leaves
// out, that of the next one. day is a UTC midnight that stands for the date.
func startOf(day time.Time, zone *time.Location) time.Time {
	all := readings(day, zone)
	for _, m := range all {
		if !Clock(m).Before(day) {
			return m
		}
	}
	return all[len(all)-1]
}

// momentsOf returns the moments at which clocks in a zone show a time, which is
// given as if it were in UTC: none when it is left out, two when it is repeated.
func momentsOf(clock time.Time, zone *time.Location) []time.Time {
	var all []time.Time
	for _, m := range readings(clock, zone) {
		if Clock(m).Equal(clock) {
			all = append(all, m)
		}
	}
	return all
}

// readings are the moments that a clock reading would be under the offsets before
// and after it, in order.
func readings(clock time.Time, zone *time.Location) []time.Time {
	var all []time.Time
	for _, around := range []time.Duration{-36 * time.Hour, 36 * time.Hour} {
		_, offset := clock.Add(around).In(zone).Zone()
		all = append(all, clock.Add(-time.Duration(offset)*time.Second).In(zone))
	}
	slices.SortFunc(all, time.Time.Compare)
	return slices.CompactFunc(all, time.Time.Equal)
}

// Clock is what a clock shows, as if it were in UTC.
func Clock(m time.Time) time.Time {
	return time.Date(m.Year(), m.Month(), m.Day(), m.Hour(), m.Minute(), m.Second(), m.Nanosecond(), time.UTC)
}
