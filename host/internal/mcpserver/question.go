package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/host/internal/semanticquery"
)

// ambiguous is a refusal of the semantic layer that a person can settle.
type ambiguous struct {
	detailed
	body json.RawMessage
}

var _ tool.Asking = ambiguous{}

// askable makes a refusal of the semantic layer one that a person can be asked about; other errors stay.
func askable(err error, body json.RawMessage) error {
	if d, ok := errors.AsType[detailed](err); ok {
		return ambiguous{d, body}
	}
	return err
}

// Question implements tool.Asking.
func (a ambiguous) Question() *tool.Question {
	all := semanticquery.Choices(a.body, a.semanticError)
	text := questionAbout(a.semanticError, all)
	if text == "" {
		return nil
	}
	q := &tool.Question{
		Code: string(a.Code), Text: text, Values: a.Code == refusal.CodeValueNotFound,
		Settle: func(ctx context.Context, arguments json.RawMessage, choice string) (context.Context, json.RawMessage) {
			for _, c := range all {
				if c.Means == choice {
					ctx = context.WithValue(ctx, chosenKey{}, &c)
				}
			}
			return ctx, arguments
		},
		Note: func(choice string) string { return fmt.Sprintf("The person chose %s for %s.", choice, a.Member) },
	}
	for _, c := range all {
		q.Choices = append(q.Choices, c.Means)
	}
	return q
}

// questionAbout is the question about a refusal, made from names; "" = there is none.
func questionAbout(e *refusal.Error, all []request.Choice) string {
	switch {
	case len(all) == 0:
		return ""
	case e.Code == refusal.CodeAmbiguousMember:
		return fmt.Sprintf("Several things are called %s. Which one is meant?", e.Member)
	case e.Code == refusal.CodeAmbiguousPath:
		return fmt.Sprintf("Several ways lead to %s, to different rows. Which one is meant?", e.Member)
	case e.Code == refusal.CodeValueNotFound:
		return fmt.Sprintf("%s never has the value that was asked for. Which one is meant?", e.Member)
	default:
		return fmt.Sprintf("Which days are meant by %q? By the calendar: %s. By the fiscal year: %s.", e.Member, all[0].Means, all[1].Means)
	}
}

type chosenKey struct{}

// chosenIn returns the choice with which a refused call goes on, nil = none.
func chosenIn(ctx context.Context) *request.Choice {
	c, _ := ctx.Value(chosenKey{}).(*request.Choice)
	return c
}
