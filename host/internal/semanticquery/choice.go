package semanticquery

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// maxChoice is the longest choice, in characters.
const maxChoice = 100

// Choices returns what the refused part of a request can mean, so that a person decides: the members, the ways, the
// ranges, or the values that are near, else all if they are few. nil = nothing that a choice settles, or the request has no certain place for it.
func Choices(body json.RawMessage, e *refusal.Error) []request.Choice {
	means := e.All()
	switch e.Code {
	case refusal.CodeAmbiguousMember, refusal.CodeAmbiguousPath, refusal.CodeAmbiguousPeriod:
		if len(means) < 2 {
			return nil
		}
	case refusal.CodeValueNotFound:
		means = e.Values
	default:
		return nil
	}
	r, _, err := request.Normalise(body)
	if err != nil {
		return nil
	}
	var all []request.Choice
	for _, one := range means {
		c := request.Choice{Code: e.Code, Member: e.Member, Value: e.Value, Means: one}
		if _, ok := r.Choose(c); !ok || !shows(one) {
			return nil
		}
		all = append(all, c)
	}
	return all
}

// shows reports whether a text can be shown as it is.
func shows(text string) bool {
	if n := utf8.RuneCountInString(text); n == 0 || n > maxChoice {
		return false
	}
	return !slices.ContainsFunc([]rune(text), func(r rune) bool { return refusal.Visible(r) != r })
}
