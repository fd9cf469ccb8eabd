package statement

import (
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// primary reads a literal, a column, a call or something in brackets.
func (p *parser) primary() *Expr {
	start := p.i
	t := p.kind(p.i)
	switch t {
	case dialect.TokenString:
		return p.string()
	case dialect.TokenNumber:
		p.i++
		return p.literal(start, Number, p.tokens[start].Text(p.text), true)
	case dialect.TokenParameter:
		p.i++
		return p.other(start)
	case dialect.TokenQuoted:
		return p.namedPrimary(start)
	case dialect.TokenOperator:
		return p.bracket(start)
	case dialect.TokenWord:
		return p.wordly(start)
	}
	p.unexpected()
	return nil
}

func (p *parser) other(start int, args ...*Expr) *Expr {
	if p.broken {
		return nil
	}
	return p.node(Expr{Kind: Other, Args: args, Start: p.offset(start), End: p.behindOf()})
}

func (p *parser) literal(start int, kind LiteralKind, text string, sure bool) *Expr {
	return p.node(Expr{Kind: Value, Literal: Literal{Kind: kind, Text: text, Sure: sure, At: p.offset(start)}, Start: p.offset(start), End: p.behindOf()})
}

// string reads a string, or several that the engine joins.
func (p *parser) string() *Expr {
	start := p.i
	t := p.tokens[start]
	written := t.Text(p.text)
	text := p.d.Unquote(p.text, t)
	inside := strings.TrimLeft(written, "nN") // a national literal
	sure := (inside[0] == '\'' || inside[0] == '"') && !strings.ContainsAny(inside, "\\\n") && !strings.HasPrefix(inside, `'''`) && !strings.HasPrefix(inside, `"""`) ||
		inside == `''` || inside == `""`
	p.i++
	for p.kind(p.i) == dialect.TokenString && p.d.Lexis.ContinuedStrings {
		p.i++
		sure = false
	}
	return p.literal(start, String, text, sure)
}

// bracket reads something in brackets, or *.
func (p *parser) bracket(start int) *Expr {
	switch {
	case p.at("*"):
		p.i++
		p.excepts()
		return p.node(Expr{Kind: Star, Start: p.offset(start), End: p.behindOf()})
	case p.at("(") && p.opensQuery(p.i):
		return p.subquery(start)
	case p.at("("):
		return p.parenthesised(start)
	case p.at("["):
		p.i++
		e := p.list(start, "]")
		return e
	case p.at("{"):
		p.skip()
		p.doubt("braces are not read")
		return p.other(start)
	}
	p.unexpected()
	return nil
}

// subquery reads a query in parentheses.
func (p *parser) subquery(start int) *Expr {
	block := p.block
	q := p.inBrackets()
	if block != nil {
		block.queries = append(block.queries, q)
	}
	return p.node(Expr{Kind: Subquery, query: q, Start: p.offset(start), End: p.behindOf()})
}

// parenthesised reads (a) or (a, b).
func (p *parser) parenthesised(start int) *Expr {
	p.i++
	if p.take(")") {
		return p.other(start)
	}
	if p.lambda() {
		return p.lambdaBody(start, int(p.close[start]))
	}
	first := p.expression()
	if first == nil {
		return nil
	}
	if p.take(")") {
		first.Start, first.End = p.offset(start), p.behindOf()
		return first
	}
	args := one(first)
	for p.take(",") && !p.at(")") {
		e := p.expression()
		if e == nil {
			return nil
		}
		args = append(args, e)
	}
	if !p.take(")") {
		p.unexpected()
		return nil
	}
	return p.other(start, args...)
}

// list reads the elements of an array until a bracket.
func (p *parser) list(start int, last string) *Expr {
	var args []*Expr
	for !p.broken && !p.at(last) {
		e := p.expression()
		if e == nil {
			return nil
		}
		args = append(args, e)
		if p.word(p.i) == wFor { // a comprehension
			p.unexpected()
			return nil
		}
		if !p.take(",") {
			break
		}
	}
	if !p.take(last) {
		p.unexpected()
		return nil
	}
	return p.other(start, args...)
}

// excepts passes over what may follow *: EXCEPT (a), REPLACE (a AS b).
func (p *parser) excepts() {
	for (p.word(p.i) == wExcept || p.named(p.i, "EXCLUDE") || p.named(p.i, "REPLACE") || p.named(p.i, "RENAME") || p.named(p.i, "APPLY")) && (p.is(p.i+1, "(") || !p.is(p.i+1, ",") && p.named(p.i, "EXCLUDE")) {
		p.doubt("columns of * are changed")
		p.i++
		if p.at("(") {
			p.skip()
		} else {
			p.path()
		}
	}
}

// wordly reads what begins with a word.
func (p *parser) wordly(start int) *Expr {
	behind := p.kind(p.i + 1)
	switch w := p.word(p.i); w {
	case 0, wFilter, wFirst, wMatch, wRow, wTop, wMod, wDiv, wFinal, wFormat, wSample, wAt, wAny, wOnly, wOption, wRespect, wRegexp, wGlob, wLeft, wRight, wIgnore, wForce,
		wApply, wSemi, wAnti, wMaterialized, wPositional, wSettings, wGlobal, wTable, wTablesample, wValues, wUse, wMinus, wOffset, wAll, wUnpivot, wPivot, wEnd, wXor, wIsnull, wNotnull:
		if (w == wLeft || w == wRight || w == wAll || w == wAny || w == wValues || w == wXor || w == wIsnull || w == wNotnull) && !p.is(p.i+1, "(") {
			break
		}
		return p.namedPrimary(start)
	case wNull:
		p.i++
		return p.literal(start, Null, "", true)
	case wTrue, wFalse:
		p.i++
		return p.literal(start, Boolean, p.tokens[start].Text(p.text), true)
	case wCase:
		p.i++
		return p.cases(start)
	case wExists:
		p.i++
		if p.at("(") && p.opensQuery(p.i) {
			return p.other(start, p.subquery(p.i))
		}
		if p.at("(") {
			p.i = start
			return p.namedPrimary(start)
		}
	case wNot:
		p.i++
		return p.other(start, p.term())
	case wArray:
		if p.is(p.i+1, "[") {
			p.i += 2
			return p.list(start, "]")
		}
		if p.is(p.i+1, "(") {
			if p.opensQuery(p.i + 1) {
				p.i++
				return p.other(start, p.subquery(p.i))
			}
			return p.namedPrimary(start)
		}
	case wInterval:
		return p.interval(start)
	case wDistinct:
		p.i++
		return p.other(start, p.term())
	case wIn, wIs, wLike, wIlike, wRlike, wBetween: // in(x, 1) of some engines
		if p.is(p.i+1, "(") {
			return p.namedPrimary(start)
		}
	}
	if behind == dialect.TokenOperator && p.is(p.i+1, ".") {
		return p.namedPrimary(start)
	}
	p.unexpected()
	return nil
}

// named1 reads a typed literal, a call or a column.
func (p *parser) namedPrimary(start int) *Expr {
	if p.kind(p.i+1) == dialect.TokenString && p.kind(p.i) == dialect.TokenWord && p.typed(p.tokens[p.i].Text(p.text)) {
		p.i += 2
		text := p.d.Unquote(p.text, p.tokens[p.i-1])
		for p.named(p.i, "TO") || p.unitAhead() {
			p.i++
		}
		return p.literal(start, Typed, text, true)
	}
	if p.kind(p.i) == dialect.TokenWord && (p.named(p.i, "TIMESTAMP") || p.named(p.i, "TIME")) && (p.word(p.i+1) == wWith || p.named(p.i+1, "WITHOUT")) && p.kind(p.i+4) == dialect.TokenString {
		p.i += 5
		return p.literal(start, Typed, p.d.Unquote(p.text, p.tokens[p.i-1]), true)
	}
	name := p.path()
	if name == nil {
		return nil
	}
	switch {
	case p.at("("):
		return p.call(start, name)
	case p.at(".") && p.is(p.i+1, "*"):
		p.i += 2
		p.excepts()
		return p.node(Expr{Kind: Star, Name: name, Start: p.offset(start), End: p.behindOf()})
	}
	e := p.node(Expr{Kind: Ref, Name: name, Start: p.offset(start), End: p.behindOf()})
	if p.block != nil {
		p.block.refs = append(p.block.refs, e)
	}
	return e
}

// types are the types that may stand before a string.
var types = setOf(`date time timestamp datetime timestamptz timetz datetime2 smalldatetime datetimeoffset bytes json jsonb uuid numeric decimal
	bignumeric bool boolean int integer bigint float real double text varchar char bytea inet point bit hugeint range datetime64 date32 blob`)

func (p *parser) typed(text string) bool { return types().has(text) || text[0] == '_' }

// interval reads INTERVAL '1 day', INTERVAL 1 DAY, INTERVAL (n) DAY; else a column of that name.
func (p *parser) interval(start int) *Expr {
	switch p.kind(p.i + 1) {
	case dialect.TokenString, dialect.TokenNumber, dialect.TokenParameter, dialect.TokenWord, dialect.TokenQuoted:
		if p.word(p.i+1) != 0 && p.word(p.i+1) != wCase {
			return p.namedPrimary(start)
		}
	default:
		if !p.is(p.i+1, "(") && !p.is(p.i+1, "-") && !p.is(p.i+1, "+") {
			return p.namedPrimary(start)
		}
	}
	p.i++
	e := p.term()
	for p.named(p.i, "TO") || p.unitAhead() {
		p.i++
		if p.at("(") {
			p.skip()
		}
	}
	if p.broken {
		return nil
	}
	return p.node(Expr{Kind: Value, Literal: Literal{Kind: Typed, At: p.offset(start)}, Args: one(e), Start: p.offset(start), End: p.behindOf()})
}

// unitAhead reports whether a word for a period follows.
func (p *parser) unitAhead() bool {
	return p.kind(p.i) == dialect.TokenWord && unit(p.tokens[p.i].Text(p.text))
}

// cases reads CASE … END.
func (p *parser) cases(start int) *Expr {
	var args []*Expr
	add := func(e *Expr) { args = append(args, one(e)...) }
	if p.word(p.i) != wWhen {
		add(p.expression())
	}
	for p.takeWord(wWhen) {
		add(p.expression())
		if !p.takeWord(wThen) {
			p.unexpected()
			return nil
		}
		add(p.expression())
	}
	if p.takeWord(wElse) {
		add(p.expression())
	}
	if !p.takeWord(wEnd) {
		p.unexpected()
		return nil
	}
	return p.node(Expr{Kind: Other, Operator: "CASE", Args: args, Start: p.offset(start), End: p.behindOf()})
}
