package privacy

import (
	"slices"
	"strings"
	"time"
)

const birthNames = "dates of birth"

// layouts of dates; where two read a value, the column's other values decide.
var layouts = []string{"2006-01-02", "02.01.2006", "2.1.2006", "02/01/2006", "01/02/2006", "1/2/2006", "02-01-2006", "2006/01/02", "20060102", "2006-01-02 15:04:05", "02.01.06"}

// dates reads values as dates, all in one layout; nil when most are none.
func dates(values []string) (all []time.Time) {
	for _, layout := range layouts {
		all = all[:0]
		for _, v := range values {
			if layout == layouts[0] && len(v) > len(layout) {
				v = strings.TrimSuffix(strings.TrimSuffix(v[:min(len(v), 19)], "00:00:00"), "T")
				v = strings.TrimRight(v, " T")
			}
			if t, err := time.Parse(layout, v); err == nil {
				all = append(all, t)
			}
		}
		if len(all)*10 >= len(values)*9 && len(all) > 0 {
			slices.SortFunc(all, time.Time.Compare)
			return all
		}
	}
	return nil
}

// births returns that a column holds dates of birth, by how its dates are spread:
// whole days from a person's life span ago to some years ago, the half of them
// long ago, and not most on the first of a month. values are nil for a column of
// dates, whose quantiles are counted.
func (c *column) births(values []string) string {
	if c.coded() || c.stats.Distinct >= 0 && c.stats.Distinct < fewValues {
		return ""
	}
	if values == nil {
		values = c.evidence()
	}
	if len(values) < fewValues || len(values[0]) < 8 || len(values[0]) > 32 || values[0][0] < '0' || values[0][0] > '9' {
		return ""
	}
	all := dates(values)
	if all == nil || slices.ContainsFunc(all, func(t time.Time) bool { return t.Hour()+t.Minute()+t.Second() > 0 }) {
		return ""
	}
	first := 0
	for _, t := range all {
		if t.Day() == 1 {
			first++
		}
	}
	if first*3 >= len(all) {
		return ""
	}
	spread := all
	if q := dates(c.stats.Quantiles); len(q) >= 3 {
		spread = q
	}
	if c.ages(spread) {
		return birthNames
	}
	return ""
}

// age returns how many years ago a day was.
func (c *column) age(t time.Time) float64 { return c.at.Sub(t).Hours() / 24 / 365.25 }

// ages reports whether sorted days are spread as birthdays are. Among other
// columns about persons a narrower spread will do: students, recruits.
func (c *column) ages(sorted []time.Time) bool {
	rank := func(share float64) float64 { return c.age(sorted[int(share*float64(len(sorted)-1)+.5)]) }
	oldest, half, young, youngest := rank(.05), rank(.5), rank(.75), rank(.95)
	if oldest > 110 || youngest < 0 {
		return false
	}
	if c.among && youngest >= 14 && oldest-youngest >= 4 {
		return true
	}
	return oldest >= 42 && half >= 22 && young >= 14 && oldest-youngest >= 20
}
