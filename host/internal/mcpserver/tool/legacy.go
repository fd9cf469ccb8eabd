package tool

import (
	"context"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/sdk"
)

// maxRounds bounds how often one call asks its client.
const maxRounds = 10

// settle asks a client of the legacy era what a handler wants to know, and calls the
// handler again with the answers, until it has none left. A client of the stateless
// era does that itself. The library would ask as well, but without an end: a client
// that does not answer, or with an error, would never get a result.
func (c *Call) settle(ctx context.Context, handle func(context.Context, *Call) (*mcp.CallToolResult, error)) (*mcp.CallToolResult, error) {
	for range maxRounds {
		result, err := handle(ctx, c)
		if err != nil || !result.NeedsInput() || server.IsModernRequest(ctx) {
			return result, err
		}
		answers := mcp.InputResponses{}
		for id, question := range result.InputRequests {
			if answers[id], err = ask(ctx, question); err != nil {
				return nil, unanswered(ctx, question.Method, err)
			}
		}
		c.Params.InputResponses, c.Params.RequestState = answers, result.RequestState
	}
	return nil, fmt.Errorf("the handler asked more than %d times", maxRounds)
}

func unanswered(ctx context.Context, method mcp.MCPMethod, err error) error {
	if ctx.Err() != nil {
		return because(ctx, ctx.Err())
	}
	return sdk.Errorf(sdk.KindUnavailable, sdk.SourceCaller, "the client did not answer %s: %w", method, err).
		WithHint("answer the question, or call a tool that asks none")
}

// ask sends one question on the stream of the call and waits for its answer.
// Errors: the client cannot answer, does not in time, or answers with an error.
func ask(ctx context.Context, question mcp.InputRequest) (mcp.InputResponse, error) {
	session := server.ClientSessionFromContext(ctx)
	switch {
	case question.Elicitation != nil && Elicitation.declared(ctx):
		answer, err := session.(server.SessionWithElicitation).RequestElicitation(ctx, mcp.ElicitationRequest{Params: *question.Elicitation})
		if err != nil {
			return mcp.InputResponse{}, err
		}
		return mcp.NewElicitationInputResponse(*answer), nil
	case question.Sampling != nil && Sampling.declared(ctx):
		answer, err := session.(server.SessionWithSampling).RequestSampling(ctx, mcp.CreateMessageRequest{CreateMessageParams: *question.Sampling})
		if err != nil {
			return mcp.InputResponse{}, err
		}
		return mcp.NewSamplingInputResponse(*answer), nil
	case question.Roots != nil && Roots.declared(ctx):
		answer, err := session.(server.SessionWithRoots).ListRoots(ctx, mcp.ListRootsRequest{})
		if err != nil {
			return mcp.InputResponse{}, err
		}
		return mcp.NewRootsInputResponse(*answer), nil
	default:
		return mcp.InputResponse{}, errors.New("it did not say that it can")
	}
}
