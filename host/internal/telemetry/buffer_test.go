package telemetry

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pieces is a log file that knows how often it was written.
type pieces struct {
	mu    sync.Mutex
	text  bytes.Buffer
	count int
}

func (p *pieces) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	return p.text.Write(text)
}

// A line is in the log after a moment, behind an error at once, when much waits, and
// at the end; until then it costs no write.
func TestBuffer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		to := &pieces{}
		b := NewBuffer(to)
		log := slog.New(b.Handler(LogHandler(slog.NewTextHandler(b, nil)))).With("a", 1).WithGroup("g")
		in := func(when string, writes, lines int) {
			t.Helper()
			synctest.Wait()
			to.mu.Lock()
			defer to.mu.Unlock()
			if got := strings.Count(to.text.String(), "\n"); to.count != writes || got != lines {
				t.Errorf("%s: %d lines in %d writes, want %d in %d", when, got, to.count, lines, writes)
			}
		}
		log.Info("one")
		log.Warn("two")
		in("at first", 0, 0)
		time.Sleep(maxWait)
		in("after a moment", 1, 2)
		time.Sleep(time.Hour)
		in("with nothing to write", 1, 2)
		log.Info("three")
		log.Error("four")
		in("behind an error", 2, 4)
		log.Info(strings.Repeat("x", maxBuffered))
		in("when much waits", 3, 5)
		log.Info("last")
		b.Flush()
		b.Flush()
		in("at the end", 4, 6)
	})
}

// Lines of many goroutines are whole, and all there.
func TestBufferIsShared(t *testing.T) {
	t.Parallel()
	const writers, each = 16, 500
	to := &pieces{}
	b := NewBuffer(to)
	log := slog.New(b.Handler(slog.NewTextHandler(b, nil)))
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for range each {
				log.Info("finished", "tool", "t")
			}
		})
	}
	all.Wait()
	b.Flush()
	lines := strings.Split(strings.TrimSpace(to.text.String()), "\n")
	for _, line := range lines {
		if !strings.HasSuffix(line, "msg=finished tool=t") {
			t.Fatalf("a broken line: %q", line)
		}
	}
	if len(lines) != writers*each {
		t.Errorf("%d lines, want %d", len(lines), writers*each)
	}
}
