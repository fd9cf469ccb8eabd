package expression

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// reserved words are never names without quotes.
var reserved = []string{
	"AND", "AS", "BETWEEN", "CASE", "CAST", "DISTINCT", "ELSE", "END", "FALSE", "FROM", "ILIKE", "IN", "IS", "LIKE", "NOT", "NULL",
	"OR", "SELECT", "THEN", "TRUE", "WHEN", "WITH",
}

func isReserved(word string) bool {
	return slices.ContainsFunc(reserved, func(r string) bool { return len(r) == len(word) && strings.EqualFold(r, word) })
}

// prefix reads an operand with the operators before it and the casts behind it.
func (p *parser) prefix(lowest level) (Node, error) {
	t := p.peek()
	switch {
	case p.isWord(t, "NOT"):
		if lowest > levelNot {
			return nil, fail(sdk.KindSyntax, t.pos, "put NOT and its condition in parentheses", "NOT stands where a value is expected")
		}
		return p.unary(Not, levelNot)
	case p.isOperator(t, "-"):
		return p.unary(Negate, levelUnary)
	case p.isOperator(t, "+"):
		p.i++
		return p.expression(levelUnary)
	}
	n, err := p.primary()
	for err == nil && p.acceptOperator("::") {
		var to sdk.Type
		if to, err = p.typeName(); err == nil {
			n, err = p.after(n, &Cast{base: base{typ: to}, X: n, To: to})
		}
	}
	return n, err
}

func (p *parser) unary(op UnaryOp, operand level) (Node, error) {
	start := p.take()
	x, err := p.expression(operand)
	if err != nil {
		return nil, err
	}
	return p.done(&Unary{Op: op, X: x}, start)
}

func (p *parser) primary() (Node, error) {
	t := p.peek()
	switch t.kind {
	case tokenNumber:
		p.i++
		n, ok := number(p.source(t))
		if !ok {
			return nil, fail(sdk.KindInvalid, t.pos, "write a number below 1.8e308", "the number %s is beyond what a double holds", p.source(t))
		}
		return p.done(n, t)
	case tokenText:
		p.i++
		return p.done(Text(unquote(p.source(t))), t)
	case tokenQuoted:
		return p.name()
	case tokenWord:
		return p.word(t)
	case tokenOperator:
		switch p.source(t) {
		case "(":
			return p.parenthesised()
		case "{":
			return p.braced()
		}
	}
	return nil, p.unexpected("a value")
}

func (p *parser) parenthesised() (Node, error) {
	p.i++
	n, err := p.expression(levelOr)
	if err != nil {
		return nil, err
	}
	return n, p.expectOperator(")", "an operator or )")
}

// braced reads {name}, as other layers write the names of measures.
func (p *parser) braced() (Node, error) {
	p.i++
	if k := p.peek().kind; k != tokenWord && k != tokenQuoted {
		return nil, p.unexpected("a name")
	}
	n, err := p.name()
	if err != nil {
		return nil, err
	}
	return n, p.expectOperator("}", "}")
}

// word reads what begins with an unquoted word.
func (p *parser) word(t *token) (Node, error) {
	next := p.peekAt(1)
	switch {
	case p.isWord(t, "NULL"):
		p.i++
		return p.done(Null(), t)
	case p.isWord(t, "TRUE"), p.isWord(t, "FALSE"):
		p.i++
		return p.done(Bool(p.isWord(t, "TRUE")), t)
	case p.isWord(t, "CASE"):
		return p.cases()
	case p.isWord(t, "CAST"):
		return p.cast()
	case next.kind == tokenText:
		return p.typedLiteral(t)
	case p.isOperator(next, "("):
		if isReserved(p.source(t)) {
			return nil, p.unexpected("a value")
		}
		return p.call()
	case isReserved(p.source(t)):
		return nil, p.unexpected("a value")
	}
	return p.name()
}

// name reads a, a.b, "a".b; behind a dot every word is a name.
func (p *parser) name() (Node, error) {
	start := p.peek()
	parts := make([]string, 0, 2)
	for {
		t := p.peek()
		switch t.kind {
		case tokenWord:
			parts = append(parts, p.source(t))
		case tokenQuoted:
			parts = append(parts, unquote(p.source(t)))
		default:
			return nil, p.unexpected("a name behind the dot")
		}
		p.i++
		if !p.acceptOperator(".") {
			break
		}
	}
	if len(parts) > MaxNameParts {
		return nil, fail(sdk.KindInvalid, start.pos, "write source.name or role.source.name", "the name has %d parts; the limit is %d", len(parts), MaxNameParts)
	}
	if p.isOperator(p.peek(), "(") {
		return nil, fail(sdk.KindInvalid, start.pos, "call a function by its name alone; "+functionsHint(), "%s is not a function", strings.Join(parts, "."))
	}
	return p.done(&Name{Parts: parts}, start)
}

// unquote undoes the doubled quotes of a text or a quoted name.
func unquote(s string) string {
	quote := s[:1]
	return strings.ReplaceAll(s[1:len(s)-1], quote+quote, quote)
}

// typedLiteral reads DATE '2024-05-15' and the like.
func (p *parser) typedLiteral(t *token) (Node, error) {
	text := p.peekAt(1)
	value := unquote(p.source(text))
	var n *Literal
	var ok bool
	switch {
	case p.isWord(t, "DATE"):
		n, ok = Date(value)
	case p.isWord(t, "TIMESTAMP"), p.isWord(t, "DATETIME"):
		n, ok = Timestamp(value)
	case p.isWord(t, "TIMESTAMPTZ"):
		n, ok = TimestampTZ(value)
	case p.isWord(t, "INTERVAL"):
		return nil, fail(sdk.KindInvalid, t.pos, "use a date range, date_diff_days or date_trunc", "intervals are not part of the language")
	default:
		p.i++
		return nil, p.unexpected("an operator")
	}
	if !ok {
		return nil, fail(sdk.KindInvalid, text.pos, timeHint, "%s is not a %s", quoteText(value), strings.ToLower(p.source(t)))
	}
	p.i += 2
	return p.done(n, t)
}

func (p *parser) cases() (Node, error) {
	start := p.take()
	c := &Case{}
	var err error
	if !p.isWord(p.peek(), "WHEN") {
		if c.Operand, err = p.expression(levelOr); err != nil {
			return nil, err
		}
	}
	for p.acceptWord("WHEN") {
		var w When
		if w.Condition, err = p.expression(levelOr); err != nil {
			return nil, err
		}
		if err := p.expectWord("THEN", "THEN"); err != nil {
			return nil, err
		}
		if w.Result, err = p.expression(levelOr); err != nil {
			return nil, err
		}
		c.Whens = append(c.Whens, w)
	}
	if len(c.Whens) == 0 {
		return nil, p.unexpected("WHEN")
	}
	if p.acceptWord("ELSE") {
		if c.Else, err = p.expression(levelOr); err != nil {
			return nil, err
		}
	}
	if err := p.expectWord("END", "WHEN, ELSE or END"); err != nil {
		return nil, err
	}
	return p.done(c, start)
}

func (p *parser) cast() (Node, error) {
	start := p.take()
	if err := p.expectOperator("(", "( behind CAST"); err != nil {
		return nil, err
	}
	x, err := p.expression(levelOr)
	if err != nil {
		return nil, err
	}
	if err := p.expectWord("AS", "AS and a type"); err != nil {
		return nil, err
	}
	to, err := p.typeName()
	if err != nil {
		return nil, err
	}
	if err := p.expectOperator(")", ") behind the type"); err != nil {
		return nil, err
	}
	return p.done(&Cast{base: base{typ: to}, X: x, To: to}, start)
}

// typeNames are the types that a cast may name. A length or a precision would
// cut values, each engine in its way.
var typeNames = map[string]sdk.Type{
	"boolean": sdk.TypeBool, "bool": sdk.TypeBool,
	"integer": sdk.TypeInt64, "int": sdk.TypeInt64, "bigint": sdk.TypeInt64, "int64": sdk.TypeInt64,
	"decimal": sdk.TypeDecimal, "numeric": sdk.TypeDecimal,
	"float": sdk.TypeFloat64, "double": sdk.TypeFloat64, "float64": sdk.TypeFloat64, "real": sdk.TypeFloat64,
	"text": sdk.TypeText, "varchar": sdk.TypeText, "string": sdk.TypeText,
	"date": sdk.TypeDate, "timestamp": sdk.TypeTimestamp, "datetime": sdk.TypeTimestamp, "timestamptz": sdk.TypeTimestampTZ,
}

func (p *parser) typeName() (sdk.Type, error) {
	t := p.peek()
	to, ok := typeNames[strings.ToLower(p.source(t))]
	if t.kind != tokenWord || !ok {
		if t.kind != tokenWord {
			return 0, p.unexpected("a type")
		}
		return 0, fail(sdk.KindInvalid, t.pos, "use boolean, integer, decimal, double, text, date, timestamp or timestamptz", "%s is no type of the language", p.source(t))
	}
	p.i++
	if strings.EqualFold(p.source(t), "double") {
		p.acceptWord("PRECISION")
	}
	if p.isOperator(p.peek(), "(") {
		return 0, fail(sdk.KindInvalid, p.peek().pos, "drop the parentheses; use round or left to cut a value", "a type takes no length or precision")
	}
	return to, nil
}
