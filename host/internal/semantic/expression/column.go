package expression

import (
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Column refers to a column of a relational plan.
type Column struct {
	base
	// ID is unique within the plan.
	ID int
	// Condition: the column is written as a predicate, as EXISTS is.
	Condition bool
}

// NewColumn returns a reference to a column of a type.
func NewColumn(id int, t sdk.Type) *Column { return &Column{base: base{typ: t}, ID: id} }

// Typed is X with a declared type, whatever Check finds for X.
type Typed struct {
	base
	X Node
}

// As returns n under a type; TypeUnspecified changes nothing.
func As(n Node, t sdk.Type) Node {
	if n.Type() == t || t == sdk.TypeUnspecified {
		return n
	}
	return &Typed{base{typ: t}, n}
}

// Form is a construct that dialects write differently and for which the language
// has no operator or function: a period added to a time, a time read from an
// epoch.
type Form struct {
	base
	Form dialect.Form
	X    Node // the template's x
	// Texts are the template's other placeholders, as they are written.
	Texts map[string]string
}

// NewForm returns a construct of a type. The caller checks first that the dialect
// has the form.
func NewForm(form dialect.Form, x Node, t sdk.Type, texts map[string]string) *Form {
	return &Form{base{typ: t}, form, x, texts}
}

// Columns returns every use of a column of a plan, in the order in which they are
// written.
func Columns(n Node) []*Column {
	var all []*Column
	Walk(n, func(n Node) bool {
		if c, ok := n.(*Column); ok {
			all = append(all, c)
		}
		return true
	})
	return all
}

// AnyColumn reports whether an expression uses a column for which of returns
// true.
func AnyColumn(n Node, of func(*Column) bool) (found bool) {
	Walk(n, func(n Node) bool {
		if c, ok := n.(*Column); ok && !found {
			found = of(c)
		}
		return !found
	})
	return found
}
