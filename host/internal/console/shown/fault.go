package shown

import (
	"errors"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk"
)

// Fault is why a query gave no result, for showing beside its text.
type Fault struct {
	Kind    sdk.Kind `json:"kind"`
	Message string   `json:"message"`
	Hint    string   `json:"hint,omitempty"`
	// Code is the engine's own.
	Code string `json:"code,omitempty"`
	// Line and Column of the text, from 1; 0 = the place is not known. Excerpt is the line with a mark below it.
	Line       int      `json:"line,omitempty"`
	Column     int      `json:"column,omitempty"`
	Excerpt    string   `json:"excerpt,omitempty"`
	Candidates []string `json:"candidates,omitempty"`
}

const maxCandidates = 8

// FaultOf describes the error of a text. redact removes the secrets of the configuration.
// Shape: texts are cut. Internal errors are not for this: the frame shows their incident.
func FaultOf(err error, sql string, redact func(string) string) *Fault {
	e := sdk.AsError(err, sdk.SourceHost)
	f := &Fault{Kind: e.Kind, Message: Cut(redact(e.Msg), 2000), Hint: Cut(redact(e.Hint), 1000), Code: Cut(e.Code, 100)}
	for _, c := range e.Candidates[:min(len(e.Candidates), maxCandidates)] {
		f.Candidates = append(f.Candidates, Cut(c, 200))
	}
	if refused, ok := errors.AsType[*refusal.Error](err); ok {
		f.Code, f.Excerpt = "", refused.Excerpt
		if refused.Position != nil {
			f.Line, f.Column = refused.Position.Line, refused.Position.Column
		}
		return f
	}
	if !e.Pos.IsZero() {
		f.Line, f.Column, f.Excerpt = e.Pos.Line, e.Pos.Column, excerpt(sql, e.Pos)
	}
	return f
}

// Cut shortens a text to so many characters.
func Cut(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// excerpt is the line of a position, cut around it, and a mark below.
func excerpt(sql string, at sdk.Position) string {
	const before, after = 60, 40
	lines := strings.Split(sql, "\n")
	if at.Line < 1 || at.Line > len(lines) {
		return ""
	}
	line := []rune(strings.Map(refusal.Visible, lines[at.Line-1]))
	column := min(max(at.Column-1, 0), len(line))
	from, to := max(0, column-before), min(len(line), column+after)
	return string(line[from:to]) + "\n" + strings.Repeat(" ", column-from) + "^"
}
