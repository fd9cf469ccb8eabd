package validation

import (
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/binding"
)

// Request asks whether a semantic layer is sound.
type Request struct {
	Connection connection.ID // "" = every connection
	// Sources limits what is looked at, by name as model.FindSource reads it; none = all.
	Sources []string
	// Data: ask the warehouse whether what is declared is true.
	Data bool
	// Progress receives the share of the work that is done, in 0..1. nil = no reports.
	// Concurrency: one call at a time.
	Progress func(fraction float64, message string)
}

// Report is what is wrong with the semantic layers of a project.
type Report struct {
	Connections []ConnectionReport `json:"connections"`
	// Strangers are the names in semantic-layer that belong to no connection, so that
	// nothing reads them; each is a warning. None where one connection is asked about.
	Strangers []string `json:"strangers"`
	// Errors and Warnings count problems and checks.
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
}

// ConnectionReport is what is wrong with one connection's layer.
// Shape: no list is nil. Sources counts all, Defined those that a file defines or
// changes; Measures and Dimensions count those that queries may name.
type ConnectionReport struct {
	Connection connection.ID `json:"connectionId"`
	Files      int           `json:"files"`
	Sources    int           `json:"sources"`
	Defined    int           `json:"definedSources"`
	Measures   int           `json:"measures"`
	Dimensions int           `json:"dimensions"`
	// Error says why nothing else is known, "" = it is.
	Error    string            `json:"error,omitempty"`
	Problems []binding.Problem `json:"problems"`
	Checks   []Check           `json:"checks"`
	Notes    []string          `json:"notes"`
}

// CheckKind is what a check asks of the data.
type CheckKind string

const (
	CheckPrimaryKey CheckKind = "primary_key" // the grain tells rows apart and is never NULL
	CheckUniqueKey  CheckKind = "unique_key"
	CheckToOne      CheckKind = "to_one"     // a row leads to at most one row; counts orphans too
	CheckOneToOne   CheckKind = "one_to_one" // the same both ways
	CheckCalendar   CheckKind = "calendar"   // rows of one day name the same periods
	CheckExpression CheckKind = "expression" // the engine takes the computed members
	CheckValues     CheckKind = "values"     // the list of values is complete
)

// CheckStatus is how a check came out.
type CheckStatus string

const (
	CheckOK       CheckStatus = "ok"       // the claim holds
	CheckViolated CheckStatus = "violated" // the data says otherwise
	CheckFailed   CheckStatus = "failed"   // it could not be asked
	CheckSkipped  CheckStatus = "skipped"  // it need not be asked
)

// Check is one question to the data.
// Shape: the numbers are those of the data when Status is ok or violated.
type Check struct {
	Kind   CheckKind   `json:"kind"`
	Status CheckStatus `json:"status"`
	// Severity is set when somebody should look: always when Status is violated or
	// failed, and when rows are orphans.
	Severity binding.Severity `json:"severity,omitempty"`
	Source   string           `json:"source"`
	Join     string           `json:"join,omitempty"` // the role or the name of the other source
	To       string           `json:"to,omitempty"`
	// Columns are the fields of Source that the claim is about, or its members.
	Columns []string `json:"columns,omitempty"`
	// File and Line are where the claim is made, "" = by the warehouse.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`

	Rows int64 `json:"rows"`
	// Violations are key values that repeat, rows that lead to several rows, or
	// values that the list lacks.
	Violations int64 `json:"violations"`
	// MaxMatches is the most rows that one row leads to.
	MaxMatches int64 `json:"maxMatches,omitempty"`
	// Nulls are rows without a whole key; Orphans have one that leads nowhere.
	// OrphanRate is Orphans as a part of the rows with a key.
	Nulls      int64   `json:"nulls"`
	Orphans    int64   `json:"orphans"`
	OrphanRate float64 `json:"orphanRate"`
	// Examples are a few of the keys at fault, never of columns whose values are
	// not kept.
	Examples []string `json:"examples,omitempty"`
	// Message is a sentence with the consequence.
	Message   string `json:"message"`
	SQL       string `json:"sql,omitempty"`
	ElapsedMS int64  `json:"elapsedMs"`
}
