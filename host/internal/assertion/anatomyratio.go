package assertion

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// operator returns the place between two calculations, and how they are joined; -1 = there is none.
// Shape: sign is "+", "-", or "" for a division. ok is false where there are several, or the place is not certain.
func (a *anatomy) operator() (cut int, sign string, ok bool) {
	cut = -1
	around := -1 // "divide a by b"
	for i := range a.all {
		if a.all[i].kind != dividePart {
			continue
		}
		switch low := a.all[i].low; low {
		case "durch", "nenner", "denominator", "/", "÷", "over", "zu", "to", "minus", "abzüglich", "relation", "verhältnis", "less", "plus", "zuzüglich", "+", "off":
			if cut >= 0 {
				return -1, "", false
			}
			if cut, sign = i, operators(low); sign == "/" {
				sign = ""
			} else if low == "off" {
				sign = "-"
			}
		default:
			around = i
		}
	}
	if cut >= 0 || around < 0 {
		return cut, sign, around < 0 || sign != "+" && sign != "-" // "a divided by b plus c"
	}
	quotient := strings.HasPrefix(a.all[around].low, "quotient") // "of a and b"
	for i := around + 1; i < len(a.all); i++ {
		if (a.all[i].low == "by" || quotient && a.all[i].is(andWord) && a.aggregateBehind(i)) && a.all[i].kind == gluePart {
			if cut >= 0 {
				return -1, "", false
			}
			cut = i
		}
	}
	return cut, "", cut >= 0
}

// sameRows has a noun that no table has mean the rows, where a condition describes some of them, and all of them are what these are
// divided by: "reports with solved = true divided by all reports".
func (a *anatomy) sameRows() {
	for i := 0; i+2 < len(a.all); i++ {
		p := &a.all[i]
		if !p.isWord || p.class != 0 || p.known() || p.kind != unknownPart || a.tableOf(p) != "" || a.entity(p) != "" || !a.all[i+1].is(jointWord) && a.all[i+1].text != "," || !slices.ContainsFunc(a.all[i+1:min(i+4, len(a.all))], func(p part) bool { return p.kind == conditionPart }) {
			continue
		}
		for j := i + 2; j < len(a.all); j++ {
			if o := &a.all[j]; o.low == p.low && o.kind == unknownPart && a.all[j-1].is(allWord) && twoSided(a.all[i:j]) {
				p.rows, o.rows = true, true
			}
		}
	}
}

// aggregateBehind reports whether a calculation begins behind a part.
func (a *anatomy) aggregateBehind(i int) bool {
	for i++; i < len(a.all) && a.all[i].is(articleWord); i++ {
	}
	return i < len(a.all) && (a.all[i].is(aggregateWord|countWord) || a.all[i].kind == callPart)
}

// partOfSum reads a calculation that is divided by a sum of itself and another one: "total hours run divided by total hours run plus
// total hours down". Else it is not certain whether the sum is divided by, or added to the quotient.
func (a *anatomy) partOfSum() *Formula {
	var at []int
	for i := range a.all {
		if p := &a.all[i]; p.kind == dividePart && !(p.is(divideWord) && i+1 < len(a.all) && a.all[i+1].low == "durch") {
			at = append(at, i)
		}
	}
	if len(at) != 2 || operators(a.all[at[1]].low) != "+" || operators(a.all[at[0]].low) == "-" || operators(a.all[at[0]].low) == "+" || len(a.where) > 0 {
		return nil
	}
	top, same, other := a.tally(0, at[0]), a.tally(at[0], at[1]), a.tally(at[1], len(a.all))
	f, g, h := top.formula(false), same.formula(false), other.formula(false)
	if f == nil || g == nil || h == nil || (f.call(nil) == g.call(nil)) == (f.call(nil) == h.call(nil)) || g.Aggregate != f.Aggregate || f.Aggregate != h.Aggregate || !f.measures() || !h.measures() {
		return nil
	}
	return &Formula{Expr: f.call(nil) + " / (" + g.call(nil) + " + " + h.call(nil) + ")"}
}

// wholeWords stand before a division of all that the sentence has computed so far.
var wholeWords = text.Words("all everything altogether together the whole thing alles zusammen insgesamt das ganze")

// grouped returns the sign before a division of all before it: "a minus b, all divided by c", "total a plus total b, divided by
// c"; -1 = there is none.
func (a *anatomy) grouped() int {
	joined := false // two calculations are added or subtracted, and nothing parts them yet
	for i := range a.all {
		p, at := &a.all[i], i+1
		for at < len(a.all) && wholeWords(a.all[at].low) {
			at++
		}
		if p.text == "," && at < len(a.all) && a.all[at].kind == dividePart && (at > i+1 || joined) {
			for j := i + 1; j < at; j++ {
				a.all[j].kind = gluePart
			}
			return i
		}
		if sign := operators(p.low); p.kind == dividePart && (sign == "+" || sign == "-") {
			joined = i > 0 && a.all[i-1].text != ","
		} else {
			joined = joined && !p.sign() && p.kind != dividePart
		}
	}
	return -1
}

// split returns the conditions before and behind a part.
func (a *anatomy) split(cut int) (before, behind []Condition) {
	for i := range a.all {
		if p := &a.all[i]; p.kind == conditionPart && p.where > 0 {
			side := &before
			if i > cut {
				side = &behind
			}
			if c := a.where[p.where-1]; !slices.Contains(*side, c) { // each of its values is a part
				*side = append(*side, c)
			}
		}
	}
	return before, behind
}

// share is a part of some rows in all of them, where conditions of both stand behind "all": "the share of returned lines in all
// lines of dresses"; nil = of which rows is not certain.
func (a *anatomy) share(t *tally) *Formula {
	if len(t.aggregates)+len(t.columns)+len(t.numbers)+len(t.calls) > 0 || t.distinct {
		return nil
	}
	count := &Formula{Aggregate: "count", Of: "rows"}
	written := func(above, below []Condition) *Formula {
		upper, lower := count.call(append(slices.Clone(below), above...)), count.call(below)
		if len(above) == 0 || len(below) == 0 || len(above)+len(below) != len(a.where) || upper == "" || lower == "" {
			return nil
		}
		a.where = nil
		return &Formula{Expr: upper + " / " + lower}
	}
	cut := slices.IndexFunc(a.all, func(p part) bool { return p.kind == sharePart })
	if at := slices.IndexFunc(a.all[:cut], func(p part) bool { return p.is(allWord) }); at > 0 && wholeLeads(a.all[at-1].low) && slices.ContainsFunc(a.all[at:cut], func(p part) bool { return p.text == "," }) {
		below, above := a.split(cut) // "out of all lines of dresses, the share that was returned"
		return written(above, below)
	}
	for cut++; cut < len(a.all) && a.all[cut].is(glueWord) && !a.all[cut].is(allWord); cut++ {
	}
	all := cut
	for all++; all < len(a.all) && !(a.all[all].is(allWord) && wholeLeads(a.all[all-1].low)); all++ {
	}
	if all >= len(a.all) {
		return nil
	}
	if a.all[all-1].kind != gluePart {
		return nil
	}
	return written(a.split(all))
}

// formulaOfAll is the calculation of a sentence with the conditions of the one behind it, which are those of both sides of a division.
func (a *anatomy) formulaOfAll() *Formula {
	b := *a
	b.rest, b.all = 0, slices.Clone(a.all[:a.rest])
	main, rest := a.split(a.rest - 1)
	if len(main)+len(rest) != len(a.where) {
		return nil
	}
	b.where = main
	for i := range b.all {
		if p := &b.all[i]; p.where > 0 {
			p.where = 1 + slices.Index(main, a.where[p.where-1])
		}
	}
	f := b.formula()
	if f == nil {
		return nil
	}
	if f.Divisor == nil {
		a.where = append(slices.Clone(b.where), rest...)
		return f
	}
	over := *f.Divisor
	f.Divisor = nil
	upper, lower := f.call(b.where), over.call(over.Where)
	if upper == "" || lower == "" {
		return nil
	}
	a.where = rest
	return &Formula{Expr: upper + " / " + lower}
}

// wholeLeads reports whether a word stands before the whole of which something is a share.
func wholeLeads(w string) bool {
	switch w {
	case "an", "of", "in", "among", "from", "aus", "von", "unter":
		return true
	}
	return false
}

// spread has an aggregate behind two columns apply to both: "a divided by b, both summed up".
func spread(top, bottom *tally, both bool) {
	bare := len(top.aggregates)+len(top.calls) == 0 && !top.count && !top.distinct && len(top.columns) == 1 && len(bottom.columns) == 1
	if both && bare && len(bottom.aggregates) == 1 {
		top.aggregates = bottom.aggregates
	}
}

// summed has a part of a column and the whole of the same one be sums: "tons of hedged lines / tons of all lines".
func summed(top, bottom *tally) {
	bare := func(t *tally) bool {
		return len(t.aggregates)+len(t.calls)+len(t.numbers) == 0 && !t.count && !t.distinct && !t.share && len(t.columns) == 1
	}
	if bare(top) && bare(bottom) && top.columns[0] == bottom.columns[0] {
		top.aggregates, bottom.aggregates = []string{"sum"}, []string{"sum"}
	}
}

// ofAll reports whether a part of the rows is divided by all of them.
func (a *anatomy) ofAll(cut int) bool {
	above, below := a.split(cut)
	return len(above) > 0 && len(below) == 0 && a.restrictsTop(cut)
}

// narrowed reports whether the conditions behind a division stand apart from both of its sides, each in a clause that says
// that it restricts: "a over b, paid ones only".
func (a *anatomy) narrowed(cut int) bool {
	first := -1
	for from, to := range a.clausesOf {
		restricts, has := false, false
		for i := from; i < to; i++ {
			p := &a.all[i]
			has = has || p.kind == conditionPart
			restricts = restricts || p.is(onlyWord|leftWord|leaveWord) || p.low == "left" || p.low == "außen" || p.low == "just" && i+2 < to && (a.all[i+1].is(jointWord) || a.all[i+2].rows)
		}
		if has && (from <= cut || !restricts || a.all[from-1].text != "," && a.all[from-1].text != ";") && !(first >= 0 && a.all[max(0, from-1)].text == "(") {
			return false
		}
		if has {
			first = from
		}
	}
	return first >= 0
}

// clauseOfItsOwn reports whether the conditions behind a division stand in clauses of their own: "…, excluding bounced".
func (a *anatomy) clauseOfItsOwn(cut int) bool {
	own := false
	for from, to := range a.clausesOf {
		has, calculates := false, false
		for i := from; i < to; i++ {
			k := a.all[i].kind
			has = has || i > cut && k == conditionPart
			calculates = calculates || k == tablePart || k == callPart || k == columnPart || k == aggregatePart || k == countPart || k == dividePart
		}
		if has && (calculates || from == 0 || a.all[from-1].text != "," && a.all[from-1].text != ";") {
			return false
		}
		own = own || has
	}
	return own
}

// within reports whether all conditions stand behind the table that both sides of a calculation are over: "sum of a / sum of b in
// orders where paid". A sign between the sides, a table of one of them, or a number of things parts them.
func (a *anatomy) within(cut int, f, over *Formula) bool {
	if f.Of == over.Of || f.Aggregate != over.Aggregate || strings.HasPrefix(f.Aggregate, "count") {
		return false
	}
	sided := func(p part) bool { return p.kind == tablePart || p.kind == rowsPart || p.text == "," || p.text == "(" }
	at := slices.IndexFunc(a.all[cut:], func(p part) bool { return p.kind == tablePart || p.kind == rowsPart })
	if at < 0 || slices.ContainsFunc(a.all[:cut+at], sided) {
		return false
	}
	lead := cut + at - 1
	for a.all[lead].is(articleWord | allWord) {
		lead--
	}
	if slices.ContainsFunc(a.all[cut:lead], func(p part) bool { return p.is(allWord) }) {
		return false // "sum of all litres in …"
	}
	where := cut + at + 1
	for where < len(a.all) && (a.all[where].kind == rowsPart || a.all[where].text == ",") {
		where++
	}
	return (tableLeads(a.all[lead].low) || a.all[lead].low == "over" || a.all[lead].low == "über") && where < len(a.all) && a.all[where].kind == gluePart && a.all[where].is(jointWord) && !a.all[where].is(articleWord) &&
		!slices.ContainsFunc(a.all[cut:where], func(p part) bool { return p.kind == conditionPart })
}

// combined writes a sum of two like calculations, or a difference of two, each with the conditions on its own side.
func (a *anatomy) combined(f, other *Formula, cut int, sign string) *Formula {
	above, below := a.split(cut)
	upper, lower := f.call(above), other.call(below)
	if upper == "" || lower == "" || len(above)+len(below) != len(a.where) || len(above) == 0 && len(below) > 0 && f.measures() && other.measures() && f.Of != other.Of && !a.within(cut, f, other) {
		return nil // "total price minus total refunds of adult tickets": it may restrict both
	}
	if a.within(cut, f, other) {
		return &Formula{Expr: f.call(nil) + " " + sign + " " + nested(other.call(nil))}
	}
	if sign == "+" && (f.Aggregate != other.Aggregate || !f.measures() || upper == lower) {
		return nil
	}
	a.where = nil
	return &Formula{Expr: upper + " " + sign + " " + nested(lower)}
}

// refersBack reports whether what is behind a division speaks of the rows before it: "of the customers who hold them".
func (a *anatomy) refersBack(cut int) bool {
	return slices.ContainsFunc(a.all[cut:], func(p part) bool {
		return p.low == "them" || p.low == "both" || p.low == "beide" || p.low == "beides" || p.low == "jeweils" || p.low == "these" || p.low == "such"
	})
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
		all = all || i > cut && (a.all[i].is(allWord) || low == "total" || low == "insgesamt" || low == "gesamt" || low == "overall")
	}
	return all
}

// nested writes an expression with several terms in parentheses.
func nested(expr string) string {
	if divides(expr) {
		return "(" + expr + ")"
	}
	return expr
}

// above and below report whether a word is the label of what is divided, or of what by.
func above(low string) bool { return low == "zähler" || low == "numerator" }
func below(low string) bool { return low == "nenner" || low == "denominator" }

// shown reports whether a verb of looking at a number stands near a part: "reported every month".
func (a *anatomy) shown(i int) bool {
	return slices.ContainsFunc(a.all[max(0, i-3):min(i+4, len(a.all))], func(p part) bool { return p.is(sayWord) })
}

// bothSummed reports whether two columns stand around "over", and behind them that both are summed: "a over b, both summed up".
func (a *anatomy) bothSummed(over int) bool {
	if over == 0 || over+1 >= len(a.all) || a.all[over-1].column == "" || a.all[over+1].column == "" {
		return false
	}
	sign := over + 1 + max(1, a.all[over+1].length)
	return sign+2 < len(a.all) && a.all[sign].text == "," && (a.all[sign+1].low == "both" || a.all[sign+1].low == "each") && a.all[sign+2].is(sumWord)
}

// dividing reports whether a word stands between what is divided, or reduced, and by what it is.
func (a *anatomy) dividing(i int) bool {
	p := &a.all[i]
	next := func(words ...string) bool { return i+1 < len(a.all) && slices.Contains(words, a.all[i+1].low) }
	behind := a.all[min(i+1, len(a.all)):min(i+4, len(a.all))]
	calculates := slices.ContainsFunc(behind, func(p part) bool { return p.is(aggregateWord|countWord) || p.kind == callPart })
	switch p.low {
	case "durch":
		return true
	case "nenner", "denominator":
		return slices.ContainsFunc(a.all[:i], func(p part) bool { return above(p.low) })
	case "over":
		return calculates || a.bothSummed(i) || len(behind) > 1 && behind[0].is(allWord) && behind[1].rows && a.partOfRows(i) || len(behind) > 0 && behind[0].column != "" && slices.ContainsFunc(a.all[:i], func(p part) bool { return p.column == behind[0].column })
	case "minus", "abzüglich", "less", "plus", "zuzüglich":
		return calculates
	case "off":
		return calculates && i > 0 && (a.all[i-1].low == "take" || a.all[i-1].low == "takes") // "add up fee, take off the sum of lab_cost"
	case "relation", "verhältnis":
		return next("zu", "zur", "to")
	case "zu", "to":
		ratio := slices.ContainsFunc(a.all[:i], func(p part) bool { return p.low == "verhältnis" || p.low == "ratio" })
		return ratio && (next("all", "allen", "allen", "sämtlichen", "jeder") || calculates)
	}
	return p.is(divideWord)
}

// partOfRows reports whether some rows, and no calculation, stand before a part, and the name is that of a share: "Blur share: rows of
// image where blurred is true".
func (a *anatomy) partOfRows(to int) bool {
	share, some := false, false
	for i := range a.all {
		p := &a.all[i]
		share = share || p.kind == namePart && (p.is(shareWord) || p.low == "rate" || p.low == "ratio")
		some = some || p.kind == conditionPart
		if i > to && p.kind == conditionPart || i < to && (p.kind == aggregatePart || p.kind == columnPart || p.kind == callPart || p.kind == distinctPart || p.kind == dividePart) {
			return false
		}
	}
	return share && some
}
