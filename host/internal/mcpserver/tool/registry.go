// Package tool registers the tools of the MCP server. A tool is a typed handler with
// schemas, hints and a deadline. The package does what the protocol requires of every
// tool: it checks arguments, encodes answers and errors, and sends progress.
package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/mcpserver/transport"
	"github.com/loam-data/loam/host/internal/telemetry"
	"github.com/loam-data/loam/sdk"
)

// maxDescription is the length, in characters, above which clients cut a
// tool's description.
const maxDescription = 1024

// Definition is one tool.
type Definition[In, Out any] struct {
	Name  string
	Title string
	// Description says what the tool is for; Example is added to it.
	Description string
	Toolset     string
	// Command is the command line of the same use case; "" = there is none. Clients do not see it.
	Command string
	Hints   Hints
	// Costly limits the rate of calls further than that of other tools which write.
	Costly bool
	// Input and Output are JSON Schemas (draft 2020-12) of the arguments and of
	// a successful answer; see the rules in schema.go.
	Input, Output string
	// Aliases rewrites alternative spellings of arguments to those of Input, and reports
	// whether it changed any; may be nil.
	Aliases func(arguments map[string]any) (changed bool)
	// Read parses the arguments of a tool that accepts more forms than its schema, which
	// is then only documentation for clients. nil = arguments are checked against Input.
	// Errors: those of Handle.
	Read func(raw json.RawMessage) (In, error)
	// Example is the arguments of one valid call, as JSON.
	Example string
	// Deadline is the time limit of a call; OfConnection = the limits of its connection.
	Deadline time.Duration
	// Handle does the work. Out is encoded as JSON, unless it is an Encoded or a Written;
	// its text block is that JSON too, unless Out is a Texter.
	// Errors: *sdk.Error; every other error is shown as an incident.
	Handle func(context.Context, In) (Out, error)
}

// OfConnection is the Deadline of a call that is bounded by the limits of its connection.
const OfConnection time.Duration = -1

// Encoded is an Out that is already encoded as JSON.
type Encoded []byte

// Written is an Out that is encoded both as JSON and as text.
type Written struct {
	JSON Encoded
	Rows string
}

// Text implements Texter.
func (w Written) Text() string { return w.Rows }

// Texter is an Out with a shorter text form, for clients that show only the text block to
// their model.
type Texter interface {
	// Text has the content of the JSON.
	Text() string
}

// Hint is one annotation of a tool. The zero value is a mistake.
type Hint uint8

const (
	_ Hint = iota
	Yes
	No
	Unset // not sent to the client
)

func (h Hint) pointer() *bool {
	switch h {
	case Yes, No:
		yes := h == Yes
		return &yes
	default:
		return nil
	}
}

// Hints are the annotations that every tool must set.
type Hints struct{ ReadOnly, Destructive, Idempotent, OpenWorld Hint }

// pace is how often a client may call a tool with the hints.
func (h Hints) pace(costly bool) transport.Pace {
	switch {
	case costly:
		return transport.Costly
	case h.ReadOnly == No:
		return transport.Writing
	}
	return transport.Reading
}

// Config is the configuration of a Set.
type Config struct {
	Logger *slog.Logger
	// Hidden are toolsets that can be selected but are listed nowhere.
	Hidden []string
	// Instead says of names that other servers have, and this one does not, what to call.
	Instead map[string]string
	// Calls bounds the running and waiting calls; 0 = 512, of which one client over HTTP
	// may have half. Further calls are refused as rate_limited.
	Calls int
	// Admit decides before each call of a tool whether it may run; nil = always.
	// Errors: KindRateLimited.
	Admit func(ctx context.Context, tool string, p transport.Pace) error
	// Ask says when a person is asked what a refused call means, as project.Selection does; "" = ambiguous.
	Ask string
	// AskTime is how long a client may be silent about a question; 0 = a minute.
	AskTime time.Duration
	// Redact removes secrets from a text that leaves the server; nil = none known.
	Redact func(string) string
	// Tracer receives the spans of calls; nil = no spans.
	Tracer telemetry.Tracer
	// Audit receives every finished call; may be nil.
	Audit func(context.Context, Record)
	// CheckOutput validates answers against their schemas, and schemas and examples
	// when a tool is registered: for tests and for finding faults, at ten times the
	// cost of encoding an answer.
	CheckOutput bool
}

// Record is one finished call.
type Record struct {
	Tool      string
	Arguments json.RawMessage // as sent, redacted
	Outcome   string          // outcomeOK or the error's code
	Incident  string          // of an internal error, or ""
	Bytes     int             // of the answer
	Started   time.Time
	Elapsed   time.Duration
	// Call has the request id and the facts that other packages recorded about the call.
	Call   *telemetry.Call
	Caller caller.Record
}

// outcomeOK is the outcome of a call that did not fail.
const outcomeOK = "ok"

// Set is the tools of a server.
type Set struct {
	config Config
	tools  map[string]*entry
	chosen Selection
	states *sealer
	calls  *transport.Quota
}

// entry is a registered tool without its types.
type entry struct {
	tool    mcp.Tool
	toolset string
	command string
	example string
	pace    transport.Pace
	input   *schema
	native  bool // the library runs it
	needs   []Capability
	handle  server.ToolHandlerFunc
	// serve answers a call. A call that is refused with a question to its client has both a result and an error.
	serve func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error)
}

// New makes an empty set.
func New(c Config) *Set {
	if c.Redact == nil {
		c.Redact = func(text string) string { return text }
	}
	if c.Admit == nil {
		c.Admit = func(context.Context, string, transport.Pace) error { return nil }
	}
	return &Set{config: c, tools: map[string]*entry{}, states: newSealer(), calls: transport.NewQuota(cmp.Or(c.Calls, 512))}
}

// Register adds a tool.
// Errors: KindInternal for a definition that breaks a rule: a fault of the
// program, found when it starts.
func Register[In, Out any](s *Set, d Definition[In, Out]) error {
	e := &entry{toolset: d.Toolset, command: d.Command, example: d.Example, pace: d.Hints.pace(d.Costly)}
	var err error
	if e.input, err = newInput(d.Input); err != nil {
		return faulty(d.Name, "input schema: %w", err)
	}
	e.input.aliases = d.Aliases
	output, err := newOutput(d.Output)
	if err != nil {
		return faulty(d.Name, "output schema: %w", err)
	}
	description := d.Description + "\nExample: " + d.Example
	h := d.Hints
	switch {
	case s.tools[d.Name] != nil:
		return faulty(d.Name, "registered twice")
	case d.Name == "" || d.Title == "" || d.Description == "" || d.Toolset == "":
		return faulty(d.Name, "name, title, description and toolset are required")
	case utf8.RuneCountInString(description) > maxDescription:
		return faulty(d.Name, "the description has %d characters, the limit is %d", utf8.RuneCountInString(description), maxDescription)
	case h.ReadOnly == 0 || h.Destructive == 0 || h.Idempotent == 0 || h.OpenWorld == 0:
		return faulty(d.Name, "each hint needs a position")
	case d.Deadline == 0 || d.Handle == nil:
		return faulty(d.Name, "deadline and handler are required")
	}
	e.tool = mcp.Tool{
		Name: d.Name, Title: d.Title, Description: description,
		RawInputSchema: e.input.text, RawOutputSchema: output.text,
		Annotations: mcp.ToolAnnotation{
			ReadOnlyHint: h.ReadOnly.pointer(), DestructiveHint: h.Destructive.pointer(),
			IdempotentHint: h.Idempotent.pointer(), OpenWorldHint: h.OpenWorld.pointer(),
		},
	}
	if d.Read == nil {
		d.Read = func(raw json.RawMessage) (In, error) { return bind[In](e.input, raw) }
	}
	if s.config.CheckOutput {
		if err := checkSchemas(e.input, output, d.Example); err != nil {
			return faulty(d.Name, "%w", err)
		}
		if _, err := d.Read([]byte(d.Example)); err != nil {
			return faulty(d.Name, "the example cannot be read: %w", err)
		}
	}
	once := func(ctx context.Context, arguments json.RawMessage) (out []byte, text string, err error) {
		out, text, err = run(ctx, d, arguments)
		if err == nil && s.config.CheckOutput {
			err = output.check(out)
		}
		return out, text, err
	}
	e.serve = func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		arguments := argumentsOf(req)
		out, text, err := once(ctx, arguments)
		if q := s.question(ctx, e, err); q != nil {
			return answered{s, e, req, arguments}.settle(ctx, q, err, once)
		}
		if err != nil {
			return nil, err
		}
		return answerOf(out, text), nil
	}
	s.add(e)
	return nil
}

func answerOf(out []byte, text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(text)}, RawStructuredContent: out}
}

// checkSchemas compiles the schemas of a tool and validates its example.
func checkSchemas(input, output *schema, example string) error {
	if _, err := output.compiled(); err != nil {
		return fmt.Errorf("output schema: %w", err)
	}
	if _, err := input.compiled(); err != nil { // arguments needs it for few calls
		return fmt.Errorf("input schema: %w", err)
	}
	_, problems, err := input.arguments([]byte(example))
	if err == nil && len(problems) > 0 {
		err = fmt.Errorf("%v", problems)
	}
	if err != nil {
		return fmt.Errorf("the example is no valid call: %w", err)
	}
	return nil
}

func (s *Set) add(e *entry) {
	e.handle = s.handler(e)
	s.tools[e.tool.Name] = e
}

func faulty(name, format string, args ...any) error {
	err := sdk.Errorf(sdk.KindInternal, sdk.SourceHost, format, args...)
	err.Op = "tool " + name
	return err
}
