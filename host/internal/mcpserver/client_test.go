package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdkmcp "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loam-data/loam/sdk"
)

// checked makes a call and validates its answer against the listed schema.
func checked(t *testing.T, c *sdkmcp.ClientSession, name string, args map[string]any) *sdkmcp.CallToolResult {
	t.Helper()
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	result := callTool(t, c, name, args)
	for _, tool := range list.Tools {
		if tool.Name == name {
			validate(t, tool.OutputSchema, result.StructuredContent)
		}
	}
	return result
}

func validate(t *testing.T, schema, value any) {
	t.Helper()
	load := func(v any) any {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(compact(t, v))))
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("s.json", load(schema)); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("s.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(load(value)); err != nil {
		t.Error(err)
	}
}

func TestConnectionList(t *testing.T) {
	t.Parallel()
	eachLine(t, nil, func(t *testing.T, _ *world, c *sdkmcp.ClientSession) {
		result := checked(t, c, "connection_list", nil)
		want := `{"connections":[{"description":"Orders.","dialect":"foosql","id":"warehouse","name":"The warehouse","status":"not_scanned"},` +
			`{"dialect":"foosql","id":"lake","problem":"connection refused: start it","status":"unavailable"},` +
			`{"id":"gone","problem":"connector acme/bardb is not installed: install it","status":"unavailable"}]}`
		if diff := cmp.Diff(want, compact(t, result.StructuredContent)); diff != "" {
			t.Errorf("structured content (-want +got):\n%s", diff)
		}
		short := `warehouse; foosql; not_scanned -- The warehouse -- Orders.
lake; foosql; unavailable
  problem: connection refused: start it
gone; unavailable
  problem: connector acme/bardb is not installed: install it`
		if diff := cmp.Diff(short, textOf(t, result)); diff != "" {
			t.Errorf("text (-want +got):\n%s", diff)
		}
	})
}

func TestConnectionListWithoutAMemory(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.states, w.forgotten = nil, errors.New("the state store is locked")
	result := checked(t, connect(t, lines[0], w.config(), nil), "connection_list", nil)
	if text := textOf(t, result); result.IsError || strings.Count(text, "\n") < 2 {
		t.Errorf("answer: %s", text)
	}
}

func TestSQLExecution(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, sql string
		maxRows   int
		want      string
		text      string
	}{
		{"rows", "rows 2", 0, `{"elapsedMs":1,"headerTypes":["BIGINT","TEXT\u003c\u003e"],"headers":["n","n"],"rowCount":2,"rows":[[0,"row 0 äöü"],[1,"row 1 äöü"]],"truncated":false}`, "n,n\n0,row 0 äöü\n1,row 1 äöü"},
		{"no rows", "rows 0", 0, `{"elapsedMs":1,"headerTypes":["BIGINT","TEXT\u003c\u003e"],"headers":["n","n"],"notes":["There is no such value. The scan found none."],"rowCount":0,"rows":[],"truncated":false}`, "n,n\n(0 rows)\nnote: There is no such value. The scan found none."},
		{"cut", "rows 5", 1, `{"elapsedMs":0,"headerTypes":["BIGINT","TEXT\u003c\u003e"],"headers":["n","n"],"notes":["There are more rows: aggregate, filter or raise maxRows."],"rowCount":1,"rows":[[0,"row 0 äöü"]],"truncated":true,"truncatedBy":"rows"}`, "n,n\n0,row 0 äöü\nnote: There are more rows: aggregate, filter or raise maxRows."},
		{"no types", "untyped 1", 0, `{"elapsedMs":1,"headers":["\u003ca\u003e",""],"rowCount":1,"rows":[[0,"row 0 äöü"]],"truncated":false}`, "<a>,\"\"\n0,row 0 äöü"},
		{"no columns", "nothing 2", 0, `{"elapsedMs":1,"headers":[],"rowCount":2,"rows":[[],[]],"truncated":false}`, "(2 rows)"},
	}
	eachLine(t, nil, func(t *testing.T, _ *world, c *sdkmcp.ClientSession) {
		for _, tt := range tests {
			args := sqlArgs(tt.sql)
			if tt.maxRows > 0 {
				args["maxRows"] = tt.maxRows
			}
			result := checked(t, c, "sql_execution", args)
			if diff := cmp.Diff(tt.want, compact(t, result.StructuredContent)); diff != "" {
				t.Errorf("%s: structured content (-want +got):\n%s", tt.name, diff)
			}
			if diff := cmp.Diff(tt.text, textOf(t, result)); diff != "" {
				t.Errorf("%s: text (-want +got):\n%s", tt.name, diff)
			}
		}
	})
}

func TestRefusalsAreInBand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args map[string]any
		code string
		text string // the text starts with it
	}{
		{"a write", sqlArgs("write"), "not_read_only", "not_read_only: DELETE changes data at line 1, column 1\nHint: send one SELECT"},
		{"wrong arguments", map[string]any{"conectionId": "warehouse", "sql": ""}, "invalid", "invalid: the arguments do not fit:\n- conectionId: expected one of the names connectionId, maxRows, sql, got an unknown name; did you mean connectionId?\n- connectionId: expected a string, got nothing\n- sql: expected a text that is not empty, got the string \"\"\nHint: call sql_execution with arguments like {\"connectionId\":"},
		{"a crash", sqlArgs("crash"), "internal", "internal: internal error, incident "},
	}
	eachLine(t, nil, func(t *testing.T, _ *world, c *sdkmcp.ClientSession) {
		for _, tt := range tests {
			result := checked(t, c, "sql_execution", tt.args)
			content, _ := result.StructuredContent.(map[string]any)
			if !result.IsError || content["code"] != tt.code || !strings.HasPrefix(textOf(t, result), tt.text) {
				t.Errorf("%s: %v\n%s", tt.name, content, textOf(t, result))
			}
			for _, field := range []string{"code", "category", "message", "hint", "details", "retryable"} {
				if _, ok := content[field]; !ok {
					t.Errorf("%s: %s is missing", tt.name, field)
				}
			}
		}
	})
}

func TestUnknownToolIsAProtocolError(t *testing.T) {
	t.Parallel()
	eachLine(t, nil, func(t *testing.T, _ *world, c *sdkmcp.ClientSession) {
		_, err := c.CallTool(t.Context(), &sdkmcp.CallToolParams{Name: "sql_exection", Arguments: map[string]any{}})
		var refused *jsonrpc.Error
		if !errors.As(err, &refused) || refused.Code != jsonrpc.CodeInvalidParams || !strings.Contains(refused.Message, "did you mean sql_execution?") {
			t.Errorf("err = %v", err)
		}
	})
}

func TestCancelReachesTheStatement(t *testing.T) {
	t.Parallel()
	eachLine(t, nil, func(t *testing.T, w *world, c *sdkmcp.ClientSession) {
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := c.CallTool(ctx, &sdkmcp.CallToolParams{Name: "sql_execution", Arguments: sqlArgs("block")})
			failed <- err
		}()
		receive(t, w.started)
		cancel()
		if cause := receive(t, w.ended); !errors.Is(cause, context.Canceled) && sdk.KindOf(cause) != sdk.KindCanceled {
			t.Errorf("cause: %v", cause)
		}
		if err := receive(t, failed); !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v", err)
		}
		if result := callTool(t, c, "sql_execution", sqlArgs("rows 1")); result.IsError {
			t.Errorf("the next call: %s", textOf(t, result))
		}
	})
}

// journal keeps what a client sees of its calls, by progress token.
type journal struct {
	mu   sync.Mutex
	seen map[any][]string
}

func (j *journal) add(token any, entry string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.seen[token] = append(j.seen[token], entry)
}

func TestProgressOf64ParallelCalls(t *testing.T) {
	t.Parallel()
	const calls, steps = 64, 20
	for _, l := range lines {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			j := &journal{seen: map[any][]string{}}
			complete := make(chan struct{}, calls)
			options := &sdkmcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdkmcp.ProgressNotificationClientRequest) {
				j.add(r.Params.ProgressToken, r.Params.Message)
				if r.Params.Progress == 1 {
					complete <- struct{}{}
				}
			}}
			c := connect(t, l, newWorld().config(), options)
			var wg sync.WaitGroup
			for i := range calls {
				wg.Go(func() {
					params := &sdkmcp.CallToolParams{Name: "sql_execution", Arguments: sqlArgs(fmt.Sprint("steps ", steps))}
					params.SetProgressToken(fmt.Sprint("token ", i))
					if result, err := c.CallTool(t.Context(), params); err != nil || result.IsError {
						t.Errorf("call %d: %v", i, err)
					}
				})
			}
			wg.Wait()
			for range calls {
				receive(t, complete) // the client hands them on beside the answers
			}
			var want []string
			for i := range steps {
				want = append(want, fmt.Sprint("step ", i))
			}
			for i := range calls {
				if diff := cmp.Diff(want, j.seen[fmt.Sprint("token ", i)]); diff != "" {
					t.Errorf("call %d (-want +got):\n%s", i, diff)
				}
			}
		})
	}
}

func TestPitfallTasksInheritACancelledContext(t *testing.T) {
	t.Parallel()
	url := startHTTP(t, newWorld().config())
	session := openSession(t, url)
	resp, err := post(t.Context(), url, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`)
	var hello struct {
		Result struct{ Capabilities map[string]any }
	}
	if err := json.Unmarshal([]byte(readAll(t, resp, err)), &hello); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"tools": map[string]any{}, "prompts": map[string]any{}, "resources": map[string]any{},
		"completions": map[string]any{}, "extensions": map[string]any{skillsExtension: map[string]any{}},
	}
	if diff := cmp.Diff(want, hello.Result.Capabilities); diff != "" {
		t.Errorf("capabilities (-want +got):\n%s", diff)
	}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"connection_list","task":{"ttl":1000}}}`
	resp, err = post(t.Context(), url, call, session...)
	if body := readAll(t, resp, err); !strings.Contains(body, `"structuredContent"`) {
		t.Errorf("a call that asks for a task: %s", body)
	}
}
