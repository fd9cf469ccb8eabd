package connector

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
)

// Sizes of what is kept of a connector's output.
const (
	maxLineBytes = 64 << 10 // of one line; the rest of it is dropped
	maxTailLines = 20       // of the last raw lines, for the report of a crash
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

// crashNotes keeps what a dying program says of its end.
// Concurrency: any number of goroutines.
type crashNotes struct {
	mu       sync.Mutex
	panicked string
	memory   bool
	tail     []string
}

// add takes a line that is no log entry.
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

// startsPanic reports the line with which the Go runtime begins its last words.
func startsPanic(line string) bool {
	return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
}

// read returns the line that began a panic, whether a line told of memory, and
// the last raw lines.
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

// strayWriter receives what a connector prints outside its log. That it prints
// at all is worth one warning; the text may hold anything, so it is for debug.
type strayWriter struct {
	log    *slog.Logger
	scrub  func(string) string
	stream string
	once   sync.Once
}

func (w *strayWriter) Write(p []byte) (int, error) {
	w.once.Do(func() {
		w.log.Warn("connector prints outside its log", "stream", w.stream)
	})
	for line := range bytes.Lines(p) {
		w.log.Debug("stray output", "stream", w.stream, "text", w.scrub(string(bytes.TrimRight(line, "\r\n"))))
	}
	return len(p), nil
}
