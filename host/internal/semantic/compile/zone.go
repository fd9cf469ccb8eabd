package compile

import (
	"fmt"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/timerange"
	"github.com/loam-data/loam/sdk/dialect"
)

// spelledZone is a zone, "" = UTC, as a dialect knows it; false = it has none that is
// the same. Of offsets, whole hours have a name: Etc/GMT-2 is +02:00.
func spelledZone(zone string, style dialect.ZoneStyle) (string, bool) {
	loc, err := timerange.Zone(zone)
	switch {
	case err != nil:
		return "", false
	case style == dialect.ZoneWindows:
		return "UTC", loc == time.UTC
	}
	_, seconds := time.Time{}.In(loc).Zone()
	isOffset := loc == time.UTC || strings.HasPrefix(zone, "+") || strings.HasPrefix(zone, "-") || strings.HasPrefix(zone, "Etc/GMT")
	switch {
	case style == dialect.ZoneOffset:
		return time.Time{}.In(loc).Format("-07:00"), isOffset
	case !isOffset || strings.HasPrefix(zone, "Etc/"):
		return loc.String(), true
	case style == dialect.ZoneAny && seconds != 0:
		return time.Time{}.In(loc).Format("-07:00"), true
	case seconds == 0:
		return "UTC", true
	}
	return fmt.Sprintf("Etc/GMT%+d", -seconds/3600), seconds%3600 == 0
}
