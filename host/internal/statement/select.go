package statement

import "github.com/loam-data/loam/sdk/dialect"

// begin begins a block at the next token.
func (p *parser) begin(parent *Block) *Block {
	b := &Block{Parent: parent, Start: p.offset(p.i), whole: true}
	p.statement.Blocks = append(p.statement.Blocks, b)
	p.block = b
	return b
}

// selectBlock reads a SELECT with its clauses but those that may belong to a set operation.
func (p *parser) selectBlock(parent *Block) *Block {
	b := p.begin(parent)
	p.i++
	p.modifiers(b)
	p.items(b)
	if p.word(p.i) == wInto {
		p.unexpected()
	}
	if p.takeWord(wFrom) {
		p.from(b)
	}
	for !p.broken {
		switch p.word(p.i) {
		case wPrewhere, wWhere:
			p.i++
			if e := p.expression(); e != nil {
				b.filters = append(b.filters, e)
			}
		case wGroup:
			p.i++
			p.grouping(b)
		case wHaving, wQualify:
			if p.word(p.i) == wQualify {
				p.doubt("QUALIFY chooses rows by windows")
			}
			p.i++
			b.whole = false
			p.expression()
		case wWindow:
			p.i++
			p.windows()
		default:
			return b
		}
	}
	return b
}

// modifiers reads what may stand between SELECT and the first column.
func (p *parser) modifiers(b *Block) {
	for !p.broken {
		switch w := p.word(p.i); {
		case w == wAll:
			p.i++
		case w == wDistinct || p.named(p.i, "DISTINCTROW"):
			b.Distinct = true
			if p.i++; p.takeWord(wOn) {
				p.expression()
			}
		case w == wTop && (p.is(p.i+1, "(") || p.kind(p.i+1) == dialect.TokenNumber):
			b.whole = false
			if p.i++; p.at("(") {
				p.skip()
			} else {
				p.i++
			}
			for p.named(p.i, "PERCENT") || p.word(p.i) == wWith && p.named(p.i+1, "TIES") {
				p.i++
				if p.named(p.i, "TIES") {
					p.i++
				}
			}
		case p.named(p.i, "STRAIGHT_JOIN") || p.named(p.i, "SQL_NO_CACHE") || p.named(p.i, "SQL_BIG_RESULT") || p.named(p.i, "SQL_SMALL_RESULT") || p.named(p.i, "SQL_CALC_FOUND_ROWS") || p.named(p.i, "HIGH_PRIORITY"):
			p.i++
		case w == wAs && (p.named(p.i+1, "STRUCT") || p.named(p.i+1, "VALUE")):
			p.i += 2
			p.doubt("its rows are structures")
		default:
			return
		}
	}
}

// items reads the columns of a SELECT.
func (p *parser) items(b *Block) {
	for !p.broken {
		if p.word(p.i) == wFrom && !p.is(p.i+1, ".") { // a comma at the end of the list, or no column at all
			return
		}
		e := p.expression()
		if e == nil {
			return
		}
		item := Item{Expr: e}
		switch {
		case p.takeWord(wAs):
			item.Alias = p.alias()
		case p.aliasAhead():
			item.Alias = p.alias()
		}
		b.Items = append(b.Items, item)
		if !p.take(",") {
			return
		}
	}
}

// alias reads a name that may be written as a string.
func (p *parser) alias() Part {
	if p.kind(p.i) == dialect.TokenString {
		p.i++
		return Part{Text: p.d.Unquote(p.text, p.tokens[p.i-1]), Quoted: true}
	}
	name, ok := p.name()
	if !ok {
		p.unexpected()
	}
	return name
}

// aliasAhead reports whether a name follows that is no word of a clause.
func (p *parser) aliasAhead() bool {
	switch p.kind(p.i) {
	case dialect.TokenQuoted, dialect.TokenString:
		return true
	case dialect.TokenWord:
		switch p.word(p.i) {
		case 0, wFirst, wAny, wMatch, wRow, wTop, wMod, wDiv, wFilter, wMaterialized, wOnly, wPositional, wSemi, wAnti, wFormat, wSample, wAt,
			wRespect, wAsof, wOption, wIgnore, wForce, wApply, wGlob, wGlobal, wRegexp, wArray, wInterval, wDesc, wTable, wUse:
			return !p.named(p.i, "OFFSET")
		}
	}
	return false
}

// grouping reads what follows GROUP.
func (p *parser) grouping(b *Block) {
	if !p.takeWord(wBy) {
		p.unexpected()
		return
	}
	if p.word(p.i) == wAll {
		p.i++
		p.rollups(b)
		return
	}
	p.takeWord(wDistinct)
	for !p.broken {
		if p.named(p.i, "GROUPING") && p.named(p.i+1, "SETS") {
			p.i += 2
			b.whole = false
			if !p.at("(") {
				p.unexpected()
				return
			}
			p.sets()
		} else {
			e := p.expression()
			if e == nil {
				return
			}
			b.Groups = append(b.Groups, e)
		}
		if !p.take(",") {
			break
		}
	}
	p.rollups(b)
}

// sets reads the brackets of GROUPING SETS.
func (p *parser) sets() {
	last := int(p.close[p.i])
	p.i++
	for p.i < last && !p.broken {
		switch {
		case p.at("(") && p.is(p.i+1, ")"):
			p.i += 2
		default:
			if p.expression() == nil {
				return
			}
		}
		p.take(",")
	}
	p.i = last + 1
}

// rollups passes over WITH ROLLUP and its like.
func (p *parser) rollups(b *Block) {
	for p.word(p.i) == wWith && (p.named(p.i+1, "ROLLUP") || p.named(p.i+1, "CUBE") || p.named(p.i+1, "TOTALS")) {
		p.i += 2
		b.whole = false
	}
}

// windows reads w AS (…), v AS (…).
func (p *parser) windows() {
	for !p.broken {
		if _, ok := p.name(); !ok || !p.takeWord(wAs) || !p.at("(") {
			p.unexpected()
			return
		}
		p.window()
		if !p.take(",") {
			return
		}
	}
}

// tail reads ORDER BY, LIMIT and what else may follow a query.
func (p *parser) tail(q *query) {
	// The block that a fault here belongs to, and whose columns sort keys may name.
	if len(q.branches) == 1 && q.branches[0].block != nil {
		p.block = q.branches[0].block
	}
	for !p.broken {
		switch w := p.word(p.i); {
		case w == wOrder && p.word(p.i+1) == wBy:
			p.i += 2
			p.orderBy(q)
		case w == wLimit || w == wOffset || w == wFetch:
			p.i++
			p.limit(q)
		case w == wFor || w == wUsing && p.named(p.i+1, "SAMPLE") || w == wInto:
			p.unexpected()
		case w == wSettings || w == wOption:
			p.i++
			p.settings()
		case w == wFormat && p.kind(p.i+1) == dialect.TokenWord:
			p.i += 2
		case w == wWith && (p.named(p.i+1, "TOTALS") || p.named(p.i+1, "TIES")):
			p.i += 2
		default:
			return
		}
	}
}

// orderBy reads sort keys.
func (p *parser) orderBy(q *query) {
	if p.word(p.i) == wAll {
		p.i++
	}
	for !p.broken && p.kind(p.i) != end && !p.at(")") {
		single := len(q.branches) == 1 && q.branches[0].block != nil
		refs := 0
		if p.block != nil {
			refs = len(p.block.refs)
		}
		e := p.expression()
		if e == nil {
			return
		}
		if !single && p.block != nil { // they name columns of the result, not of a table
			p.block.refs = p.block.refs[:min(refs, len(p.block.refs))]
		}
		p.direction()
		if !p.take(",") {
			return
		}
	}
}

// direction passes over ASC NULLS FIRST and its like.
func (p *parser) direction() {
	for {
		switch w := p.word(p.i); {
		case w == wAsc || w == wDesc:
			p.i++
		case w == wNulls && (p.word(p.i+1) == wFirst || p.named(p.i+1, "LAST")):
			p.i += 2
		case w == wUsing && p.kind(p.i+1) == dialect.TokenOperator:
			p.i += 2
		case w == wWith && p.named(p.i+1, "FILL"):
			p.i += 2
			for p.word(p.i) == wFrom || p.named(p.i, "TO") || p.named(p.i, "STEP") {
				p.i++
				p.expression()
			}
		default:
			return
		}
	}
}

// limit reads what follows LIMIT, OFFSET or FETCH.
func (p *parser) limit(q *query) {
	for _, b := range q.branches {
		if b.block != nil {
			b.block.whole = b.block.whole && len(b.block.Groups) > 0
		}
	}
	for p.word(p.i) == wFirst || p.named(p.i, "NEXT") || p.named(p.i, "ROWS") || p.word(p.i) == wRow || p.named(p.i, "ONLY") {
		p.i++
	}
	if p.word(p.i) == wAll {
		p.i++
	} else if p.kind(p.i) != end && p.word(p.i) == 0 || p.word(p.i) == wNull {
		p.expression()
	}
	if p.take(",") {
		p.expression()
	}
	p.take("%")
	for p.word(p.i) == wRow || p.named(p.i, "ROWS") || p.named(p.i, "PERCENT") || p.word(p.i) == wOnly || p.word(p.i) == wWith && p.named(p.i+1, "TIES") {
		if p.takeWord(wWith) {
			p.i++
			continue
		}
		p.i++
	}
	if p.takeWord(wBy) { // LIMIT 1 BY …
		if len(q.branches) == 1 && q.branches[0].block != nil {
			q.branches[0].block.whole = false
		}
		for {
			if p.expression() == nil || !p.take(",") {
				return
			}
		}
	}
}

// settings passes over a = 1, b = 2, or a list in brackets.
func (p *parser) settings() {
	if p.at("(") {
		p.skip()
		return
	}
	for p.kind(p.i) == dialect.TokenWord && p.is(p.i+1, "=") {
		p.i += 3
		if !p.take(",") {
			return
		}
	}
}
