package transport

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const eventStream = "text/event-stream"

// writeChunk is what a client must take within the write limit.
const writeChunk = 64 << 10

var errNotStreaming = errors.New("the response is over or does not stream")

// response is the ResponseWriter of one request. It bounds the time a client
// takes to read, and it is the request's emitter: the first emitted message
// turns the response into an event stream, in which the JSON body that the
// library writes later is the last event.
// Concurrency: any goroutine; messages are written whole and in order.
type response struct {
	http.ResponseWriter
	controller *http.ResponseController
	limit      time.Duration
	accepts    bool // the client takes an event stream
	// ending is closed when the server ends: the client is told not to use the
	// connection again.
	ending <-chan struct{}

	mu       sync.Mutex
	status   int  // as sent; 0 = not yet
	stream   bool // the response is an event stream
	framing  bool // the body being written is an event
	inEvent  bool // the event of the body has begun
	finished bool
}

func newResponse(w http.ResponseWriter, r *http.Request, limit time.Duration, ending <-chan struct{}) *response {
	return &response{
		ResponseWriter: w, controller: http.NewResponseController(w), limit: limit, ending: ending,
		accepts: acceptsStream(r.Header.Values("Accept")),
	}
}

func acceptsStream(accept []string) bool {
	if len(accept) == 0 {
		return true
	}
	all := strings.ToLower(strings.Join(accept, ","))
	return strings.Contains(all, eventStream) || strings.Contains(all, "*/*") || strings.Contains(all, "text/*")
}

func (w *response) emit(text []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.finished || !w.accepts || w.framing || (w.status != 0 && !w.stream) {
		return errNotStreaming
	}
	if w.status == 0 {
		w.Header().Set("Content-Type", eventStream)
		w.Header().Set("Cache-Control", "no-cache")
		w.sendHeader(http.StatusOK)
	}
	if err := w.write(slices.Concat(eventHead, text, eventEnd)); err != nil {
		return err
	}
	return w.flush()
}

// eventHead and eventEnd enclose a message in an event stream.
var eventHead, eventEnd = []byte("event: message\ndata: "), []byte("\n\n")

// WriteHeader sends the status, unless emitted messages have: what the library
// writes then becomes an event.
func (w *response) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.status != 0 {
		w.framing = w.stream && !isStream(w.Header())
		return
	}
	w.sendHeader(status)
}

func (w *response) sendHeader(status int) {
	w.status = status
	w.stream = isStream(w.Header())
	if w.stream {
		w.Header().Set("X-Accel-Buffering", "no") // or a reverse proxy keeps the events back
	}
	select {
	case <-w.ending:
		w.Header().Set("Connection", "close")
	default:
	}
	w.ResponseWriter.WriteHeader(status)
}

func isStream(h http.Header) bool { return strings.HasPrefix(h.Get("Content-Type"), eventStream) }

func (w *response) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.status == 0 {
		w.sendHeader(http.StatusOK)
	}
	body := p
	if w.framing {
		body = bytes.TrimRight(p, "\n") // a JSON encoder ends with one; an event must not contain any
		if !w.inEvent {
			w.inEvent = true
			body = slices.Concat(eventHead, body)
		}
	}
	if err := w.write(body); err != nil {
		return 0, err
	}
	return len(p), nil
}

// write gives the client the limit for each chunk.
func (w *response) write(p []byte) error {
	for len(p) > 0 {
		chunk := p[:min(len(p), writeChunk)]
		p = p[len(chunk):]
		if err := w.allow(); err != nil {
			return err
		}
		if _, err := w.ResponseWriter.Write(chunk); err != nil {
			return err // and net/http cancels the request
		}
	}
	return nil
}

func (w *response) allow() error {
	err := w.controller.SetWriteDeadline(time.Now().Add(w.limit))
	if errors.Is(err, http.ErrNotSupported) {
		return nil // not a connection: a recorder in a test
	}
	return err
}

// Flush sends what was written.
func (w *response) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.flush() // the caller learns of a client that is gone by its context
}

func (w *response) flush() error {
	if err := w.allow(); err != nil {
		return err
	}
	return w.controller.Flush()
}

// finish ends the response: the last event is closed, and later messages are
// refused.
func (w *response) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.finished = true
	if w.inEvent && w.write(eventEnd) == nil {
		_ = w.flush() // a client that is gone needs no end
	}
}

// sent reports whether anything of the response was sent.
func (w *response) sent() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.status != 0
}

// Unwrap gives http.ResponseController the connection.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }
