// Package planner turns a text into proposed changes by rules: wiki pages, and definitions for the semantic layer
// that parse, resolve and compile. An uncertain statement becomes a question. The package is pure: the state of the
// project is passed in a View, and no rule uses a clock.
package planner

import (
	"time"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk/dialect"
)

// Input is what is to be remembered.
type Input struct {
	Text string
	// Connection that it is about, "" = none was named.
	Connection string
	// By is who says it, and Source the name of the source that was given beside the text.
	By     change.Actor
	Source string
	At     time.Time
	// Asked: it is one text that somebody asked to remember, not a file of a folder.
	Asked bool
	// Extracts are what a language model found in the text; they count in sentences that no rule reads.
	Extracts []assertion.Extract
}

// View is the state of the project that a plan is made against. It never changes.
type View struct {
	// Model of the connection, nil without one. Drafts of _memory are in it.
	Model *model.Model
	// Dialect of the connection; nil = not known, so that nothing is compiled and nothing is
	// proposed to the semantic layer.
	Dialect *dialect.Dialect
	// Values returns the values that a column is known to have: whole = there are no
	// others. nil = nothing is known.
	Values func(source, column string) (values []string, whole bool)
	// Pages are the pages that there are, and Body reads one.
	Pages *wiki.View
	Body  func(*wiki.Page) (string, error)
	// Content reads a file below the project's folder; nil content = there is none.
	Content func(path string) ([]byte, error)
	// Own reports whether Loam wrote the file as it is.
	Own func(path string, content []byte) bool
	// Learned finds who said what is at a place: the applied or pending changes of a target.
	Learned func(kind change.Kind, connection, target string) []change.Change
	// Others are the other connections of the project.
	Others []string
	// Ended returns an error when nobody waits for the plan any more, and from then on; nil = somebody always does. It
	// is asked between statements and pages and by compilations, so that a plan ends soon after.
	Ended func() error
	// Folder of the pages that are written: "wiki/global" or "wiki/user/<id>".
	Folder string
}

// Plan is what a text becomes.
type Plan struct {
	Signals   assertion.Signals
	Changes   []change.Proposal
	Questions []Question
	Notes     []string
	// Skipped says why nothing is kept, "" = something is.
	Skipped string
}

// Question asks for what would make a statement certain.
type Question struct {
	Quote string `json:"quote"`
	Code  Code   `json:"code"`
	Ask   string `json:"ask"`
	// Candidates are sentences that answer it: each makes something and asks nothing.
	Candidates []string `json:"candidates,omitempty"`

	// about is the part of the formula or of the quote that is not certain, as written: a name, a condition, a unit.
	// value is the part of a condition that is no value of its column.
	about, value string
	// name is another name for the formula that may be meant; word restricts it.
	name, word string
}

// Code of a question.
type Code string

// The codes.
const (
	UnknownName    Code = "unknown_name"
	AmbiguousName  Code = "ambiguous_name"
	NoConnection   Code = "no_connection"
	NotAnAggregate Code = "not_an_aggregate"
	PeriodInFilter Code = "period_in_filter"
	JoinNeeded     Code = "join_needed"
	UnknownValue   Code = "unknown_value"
	UnitUnclear    Code = "unit_unclear"
	TwoReadings    Code = "two_readings"
	NotProbed      Code = "not_probed"
)
