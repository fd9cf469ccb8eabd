package connector

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
)

// Limits of the output that is kept.
const (
	maxLineBytes = 64 << 10 // of a line; the rest is dropped
	maxTailLines = 20       // last raw lines, for the report of a crash
	maxTailBytes = 400      // of each such line
)

// readLines calls f with each line of r, cut to limit bytes, until r ends. The
// line is valid during the call.
func readLines(r io.Reader, limit int, f func(line []byte, cut bool)) error {
	in := bufio.NewReaderSize(r, limit)
	for {
		line, err := in.ReadSlice('\n')
		cut := errors.Is(err, bufio.ErrBufferFull)
		if len(line) > 0 {
			f(bytes.TrimRight(line, "\r\n"), cut)
		}
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = in.ReadSlice('\n')
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// crashNotes keeps the last output of a program, to explain its end.
// Concurrency: its methods may be called concurrently.
type crashNotes struct {
	mu       sync.Mutex
	panicked string
	memory   bool
	tail     []string
}

// add adds a line that is not a log entry.
func (n *crashNotes) add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.panicked == "" && startsPanic(line) {
		n.panicked = clip(line, maxTailBytes)
	}
	n.memory = n.memory || outOfMemory(line)
	if len(n.tail) == maxTailLines {
		n.tail = slices.Delete(n.tail, 0, 1)
	}
	n.tail = append(n.tail, clip(line, maxTailBytes))
}

// startsPanic reports whether a line begins a panic or a fatal error of the Go runtime.
func startsPanic(line string) bool {
	return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
}

// read returns the line that began a panic, whether a line reported a lack of memory, and the last
// raw lines.
func (n *crashNotes) read() (panicked string, memory bool, tail []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.panicked, n.memory, slices.Clone(n.tail)
}

func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// strayWriter receives what a connector prints outside its log. It logs one warning, and the text
// only at debug level, because it may contain anything.
type strayWriter struct {
	log    *slog.Logger
	scrub  func(string) string
	stream string
	budget *logBudget
	once   sync.Once
}

func (w *strayWriter) Write(p []byte) (int, error) {
	w.once.Do(func() {
		w.log.Warn("connector prints outside its log", "stream", w.stream)
	})
	if !w.log.Enabled(context.Background(), slog.LevelDebug) {
		return len(p), nil
	}
	for line := range bytes.Lines(p) {
		if !w.budget.take(len(line)) {
			continue
		}
		w.log.Debug("stray output", "stream", w.stream, "text", w.scrub(string(bytes.TrimRight(line, "\r\n"))))
	}
	return len(p), nil
}
