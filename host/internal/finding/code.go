// Package finding compares a statement with what a project knows about its tables, and reports
// what is probably not meant: a value that a column does not have, a join that no relationship
// knows, a usual filter that is missing.
package finding

import (
	"github.com/loam-data/loam/host/internal/semantic/refusal"
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

// Notes returns findings as sentences for the notes of an answer.
func Notes(all []Finding) (notes []string) {
	for i := range all {
		f := &all[i]
		text := f.Message + " " + f.Evidence
		if f.Suggestion != "" {
			text += " " + f.Suggestion
		}
		notes = append(notes, text)
	}
	return notes
}
