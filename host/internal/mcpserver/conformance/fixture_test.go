package conformance_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/mcpserver"
	"github.com/loam-data/loam/host/internal/mcpserver/conformance"
)

// client is one on a pipe of the real server.
type client struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Scanner
}

type answer struct {
	Result struct {
		Content       []struct{ Text string }
		IsError       bool
		ResultType    string
		InputRequests map[string]struct{ Method string }
		RequestState  string
		Tools         []struct{ Name string }
		Messages      []json.RawMessage
	}
	Error struct{ Code int }
}

func serve(t *testing.T, toolsets ...string) *client {
	t.Helper()
	s, err := mcpserver.New(mcpserver.Config{
		Version: "1", Logger: slog.New(slog.DiscardHandler), Selection: mcpserver.Selection{Toolsets: toolsets},
		Skill: mcpserver.Skill{Name: "riding", Description: "How to ride."},
	})
	if err != nil {
		t.Fatal(err)
	}
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- s.ServeStdio(t.Context(), fromClient, toClient) }()
	t.Cleanup(func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return &client{t: t, in: in, out: bufio.NewScanner(out)}
}

// ask sends a request and returns what it is answered, and the methods of the
// notifications before that.
func (c *client) ask(method string, params map[string]any) (a answer, notes []string) {
	c.t.Helper()
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.in.Write(append(text, '\n')); err != nil {
		c.t.Fatal(err)
	}
	for c.out.Scan() {
		var m struct{ Method string }
		if err := json.Unmarshal(c.out.Bytes(), &m); err != nil {
			c.t.Fatal(err)
		}
		if m.Method != "" {
			notes = append(notes, m.Method)
			continue
		}
		if err := json.Unmarshal(c.out.Bytes(), &a); err != nil {
			c.t.Fatal(err)
		}
		return a, notes
	}
	c.t.Fatalf("no answer: %v", c.out.Err())
	return a, notes
}

func modern(capabilities ...string) map[string]any {
	declared := map[string]any{}
	for _, c := range capabilities {
		declared[c] = struct{}{}
	}
	return map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": declared}
}

func (c *client) tools() (names []string) {
	a, _ := c.ask("tools/list", map[string]any{"_meta": modern()})
	for _, tool := range a.Result.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func TestFixturesAreHidden(t *testing.T) {
	t.Parallel()
	for _, name := range serve(t, "research").tools() {
		if strings.HasPrefix(name, "test_") {
			t.Errorf("%s is there", name)
		}
	}
	if n := len(serve(t, conformance.Toolset).tools()); n != 27 {
		t.Errorf("%d fixtures", n)
	}
}

// answers are what a client says to each kind of question.
var answers = map[string]any{
	"elicitation/create": map[string]any{"action": "accept", "content": map[string]any{
		"name": "Ada", "ok": true, "color": "blue", "username": "ada", "email": "ada@example.com",
	}},
	"sampling/createMessage": map[string]any{"role": "assistant", "model": "m", "content": map[string]any{"type": "text", "text": "Paris"}},
	"roots/list":             map[string]any{"roots": []any{map[string]any{"uri": "file:///a", "name": "a"}}},
}

// Every fixture comes to an end for a client that answers what it is asked.
func TestAskedAndAnswered(t *testing.T) {
	t.Parallel()
	c := serve(t, conformance.Toolset)
	rounds := map[string]int{}
	for _, name := range c.tools() {
		params := map[string]any{"name": name, "_meta": modern("elicitation", "sampling", "roots")}
		a, _ := c.ask("tools/call", params)
		for a.Result.ResultType == "input_required" && rounds[name] < 5 {
			rounds[name]++
			responses := map[string]any{}
			for id, question := range a.Result.InputRequests {
				responses[id] = answers[question.Method]
			}
			params["inputResponses"], params["requestState"] = responses, a.Result.RequestState
			a, _ = c.ask("tools/call", params)
		}
		if a.Result.ResultType != "complete" || len(a.Result.Content) == 0 || a.Result.IsError != (name == "test_error_handling") {
			t.Errorf("%s: %+v", name, a)
		}
	}
	want := map[string]int{"test_input_required_result_multi_round": 2}
	for _, name := range []string{
		"sampling", "elicitation", "elicitation_sep1034_defaults", "elicitation_sep1330_enums", "streaming_elicitation",
		"input_required_result_elicitation", "input_required_result_sampling", "input_required_result_list_roots", "input_required_result_request_state",
		"input_required_result_tampered_state", "input_required_result_multiple_inputs", "input_required_result_capabilities",
	} {
		want["test_"+name] = 1
	}
	if diff := cmp.Diff(want, rounds); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
}

// A client that answers nothing is asked nothing, in either era, and is never told
// of an internal error.
func TestNothingIsAskedOfWhoCannotAnswer(t *testing.T) {
	t.Parallel()
	c := serve(t, conformance.Toolset)
	for _, name := range c.tools() {
		for era, meta := range map[string]map[string]any{"stateless": modern(), "legacy": {}} {
			a, _ := c.ask("tools/call", map[string]any{"name": name, "arguments": map[string]any{}, "_meta": meta})
			if len(a.Result.InputRequests) > 0 || (a.Error.Code != 0 && a.Error.Code != -32021) {
				t.Errorf("%s, %s: %+v", name, era, a)
			}
		}
	}
}

func TestLogIsSentToWhoAsksForIt(t *testing.T) {
	t.Parallel()
	c := serve(t, conformance.Toolset)
	for level, want := range map[string]int{"": 0, "debug": 3, "info": 3, "warning": 0} {
		meta := modern()
		if level != "" {
			meta["io.modelcontextprotocol/logLevel"] = level
		}
		a, notes := c.ask("tools/call", map[string]any{"name": "test_tool_with_logging", "_meta": meta})
		if len(notes) != want || len(a.Result.Content) != 1 {
			t.Errorf("level %q: %v, %+v", level, notes, a)
		}
	}
	meta := modern()
	meta["progressToken"] = "p"
	if _, notes := c.ask("tools/call", map[string]any{"name": "test_tool_with_progress", "_meta": meta}); len(notes) != 3 {
		t.Errorf("progress: %v", notes)
	}
}

// A prompt that asks first is a prompt in the end.
func TestAskingPrompt(t *testing.T) {
	t.Parallel()
	c := serve(t, conformance.Toolset)
	params := map[string]any{"name": "test_input_required_result_prompt", "_meta": modern("elicitation")}
	a, _ := c.ask("prompts/get", params)
	if ids := slices.Collect(maps.Keys(a.Result.InputRequests)); fmt.Sprint(ids) != "[user_context]" {
		t.Fatalf("first: %+v", a)
	}
	params["inputResponses"] = map[string]any{"user_context": answers["elicitation/create"]}
	if a, _ = c.ask("prompts/get", params); len(a.Result.Messages) != 1 {
		t.Errorf("then: %+v", a)
	}
	params["inputResponses"], params["_meta"] = nil, modern()
	if a, _ = c.ask("prompts/get", params); len(a.Result.Messages) != 1 {
		t.Errorf("without the capability: %+v", a)
	}
}
