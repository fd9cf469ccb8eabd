package extract

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/loam-data/loam/sdk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// now is the moment of every test.
var now = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

// double is a test double of a model's server: no model answers, a function does. It keeps what it was sent.
type double struct {
	*httptest.Server
	kind string

	mu     sync.Mutex
	bodies []string
	heads  []http.Header
	paths  []string
}

// newDouble starts a double of one of the APIs. answer gets the number of the request, from 1.
func newDouble(t testing.TB, kind string, answer func(w http.ResponseWriter, r *http.Request, n int)) *double {
	t.Helper()
	d := &double{kind: kind}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		d.mu.Lock()
		d.bodies, d.heads, d.paths = append(d.bodies, string(body)), append(d.heads, r.Header), append(d.paths, r.Method+" "+r.URL.Path)
		n := len(d.bodies)
		d.mu.Unlock()
		answer(w, r, n)
	}))
	t.Cleanup(d.Close)
	return d
}

// calls is how many requests came; a client may repeat one that was cut off.
func (d *double) calls() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.bodies)
}

func (d *double) model() Model {
	return Model{Kind: d.kind, BaseURL: d.URL, Name: "double", Key: sdk.NewSecret("canary-7f3a")}
}

// says answers as the API of a kind does with some statements.
func says(kind string, statements ...statement) func(http.ResponseWriter, *http.Request, int) {
	text, err := json.Marshal(map[string]any{"statements": append([]statement{}, statements...)})
	if err != nil {
		panic(err)
	}
	return answers(kind, string(text), "")
}

// answers wraps the text of an answer as the API of a kind does; finish "" = the usual one.
func answers(kind, text, finish string) func(http.ResponseWriter, *http.Request, int) {
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		if kind == OpenAI {
			content, _ := json.Marshal(text)
			if finish == "" {
				finish = "stop"
			}
			_, _ = fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":%s,"refusal":null},"finish_reason":%q}],"usage":{"prompt_tokens":100,"completion_tokens":11,"total_tokens":111}}`, content, finish)
			return
		}
		if finish == "" {
			finish = "tool_use"
		}
		_, _ = fmt.Fprintf(w, `{"content":[{"type":"tool_use","id":"1","name":"statements","input":%s}],"stop_reason":%q,"usage":{"input_tokens":100,"output_tokens":11}}`, text, finish)
	}
}

// kept is a Store in memory.
type kept struct {
	mu      sync.Mutex
	answers map[string][]byte
	tokens  map[string]int64
}

func newKept() *kept { return &kept{answers: map[string][]byte{}, tokens: map[string]int64{}} }

func (k *kept) Answer(_ context.Context, key []byte) ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.answers[string(key)], nil
}

func (k *kept) PutAnswer(_ context.Context, key, answer []byte, _ time.Time) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.answers[string(key)] = answer
	return nil
}

func (k *kept) SpendTokens(_ context.Context, day string, tokens, most int64) (bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if most != 0 && k.tokens[day]+tokens > most {
		return false, nil
	}
	k.tokens[day] += tokens
	return true, nil
}

// waits keeps how long an extractor waited, and waits for nothing.
type waits struct{ all []time.Duration }

func extractor(m Model, k *kept) (*Extractor, *waits) {
	var w waits
	x := New(Config{
		Model: func(context.Context) (Model, error) { return m, nil }, Store: func(context.Context) (Store, error) { return k, nil },
		Now: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler),
	})
	x.wait = func(ctx context.Context, d time.Duration) error {
		w.all = append(w.all, d)
		return ctx.Err()
	}
	return x, &w
}

func find(t testing.TB, x *Extractor, content string, names ...string) Found {
	t.Helper()
	found, err := x.Extract(t.Context(), Text{Content: content, Names: func(string) []string { return names }})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func noted(f Found, part string) bool { return strings.Contains(strings.Join(f.Notes, "\n"), part) }
