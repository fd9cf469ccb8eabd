package command

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/project"
)

// Since parses --since: an age, a day or a moment. The zero Time = it is not set.
func Since(cmd *cobra.Command, since string, now time.Time) (time.Time, error) {
	if since == "" {
		return time.Time{}, nil
	}
	if age, ok := project.ParseAge(since); ok {
		return now.Add(-age), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, since); err == nil {
			return at, nil
		}
	}
	return time.Time{}, Usage(cmd, "--since %q is no time: write 90m, 7d, 2026-05-01 or 2026-05-01T12:00:00Z", since)
}
