package refusal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// Error is a refusal as data.
// Shape: lists have at most three entries, best first. It unwraps to an *sdk.Error.
// Concurrency: never changes once Normalise or Compile has returned it.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	// Member is the faulty reference, as it was written.
	Member string `json:"member,omitempty"`
	// Measure is the measure that cannot use Member.
	Measure string `json:"measure,omitempty"`
	// Excerpt is the faulty line of the request's text, and below it a caret at Position.
	Excerpt  string    `json:"excerpt,omitempty"`
	Position *Position `json:"position,omitempty"`
	// DidYouMean are likely corrections of a misspelt word, Candidates are valid alternatives, Paths
	// are the join paths to Member in words.
	DidYouMean []string `json:"did_you_mean,omitempty"`
	Candidates []string `json:"candidates,omitempty"`
	Paths      []string `json:"paths,omitempty"`
	// Fix is one imperative sentence.
	Fix string `json:"fix,omitempty"`
	// Value is the value that Member never has, as it was written; Values are near ones, else all if they are few.
	Value  string   `json:"-"`
	Values []string `json:"-"`
	// Sources are those in which names of the request were looked up before.
	Sources []model.SourceID `json:"-"`

	err error // what it was made of, or nil
	// place of the member in the text that names it, until the text is known.
	place sdk.Position
}

// Position is a position in a text of the request.
// Units: counted from 1, columns in code points.
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Code is the kind of a refusal.
type Code string

const (
	CodeInvalidRequest    Code = "invalid_request"
	CodeUnknownMember     Code = "unknown_member"
	CodeAmbiguousMember   Code = "ambiguous_member"
	CodeAmbiguousPath     Code = "ambiguous_path"
	CodeAmbiguousPeriod   Code = "ambiguous_period"
	CodeNoJoinPath        Code = "no_join_path"
	CodeDimension         Code = "dimension_not_reachable"
	CodeFilter            Code = "filter_not_applicable"
	CodeFanout            Code = "fanout"
	CodeMixedOr           Code = "mixed_row_and_aggregate_or"
	CodeInvalidExpression Code = "invalid_expression"
	CodePrimaryKey        Code = "primary_key_required"
	CodeNoCommonGrain     Code = "no_common_grain"
	CodeCyclicMeasure     Code = "cyclic_measure"
	CodeGranularity       Code = "granularity_not_applicable"
	CodeUnsupported       Code = "unsupported_on_dialect"
	CodeValueNotFound     Code = "value_not_found"
	CodeBroken            Code = "broken_definition"
	CodeHidden            Code = "hidden_member"
	CodeNotSupported      Code = "not_supported" // supported by no dialect
	CodeInternal          Code = "internal"
)

// Codes lists every code once, in the order of the declarations.
func Codes() []Code {
	return []Code{
		CodeInvalidRequest, CodeUnknownMember, CodeAmbiguousMember, CodeAmbiguousPath, CodeAmbiguousPeriod, CodeNoJoinPath, CodeDimension, CodeFilter,
		CodeFanout, CodeMixedOr, CodeInvalidExpression, CodePrimaryKey, CodeNoCommonGrain, CodeCyclicMeasure, CodeGranularity,
		CodeUnsupported, CodeValueNotFound, CodeBroken, CodeHidden, CodeNotSupported, CodeInternal,
	}
}

// kind is what an edge makes of a code.
func (c Code) kind() sdk.Kind {
	switch c {
	case CodeUnknownMember, CodeValueNotFound:
		return sdk.KindNotFound
	case CodeUnsupported, CodeNotSupported:
		return sdk.KindUnsupported
	case CodeInternal:
		return sdk.KindInternal
	}
	return sdk.KindInvalid
}

func (e *Error) Error() string { return e.Message }

// All returns the valid alternatives, also those beyond the first three.
func (e *Error) All() []string {
	if known, code := ModelError(e.err); code != "" && len(known.Candidates) > len(e.Candidates) {
		return slices.Clone(known.Candidates)
	}
	return slices.Clone(e.Candidates)
}

// Unwrap returns the refusal as an *sdk.Error, which wraps the cause.
func (e *Error) Unwrap() error {
	known := &sdk.Error{
		Kind: e.Code.kind(), Source: sdk.SourceCaller, Msg: e.Message, Hint: e.Fix, Code: string(e.Code),
		Candidates: slices.Concat(e.DidYouMean, e.Candidates), Err: e.err,
	}
	if e.Code == CodeInternal {
		known.Source = sdk.SourceHost
	}
	if e.Code == CodeInvalidExpression && e.err != nil {
		known.Kind = sdk.KindOf(e.err) // syntax, not_read_only, limit
	}
	if e.Position != nil {
		known.Pos = sdk.Position(*e.Position)
	}
	return known
}

// Text returns the whole refusal as a text of at most one screen.
func (e *Error) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", e.Code, e.Message)
	if e.Excerpt != "" {
		fmt.Fprintf(&b, "  %s\n", strings.ReplaceAll(e.Excerpt, "\n", "\n  "))
	}
	if len(e.DidYouMean) > 0 {
		fmt.Fprintf(&b, "Did you mean: %s?\n", strings.Join(e.DidYouMean, ", "))
	}
	if len(e.Candidates) > 0 {
		fmt.Fprintf(&b, "Use one of: %s\n", strings.Join(e.Candidates, ", "))
	}
	for _, p := range e.Paths {
		fmt.Fprintf(&b, "Path: %s\n", p)
	}
	if e.Fix != "" {
		fmt.Fprintf(&b, "Fix: %s\n", e.Fix)
	}
	return b.String()
}

const (
	// MaxChoices is the most candidates that an error names.
	MaxChoices = 3
	// maxMessage and maxQuote bound a message and what it quotes, in code points.
	maxMessage = 600
	maxQuote   = 80
)

// New returns an error; its methods complete it where it is made.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: cut(fmt.Sprintf(format, args...), maxMessage), Fix: usualFixes[code]}
}

// usualFixes are what to do where nothing better is known.
var usualFixes = map[Code]string{
	CodeBroken:            "mend the definition, which loam sl validate shows with its line, or ask without it",
	CodeCyclicMeasure:     "mend the definitions, which loam sl validate shows with their lines, or ask without them",
	CodeHidden:            "use a public member: sl_read_source or loam sl show lists them",
	CodeInvalidExpression: "combine and compare values of one type, or cast one of them: x::decimal",
	CodeInternal:          "report this request: it is a fault of Loam",
}

// Reword changes the message.
func (e *Error) Reword(format string, args ...any) *Error {
	e.Message = cut(fmt.Sprintf(format, args...), maxMessage)
	return e
}

// About sets the faulty member, unless it is set.
func (e *Error) About(member string) *Error {
	if e.Member == "" {
		e.Member = cut(member, maxQuote)
	}
	return e
}

// Of sets the measure that cannot use the member, unless it is set.
func (e *Error) Of(measure string) *Error {
	if e.Measure == "" {
		e.Measure = cut(measure, maxQuote)
	}
	return e
}

// Advise sets the fix, one imperative sentence; "" keeps the usual one of the code.
func (e *Error) Advise(format string, args ...any) *Error {
	if format == "" {
		return e
	}
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	e.Fix = cut(format, maxMessage)
	return e
}

// Meant sets the likely corrections of a misspelt word.
func (e *Error) Meant(near []string) *Error {
	e.DidYouMean = best(near)
	return e
}

// Choices sets the valid alternatives.
func (e *Error) Choices(all []string) *Error {
	e.Candidates = best(all)
	return e
}

// Over sets the join paths to the member.
func (e *Error) Over(paths []string) *Error {
	e.Paths = best(paths)
	return e
}

// Because sets the cause of the refusal.
func (e *Error) Because(err error) *Error {
	e.err = err
	return e
}

func best(all []string) []string {
	all = slices.Clone(all[:min(MaxChoices, len(all))])
	for i := range all {
		all[i] = cut(all[i], 4*maxQuote)
	}
	return all
}

// cut shortens a text for a message, with a mark where it does, and makes what
// cannot be seen visible.
func cut(s string, most int) string {
	runes := 0
	for i := range s {
		if runes++; runes > most {
			s = s[:i] + "…"
			break
		}
	}
	return strings.Map(Visible, s)
}
