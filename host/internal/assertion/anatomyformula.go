package assertion

import (
	"cmp"
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
		case strings.Contains("/*+÷", p.text):
			p.kind = dividePart
		case strings.Contains(p.text, "("):
			p.kind = callPart
			if p.text == "(" {
				p.kind = signPart
			}
		case !p.isWord:
			if p.quotation() == "" && (!strings.ContainsAny(p.text, "-<>") || p.sign()) {
				p.kind = signPart
			}
		default:
			a.classifyWord(i)
		}
	}
	a.expressions()
}

// classifyWord says what a word is in the calculation.
func (a *anatomy) classifyWord(i int) {
	p := &a.all[i]
	before := ""
	if i > 0 {
		before = a.all[i-1].low
	}
	switch {
	case p.column != "" && (p.valueOf == "" || a.aggregates(i)):
		p.kind, p.as = columnPart, p.column
		for j := i + 1; j < i+p.length; j++ {
			a.all[j].kind = gluePart
		}
	case p.low == "mean" && i > 0 && (a.all[i-1].is(pronounWord|speakerWord) || i > 1 && a.all[i-2].is(pronounWord) && a.all[i-1].is(glueWord) && i+1 < len(a.all) && a.all[i+1].low != "of"):
		p.kind = gluePart
	case p.is(minWord|maxWord) && (a.selects(i) || p.is(timeWord) && !(i+1 < len(a.all) && doneEndings(lastWord(a.all[i+1].column)))):
		// "the order with the highest freight" is an order, and no number
	case strings.HasPrefix(p.low, "gesamte") && p.is(sumWord) && i+1 < len(a.all) && a.all[i+1].rows:
		p.kind = gluePart // "die gesamten Bestellungen" are all of them
	case p.is(aggregateWord):
		for _, aggregate := range aggregateNames {
			if p.is(aggregate.class) {
				p.kind, p.as = aggregatePart, aggregate.name
			}
		}
	case p.is(distinctWord), p.is(onceWord) && (before == "only" || before == "nur" || before == "jeweils" || before == "counted" || slices.ContainsFunc(a.all, func(p part) bool { return p.is(eachWord) })):
		p.kind = distinctPart
	case a.formats(i):
		p.kind = gluePart
	case p.is(shareWord), p.low == "part" && before == "which":
		p.kind = sharePart
	case p.is(countWord) && i > 0 && a.all[i-1].sign() && i+1 < len(a.all) && a.all[i+1].is(onlyWord), a.onlyCounts(i):
		p.kind = gluePart // "…, counting only orders that …"
	case p.is(countWord) || p.low == "many" && before == "how" || (p.low == "viele" || p.low == "vielen") && before == "wie":
		p.kind = countPart
	case a.dividing(i):
		p.kind = dividePart
	case above(p.low) && slices.ContainsFunc(a.all[i:], func(p part) bool { return below(p.low) }):
		p.kind = gluePart
	case p.low == "verhältnis" || p.low == "ratio":
		if slices.ContainsFunc(a.all[i:], func(p part) bool { return p.low == "zu" || p.low == "to" || p.text == "/" || p.is(divideWord) }) {
			p.kind = gluePart
		}
	case p.low == "zeilenweise" && (a.averages() || a.rowwise()):
		p.kind = gluePart
	case p.is(perWord):
		if i+1 < len(a.all) && a.all[i+1].rows && (a.averages() || a.rowwise() || a.all[i+1].is(rowsWord) && a.countsOnly()) { // the average of the rows
			p.kind, a.all[i+1].kind = gluePart, gluePart
		} else if strings.Contains(before, "once") || strings.Contains(before, "einmal") { // "once per customer_id"
			p.kind = gluePart
		}
	case p.is(notWord | leaveWord | leftWord):
		// it leaves something out, and no condition says what
	case a.counted(i):
		p.kind, p.as = entityPart, a.entity(p)
	case p.rows:
		p.kind = rowsPart
	case p.valueOf != "" || p.flag != "":
		// no condition has it
	case a.means(p):
		// "tickets from support": no condition has it
	case setWords(p.low) && i+1 < len(a.all) && a.relativeWithout(i+1):
		// "for those who have one": of which rows, is not certain
	case p.is(sayWord) && a.relates(i):
		// "customers who know us": it restricts the rows
	case (p.is(speakerWord|venueWord) || people(p.low) && i+1 < len(a.all) && (a.all[i+1].is(nameWord) || a.all[i+1].low == "means")) && i > 0 && a.all[i-1].is(glueWord|speakerWord), p.is(glueWord), p.is(regularWord) && a.shown(i):
		p.kind = gluePart
	case p.low == "gerechnet" && i+2 < len(a.all) && (a.all[i+2].kind == tablePart || a.all[i+1].low == "über" && a.all[i+2].is(allWord)):
		p.kind = gluePart // "…, gerechnet auf charge", "…, gerechnet über alle Zeilen"
	case (p.low == "sides" || p.low == "seiten") && (before == "both" || before == "beiden"):
		p.kind = gluePart
	case p.low == "first" && (before == "up" || i > 0 && a.all[i-1].is(sumWord)): // "summed up first"
		p.kind = gluePart
	case p.is(includeWord) && before != "part":
		p.kind = gluePart
	case p.is(andWord), multiplies(p.low), strings.HasPrefix(p.low, "subtract"), outcomes(p.low) && a.operates(i):
		p.kind = gluePart
	}
}

// onlyCounts reports whether a verb at the end of a clause says which rows are in a number that the clauses before compute: "the sum
// of amount, only rows with status = 'paid' count".
func (a *anatomy) onlyCounts(i int) bool {
	from := i
	for from > 0 && !a.all[from-1].sign() {
		from--
	}
	return a.all[i].is(includeWord) && a.all[i].is(countWord) && (i+1 == len(a.all) || a.all[i+1].sign()) && a.all[from].is(onlyWord) &&
		slices.ContainsFunc(a.all[from:i], func(p part) bool { return p.kind == conditionPart }) &&
		slices.ContainsFunc(a.all[:from], func(p part) bool { return p.kind == aggregatePart || p.kind == callPart })
}

// formats reports whether a word at the end of a clause says how a quotient is written: "shown as a percentage".
func (a *anatomy) formats(i int) bool {
	as := i - 1
	for as > 0 && a.all[as].is(articleWord) {
		as--
	}
	ends := i+1 == len(a.all) || a.all[i+1].sign()
	return (a.all[i].is(shareWord) || a.all[i].low == "prozent") && ends && as > 0 && slices.Contains([]string{"as", "in", "als"}, a.all[as].low) && a.all[as-1].is(sayWord) && a.divides()
}

// relates reports whether a verb says of the rows which ones are meant, without a condition: "customers who know us". That
// they are stored somewhere says nothing.
func (a *anatomy) relates(i int) bool {
	at := i - 1
	for at > 0 && a.all[at].is(glueWord) && !a.all[at].is(sayWord) && !a.relative(at) {
		at--
	}
	if at <= 0 || !a.relative(at) {
		return false
	}
	switch a.all[i].low {
	case "recorded", "stored", "listed", "kept", "found", "reported", "remain", "remains", "stehen", "steht", "geführt", "vorkommen", "hold", "holds":
		return false
	}
	for to := at; to < len(a.all) && !a.all[to].sign(); to++ {
		if a.all[to].kind == conditionPart {
			return false
		}
	}
	return true
}

// relativeWithout reports whether a relative clause begins at a part, in which no condition stands.
func (a *anatomy) relativeWithout(i int) bool {
	switch a.all[i].low {
	case "who", "that", "which", "with", "die", "mit", "whom":
	default:
		return false
	}
	for ; i < len(a.all) && !a.all[i].sign(); i++ {
		if a.all[i].kind == conditionPart {
			return false
		}
	}
	return true
}

// relative reports whether a part begins a relative clause about the rows.
func (a *anatomy) relative(i int) bool {
	switch a.all[i].low {
	case "that", "which", "who", "whom", "die", "der", "das", "denen", "welche":
		return i > 0 && a.all[i-1].rows || i > 1 && a.all[i-1].text == "," && a.all[i-2].rows
	}
	return false
}

// aggregates reports whether a word of aggregating stands near before a part.
func (a *anatomy) aggregates(i int) bool {
	return slices.ContainsFunc(a.all[max(0, i-3):i], func(p part) bool { return p.is(aggregateWord | distinctWord) })
}

// selects reports whether a superlative says which row is meant.
func (a *anatomy) selects(i int) bool {
	if i+1 < len(a.all) && a.all[i+1].rows && a.all[i+1].column == "" && !(i+2 < len(a.all) && a.all[i+2].column != "") {
		return true // "the price of the largest order"
	}
	for i--; i > 0 && a.all[i].is(articleWord); i-- {
	}
	if i < 1 {
		return false
	}
	switch a.all[i].low {
	case "with", "mit", "having":
		return a.all[i-1].rows
	}
	return false
}

// entity returns the column of the table that refers to what a noun means: customer_id for "customers"; "" = it has none.
func (a *anatomy) entity(p *part) string {
	return a.lexicon.Column(a.identity, singular(englishNoun(p.low))+"_id")
}

// counted reports whether a part is a thing that a column of the table refers to, whose different ones are counted: "distinct
// customers", "each customer is counted once".
func (a *anatomy) counted(i int) bool {
	if i == 0 || a.entity(&a.all[i]) == "" {
		return false
	}
	before := &a.all[i-1]
	return before.is(distinctWord) || before.is(eachWord) && slices.ContainsFunc(a.all, func(p part) bool { return p.is(onceWord) })
}

// averages reports whether what is computed is a value of single rows, so that "per row" changes nothing.
func (a *anatomy) averages() bool {
	for i := range a.all {
		if a.all[i].is(aggregateWord &^ sumWord) {
			return true
		}
	}
	return false
}

// countsOnly reports whether rows are counted and nothing else is computed: "gezählt wird je Zeile".
func (a *anatomy) countsOnly() bool {
	return slices.ContainsFunc(a.all, func(p part) bool { return p.is(countWord) }) &&
		!slices.ContainsFunc(a.all, func(p part) bool { return p.is(aggregateWord|distinctWord|shareWord|divideWord) || p.kind == callPart })
}

// rowwise reports whether a sum or a difference of two columns is summed up, so that "per row" says what it is: "price minus
// cost per order, summed over the orders".
func (a *anatomy) rowwise() bool {
	sums, joins := false, false
	for i := range a.all {
		sums = sums || a.all[i].is(sumWord)
		sign := operators(a.all[i].low)
		joins = joins || sign != "" && sign != "/" && i > 0 && i+1 < len(a.all) && a.all[i-1].column != "" && a.all[i+1].column != ""
	}
	return sums && joins
}

// outcomes are nouns for what a calculation over a row gives.
var outcomes = text.Words("result results product products difference differences ergebnis ergebnisse produkt produkte differenz differenzen")

// operates reports whether an operation over the columns of a row stands before a part, which a sum is made of: "… and totals the
// differences".
func (a *anatomy) operates(i int) bool {
	at := i - 1
	for at > 0 && a.all[at].is(articleWord|pronounWord) {
		at--
	}
	return at > 0 && a.all[at].is(sumWord) && slices.ContainsFunc(a.all[:at], func(p part) bool {
		return operators(p.low) != "" || addingUp(p.low) || multiplies(p.low) || strings.HasPrefix(p.low, "subtract")
	})
}

// tally counts what a calculation is made of.
type tally struct {
	calls, columns, aggregates []string
	count, distinct, share     bool
	named                      bool // the name says that different ones are counted: "distinct buyers"
	rows                       bool
	// listed says that the rows are called so, once: "rows", "records", which nobody takes for what they stand for.
	listed bool
	// verb says that a word of the name may be the verb of the sentence: "counts".
	verb    bool
	numbers []string
	// entity is the column that refers to a thing whose different ones are counted: "distinct customers".
	entity string
}

// namesRows reports whether the name is a plural that the sentence begins with, and nothing that is measured or only says which rows
// are meant: "late stops", "lebende Völker", not "reject weight", "scope", "exceptions".
func (a *anatomy) namesRows() bool {
	for i := range a.all {
		if a.all[i].kind == namePart {
			break
		}
		if !a.all[i].is(articleWord | openWord) {
			return !slices.ContainsFunc(a.all, func(p part) bool { return p.kind == namePart }) // the name is in a heading
		}
	}
	list := lowered(a.subject)
	if len(list) == 0 {
		return false
	}
	last := list[len(list)-1]
	if amounting(last) || amounting(singular(last)) || scoping(singular(last)) || classes()[last]&(shareWord|aggregateWord|rowsWord|leaveWord|leftWord|venueWord|timeWord) != 0 {
		return false
	}
	if a.language == German {
		return len(list) > 1 && strings.HasSuffix(list[0], "e") && classes()[list[0]] == 0 || a.countsOnly() || len(list) == 1 && a.plural(last)
	}
	return strings.HasSuffix(last, "s") && !strings.HasSuffix(last, "ss") && !strings.HasSuffix(last, "us") && !strings.HasSuffix(last, "is")
}

// plural reports whether a German noun is the subject of "sind die Zeilen" or "gelten alle Zeilen", and names rows: "Erstbesuche", not
// "Umsätze", "Ausnahmen", nor the customers that the rows refer to.
func (a *anatomy) plural(noun string) bool {
	at := slices.IndexFunc(a.all, func(p part) bool { return p.kind == namePart })
	if at < 0 || at+1 >= len(a.all) || a.all[at+1].low != "sind" && a.all[at+1].low != "gelten" || !(a.allRows(at+2) || at+3 < len(a.all) && a.all[at+2].is(articleWord) && a.all[at+3].is(rowsWord)) {
		return false
	}
	if verbal().MatchString(noun) && !strings.HasSuffix(noun, "ungen") {
		return false // "Betroffen sind die Zeilen …"
	}
	tail := cmp.Or(compoundOf(noun), noun)
	names := germanNoun(tail)
	if !slices.ContainsFunc(names, func(one string) bool { return a.lexicon.Table(one) == a.identity }) && slices.ContainsFunc(names, func(one string) bool {
		return persons(one) || a.lexicon.Column(a.identity, one+"_id") != ""
	}) {
		return false
	}
	plural := false
	for _, ending := range caseEndings[1:] {
		stem, ok := strings.CutSuffix(noun, ending)
		if plural = plural || ok || strings.HasSuffix(noun, "s"); ok && (amounting(stem) || amounting(unmarked(stem)) || scoping(stem) || scoping(stem+"e")) {
			return false
		}
	}
	return plural
}

// verbal is a German participle that ends as a plural does.
var verbal = text.Pattern(`^(?:be|ge|ver|ent|er|zer|ausge|einge|mitge)\pL+en$`)

// scoping are nouns for which rows are meant, or for what is the matter with them.
var scoping = text.Words("filter condition restriction exclusion exception exemption criterion scope basis base source sample subset case limit rule problem issue question task todo note detail remark reason ausnahme einschränkung bedingung grundlage quelle frage problem hinweis regel")

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
			t.rows, t.listed = true, !t.rows && p.is(rowsWord) && p.low != "ones" && a.namesRows()
		case namePart:
			t.named, t.verb = t.named || p.is(distinctWord), t.verb || p.is(linkWord)
		case numberPart:
			t.numbers = append(t.numbers, p.text)
		}
	}
	return t
}

// formula returns the calculation of the sentence without its table and conditions; nil = it has none, or several.
func (a *anatomy) formula() *Formula {
	if a.rest > 0 && slices.ContainsFunc(a.all[:a.rest], func(p part) bool { return p.kind == sharePart || p.kind == dividePart }) {
		return a.formulaOfAll()
	}
	if at := a.grouped(); at >= 0 && len(a.where) == 0 {
		above, below := *a, a.tally(at, len(a.all))
		above.all = a.all[:at]
		f, over := above.formula(), below.formula(false)
		if f == nil || over == nil || f.Divisor != nil {
			return nil
		}
		return &Formula{Expr: nested(f.call(nil)) + " / " + nested(over.call(nil))}
	}
	cut, sign, ok := a.operator()
	switch {
	case !ok:
		return a.partOfSum()
	case cut < 0:
		t := a.tally(0, len(a.all))
		if t.share && len(a.where) > 1 {
			return a.share(&t)
		}
		return t.formula(len(a.where) > 0)
	}
	top, bottom := a.tally(0, cut), a.tally(cut, len(a.all))
	if by := bottom.numbers; sign == "" && len(by) == 1 && len(bottom.calls)+len(bottom.columns)+len(bottom.aggregates) == 0 && !bottom.count {
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
	spread(&top, &bottom, a.refersBack(cut))
	if sign == "" && a.ofAll(cut) {
		summed(&top, &bottom)
	}
	over := bottom.formula(false)
	f := top.formula(false)
	if f == nil || over == nil || f.Divisor != nil || over.Divisor != nil || f.Expr != "" && over.Expr == "" {
		return nil
	}
	if sign != "" {
		return a.combined(f, over, cut, sign)
	}
	above, below := a.split(cut)
	switch {
	case len(below) == 0 && (len(above) == 0 || a.restrictsTop(cut)):
		f.Divisor = over
		return f
	case len(above) > 0 && len(below) > 0 && len(above)+len(below) == len(a.where):
		whole := []Condition(nil)
		if a.clauseOfItsOwn(cut) && !strings.Contains(f.Expr+over.Expr, "CASE") {
			whole, below = below, nil // "…, bounced ones are left out": of both sides
		}
		upper, lower := f.call(above), over.call(below)
		if upper == "" || lower == "" {
			return nil
		}
		a.where = whole
		return &Formula{Expr: nested(upper) + " / " + nested(lower)}
	case len(below) == 0 && a.refersBack(cut):
		upper, lower := f.call(nil), over.call(nil)
		if upper == "" || lower == "" {
			return nil
		}
		return &Formula{Expr: nested(upper) + " / " + nested(lower)}
	}
	if len(above) == 0 && len(below) == len(a.where) && f.measures() && over.measures() && (a.narrowed(cut) || a.within(cut, f, over)) {
		if upper, lower := f.call(nil), over.call(nil); upper != "" && lower != "" {
			return &Formula{Expr: nested(upper) + " / " + nested(lower)}
		}
	}
	return nil // on which side the condition is, is not certain
}

// measures reports whether a calculation is over a column, and no count of rows.
func (f *Formula) measures() bool { return f.Aggregate != "count" }

// numbersUnread makes numbers that belong to no calculation words that are not understood: "pending for 14 days".
func (a *anatomy) numbersUnread() (any bool) {
	for i := range a.all {
		if a.all[i].kind == numberPart {
			a.all[i].kind, any = unknownPart, true
		}
	}
	return any
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
			switch {
			case equal:
				text = column + " IS DISTINCT FROM " + value
			case !strings.Contains(text, " "):
				text += " IS DISTINCT FROM true"
			default:
				return ""
			}
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
	case t.listed && restricted && !t.verb && len(t.aggregates)+len(t.columns) == 0 && !t.count && !t.distinct:
		return &Formula{Aggregate: "count", Of: "rows"} // "late stops: rows with minutes_late > 15"
	case len(t.aggregates) > 1 || !t.count && !t.distinct:
		return nil
	case t.distinct:
		if len(t.columns) == 0 && t.entity != "" {
			return &Formula{Aggregate: "count_distinct", Of: t.entity}
		}
		if len(t.columns) != 1 || arithmetic(t.columns[0]) {
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
