package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

// connectionArguments are the names of the argument that names a connection.
var connectionArguments = []string{"connectionId", "connection_id"}

// questionOf returns the question about a refusal, nil = none.
func (e *entry) questionOf(refused error) *Question {
	if asking, ok := errors.AsType[Asking](refused); ok {
		return asking.Question()
	}
	if errors.Is(refused, connection.ErrUnnamed) {
		return e.whichConnection(sdk.AsError(refused, sdk.SourceCaller).Candidates)
	}
	return nil
}

// whichConnection asks which connection a call is about, if its tool has an argument for one.
func (e *entry) whichConnection(ids []string) *Question {
	properties, _ := e.input.root["properties"].(map[string]any)
	for _, name := range connectionArguments {
		if properties[name] == nil {
			continue
		}
		return &Question{
			Code: "connection_not_named", Text: "Which connection is meant?", Choices: ids,
			Settle: func(ctx context.Context, arguments json.RawMessage, choice string) (context.Context, json.RawMessage) {
				return ctx, withArgument(arguments, name, choice)
			},
			Note: func(choice string) string { return fmt.Sprintf("The person chose the connection %s.", choice) },
		}
	}
	return nil
}

// withArgument sets an argument that is missing; arguments that are no object stay as they are.
func withArgument(arguments json.RawMessage, name, value string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(arguments, &members) != nil || members == nil {
		return arguments
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic("tool: a text is no JSON: " + err.Error())
	}
	for _, other := range connectionArguments {
		delete(members, other) // which is empty
	}
	members[name] = text
	changed, err := json.Marshal(members)
	if err != nil {
		panic("tool: what was JSON is none: " + err.Error())
	}
	return changed
}
