package tool

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/sdk"
)

func answers(text string) func(context.Context, *Call) (*mcp.CallToolResult, error) {
	return func(context.Context, *Call) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(text)}}, nil
	}
}

func native(handle func(context.Context, *Call) (*mcp.CallToolResult, error), needs ...Capability) Native {
	return Native{Tool: mcp.Tool{Name: "ask", Description: "Asks."}, Toolset: "social", Needs: needs, Deadline: time.Minute, Handle: handle}
}

func newNative(t *testing.T, n Native) *Set {
	t.Helper()
	s := New(Config{Logger: slog.New(slog.DiscardHandler)})
	if err := RegisterNative(s, n); err != nil {
		t.Fatal(err)
	}
	if err := s.Select(Selection{Toolsets: []string{"social"}}); err != nil {
		t.Fatal(err)
	}
	return s
}

func callNative(t *testing.T, ctx context.Context, s *Set, params mcp.CallToolParams) *mcp.CallToolResult {
	t.Helper()
	params.Name = "ask"
	result, err := s.handler(s.tools["ask"])(ctx, mcp.CallToolRequest{Params: params})
	if err != nil {
		t.Fatalf("the handler returned an error, which becomes -32603: %v", err)
	}
	return result
}

func TestRegisterNativeRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spoil func(*Native)
	}{
		{"no name", func(n *Native) { n.Tool.Name = "" }},
		{"no description", func(n *Native) { n.Tool.Description = "" }},
		{"no toolset", func(n *Native) { n.Toolset = "" }},
		{"no deadline", func(n *Native) { n.Deadline = 0 }},
		{"no handler", func(n *Native) { n.Handle = nil }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n := native(answers("x"))
			tt.spoil(&n)
			if err := RegisterNative(New(Config{}), n); sdk.KindOf(err) != sdk.KindInternal {
				t.Errorf("error: %v", err)
			}
		})
	}
	s := newNative(t, native(answers("x")))
	if err := RegisterNative(s, native(answers("x"))); sdk.KindOf(err) != sdk.KindInternal {
		t.Errorf("twice: %v", err)
	}
}

// A native handler's error, panic and silence are in-band as every other's.
func TestNativeFailures(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		handle func(context.Context, *Call) (*mcp.CallToolResult, error)
		code   sdk.Kind
	}{
		{"an error", func(context.Context, *Call) (*mcp.CallToolResult, error) {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "no").WithHint("say yes")
		}, sdk.KindInvalid},
		{"a panic", func(context.Context, *Call) (*mcp.CallToolResult, error) { panic("broken") }, sdk.KindInternal},
		{"no answer", func(context.Context, *Call) (*mcp.CallToolResult, error) { return nil, nil }, sdk.KindInternal},
		{"another error", func(context.Context, *Call) (*mcp.CallToolResult, error) { return nil, errors.New("x") }, sdk.KindInternal},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			result := callNative(t, t.Context(), newNative(t, native(tt.handle)), mcp.CallToolParams{})
			if f := structured(t, result); !result.IsError || f.Code != tt.code {
				t.Errorf("failure: %+v", f)
			}
		})
	}
}

// clientSession is a client of the legacy era that says what it can answer.
type clientSession struct {
	caps  mcp.ClientCapabilities
	asked func(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error)
}

func (s clientSession) RequestElicitation(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return s.asked(ctx, r)
}

func (s clientSession) SessionID() string                                   { return "x" }
func (s clientSession) Initialize()                                         {}
func (s clientSession) Initialized() bool                                   { return true }
func (s clientSession) NotificationChannel() chan<- mcp.JSONRPCNotification { return nil }
func (s clientSession) GetClientInfo() mcp.Implementation                   { return mcp.Implementation{} }
func (s clientSession) SetClientInfo(mcp.Implementation)                    {}
func (s clientSession) GetClientCapabilities() mcp.ClientCapabilities       { return s.caps }
func (s clientSession) SetClientCapabilities(mcp.ClientCapabilities)        {}

// Nothing is asked of a client that did not say it can answer.
func TestNeeds(t *testing.T) {
	t.Parallel()
	can := mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{}, Sampling: &mcp.SamplingCapability{}}
	modern := func(caps *mcp.ClientCapabilities) func(context.Context) context.Context {
		return func(ctx context.Context) context.Context {
			return server.WithRequestProtocolInfo(ctx, &server.RequestProtocolInfo{Modern: true, ClientCapabilities: caps})
		}
	}
	legacy := func(session server.ClientSession) func(context.Context) context.Context {
		return func(ctx context.Context) context.Context {
			return server.NewMCPServer("x", "1").WithContext(ctx, session)
		}
	}
	tests := []struct {
		name   string
		client func(context.Context) context.Context
		needs  Capability
		runs   bool
	}{
		{"nobody", func(ctx context.Context) context.Context { return ctx }, Elicitation, false},
		{"stateless, declared", modern(&can), Elicitation, true},
		{"stateless, the other one", modern(&can), Sampling, true},
		{"stateless, not declared", modern(&can), Roots, false},
		{"stateless, nothing said", modern(nil), Elicitation, false},
		{"with a session, declared", legacy(clientSession{caps: can}), Elicitation, true},
		{"with a session that has no way for it", legacy(clientSession{caps: can}), Sampling, false},
		{"with a session, not declared", legacy(clientSession{}), Elicitation, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newNative(t, native(answers("ran"), tt.needs))
			result := callNative(t, tt.client(t.Context()), s, mcp.CallToolParams{})
			if result.IsError == tt.runs {
				t.Fatalf("result: %+v", result)
			}
			if f := (failure{}); !tt.runs {
				if f = structured(t, result); f.Code != sdk.KindUnsupported || !strings.Contains(f.Message, string(tt.needs)) || f.Hint == nil {
					t.Errorf("failure: %+v", f)
				}
			}
		})
	}
}

// A stateless client that lacks a capability is told by the protocol which one.
func TestCheckNeeds(t *testing.T) {
	t.Parallel()
	s := newNative(t, native(answers("ran"), Sampling, Elicitation))
	call := func(caps string) string {
		return `{"name":"ask","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + caps + `}}`
	}
	for caps, want := range map[string]string{
		`{"elicitation":{}}`: `{"requiredCapabilities":{"sampling":{}}}`,
		`{}`:                 `{"requiredCapabilities":{"elicitation":{},"sampling":{}}}`,
	} {
		refusal := s.check(t.Context(), json.RawMessage(call(caps)))
		if refusal == nil || refusal.Code != mcp.MISSING_REQUIRED_CLIENT_CAPABILITY {
			t.Fatalf("%s: %+v", caps, refusal)
		}
		data, err := json.Marshal(refusal.Data)
		if diff := cmp.Diff(want, string(data)); diff != "" || err != nil {
			t.Errorf("%s: data (-want +got):\n%s", caps, diff)
		}
	}
	for _, fine := range []string{call(`{"elicitation":{},"sampling":{}}`), `{"name":"ask"}`} {
		if refusal := s.check(t.Context(), json.RawMessage(fine)); refusal != nil {
			t.Errorf("%s: %+v", fine, refusal)
		}
	}
}

// The state of a question comes back with the answers, and only for the same call.
func TestState(t *testing.T) {
	t.Parallel()
	stateless := server.WithRequestProtocolInfo(t.Context(), &server.RequestProtocolInfo{Modern: true})
	s := newNative(t, native(func(_ context.Context, c *Call) (*mcp.CallToolResult, error) {
		if c.State() == "" {
			return c.Ask("secret plan").Roots("roots").ToolResult(), nil
		}
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(c.State())}}, nil
	}))
	arguments := json.RawMessage(`{"a":1,"b":9007199254740993}`)
	sealed := callNative(t, stateless, s, mcp.CallToolParams{RawArguments: arguments}).RequestState
	if sealed == "" || strings.Contains(sealed, "secret") {
		t.Fatalf("state: %q", sealed)
	}
	var again mcp.CallToolParams
	again.RawArguments, again.RequestState = json.RawMessage(`{ "b":9007199254740993, "a":1 }`), sealed
	if got := text(t, callNative(t, stateless, s, again)); got != "secret plan" {
		t.Errorf("state came back as %q", got)
	}
	tests := []struct{ name, arguments, state string }{
		{"changed", string(arguments), sealed + "x"},
		{"cut", string(arguments), sealed[:len(sealed)-4]},
		{"of nobody", string(arguments), "secret plan"},
		{"other arguments", `{"a":2,"b":9007199254740993}`, sealed},
		{"almost the same number", `{"a":1,"b":9007199254740992}`, sealed},
		{"no arguments", `null`, sealed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			params, err := json.Marshal(map[string]any{"name": "ask", "arguments": json.RawMessage(tt.arguments), "requestState": tt.state})
			if err != nil {
				t.Fatal(err)
			}
			refusal := s.check(t.Context(), params)
			if refusal == nil || refusal.Code != mcp.INVALID_PARAMS || !strings.Contains(refusal.Message, "requestState") {
				t.Errorf("refusal: %+v", refusal)
			}
			again := mcp.CallToolParams{RawArguments: json.RawMessage(tt.arguments)}
			again.RequestState = tt.state
			if result := callNative(t, stateless, s, again); !result.NeedsInput() {
				t.Errorf("it was taken: %+v", result)
			}
		})
	}
	params, err := json.Marshal(map[string]any{"name": "ask", "arguments": arguments, "requestState": sealed})
	if refusal := s.check(t.Context(), params); refusal != nil || err != nil {
		t.Errorf("the state itself: %+v", refusal)
	}
}

func TestStateIsOfOneServerOneToolAndOneTime(t *testing.T) {
	t.Parallel()
	s, now := newSealer(), time.Unix(1_800_000_000, 0)
	s.now = func() time.Time { return now }
	to := boundTo(everybody, "ask", json.RawMessage(`{}`))
	sealed := s.seal(to, "x")
	if got, err := s.open(to, sealed); got != "x" || err != nil {
		t.Errorf("open: %q, %v", got, err)
	}
	if sealed == s.seal(to, "x") {
		t.Error("the same text for the same state")
	}
	if _, err := s.open(boundTo(everybody, "tell", json.RawMessage(`{}`)), sealed); !errors.Is(err, errState) {
		t.Errorf("another tool: %v", err)
	}
	if _, err := newSealer().open(to, sealed); !errors.Is(err, errState) {
		t.Errorf("another server: %v", err)
	}
	now = now.Add(stateTime + time.Second)
	if _, err := s.open(to, sealed); !errors.Is(err, errState) {
		t.Errorf("too late: %v", err)
	}
}

// A client of the legacy era is asked while its call waits, and one that does not
// answer costs no more than the deadline.
func TestLegacyClientIsAsked(t *testing.T) {
	t.Parallel()
	can := mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{}, Sampling: &mcp.SamplingCapability{}}
	says := func(content map[string]any) func(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
		return func(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
			if r.Params.Message != "Who?" {
				return nil, errors.New("another question: " + r.Params.Message)
			}
			return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: content}}, nil
		}
	}
	asksOnce := func(_ context.Context, c *Call) (*mcp.CallToolResult, error) {
		if answer := server.ElicitationResponse(c.Params.InputResponses, "who"); answer != nil {
			return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(c.State() + ": " + string(answer.Action))}}, nil
		}
		return c.Ask("kept").Elicit("who", mcp.ElicitationParams{Message: "Who?"}).ToolResult(), nil
	}
	asksForEver := func(_ context.Context, c *Call) (*mcp.CallToolResult, error) {
		return c.Ask("").Elicit("who", mcp.ElicitationParams{Message: "Who?"}).ToolResult(), nil
	}
	asksAnother := func(_ context.Context, c *Call) (*mcp.CallToolResult, error) {
		return c.Ask("").Sample("what", mcp.CreateMessageParams{}).ToolResult(), nil
	}
	tests := []struct {
		name     string
		handle   func(context.Context, *Call) (*mcp.CallToolResult, error)
		asked    func(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error)
		deadline time.Duration
		code     sdk.Kind // "" = it answers
		text     string
	}{
		{"it answers", asksOnce, says(nil), time.Minute, "", "kept: accept"},
		{"it answers with an error", asksOnce, func(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
			return nil, errors.New("not now")
		}, time.Minute, sdk.KindUnavailable, "did not answer elicitation/create: not now"},
		{"it does not answer", asksOnce, func(ctx context.Context, _ mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, time.Millisecond, sdk.KindTimeout, "took longer"},
		{"it is asked for ever", asksForEver, says(nil), time.Minute, sdk.KindInternal, "incident"},
		{"it has no way to answer", asksAnother, says(nil), time.Minute, sdk.KindUnavailable, "did not say that it can"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n := native(tt.handle, Elicitation)
			n.Deadline = tt.deadline
			ctx := server.NewMCPServer("x", "1").WithContext(t.Context(), clientSession{caps: can, asked: tt.asked})
			result := callNative(t, ctx, newNative(t, n), mcp.CallToolParams{})
			if !strings.Contains(text(t, result), tt.text) || result.IsError != (tt.code != "") {
				t.Fatalf("result: %s", text(t, result))
			}
			if tt.code != "" && structured(t, result).Code != tt.code {
				t.Errorf("failure: %+v", structured(t, result))
			}
		})
	}
}
