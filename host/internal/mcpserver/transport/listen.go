package transport

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// sweepEvery is how often idle sessions are looked for.
const sweepEvery = time.Minute

// maxHeader bounds a request's header, in bytes.
const maxHeader = 64 << 10

// Serve answers requests on l until ctx is done, and closes l. Streams end at
// once then; calls have the grace to finish, are cancelled after it and may
// still answer that they were.
// Errors: KindInvalid for a listener that others can reach when no token is
// asked for; what ended the listening; nil after ctx.
func (h *HTTP) Serve(ctx context.Context, l net.Listener) error {
	if addr, ok := l.Addr().(*net.TCPAddr); ok {
		h.port.Store(int64(addr.Port))
		if h.access.token == nil && !addr.IP.IsLoopback() {
			return errors.Join(needsToken(addr.IP.String()), l.Close())
		}
	}
	fresh := &freshConns{open: map[net.Conn]struct{}{}}
	srv := &http.Server{
		Handler:           h,
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
		ConnState:         fresh.track,
		ReadHeaderTimeout: h.limits.Header,
		ReadTimeout:       h.limits.Read,
		IdleTimeout:       h.limits.Idle,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(h.log.Handler(), slog.LevelDebug),
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	sweeping, endSweep := context.WithCancel(context.Background())
	defer endSweep()
	wg.Go(func() { h.sweep(sweeping) })
	failed := make(chan error, 1)
	wg.Go(func() { failed <- srv.Serve(l) })

	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	h.endStreams(errStopping)
	fresh.close()
	if stop(srv, h.limits.Grace) != nil {
		h.endCalls(errStopping)
		if stop(srv, settle) != nil {
			h.log.Warn("requests were cut off at the end", "grace", h.limits.Grace)
		}
	}
	if err == nil || errors.Is(err, http.ErrServerClosed) {
		return srv.Close()
	}
	return errors.Join(err, srv.Close())
}

func stop(srv *http.Server, within time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	return srv.Shutdown(ctx)
}

func (h *HTTP) sweep(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			h.sessions.sweep()
		case <-ctx.Done():
			return
		}
	}
}

// freshConns knows the connections that have not sent a request yet:
// http.Server.Shutdown would wait five seconds for each.
type freshConns struct {
	mu     sync.Mutex
	open   map[net.Conn]struct{}
	closed bool
}

func (f *freshConns) track(c net.Conn, state http.ConnState) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if state != http.StateNew {
		delete(f.open, c)
		return
	}
	f.open[c] = struct{}{}
	if f.closed {
		_ = c.Close() // accepted in the last moment
	}
}

func (f *freshConns) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for c := range f.open {
		_ = c.Close() // nothing was read from it or written to it
	}
}
