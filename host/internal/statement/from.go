package statement

import "github.com/loam-data/loam/sdk/dialect"

// from reads the relations of a block.
func (p *parser) from(b *Block) {
	for !p.broken {
		p.joined(b)
		if !p.take(",") {
			return
		}
	}
}

// joined reads a relation and those that are joined to it.
func (p *parser) joined(b *Block) {
	first := len(b.Relations)
	p.relation(b)
	for !p.broken {
		at := p.i
		j, found := p.join()
		if !found {
			return
		}
		j.at = p.offset(at)
		j.begin = len(b.Relations)
		p.relation(b)
		j.end = len(b.Relations)
		j.optional(b, first)
		switch {
		case p.takeWord(wOn):
			j.on = p.expression()
		case p.takeWord(wUsing):
			j.using = p.using()
		}
		b.joined = append(b.joined, j.joining)
	}
}

// using reads the columns of USING.
func (p *parser) using() []Part {
	if p.at("(") {
		return p.nameList()
	}
	name, ok := p.name() // some engines take one without brackets
	if !ok {
		p.unexpected()
	}
	return []Part{name}
}

// joinKind is a join with the sides of which it keeps all rows.
type joinKind struct {
	joining
	left, right bool
}

// optional marks the relations of which a join adds NULL rows.
func (j *joinKind) optional(b *Block, first int) {
	if j.left {
		for _, r := range b.Relations[j.begin:j.end] {
			r.Optional = true
		}
	}
	if j.right {
		for _, r := range b.Relations[first:j.begin] {
			r.Optional = true
		}
	}
	j.outer = j.left || j.right
}

// relation reads a table, a query in parentheses, a function or a join in parentheses.
func (p *parser) relation(b *Block) {
	if len(b.Relations) >= maxRelations {
		p.fail("it has more than 100 tables")
		return
	}
	lateral := p.takeWord(wLateral)
	r := &Relation{Start: p.offset(p.i)}
	switch {
	case lateral && p.at("("):
		p.fail("a LATERAL query is not read")
		return
	case p.word(p.i) == wOnly && p.kind(p.i+1) == dialect.TokenWord && p.word(p.i+1) == 0:
		p.fail("ONLY leaves tables out")
		return
	case p.at("(") && p.opensQuery(p.i):
		if inner := p.i + 1; p.is(inner, "(") && !p.whollyQuery(p.i) {
			p.bracketed(b)
			return
		}
		r.query = p.inBrackets()
	case p.at("("):
		p.bracketed(b)
		return
	case p.word(p.i) == wValues && p.is(p.i+1, "("):
		p.i++
		p.rows()
		r.Function = true
	case p.kind(p.i) == dialect.TokenString:
		if !p.d.Lexis.StringTables {
			p.unexpected()
			return
		}
		r.Function = true
		p.i++
	case p.word(p.i) != 0 && p.clause(p.i):
		p.unexpected()
		return
	case p.kind(p.i) == dialect.TokenParameter:
		p.fail("a parameter stands for a table")
		return
	default:
		if r.Name = p.path(); r.Name == nil {
			return
		}
		if p.at("(") {
			r.Function = true
			p.arguments(nil)
		}
	}
	b.Relations = append(b.Relations, r)
	p.behind(b, r)
}

// table reads the relation of TABLE name.
func (p *parser) table(b *Block) {
	r := &Relation{Start: p.offset(p.i), Name: p.path()}
	b.Relations = append(b.Relations, r)
}

// whollyQuery reports whether the bracket at token i, which opens with another one, has a query
// with set operations in it and no join.
func (p *parser) whollyQuery(i int) bool {
	behind := int(p.close[i+1]) + 1
	if p.is(i+1, "(") && behind == int(p.close[i]) {
		return p.is(i+2, "(") && p.whollyQuery(i+1) || !p.is(i+2, "(")
	}
	switch p.word(behind) {
	case wUnion, wIntersect, wExcept, wMinus, wOrder, wLimit:
		return true
	}
	return false
}

// bracketed reads a join in parentheses.
func (p *parser) bracketed(b *Block) {
	last := int(p.close[p.i])
	p.i++
	if !p.deeper() {
		return
	}
	p.from(b)
	p.depth--
	if p.i != last {
		p.unexpected()
		return
	}
	p.i++
	if p.word(p.i) == wAs || p.aliasOfTable() {
		p.fail("a join has a name")
	}
}

// clause reports whether the word at i begins a clause, so that it is no table.
func (p *parser) clause(i int) bool {
	switch p.word(i) {
	case wWhere, wGroup, wHaving, wOrder, wLimit, wOn, wUsing, wUnion, wExcept, wIntersect, wSelect, wFrom, wJoin, wInner, wCross, wNatural, wWith, wTable:
		return true
	}
	return false
}

// behind reads what may follow a relation: its name, its columns, hints.
func (p *parser) behind(b *Block, r *Relation) {
	for !p.broken {
		switch w := p.word(p.i); {
		case w == wFinal:
			p.i++
		case w == wAs:
			if p.named(p.i+1, "OF") {
				p.unexpected()
				return
			}
			p.i++
			r.Alias = p.alias()
			p.columnNames(r)
		case w == wSample || w == wTablesample || p.named(p.i, "PARTITION") && p.is(p.i+1, "("):
			b.whole = false
			p.sample()
		case w == wFor || w == wPivot || w == wUnpivot || w == wMatchRecognize || w == wAt && p.is(p.i+1, "(") || p.named(p.i, "BEFORE") && p.is(p.i+1, "("):
			p.unexpected()
			return
		case w == wWith && p.is(p.i+1, "("):
			p.i++
			p.skip()
		case w == wWith && p.named(p.i+1, "ORDINALITY"):
			p.i += 2
		case w == wWith && p.word(p.i+1) == wOffset:
			p.unexpected()
			return
		case (w == wUse || w == wForce || w == wIgnore) && (p.named(p.i+1, "INDEX") || p.named(p.i+1, "KEY")):
			p.hint()
		case p.named(p.i, "INDEXED") && p.word(p.i+1) == wBy:
			p.i += 3
		case w == wNot && p.named(p.i+1, "INDEXED"):
			p.i += 2
		case r.Alias.Text == "" && p.aliasOfTable():
			r.Alias = p.alias()
			p.columnNames(r)
		default:
			return
		}
	}
}

// aliasOfTable reports whether a name of a relation follows.
func (p *parser) aliasOfTable() bool {
	switch p.kind(p.i) {
	case dialect.TokenQuoted, dialect.TokenString:
		return true
	case dialect.TokenWord:
		switch p.word(p.i) {
		case 0, wFirst, wMatch, wRow, wTop, wMod, wDiv, wFilter, wOnly, wRespect, wOption, wGlob, wRegexp, wInterval, wDesc, wAt, wMinus, wIsnull, wNotnull:
			return p.word(p.i) != wMinus
		}
	}
	return false
}

// columnNames reads (a, b) behind the name of a relation.
func (p *parser) columnNames(r *Relation) {
	if p.at("(") {
		r.names = p.nameList()
	}
}

// sample passes over SAMPLE 0.1 OFFSET 0.5, TABLESAMPLE BERNOULLI (10) REPEATABLE (1), PARTITION (p).
func (p *parser) sample() {
	p.i++
	for !p.broken {
		switch {
		case p.at("("):
			p.skip()
		case p.kind(p.i) == dialect.TokenNumber || p.at("/"), p.named(p.i, "BERNOULLI"), p.named(p.i, "SYSTEM"), p.named(p.i, "REPEATABLE"),
			p.named(p.i, "RESERVOIR"), p.word(p.i) == wRow && p.is(p.i+1, "("), p.at("%"):
			p.i++
		case p.word(p.i) == wOffset && p.kind(p.i+1) == dialect.TokenNumber:
			p.i += 2
		default:
			return
		}
	}
}

// hint passes over USE INDEX FOR JOIN (a, b).
func (p *parser) hint() {
	p.i += 2
	if p.takeWord(wFor) {
		for p.word(p.i) == wJoin || p.word(p.i) == wOrder || p.word(p.i) == wGroup || p.word(p.i) == wBy {
			p.i++
		}
	}
	if !p.at("(") {
		p.unexpected()
		return
	}
	p.skip()
}

// join moves past the words of a join.
func (p *parser) join() (j joinKind, found bool) {
	start := p.i
	for !p.broken {
		switch p.word(p.i) {
		case wNatural:
			j.natural = true
		case wLeft:
			j.left = true
		case wRight:
			j.right = true
		case wFull:
			j.left, j.right = true, true
		case wSemi, wAnti, wAny, wCross, wInner, wOuter, wGlobal, wAll:
		case wAsof, wPositional, wArray:
			if p.i > start || p.word(p.i+1) == wJoin || p.word(p.i+1) == wLeft || p.word(p.i+1) == wInner {
				p.unexpected()
			}
			return j, false
		case wApply:
			if p.i > start {
				p.fail("APPLY is not read")
			}
			return j, false
		case wJoin, wStraightJoin:
			p.i++
			return j, true
		default:
			if p.i > start {
				p.unexpected()
			}
			return j, false
		}
		p.i++
	}
	return j, false
}
