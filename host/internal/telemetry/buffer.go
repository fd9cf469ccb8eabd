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

// Buffer is a buffered log: it writes several lines at a time, after maxWait at the
// latest, and at once after an error. A killed host loses no more than the buffered
// lines.
// Concurrency: any goroutine. Flush ends the use of it.
type Buffer struct {
	to io.Writer

	mu    sync.Mutex
	lines []byte
	later *time.Timer // nil = nothing waits
}

// NewBuffer returns a buffer that writes to to.
func NewBuffer(to io.Writer) *Buffer { return &Buffer{to: to} }

// Write buffers whole lines. Errors: none; a log that cannot be written ends no
// program.
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

// Flush writes the buffered lines.
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

// Handler wraps h, which writes to b, so that errors are written at once.
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
