package transport

import (
	"io"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// lineWriter writes one message per line, each with one Write.
// Concurrency: any goroutine. After an error every call repeats it.
type lineWriter struct {
	w      io.Writer
	failed chan struct{} // closed after the first failed Write

	mu     sync.Mutex
	broken error
}

func newLineWriter(w io.Writer) *lineWriter {
	return &lineWriter{w: w, failed: make(chan struct{})}
}

func (l *lineWriter) emit(text []byte) error {
	return l.writeLine(append(text[:len(text):len(text)], '\n'))
}

func (l *lineWriter) writeLine(text []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return l.broken
	}
	if _, l.broken = l.w.Write(text); l.broken != nil {
		close(l.failed)
	}
	return l.broken
}

func (l *lineWriter) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.broken
}

// waitFor reports whether done was closed in time.
func waitFor(done <-chan struct{}, within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// stdioSession is the library's view of the one client of a pipe.
type stdioSession struct {
	introduced
	notifications chan mcp.JSONRPCNotification
}

var _ server.ClientSession = (*stdioSession)(nil)

// SessionID is the same for every pipe: each has a library context of its own.
func (*stdioSession) SessionID() string { return "stdio" }

// Initialize has nothing to do: a pipe has one client from the start.
func (*stdioSession) Initialize() {}

// Initialized is always true.
func (*stdioSession) Initialized() bool { return true }

// NotificationChannel takes what the library sends outside of any request.
func (s *stdioSession) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.notifications }
