package scan

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// When a scan ends is told by what the tables that are left cost, not by their number: the
// small ones come first.
func TestOutlook(t *testing.T) {
	t.Parallel()
	var tables []*sdk.Table
	took := map[string]time.Duration{}
	add := func(name string, rows, bytes int64, each time.Duration) {
		one := table(name, "id", "a:text", "b:text")
		one.RowEstimate, one.ByteEstimate = rows, bytes
		tables, took[name] = append(tables, one), each
	}
	for i := range 20 {
		add(fmt.Sprintf("small%02d", i), 100, -1, 300*time.Millisecond)
	}
	add("large", 2_000_000, -1, 100*time.Second)
	add("unknown", -1, 200_000_000, 100*time.Second)
	f := newFake(t, tables...)
	f.connection.Limits.Concurrency = 2 // one at once
	f.profiled = func(_ context.Context, req sdk.ProfileRequest, w sdk.ProfileWriter) error {
		f.now = f.now.Add(took[req.Table.Name])
		return session{f}.stats(req, w)
	}
	begun := f.now
	var told []string
	f.run(t, Request{Progress: func(p Progress) {
		if p.Phase != phaseProfiles || p.Running == nil || f.now.Sub(begun) < settled {
			return
		}
		left := 206*time.Second - f.now.Sub(begun)
		if p.Left < left/3 || p.Left > 3*left {
			t.Errorf("at %v after %s: about %s left, it takes %s", p.Running, f.now.Sub(begun), p.Left, left)
		}
		told = append(told, strings.Join(p.Running, " "))
	}})
	if diff := cmp.Diff([]string{"s.small19", "s.large", "s.unknown"}, told[max(0, len(told)-3):]); diff != "" {
		t.Errorf("tables that run (-want +got):\n%s", diff)
	}
}

// What is left never exceeds the time for profiles, and is not told before it can be.
func TestOutlookIsBounded(t *testing.T) {
	t.Parallel()
	begun := time.Unix(0, 0)
	for after, want := range map[time.Duration]time.Duration{
		time.Second: 0, 10 * time.Second: 90 * time.Second, 100 * time.Second: 0, 101 * time.Second: 0,
	} {
		o := outlook{begun: begun, budget: 100 * time.Second, done: 1, all: 1000}
		if got := o.left(begun.Add(after)); got != want {
			t.Errorf("after %s: %s left, want %s", after, got, want)
		}
	}
	if got := (&outlook{begun: begun, budget: time.Hour, all: 10}).left(begun.Add(time.Minute)); got != 0 {
		t.Errorf("nothing is done: %s left", got)
	}
}
