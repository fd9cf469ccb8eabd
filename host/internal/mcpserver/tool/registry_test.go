package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/mark3labs/mcp-go/mcp"
	"go.uber.org/goleak"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/mcpserver/transport"
	"github.com/loam-data/loam/sdk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	greetInput = `{"type":"object","additionalProperties":false,"required":["personName"],"properties":{
		"personName":{"type":"string","minLength":1,"description":"Who."},
		"times":{"type":"integer","minimum":1,"maximum":10,"description":"How often."},
		"tone":{"type":"string","enum":["kind","stern"],"description":"How."},
		"table":{"description":"A name or its parts.","anyOf":[
			{"type":"string","minLength":1},
			{"type":"object","additionalProperties":false,"required":["name"],"properties":{"name":{"type":"string","description":"Name."},"db":{"type":"string","description":"Schema."}}}]},
		"code":{"type":"string","pattern":"^[a-z]+$","description":"Code."},
		"tags":{"type":"array","maxItems":2,"uniqueItems":true,"items":{"type":"string"},"description":"Tags."}}}`
	greetOutput = `{"type":"object","required":["greeting"],"properties":{"greeting":{"type":"string","description":"The greeting."}}}`
)

type greetIn struct {
	PersonName string
	Times      int
}

type greetOut struct {
	Greeting any `json:"greeting"`
}

func greet(handle func(context.Context, greetIn) (greetOut, error)) Definition[greetIn, greetOut] {
	return Definition[greetIn, greetOut]{
		Name: "greet", Title: "Greet", Description: "Greets.", Toolset: "social",
		Hints: Hints{ReadOnly: Yes, Destructive: Unset, Idempotent: No, OpenWorld: No},
		Input: greetInput, Output: greetOutput, Example: `{"personName":"Ada"}`,
		Deadline: time.Minute,
		Handle:   handle,
	}
}

func hello(_ context.Context, in greetIn) (greetOut, error) {
	return greetOut{"hello <" + in.PersonName + ">"}, nil
}

type rig struct {
	*Set
	log     bytes.Buffer
	records []Record
}

func newRig(t *testing.T, d Definition[greetIn, greetOut]) *rig {
	t.Helper()
	r := &rig{}
	r.Set = New(Config{
		Logger: slog.New(slog.NewJSONHandler(&r.log, nil)), Calls: 1, CheckOutput: true,
		Redact: func(text string) string { return strings.ReplaceAll(text, "hunter2", "***") },
		Audit:  func(_ context.Context, rec Record) { r.records = append(r.records, rec) },
	})
	if err := Register(r.Set, d); err != nil {
		t.Fatal(err)
	}
	if err := r.Select(Selection{Toolsets: []string{"social"}}); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *rig) call(t *testing.T, ctx context.Context, args string) *mcp.CallToolResult {
	t.Helper()
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.RawArguments = "greet", json.RawMessage(args)
	result, err := r.handler(r.tools["greet"])(ctx, req)
	if err != nil {
		t.Fatalf("the handler returned an error, which becomes -32603: %v", err)
	}
	return result
}

func text(t *testing.T, r *mcp.CallToolResult) string {
	t.Helper()
	if len(r.Content) != 1 {
		t.Fatalf("%d content blocks", len(r.Content))
	}
	block, ok := r.Content[0].(mcp.TextContent)
	if !ok {
		t.Fatalf("content is a %T", r.Content[0])
	}
	return block.Text
}

func structured(t *testing.T, r *mcp.CallToolResult) failure {
	t.Helper()
	var f failure
	if err := json.Unmarshal(r.RawStructuredContent, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t, greet(hello))
	result := r.call(t, t.Context(), `{"personName":"Ada"}`)
	const want = `{"greeting":"hello <Ada>"}`
	if result.IsError || text(t, result) != want || string(result.RawStructuredContent) != want {
		t.Errorf("answer: %s / %s", text(t, result), result.RawStructuredContent)
	}
	if len(r.records) != 1 || r.records[0].Outcome != "ok" || r.records[0].Bytes != len(want) {
		t.Errorf("records: %+v", r.records)
	}
	if strings.Contains(r.log.String(), "Ada") || !strings.Contains(r.log.String(), `"outcome":"ok"`) {
		t.Errorf("log: %s", r.log.String())
	}
}

func TestArgumentsAreForgivenWhatIsMeant(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, args, want string }{
		{"as published", `{"personName":"Ada","times":2}`, `{"personName":"Ada","times":2}`},
		{"snake case", `{"person_name":"Ada"}`, `{"personName":"Ada"}`},
		{"whole number with a fraction", `{"personName":"Ada","times":2.0}`, `{"personName":"Ada","times":2}`},
		{"whole number with an exponent", `{"personName":"Ada","times":1e1}`, `{"personName":"Ada","times":10}`},
		{"null for nothing", `{"personName":"Ada","times":null,"table":{"db":null,"name":"t"}}`, `{"personName":"Ada","table":{"name":"t"}}`},
		{"null beside another spelling", `{"personName":null,"person_name":"Ada"}`, `{"personName":"Ada"}`},
		{"an alias", `{"who":"Ada"}`, `{"personName":"Ada"}`},
	}
	s, err := newInput(greetInput)
	if err != nil {
		t.Fatal(err)
	}
	s.aliases = func(arguments map[string]any) bool {
		who, ok := arguments["who"]
		if ok {
			delete(arguments, "who")
			arguments["personName"] = who
		}
		return ok
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args, problems, err := s.arguments(json.RawMessage(tt.args))
			if string(args) != tt.want || problems != nil || err != nil {
				t.Errorf("arguments = %s, %v, %v; want %s", args, problems, err, tt.want)
			}
		})
	}
}

func TestPitfallValidationMessagesAreForPrograms(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, args string
		want       []string // the problems' lines
	}{
		{"nothing", ``, []string{"personName: expected a string, got nothing"}},
		{"null", `null`, []string{"personName: expected a string, got nothing"}},
		{"a required null", `{"personName":null}`, []string{"personName: expected a string, got nothing"}},
		{"a null item", `{"personName":"Ada","tags":[null]}`, []string{"tags[0]: expected a string, got null"}},
		{"typo", `{"personNmae":"Ada"}`, []string{
			"personName: expected a string, got nothing",
			"personNmae: expected one of the names code, personName, table, tags, times, tone, got an unknown name; did you mean personName?",
		}},
		{"both spellings", `{"personName":"Ada","person_name":"Bob"}`, []string{
			"person_name: expected one of the names code, personName, table, tags, times, tone, got an unknown name; did you mean personName?",
		}},
		{"types", `{"personName":7,"times":"two"}`, []string{
			"personName: expected a string, got 7",
			`times: expected an integer, got the string "two"`,
		}},
		{"bounds", `{"personName":"","times":11}`, []string{
			`personName: expected a text that is not empty, got the string ""`,
			"times: expected at most 10, got 11",
		}},
		{"fraction", `{"personName":"Ada","times":1.5}`, []string{"times: expected an integer, got 1.5"}},
		{"huge", `{"personName":"Ada","times":1e999999999}`, []string{"times: expected a number of ordinary size, got 1e999999999"}},
		{"enum", `{"personName":"Ada","tone":"rude"}`, []string{`tone: expected one of kind, stern, got the string "rude"`}},
		{"no alternative", `{"personName":"Ada","table":3}`, []string{"table: expected a string or an object, got 3"}},
		{"in an alternative", `{"personName":"Ada","table":{"nmae":"t"}}`, []string{
			"table.name: expected a string, got nothing",
			"table.nmae: expected one of the names db, name, got an unknown name; did you mean name?",
		}},
		{"item", `{"personName":"Ada","tags":["a",1]}`, []string{"tags[1]: expected a string, got 1"}},
		{"items", `{"personName":"Ada","tags":["a","b","c"]}`, []string{"tags: expected at most 2 items, got an array of 3 items"}},
		{"pattern", `{"personName":"Ada","code":"A1"}`, []string{`code: expected a text that matches ^[a-z]+$, got the string "A1"`}},
		{"rarer keyword", `{"personName":"Ada","tags":["a","a"]}`, []string{"tags: expected what uniqueItems of the schema asks for, got an array of 2 items"}},
		{"long text", `{"personName":"Ada","tone":"` + strings.Repeat("ü", 100) + `"}`, []string{
			`tone: expected one of kind, stern, got the string "` + strings.Repeat("ü", 40) + `…"`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, greet(hello))
			result := r.call(t, t.Context(), tt.args)
			f := structured(t, result)
			var got []string
			for _, p := range f.Details.Problems {
				got = append(got, p.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			want := "invalid: the arguments do not fit:\n- " + strings.Join(tt.want, "\n- ") + "\nHint: call greet with arguments like {\"personName\":\"Ada\"}"
			if diff := cmp.Diff(want, text(t, result)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			if !result.IsError || f.Code != sdk.KindInvalid || f.Category != sdk.SourceCaller || f.Retryable {
				t.Errorf("failure: %+v", f)
			}
		})
	}
}

func TestErrorsAreInBand(t *testing.T) {
	t.Parallel()
	full := &sdk.Error{
		Kind: sdk.KindSyntax, Source: sdk.SourceCaller, Msg: "no column custmer (password hunter2)", Hint: "check hunter2", Code: "42703",
		Pos: sdk.Position{Line: 1, Column: 8}, Candidates: []string{"customer"}, Retry: true, RetryAfter: time.Second, QueryID: "q1",
	}
	hint, deadlineHint := "check ***", "ask for less, or raise the connection's limits.timeout"
	tests := []struct {
		name string
		err  error
		want failure
		text string
	}{
		{"everything", full, failure{
			Code: sdk.KindSyntax, Category: sdk.SourceCaller, Message: "no column custmer (password ***) (42703) at line 1, column 8", Hint: &hint, Retryable: true,
			Details: details{Candidates: []string{"customer"}, NativeCode: "42703", Position: &position{1, 8}, QueryID: "q1", RetryAfterMs: 1000},
		}, "syntax: no column custmer (password ***) (42703) at line 1, column 8\nDid you mean: customer?\nHint: check ***"},
		{"choices", &sdk.Error{Kind: sdk.KindInvalid, Source: sdk.SourceCaller, Msg: "two tables are called t", Candidates: []string{"a.t", "b.t"}}, failure{
			Code: sdk.KindInvalid, Category: sdk.SourceCaller, Message: "two tables are called t", Details: details{Candidates: []string{"a.t", "b.t"}},
		}, "invalid: two tables are called t\nUse one of: a.t, b.t"},
		{"wrapped, without a hint", errors.Join(errors.New("x"), sdk.Errorf(sdk.KindDenied, sdk.SourceWarehouse, "no")), failure{
			Code: sdk.KindDenied, Category: sdk.SourceWarehouse, Message: "no",
		}, "denied: no"},
		{"deadline", context.DeadlineExceeded, failure{
			Code: sdk.KindTimeout, Category: sdk.SourceCaller, Message: "the call took longer than 1ns", Hint: &deadlineHint, Retryable: true,
		}, "timeout: the call took longer than 1ns\nHint: " + deadlineHint},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := greet(func(context.Context, greetIn) (greetOut, error) { return greetOut{}, tt.err })
			if errors.Is(tt.err, context.DeadlineExceeded) {
				d.Deadline = 1
			}
			r := newRig(t, d)
			result := r.call(t, t.Context(), `{"personName":"Ada hunter2"}`)
			if diff := cmp.Diff(tt.want, structured(t, result), cmpopts.IgnoreUnexported(failure{}, details{})); diff != "" {
				t.Errorf("failure (-want +got):\n%s", diff)
			}
			if text(t, result) != tt.text || !result.IsError {
				t.Errorf("text: %s", text(t, result))
			}
			if len(r.records) != 1 || r.records[0].Outcome != string(tt.want.Code) || string(r.records[0].Arguments) != `{"personName":"Ada ***"}` {
				t.Errorf("records: %+v", r.records)
			}
		})
	}
}

func TestPitfallInternalErrorsAndPanicsLeak(t *testing.T) {
	t.Parallel()
	handlers := map[string]func(context.Context, greetIn) (greetOut, error){
		"error": func(context.Context, greetIn) (greetOut, error) {
			return greetOut{}, errors.New("secret detail hunter2")
		},
		"internal": func(context.Context, greetIn) (greetOut, error) {
			return greetOut{}, sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "secret detail")
		},
		"panic":          func(context.Context, greetIn) (greetOut, error) { panic("secret detail") },
		"wrong answer":   func(context.Context, greetIn) (greetOut, error) { return greetOut{Greeting: 7}, nil },
		"no JSON at all": func(context.Context, greetIn) (greetOut, error) { return greetOut{Greeting: func() {}}, nil },
	}
	for name, handle := range handlers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, greet(handle))
			result := r.call(t, t.Context(), `{"personName":"Ada"}`)
			f := structured(t, result)
			if f.Code != sdk.KindInternal || f.Details.Incident == "" || r.records[0].Incident != f.Details.Incident {
				t.Fatalf("failure: %+v", f)
			}
			if all := text(t, result) + string(result.RawStructuredContent); strings.Contains(all, "secret") {
				t.Errorf("the answer has the detail: %s", all)
			}
			if log := r.log.String(); !strings.Contains(log, f.Details.Incident) || strings.Contains(log, "hunter2") {
				t.Errorf("log: %s", log)
			}
		})
	}
}

func TestCallsEndForTheReasonTheirContextGives(t *testing.T) {
	t.Parallel()
	stopping := &sdk.Error{Kind: sdk.KindUnavailable, Source: sdk.SourceHost, Msg: "stopping", Retry: true}
	tests := []struct {
		name  string
		cause error
		err   func(context.Context) error
		want  sdk.Kind
	}{
		{"bare error, known cause", stopping, context.Context.Err, sdk.KindUnavailable},
		{"coded cancel, known cause", stopping, func(context.Context) error { return sdk.Errorf(sdk.KindCanceled, sdk.SourceCaller, "x") }, sdk.KindUnavailable},
		{"bare error, no cause", nil, context.Context.Err, sdk.KindCanceled},
		{"another error", stopping, func(context.Context) error { return sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "x") }, sdk.KindDenied},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			r := newRig(t, greet(func(ctx context.Context, _ greetIn) (greetOut, error) {
				cancel(tt.cause)
				<-ctx.Done()
				return greetOut{}, tt.err(ctx)
			}))
			if f := structured(t, r.call(t, ctx, `{"personName":"Ada"}`)); f.Code != tt.want {
				t.Errorf("code %s, want %s", f.Code, tt.want)
			}
		})
	}
	t.Run("cancelled before it runs", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		r := newRig(t, greet(func(context.Context, greetIn) (greetOut, error) { panic("it ran") }))
		if f := structured(t, r.call(t, ctx, `{"personName":"Ada"}`)); f.Code != sdk.KindCanceled {
			t.Errorf("code %s", f.Code)
		}
	})
}

func TestCallsAreCapped(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		who   *caller.Caller
		calls int
		want  string
	}{
		{"all of them", &caller.Caller{Transport: caller.Stdio}, 4, "there are 4 calls under way already"},
		{"half of them for a client", &caller.Caller{Transport: caller.HTTP, Client: "a"}, 4, "the client has 2 calls under way already"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var r *rig
			r = newRig(t, greet(func(ctx context.Context, _ greetIn) (greetOut, error) {
				if inner := r.call(t, ctx, `{"personName":"Ada"}`); inner.IsError {
					if f := structured(t, inner); f.Code != sdk.KindRateLimited || f.Message != tt.want || !f.Retryable || f.Hint == nil {
						t.Errorf("the last call: %+v", f)
					}
				}
				return greetOut{"done"}, nil
			}))
			r.calls = transport.NewQuota(tt.calls)
			if result := r.call(t, caller.With(t.Context(), tt.who), `{"personName":"Ada"}`); result.IsError {
				t.Error(text(t, result))
			}
		})
	}
}

func TestRegisterRefusesABrokenDefinition(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spoil func(*Definition[greetIn, greetOut])
	}{
		{"no title", func(d *Definition[greetIn, greetOut]) { d.Title = "" }},
		{"no toolset", func(d *Definition[greetIn, greetOut]) { d.Toolset = "" }},
		{"long description", func(d *Definition[greetIn, greetOut]) { d.Description = strings.Repeat("x", maxDescription) }},
		{"forgotten hint", func(d *Definition[greetIn, greetOut]) { d.Hints.OpenWorld = 0 }},
		{"no deadline", func(d *Definition[greetIn, greetOut]) { d.Deadline = 0 }},
		{"no handler", func(d *Definition[greetIn, greetOut]) { d.Handle = nil }},
		{"example that is no call", func(d *Definition[greetIn, greetOut]) { d.Example = `{}` }},
		{"example that is no call, of a tool that reads anything", func(d *Definition[greetIn, greetOut]) {
			d.Example, d.Read = `{}`, func(json.RawMessage) (greetIn, error) { return greetIn{}, nil }
		}},
		{"example that is no JSON", func(d *Definition[greetIn, greetOut]) { d.Example = `{` }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := greet(hello)
			tt.spoil(&d)
			if err := Register(New(Config{CheckOutput: true}), d); sdk.KindOf(err) != sdk.KindInternal {
				t.Errorf("Register: %v", err)
			}
		})
	}
	t.Run("twice", func(t *testing.T) {
		t.Parallel()
		s := New(Config{})
		if err := Register(s, greet(hello)); err != nil {
			t.Fatal(err)
		}
		if err := Register(s, greet(hello)); sdk.KindOf(err) != sdk.KindInternal {
			t.Errorf("Register: %v", err)
		}
	})
}

func TestPitfallSchemasThatClientsRefuse(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, input, output string }{
		{"does not compile", `{"type":"object","properties":{"a":{"type":"strnig","description":"A."}},"additionalProperties":false}`, ""},
		{"unknown reference", `{"type":"object","properties":{"a":{"$ref":"#/$defs/b","description":"A."}},"additionalProperties":false}`, ""},
		{"no JSON", `{`, ""},
		{"no object", `{"type":"array"}`, ""},
		{"several types", `{"type":"object","properties":{"a":{"type":["string","null"],"description":"A."}},"additionalProperties":false}`, ""},
		{"several types in a definition", `{"type":"object","properties":{},"$defs":{"b":{"type":["string","null"]}},"additionalProperties":false}`, ""},
		{"no description", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, ""},
		{"no description inside", `{"type":"object","properties":{"a":{"description":"A.","type":"array","items":{"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":false}}},"additionalProperties":false}`, ""},
		{"open", `{"type":"object","properties":{"a":{"type":"string","description":"A."}}}`, ""},
		{"alternatives at the root", `{"type":"object","properties":{},"additionalProperties":false,"oneOf":[{}]}`, ""},
		{"output without required", "", `{"type":"object","properties":{}}`},
		{"output with several types", "", `{"type":"object","properties":{"a":{"type":["string","null"],"description":"A."}},"required":["a"]}`},
		{"output that does not compile", "", `{"type":"object","properties":{"a":{"type":"strnig","description":"A."}},"required":["a"]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := greet(hello)
			if tt.input != "" {
				d.Input, d.Example = tt.input, `{}`
			}
			if tt.output != "" {
				d.Output = tt.output
			}
			if err := Register(New(Config{CheckOutput: true}), d); sdk.KindOf(err) != sdk.KindInternal {
				t.Errorf("Register: %v", err)
			}
		})
	}
}

// Widespread clients check the structured content of an error against the
// tool's output schema and drop an error that does not fit.
func TestPitfallErrorsDoNotFitTheOutputSchema(t *testing.T) {
	t.Parallel()
	s, err := newOutput(greetOutput)
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, greet(func(context.Context, greetIn) (greetOut, error) {
		return greetOut{}, sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "no")
	}))
	for _, args := range []string{`{}`, `{"personName":"Ada"}`} {
		if err := s.check(r.call(t, t.Context(), args).RawStructuredContent); err != nil {
			t.Error(err)
		}
	}
	if err := s.check([]byte(`{"greeting":"hi"}`)); err != nil {
		t.Error(err)
	}
	if s.check([]byte(`{}`)) == nil || s.check([]byte(`{"greeting":1}`)) == nil || s.check([]byte(`{`)) == nil {
		t.Error("an answer that is none fits")
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	r := newRig(t, greet(hello))
	hidden := greet(hello)
	hidden.Name, hidden.Toolset = "wave", "gestures"
	if err := Register(r.Set, hidden); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, params, text string }{
		{"fine", `{"name":"greet","arguments":{}}`, ""},
		{"without arguments", `{"name":"greet"}`, ""},
		{"null arguments", `{"name":"greet","arguments":null,"_meta":null}`, ""},
		{"arguments that do not fit", `{"name":"greet","arguments":{"x":1}}`, ""},
		{"no params", ``, "params must be an object"},
		{"params of a wrong type", `[1]`, "params must be an object"},
		{"no name", `{"arguments":{}}`, "name must be a string"},
		{"number as name", `{"name":7}`, "name must be a string"},
		{"array of arguments", `{"name":"greet","arguments":["Ada"]}`, "arguments must be an object"},
		{"text of arguments", `{"name":"greet","arguments":"{}"}`, "arguments must be an object"},
		{"meta of a wrong type", `{"name":"greet","_meta":3}`, "_meta must be an object"},
		{"state of no question", `{"name":"greet","requestState":"anything"}`, "requestState: "},
		{"task of a wrong type", `{"name":"greet","task":3}`, "wrong type"},
		{"typo", `{"name":"gret"}`, "did you mean greet?"},
		{"unknown", `{"name":"something else"}`, "there are: greet"},
		{"switched off", `{"name":"wave"}`, `toolset "gestures"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			refusal := r.check(t.Context(), json.RawMessage(tt.params))
			switch {
			case tt.text == "" && refusal != nil:
				t.Errorf("refused: %s", refusal.Message)
			case tt.text != "" && (refusal == nil || refusal.Code != mcp.INVALID_PARAMS || !strings.Contains(refusal.Message, tt.text)):
				t.Errorf("refusal: %+v, want %q", refusal, tt.text)
			}
		})
	}
}

func TestNoProgressWhenNobodyAsks(t *testing.T) {
	t.Parallel()
	r := newRig(t, greet(func(ctx context.Context, _ greetIn) (greetOut, error) {
		if Progress(ctx) != nil {
			t.Error("there is somebody to report to")
		}
		return greetOut{"x"}, nil
	}))
	r.call(t, t.Context(), `{"personName":"Ada"}`)
}

func FuzzArguments(f *testing.F) {
	f.Add([]byte(`{"personName":"Ada","times":1e2,"table":{"name":"x"}}`))
	f.Add([]byte(`{"person_name":1,"tags":[null]}`))
	f.Add([]byte(`{"times":1e400}`))
	s, err := newInput(greetInput)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		args, problems, err := s.arguments(raw)
		if err != nil || len(problems) > 0 {
			return
		}
		var in greetIn
		if err := json.Unmarshal(args, &in); err != nil {
			t.Errorf("arguments %s were accepted as %s and do not bind: %v", raw, args, err)
		}
	})
}
