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

const (
	// sweepEvery is how often idle sessions are looked for, and tokensEvery whether
	// tokens were revoked or have expired with which something runs.
	sweepEvery  = time.Minute
	tokensEvery = time.Second / 2
)

// maxHeader bounds a request's header, in bytes.
const maxHeader = 64 << 10

// Serve answers requests on l until ctx is done, and closes l. Then streams end at
// once, and calls may finish within the grace; calls that are cancelled after it may
// still report that.
// Errors: KindInvalid for a listener that others can reach without a token; the
// error that ended listening; nil after ctx.
func (h *HTTP) Serve(ctx context.Context, l net.Listener) error {
	if addr, ok := l.Addr().(*net.TCPAddr); ok {
		h.port.Store(int64(addr.Port))
		if !h.access.asks() && !addr.IP.IsLoopback() {
			return errors.Join(needsToken(addr.IP.String()), l.Close())
		}
	}
	open := &conns{waiting: map[net.Conn]time.Time{}, busy: map[net.Conn]struct{}{}}
	srv := &http.Server{
		Handler:           h,
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
		ConnState:         open.track,
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
		err = l.Close()
		if ended := <-failed; !errors.Is(ended, net.ErrClosed) {
			err = errors.Join(err, ended) // it had failed by itself
		}
	}
	h.endStreams(errStopping)
	if !open.end(h.limits.Grace) {
		h.endCalls(errStopping)
		if !open.end(settle) {
			h.log.Warn("requests were cut off at the end", "grace", h.limits.Grace)
		}
	}
	return errors.Join(err, srv.Close())
}

func (h *HTTP) sweep(ctx context.Context) {
	idle, tokens := time.NewTicker(sweepEvery), time.NewTicker(tokensEvery)
	defer idle.Stop()
	defer tokens.Stop()
	failing := false
	for {
		select {
		case <-idle.C:
			h.sessions.sweep()
		case <-tokens.C:
			failing = h.sweepTokens(failing)
		case <-ctx.Done():
			return
		}
	}
}

// sweepTokens ends what runs with a token that is no more. It says in the log, once,
// when the tokens cannot be read, and returns whether they cannot.
func (h *HTTP) sweepTokens(failing bool) bool {
	ended, err := h.access.people.sweep()
	if ended {
		h.sessions.endOver()
	}
	switch {
	case err != nil && !failing:
		h.log.Error("no named token is accepted", "error", err)
	case err == nil && failing:
		h.log.Info("named tokens are accepted again")
	}
	return err != nil
}

const (
	// quiet is how long a connection waits for a request before it may be closed
	// at the end. Closed at once, it would take a request with it that is on its
	// way; http.Server.Shutdown does so. An answer given at the end says that its
	// connection closes, so that a busy client does not come to this.
	quiet = 500 * time.Millisecond
	// unread is how long a connection that was quiet before the end is kept all the
	// same: a request that was sent before the end may not have been read yet.
	unread = 100 * time.Millisecond
	// look is how often the connections are looked at while the server ends.
	look = 5 * time.Millisecond
)

// conns knows the open connections.
type conns struct {
	mu      sync.Mutex
	waiting map[net.Conn]time.Time // for a request, and since when
	busy    map[net.Conn]struct{}  // with one
}

func (o *conns) track(c net.Conn, state http.ConnState) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.waiting, c)
	delete(o.busy, c)
	switch state {
	case http.StateNew, http.StateIdle:
		o.waiting[c] = time.Now()
	case http.StateActive:
		o.busy[c] = struct{}{}
	}
}

// end closes every connection when it was quiet, and reports whether all were
// closed in time.
func (o *conns) end(within time.Duration) bool {
	over := time.NewTimer(within)
	defer over.Stop()
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for began := time.Now(); o.closeQuiet(began) > 0; {
		select {
		case <-ticker.C:
		case <-over.C:
			return false
		}
	}
	return true
}

// closeQuiet returns how many connections are open still.
func (o *conns) closeQuiet(began time.Time) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	for c, since := range o.waiting {
		if time.Since(since) >= quiet && time.Since(began) >= unread {
			_ = c.Close() // nothing is being read from it or written to it
			delete(o.waiting, c)
		}
	}
	return len(o.waiting) + len(o.busy)
}
