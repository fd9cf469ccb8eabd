//go:build linux

package connector

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
)

func TestCloseCancelsWhatRuns(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		sql  string
		want sdk.Kind
	}{
		"a call that listens":   {"hang", sdk.KindUnavailable},
		"a result under way":    {"slow", sdk.KindUnavailable},
		"a call that does not":  {"hang hard", sdk.KindUnavailable},
		"a process that cannot": {"stop", sdk.KindUnavailable},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "chaos", func(s *Supervisor) { s.timing.drain = 100 * time.Millisecond })
			pid := r.pidAfter(t, "warm")
			lease, err := r.Lease(t.Context(), r.target)
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() {
				defer lease.Release()
				w := sdk.NewRowWriter(&sink{}, sdk.Limits{})
				ended <- lease.Session.Execute(t.Context(), sdk.ExecuteRequest{SQL: strings.Replace(test.sql, "stop", "hang hard", 1)}, w)
			}()
			if test.sql == "stop" {
				if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.Close(t.Context()); err != nil {
				t.Errorf("Close: %v", err)
			}
			if err := <-ended; sdk.KindOf(err) != test.want {
				t.Errorf("the call ended with %v, want %s", err, test.want)
			}
			awaitEnd(t, pid)
		})
	}
}

func TestIdleConnectorIsStoppedAndStartedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos", func(s *Supervisor) { s.timing.idle = 50 * time.Millisecond })
	first := r.pidAfter(t, "warm")
	awaitEnd(t, first)
	r.log.await(t, `"connector stopped"`)
	r.mustRun(t, "again")
	if strings.Contains(r.log.String(), "crashed") {
		t.Error("the stop was taken for a crash")
	}
}

func TestStoppedProcessIsFoundOutAndKilled(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos", func(s *Supervisor) {
		s.timing.ping, s.timing.pingTimeout = 20*time.Millisecond, time.Second // a busy machine answers late
	})
	pid := r.pidAfter(t, "warm")
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	awaitEnd(t, pid)
	r.log.await(t, "did not answer and was killed")
	r.mustRun(t, "again")
}

func TestCloseOfNothing(t *testing.T) {
	t.Parallel()
	s := New(Config{})
	for range 2 {
		if err := s.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if got := s.State(); len(got) != 0 {
		t.Errorf("State = %v, want none", got)
	}
}
