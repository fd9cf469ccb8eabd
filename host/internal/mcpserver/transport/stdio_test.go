package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
)

func TestStdioFinishesWhatIsInFlightAtTheEndOfInput(t *testing.T) {
	t.Parallel()
	p := serveStdio(t, Limits{})
	p.send(t, call(1, "block", "", ""))
	receive(t, p.started)
	if _, err := io.WriteString(p.in, call(2, "echo", `{"text":"last line without an end"}`, "")); err != nil {
		t.Fatal(err)
	}
	if err := p.in.Close(); err != nil {
		t.Fatal(err)
	}
	if m := p.next(t); m["id"] != 2.0 {
		t.Errorf("first answer: %v", m)
	}
	p.release <- struct{}{}
	if m := p.next(t); m["id"] != 1.0 || !strings.Contains(fmt.Sprint(m["result"]), "released") {
		t.Errorf("second answer: %v", m)
	}
	if err := receive(t, p.done); err != nil {
		t.Error(err)
	}
}

func TestStdioCancelsAfterTheGrace(t *testing.T) {
	t.Parallel()
	ends := map[string]func(*pipes){
		"end of input": func(p *pipes) { _ = p.in.Close() },
		"signal":       func(p *pipes) { p.stop() },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := serveStdio(t, Limits{Grace: 20 * time.Millisecond})
			p.send(t, call(1, "block", "", ""))
			receive(t, p.started)
			end(p)
			if m := p.next(t); m["id"] != 1.0 || !strings.Contains(fmt.Sprint(m["result"]), "cancelled") {
				t.Errorf("answer: %v", m)
			}
			if cause := receive(t, p.ended); sdk.KindOf(cause) != sdk.KindUnavailable {
				t.Errorf("cause: %v", cause)
			}
			if err := receive(t, p.done); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestStdioCancel(t *testing.T) {
	t.Parallel()
	p := serveStdio(t, Limits{Workers: 1})
	p.send(t, call(1, "block", "", ""))
	receive(t, p.started)
	p.send(t, call(2, "block", "", "")) // waits for the one worker
	p.send(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	if cause := receive(t, p.ended); sdk.KindOf(cause) != sdk.KindCanceled { // at once, not after its turn
		t.Errorf("cause: %v", cause)
	}
	p.send(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`)
	p.send(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}`) // another id
	p.send(t, call(3, "echo", "", ""))
	p.release <- struct{}{}
	if m := p.next(t); m["id"] != 1.0 {
		t.Errorf("a cancel reached another call: %v", m)
	}
	if m := p.next(t); m["id"] != 3.0 {
		t.Errorf("a cancelled call was answered: %v", m)
	}
	p.send(t, call(4, "block", "", ""))
	receive(t, p.started)
	p.send(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`)
	if cause := receive(t, p.ended); sdk.KindOf(cause) != sdk.KindCanceled {
		t.Errorf("cause: %v", cause)
	}
	p.send(t, call(5, "echo", "", ""))
	if m := p.next(t); m["id"] != 5.0 {
		t.Errorf("a cancelled call was answered: %v", m)
	}
}

func TestStdioRefusals(t *testing.T) {
	t.Parallel()
	p := serveStdio(t, Limits{Body: 200})
	tests := []struct{ name, line, id, text string }{
		{"no JSON", `{`, "null", "not valid JSON"},
		{"invalid UTF-8", "{\"id\":1,\"method\":\"\xff\"}", "null", "UTF-8"},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, "null", "id must be"},
		{"batch", `[]`, "null", "batches"},
		{"too long a line", call(1, "echo", `{"text":"`+strings.Repeat("x", 300_000)+`"}`, ""), "1", "larger than 200 bytes"},
		{"unknown method", `{"jsonrpc":"2.0","id":5,"method":"nonsense"}`, "5", "not found"},
	}
	for _, tt := range tests {
		p.send(t, tt.line)
		m := p.next(t)
		if !strings.Contains(fmt.Sprint(m["error"]), tt.text) || fmt.Sprint(m["id"]) != strings.ReplaceAll(tt.id, "null", "<nil>") {
			t.Errorf("%s: %v", tt.name, m)
		}
	}
	p.send(t, "\r\n\n"+call(6, "echo", "", "")+"\r")
	if m := p.next(t); m["id"] != 6.0 {
		t.Errorf("after all of that: %v", m)
	}
}

func TestStdioRefusesAnIDInFlight(t *testing.T) {
	t.Parallel()
	p := serveStdio(t, Limits{})
	p.send(t, call(1, "block", "", ""))
	receive(t, p.started)
	p.send(t, call(1, "echo", "", ""))
	if m := p.next(t); !strings.Contains(fmt.Sprint(m["error"]), "in flight") {
		t.Errorf("answer: %v", m)
	}
	p.release <- struct{}{}
	if m := p.next(t); m["result"] == nil {
		t.Errorf("answer: %v", m)
	}
	p.send(t, call(1, "echo", "", ""))
	if m := p.next(t); m["result"] == nil {
		t.Errorf("the id is not free again: %v", m)
	}
}

func TestStdioEndsWhenItsOutputIsClosed(t *testing.T) {
	t.Parallel()
	p := serveStdio(t, Limits{Grace: time.Minute})
	p.send(t, call(1, "block", "", ""))
	receive(t, p.started)
	if err := p.out.Close(); err != nil {
		t.Fatal(err)
	}
	p.send(t, call(2, "echo", "", ""))
	if cause := receive(t, p.ended); sdk.KindOf(cause) != sdk.KindCanceled {
		t.Errorf("cause: %v", cause)
	}
	if err := receive(t, p.done); err != nil {
		t.Errorf("the client going away is an error: %v", err)
	}
}

// A client that does not read cannot keep the server from ending.
func TestStdioEndsWhenItsClientDoesNotRead(t *testing.T) {
	t.Parallel()
	in, send := io.Pipe()
	out := &stuck{entered: make(chan struct{}, 8), leave: make(chan struct{})}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- ServeStdio(ctx, newFixture().config(Limits{Grace: 20 * time.Millisecond}), in, out) }()
	for _, line := range []string{"{", call(1, "echo", "", ""), "{"} {
		if _, err := io.WriteString(send, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	receive(t, out.entered)
	stop()
	if err := receive(t, done); sdk.KindOf(err) != sdk.KindTimeout {
		t.Errorf("err = %v", err)
	}
	close(out.leave)
	_ = send.Close()
}

// stuck is an output that nobody reads until leave is closed.
type stuck struct{ entered, leave chan struct{} }

func (s *stuck) Write(p []byte) (int, error) {
	s.entered <- struct{}{}
	<-s.leave
	return len(p), nil
}

func TestStdioReportsAnInputThatFails(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	broken := errors.New("broken pipe")
	err := ServeStdio(t.Context(), newFixture().config(Limits{}), io.MultiReader(strings.NewReader(call(1, "echo", "", "")+"\n"), failing{broken}), &out)
	if !errors.Is(err, broken) || sdk.KindOf(err) != sdk.KindUnavailable {
		t.Errorf("err = %v", err)
	}
	if !strings.Contains(out.String(), `"id":1`) {
		t.Errorf("the call before was not answered: %s", out.String())
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// Lines of parallel calls never mix, whatever their length.
func TestStdioWritesWholeLines(t *testing.T) {
	t.Parallel()
	p := serveStdio(t, Limits{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for id := range 50 {
			_, _ = fmt.Fprintln(p.in, call(id, "big", fmt.Sprintf(`{"size":%d}`, id*5000), ""))
		}
	})
	for range 50 {
		p.next(t)
	}
	wg.Wait()
}
