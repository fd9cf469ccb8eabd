package statement

import (
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// parser reads the tokens of a text once, from left to right. After a fault it is at the end,
// so that all that is being read ends, until a bracket around it takes over again.
type parser struct {
	text      string
	d         *dialect.Dialect
	tokens    []dialect.Token
	words     []word
	close     []int32 // by opening bracket
	i         int
	depth     int
	broken    bool
	block     *Block
	statement *Statement
	arena     []Expr
	pipes     bool // || may be OR
}

// end is the kind of the token behind the last one.
const end dialect.TokenKind = 0

func (p *parser) kind(i int) dialect.TokenKind {
	if p.broken || uint(i) >= uint(len(p.tokens)) {
		return end
	}
	return p.tokens[i].Kind
}

func (p *parser) word(i int) word {
	if p.broken || uint(i) >= uint(len(p.tokens)) {
		return 0
	}
	return p.words[i]
}

func (p *parser) is(i int, operator string) bool {
	return p.kind(i) == dialect.TokenOperator && p.tokens[i].Is(p.text, operator)
}

func (p *parser) at(operator string) bool { return p.is(p.i, operator) }

// take moves past an operator, if it is next.
func (p *parser) take(operator string) bool {
	if p.at(operator) {
		p.i++
		return true
	}
	return false
}

// takeWord moves past a word, if it is next.
func (p *parser) takeWord(w word) bool {
	if p.word(p.i) == w {
		p.i++
		return true
	}
	return false
}

// named reports whether token i is this word, in upper case, which the grammar has no constant of.
func (p *parser) named(i int, upper string) bool {
	return p.kind(i) == dialect.TokenWord && p.tokens[i].IsWord(p.text, upper)
}

func (p *parser) offset(i int) int {
	if uint(i) < uint(len(p.tokens)) {
		return int(p.tokens[i].Start)
	}
	return len(p.text)
}

// fail marks the current block as not understood.
func (p *parser) fail(reason string) {
	if p.broken {
		return
	}
	if p.block != nil {
		p.doubt(reason)
	} else {
		p.statement.Reason = reason
	}
	p.broken = true
}

// unexpected fails with the next token.
func (p *parser) unexpected() {
	if p.broken {
		return
	}
	if p.kind(p.i) == end {
		p.fail("it ends too early")
		return
	}
	t := p.tokens[p.i].Text(p.text)
	if len(t) > 40 {
		t = strings.ToValidUTF8(t[:40], "") + "…"
	}
	p.fail(t + " is not expected there")
}

// doubt marks the current block as not understood and reads on.
func (p *parser) doubt(reason string) {
	if p.block != nil && p.block.Reason == "" {
		p.block.Reason = reason
	}
}

// deeper enters one more level; false = that is too deep.
func (p *parser) deeper() bool {
	if p.depth++; p.depth > MaxDepth {
		p.depth--
		p.fail("it nests too deeply")
		return false
	}
	return true
}

// skip moves behind the bracket that is next.
func (p *parser) skip() { p.i = int(p.close[p.i]) + 1 }

// whole reads the text as one query.
func (p *parser) whole() *query {
	q := p.query()
	p.take(";")
	if !p.broken && p.i < len(p.tokens) {
		p.block = nil
		if len(p.statement.Blocks) == 0 {
			p.fail("it is no SELECT")
		} else {
			last := p.statement.Blocks[len(p.statement.Blocks)-1]
			for i := range q.branches {
				if b := q.branches[i].block; b != nil {
					last = b
				}
			}
			p.block = last
			p.unexpected()
		}
	}
	if len(p.statement.Blocks) == 0 {
		p.statement.Reason = "it is no SELECT"
	}
	return q
}

// inBrackets reads a query between brackets, the first of which is next. A fault in it is its
// own: what stands around it is read on.
func (p *parser) inBrackets() *query {
	last, block := int(p.close[p.i]), p.block
	p.i++
	q := p.query()
	if !p.broken && p.i != last {
		p.unexpected()
	}
	if p.broken && p.depth <= MaxDepth {
		p.broken = false
	}
	p.i, p.block = last+1, block
	return q
}

// opensQuery reports whether the bracket at token i opens a query, through further brackets.
func (p *parser) opensQuery(i int) bool {
	for p.is(i, "(") {
		i++
	}
	switch p.word(i) {
	case wSelect, wWith, wFrom:
		return true
	case wValues:
		return p.is(i+1, "(")
	case wTable:
		return p.kind(i+1) == dialect.TokenWord && !p.is(i+2, "(")
	}
	return false
}

// query reads [WITH …] SELECT … [UNION …] [ORDER BY …] [LIMIT …].
func (p *parser) query() *query {
	q := &query{parent: p.block}
	if !p.deeper() {
		return q
	}
	defer func() { p.depth-- }()
	if p.takeWord(wWith) {
		p.with(q)
	}
	p.branch(q)
	for p.setOperator() {
		p.branch(q)
	}
	if len(q.branches) > 1 {
		for _, b := range q.branches {
			if b.block != nil {
				b.block.whole = false
			}
		}
	}
	if !p.broken {
		p.tail(q)
	}
	return q
}

// setOperator moves past UNION ALL and its like.
func (p *parser) setOperator() bool {
	switch w := p.word(p.i); w {
	case wUnion, wIntersect, wExcept, wMinus:
		p.i++
		for p.word(p.i) == wAll || p.word(p.i) == wDistinct {
			p.i++
		}
		if p.word(p.i) == wBy && p.named(p.i+1, "NAME") {
			p.i += 2
			p.doubt("columns are matched by name")
		}
		return true
	}
	return false
}

// branch reads a SELECT, VALUES, TABLE or a query in parentheses.
func (p *parser) branch(q *query) {
	switch {
	case p.at("("):
		inner := p.inBrackets()
		q.branches = append(q.branches, branch{query: inner})
	case p.word(p.i) == wSelect:
		q.branches = append(q.branches, branch{block: p.selectBlock(q.parent)})
	case p.word(p.i) == wValues:
		p.i++
		p.rows()
		q.branches = append(q.branches, branch{rows: true})
	case p.word(p.i) == wTable:
		b := p.begin(q.parent)
		p.i++
		b.Items = []Item{{Expr: p.node(Expr{Kind: Star})}}
		p.table(b)
		q.branches = append(q.branches, branch{block: b})
	case p.word(p.i) == wFrom:
		p.begin(q.parent)
		p.fail("it begins with FROM")
	default:
		p.unexpected()
	}
}

// rows reads (1, 'a'), (2, 'b').
func (p *parser) rows() {
	for {
		p.takeWord(wRow)
		if !p.at("(") {
			p.unexpected()
			return
		}
		p.skip()
		if !p.take(",") {
			return
		}
	}
}

// with reads the tables of a WITH.
func (p *parser) with(q *query) {
	recursive := p.takeWord(wRecursive)
	for !p.broken {
		l := &local{recursive: recursive}
		if p.d.Guard.ExpressionWith && !p.localAhead() {
			p.fail("WITH names an expression")
			return
		} else if !p.localQuery(q, l) {
			return
		}
		if !p.take(",") {
			return
		}
	}
}

// localAhead reports whether name [(…)] AS [MATERIALIZED] ( is next.
func (p *parser) localAhead() bool {
	i := p.i
	if k := p.kind(i); k != dialect.TokenWord && k != dialect.TokenQuoted {
		return false
	}
	if i++; p.is(i, "(") {
		i = int(p.close[i]) + 1
	}
	return p.word(i) == wAs && (p.opensQuery(i+1) || p.word(i+1) == wMaterialized || p.word(i+1) == wNot)
}

// localQuery reads one common table expression.
func (p *parser) localQuery(q *query, l *local) bool {
	name, ok := p.name()
	if !ok {
		p.unexpected()
		return false
	}
	l.name = name
	if p.at("(") {
		l.columns = p.nameList()
	}
	if !p.takeWord(wAs) {
		p.unexpected()
		return false
	}
	p.takeWord(wNot)
	p.takeWord(wMaterialized)
	if !p.at("(") {
		p.unexpected()
		return false
	}
	block := p.block
	p.block = nil
	l.query = p.inBrackets()
	p.block = block
	q.with = append(q.with, l)
	for p.named(p.i, "SEARCH") || p.named(p.i, "CYCLE") {
		p.unexpected()
	}
	return !p.broken
}

// name reads one name.
func (p *parser) name() (Part, bool) {
	switch p.kind(p.i) {
	case dialect.TokenWord:
		p.i++
		return Part{Text: p.tokens[p.i-1].Text(p.text)}, true
	case dialect.TokenQuoted:
		t := p.tokens[p.i]
		if p.d.Escaped(p.text, t) {
			p.fail("a name is written with escapes")
			return Part{}, false
		}
		p.i++
		return Part{Text: p.d.Unquote(p.text, t), Quoted: true}, true
	}
	return Part{}, false
}

// nameList reads (a, b, c); types and the like behind a name are passed over.
func (p *parser) nameList() (all []Part) {
	last := int(p.close[p.i])
	p.i++
	for p.i < last && !p.broken {
		name, ok := p.name()
		if !ok {
			p.unexpected()
			return nil
		}
		all = append(all, name)
		for p.i < last && !p.at(",") {
			if p.at("(") || p.at("[") {
				p.skip()
			} else {
				p.i++
			}
		}
		p.take(",")
	}
	p.i = last + 1
	return all
}

// path reads a.b.c; parts behind a dot may be any word.
func (p *parser) path() []Part {
	first, ok := p.name()
	if !ok {
		p.unexpected()
		return nil
	}
	all := append(make([]Part, 0, 3), first)
	for p.at(".") && (p.kind(p.i+1) == dialect.TokenWord || p.kind(p.i+1) == dialect.TokenQuoted) {
		p.i++
		part, ok := p.name()
		if !ok {
			return nil
		}
		all = append(all, part)
	}
	return all
}

// node returns a new expression.
func (p *parser) node(e Expr) *Expr {
	if len(p.arena) == cap(p.arena) {
		p.arena = make([]Expr, 0, min(32, max(8, 2*cap(p.arena))))
	}
	p.arena = append(p.arena, e)
	return &p.arena[len(p.arena)-1]
}
