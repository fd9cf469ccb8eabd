package assertion

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// conditions marks the conditions on the rows; false = a condition has a value that its column does not have, or it is
// not certain which rows are left out.
func (a *anatomy) conditions() bool {
	for i := 0; i < len(a.all); i++ {
		if a.all[i].kind != unknownPart && a.all[i].kind != columnPart {
			continue
		}
		to, comparison, negated, ok := a.compared(i)
		if !ok {
			return false
		}
		if to == i {
			continue
		}
		for j := i; j < to; j++ {
			a.all[j].kind = gluePart
		}
		a.all[i].kind, a.all[i].as = conditionPart, comparison
		before, after := a.leftOutBefore(i), a.leftOutAfter(to)
		if (negated || before >= 0) && after >= 0 || negated && before >= 0 {
			return false // "not … excluded"
		}
		if before >= 0 {
			a.all[before].kind = gluePart
			if before > 0 && conjunction(a.all[before-1].low) {
				a.all[before-1].kind = gluePart // "but not those on the free plan"
			}
		}
		excluded := before >= 0 || after >= 0 || negated && !strings.Contains(comparison, "<>")
		a.gloss(i, to)
		if at := slices.Index(a.where, Condition{Text: comparison, Excluded: excluded}); at >= 0 && !a.divides() {
			a.all[i].where = at + 1 // it is said twice
		} else if !a.join(i, comparison, excluded) {
			a.where = append(a.where, Condition{Text: comparison, Excluded: excluded})
			a.all[i].where = len(a.where)
		}
		if i = to - 1; after >= to && !(to < len(a.all) && joining(a.all[to].low)) {
			i = after
		}
	}
	return true
}

// impossible reports whether two conditions ask for different values of one column, which no row has.
func (a *anatomy) impossible() bool {
	for i, c := range a.where {
		column, _, equal := strings.Cut(c.Text, " = ")
		if equal && !c.Excluded && slices.ContainsFunc(a.where[:i], func(o Condition) bool {
			return !o.Excluded && o.Text != c.Text && (strings.HasPrefix(o.Text, column+" = ") || strings.HasPrefix(o.Text, column+" IN ("))
		}) {
			return true
		}
	}
	return false
}

// divides reports whether there are two sides, each with conditions of its own.
func (a *anatomy) divides() bool {
	return slices.ContainsFunc(a.all, func(p part) bool {
		return divisionWords(p.low) || p.low == "minus" || p.low == "abzüglich" || p.low == "/" || p.low == "durch" || p.low == "relation" || p.low == "verhältnis" || p.low == "over"
	})
}

// gloss marks a word that a comparison in parentheses explains: "die bezahlt sind (status = 'paid')".
func (a *anatomy) gloss(from, to int) {
	if from < 1 || a.all[from-1].text != "(" || to >= len(a.all) || a.all[to].text != ")" {
		return
	}
	at := from - 2
	for at > 0 && a.glue(at) {
		at--
	}
	if at > 0 && a.strange(at, at+1) && !a.strange(at-1, at) && a.all[at-1].word() {
		a.all[at].kind = gluePart
	}
}

// join adds a comparison to the one before it, if only "or" stands between them: "paid or pending orders".
func (a *anatomy) join(at int, comparison string, excluded bool) bool {
	or := at - 1
	for or > 0 && (a.glue(or) || a.all[or].text == ",") {
		or--
	}
	both := false
	if or < 1 || len(a.where) == 0 {
		return false
	}
	if !orWords(a.all[or].low) { // "paid and pending orders": no row is both
		or = at - 1
		if both = (a.all[or].low == "and" || a.all[or].low == "und" || a.all[or].text == ",") && or > 0 && a.all[or-1].kind == conditionPart; !both || excluded {
			return false
		}
	}
	last := &a.where[len(a.where)-1]
	column, value, _ := strings.Cut(comparison, " = ")
	before, first, _ := strings.Cut(last.Text, " = ")
	if list, is := strings.CutSuffix(last.Text, ")"); is && strings.HasPrefix(list, column+" IN (") && excluded == last.Excluded && value != "" {
		a.all[or].kind, a.all[at].where = gluePart, len(a.where)
		last.Text = list + ", " + value + ")"
		return true
	}
	if column != before || excluded != last.Excluded || value == "" || first == "" {
		return false
	}
	a.all[or].kind, a.all[at].where = gluePart, len(a.where)
	last.Text = column + " IN (" + first + ", " + value + ")"
	return true
}

// compared reads the comparison that begins at a part: "status = 'paid'", "status is paid", "paid orders".
// Shape: to is the part behind it; to = i: none begins there. ok is false for a value that the column does not have.
func (a *anatomy) compared(i int) (to int, comparison string, negated, ok bool) {
	if a.isColumn(i) {
		return a.columnCompared(i)
	}
	column, comparison := a.value(i)
	if column == "" {
		if q := a.all[i].quotation(); q != "" {
			return i, "", false, false
		}
		return i, "", false, true
	}
	if i+1 < len(a.all) && a.all[i+1].word() && a.lexicon.Column(a.identity, a.all[i+1].text) == column { // "the pending status"
		return i + 2, comparison, false, true
	}
	if a.all[i].quotation() != "" || a.ofRows(i) {
		return i + 1, comparison, false, true
	}
	return i, "", false, true
}

// columnCompared reads a comparison that begins with its column.
func (a *anatomy) columnCompared(i int) (to int, comparison string, negated, ok bool) {
	column, sign := a.all[i].as, "="
	if column == "" {
		column = a.lexicon.Column(a.identity, a.all[i].text)
	}
	j, written := i+1, false
	for ; j < len(a.all); j++ {
		switch p := &a.all[j]; {
		case p.low == "not" || p.low == "nicht":
			negated = true
		case strings.ContainsAny(p.text, "=<>!") && !p.word():
			written, sign = true, strings.Replace(strings.Replace(p.text, "!=", "<>", 1), "==", "=", 1)
		case !copulas(p.low):
			goto value
		}
	}
value:
	if j == len(a.all) {
		return i, "", false, !written
	}
	p := &a.all[j]
	if p.text[0] >= '0' && p.text[0] <= '9' && written {
		return j + 1, column + " " + sign + " " + strings.ReplaceAll(p.text, ",", ""), negated, !negated
	}
	if of, is := a.value(j); of == column && (sign == "=" || sign == "<>") {
		return j + 1, strings.Replace(is, " = ", " "+sign+" ", 1), negated, !(negated && sign == "<>")
	}
	return i, "", false, !written && p.quotation() == ""
}

// joining are words and signs between values of which rows have one.
var joining = text.Words("or oder and und nor , /")

// amongAll reports whether all rows follow: "the share of active among all subscriptions".
func (a *anatomy) amongAll(i int) bool {
	if i+2 >= len(a.all) {
		return false
	}
	if low := a.all[i].low; low != "an" && low != "among" && low != "in" && low != "of" {
		return false
	}
	if all := a.all[i+1].low; all != "all" && all != "the" && all != "allen" && all != "sämtlichen" && all != "den" {
		return false
	}
	return a.isRows(i+2) || i+3 < len(a.all) && glueWords(a.all[i+2].low) && a.isRows(i+3)
}

// ofRows reports whether a word that is a value says which rows are meant: "paid orders", "orders that are paid".
func (a *anatomy) ofRows(i int) bool {
	next := i + 1
	for next < len(a.all) && a.all[next].kind == unknownPart && (joining(a.all[next].low)) && next+1 < len(a.all) {
		if column, _ := a.value(next + 1); column == "" {
			break
		}
		next += 2 // "paid or pending orders"
	}
	if next < len(a.all) && (a.isRows(next) || a.all[next].low == "ones") {
		return true
	}
	if next < len(a.all) && a.isColumn(next) && next == i+1 { // "the refunded amount"
		return true
	}
	if next == i+1 && a.amongAll(next) {
		return true
	}
	before := i - 1
	for before >= 0 && (a.all[before].low == "still" || a.all[before].low == "currently" || a.all[before].low == "already" || a.all[before].low == "noch" || a.all[before].low == "either" || a.all[before].low == "bereits") {
		before--
	}
	if before < 0 {
		return false
	}
	if ends := next == len(a.all) || a.boundary(next); ends && before > 0 && articles(a.all[before].low) && negatingWords(a.all[before-1].low) {
		return true // "abzüglich der erstatteten"
	}
	if len(a.where) > 0 && orWords(a.all[before].low) || a.isRows(before) && a.all[before].kind == unknownPart {
		return true // "orders still pending"
	}
	switch a.all[before].low {
	case "on", "in", "auf", "mit":
		return before > 0 && a.isRows(before-1) // "subscriptions on team"
	case "up":
		return before > 0 && strings.HasPrefix(a.all[before-1].low, "end") // "that ends up paid"
	case "been", "as", "als":
		return true // "that have been paid", "booked as paid"
	case "neither", "nor", "weder":
		return true
	case "are", "is", "were", "was", "being", "sind", "ist", "waren", "only", "nur", "excluding", "without", "except", "ohne", "außer":
		relative := before < 1 || a.all[before].low != "is" && a.all[before].low != "ist" || pronouns(a.all[before-1].low) || a.isRows(before-1)
		if relative && (a.all[before].low == "were" || a.all[before].low == "was" || a.all[before].low == "waren") {
			a.all[before].kind = gluePart
		}
		return relative
	}
	// "alle Bestellungen, die bezahlt sind": the verb is behind it.
	return next < len(a.all) && (a.all[next].low == "sind" || a.all[next].low == "ist") && a.language == German
}

// leftOutBefore returns the word before a condition that leaves its rows out; -1 = there is none.
func (a *anatomy) leftOutBefore(i int) int {
	wide := false // "not all paid orders", "not the number of paid orders" leave out none
	for at := i - 1; at >= 0 && i-at < 6; at-- {
		p := &a.all[at]
		if negatingWords(p.low) && p.kind == unknownPart {
			if wide && (p.low == "not" || p.low == "nicht" || p.low == "no" || strings.HasPrefix(p.low, "kein")) {
				return -1
			}
			return at
		}
		wide = wide || a.computes(at) || eachWords(p.low) || p.low == "all" || p.low == "alle" || p.low == "any"
		if !(a.glue(at) || a.isRows(at) || p.text == ",") || p.low == "and" || p.low == "und" {
			break
		}
	}
	return -1
}

// opensClause reports whether a part is the first of its clause, but for an article: "; pending and refunded ones are ignored".
func (a *anatomy) opensClause(i int) bool {
	if i > 0 && articles(a.all[i-1].low) {
		i--
	}
	return i <= 0 || !a.all[i-1].word()
}

// leftOutAfter marks the words behind a condition that leave its rows out, and returns the last; -1 = there are none.
func (a *anatomy) leftOutAfter(from int) int {
	negation := -1
	for at := from; at < len(a.all) && at < from+6; at++ {
		p := &a.all[at]
		switch {
		case excludedWords(p.low):
			p.kind = gluePart
			return at
		case (p.low == "not" || p.low == "keine" || strings.HasSuffix(p.low, "n't") || strings.HasSuffix(p.low, "n’t") || p.low == "nicht" || p.low == "never") && negation < 0:
			negation = at
		case includedWords(p.low) && negation >= 0:
			p.kind, a.all[negation].kind = gluePart, gluePart
			return at
		case p.low == "left" && at+1 < len(a.all) && a.all[at+1].low == "out":
			p.kind, a.all[at+1].kind = gluePart, gluePart
			return at + 1
		case !(a.glue(at) || a.isRows(at) || a.all[at].low == "ones"):
			if column, _ := a.value(at); column == "" || at != from+1 || !joining(a.all[from].low) || a.all[from].low == "," || !a.opensClause(from-1) {
				return -1
			}
		}
	}
	return -1
}
