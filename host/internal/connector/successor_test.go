//go:build linux

package connector

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// startSink tells when its statement has started.
type startSink struct {
	sink
	started chan string
}

func (s *startSink) Started(id string) error {
	s.started <- id
	return nil
}

// begin runs a statement until the process ends.
func (r *rig) begin(t *testing.T, sql string) (started chan string, ended chan error) {
	t.Helper()
	started, ended = make(chan string, 1), make(chan error, 1)
	lease, err := r.Lease(t.Context(), r.target)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer lease.Release()
		ended <- lease.Session.Execute(context.WithoutCancel(t.Context()), sdk.ExecuteRequest{SQL: sql}, sdk.NewRowWriter(&startSink{started: started}, sdk.Limits{}))
	}()
	return started, ended
}

// Statements that outlive a crashed connector are canceled by its successor, once: those
// that had started, that had not ended, and no other.
func TestSuccessorCancelsWhatACrashLeftRunning(t *testing.T) {
	t.Parallel()
	r := newRig(t, "chaos")
	record := filepath.Join(t.TempDir(), "record")
	r.target.Open = openWith(`{"record": "` + record + `"}`)

	r.mustRun(t, "begin q0 end")
	_, unnamed := r.begin(t, "slow")
	first, firstEnded := r.begin(t, "begin q1")
	second, secondEnded := r.begin(t, "begin q2")
	if a, b := <-first, <-second; a != "q1" || b != "q2" {
		t.Fatalf("started %q and %q", a, b)
	}
	kill(t, r.pid(t))
	for _, ended := range []chan error{unnamed, firstEnded, secondEnded} {
		if err := <-ended; sdk.KindOf(err) != sdk.KindUnavailable {
			t.Errorf("the statement ended with %v", err)
		}
	}
	r.log.await(t, `"query_id":"q1"`)
	r.log.await(t, `"query_id":"q2"`)

	// The successor ends in turn, with nothing to cancel: its own successor starts when asked.
	kill(t, r.pid(t))
	r.log.await(t, `"calls_charged":false`)
	r.mustRun(t, "again")
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	canceled := map[string]int{}
	for line := range strings.Lines(string(text)) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "cancel "); ok {
			canceled[id]++
		}
	}
	if diff := cmp.Diff(map[string]int{"q1": 1, "q2": 1}, canceled); diff != "" {
		t.Errorf("canceled (-want +got):\n%s", diff)
	}
}
