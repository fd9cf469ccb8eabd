package tool

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/loam-data/loam/host/internal/mcpserver/transport"
	"github.com/loam-data/loam/sdk"
)

// Detailed is an error with more details for an agent than *sdk.Error has. It
// unwraps to the *sdk.Error with its kind, source and hint; internal details go
// to the log only.
type Detailed interface {
	error
	// Text is the whole error on one screen, in place of the usual lines.
	Text() string
	// Details encodes as a JSON object that replaces the usual details.
	Details() any
}

// failure is an error as an agent sees it: in-band, in the structured content.
type failure struct {
	Code      sdk.Kind   `json:"code"`
	Category  sdk.Source `json:"category"` // who has to act
	Message   string     `json:"message"`
	Hint      *string    `json:"hint"`
	Details   details    `json:"details"`
	Retryable bool       `json:"retryable"`

	detail  string           // text of a Detailed, or ""
	refusal *transport.Error // in place of all of it; nil = none
}

type details struct {
	Problems     []problem `json:"problems,omitempty"`
	Candidates   []string  `json:"candidates,omitempty"`
	NativeCode   string    `json:"nativeCode,omitempty"`
	Position     *position `json:"position,omitempty"`
	QueryID      string    `json:"queryId,omitempty"`
	RetryAfterMs int64     `json:"retryAfterMs,omitempty"`
	Incident     string    `json:"incident,omitempty"`

	own json.RawMessage // of a Detailed, or without secrets, in place of the fields
}

// MarshalJSON implements json.Marshaler.
func (d details) MarshalJSON() ([]byte, error) {
	if d.own != nil {
		return d.own, nil
	}
	type fields details
	return json.Marshal(fields(d))
}

type position struct {
	Line   int `json:"line"`
	Column int `json:"column,omitempty"`
}

// invalidArguments is an input that does not fit its schema.
type invalidArguments struct{ problems []problem }

func (e *invalidArguments) Error() string {
	lines := make([]string, len(e.problems))
	for i, p := range e.problems {
		lines[i] = "- " + p.String()
	}
	return "the arguments do not fit:\n" + strings.Join(lines, "\n")
}

// panicked is a panic of a handler.
type panicked struct {
	value any
	stack []byte
}

func (e *panicked) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// failureOf translates an error for the agent, and keeps an internal one for
// the log.
func (s *Set) failureOf(ctx context.Context, q request, err error) *failure {
	if told, ok := errors.AsType[*refused](err); ok && told.kind() != sdk.KindInternal {
		return &failure{Code: told.kind(), refusal: s.clean(told.told)}
	}
	if invalid, ok := errors.AsType[*invalidArguments](err); ok {
		hint := fmt.Sprintf("call %s with arguments like %s", q.name, q.example)
		return s.redact(&failure{
			Code: sdk.KindInvalid, Category: sdk.SourceCaller, Message: invalid.Error(), Hint: &hint,
			Details: details{Problems: invalid.problems},
		})
	}
	known := sdk.AsError(err, sdk.SourceHost)
	if known.Kind == sdk.KindInternal {
		return s.incident(ctx, q, known.Source, err)
	}
	f := &failure{
		Code: known.Kind, Category: known.Source, Message: known.Error(),
		Retryable: known.Retry || known.Kind == sdk.KindRateLimited,
		Details: details{
			Candidates: known.Candidates, NativeCode: known.Code,
			QueryID: known.QueryID, RetryAfterMs: known.RetryAfter.Milliseconds(),
		},
	}
	if known.Hint != "" {
		f.Hint = &known.Hint
	}
	if !known.Pos.IsZero() {
		f.Details.Position = &position{known.Pos.Line, known.Pos.Column}
	}
	if detailed, ok := errors.AsType[Detailed](err); ok {
		own, err := json.Marshal(detailed.Details())
		if err != nil {
			return s.incident(ctx, q, sdk.SourceHost, fmt.Errorf("details of %w: %w", detailed, err))
		}
		f.Message, f.detail, f.Details = detailed.Error(), strings.TrimSpace(detailed.Text()), details{own: own}
	}
	if chosen, ok := errors.AsType[*afterChoice](err); ok {
		f.Message += " (" + chosen.note + ")"
		if f.detail != "" {
			f.detail += "\nnote: " + chosen.note
		}
	}
	return s.redact(f)
}

// incident shows an internal error by an id only, under which the log has it.
func (s *Set) incident(ctx context.Context, q request, source sdk.Source, err error) *failure {
	id := rand.Text()[:10]
	attrs := []any{"incident", id, "tool", q.name, "source", source, "error", s.config.Redact(err.Error())}
	if p, ok := errors.AsType[*panicked](err); ok {
		attrs = append(attrs, "stack", string(p.stack))
	}
	s.config.Logger.ErrorContext(ctx, "internal error in a tool call", attrs...)
	hint := fmt.Sprintf("tell the operator to look for incident %s in the server's log", id)
	return &failure{
		Code: sdk.KindInternal, Category: source, Message: "internal error, incident " + id, Hint: &hint,
		Details: details{Incident: id},
	}
}

func (s *Set) redact(f *failure) *failure {
	f.Message, f.detail = s.config.Redact(f.Message), s.config.Redact(f.detail)
	candidates := make([]string, len(f.Details.Candidates))
	for i, c := range f.Details.Candidates {
		candidates[i] = s.config.Redact(c)
	}
	f.Details.Candidates = candidates
	details, err := json.Marshal(f.Details)
	if err != nil {
		panic("tool: the details of a failure are no JSON: " + err.Error())
	}
	f.Details.own = s.redactJSON(details)
	if f.Hint != nil {
		hint := s.config.Redact(*f.Hint)
		f.Hint = &hint
	}
	return f
}

// text says everything that a client needs which shows its model text only.
func (f *failure) text() string {
	if f.detail != "" {
		return f.detail
	}
	text := string(f.Code) + ": " + f.Message
	if choices := strings.Join(f.Details.Candidates, ", "); choices != "" {
		switch f.Code {
		case sdk.KindInvalid, sdk.KindConflict: // they are all that can be meant
			text += "\nUse one of: " + choices
		default:
			text += "\nDid you mean: " + choices + "?"
		}
	}
	if f.Hint != nil {
		text += "\nHint: " + *f.Hint
	}
	return text
}

func (f *failure) result() *mcp.CallToolResult {
	return &mcp.CallToolResult{
		Content: []mcp.Content{mcp.NewTextContent(f.text())}, RawStructuredContent: f.encoded(), IsError: true,
	}
}

func (f *failure) encoded() json.RawMessage {
	structured, err := json.Marshal(f)
	if err != nil {
		panic("tool: a failure is no JSON: " + err.Error())
	}
	return structured
}
