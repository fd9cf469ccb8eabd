package sqlkit_test

import (
	"testing"

	"github.com/loam-data/loam/sdk/sqlkit"
)

func TestRowsWithin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                string
		budget, rows, bytes int64
		statements          int
		want                int64
	}{
		{"no budget", 0, 1e9, 1e12, 1, 0},
		{"unknown size", 100, 0, 0, 1, 0},
		{"the budget suffices for the frame's choice", 1e12, 1e9, 1e12, 1, 0},
		{"a share of the table", 1e6, 1e6, 1e9, 1, 1000},
		{"the share of each statement", 1e6, 1e6, 1e9, 10, 100},
		{"less than a row", 1, 10, 1e9, 1, 1},
		{"sizes near the largest number", 1 << 62, 1 << 62, 1 << 62, 2, 0},
	} {
		if got := sqlkit.RowsWithin(c.budget, c.rows, c.bytes, c.statements); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
