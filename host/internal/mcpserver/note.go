package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/workspace"
)

type noting interface {
	SaveCheckpoint(context.Context, workspace.CheckpointSave) (*workspace.CheckpointSaved, error)
	SearchCheckpoints(context.Context, workspace.CheckpointSearch) (*workspace.CheckpointMatches, error)
	ListCheckpoints(context.Context, workspace.CheckpointList) (*workspace.CheckpointPage, error)
	SaveRemediation(context.Context, workspace.RemediationSave) (*workspace.RemediationSaved, error)
	SearchRemediations(context.Context, workspace.RemediationSearch) (*workspace.RemediationMatches, error)
	Troubleshoot(context.Context, workspace.Trouble) (*workspace.Diagnosis, error)
	ListPatterns(context.Context, workspace.PatternList) (*workspace.Patterns, error)
}

// canAsk reports whether a question of a call reaches a person.
func (c Config) canAsk(ctx context.Context) bool {
	return c.Configured.Ask != project.AskOff && tool.CanAsk(ctx)
}

// chooseCategory is the refusal of a diagnosis that a person can settle.
type chooseCategory struct{ *workspace.Undecided }

var _ tool.Asking = chooseCategory{}

// undecided makes the refusal of a diagnosis one that a person can be asked about; other errors stay.
func undecided(err error) error {
	if u, ok := errors.AsType[*workspace.Undecided](err); ok {
		return chooseCategory{u}
	}
	return err
}

// Question implements tool.Asking.
func (u chooseCategory) Question() *tool.Question {
	return &tool.Question{
		Code: "unknown_category", Text: "Of which category is the error?", Choices: u.Choices,
		Settle: func(ctx context.Context, arguments json.RawMessage, choice string) (context.Context, json.RawMessage) {
			return ctx, withCategory(arguments, choice)
		},
		Note: func(choice string) string { return fmt.Sprintf("The person chose the category %s.", choice) },
	}
}

// withCategory returns the arguments of a call with a category.
func withCategory(arguments json.RawMessage, category string) json.RawMessage {
	var members map[string]any
	if json.Unmarshal(arguments, &members) != nil {
		return arguments // they were read before
	}
	members["category"] = category
	all, err := json.Marshal(members)
	if err != nil {
		panic("mcpserver: arguments are no JSON: " + err.Error())
	}
	return all
}
