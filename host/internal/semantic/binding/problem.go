package binding

import (
	"cmp"
	"strconv"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// Severity is the severity of a problem.
type Severity string

const (
	SeverityError   Severity = "error"   // it cannot be used, or gives wrong numbers
	SeverityWarning Severity = "warning" // it may be meant otherwise
)

// Problem is a fault of a definition.
type Problem struct {
	Severity Severity `json:"severity"`
	// File is the path below the project's folder, "" = a scanned table. Line and
	// Column count from 1; 0 = unknown.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Path of the key in the file: "measures.revenue.filter".
	Path       string   `json:"path,omitempty"`
	Source     string   `json:"source,omitempty"`
	Member     string   `json:"member,omitempty"`
	Message    string   `json:"message"`
	Candidates []string `json:"candidates,omitempty"`
}

// Place returns the place of a problem as file:line:column, or the source.
func (p Problem) Place() string {
	place := p.File
	for _, n := range []int{p.Line, p.Column} {
		if place != "" && n > 0 {
			place += ":" + strconv.Itoa(n)
		}
	}
	return cmp.Or(place, p.Source)
}

// Text returns the message with its key.
func (p Problem) Text() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

// NewProblem converts a problem of the model for a report. A problem of a scanned
// table is only a warning.
func NewProblem(id connection.ID, p model.Problem) Problem {
	severity := SeverityError
	if p.File == "" {
		severity = SeverityWarning
	}
	return Problem{
		Severity: severity, File: File(id, p.File), Line: int(p.Line), Column: int(p.Column), Path: p.Path,
		Source: p.Source, Member: p.Member, Message: p.Msg, Candidates: p.Candidates,
	}
}

// Concerns reports whether a problem is about a source, or about its whole file.
func Concerns(p model.Problem, s *model.Source) bool {
	if p.Source == "" {
		return p.File != "" && p.File == s.File
	}
	return p.Source == s.Name || p.Source == s.Identity
}
