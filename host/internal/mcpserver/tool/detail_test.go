package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// ambiguity is a Detailed.
type ambiguity struct {
	kind    sdk.Kind
	choices any
}

func (a ambiguity) Error() string { return "two people are called Ada (hunter2)" }
func (a ambiguity) Text() string  { return a.Error() + "\nChoose one.\n" }
func (a ambiguity) Details() any  { return map[string]any{"choices": a.choices} }
func (a ambiguity) Unwrap() error {
	return sdk.Errorf(a.kind, sdk.SourceCaller, "usual words").WithHint("choose one")
}

func TestErrorsThatTellMore(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name             string
		err              error
		text, structured string
	}{
		{
			"alone",
			ambiguity{sdk.KindInvalid, []string{"Ada L.", "<hunter2>"}},
			"two people are called Ada (***)\nChoose one.",
			`{"code":"invalid","category":"caller","message":"two people are called Ada (***)","hint":"choose one","details":{"choices":["Ada L.","\u003c***\u003e"]},"retryable":false}`,
		},
		{
			"wrapped", fmt.Errorf("greet: %w", ambiguity{sdk.KindRateLimited, 7}),
			"two people are called Ada (***)\nChoose one.",
			`{"code":"rate_limited","category":"caller","message":"two people are called Ada (***)","hint":"choose one","details":{"choices":7},"retryable":true}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, greet(func(context.Context, greetIn) (greetOut, error) { return greetOut{}, tt.err }))
			result := r.call(t, t.Context(), `{"personName":"Ada"}`)
			if diff := cmp.Diff(tt.text, text(t, result)); diff != "" || !result.IsError {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.structured, string(result.RawStructuredContent)); diff != "" {
				t.Errorf("structured content (-want +got):\n%s", diff)
			}
		})
	}
}

// What is internal stays inside, however much its error could tell.
func TestInternalErrorsTellNoMore(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"internal":             ambiguity{kind: sdk.KindInternal, choices: "detail"},
		"details are no JSON":  ambiguity{kind: sdk.KindInvalid, choices: func() {}},
		"internal and wrapped": fmt.Errorf("greet: %w", ambiguity{kind: sdk.KindInternal, choices: "detail"}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, greet(func(context.Context, greetIn) (greetOut, error) { return greetOut{}, err }))
			result := r.call(t, t.Context(), `{"personName":"Ada"}`)
			f := structured(t, result)
			if f.Code != sdk.KindInternal || f.Details.Incident == "" || r.records[0].Incident != f.Details.Incident {
				t.Fatalf("failure: %+v", f)
			}
			if all := text(t, result) + string(result.RawStructuredContent); strings.Contains(all, "Ada") || strings.Contains(all, "detail\"") {
				t.Errorf("the answer tells: %s", all)
			}
		})
	}
}

// A tool that reads its own arguments gets them as they were sent.
func TestArgumentsThatAToolReads(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, args, text string }{
		{"another shape", `{ "who": "Ada" }`, `{"greeting":"hello <{ \"who\": \"Ada\" }>"}`},
		{"a key twice", `{"a":1,"a":2}`, `{"greeting":"hello <{\"a\":1,\"a\":2}>"}`},
		{"null", `null`, `{"greeting":"hello <{}>"}`},
		{"nothing", ``, `{"greeting":"hello <{}>"}`},
		{"refused", `{"refuse":1}`, "two people are called Ada (***)\nChoose one."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := greet(hello)
			d.Read = func(raw json.RawMessage) (greetIn, error) {
				if strings.Contains(string(raw), "refuse") {
					return greetIn{}, ambiguity{kind: sdk.KindInvalid}
				}
				return greetIn{PersonName: string(raw)}, nil
			}
			if got := text(t, newRig(t, d).call(t, t.Context(), tt.args)); got != tt.text {
				t.Errorf("got %s, want %s", got, tt.text)
			}
		})
	}
	d := greet(hello)
	d.Read = func(json.RawMessage) (greetIn, error) { return greetIn{}, ambiguity{kind: sdk.KindInvalid} }
	if err := Register(New(Config{CheckOutput: true}), d); sdk.KindOf(err) != sdk.KindInternal {
		t.Errorf("an example that its own tool refuses: %v", err)
	}
}
