package statement

import (
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// call reads the arguments of a function and what may follow them.
func (p *parser) call(start int, name []Part) *Expr {
	function := strings.ToLower(name[len(name)-1].Text)
	e := p.node(Expr{Kind: Call, Name: []Part{{Text: function}}, Start: p.offset(start)})
	switch function {
	case "cast", "try_cast", "safe_cast", "convert", "try_convert", "parse", "try_parse":
		p.cast(e)
	case "json_table", "xmltable", "openjson", "columns", "struct", "xmlelement", "xmlforest":
		p.doubt(function + " has a syntax of its own")
		p.skip()
	default:
		p.arguments(e)
	}
	for p.at("(") && !p.broken { // quantile(0.5)(x)
		parameters := e.Args
		e.Args = nil
		p.arguments(e)
		e.Args = append(e.Args, parameters...)
	}
	p.afterCall(e)
	if p.broken {
		return nil
	}
	e.End = p.behindOf()
	if p.block != nil {
		p.block.calls = append(p.block.calls, e)
	}
	return e
}

// afterCall reads WITHIN GROUP, FILTER, OVER and their like.
func (p *parser) afterCall(e *Expr) {
	for !p.broken {
		switch w := p.word(p.i); {
		case w == wWithin && p.word(p.i+1) == wGroup && p.is(p.i+2, "("):
			p.i += 2
			e.Ordered = true
			p.window()
		case w == wFilter && p.is(p.i+1, "("):
			last := int(p.close[p.i+1])
			p.i += 2
			p.takeWord(wWhere)
			e.Filter = p.expression()
			if p.i != last {
				p.unexpected()
				return
			}
			p.i++
		case (w == wIgnore || w == wRespect) && p.word(p.i+1) == wNulls:
			p.i += 2
		case p.named(p.i, "AGAINST") && p.is(p.i+1, "("):
			p.i++
			p.skip()
		case w == wFrom && (p.word(p.i+1) == wFirst || p.named(p.i+1, "LAST")):
			p.i += 2
		case w == wOver:
			p.i++
			e.Window = true
			if p.at("(") {
				p.window()
			} else if _, ok := p.name(); !ok {
				p.unexpected()
			}
			return
		default:
			return
		}
	}
}

// separator moves past a comma, or a word that stands between the arguments of some functions.
func (p *parser) separator() bool {
	switch p.word(p.i) {
	case wFrom, wFor, wIn, wUsing, wAs:
		p.i++
		return true
	}
	if p.named(p.i, "PLACING") || p.named(p.i, "SEPARATOR") {
		p.i++
		return true
	}
	return p.take(",")
}

// arguments reads what stands between the brackets of a call; e is nil when nobody asks for them.
func (p *parser) arguments(e *Expr) {
	if e == nil {
		e = &Expr{}
	}
	last := int(p.close[p.i])
	p.i++
	if !p.deeper() {
		return
	}
	defer func() { p.depth-- }()
	for p.i < last && !p.broken {
		switch w := p.word(p.i); {
		case w == wDistinct:
			p.i++
			e.Distinct = true
			continue
		case w == wAll && !p.is(p.i+1, "("):
			p.i++
			continue
		case p.named(p.i, "BOTH") || p.named(p.i, "LEADING") || p.named(p.i, "TRAILING"):
			if p.i++; p.word(p.i) == wFrom {
				p.i++
			}
			continue
		case w == wOrder && p.word(p.i+1) == wBy:
			p.i += 2
			e.Ordered = true
			p.keys()
			continue
		case w == wSelect || w == wWith:
			p.bareQuery(e, last)
			return
		case w == wLimit || w == wHaving:
			p.i++
			if w == wHaving {
				p.i++
			}
			p.expression()
			continue
		case (w == wIgnore || w == wRespect) && p.word(p.i+1) == wNulls:
			p.i += 2
			continue
		case p.named(p.i, "SEPARATOR"):
			p.i++
			continue
		}
		if (p.is(p.i+1, "=>") || p.is(p.i+1, ":=")) && p.kind(p.i) == dialect.TokenWord {
			p.i += 2
		}
		p.argument(e)
		if p.i < last && !p.broken && !p.separator() && !p.argumentAhead() {
			p.unexpected()
		}
	}
	p.i = last + 1
}

// argumentAhead reports whether something follows that the loop of arguments reads.
func (p *parser) argumentAhead() bool {
	switch w := p.word(p.i); w {
	case wOrder, wLimit, wHaving, wIgnore, wRespect:
		return true
	}
	return false
}

// argument reads one argument.
func (p *parser) argument(e *Expr) {
	from := 0
	if p.block != nil {
		from = len(p.block.refs)
	}
	var a *Expr
	switch start := p.i; {
	case p.lambda():
		a = p.lambdaBody(start, 0)
	case p.word(p.i) == wFrom || p.word(p.i) == wUsing:
		return
	case e.Name != nil && e.Name[0].Text == "position":
		a = p.operand()
	default:
		a = p.expression()
	}
	if a == nil {
		return
	}
	if p.block != nil && a.Kind == Ref && from < len(p.block.refs) {
		a.argument = true
	}
	if p.takeWord(wAs) { // a name or a type within the call
		p.typeName()
	}
	e.Args = append(e.Args, a)
}

// keys reads sort keys.
func (p *parser) keys() {
	for !p.broken {
		if p.expression() == nil {
			return
		}
		p.direction()
		if !p.take(",") {
			return
		}
	}
}

// bareQuery reads a query that is the argument of a function: ARRAY(SELECT …).
func (p *parser) bareQuery(e *Expr, last int) {
	block := p.block
	q := p.query()
	if !p.broken && p.i != last {
		p.unexpected()
	}
	if block != nil {
		block.queries = append(block.queries, q)
	}
	p.block, p.broken, p.i = block, false, last+1
	e.Args = append(e.Args, p.node(Expr{Kind: Subquery, query: q}))
}

// cast reads CAST(x AS type), CONVERT(x, type), CONVERT(type, x) and CONVERT(x USING charset).
func (p *parser) cast(e *Expr) {
	last := int(p.close[p.i])
	p.i++
	if !p.deeper() {
		return
	}
	defer func() { p.depth-- }()
	if e.Name[0].Text != "cast" && p.typeFirst() {
		p.typeName()
		if !p.take(",") {
			p.unexpected()
			return
		}
	}
	if a := p.expression(); a != nil {
		e.Args = append(e.Args, a)
	}
	if !p.broken && !p.at(")") && !p.at(",") && p.word(p.i) != wAs && p.word(p.i) != wUsing {
		p.unexpected()
		return
	}
	if !p.broken {
		p.i = last + 1
	}
}

// convertible are the types that CONVERT may begin with.
var convertible = setOf(`int bigint smallint tinyint bit decimal numeric money smallmoney float real date datetime datetime2 smalldatetime
	datetimeoffset time char varchar nchar nvarchar text ntext binary varbinary uniqueidentifier xml`)

// typeFirst reports whether a type follows, and then a comma.
func (p *parser) typeFirst() bool {
	if p.kind(p.i) != dialect.TokenWord || !convertible().has(p.tokens[p.i].Text(p.text)) {
		return false
	}
	i := p.i + 1
	if p.is(i, "(") {
		i = int(p.close[i]) + 1
	}
	return p.is(i, ",")
}

// lambda reports whether x -> or x, y) -> follows.
func (p *parser) lambda() bool {
	i := p.i
	if p.kind(i) != dialect.TokenWord {
		return false
	}
	if p.is(i+1, "->") {
		return p.kind(i+2) != dialect.TokenString && p.kind(i+2) != dialect.TokenNumber && p.kind(i+2) != dialect.TokenParameter
	}
	if i == 0 || !p.is(i-1, "(") {
		return false
	}
	closing := int(p.close[i-1])
	return p.is(closing+1, "->") && p.plainNames(i, closing)
}

// plainNames reports whether tokens are names with commas between them.
func (p *parser) plainNames(i, last int) bool {
	for ; i < last; i++ {
		if p.kind(i) != dialect.TokenWord && !p.is(i, ",") {
			return false
		}
	}
	return true
}

// lambdaBody reads a lambda function. Its parameters are no columns.
func (p *parser) lambdaBody(start, closing int) *Expr {
	var parameters []string
	for last := max(closing, p.i+1); p.i < last; p.i++ {
		if p.kind(p.i) == dialect.TokenWord {
			parameters = append(parameters, p.tokens[p.i].Text(p.text))
		}
	}
	if closing > 0 {
		p.i++
	}
	p.i++ // ->
	from := 0
	if p.block != nil {
		from = len(p.block.refs)
	}
	body := p.expression()
	if body == nil || p.block == nil {
		return body
	}
	for _, r := range p.block.refs[from:] {
		for _, name := range parameters {
			if r.Name[0].Text == name {
				r.local = true
			}
		}
	}
	return p.other(start, body)
}

// window reads the brackets of OVER or WITHIN GROUP.
func (p *parser) window() {
	last := int(p.close[p.i])
	p.i++
	if !p.deeper() {
		return
	}
	defer func() { p.depth-- }()
	for p.i < last && !p.broken {
		switch {
		case p.named(p.i, "PARTITION") && p.word(p.i+1) == wBy || p.word(p.i) == wOrder && p.word(p.i+1) == wBy:
			p.i += 2
			p.keys()
		case p.named(p.i, "ROWS") || p.named(p.i, "RANGE") || p.named(p.i, "GROUPS"):
			p.i = last
		case p.kind(p.i) == dialect.TokenWord && p.word(p.i) == 0: // the name of another window
			p.i++
		default:
			p.unexpected()
			return
		}
	}
	p.i = last + 1
}
