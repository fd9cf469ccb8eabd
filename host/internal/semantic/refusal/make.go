package refusal

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// Listed formats a list of names for a sentence.
func Listed(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// Invalid returns CodeInvalidRequest about a place of the request: "limit",
// "filters[2].values[0]".
func Invalid(where, format string, args ...any) *Error {
	return New(CodeInvalidRequest, "%s: %s", where, fmt.Sprintf(format, args...))
}

// From converts the error of another package about a name, a join path or an
// expression.
func From(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	known := sdk.AsError(err, sdk.SourceHost)
	if _, ok := modelCodes[known.Code]; ok {
		return Lookup(err, "")
	}
	code := CodeInvalidExpression
	switch known.Kind {
	case sdk.KindUnsupported:
		code = CodeUnsupported
	case sdk.KindInternal:
		code = CodeInternal
	}
	return New(code, "%s", known.Msg).Meant(known.Candidates).Advise(known.Hint).Because(err)
}

// InExpression converts an error in an expression of the request.
func InExpression(where, text string, err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		if e.Excerpt == "" {
			e = e.At(text, e.place)
		}
		return e
	}
	e := From(err)
	if e.Code == CodeInvalidExpression {
		e = e.Reword("%s: %s", where, e.Message)
		e = e.At(text, sdk.AsError(err, sdk.SourceHost).Pos)
		if name := inQuotes(text); name != "" && !strings.HasPrefix(where, "filters") {
			e = e.Advise("write names that have spaces, or words of SQL, in quotes: %s", name)
		}
	}
	return e
}

// inQuotes returns a text that is nothing but words and points as a name, "" =
// it is more than that.
func inQuotes(text string) string {
	parts := strings.Split(text, ".")
	for _, part := range parts {
		other := func(r rune) bool { return r != ' ' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
		if strings.TrimSpace(part) != part || part == "" || len(part) > 64 || strings.ContainsFunc(part, other) {
			return ""
		}
	}
	return (&expression.Name{Parts: parts}).String()
}

// modelCodes are the model's codes in the words of a request.
var modelCodes = map[string]Code{
	model.CodeUnknown: CodeUnknownMember, model.CodeAmbiguous: CodeAmbiguousMember, model.CodeAmbiguousPath: CodeAmbiguousPath,
	model.CodeNoPath: CodeNoJoinPath, model.CodeUnreachable: CodeDimension, model.CodeBroken: CodeBroken, model.CodeHidden: CodeHidden,
	model.CodeNoGrain: CodeNoCommonGrain, model.CodeCyclic: CodeCyclicMeasure,
}

// Lookup converts the model's error about a name of the request.
func Lookup(err error, member string) *Error {
	known, code := ModelError(err)
	if code == "" {
		return From(err)
	}
	e := New(code, "%s", known.Msg).About(member).Because(err)
	switch code {
	case CodeUnknownMember:
		if member != "" { // without what the lists below say again
			e = e.Reword("there is no member %s", member)
		}
		e = e.Meant(known.Candidates)
		switch len(e.DidYouMean) {
		case 0:
		case 1:
			return e.Advise("write %s", e.DidYouMean[0])
		default:
			return e.Advise("write the one that is meant: %s", strings.Join(e.DidYouMean, ", "))
		}
		return e.Advise("list the members of a source with sl_read_source or loam sl show, or search for the word")
	case CodeAmbiguousMember:
		if more := len(known.Candidates) - MaxChoices; more > 0 {
			e = e.Reword("%s: there are %d more than these", e.Message, more)
		}
		return e.Choices(known.Candidates).Advise("write the one that is meant in full%s", Example(known.Candidates))
	}
	return e.Choices(known.Candidates).Advise(known.Hint)
}

// ModelError translates an error of the model into a message for a request and its
// code; "" = it is no error of the model.
func ModelError(err error) (*sdk.Error, Code) {
	known, ok := errors.AsType[*sdk.Error](err)
	if !ok {
		return nil, ""
	}
	return known, modelCodes[known.Code]
}

// Example formats the first candidate as the end of a sentence.
func Example(candidates []string) string {
	if len(candidates) == 0 {
		return ""
	}
	return ": " + candidates[0]
}

// Quote formats a text of the request for a message, in quotes.
func Quote(s string) string { return `"` + Short(s) + `"` }

// Short shortens a text of the request for a message.
func Short(s string) string { return cut(s, maxQuote) }
