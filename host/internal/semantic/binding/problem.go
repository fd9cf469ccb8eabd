package binding

import (
	"cmp"
	"strconv"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// Severity is how bad it is.
type Severity string

const (
	SeverityError   Severity = "error"   // it cannot be used, or gives wrong numbers
	SeverityWarning Severity = "warning" // it may not be what was meant
)

// Problem is something wrong with a definition.
type Problem struct {
	Severity Severity `json:"severity"`
	// File is the path below the project's folder, "" = what a scan found. Line
	// and Column count from 1; 0 = unknown.
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

// Place is where a problem is, as editors and people find it: file:line:column, or
// the source.
func (p Problem) Place() string {
	place := p.File
	for _, n := range []int{p.Line, p.Column} {
		if place != "" && n > 0 {
			place += ":" + strconv.Itoa(n)
		}
	}
	return cmp.Or(place, p.Source)
}

// Text is what is wrong, with the key that it is about.
func (p Problem) Text() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

// NewProblem is what is wrong as a report has it. What a scan found is nobody's
// mistake, and leaves only itself unusable.
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

// Concerns reports whether a problem is one of a source, or of its whole file.
func Concerns(p model.Problem, s *model.Source) bool {
	if p.Source == "" {
		return p.File != "" && p.File == s.File
	}
	return p.Source == s.Name || p.Source == s.Identity
}
