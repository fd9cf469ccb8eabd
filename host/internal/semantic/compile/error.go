package compile

import "github.com/loam-data/loam/sdk"

// Error is a refusal as data. It unwraps to the *sdk.Error that an edge needs.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	// Member is the reference that is at fault, as it was written.
	Member string `json:"member,omitempty"`
	// Measure is the measure that cannot use Member.
	Measure    string   `json:"measure,omitempty"`
	DidYouMean []string `json:"did_you_mean,omitempty"`
	Candidates []string `json:"candidates,omitempty"`
	Paths      []string `json:"paths,omitempty"`
	// Fix is one imperative sentence.
	Fix string `json:"fix,omitempty"`

	err *sdk.Error
}

// Code is what is wrong, in one word.
type Code string

const (
	CodeInvalidRequest    Code = "invalid_request"
	CodeUnknownMember     Code = "unknown_member"
	CodeAmbiguousMember   Code = "ambiguous_member"
	CodeAmbiguousPath     Code = "ambiguous_path"
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
	CodeBroken            Code = "broken_definition"
	CodeHidden            Code = "hidden_member"
	CodeNotSupported      Code = "not_supported" // no dialect can have it
	CodeInternal          Code = "internal"
)

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.err }
