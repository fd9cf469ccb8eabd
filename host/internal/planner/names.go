package planner

import (
	"strings"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// names tells the reader of sentences what words name in the model of a text. It looks each word up once: sentences
// repeat their words, and readers try several readings of each.
type names struct {
	work    *work
	tables  map[string]*model.Source
	columns map[phrase]string
	owners  map[string]string
	values  map[phrase]phrase
}

// phrase is words about a table, or a value of a column.
type phrase struct{ of, words string }

// names returns the names of the connection; nil = there is no model.
func (w *work) names() assertion.Lexicon {
	if w.v.Model == nil {
		return nil
	}
	return &names{work: w, tables: map[string]*model.Source{}, columns: map[phrase]string{}, owners: map[string]string{}, values: map[phrase]phrase{}}
}

func (n *names) one(words string) *model.Source {
	s, known := n.tables[words]
	if !known {
		if found := n.work.lexicon.sources(words); len(found) == 1 {
			s = found[0]
		}
		n.tables[words] = s
	}
	return s
}

// Table implements assertion.Lexicon.
func (n *names) Table(words string) string {
	if s := n.one(words); s != nil {
		return s.Identity
	}
	return ""
}

// Column implements assertion.Lexicon.
func (n *names) Column(table, words string) string {
	at := phrase{table, words}
	column, known := n.columns[at]
	if !known {
		column = n.column(at)
		n.columns[at] = column
	}
	return column
}

func (n *names) column(at phrase) string {
	s, words := n.one(at.of), at.words
	if s == nil {
		return ""
	}
	if d := dimension(s, words); d != nil {
		return d.Name
	}
	found := n.work.lexicon.dimensionsCalled(s, words)
	if len(found) != 1 || strings.Contains(words, "_") && !strings.EqualFold(found[0].Name, words) { // nearly the name
		return ""
	}
	return found[0].Name
}

// Owner implements assertion.Lexicon.
func (n *names) Owner(column string) string {
	owner, known := n.owners[column]
	if !known {
		found := n.work.lexicon.called(column, aDimension)
		for _, it := range found {
			s := n.work.v.Model.Source(it.source)
			if dimension(s, it.name) == nil || owner != "" && owner != s.Identity {
				owner = ""
				break
			}
			owner = s.Identity
		}
		n.owners[column] = owner
	}
	return owner
}

// Value implements assertion.Lexicon.
func (n *names) Value(table, words string) (column, value string) {
	at := phrase{table, words}
	found, known := n.values[at]
	if !known {
		found = n.value(at)
		n.values[at] = found
	}
	return found.of, found.words
}

func (n *names) value(at phrase) phrase {
	s := n.one(at.of)
	if s == nil {
		return phrase{}
	}
	found := (&filter{work: n.work, s: s}).meanings(at.words)
	if len(found) != 1 {
		return phrase{}
	}
	b, ok := found[0].(*expression.Binary)
	if !ok || b.Op != expression.Equal {
		return phrase{}
	}
	name, isName := b.Left.(*expression.Name)
	literal, isText := b.Right.(*expression.Literal)
	if !isName || !isText {
		return phrase{}
	}
	return phrase{name.String(), literal.Value}
}
