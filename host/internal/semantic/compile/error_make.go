package compile

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// invalidRequest says what is wrong at a place of the request: "limit",
// "filters[2].values[0]".
func invalidRequest(where, format string, args ...any) *Error {
	return refuse(CodeInvalidRequest, "%s: %s", where, fmt.Sprintf(format, args...))
}

// fromBelow takes over the error of another room, which is about a name, a way
// or an expression.
func fromBelow(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	known := sdk.AsError(err, sdk.SourceHost)
	if _, ok := modelCodes[known.Code]; ok {
		return lookupError(err, "")
	}
	code := CodeInvalidExpression
	switch known.Kind {
	case sdk.KindUnsupported:
		code = CodeUnsupported
	case sdk.KindInternal:
		code = CodeInternal
	}
	return refuse(code, "%s", known.Msg).meant(known.Candidates).fix(known.Hint).because(err)
}

// invalidExpression is what the expression language, or whoever looked up its
// names, has against a text of the request.
func invalidExpression(where, text string, err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		if e.Excerpt == "" {
			e = e.at(text, e.place)
		}
		return e
	}
	e := fromBelow(err)
	if e.Code == CodeInvalidExpression {
		e.Message = cut(where+": "+e.Message, maxMessage)
		e = e.at(text, sdk.AsError(err, sdk.SourceHost).Pos)
		if name := inQuotes(text); name != "" && !strings.HasPrefix(where, "filters") {
			e = e.fix("write names that have spaces, or words of SQL, in quotes: %s", name)
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

// lookupError is what the model has against a name of the request.
func lookupError(err error, member string) *Error {
	known, ok := errors.AsType[*sdk.Error](err)
	code := modelCodes[codeOf(known)]
	if !ok || code == "" {
		return fromBelow(err)
	}
	e := refuse(code, "%s", known.Msg).about(member).because(err)
	switch code {
	case CodeUnknownMember:
		if member != "" { // without what the lists below say again
			e.Message = cut("there is no member "+member, maxMessage)
		}
		e = e.meant(known.Candidates)
		switch len(e.DidYouMean) {
		case 0:
		case 1:
			return e.fix("write %s", e.DidYouMean[0])
		default:
			return e.fix("write the one that is meant: %s", strings.Join(e.DidYouMean, ", "))
		}
		return e.fix("list the members of a source with sl_read_source or loam sl show, or search for the word")
	case CodeAmbiguousMember:
		if more := len(known.Candidates) - maxChoices; more > 0 {
			e.Message = cut(fmt.Sprintf("%s: there are %d more than these", e.Message, more), maxMessage)
		}
		return e.choices(known.Candidates).fix("write the one that is meant in full%s", example(known.Candidates))
	}
	return e.choices(known.Candidates).fix(known.Hint)
}

func codeOf(known *sdk.Error) string {
	if known == nil {
		return ""
	}
	return known.Code
}

func example(candidates []string) string {
	if len(candidates) == 0 {
		return ""
	}
	return ": " + candidates[0]
}

// fanout refuses a measure below its grain because the request says so. edge is
// the join that multiplies rows, finer are measures of the other side.
func fanout(measure, member, edge string, finer ...string) *Error {
	return refuse(CodeFanout, "%s by %s counts a row once in every group that it belongs to, and its groups do not add up to its total: %s leads to several rows",
		measure, member, edge).about(member).of(measure).choices(finer).
		fix("set \"fanout\": \"distinct\" to count each row once per group, drop %s, or use a measure of the finer source", member)
}

// mixedOr refuses a condition that is about rows and about groups at once.
func mixedOr(where, text string, pos sdk.Position) *Error {
	return refuse(CodeMixedOr, "%s: an OR joins a condition on rows with one on measures, which are known only when the rows are grouped", where).
		at(text, pos).fix("write two filters, which both hold, or ask in two queries; grammar: filter = row condition | measure condition, joined by AND")
}

// primaryKeyRequired refuses to count rows once without knowing what a row is.
func primaryKeyRequired(source, measure, member string) *Error {
	return refuse(CodePrimaryKey, "%s by %s needs the primary key of %s, to count each row once, and none is known", measure, member, source).
		about(member).of(measure).fix("add \"primary_key: [...]\" to the source %s, or drop %s", source, member)
}

// noCommonGrain refuses an ad-hoc measure over several sources none of which has
// one row of each of the others.
func noCommonGrain(text string, sources []string) *Error {
	return refuse(CodeNoCommonGrain, "%s: no source has one row of each of %s", quote(text), strings.Join(sources, ", ")).
		fix("aggregate in each source apart and combine the results: {\"expr\": \"sum(a.x) / sum(b.y)\"}")
}

// granularity refuses a grain that the values of a member do not have.
func granularity(member string, grain dialect.Grain, why string, allowed ...dialect.Grain) *Error {
	e := refuse(CodeGranularity, "%s cannot be cut to the %s: %s", member, grain, why).about(member)
	if len(allowed) == 0 {
		return e.fix("leave the granularity of %s out, or use a time dimension", member)
	}
	words := make([]string, len(allowed))
	for i, g := range allowed {
		words[i] = string(g)
	}
	return e.fix("use one of the granularities %s", strings.Join(words, ", "))
}

// unsupported refuses what the dialect has no form for.
func unsupported(dialect, what, fix string) *Error {
	return refuse(CodeUnsupported, "%s is not possible on %s", what, dialect).fix(fix)
}

// valueNotFound refuses a comparison with a value that a member does not have.
func valueNotFound(where, member, value string, near, known []string) *Error {
	e := refuse(CodeValueNotFound, "%s: %s is never %s", where, member, quote(value)).about(member).meant(near).choices(known)
	if len(near) > 0 {
		return e.fix("write %s, or compare with an SQL filter, which is not looked up", quote(near[0]))
	}
	return e.fix("use a value that there is, or compare with an SQL filter, which is not looked up")
}

// quote shows a text of the request in a message.
func quote(s string) string { return `"` + cut(s, maxQuote) + `"` }

// parseName reads a reference of the request.
func parseName(where, text string) (*expression.Name, error) {
	n, err := expression.ParseName(text)
	if err != nil {
		return nil, invalidExpression(where, text, err)
	}
	return n, nil
}
