package network

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Browser is a port of this machine to which a sign-in sends the browser back.
type Browser struct {
	listener net.Listener
	server   *http.Server
	served   chan error
	found    chan url.Values
}

// NewBrowser listens for the browser. accept reports whether the parameters of a request
// end the sign-in: whether they have a token or a code, say, and the right state.
// Errors: KindUnavailable.
func NewBrowser(accept func(url.Values) bool) (*Browser, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "no port for the browser to come back to: %w", err)
	}
	b := &Browser{listener: listener, served: make(chan error, 1), found: make(chan url.Values, 1)}
	b.server = &http.Server{Handler: b.handler(accept), ReadHeaderTimeout: 10 * time.Second}
	go func() { b.served <- b.server.Serve(listener) }()
	return b, nil
}

func (b *Browser) handler(accept func(url.Values) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/" || !accept(r.URL.Query()) {
			http.NotFound(w, r)
			return
		}
		select {
		case b.found <- r.URL.Query():
		default: // a browser may load a page twice
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!DOCTYPE html><title>Loam</title><p>You have signed in. You can close this window.")) // the browser's loss
	})
}

// Port is the one to send the browser back to.
func (b *Browser) Port() int { return b.listener.Addr().(*net.TCPAddr).Port }

// Wait returns the parameters that accept accepted.
// Errors: KindUnavailable; those of the context.
func (b *Browser) Wait(ctx context.Context) (url.Values, error) {
	select {
	case found := <-b.found:
		return found, nil
	case err := <-b.served:
		b.served <- err
		return nil, sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the browser cannot come back: %w", err)
	case <-ctx.Done():
		return nil, sqlkit.ContextError(ctx)
	}
}

// Close ends the listener and waits for its end.
func (b *Browser) Close() {
	_ = b.server.Close() // it also closes the listener
	<-b.served
}
