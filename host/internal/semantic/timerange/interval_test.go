package timerange

import (
	"testing"
	"time"
)

// The intersection of two ranges does not depend on their order. At the same moment, an end that the range excludes
// is before one that it includes.
func TestWithin(t *testing.T) {
	t.Parallel()
	parse := func(from, until string) Interval {
		first, err := ParsePeriod("", from, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		last, err := ParsePeriod("", until, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		return Interval{first.From, last.Until}
	}
	for _, tt := range []struct {
		name    string
		a, b    Interval
		until   string
		include bool
	}{
		{"an earlier end", parse("2024-05-01", "2024-05-14"), parse("2024-05-01", "2024-05-31"), "2024-05-15T00:00:00Z", false},
		{"an excluded and an included midnight", parse("2024-05-01", "2024-05-14"), parse("2024-05-01", "2024-05-15 00:00"), "2024-05-15T00:00:00Z", false},
		{"two included moments", parse("2024-05-01", "2024-05-14 12:00"), parse("2024-05-01", "2024-05-14 12:00"), "2024-05-14T12:00:00Z", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, got := range []Interval{tt.a.Within(tt.b), tt.b.Within(tt.a)} {
				if at := got.Until.At.Format(time.RFC3339); at != tt.until || got.Until.Closed != tt.include {
					t.Errorf("until %s, included: %v", at, got.Until.Closed)
				}
			}
		})
	}
}
