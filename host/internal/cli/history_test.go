package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/store"
)

// noted are calls that clients made, and some that are missing.
func (f *folder) noted(t *testing.T, calls ...store.Call) *store.Store {
	t.Helper()
	s, err := f.services.MCP.State.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.PutCalls(t.Context(), calls, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

var callsOfMay = []store.Call{
	{
		Request: "4ZQ5LJ2XH7KWM", Started: time.Date(2020, 5, 1, 12, 0, 0, 0, time.UTC), Duration: 12345 * time.Microsecond, Tool: "sql_execution",
		Connection: "shop", Outcome: store.OutcomeOK, Rows: 3, Bytes: 512, Client: "agent", ClientVersion: "1.0", Transport: "http", Principal: "token",
		Session: "9f86d081", Arguments: `{"connectionId":"shop","sql":"select ?"}`, ArgumentsBytes: 52,
	},
	{
		Request: "AAAAAAAAAAAAA", Started: time.Date(2020, 5, 1, 12, 0, 1, 0, time.UTC), Tool: "wiki_read", Outcome: "internal", Incident: "BBBBBBBBBB",
		Rows: store.NoRows, Client: "\x1b[31mred", Transport: "stdio", Principal: "none", ArgumentsBytes: 70_000,
	},
	{
		Request: "CCCCCCCCCCCCC", Started: time.Date(2020, 5, 2, 0, 0, 0, 0, time.UTC), Tool: "sql_execution", Connection: "crm", Outcome: "timeout",
		Rows: store.NoRows, Client: "agent", Transport: "stdio", Principal: "none", Arguments: `{"sql":"select …`, ArgumentsBytes: 5000,
	},
}

func TestHistory(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "shop", "crm")
	f.session(t, "history_empty", words("history"), words("history --json"), words("history show X"))
	s := f.noted(t, callsOfMay...)
	missing := store.CallGap{From: callsOfMay[0].Started, Until: callsOfMay[2].Started, Calls: 7, Reason: "the state store could not be written: limit"}
	if err := s.PutCalls(t.Context(), nil, []store.CallGap{missing}); err != nil {
		t.Fatal(err)
	}
	f.session(t, "history",
		words("history"), words("history --limit 1"), words("history --tool wiki_read"), words("history -c shop --outcome ok"),
		words("history --outcome error --since 2020-05-02"), words("history --outcome timeout --json"), words("history --json --since 2020-05-01T12:00:01Z"),
		words("history --tool wiki_raed"), words("history -c none --outcome ok"), words("history --since 1h"),
		words("history show 4zq5lj2xh7kwm"), words("history show BBBBBBBBBB"), words("history show --json CCCCCCCCCCCCC"), words("history show DDDDDDDDDDDDD"),
		words("history --outcome timeuot"), words("history --since yesterday"), words("history --limit -1"))
	f.put(t, "loam.yaml", "version: 1\nhistory: off\n")
	f.session(t, "history_off", words("history --limit 1"), words("status"))
}

// seen is an output that tells when something was written to it.
type seen struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{}
}

func (s *seen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(p)
	select {
	case s.more <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (s *seen) await(t *testing.T, text string) {
	t.Helper()
	for {
		s.mu.Lock()
		got := s.text.String()
		s.mu.Unlock()
		if strings.Contains(got, text) {
			return
		}
		select {
		case <-s.more:
		case <-t.Context().Done():
			t.Fatalf("no %q in %q", text, got)
		}
	}
}

// A history that is followed shows each new call once, until it is told to end; with
// --json each is a document on a line of its own.
func TestFollowHistory(t *testing.T) {
	t.Parallel()
	for _, asJSON := range []bool{false, true} {
		f := newFolder(t, "shop")
		s := f.noted(t, callsOfMay[0])
		ctx, end := context.WithCancel(t.Context())
		defer end()
		out := &seen{more: make(chan struct{}, 1)}
		code := make(chan int)
		args := words("history --follow --tool sql_execution")
		if asJSON {
			args = append(args, "--json")
		}
		go func() {
			code <- Run(ctx, Program{Open: func(context.Context, string, *slog.Logger) (*Services, error) { return f.services, nil }}, args, nil, out, io.Discard)
		}()
		out.await(t, callsOfMay[0].Request)
		if err := s.PutCalls(t.Context(), callsOfMay[1:], nil); err != nil {
			t.Fatal(err)
		}
		out.await(t, callsOfMay[2].Request)
		end()
		if got := <-code; got != 0 {
			t.Errorf("exit code %d", got)
		}
		for i, want := range []int{1, 0, 1} {
			if got := strings.Count(out.text.String(), callsOfMay[i].Request); got != want {
				t.Errorf("call %d is shown %d times, want %d", i, got, want)
			}
		}
		if lines := strings.Split(strings.TrimSpace(out.text.String()), "\n"); asJSON {
			if len(lines) != 2 || !json.Valid([]byte(lines[0])) || !json.Valid([]byte(lines[1])) {
				t.Errorf("no document per line: %q", lines)
			}
		}
	}
}

func TestStats(t *testing.T) {
	t.Parallel()
	f := newFolder(t, "shop", "crm")
	f.noted(t, callsOfMay...)
	f.session(t, "stats", words("stats --since 2020-05-01 --until 2020-05-02"), words("stats --since 2020-05-01 --until 2020-05-02 --period daily"),
		words("stats --since 2020-05-02T00:00:00Z --until 2020-05-02 --json"), words("stats --period hourly"))
}
