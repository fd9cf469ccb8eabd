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

// Health is what a Loam server says of itself to everybody.
type Health struct {
	Status  string `json:"status"`
	Version string `json:"version"`
	Port    int    `json:"port"`
}

const (
	// probeTimeout bounds one question to a server.
	probeTimeout = 3 * time.Second
	maxHealth    = 64 << 10
)

var errNotLoam = errors.New("what listens there is no Loam server")

// Probe asks the server at an address how it is. No secret is sent.
// Errors: nobody answers in time, or not as a Loam server does.
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

// Accepts reports whether the daemon lets somebody in who has this token.
// Nothing is sent to a process that was not found to be the daemon.
func (s *State) Accepts(ctx context.Context, path, token string) (bool, error) {
	if !alive(s.PID, s.Process) {
		return false, fmt.Errorf("process %d is gone", s.PID)
	}
	_, status, err := get(ctx, s.URL(path), token)
	return status != http.StatusUnauthorized, err
}

// get asks directly, whatever proxy the environment names.
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
