//go:build linux

package connector

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
)

// longestText is how long a text of a connector for people may be, in bytes.
const longestText = 4 << 10

// A connector that was written without the SDK neither removes secrets nor bounds its texts.
func TestErrorTextsOfAConnector(t *testing.T) {
	t.Parallel()
	r := newRig(t, "liar")
	for sql, want := range map[string]string{
		"status " + password + " MiB": "[redacted] xxx",
		// Details travel as a header, which is decoded byte by byte.
		"detail " + password + " " + strings.Repeat("x", 4*longestText): "[redacted] xxx",
	} {
		name := sql[:min(len(sql), 12)]
		_, err := r.run(t.Context(), sql)
		e, ok := errors.AsType[*sdk.Error](err)
		if !ok || !strings.Contains(e.Error(), want) || e.Source == "" {
			t.Errorf("%s: %.200v, want %q", name, err, want)
			continue
		}
		for _, text := range []string{e.Error(), e.Msg, e.Hint, e.Op, e.Code, string(e.Source)} {
			if strings.Contains(text, password) || len(text) > longestText || !utf8.ValidString(text) {
				t.Errorf("%s: %.200q of %d bytes", name, text, len(text))
			}
		}
		for err := err; err != nil; err = errors.Unwrap(err) {
			if strings.Contains(err.Error(), password) {
				t.Errorf("%s: the secret is in the chain of errors: %T", name, err)
			}
		}
	}
}

func TestNoticesOfAConnector(t *testing.T) {
	t.Parallel()
	r := newRig(t, "liar")
	to := &textSink{}
	if err := executeInto(t, r, "notices "+password+" MiB", to); err != nil {
		t.Fatal(err)
	}
	for _, n := range to.notices {
		if strings.Contains(n.Message, password) || len(n.Message) > longestText {
			t.Errorf("%.100q of %d bytes", n.Message, len(n.Message))
		}
	}
}

// What a message holds in memory is bounded by its bytes.
func TestManyColumnsOfAConnector(t *testing.T) {
	// Not parallel: it measures memory.
	r := newRig(t, "liar")
	for _, sql := range []string{"wide", "deep"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := executeInto(t, r, sql, &textSink{})
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 256<<20 {
			t.Errorf("%s: %d MiB were allocated, error %.100v", sql, grown>>20, err)
		}
		e, ok := errors.AsType[*sdk.Error](err)
		if !ok || e.Source != sdk.SourceConnector || !strings.Contains(e.Msg, "chaos") {
			t.Errorf("%s: %.200v", sql, err)
		}
		r.mustRun(t, "the truth")
	}
}

func executeInto(t *testing.T, r *rig, sql string, to sdk.ResultSink) error {
	t.Helper()
	lease, err := r.Lease(t.Context(), r.target)
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release()
	return lease.Session.Execute(t.Context(), sdk.ExecuteRequest{SQL: sql}, sdk.NewRowWriter(to, sdk.Limits{}))
}

// A connector that only says that it is alive, as fast as it can, is ended by a cancel as any other, keeps
// nothing in memory meanwhile, and does not disturb the next call.
func TestHeartbeatsWithoutEnd(t *testing.T) {
	// Not parallel: it measures memory.
	r := newRig(t, "liar")
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	r.mustRun(t, "beats 1000")
	before := heap()
	ctx, cancel := context.WithCancel(t.Context())
	timer := time.AfterFunc(100*time.Millisecond, cancel)
	defer timer.Stop()
	_, err := r.run(ctx, "beats")
	if sdk.KindOf(err) != sdk.KindCanceled {
		t.Errorf("%v, want a cancel", err)
	}
	r.mustRun(t, "the truth")
	if after := heap(); after > before+8<<20 {
		t.Errorf("%d MiB are kept", (after-before)>>20)
	}
}

// go-plugin's broker, which no connector needs, would let a connector start goroutines in
// its host.
func TestBrokerIsNotOpened(t *testing.T) {
	t.Parallel()
	r := newRig(t, "broker")
	if got := r.mustRun(t, "flooded"); got[0] != "false" {
		t.Error("the host has opened the broker")
	}
}

func TestProgressOfAConnector(t *testing.T) {
	t.Parallel()
	r := newRig(t, "liar")
	to := &progressSink{}
	if err := executeInto(t, r, "progresses "+password, to); err != nil {
		t.Fatal(err)
	}
	if to.secret {
		t.Error("a report has a secret in it")
	}
	// A connector sends ten a second.
	if to.reports > 1000 || to.reports == 0 {
		t.Errorf("%d reports of 20000 were forwarded", to.reports)
	}
}

type progressSink struct {
	textSink
	reports int
	secret  bool
}

func (s *progressSink) Progress(p sdk.Progress) {
	s.reports++
	s.secret = s.secret || strings.Contains(p.Message, password)
}
