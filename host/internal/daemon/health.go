package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Health is the answer of a Loam server's /health, which needs no token.
type Health struct {
	Status  string `json:"status"`
	Version string `json:"version"`
	Port    int    `json:"port"`
}

const (
	// probeTimeout bounds one request to a server.
	probeTimeout = 3 * time.Second
	// maxHealth bounds the bytes read of an answer.
	maxHealth = 64 << 10
)

var errNotLoam = errors.New("what listens there is no Loam server")

// Probe requests /health of the server at an address, without a token.
// Errors: no answer within 3 seconds, or one that is not a Loam server's. They have no kind.
func Probe(ctx context.Context, host string, port int) (*Health, error) {
	body, status, err := get(ctx, url(host, port, "/health"), "")
	if err != nil {
		return nil, err
	}
	h := &Health{}
	if status != http.StatusOK || json.Unmarshal(body, h) != nil || h.Status != "ok" || h.Version == "" || h.Port != port {
		return nil, errNotLoam
	}
	return h, nil
}

// Accepts reports whether the daemon accepts a token: any status but 401 counts. It sends the
// token only if the process of the state still runs.
func (s *State) Accepts(ctx context.Context, path, token string) (bool, error) {
	if !alive(s.PID, s.Process) {
		return false, fmt.Errorf("process %d is gone", s.PID)
	}
	_, status, err := get(ctx, s.URL(path), token)
	return status != http.StatusUnauthorized, err
}

// get sends a request without a proxy, even if the environment names one.
func get(ctx context.Context, url, token string) (body []byte, status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, 0, err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxHealth))
	return body, resp.StatusCode, err
}
