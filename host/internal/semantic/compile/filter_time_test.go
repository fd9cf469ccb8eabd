package compile

import (
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/host/internal/semantic/timerange"
	"github.com/loam-data/loam/sdk"
)

func TestIntervalCondition(t *testing.T) {
	t.Parallel()
	name := &expression.Name{Parts: []string{"o", "at"}}
	days, moments := request.DateRange{From: "2024-05-01", To: "2024-05-31"}, request.DateRange{From: "2024-05-01T10:00:00+02:00", To: "2024-05-31 12:00"}
	for _, tt := range []struct {
		name, zone string
		r          request.DateRange
		field      filterField
		want       string
	}{
		{"a date", "America/New_York", days, filterField{Type: sdk.TypeDate}, "o.at >= DATE '2024-05-01' AND o.at < DATE '2024-06-01'"},
		{"a timestamp", "", days, filterField{Type: sdk.TypeTimestamp}, "o.at >= TIMESTAMP '2024-05-01 00:00:00' AND o.at < TIMESTAMP '2024-06-01 00:00:00'"},
		{"a timestamp in UTC for another zone", "America/New_York", days, filterField{Type: sdk.TypeTimestamp}, "o.at >= TIMESTAMP '2024-05-01 04:00:00' AND o.at < TIMESTAMP '2024-06-01 04:00:00'"},
		{"a timestamp of the zone itself", "America/New_York", days, filterField{Type: sdk.TypeTimestamp, Zone: "America/New_York"}, "o.at >= TIMESTAMP '2024-05-01 00:00:00' AND o.at < TIMESTAMP '2024-06-01 00:00:00'"},
		{"a timestamp of another zone", "America/New_York", days, filterField{Type: sdk.TypeTimestamp, Zone: "Europe/Berlin"}, "o.at >= TIMESTAMP '2024-05-01 06:00:00' AND o.at < TIMESTAMP '2024-06-01 06:00:00'"},
		{"an instant", "Europe/Berlin", days, filterField{Type: sdk.TypeTimestampTZ}, "o.at >= TIMESTAMPTZ '2024-04-30 22:00:00+00:00' AND o.at < TIMESTAMPTZ '2024-05-31 22:00:00+00:00'"},
		{"moments", "", moments, filterField{Type: sdk.TypeTimestamp}, "o.at >= TIMESTAMP '2024-05-01 08:00:00' AND o.at <= TIMESTAMP '2024-05-31 12:00:00'"},
		{"how it is stored is not known", "", days, filterField{Time: true}, "error: w: how o.at is stored is not known, and a time could be compared with text"},
		{"open", "", request.DateRange{From: "2024-05-01"}, filterField{Type: sdk.TypeDate}, "o.at >= DATE '2024-05-01'"},
		{"moments of a date", "", moments, filterField{Type: sdk.TypeDate}, "error: w: o.at has days and no times of day"},
		{"days of another zone, and how it is stored is not known", "Europe/Berlin", days, filterField{Time: true}, "error: w: how o.at is stored is not known, and a time could be compared with text"},
		{"no time", "", days, filterField{Type: sdk.TypeText}, "error: w: o.at is text, not a time"},
		{"the end of time", "", request.DateRange{From: "2024-05-01", To: "9999-12-31"}, filterField{Type: sdk.TypeDate}, "error: w: the range leaves the years 1 to 9999"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			zone, err := timerange.Zone(tt.zone)
			if err != nil {
				t.Fatal(err)
			}
			i, err := tt.r.Interval(time.Date(2024, 3, 15, 12, 0, 0, 0, time.UTC), zone)
			if err != nil {
				t.Fatal(err)
			}
			tt.field.Name = name
			tree, err := tt.field.within("w", i)
			got := ""
			if err != nil {
				got = "error: " + err.Error()
			} else {
				got = expression.String(tree)
			}
			if got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
}
