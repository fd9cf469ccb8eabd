// Package finding compares a statement with what a project knows about its tables, and reports
// what is probably not meant: a value that a column does not have, a join that no relationship
// knows, a usual filter that is missing.
package finding

import (
	"context"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk/dialect"
)

// Code names a kind of finding.
type Code string

const (
	// ValueNotFound: a column is compared with a value that it does not have.
	ValueNotFound Code = "value_not_found"
	// TypeMismatch: a column is compared with a literal of another type.
	TypeMismatch Code = "type_mismatch"
	// JoinNotKnown: two columns are compared that no relationship connects.
	JoinNotKnown Code = "join_not_known"
	// AlwaysFiltered: a filter that most statements about a table have is missing.
	AlwaysFiltered Code = "always_filtered"
	// MetricExists: an aggregate is a measure of the semantic layer.
	MetricExists Code = "metric_exists"
)

// Most is the largest number of findings of a statement.
const Most = 5

// Finding is one remark about a statement. It never forbids anything.
type Finding struct {
	Code Code `json:"code"`
	// Message is a sentence that says what is wrong.
	Message string `json:"message"`
	// Evidence is a sentence that says how Loam knows.
	Evidence string `json:"evidence"`
	// Suggestion is what to write instead; "" = nothing is known.
	Suggestion string `json:"suggestion,omitempty"`
	// Position is the place in the statement; nil = the whole statement.
	Position *refusal.Position `json:"position,omitempty"`
}

// Service finds.
// Concurrency: its methods may be called concurrently.
type Service struct{}

// New returns a Service.
func New() *Service { return &Service{} }

// Of returns the findings of a statement of a connection; id "" = the only connection, d nil =
// the dialect of its last known server. A statement that is not understood has none.
// Shape: at most Most, in the order of their positions; nil = none.
func (s *Service) Of(_ context.Context, _ connection.ID, _ string, _ *dialect.Dialect) []Finding {
	return nil
}
