package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/loam-data/loam/sdk"
)

func takeBack(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
}

// A message that takes a request back may arrive before it. The library alone
// would lose it, and the call would run to its deadline.
func TestPitfallATakingBackOvertakesItsRequest(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{})
	session := s.session(t)
	for _, id := range []string{`7`, `"seven"`} {
		if r := do(t, http.MethodPost, s.url, takeBack(id), session...); r.status != http.StatusAccepted {
			t.Fatalf("%s: status %d: %s", id, r.status, r.body)
		}
		r := do(t, http.MethodPost, s.url, call(id, "block", "", ""), session...)
		if !strings.Contains(r.body, "cancelled") {
			t.Errorf("%s: answer: %s", id, r.body)
		}
		if cause := receive(t, s.ended); !errors.Is(cause, errTakenBack) {
			t.Errorf("%s: cause: %v", id, cause)
		}
		// Once: the id is free after its answer.
		if r := do(t, http.MethodPost, s.url, call(id, "echo", `{"text":"hi"}`, ""), session...); !strings.Contains(r.body, "hi") {
			t.Errorf("%s again: %s", id, r.body)
		}
	}
}

// The modern era takes a request back by closing its connection, which may be
// closed before the request is read.
func TestPitfallAModernClientLeavesAtOnce(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{})
	body := call(1, "block", "", modernMeta)
	conn := s.dial(t)
	var header strings.Builder
	for i, h := 0, modernHeader("block"); i < len(h); i += 2 {
		fmt.Fprintf(&header, "%s: %s\r\n", h[i], h[i+1])
	}
	fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s", header.String(), len(body), body)
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if cause := receive(t, s.ended); !errors.Is(cause, context.Canceled) {
		t.Errorf("cause: %v", cause)
	}
}

// What is taken back after its answer touches nothing: neither the calls of
// other clients with the same id, nor a later one of the same client.
func TestTakingBackIsForOneRequestOfOneClient(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{})
	mine, other := s.session(t), s.session(t)
	if r := do(t, http.MethodPost, s.url, call(1, "echo", "", ""), other...); r.status != http.StatusOK {
		t.Fatalf("status %d", r.status)
	}
	answer := make(chan reply, 1)
	go func() {
		r, err := try(context.Background(), http.MethodPost, s.url, call(1, "block", "", ""), mine...)
		if err != nil {
			r.body = err.Error()
		}
		answer <- r
	}()
	receive(t, s.started)
	for _, message := range []string{takeBack(`1`), takeBack(`1`), takeBack(`"1"`), `{"jsonrpc":"2.0","method":"notifications/cancelled"}`} {
		if r := do(t, http.MethodPost, s.url, message, other...); r.status != http.StatusAccepted {
			t.Fatalf("status %d: %s", r.status, r.body)
		}
	}
	if r := do(t, http.MethodPost, s.url, call(1, "echo", `{"text":"again"}`, ""), other...); !strings.Contains(r.body, "again") {
		t.Errorf("an id that was answered: %s", r.body)
	}
	s.release <- struct{}{}
	if r := receive(t, answer); !strings.Contains(r.body, "released") {
		t.Errorf("the other client's call: %s", r.body)
	}
}

// It is a notification: a request of that name asks for an answer.
func TestTakingBackAsARequestIsAnswered(t *testing.T) {
	t.Parallel()
	s := serve(t, Limits{}, Access{})
	message := `{"jsonrpc":"2.0","id":5,"method":"notifications/cancelled","params":{"requestId":5}}`
	if r := do(t, http.MethodPost, s.url, message, s.session(t)...); rpcCode(t, r.body) != mcp.METHOD_NOT_FOUND {
		t.Errorf("HTTP: %s", r.body)
	}
	p := serveStdio(t, Limits{})
	p.send(t, message)
	if m := p.next(t); m["id"] != 5.0 || m["error"] == nil {
		t.Errorf("stdio: %v", m)
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	ended := func(q *requests, id string) (bool, func()) {
		var cause error
		done := q.begin(json.RawMessage(id), func(err error) { cause = err })
		return cause != nil, done
	}
	t.Run("an id in flight twice", func(t *testing.T) {
		t.Parallel()
		var q requests
		var ends []string
		first := q.begin(json.RawMessage(`1`), func(error) { ends = append(ends, "first") })
		second := q.begin(json.RawMessage(`1`), func(error) { ends = append(ends, "second") })
		first()
		q.takeBack(json.RawMessage(`1`))
		if len(ends) != 1 || ends[0] != "second" {
			t.Errorf("ended: %v", ends)
		}
		second()
		if len(q.running) != 0 {
			t.Errorf("%d requests are running", len(q.running))
		}
	})
	t.Run("ids that are written in two ways", func(t *testing.T) {
		t.Parallel()
		var q requests
		q.takeBack(json.RawMessage(`"\u0061"`))
		if gone, _ := ended(&q, `"a"`); !gone {
			t.Error("the text was compared as it was written")
		}
		q.takeBack(json.RawMessage(`"1"`))
		if gone, _ := ended(&q, `1`); gone {
			t.Error("a text took a number back")
		}
	})
	t.Run("what is remembered is bounded", func(t *testing.T) {
		t.Parallel()
		var q requests
		for i := range 10_000 {
			q.takeBack(json.RawMessage(strconv.Itoa(i)))
			_, done := ended(&q, strconv.Itoa(-1-i))
			done()
		}
		q.takeBack(json.RawMessage(`"` + strings.Repeat("x", maxRememberedID) + `"`))
		if len(q.early.ids) != rememberedIDs || len(q.answers.ids) != rememberedIDs || len(q.running) != 0 {
			t.Errorf("%d early, %d answered, %d running", len(q.early.ids), len(q.answers.ids), len(q.running))
		}
		if gone, _ := ended(&q, "9999"); !gone {
			t.Error("the last one was forgotten")
		}
		if gone, _ := ended(&q, "1"); gone {
			t.Error("the first one is remembered")
		}
	})
	if sdk.KindOf(errTakenBack) != sdk.KindCanceled {
		t.Errorf("kind %s", sdk.KindOf(errTakenBack))
	}
}
