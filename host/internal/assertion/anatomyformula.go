package assertion

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// classify says of each part that is left what it is in the calculation, and joins expressions.
func (a *anatomy) classify() {
	for i := range a.all {
		p := &a.all[i]
		if p.kind != unknownPart {
			continue
		}
		switch {
		case p.number():
			p.kind = numberPart
		case strings.Contains("/*+", p.text):
			p.kind = dividePart
		case strings.Contains(p.text, "("):
			p.kind = callPart
			if p.text == "(" {
				p.kind = signPart
			}
		case !p.word():
			if p.quotation() == "" && !strings.ContainsAny(p.text, "-<>") {
				p.kind = signPart
			}
		default:
			a.classifyWord(i)
		}
	}
	for i := range a.all {
		if a.all[i].kind == unknownPart {
			a.addressee(i)
		}
	}
	a.expressions()
}

// addressee marks those for whom, and by whom, something is shown or named: "is reported to the investors", "is referred to
// as X by the accountants".
func (a *anatomy) addressee(from int) {
	lead := from - 1
	for lead > 0 && articles(a.all[lead].low) {
		lead--
	}
	if lead < 1 || !addressing(a.all[lead].low) {
		return
	}
	to := from
	for to < len(a.all) && to-from < 3 && a.all[to].word() && a.all[to].kind == unknownPart {
		if a.means(to) || periodic(a.all[to].low) {
			return
		}
		to++
	}
	verb := lead - 1
	by := a.all[lead].low == "by" || a.all[lead].low == "von" || a.all[lead].low == "vom"
	for by && verb > 0 && a.all[verb].kind != columnPart && a.all[verb].word() && !showingWords(a.all[verb].low) && !naming(a.all[verb].low) {
		verb--
	}
	if !showingWords(a.all[verb].low) && !(by && naming(a.all[verb].low)) || by && to < len(a.all) && a.all[to].word() && !glueWords(a.all[to].low) {
		return
	}
	for i := from; i < to; i++ {
		a.all[i].kind = gluePart
	}
}

var (
	addressing = text.Words("to by with for an von vom für")
	naming     = text.Words("called named referred known used genannt bezeichnet verwendet")
)

// eachWords make, with "once", a count one of different values: "count each country once".
var eachWords = text.Words("each every jede jeder jeden jedes")

func (a *anatomy) classifyWord(i int) {
	p := &a.all[i]
	for name, of := range aggregateWords {
		if of(p.low) {
			p.kind, p.as = aggregatePart, name
			return
		}
	}
	before := ""
	if i > 0 {
		before = a.all[i-1].low
	}
	column := a.lexicon.Column(a.identity, p.text)
	switch {
	case column != "" && (!glueWords(p.low) || strings.Contains(p.text, "_") || before == "of" || before == "von" || before == "column" || before == "spalte"):
		p.kind, p.as = columnPart, column
	case countWords(p.low):
		p.kind = countPart
	case distinctWords(p.low):
		p.kind = distinctPart
	case onceWords(p.low):
		if before == "only" || before == "nur" || before == "jeweils" || before == "counted" || slices.ContainsFunc(a.all, func(p part) bool { return eachWords(p.low) }) {
			p.kind = distinctPart
		}
	case shareWords(p.low):
		p.kind = sharePart
	case divisionWords(p.low) || p.low == "durch" || p.low == "over" && a.computesNext(i+1):
		p.kind = dividePart
	case (p.low == "per" || p.low == "je" || p.low == "pro") && i+1 < len(a.all) && a.isRows(i+1) && a.averages():
		p.kind, a.all[i+1].kind = gluePart, gluePart // the average of the rows
	case (p.low == "minus" || p.low == "abzüglich" || p.low == "less") && a.computesSoon(i+1):
		p.kind = dividePart
	case (p.low == "zu" || p.low == "to") && i+1 < len(a.all) && quantifies(a.all[i+1].low) && slices.ContainsFunc(a.all[:i], func(p part) bool { return p.low == "verhältnis" || p.low == "ratio" }):
		p.kind = dividePart // "the ratio of paid orders to all orders"
	case p.low == "verhältnis" || p.low == "ratio" || p.low == "relation" && !(i+1 < len(a.all) && a.all[i+1].low == "to"):
		if i+1 < len(a.all) && (a.all[i+1].low == "zu" || a.all[i+1].low == "zur") {
			p.kind = dividePart
		} else if slices.ContainsFunc(a.all[i:], func(p part) bool { return p.low == "zu" || p.low == "to" }) {
			p.kind = gluePart
		}
	case (p.low == "relation" || p.low == "verhältnis") && i+1 < len(a.all) && (a.all[i+1].low == "to" || a.all[i+1].low == "zu" || a.all[i+1].low == "zur"):
		p.kind = dividePart
	case (p.low == "many" && before == "how" || (p.low == "viele" || p.low == "vielen") && before == "wie"):
		p.kind = countPart
	case (p.low == "per" || p.low == "je" || p.low == "pro") && i > 0 && (onceWords(before) || i > 1 && onceWords(a.all[i-2].low)):
		p.kind = gluePart // "once per customer_id"
	case negatingWords(p.low) || excludedWords(p.low):
		// it leaves something out, and no condition says what
	case a.counted(i):
		p.kind, p.as = entityPart, a.entity(p)
	case a.isRows(i):
		p.kind = rowsPart
	case p.low == "part" && i+1 < len(a.all) && a.all[i+1].low == "of":
		// "X is part of the sum": which part is not said
	case a.isValue(i) && !speakers(before):
		// a value that no condition has: "subscriptions on team"
	case showingWords(p.low) || regular(p.low) && a.shown(i) || derivingWords(p.low) && !a.leads(i+1):
		p.kind = gluePart
	case speakers(p.low) || glueWords(p.low) || includedWords(p.low) || p.low == "over" || p.low == "across" || p.low == "among":
		p.kind = gluePart
	}
}

// computesSoon reports whether a calculation begins at one of the next parts.
func (a *anatomy) computesSoon(i int) bool {
	return slices.ContainsFunc(a.all[min(i, len(a.all)):min(i+3, len(a.all))], func(p part) bool {
		return p.low == "count" || p.low == "number" || p.low == "anzahl" || aggregateWords["sum"](p.low)
	})
}

// computesNext reports whether a calculation begins at a part: "over the number of …".
func (a *anatomy) computesNext(i int) bool {
	if i < len(a.all) && a.all[i].low == "the" {
		i++
	}
	return i < len(a.all) && (a.computes(i) || a.all[i].kind == callPart)
}

func (a *anatomy) isValue(i int) bool {
	column, _ := a.value(i)
	return column != ""
}

// shown reports whether a verb of looking at a number stands near a part: "reported every month".
func (a *anatomy) shown(i int) bool {
	return slices.ContainsFunc(a.all[max(0, i-3):min(i+4, len(a.all))], func(p part) bool { return showingWords(p.low) })
}

// leads reports whether a part is what a word before it could restrict: the rows or a column.
func (a *anatomy) leads(i int) bool { return i < len(a.all) && (a.isRows(i) || a.isColumn(i)) }

// entity returns the column of the table that refers to what a noun means: customer_id for "customers"; "" = it has none.
func (a *anatomy) entity(p *part) string {
	noun := p.low
	if english := rowNouns()[noun]; english != "" {
		noun = english
	}
	return a.lexicon.Column(a.identity, singular(noun)+"_id")
}

// averages reports whether what is computed is a value of single rows, so that "per row" changes nothing.
func (a *anatomy) averages() bool {
	for i := range a.all {
		for _, name := range []string{"avg", "median", "min", "max"} {
			if aggregateWords[name](a.all[i].low) {
				return true
			}
		}
	}
	return false
}

// expressions joins columns, calls and numbers with the operators between them: "amount_cents / 100".
func (a *anatomy) expressions() {
	operand := func(i int) bool {
		return i >= 0 && i < len(a.all) && (a.all[i].kind == columnPart || a.all[i].kind == callPart || a.all[i].kind == numberPart)
	}
	for i := range a.all {
		p := &a.all[i]
		if p.kind != dividePart || !strings.Contains("/*+", p.text) || !operand(i-1) || !operand(i+1) {
			continue
		}
		written := func(p *part) string {
			if p.as != "" {
				return p.as
			}
			return p.text
		}
		left, right := &a.all[i-1], &a.all[i+1]
		right.as = written(left) + " " + p.text + " " + written(right)
		if left.kind == callPart || right.kind == numberPart {
			right.kind = left.kind
		}
		left.kind, p.kind = gluePart, gluePart
	}
}

// tally counts what a calculation is made of.
type tally struct {
	calls, columns, aggregates []string
	count, distinct, share     bool
	named                      bool // the name says that different ones are counted: "distinct buyers"
	rows                       bool
	numbers                    []string
	// entity is the column that refers to a thing whose different ones are counted: "distinct customers".
	entity string
}

func (a *anatomy) tally(from, to int) (t tally) {
	add := func(all *[]string, s string) {
		for _, o := range *all {
			if strings.ReplaceAll(o, " ", "") == strings.ReplaceAll(s, " ", "") {
				return
			}
		}
		*all = append(*all, s)
	}
	for i := from; i < to; i++ {
		p := &a.all[i]
		as := p.as
		if as == "" {
			as = p.text
		}
		switch p.kind {
		case callPart:
			add(&t.calls, as)
		case columnPart:
			add(&t.columns, as)
		case aggregatePart:
			add(&t.aggregates, p.as)
		case countPart:
			t.count = true
		case distinctPart:
			t.distinct = true
		case sharePart:
			t.share = true
		case entityPart:
			t.entity = p.as
		case rowsPart:
			t.rows = true
		case namePart:
			t.named = t.named || distinctWords(p.low)
		case numberPart:
			t.numbers = append(t.numbers, p.text)
		}
	}
	return t
}

// formula returns the calculation of the sentence without its table and conditions; nil = it has none, or several.
func (a *anatomy) formula() *Formula {
	cut, minus, ok := a.operator()
	switch {
	case !ok:
		return nil
	case cut < 0:
		t := a.tally(0, len(a.all))
		if t.share && len(a.where) > 1 {
			return nil // "the share of active among team subscriptions": of which rows, is not certain
		}
		return t.formula(len(a.where) > 0)
	}
	top, bottom := a.tally(0, cut), a.tally(cut, len(a.all))
	if by := bottom.numbers; !minus && len(by) == 1 && len(bottom.calls)+len(bottom.columns)+len(bottom.aggregates) == 0 && !bottom.count {
		if f := top.formula(len(a.where) > 0); f != nil && f.divide(by[0]) {
			return f
		}
		return nil
	}
	if bottom.rows && !bottom.distinct && len(bottom.calls)+len(bottom.columns)+len(bottom.aggregates) == 0 {
		bottom.count = true // "in relation to all orders"
		if top.rows && !top.distinct && len(top.calls)+len(top.columns)+len(top.aggregates) == 0 {
			top.count = true // "paid orders divided by all orders"
		}
	}
	over := bottom.formula(false)
	f := top.formula(false)
	if f == nil || over == nil || f.Divisor != nil || over.Divisor != nil || f.Expr != "" && over.Expr == "" {
		return nil
	}
	if minus {
		return a.difference(f, over, cut)
	}
	above, below := a.split(cut)
	switch {
	case len(below) == 0 && (len(above) == 0 || a.restrictsTop(cut)):
		f.Divisor = over
		return f
	case len(below) == 0 && a.refersBack(cut):
		upper, lower := f.call(nil), over.call(nil)
		if upper == "" || lower == "" {
			return nil
		}
		return &Formula{Expr: upper + " / " + lower}
	}
	return nil // on which side the condition is, is not certain
}

// numbersUnread makes numbers that belong to no calculation words that are not understood: "pending for 14 days".
func (a *anatomy) numbersUnread() (any bool) {
	for i := range a.all {
		if a.all[i].kind == numberPart {
			a.all[i].kind, any = unknownPart, true
		}
	}
	return any
}

// operator returns the place between what is divided, or reduced, and by what it is; -1 = there is none.
// Shape: ok is false where there are several, or the place is not certain.
func (a *anatomy) operator() (cut int, minus, ok bool) {
	cut = -1
	around := -1 // "divide a by b"
	for i := range a.all {
		if a.all[i].kind != dividePart {
			continue
		}
		switch low := a.all[i].low; low {
		case "durch", "/", "over", "zu", "to", "minus", "abzüglich", "relation", "verhältnis", "less":
			if cut >= 0 {
				return -1, false, false
			}
			cut, minus = i, low == "minus" || low == "abzüglich" || low == "less"
		default:
			around = i
		}
	}
	if cut >= 0 || around < 0 {
		return cut, minus, true
	}
	for i := around + 1; i < len(a.all); i++ {
		if a.all[i].low == "by" && a.all[i].kind == gluePart {
			if cut >= 0 {
				return -1, false, false
			}
			cut = i
		}
	}
	return cut, false, cut >= 0
}

// split returns the conditions before and behind a part.
func (a *anatomy) split(cut int) (before, behind []Condition) {
	for i := range a.all {
		if p := &a.all[i]; p.kind == conditionPart && p.where > 0 {
			if i < cut {
				before = append(before, a.where[p.where-1])
			} else {
				behind = append(behind, a.where[p.where-1])
			}
		}
	}
	return before, behind
}

// difference writes a difference of two calculations, each with the conditions on its own side.
func (a *anatomy) difference(f, less *Formula, cut int) *Formula {
	above, below := a.split(cut)
	upper, lower := f.call(above), less.call(below)
	if upper == "" || lower == "" || len(above)+len(below) != len(a.where) {
		return nil
	}
	a.where = nil
	return &Formula{Expr: upper + " - " + lower}
}

// refersBack reports whether what is behind a division speaks of the rows before it: "of the customers who hold them".
func (a *anatomy) refersBack(cut int) bool {
	return slices.ContainsFunc(a.all[cut:], func(p part) bool {
		return p.low == "them" || p.low == "both" || p.low == "beide" || p.low == "jeweils" || p.low == "these" || p.low == "such"
	})
}

// call writes an aggregate over the rows that fulfil some conditions; "" = it cannot be written.
func (f *Formula) call(where []Condition) string {
	if f.Expr != "" || f.Divisor != nil {
		if len(where) > 0 {
			return ""
		}
		return f.Expr
	}
	var when []string
	for _, c := range where {
		text := c.Text
		if c.Excluded {
			column, value, equal := strings.Cut(text, " = ")
			if !equal {
				return ""
			}
			text = column + " IS DISTINCT FROM " + value
		}
		when = append(when, text)
	}
	of, name := f.Of, f.Aggregate
	switch {
	case name == "count" && len(when) == 0:
		return "count(*)"
	case name == "count":
		of = "1"
	}
	if len(when) > 0 {
		of = "CASE WHEN " + strings.Join(when, " AND ") + " THEN " + of + " END"
	}
	if name == "count_distinct" {
		return "count(DISTINCT " + of + ")"
	}
	return name + "(" + of + ")"
}

// restrictsTop reports whether all conditions stand before a division, and what is behind it says that it has none: "over
// the number of all orders".
func (a *anatomy) restrictsTop(cut int) bool {
	all := false
	for i := range a.all {
		if a.all[i].kind == conditionPart && i > cut {
			return false
		}
		low := a.all[i].low
		all = all || i > cut && (low == "all" || low == "alle" || low == "aller" || low == "allen" || low == "total")
	}
	return all
}

// formula returns the one calculation of some parts.
func (t tally) formula(restricted bool) *Formula {
	switch {
	case len(t.numbers) > 0:
		return nil
	case len(t.calls) == 1:
		call := strings.ToLower(t.calls[0])
		for _, name := range append(t.aggregates, t.columns...) {
			if !strings.Contains(call, strings.ToLower(name)) {
				return nil
			}
		}
		if t.distinct && !strings.Contains(call, "distinct") || t.share {
			return nil
		}
		return &Formula{Expr: t.calls[0]}
	case len(t.calls) > 0:
		return nil
	case t.share:
		if len(t.aggregates)+len(t.columns) > 0 || t.distinct || !restricted {
			return nil
		}
		return &Formula{Aggregate: "count", Of: "rows", Divisor: &Formula{Aggregate: "count", Of: "rows"}}
	case len(t.aggregates) == 1:
		if len(t.columns) != 1 || t.count || t.distinct {
			return nil
		}
		return &Formula{Aggregate: t.aggregates[0], Of: t.columns[0]}
	case len(t.aggregates) > 1 || !t.count && !t.distinct:
		return nil
	case t.distinct:
		if len(t.columns) == 0 && t.entity != "" {
			return &Formula{Aggregate: "count_distinct", Of: t.entity}
		}
		if len(t.columns) != 1 {
			return nil
		}
		return &Formula{Aggregate: "count_distinct", Of: t.columns[0]}
	case len(t.columns) == 0:
		return &Formula{Aggregate: "count", Of: "rows"}
	case t.named && len(t.columns) == 1:
		return &Formula{Aggregate: "count_distinct", Of: t.columns[0]}
	}
	return nil
}
