package telemetry

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

const (
	// maxBuffered is how much of a log waits to be written, in bytes.
	maxBuffered = 32 << 10
	// maxWait is how long it waits at most.
	maxWait = 100 * time.Millisecond
)

// Buffer is a log that is written in pieces: some lines at a time, those of the last
// moment at the latest after maxWait, and at once behind a line of an error. A host
// that is killed loses no more than that.
// Concurrency: any goroutine. Flush ends the use of it.
type Buffer struct {
	to io.Writer

	mu    sync.Mutex
	lines []byte
	later *time.Timer // nil = nothing waits
}

// NewBuffer returns a log that is written to to.
func NewBuffer(to io.Writer) *Buffer { return &Buffer{to: to} }

// Write takes in whole lines. Errors: none; a log that cannot be written is no reason
// to end.
func (b *Buffer) Write(lines []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, lines...)
	switch {
	case len(b.lines) >= maxBuffered:
		b.flush()
	case b.later == nil:
		b.later = time.AfterFunc(maxWait, b.Flush)
	}
	return len(lines), nil
}

// Flush writes what waits.
func (b *Buffer) Flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flush()
}

func (b *Buffer) flush() {
	if b.later != nil {
		b.later.Stop()
		b.later = nil
	}
	if len(b.lines) > 0 {
		_, _ = b.to.Write(b.lines) // there is nowhere to say it
		b.lines = b.lines[:0]
	}
}

// Handler is h, which writes to b, with errors in the log at once.
func (b *Buffer) Handler(h slog.Handler) slog.Handler { return bufferHandler{h, b} }

type bufferHandler struct {
	slog.Handler
	buffer *Buffer
}

func (h bufferHandler) Handle(ctx context.Context, r slog.Record) error {
	err := h.Handler.Handle(ctx, r)
	if r.Level >= slog.LevelError {
		h.buffer.Flush()
	}
	return err
}

func (h bufferHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return bufferHandler{h.Handler.WithAttrs(attrs), h.buffer}
}

func (h bufferHandler) WithGroup(name string) slog.Handler {
	return bufferHandler{h.Handler.WithGroup(name), h.buffer}
}
