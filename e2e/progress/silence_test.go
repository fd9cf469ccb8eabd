package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A test that hangs is ended, its goroutines are printed, and its package has failed.
func TestHang(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/cwd"); err != nil {
		t.Skip("no /proc: processes are not found")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module hang\n\ngo 1.26\n",
		"hang_test.go": "package hang\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\nfunc TestEndless(t *testing.T) { time.Sleep(time.Hour) }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	var r *report
	// Once the test runs, a minute passes at each look, until its end is asked for.
	now := time.Now()
	r = newReport(&out, func() time.Time {
		if r == nil {
			return now
		}
		if p := r.active["hang"]; p != nil && len(p.tests) > 0 && p.asked == 0 {
			now = now.Add(time.Minute)
		}
		return now
	})
	r.tick = 100 * time.Millisecond
	code, err := runAll(t.Context(), r, slices.Values([][]string{{"-C " + dir + " -count=1 ./..."}}))
	if err != nil || code != 1 {
		t.Errorf("code %d, %v", code, err)
	}
	for _, want := range []string{
		"HANG  hang has printed nothing for ", "TestEndless", "sending quit\n", "SIGQUIT: quit", "hang.TestEndless(", "FAIL  hang", "failed: hang",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

// Tests that do not end at SIGQUIT are killed a minute later, once; others are left alone.
func TestKill(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	now := time.Unix(0, 0)
	r := newReport(&out, func() time.Time { return now })
	r.folders = map[string]string{"a": "/a", "b": "/b"}
	var sent []os.Signal
	r.signal = func(folder string, s os.Signal) error {
		if folder != "/a" {
			t.Errorf("%s to the tests in %s", s, folder)
		}
		sent = append(sent, s)
		return errors.New("not found")
	}
	r.event(event{Action: "start", Package: "a"})
	for range 30 {
		now = now.Add(30 * time.Second)
		r.event(event{Action: "output", Package: "b"})
		r.endSilent()
	}
	if !slices.Equal(sent, []os.Signal{syscall.SIGQUIT, os.Kill}) {
		t.Errorf("sent %v", sent)
	}
	if !strings.Contains(out.String(), "test: not found\n") {
		t.Errorf("the error is not reported:\n%s", &out)
	}
}
