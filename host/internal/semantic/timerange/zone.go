package timerange

import (
	"slices"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // zones are the same on every machine, whether it has them or not

	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

// zones caches locations by name. Only existing names are cached, so that requests cannot make it
// grow without bound.
var zones sync.Map

const zoneHint = "write an IANA name, as in Europe/Berlin, or an offset from UTC, as in +02:00"

// Zone returns the zone of a request: an IANA name, an offset from -12:00 to +14:00, or "" for UTC.
// Errors: *refusal.Error with CodeInvalidRequest.
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
	const most = 64 // bytes; all names are shorter
	// "Local" is the zone of this machine, which the caller does not know.
	if len(name) <= most && name != "Local" {
		if loc, err := time.LoadLocation(name); err == nil {
			zones.Store(name, loc)
			return loc, nil
		}
	}
	return nil, refusal.Invalid("time_zone", "there is no time zone %s", refusal.Quote(name)).Advise(zoneHint)
}

// startOf returns the first moment of a day in a zone; for a day that the zone skips, that of the
// next day. day is the date's UTC midnight.
func startOf(day time.Time, zone *time.Location) time.Time {
	all := readings(day, zone)
	for _, m := range all {
		if !Clock(m).Before(day) {
			return m
		}
	}
	return all[len(all)-1]
}

// momentsOf returns the moments at which clocks in a zone show a local time, which is labelled as
// UTC: none if a clock change skips it, two if it is repeated.
func momentsOf(clock time.Time, zone *time.Location) []time.Time {
	var all []time.Time
	for _, m := range readings(clock, zone) {
		if Clock(m).Equal(clock) {
			all = append(all, m)
		}
	}
	return all
}

// readings returns the moments that a local time denotes under the zone's offsets 36 hours before
// and after it, in order and without duplicates.
func readings(clock time.Time, zone *time.Location) []time.Time {
	var all []time.Time
	for _, around := range []time.Duration{-36 * time.Hour, 36 * time.Hour} {
		_, offset := clock.Add(around).In(zone).Zone()
		all = append(all, clock.Add(-time.Duration(offset)*time.Second).In(zone))
	}
	slices.SortFunc(all, time.Time.Compare)
	return slices.CompactFunc(all, time.Time.Equal)
}

// Clock returns the local time of m in its zone, labelled as UTC.
func Clock(m time.Time) time.Time {
	return time.Date(m.Year(), m.Month(), m.Day(), m.Hour(), m.Minute(), m.Second(), m.Nanosecond(), time.UTC)
}
