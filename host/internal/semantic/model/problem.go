package model

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/loam-data/loam/sdk"
)

// Pos is a position in a file.
// Units: counted from 1, columns in code points; 0 = unknown.
type Pos struct{ Line, Column int32 }

// Text is a text with its position in the file.
type Text struct {
	Value string
	Pos
	// Exact: Value stands in the file as it is, on one line from Pos on, so that a
	// position in Value is one in the file.
	Exact bool
}

// At returns the position in the file of a position in the text, as far as it is
// known.
func (t Text) At(p sdk.Position) Pos {
	if !t.Exact || p.Line != 1 {
		return t.Pos
	}
	return Pos{Line: t.Line, Column: t.Column + int32(p.Column) - 1}
}

// Problem is one fault of a file.
type Problem struct {
	// File as it was given to Parse; "" = what a scan found.
	File string
	Pos
	// Path of the key, with the names of members: "measures.revenue.filter";
	// "" = the file.
	Path string
	// Source and Member cannot be used because of it; Member "" = the whole source,
	// both "" = the whole file.
	Source, Member string
	// Msg is one sentence that says what is wrong and how to write it.
	Msg string
	// Candidates are likely corrections of a name, best first.
	Candidates []string
}

// String returns "file:line:column: path: message".
func (p Problem) String() string {
	text := p.Msg
	if p.Path != "" {
		text = p.Path + ": " + text
	}
	switch {
	case p.Line > 0:
		return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, text)
	case p.File != "":
		return p.File + ": " + text
	}
	return text
}

// Fault is the place of the problem that makes something unusable.
type Fault struct {
	File string // as it was given to Parse; "" = a scanned table
	Pos
}

func (f *Fault) Error() string { return Problem{File: f.File, Pos: f.Pos}.String() }

// fault finds the first problem of a member, "" = of the source itself; file and pos
// are where it is defined, for one that something else breaks.
func (m *Model) fault(s *Source, member, file string, pos Pos) *Fault {
	lists := [][]Problem{s.draft.problems, s.problems, m.problems}
	for _, f := range m.input.Files {
		if f.Path == file {
			lists = append(lists, f.Problems)
		}
	}
	for _, list := range lists {
		for _, p := range list {
			if p.Member == member && (p.Source == s.Name || p.Source == s.Identity) {
				return &Fault{p.File, p.Pos}
			}
		}
	}
	return &Fault{file, pos}
}

func sortProblems(all []Problem) {
	slices.SortStableFunc(all, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
