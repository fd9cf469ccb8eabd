package transport

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/sdk"

	"github.com/mark3labs/mcp-go/mcp"
)

func newTestRates(l Limits) (*Rates, *clock) {
	c := &clock{time.Unix(1000, 0)}
	r := NewRates(l)
	r.now = c.now
	return r, c
}

// taken returns how many calls a client gets at once.
func taken(r *Rates, client, tool string) int {
	n := 0
	p := r.paces[paceOf(tool)]
	for r.take(rateKey{client, tool}, p) == 0 {
		n++
	}
	return n
}

// paceOf is the pace of a tool of these tests.
func paceOf(tool string) Pace { return map[string]Pace{"save": Writing, "solve": Costly}[tool] }

func TestRates(t *testing.T) {
	t.Parallel()
	r, c := newTestRates(Limits{})
	for _, tt := range []struct {
		name         string
		after        time.Duration
		client, tool string
		want         int
	}{
		{"a full bucket", 0, "a", "x", 20},
		{"an empty one", 0, "a", "x", 0},
		{"of another tool", 0, "a", "y", 20},
		{"of another client", 0, "b", "x", 20},
		{"too early", 99 * time.Millisecond, "a", "x", 0},
		{"one more", time.Millisecond, "a", "x", 1},
		{"three more", 300 * time.Millisecond, "a", "x", 3},
		{"full again", time.Hour, "a", "x", 20},
		{"one that writes", 0, "a", "save", 10},
		{"too early to write", 499 * time.Millisecond, "a", "save", 0},
		{"one more to write", time.Millisecond, "a", "save", 1},
		{"a costly one", 0, "a", "solve", 5},
		{"two more costly ones", time.Second, "a", "solve", 2},
		{"costly ones after an hour", time.Hour, "a", "solve", 5},
	} {
		c.at = c.at.Add(tt.after)
		if got := taken(r, tt.client, tt.tool); got != tt.want {
			t.Errorf("%s: %d calls, want %d", tt.name, got, tt.want)
		}
	}
}

func TestRateSaysHowLongToWait(t *testing.T) {
	t.Parallel()
	r, c := newTestRates(Limits{Rate: 3, Burst: 1})
	ctx := caller.With(t.Context(), &caller.Caller{Client: "a"})
	if err := r.Take(ctx, "x", Reading); err != nil {
		t.Fatal(err)
	}
	e := sdk.AsError(r.Take(ctx, "x", Reading), sdk.SourceHost)
	if e == nil || e.Kind != sdk.KindRateLimited || !e.Retry || e.RetryAfter != 334*time.Millisecond || !strings.Contains(e.Hint, "334 ms") {
		t.Fatalf("refusal: %+v", e)
	}
	c.at = c.at.Add(e.RetryAfter)
	if err := r.Take(ctx, "x", Reading); err != nil {
		t.Errorf("after that time: %v", err)
	}
	for p := range Pace(paces) {
		unlimited, low := NewRates(Limits{Rate: -1}), NewRates(Limits{Rate: 1, Burst: 1})
		for range 30 {
			if err := unlimited.Take(ctx, "x", p); err != nil {
				t.Errorf("pace %d without a rate: %v", p, err)
			}
		}
		if err := low.Take(ctx, "x", p); err != nil {
			t.Errorf("pace %d of one call a second: %v", p, err)
		}
		if low.Take(ctx, "x", p) == nil {
			t.Errorf("pace %d of one call a second: two at once", p)
		}
	}
}

// What the rates remember is bounded, whatever clients call themselves, and
// nothing once they are idle.
func TestRatesAreForgotten(t *testing.T) {
	t.Parallel()
	r, c := newTestRates(Limits{})
	for i := range 10 * maxBuckets {
		r.take(rateKey{fmt.Sprint(i), "x"}, r.paces[Reading])
	}
	if len(r.buckets) != maxBuckets || r.used.Len() != maxBuckets {
		t.Errorf("%d buckets, %d in the list", len(r.buckets), r.used.Len())
	}
	c.at = c.at.Add(time.Second)
	r.take(rateKey{"one", "x"}, r.paces[Reading])
	if len(r.buckets) != 1 || r.used.Len() != 1 {
		t.Errorf("when all are full: %d buckets, %d in the list", len(r.buckets), r.used.Len())
	}
}

func TestStatelessClient(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ remote, name, want string }{
		{"127.0.0.1:41", "agent", "127.0.0.1 agent"},
		{"127.0.0.1:42", "agent", "127.0.0.1 agent"},
		{"[::1]:1", "", "::1 "},
		{"@", "agent", "@ agent"},
		{"127.0.0.1:1", strings.Repeat("x", 1<<20), "127.0.0.1 " + strings.Repeat("x", maxClientName)},
	} {
		if got := statelessClient(tt.remote, &mcp.Meta{AdditionalFields: map[string]any{mcp.MetaKeyClientInfo: map[string]any{"name": tt.name}}}); got != tt.want {
			t.Errorf("statelessClient(%q, %.20q) = %q", tt.remote, tt.name, got)
		}
	}
}

func BenchmarkRates(b *testing.B) {
	r := NewRates(Limits{})
	for i := 0; b.Loop(); i++ {
		r.take(rateKey{"client", "tool"}, r.paces[Reading])
	}
}
