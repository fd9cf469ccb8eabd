package memory

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

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/extract"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/host/internal/store"
)

const told = "From the sum of amount in orders where status = 'paid' we get GMV."

// modelDouble is a test double of a model's server: it answers with what a test says and keeps what it was sent.
type modelDouble struct {
	*httptest.Server
	mu   sync.Mutex
	sent []string
}

func newModelDouble(t *testing.T, answer func(w http.ResponseWriter)) *modelDouble {
	d := &modelDouble{}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		d.mu.Lock()
		d.sent = append(d.sent, string(body))
		d.mu.Unlock()
		answer(w)
	}))
	t.Cleanup(d.Close)
	return d
}

// asks has the fixture's project ask the double.
func (f *fixture) asks(t *testing.T, d *modelDouble) *store.Lazy {
	f.settings.Planner = "llm"
	f.settings.LLM = project.LLM{Kind: extract.OpenAI, BaseURL: d.URL, Model: "double"}
	state := store.NewLazy(project.StateFolder(f.dir).Database())
	t.Cleanup(func() {
		if err := state.Close(); err != nil {
			t.Error(err)
		}
	})
	f.model = extract.New(extract.Config{
		Model: func(context.Context) (extract.Model, error) {
			return extract.Model{Kind: extract.OpenAI, BaseURL: d.URL, Name: "double"}, nil
		},
		Store: func(ctx context.Context) (extract.Store, error) { return state.Get(ctx) },
		Now:   func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler),
	})
	return state
}

// gmvAnswer is what an honest model finds in told.
func gmvAnswer(w http.ResponseWriter) {
	text, _ := json.Marshal(map[string]any{"statements": []any{map[string]any{
		"quote": told, "subject": "GMV", "attribute": "formula", "value": "the sum of amount in orders where status = 'paid'",
		"unit": nil, "expr": nil, "filter": nil, "table": nil, "polarity": "positive", "validFrom": nil, "validTo": nil,
	}}})
	content, _ := json.Marshal(string(text))
	_, _ = fmt.Fprintf(w, `{"choices":[{"message":{"content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5}}`, content)
}

// TestModel: what a model finds goes the way of the rules, and is verified like theirs. Names are sent, and no values.
func TestModel(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	d := newModelDouble(t, gmvAnswer)
	f.asks(t, d)
	s := f.open(t, nil, nil)
	if err := s.Index.Refresh(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	const text = told + " The password: hunter2hunter2XY9 is secret."
	if _, err := s.Preview(t.Context(), Input{Content: text, Connection: "shop", Actor: agent}); err != nil {
		t.Fatal(err)
	}
	run := remember(t, s, text, agent) // of the answer that is kept
	if diff := cmp.Diff([]string{"orders.gmv"}, run.Captured.SL); diff != "" {
		t.Error(diff, run.Questions, run.Notes)
	}
	if len(d.sent) != 1 || strings.Contains(d.sent[0], "hunter2") || !strings.Contains(d.sent[0], `orders.amount`) {
		t.Errorf("sent %v", d.sent)
	}
	for _, value := range []string{"refunded", "pending", "a@x"} { // which the text does not say
		if strings.Contains(d.sent[0], value) {
			t.Errorf("the value %s is sent", value)
		}
	}
}

// TestRulesAlone: with the planner of rules nothing is sent, although a model is configured.
func TestRulesAlone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	d := newModelDouble(t, gmvAnswer)
	f.asks(t, d)
	for _, planner := range []string{"", "rules"} {
		f.settings.Planner = planner
		s := f.open(t, nil, nil)
		run := remember(t, s, told+planner, agent)
		if _, err := s.Preview(t.Context(), Input{Content: told, Connection: "shop", Actor: agent}); err != nil {
			t.Fatal(err)
		}
		if len(d.sent) != 0 || len(run.Captured.SL) != 0 || strings.Contains(strings.Join(run.Notes, ""), "model") {
			t.Errorf("%q: sent %v, %+v", planner, d.sent, run)
		}
	}
}

// TestFallback: without a useful answer the rules read the text, the run says so, and an equal text is tried again.
func TestFallback(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	d := newModelDouble(t, func(w http.ResponseWriter) { w.WriteHeader(http.StatusUnauthorized) })
	f.asks(t, d)
	s := f.open(t, nil, nil)
	const text = "Paid revenue is the sum of amount in orders where status = 'paid'. Source: finance"
	run := remember(t, s, text, agent)
	if notes := strings.Join(run.Notes, "\n"); len(run.Captured.SL) != 1 || !strings.Contains(notes, "the text was read by rules alone: the model's server answered with status 401") || !strings.Contains(notes, "memory.llm.api_key") {
		t.Errorf("%+v %v", run.Captured, run.Notes)
	}
	second := remember(t, s, text, codex)
	if second.RunID == run.RunID || len(d.sent) != 2 {
		t.Errorf("run %s after %s, %d calls", second.RunID, run.RunID, len(d.sent))
	}
	preview, err := s.Preview(t.Context(), Input{Content: told, Connection: "shop", Actor: agent})
	if err != nil || !strings.Contains(strings.Join(preview.Notes, ""), "by rules alone") {
		t.Errorf("%+v %v", preview, err)
	}
}

// slowModel is a double of an extractor that answers when it may.
type slowModel struct{ reached, may chan struct{} }

func (m *slowModel) Extract(ctx context.Context, _ extract.Text) (extract.Found, error) {
	m.reached <- struct{}{}
	select {
	case <-m.may:
		return extract.Found{}, nil
	case <-ctx.Done():
		return extract.Found{}, ctx.Err()
	}
}

// TestModelHoldsNobodyUp: while the model is asked, people decide; when the host ends, the text waits for the next one.
func TestModelHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.settings = project.Memory{Review: "strict"}
	s := f.open(t, pageOf, nil)
	first := remember(t, s, "Churn excludes trials.", agent)
	s.worker.running.Wait() // or it works on the other one's text, too
	slow := &slowModel{make(chan struct{}, 9), make(chan struct{})}
	f.settings.Planner, f.model = "llm", slow
	other := f.open(t, pageOf, nil)
	accepted, err := other.Accept(t.Context(), Input{Content: "Churn excludes tests.", Connection: "shop", Actor: agent})
	if err != nil {
		t.Fatal(err)
	}
	<-slow.reached
	if out, err := s.Approve(t.Context(), Decision{IDs: []string{string(first.Captured.Pending[0].ID)}, Actor: person}); err != nil || out[0].State == "" {
		t.Errorf("%+v, %v", out, err)
	}
	other.worker.cancel()
	other.worker.running.Wait()
	if run, err := other.Status(t.Context(), accepted.RunID); err != nil || run.Status != "queued" {
		t.Errorf("%+v, %v", run, err)
	}
	close(slow.may)
	next := f.open(t, pageOf, nil)
	if run, err := next.Wait(t.Context(), accepted.RunID, nil); err != nil || run.Status != "done" {
		t.Errorf("%+v, %v", run, err)
	}
}

// brokenModel is a double of an extractor that panics.
type brokenModel struct{}

func (brokenModel) Extract(context.Context, extract.Text) (extract.Found, error) { panic("bomb") }

func TestBrokenModel(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.settings.Planner, f.model = "llm", brokenModel{}
	s := f.open(t, pageOf, nil)
	if run := remember(t, s, "Churn excludes trials.", agent); !strings.Contains(strings.Join(run.Notes, ""), "asking the model failed; the log has the place") || len(run.Captured.Wiki) != 1 {
		t.Errorf("%+v", run)
	}
}

// TestNamesOfOthers: names of a connection that the author of a text cannot see are not sent.
func TestNamesOfOthers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, pageOf, nil)
	if err := s.Index.Refresh(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	j := &job{service: s, connection: "shop"}
	if names := j.names(t.Context(), told); len(names) == 0 || len(names) > maxNames {
		t.Errorf("%v", names)
	}
	if names := j.names((author{run.Author{Connections: []string{"other"}}}).seeing(t.Context()), told); len(names) != 0 {
		t.Errorf("%v", names)
	}
	j.connection = ""
	if names := j.names(t.Context(), told); len(names) != 0 {
		t.Errorf("without a connection: %v", names)
	}
	if n := len(distinctWords(strings.Repeat("amount orders ", 9000))); n > 20 {
		t.Errorf("%d bytes are looked for", n)
	}
}
