package expression

import (
	"strings"

	"github.com/loam-data/loam/sdk"
)

// Quantifier says how many of the related rows satisfy a condition.
type Quantifier string

const (
	AnyRow  Quantifier = "any"
	NoRow   Quantifier = "none"
	EachRow Quantifier = "all" // and where there are no related rows
)

// Quantified is any(condition), none(condition) or all(condition): a truth value about
// the related rows that the names of X lead to.
// Shape: X is a scope of its own, which Children, Walk, Transform and Names do not
// enter. X has no Quantified itself.
type Quantified struct {
	base
	Quantifier Quantifier
	X          Node
}

// ParseCondition reads an expression that may have quantifiers and the values of measures
// per entity: a filter of a request.
// Errors: those of Parse.
func ParseCondition(text string) (Node, error) {
	return parse(text, allowed{quantifiers: true, entities: true})
}

// quantified reads any(condition); false = it is no quantifier.
func (p *parser) quantified(start *token, name string) (Node, bool, error) {
	q := Quantifier(name)
	if q != AnyRow && q != NoRow && q != EachRow {
		return nil, false, nil
	}
	switch {
	case !p.allowed.quantifiers:
		return nil, true, fail(sdk.KindInvalid, start.pos, "use it in a filter of a request", "%s is about the related rows of a filter", strings.ToLower(name))
	case p.quantifier != "":
		return nil, true, fail(sdk.KindInvalid, start.pos, "write the conditions in one of them, joined by AND", "%s stands inside %s", name, p.quantifier)
	}
	p.quantifier = q
	x, err := p.expression(levelOr)
	p.quantifier = ""
	if err == nil {
		err = p.expectOperator(")", ") behind the condition")
	}
	if err != nil {
		return nil, true, err
	}
	n, err := p.done(&Quantified{base: base{typ: sdk.TypeBool, height: x.meta().height + 1}, Quantifier: q, X: x}, start)
	return n, true, err
}

// Quantifieds returns every quantified condition, in the order in which they are written.
func Quantifieds(n Node) (all []*Quantified) {
	Walk(n, func(n Node) bool {
		if q, ok := n.(*Quantified); ok {
			all = append(all, q)
		}
		return true
	})
	return all
}
