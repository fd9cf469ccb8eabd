package tool

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/sdk"
)

// Native is a tool that uses the protocol directly: it answers with other content
// than JSON, or asks the client before it answers. Its arguments are not checked
// against the schema.
type Native struct {
	Tool    mcp.Tool
	Toolset string
	// Needs are the capabilities that the client must have; otherwise the tool is
	// not called.
	Needs []Capability
	// Deadline is the time limit of one call, and of the client's answer.
	Deadline time.Duration
	// Handle does the work. It is called again with the answers to its questions.
	// Errors: those of Definition.Handle.
	Handle func(context.Context, *Call) (*mcp.CallToolResult, error)
}

// RegisterNative adds a tool.
// Errors: as those of Register.
func RegisterNative(s *Set, n Native) error {
	name := n.Tool.Name
	switch {
	case s.tools[name] != nil:
		return faulty(name, "registered twice")
	case name == "" || n.Tool.Description == "" || n.Toolset == "" || n.Handle == nil || n.Deadline <= 0:
		return faulty(name, "name, description, toolset, deadline and handler are required")
	}
	s.add(&entry{tool: n.Tool, toolset: n.Toolset, native: true, needs: n.Needs, serve: func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, c := range n.Needs {
			if !c.declared(ctx) {
				return nil, sdk.Errorf(sdk.KindUnsupported, sdk.SourceCaller, "the client did not say that it can answer %s requests", c).
					WithHint("call %s from a client with the capability %q", name, c)
			}
		}
		ctx, cancel := context.WithTimeoutCause(ctx, n.Deadline, overdue(n.Deadline))
		defer cancel()
		result, err := (&Call{CallToolRequest: req, states: s.states, who: caller.Of(ctx)}).settle(ctx, n.Handle)
		if err == nil && result == nil {
			err = errors.New("the handler has no answer")
		}
		if err != nil {
			return nil, because(ctx, err)
		}
		return result, nil
	}})
	return nil
}

// Call is one call of a Native.
type Call struct {
	mcp.CallToolRequest
	states *sealer
	who    *caller.Caller
}

// Ask begins the questions that the client has to answer before the tool can. The
// state comes back with the answers, unchanged: it is sealed for the client.
func (c *Call) Ask(state string) *server.InputRequestBuilder {
	if state != "" {
		state = c.states.seal(boundTo(c.who, c.Params.Name, argumentsOf(c.CallToolRequest)), state)
	}
	return server.NewInputRequestBuilder(state)
}

// State returns the state of the answered questions, "" for a first call.
func (c *Call) State() string {
	state, _ := c.states.open(boundTo(c.who, c.Params.Name, argumentsOf(c.CallToolRequest)), c.Params.RequestState)
	return state
}

// Capability is a kind of question that a client may be able to answer.
type Capability string

const (
	Elicitation Capability = "elicitation"
	Sampling    Capability = "sampling"
	Roots       Capability = "roots"
)

// Declared reports whether the client of a call declared a capability, and its
// transport can carry the question.
func (c *Call) Declared(ctx context.Context, what Capability) bool { return what.declared(ctx) }

func (c Capability) declared(ctx context.Context) bool {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		return info.ClientCapabilities != nil && c.in(*info.ClientCapabilities)
	}
	session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
	return ok && c.carried(session) && c.in(session.GetClientCapabilities())
}

func (c Capability) in(caps mcp.ClientCapabilities) bool {
	switch c {
	case Elicitation:
		return caps.Elicitation != nil
	case Sampling:
		return caps.Sampling != nil
	default:
		return caps.Roots != nil
	}
}

// carried reports whether a session of the legacy era has a way for a question.
func (c Capability) carried(session server.ClientSession) (ok bool) {
	switch c {
	case Elicitation:
		_, ok = session.(server.SessionWithElicitation)
	case Sampling:
		_, ok = session.(server.SessionWithSampling)
	default:
		_, ok = session.(server.SessionWithRoots)
	}
	return ok
}

// missing returns the capabilities that a call needs and its client, whose
// message is of the stateless era, did not declare.
func (e *entry) missing(meta json.RawMessage) map[Capability]struct{} {
	if len(e.needs) == 0 {
		return nil
	}
	var said struct {
		Version      string                     `json:"io.modelcontextprotocol/protocolVersion"`
		Capabilities map[string]json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
	}
	if json.Unmarshal(meta, &said) != nil || !mcp.IsModernProtocol(said.Version) {
		return nil
	}
	missing := map[Capability]struct{}{}
	for _, c := range e.needs {
		if _, ok := said.Capabilities[string(c)]; !ok {
			missing[c] = struct{}{}
		}
	}
	return missing
}
