package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
)

// exchange is all that came for one call.
type exchange struct {
	// reused: the call went over a connection that was open before.
	reused   bool
	progress []float64
	answered bool
	failed   bool
	text     string // what the tool answers, a document
	failure
}

// refusedAtStop reports that the call was refused because the server ends.
func (e exchange) refusedAtStop() bool { return e.failed && e.Code == "unavailable" && e.Retryable }

// soaker is a client of the soak: a session, a connection that is kept open, and
// ids and progress tokens that no other call has.
type soaker struct {
	name         string
	url, session string
	id           int
	calls        *http.Transport
	aside        *http.Transport // takes calls back
}

func newSoaker(url string, number int) (*soaker, error) {
	c := &soaker{name: fmt.Sprintf("client-%d", number), url: url, calls: &http.Transport{MaxConnsPerHost: 1}, aside: &http.Transport{}}
	resp, _, err := c.post(c.calls, fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":%s}`, initializeParams))
	if err != nil {
		return nil, err
	}
	c.session = resp.Header.Get("Mcp-Session-Id")
	_, err = io.Copy(io.Discard, resp.Body)
	if closed := resp.Body.Close(); err == nil {
		err = closed
	}
	if err == nil && c.session == "" {
		err = fmt.Errorf("initialize: %s", resp.Status)
	}
	return c, err
}

func (c *soaker) close() {
	c.calls.CloseIdleConnections()
	c.aside.CloseIdleConnections()
}

func (c *soaker) post(over *http.Transport, body string) (resp *http.Response, reused bool, err error) {
	trace := &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused }}
	// A body that cannot be read twice: the transport must not try again by itself.
	req, err := http.NewRequest(http.MethodPost, c.url, io.NopCloser(strings.NewReader(body)))
	if err != nil {
		return nil, false, err
	}
	req = req.WithContext(httptrace.WithClientTrace(req.Context(), trace))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	resp, err = over.RoundTrip(req)
	return resp, reused, err
}

// call calls a tool and tests that everything that comes is of this call: its
// progress grows and carries its token, and the answer is the last and has its
// id. reported is called at the first report; nil = no progress is asked for.
func (c *soaker) call(tool, args string, reported func()) (e exchange, err error) {
	c.id++
	token := fmt.Sprintf("%s-%d", c.name, c.id)
	meta := ""
	if reported != nil {
		meta = fmt.Sprintf(`,"_meta":{"progressToken":%q}`, token)
	}
	resp, reused, err := c.post(c.calls, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, c.id, tool, args, meta))
	e.reused = reused
	if err != nil {
		return e, err
	}
	defer resp.Body.Close()
	streamed := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
	for lines := bufio.NewReader(resp.Body); ; {
		line, err := lines.ReadBytes('\n')
		if text, found := bytes.CutPrefix(line, []byte("data: ")); found || !streamed && len(line) > 0 {
			if wrong := e.take(bytes.TrimSpace(text), c.id, token); wrong != nil {
				return e, wrong
			}
			if len(e.progress) == 1 && !e.answered && reported != nil {
				reported()
			}
		}
		if err == io.EOF {
			break
		} else if err != nil {
			return e, err
		}
	}
	if !e.answered {
		return e, fmt.Errorf("call %d ended without an answer: %s", c.id, resp.Status)
	}
	return e, nil
}

// misrouted is a message that is not of the call it came to.
type misrouted string

func (m misrouted) Error() string { return string(m) }

func (e *exchange) take(text []byte, id int, token string) error {
	var m struct {
		ID     *int
		Method string
		Params struct {
			ProgressToken string
			Progress      float64
		}
		Result *struct {
			IsError           bool
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
	}
	if len(text) == 0 {
		return nil
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return misrouted(fmt.Sprintf("%v in %.200s", err, text))
	}
	switch {
	case e.answered:
		return misrouted(fmt.Sprintf("after the answer of call %d came %.200s", id, text))
	case m.Method == "notifications/progress":
		if n := len(e.progress); m.Params.ProgressToken != token || n > 0 && m.Params.Progress <= e.progress[n-1] {
			return misrouted(fmt.Sprintf("call %s got the progress %.200s after %v", token, text, e.progress))
		}
		e.progress = append(e.progress, m.Params.Progress)
		return nil
	case m.ID == nil || *m.ID != id || m.Result == nil || len(m.Result.Content) == 0:
		return misrouted(fmt.Sprintf("call %d was answered with %.300s", id, text))
	}
	e.answered, e.failed, e.text = true, m.Result.IsError, string(m.Result.StructuredContent)
	if e.failed {
		return json.Unmarshal(m.Result.StructuredContent, &e.failure)
	}
	return nil
}

// takeBack cancels the call that runs.
func (c *soaker) takeBack() error {
	resp, _, err := c.post(c.aside, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, c.id))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted {
		return fmt.Errorf("notifications/cancelled: %s", resp.Status)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
