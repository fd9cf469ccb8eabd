package project

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// Problem is one fault of a project file.
type Problem struct {
	// Path of the key: "connections.warehouse.limits.timeout"; "" = the file.
	Path string
	// Line and Column count from 1, columns in code points; 0 = unknown.
	Line, Column int
	// Msg says what is wrong and how to write it.
	Msg string
}

func (p Problem) String() string {
	text := p.Msg
	if p.Path != "" {
		text = p.Path + ": " + text
	}
	if p.Line > 0 {
		text = fmt.Sprintf("line %d, column %d: %s", p.Line, p.Column, text)
	}
	return text
}

// Problems are all faults of a project file, in the order of the file. It is in
// the chain of the error that Load returns.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i := range p {
		lines[i] = p[i].String()
	}
	return strings.Join(lines, "\n")
}

// err returns the error for the problems of a file, nil for none.
func (p Problems) err(file string) error {
	if len(p) == 0 {
		return nil
	}
	slices.SortStableFunc(p, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	msg := file + ": " + p[0].String()
	if len(p) > 1 {
		msg = fmt.Sprintf("%s has %d problems:\n  %s", file, len(p), strings.ReplaceAll(p.Error(), "\n", "\n  "))
	}
	e := sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s", msg).
		WithHint("correct %s, then run `loam connection list`", FileName)
	e.Err = p
	return e
}
