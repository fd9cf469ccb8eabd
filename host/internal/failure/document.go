// Package failure is the form that an error has inside an answer.
package failure

import "github.com/loam-data/loam/sdk"

// Failure is an error as JSON.
type Failure struct {
	Kind       sdk.Kind   `json:"kind"`
	Source     sdk.Source `json:"source,omitempty"`
	Message    string     `json:"message"`
	Hint       string     `json:"hint,omitempty"`
	Code       string     `json:"code,omitempty"`
	Line       int        `json:"line,omitempty"`
	Column     int        `json:"column,omitempty"`
	Candidates []string   `json:"candidates,omitempty"`
	Retryable  bool       `json:"retryable"`
}

// New describes an error.
func New(err error) *Failure {
	e := sdk.AsError(err, sdk.SourceHost)
	return &Failure{
		Kind: e.Kind, Source: e.Source, Message: err.Error(), Hint: e.Hint, Code: e.Code,
		Line: e.Pos.Line, Column: e.Pos.Column, Candidates: e.Candidates, Retryable: e.Retry,
	}
}
