package ranking

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A name counts more than a text, every word adds, and equally good documents keep their order.
func TestOf(t *testing.T) {
	t.Parallel()
	documents := []Document{
		{"close-month", "Book the accruals and lock the period."},
		{"accruals", "How accruals are booked."},
		{"forecast", "Next quarter."},
		{"budget", "Next quarter."},
	}
	for _, tt := range []struct {
		words string
		want  []Hit
	}{
		{"accruals", []Hit{{1, 1}, {0, 0.333}}},
		{"month accruals", []Hit{{0, 0.667}, {1, 0.5}}},
		{"quarter", []Hit{{2, 0.333}, {3, 0.333}}},
		{"%", nil},
		{"weather", nil},
	} {
		if diff := cmp.Diff(tt.want, Of(tt.words, documents)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.words, diff)
		}
	}
	if hits := Of("x", nil); hits != nil {
		t.Errorf("of nothing: %v", hits)
	}
}
