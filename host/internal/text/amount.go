package text

import (
	"fmt"
	"strings"
	"time"
)

// Count formats a number with its noun: "1 table", "2 tables".
func Count[N int | int64](n N, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// Ago formats the time since t in its largest unit: "3 hours ago".
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

// Clock formats a moment for prose and tables.
func Clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// Moment formats a time in RFC 3339, for documents; "" for the zero time.
func Moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// Elapsed formats a duration in its largest units.
func Elapsed(d time.Duration) string {
	if d < time.Minute {
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}
