package expression

import (
	"strings"

	"github.com/loam-data/loam/sdk"
)

// Parse reads one expression.
// Errors: *sdk.Error with the position in the text and a hint: KindSyntax for what
// the grammar does not have, KindNotReadOnly for statements, KindInvalid for a
// subquery, a window, an unknown function, a wrong number of arguments or nested
// aggregates, KindLimit beyond MaxTextBytes or MaxDepth.
// Units: the cost is linear in the text.
func Parse(text string) (Node, error) { return parse(text, allowed{}) }

// allowed is what an expression may have beside what definitions may.
type allowed struct{ quantifiers, entities bool }

func parse(text string, a allowed) (Node, error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{text: text, tokens: tokens, allowed: a}
	if p.peek().kind == tokenEnd {
		return nil, fail(sdk.KindSyntax, p.peek().pos, grammarHint, "the expression is empty")
	}
	n, err := p.expression(levelOr)
	if err != nil {
		return nil, err
	}
	if p.peek().kind != tokenEnd {
		return nil, p.unexpected("the end of the expression")
	}
	return n, nil
}

// ParseName reads a reference: a, a.b, a.b.c, with "quoted" parts.
// Errors: those of Parse.
func ParseName(text string) (*Name, error) {
	n, err := Parse(text)
	if err != nil {
		return nil, err
	}
	if name, ok := n.(*Name); ok {
		return name, nil
	}
	return nil, fail(sdk.KindInvalid, n.Pos(), `write a name, as in orders.status; put a name with other characters in double quotes`, "this is an expression, not a name")
}

// level is how tightly an operator binds.
type level uint8

const (
	levelNone level = iota
	levelOr
	levelAnd
	levelNot
	levelCompare // does not chain
	levelConcat
	levelAdd
	levelMultiply
	levelUnary
	levelPrimary
)

var binaryLevels = map[string]level{
	"||": levelConcat, "+": levelAdd, "-": levelAdd, "*": levelMultiply, "/": levelMultiply, "%": levelMultiply,
	"=": levelCompare, "<>": levelCompare, "!=": levelCompare, "<": levelCompare, "<=": levelCompare, ">": levelCompare, ">=": levelCompare,
}

// comparisonWords begin an operator of levelCompare.
var comparisonWords = []string{"IS", "NOT", "BETWEEN", "IN", "LIKE", "ILIKE"}

type parser struct {
	text   string
	tokens []token
	i      int
	depth  int
	// aggregate is the aggregate whose arguments are being read, or "".
	aggregate AggregateFunction
	allowed   allowed
	// quantifier is the one whose condition is being read, or ""; entity: the measure of
	// a PerEntity is.
	quantifier Quantifier
	entity     bool
}

func (p *parser) peek() *token { return &p.tokens[p.i] }

func (p *parser) peekAt(n int) *token { return &p.tokens[min(p.i+n, len(p.tokens)-1)] }

func (p *parser) take() *token {
	t := &p.tokens[p.i]
	if t.kind != tokenEnd {
		p.i++
	}
	return t
}

func (p *parser) source(t *token) string { return p.text[t.start:t.end] }

func (p *parser) isOperator(t *token, op string) bool {
	return t.kind == tokenOperator && p.source(t) == op
}

func (p *parser) isWord(t *token, word string) bool {
	return t.kind == tokenWord && int(t.end-t.start) == len(word) && strings.EqualFold(p.source(t), word)
}

func (p *parser) acceptOperator(op string) bool {
	ok := p.isOperator(p.peek(), op)
	if ok {
		p.i++
	}
	return ok
}

func (p *parser) acceptWord(word string) bool {
	ok := p.isWord(p.peek(), word)
	if ok {
		p.i++
	}
	return ok
}

func (p *parser) expectOperator(op, what string) error {
	if !p.acceptOperator(op) {
		return p.unexpected(what)
	}
	return nil
}

func (p *parser) expectWord(word, what string) error {
	if !p.acceptWord(word) {
		return p.unexpected(what)
	}
	return nil
}

// done fills in where a node begins and how high its tree is.
func (p *parser) done(n Node, start *token) (Node, error) {
	return p.place(n, start.pos)
}

// after is done for a node whose first operand is left.
func (p *parser) after(left, n Node) (Node, error) {
	return p.place(n, left.meta().pos)
}

func (p *parser) place(n Node, pos sdk.Position) (Node, error) {
	b := n.meta()
	b.pos = pos
	var few [4]Node
	for _, child := range operands(few[:0], n) {
		b.height = max(b.height, child.meta().height+1)
	}
	if b.height > MaxDepth {
		return nil, p.tooDeep(pos)
	}
	return n, nil
}

func (p *parser) tooDeep(pos sdk.Position) error {
	return fail(sdk.KindLimit, pos, "split the expression into measures or dimensions", "the expression nests deeper than %d levels", MaxDepth)
}

// expression reads operators that bind at least as tightly as lowest.
func (p *parser) expression(lowest level) (Node, error) {
	p.depth++
	defer func() { p.depth-- }()
	start := p.peek()
	if p.depth > MaxDepth {
		return nil, p.tooDeep(start.pos)
	}
	left, err := p.prefix(lowest)
	for err == nil {
		t := p.peek()
		at := p.operatorLevel(t)
		if at == levelNone || at < lowest {
			return left, nil
		}
		switch at {
		case levelOr, levelAnd:
			left, err = p.logic(left, at)
		case levelCompare:
			if left, err = p.comparison(left); err == nil && p.operatorLevel(p.peek()) == levelCompare {
				return nil, fail(sdk.KindSyntax, p.peek().pos, "put one of the comparisons in parentheses, or join them with AND", "a comparison follows a comparison")
			}
		default:
			left, err = p.binary(left, at)
		}
	}
	return nil, err
}

// operatorLevel returns the level of the operator that t begins, levelNone if none.
func (p *parser) operatorLevel(t *token) level {
	switch t.kind {
	case tokenOperator:
		return binaryLevels[p.source(t)]
	case tokenWord:
		switch {
		case p.isWord(t, "OR"):
			return levelOr
		case p.isWord(t, "AND"):
			return levelAnd
		}
		for _, w := range comparisonWords {
			if p.isWord(t, w) {
				return levelCompare
			}
		}
	}
	return levelNone
}

// logic reads the rest of a chain of ANDs or ORs.
func (p *parser) logic(left Node, at level) (Node, error) {
	op, word := And, "AND"
	if at == levelOr {
		op, word = Or, "OR"
	}
	terms := flat(nil, op, left)
	for p.acceptWord(word) {
		right, err := p.expression(at + 1)
		if err != nil {
			return nil, err
		}
		terms = flat(terms, op, right)
	}
	return p.after(left, &Logic{base: base{typ: sdk.TypeBool}, Op: op, Terms: terms})
}

func (p *parser) binary(left Node, at level) (Node, error) {
	op := BinaryOp(p.source(p.take()))
	right, err := p.expression(at + 1)
	if err != nil {
		return nil, err
	}
	return p.after(left, &Binary{Op: op, Left: left, Right: right})
}

// comparison reads what stands behind the left side of a comparison.
func (p *parser) comparison(left Node) (Node, error) {
	boolean := base{typ: sdk.TypeBool}
	t := p.take()
	if t.kind == tokenOperator {
		op := BinaryOp(p.source(t))
		if op == "!=" {
			op = NotEqual
		}
		return p.compare(op, left)
	}
	if p.isWord(t, "IS") {
		return p.is(left)
	}
	negated := p.isWord(t, "NOT")
	if negated {
		t = p.take()
	}
	switch {
	case p.isWord(t, "BETWEEN"):
		low, err := p.expression(levelConcat)
		if err != nil {
			return nil, err
		}
		if err := p.expectWord("AND", "AND and the upper end of BETWEEN"); err != nil {
			return nil, err
		}
		high, err := p.expression(levelConcat)
		if err != nil {
			return nil, err
		}
		return p.after(left, &Between{base: boolean, X: left, Low: low, High: high, Negated: negated})
	case p.isWord(t, "IN"):
		if err := p.expectOperator("(", "a list in parentheses"); err != nil {
			return nil, err
		}
		list, err := p.list("the list")
		if err != nil {
			return nil, err
		}
		return p.after(left, &In{base: boolean, X: left, List: list, Negated: negated})
	case p.isWord(t, "LIKE"), p.isWord(t, "ILIKE"):
		pattern, err := p.expression(levelConcat)
		if err != nil {
			return nil, err
		}
		if p.isWord(p.peek(), "ESCAPE") {
			return nil, fail(sdk.KindSyntax, p.peek().pos, `drop it: \ escapes a wildcard`, "ESCAPE is not part of the language")
		}
		kind := MatchKind(strings.ToUpper(p.source(t)))
		return p.after(left, &Match{base: boolean, Kind: kind, X: left, Pattern: pattern, Negated: negated})
	}
	p.i--
	return nil, p.unexpected("BETWEEN, IN, LIKE or ILIKE")
}

func (p *parser) compare(op BinaryOp, left Node) (Node, error) {
	right, err := p.expression(levelConcat)
	if err != nil {
		return nil, err
	}
	return p.after(left, &Binary{base: base{typ: sdk.TypeBool}, Op: op, Left: left, Right: right})
}

// is reads what stands behind IS.
func (p *parser) is(left Node) (Node, error) {
	negated := p.acceptWord("NOT")
	if p.acceptWord("NULL") {
		return p.after(left, &IsNull{base: base{typ: sdk.TypeBool}, X: left, Negated: negated})
	}
	if !p.isWord(p.peek(), "DISTINCT") || !p.isWord(p.peekAt(1), "FROM") {
		return nil, p.unexpected("NULL, NOT NULL or DISTINCT FROM")
	}
	p.i += 2
	if negated {
		return p.compare(NotDistinct, left)
	}
	return p.compare(Distinct, left)
}

// list reads one or more expressions and the closing parenthesis.
func (p *parser) list(what string) ([]Node, error) {
	if p.isOperator(p.peek(), ")") {
		return nil, fail(sdk.KindSyntax, p.peek().pos, "write at least one value", "%s is empty", what)
	}
	var list []Node
	for {
		n, err := p.expression(levelOr)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
		if !p.acceptOperator(",") {
			return list, p.expectOperator(")", "a comma or )")
		}
	}
}
