package text

import (
	"fmt"
	"strings"
	"time"
)

// Count is "1 table" and "2 tables".
func Count[N int | int64](n N, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// Ago says how long ago something was, in its largest unit.
func Ago(t time.Time) string {
	const day = 24 * time.Hour
	switch d := time.Since(t); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < day:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	default:
		return fmt.Sprintf("%d d ago", d/day)
	}
}

// Clock is a moment as prose and tables have it.
func Clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// Lasted is a time that has passed, in its largest units.
func Lasted(d time.Duration) string {
	if d < time.Minute {
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}
