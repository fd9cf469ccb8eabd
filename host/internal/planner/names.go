package planner

import (
	"strings"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// names tells the reader of sentences what words name in the model of a text.
type names struct{ work *work }

// names returns the names of the connection; nil = there is no model.
func (w *work) names() assertion.Lexicon {
	if w.v.Model == nil {
		return nil
	}
	return names{w}
}

func (n names) one(words string) *model.Source {
	found := n.work.lexicon.sources(words)
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// Table implements assertion.Lexicon.
func (n names) Table(words string) string {
	if s := n.one(words); s != nil {
		return s.Identity
	}
	return ""
}

// Column implements assertion.Lexicon.
func (n names) Column(table, words string) string {
	s := n.one(table)
	if s == nil {
		return ""
	}
	if d := dimension(s, words); d != nil {
		return d.Name
	}
	found := dimensionsCalled(s, words)
	if len(found) != 1 || strings.Contains(words, "_") && !strings.EqualFold(found[0].Name, words) { // nearly the name
		return ""
	}
	return found[0].Name
}

// Value implements assertion.Lexicon.
func (n names) Value(table, words string) (column, value string) {
	s := n.one(table)
	if s == nil {
		return "", ""
	}
	found := (&filter{work: n.work, s: s}).meanings(words)
	if len(found) != 1 {
		return "", ""
	}
	b, ok := found[0].(*expression.Binary)
	if !ok || b.Op != expression.Equal {
		return "", ""
	}
	name, isName := b.Left.(*expression.Name)
	literal, isText := b.Right.(*expression.Literal)
	if !isName || !isText {
		return "", ""
	}
	return name.String(), literal.Value
}
