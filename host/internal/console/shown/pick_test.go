package shown

import (
	"testing"

	"github.com/loam-data/loam/host/internal/change"
)

func TestPick(t *testing.T) {
	t.Parallel()
	for _, p := range []Pick{{"ab12", 1, ""}, {"ab12", 70, "00ff"}} {
		if got, ok := PickOf(p.String()); !ok || got != p {
			t.Errorf("%s: %+v, %v", p, got, ok)
		}
	}
	for _, text := range []string{"", "ab12", ".1", "ab12.", "ab12.x", "ab12.0", "ab12.-1"} {
		if got, ok := PickOf(text); ok {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// What contradicts something, and what does not wait, is not approved from beside.
func TestApproval(t *testing.T) {
	t.Parallel()
	p := Pick{"ab12", 3, "00"}
	for _, tt := range []struct {
		state    change.State
		disputed bool
		want     bool
	}{{change.Pending, false, true}, {change.Draft, false, true}, {change.Pending, true, false}, {change.Applied, false, false}, {change.Rejected, false, false}} {
		if got := Approval(p, tt.state, tt.disputed, "/console/wiki/a"); (got != nil) != tt.want || got != nil && got.Fields.Get("pick") != "ab12.3.00" {
			t.Errorf("%+v: %+v", tt, got)
		}
	}
}
