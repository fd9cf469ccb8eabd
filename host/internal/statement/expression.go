package statement

import (
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// expression reads an expression; nil after a fault.
func (p *parser) expression() *Expr {
	if !p.deeper() {
		return nil
	}
	e := p.or()
	p.depth--
	if p.broken {
		return nil
	}
	return e
}

// or reads operands between OR and XOR.
func (p *parser) or() *Expr {
	e := p.and()
	for p.word(p.i) == wOr || p.word(p.i) == wXor {
		p.i++
		e = p.operation("OR", e, p.and())
	}
	return e
}

func (p *parser) and() *Expr {
	e := p.not()
	for p.word(p.i) == wAnd || p.at("&&") {
		operator := "AND"
		if p.at("&&") {
			operator = "&&" // it is AND to some engines, and to others an operator of arrays
		}
		p.i++
		e = p.operation(operator, e, p.not())
	}
	return e
}

func (p *parser) not() *Expr {
	start := p.i
	if p.word(p.i) == wNot && p.word(p.i+1) != wExists || p.word(p.i) == wNot && p.is(p.i+2, "(") {
		p.i++
		if !p.deeper() {
			return nil
		}
		inner := p.not()
		p.depth--
		return p.node(Expr{Kind: Operation, Operator: "NOT", Args: one(inner), Start: p.offset(start), End: p.behindOf()})
	}
	return p.predicate()
}

func one(e *Expr) []*Expr {
	if e == nil {
		return nil
	}
	return []*Expr{e}
}

// behindOf returns the offset behind the last token.
func (p *parser) behindOf() int {
	if p.i > 0 && p.i <= len(p.tokens) {
		return int(p.tokens[p.i-1].End)
	}
	return len(p.text)
}

func (p *parser) operation(operator string, left, right *Expr) *Expr {
	if p.broken || left == nil || right == nil {
		return nil
	}
	return p.node(Expr{Kind: Operation, Operator: operator, Args: []*Expr{left, right}, Start: left.Start, End: right.End})
}

// comparisons are the operators of a predicate.
var comparisons = map[string]string{"=": "=", "==": "=", "<>": "<>", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "<=>": "<=>"}

// predicate reads a comparison.
func (p *parser) predicate() *Expr {
	e := p.operand()
	for !p.broken && e != nil {
		if p.kind(p.i) == dialect.TokenOperator {
			operator, ok := comparisons[p.tokens[p.i].Text(p.text)]
			if !ok {
				return e
			}
			p.i++
			if p.word(p.i) == wAny || p.word(p.i) == wAll || p.named(p.i, "SOME") {
				if p.is(p.i+1, "(") {
					operator = "ANY"
					p.i++
				}
			}
			e = p.compare(e, operator, false, p.operand())
			continue
		}
		next := p.tested(e)
		if next == nil {
			return e
		}
		e = next
	}
	return e
}

// compare makes a predicate.
func (p *parser) compare(left *Expr, operator string, negated bool, right ...*Expr) *Expr {
	if p.broken {
		return nil
	}
	args := make([]*Expr, 0, 1+len(right))
	args = append(args, left)
	for _, r := range right {
		if r == nil {
			return nil
		}
		args = append(args, r)
	}
	e := p.node(Expr{Kind: Predicate, Operator: operator, Negated: negated, Args: args, Start: left.Start, End: p.behindOf()})
	if p.block != nil {
		p.block.compared = append(p.block.compared, e)
	}
	return e
}

// tested reads a predicate that is written with words; nil when none follows.
func (p *parser) tested(e *Expr) *Expr {
	start, negated := p.i, p.word(p.i) == wNot
	if negated {
		p.i++
	}
	if p.word(p.i) == wGlobal && p.word(p.i+1) == wIn {
		p.i++
	}
	switch w := p.word(p.i); w {
	case wIn:
		p.i++
		return p.in(e, negated)
	case wBetween:
		p.i++
		if p.named(p.i, "SYMMETRIC") || p.named(p.i, "ASYMMETRIC") {
			p.i++
		}
		low := p.operand()
		if !p.takeWord(wAnd) {
			p.unexpected()
		}
		return p.compare(e, "BETWEEN", negated, low, p.operand())
	case wLike, wIlike, wRlike, wRegexp, wGlob, wMatch, wSimilar:
		p.i++
		if w == wSimilar {
			p.i++ // TO
		}
		if p.word(p.i) == wAny || p.word(p.i) == wAll {
			p.i++
		}
		operator := map[word]string{wLike: "LIKE", wIlike: "ILIKE"}[w]
		if operator == "" {
			operator = "MATCH"
		}
		pattern := p.operand()
		if p.takeWord(wEscape) {
			operator = "MATCH"
			p.operand()
		}
		return p.compare(e, operator, negated, pattern)
	case wIs:
		p.i++
		return p.isTest(e)
	case wIsnull, wNotnull:
		p.i++
		return p.compare(e, "IS NULL", w == wNotnull)
	}
	if p.named(p.i, "OVERLAPS") {
		p.i++
		return p.compare(e, "MATCH", false, p.operand())
	}
	if negated && p.word(p.i) == wNull {
		p.i++
		return p.compare(e, "IS NULL", true)
	}
	p.i = start
	return nil
}

// isTest reads what follows IS.
func (p *parser) isTest(e *Expr) *Expr {
	negated := p.takeWord(wNot)
	switch {
	case p.takeWord(wNull):
		return p.compare(e, "IS NULL", negated)
	case p.word(p.i) == wTrue || p.word(p.i) == wFalse:
		p.i++
		return p.compare(e, "IS", negated, p.literal(p.i-1, Boolean, p.tokens[p.i-1].Text(p.text), true))
	case p.named(p.i, "UNKNOWN"):
		p.i++
		return p.compare(e, "IS", negated)
	case p.word(p.i) == wDistinct && p.word(p.i+1) == wFrom:
		p.i += 2
		return p.compare(e, "<=>", !negated, p.operand())
	case p.named(p.i, "JSON") || p.named(p.i, "DOCUMENT") || p.named(p.i, "NORMALIZED"):
		p.i++
		return p.compare(e, "IS", negated)
	default:
		return p.compare(e, "<=>", negated, p.operand())
	}
}

// in reads what follows IN.
func (p *parser) in(e *Expr, negated bool) *Expr {
	if p.at("(") && !p.opensQuery(p.i) {
		p.i++
		var all []*Expr
		for !p.broken && !p.at(")") {
			v := p.expression()
			if v == nil {
				return nil
			}
			all = append(all, v)
			if !p.take(",") {
				break
			}
		}
		if !p.take(")") {
			p.unexpected()
			return nil
		}
		return p.compare(e, "IN", negated, all...)
	}
	return p.compare(e, "IN", negated, p.operand())
}

// operand reads what stands between comparisons: terms joined by any other operator.
func (p *parser) operand() *Expr {
	e := p.term()
	for !p.broken && e != nil {
		operator := ""
		switch p.kind(p.i) {
		case dialect.TokenOperator:
			operator = p.tokens[p.i].Text(p.text)
			if comparisons[operator] != "" || strings.ContainsAny(operator[:1], ",;:()[]{}.") && operator != ":=" || operator == "=>" || operator == "&&" || operator == "|>" {
				return e
			}
			if operator == "||" && p.pipes {
				p.fail("|| is OR, or joins texts")
				return nil
			}
			p.i++
			for p.kind(p.i) == dialect.TokenOperator && p.adjacent(p.i) && strings.Contains("|&<>@#~!?^/", p.tokens[p.i].Text(p.text)[:1]) && !p.at("@") {
				p.i++ // an operator of the engine's own that the lexer knows in parts
			}
		case dialect.TokenWord:
			switch p.word(p.i) {
			case wDiv, wMod:
				p.i++
				operator = "/"
			case wAt:
				if !p.named(p.i+1, "TIME") {
					return e
				}
				p.i += 3
				operator = "AT TIME ZONE"
			case wCollate:
				p.i++
				p.path()
				e = p.node(Expr{Kind: Operation, Operator: "COLLATE", Args: one(e), Start: e.Start, End: p.behindOf()})
				continue
			default:
				if !p.named(p.i, "OPERATOR") {
					return e
				}
				p.fail("an operator is named")
				return nil
			}
		default:
			return e
		}
		e = p.operation(operator, e, p.term())
	}
	return e
}

// adjacent reports whether token i stands directly behind the one before it.
func (p *parser) adjacent(i int) bool { return i > 0 && p.tokens[i].Start == p.tokens[i-1].End }

// term reads one operand with its prefixes and suffixes.
func (p *parser) term() *Expr {
	start := p.i
	if p.kind(p.i) == dialect.TokenOperator {
		switch t := p.tokens[p.i].Text(p.text); t {
		case "-", "+", "~", "@", "!", "|", "|/", "||", "^":
			p.i++
			if !p.deeper() {
				return nil
			}
			e := p.term()
			p.depth--
			if e != nil && e.Kind == Value && e.Literal.Kind == Number && (t == "-" || t == "+") {
				e.Start, e.Literal.At = p.offset(start), p.offset(start)
				if t == "-" {
					e.Literal.Text = "-" + e.Literal.Text
				}
				return e
			}
			return p.node(Expr{Kind: Operation, Operator: t, Args: one(e), Start: p.offset(start), End: p.behindOf()})
		}
	}
	e := p.primary()
	for !p.broken && e != nil {
		switch {
		case p.at("::"):
			p.i++
			p.typeName()
			e = p.node(Expr{Kind: Operation, Operator: "CAST", Args: one(e), Start: e.Start, End: p.behindOf()})
		case p.at("["):
			p.i++
			e = p.subscript(e)
		case p.at(".") && (p.kind(p.i+1) == dialect.TokenWord || p.kind(p.i+1) == dialect.TokenQuoted || p.is(p.i+1, "*") || p.kind(p.i+1) == dialect.TokenNumber):
			p.i += 2
			if p.at("(") {
				p.arguments(nil)
			}
			e = p.node(Expr{Kind: Other, Args: one(e), Start: e.Start, End: p.behindOf()})
		case p.kind(p.i) == dialect.TokenNumber && p.adjacent(p.i) && p.text[p.tokens[p.i].Start] == '.': // tuple.1
			p.i++
			e = p.node(Expr{Kind: Other, Args: one(e), Start: e.Start, End: p.behindOf()})
		case p.kind(p.i) == dialect.TokenParameter && p.text[p.tokens[p.i].Start] == ':' && p.adjacent(p.i):
			p.i++
			e = p.node(Expr{Kind: Other, Args: one(e), Start: e.Start, End: p.behindOf()})
		default:
			return e
		}
	}
	return e
}

// subscript reads what follows [, with slices.
func (p *parser) subscript(of *Expr) *Expr {
	args := one(of)
	for !p.broken && !p.at("]") {
		if p.at(":") || p.at("::") || p.at(",") {
			p.i++
			continue
		}
		if p.kind(p.i) == dialect.TokenParameter { // [1:n] where :n is a parameter
			p.i++
			continue
		}
		e := p.expression()
		if e == nil {
			return nil
		}
		args = append(args, e)
	}
	if !p.take("]") {
		p.unexpected()
		return nil
	}
	return p.node(Expr{Kind: Other, Args: args, Start: of.Start, End: p.behindOf()})
}

// typeName passes over a type.
func (p *parser) typeName() {
	if p.path() == nil {
		return
	}
	for !p.broken {
		switch {
		case p.at("(") || p.at("["):
			p.skip()
		case p.named(p.i, "PRECISION"), p.named(p.i, "VARYING"), p.named(p.i, "UNSIGNED"), p.named(p.i, "SIGNED"):
			p.i++
		case (p.word(p.i) == wWith || p.named(p.i, "WITHOUT")) && p.named(p.i+1, "TIME"):
			p.i += 3
		default:
			return
		}
	}
}
