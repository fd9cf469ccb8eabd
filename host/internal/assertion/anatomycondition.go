package assertion

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/text"
)

// found is a condition on the rows, and the parts that say it.
type found struct {
	from, to       int
	column, text   string
	value          string // of an equality, else ""
	flag, excluded bool
	// null says that the condition is about a missing value, with its own negation.
	null bool
	// whole says that the comparison names its column.
	whole bool
	// group is the first condition of the values of which a row has one.
	group int
	// again says that another one says the same.
	again bool
}

// conditions marks the conditions on the rows; false = a condition has a value that its column does not have, or it is not
// certain which rows are left out.
func (a *anatomy) conditions() bool {
	var all []found
	a.rowsOnly()
	for i := 0; i < len(a.all); {
		if k := a.all[i].kind; k != unknownPart && k != columnPart {
			i++
			continue
		}
		c, ok := a.compared(i)
		if !ok {
			return false
		}
		if c.to == i {
			i++
			continue
		}
		if a.language == German && c.value != "" && c.whole && c.to < len(a.all) && present(a.all[c.to].low) {
			c.to++ // "bei denen als art 'nacht' eingetragen ist"
		}
		for j := c.from; j < c.to; j++ {
			a.all[j].kind = gluePart
		}
		a.all[c.from].kind = conditionPart
		before := c.from - 1
		for before > 0 && a.all[before].is(notWord) {
			before--
		}
		for _, beside := range []int{before, c.to} {
			if beside >= 0 && beside < len(a.all) && (attributeWords(a.all[beside].low) || cognate(c.column, a.all[beside].low) || strings.HasPrefix(c.column, singular(a.all[beside].low)+"_") || strings.HasPrefix(c.column, strings.TrimSuffix(a.all[beside].low, "es")+"_")) && a.all[beside].kind == unknownPart && a.all[beside].column == "" {
				a.all[beside].kind = gluePart // "im Status dunning", where the column is sts
			}
		}
		c.group = len(all)
		if all, ok = a.explained(append(all, c)); !ok {
			return false
		}
		i = c.to
	}
	for i := 1; i < len(all); i++ {
		if !a.join(all, i) {
			return false
		}
	}
	all = a.keep(a.apartFrom(all))
	if !a.leave(all) {
		return false
	}
	if !a.agree(all) {
		return false
	}
	a.collect(all)
	a.strand()
	return true
}

// cognate reports whether a German noun is nearly the name of a column: "Fraktion" of fraction, "Kategorie" of category.
func cognate(column, noun string) bool {
	if len(column) < shortestStem || len(noun) < shortestStem-1 || noun[0] != column[0] && noun[0] < utf8.RuneSelf && !strings.ContainsAny(noun[:1]+column[:1], "kzpf") {
		return false
	}
	a, b := sounds().Replace(noun), sounds().Replace(column)
	return len(b) >= shortestStem && len(a) >= len(b)-1 && len(a) <= len(b)+2 && a[:len(b)-2] == b[:len(b)-2]
}

// sounds writes a noun as the other language does.
var sounds = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("k", "c", "z", "c", "ph", "f", "ä", "a", "ö", "o", "ü", "u")
})

// strand keeps a verb that is joined to what is no verb from being passed over: "paid or booked", where no column has the
// value booked.
func (a *anatomy) strand() {
	for i := 2; i < len(a.all); i++ {
		p, before := &a.all[i], i-1
		if p.kind != unknownPart || !p.is(sayWord) || i+1 < len(a.all) && !a.all[i+1].sign() && !a.all[i+1].joins() {
			continue
		}
		for before >= 0 && a.all[before].joins() {
			before--
		}
		if before >= 0 && before < i-1 && !a.all[before].is(sayWord|sumWord) {
			p.class = 0
		}
	}
}

// compared reads the condition that begins at a part: "status = 'paid'", "status is paid", "paid", "is_test".
// Shape: to = i: none begins there. ok is false for a value that the column does not have.
func (a *anatomy) compared(i int) (c found, ok bool) {
	p := &a.all[i]
	if p.column != "" && (p.length == 1 || p.kind == unknownPart) {
		if c, ok = a.oneOf(i); !ok || c.to > i {
			return c, ok
		}
		if c, ok = a.columnCompared(i); !ok || c.to > i {
			return c, ok
		}
		if c, ok = a.had(i); ok {
			return c, true
		}
	}
	c = found{from: i, to: i + max(1, p.length)}
	switch {
	case p.quotation() != "":
		if p.valueOf == "" {
			return c, false
		}
		c.column, c.value = p.valueOf, p.value
	case p.flag != "" && !p.is(notWord):
		c.column, c.text, c.flag = p.flag, p.flag, true
		return c, true
	case p.valueOf != "" && p.column == "":
		if i > 1 && a.all[i-1].low == "in" && a.all[i-2].text == "," && unitOf(p.text) != "" {
			return c, false // "…, in EUR" is a unit, or the currency of the rows
		}
		c.column, c.value = p.valueOf, p.value
	default:
		return a.measured(i)
	}
	c.text = c.column + " = " + textLiteral(c.value)
	if c.to < len(a.all) && a.all[c.to].column == c.column && a.all[c.to].kind == unknownPart { // "the pending status"
		if next, _ := a.columnCompared(c.to); next.to == c.to {
			c.to += a.all[c.to].length
		}
	}
	return c, true
}

// oneOf reads a column with a list of its values in parentheses: "species in (dog, cat)", "status not in (void)".
// Shape: ok is false where one of them is no value of the column.
func (a *anatomy) oneOf(i int) (c found, ok bool) {
	c, ok = found{from: i, to: i, column: a.all[i].column, whole: true}, true
	at := i + a.all[i].length
	if at < len(a.all) && a.all[at].low == "not" {
		c.excluded = true
		at++
	}
	if at+2 >= len(a.all) || a.all[at].low != "in" || a.all[at+1].text != "(" {
		return c, true
	}
	var values []string
	for at += 2; at < len(a.all) && a.all[at].text != ")"; at++ {
		switch p := &a.all[at]; {
		case p.joins():
		case p.valueOf == c.column && p.valueOf != "":
			values = append(values, textLiteral(p.value))
			at += max(1, p.length) - 1
		case p.number() && !strings.Contains(p.text, ","): // "1,000" may be one number or two
			values = append(values, p.text)
		default:
			return c, false
		}
	}
	if at == len(a.all) || len(values) == 0 {
		return c, false
	}
	c.text, c.to = c.column+" IN ("+strings.Join(values, ", ")+")", at+1
	return c, true
}

// measured reads a comparison that ends with its column: "more than 480 minutes", "at least 2 grades".
func (a *anatomy) measured(i int) (c found, ok bool) {
	c, ok = found{from: i, to: i}, true
	at := i
	if a.all[at].low == "at" && at+1 < len(a.all) {
		at++
	}
	sign := ""
	switch p := &a.all[at]; {
	case p.low == "least" || p.low == "mindestens":
		sign = ">="
	case p.low == "most" || p.low == "höchstens":
		sign = "<="
	case p.is(greaterWord):
		sign = ">"
	case p.is(lessWord):
		sign = "<"
	default:
		return c, true
	}
	if at++; at < len(a.all) && (a.all[at].low == "than" || a.all[at].low == "als") {
		at++
	}
	if at+1 >= len(a.all) {
		return c, true
	}
	number, column := &a.all[at], &a.all[at+1]
	if !number.number() || column.column == "" || column.valueOf != "" || column.kind != unknownPart && column.kind != columnPart {
		return c, true
	}
	literal := numeral(number.text, a.language)
	c.column, c.whole, c.to = column.column, true, at+1+max(1, column.length)
	c.text = c.column + " " + sign + " " + literal
	return c, literal != "" && a.negation(i) < 0
}

// textLiteral writes a value of a column of text in SQL.
func textLiteral(value string) string { return "'" + strings.ReplaceAll(value, "'", "''") + "'" }

// copulas stand between a column and its value.
var copulas = text.Words(`either entweder its their ihrer ihrem seiner seinem still currently already yet but noch bereits aber auch dem den = == is are was were equals equal to of has with the a value being ist sind war waren gleich hat haben den dem der die das wert auf steht stehen lautet von than als at least most mindestens höchstens no not nicht`)

// attributeWords are nouns for a column that stand beside a value of it.
var attributeWords = text.Words("status state stage type category kind level plan zustand typ art kategorie stufe")

// columnCompared reads a comparison that begins with its column.
func (a *anatomy) columnCompared(i int) (found, bool) {
	p := &a.all[i]
	c := found{from: i, to: i, column: p.column, whole: true}
	sign, negated, written, least := "", false, false, false
	words, same, moment := false, false, false // the sign is in words, both sides are equal, one is the later one
	j := i + p.length
	for ; j < len(a.all); j++ {
		switch q := &a.all[j]; {
		case (q.low == "set" || q.low == "gesetzt") && j+2 < len(a.all) && (a.all[j+1].low == "to" || a.all[j+1].low == "auf"):
			j++ // "emergency set to true"
		case q.valueOf == p.column && q.valueOf != "" || q.is(nullWord):
			goto value
		case q.is(notWord) && q.low != "no":
			negated = true
		case q.low == "least" || q.low == "mindestens" || q.low == "ab" && j+1 < len(a.all) && a.all[j+1].number():
			least, words, sign = true, true, ">="
		case q.low == "most" || q.low == "höchstens":
			least, words, sign = true, true, "<="
		case q.low == "equals" || q.low == "equal" || q.low == "gleich" || q.low == "entspricht" || q.low == "matches":
			same = true
		case !q.isWord && strings.ContainsAny(q.text, "=<>!"):
			written, sign = true, strings.Replace(strings.Replace(q.text, "!=", "<>", 1), "==", "=", 1)
		case j+1 < len(a.all) && moments(q.low) != "" && (a.moment(j+1) || (a.all[j+1].low == "than" || a.all[j+1].low == "als") && a.moment(j+2)):
			moment, sign = true, moments(q.low) // "delivered_at is after due_at"
		case q.is(greaterWord) && !least:
			words, sign = true, ">"
		case q.is(lessWord) && !least:
			words, sign = true, "<"
		case !copulas(q.low):
			goto value
		}
	}
value:
	if j == len(a.all) {
		return c, !written
	}
	q := &a.all[j]
	plain := sign == "" || sign == "="
	switch {
	case q.valueOf == p.column && q.valueOf != "" && (plain || sign == "<>"):
		c.to = j + max(1, q.length)
		if sign == "<>" {
			c.text = c.column + " <> " + textLiteral(q.value)
			return c, !negated
		}
		c.value, c.excluded = q.value, negated
		c.text = c.column + " = " + textLiteral(q.value)
		return c, true
	case q.number() && (written || words || a.bounds(j+1) != ""):
		number := numeral(q.text, a.language)
		if c.to = j + 1; !written && !words {
			sign, c.to = a.bounds(j+1), j+3
		}
		c.text = c.column + " " + sign + " " + number
		return c, !negated && number != ""
	case q.column != "" && q.column != c.column && q.length == 1 && q.isWord && (same && sign == "" || sign != "" && (written || moment || a.all[j-1].low == "than" || a.all[j-1].low == "als")) &&
		(j+1 == len(a.all) || !strings.ContainsAny(a.all[j+1].text, "/*+-")):
		c.text, c.to = c.column+" "+cmp.Or(sign, "=")+" "+q.column, j+1
		return c, !negated && !(moment && c.to < len(a.all) && (a.all[c.to].low == "by" || a.all[c.to].low == "um")) // "by more than 2 hours"
	case (q.low == "true" || q.low == "wahr" || q.low == "false") && p.flag == p.column && plain:
		c.to, c.text, c.flag, c.excluded = j+1, c.column, true, negated
		if q.low == "false" {
			c.text, c.flag = c.column+" = false", false
		}
		return c, !(negated && q.low == "false")
	case (q.low == "set" || q.low == "gesetzt") && p.flag == p.column && plain && !written:
		if c.to, c.text = j+1, c.column+" = true"; negated {
			c.text, c.flag, c.excluded = c.column, true, true
		}
		return c, true
	case q.is(nullWord) && (j > i+p.length || lacks(q.low)) && plain:
		c.null = true
		c.text, c.to = c.column+" is "+a.empty(q.low), j+1
		if negated != present(q.low) {
			c.text = strings.Replace(c.text, " is ", " is not ", 1)
		}
		return a.nulled(c, q.low), true
	}
	return c, !written && q.quotation() == ""
}

// moments returns the comparison that a word of time says between two columns; "" = it says none.
func moments(low string) string {
	switch low {
	case "after", "later", "nach", "später":
		return ">"
	case "before", "earlier", "vor", "früher":
		return "<"
	}
	return ""
}

// moment reports whether a column of a moment stands at a part.
func (a *anatomy) moment(i int) bool {
	if i >= len(a.all) || a.all[i].column == "" {
		return false
	}
	word := lastWord(a.all[i].column)
	return doneEndings(word) && !keyEndings(word) && word != "by" && word != "von" // who did it, or a key
}

// bounds returns the comparison that two words behind a number say: "500 or more", "15 oder weniger"; "" = they say none.
func (a *anatomy) bounds(i int) string {
	switch {
	case i+1 >= len(a.all) || !a.all[i].is(orWord|andWord):
	case a.all[i+1].is(greaterWord) || a.all[i+1].low == "up" || a.all[i+1].low == "darüber":
		return ">="
	case a.all[i+1].is(lessWord) || a.all[i+1].low == "darunter":
		return "<="
	}
	return ""
}

// explained has a comparison in parentheses explain the words before it: "zugestellte Pakete (sts = 'delivered')". A condition
// that they say themselves must be the same.
func (a *anatomy) explained(all []found) ([]found, bool) {
	c := &all[len(all)-1]
	from, to := c.from-1, c.to
	words := a.rewords(from)
	that := words >= 0
	open := from
	if that {
		open = words
	}
	if that || from > 0 && a.all[from].text == "(" && to < len(a.all) && a.all[to].text == ")" {
		if others, ok, sure := a.exempt(all, open); ok || !sure {
			return others, sure
		}
	}
	switch {
	case that: // "active contracts, i.e. status = 'active'"
		for i := words + 1; i <= from; i++ {
			a.all[i].kind = gluePart
		}
		from = words
	case from < 1 || a.all[from].text != "(" || to >= len(a.all) || a.all[to].text != ")":
		return all, true
	default:
		a.all[from].kind, a.all[to].kind = gluePart, gluePart
		c.to++
	}
	strange, at := 0, from-1
	for ; at >= 0 && at >= from-3 && a.all[at].isWord && a.all[at].kind == unknownPart; at-- {
		if p := &a.all[at]; p.rows || p.low == "ones" {
			continue
		} else if p.class != 0 || p.known() || strings.Contains(p.text, "_") { // of another table, or of none
			break
		}
		strange++
	}
	related := slices.ContainsFunc(a.all[at+1:from], func(p part) bool {
		return len(p.low) > 3 && (strings.HasPrefix(c.value, p.low[:3]) || strings.Contains(c.column, p.low[:3]))
	})
	if strange == 1 || strange == 2 && (a.language == German || related) {
		if !slices.ContainsFunc(a.all[at+1:from], func(p part) bool { return p.rows }) {
			a.all[from-1].kind = rowsPart // "Notfälle (emergency = true)"
		}
		for i := at + 1; i < from; i++ {
			if !a.all[i].rows && a.all[i].kind == unknownPart {
				a.all[i].kind = gluePart
			}
		}
		if strange == 2 {
			a.rename(from)
		}
		if at >= 0 && a.all[at].is(notWord) && c.null && !strings.Contains(c.text, " is not ") && strings.HasPrefix(strings.ToLower(c.column), a.all[at+1].low) {
			a.all[at].kind = gluePart // "not refunded, i.e. refunded_at is empty"
		}
	}
	return a.saidBefore(all, from, that)
}

// saidBefore takes a comparison, the last condition, and the words before a part for one condition where they say the same. that says that the
// words announce it: "i.e.".
// Shape: false = they say different things.
func (a *anatomy) saidBefore(all []found, from int, that bool) ([]found, bool) {
	c := &all[len(all)-1]
	if len(all) < 2 {
		return all, true
	}
	before := &all[len(all)-2]
	if that && before.column != c.column && before.to == from {
		return all, false // "with no tagged_by, that is, where blurred is true"
	}
	if before.column == c.column && from == before.to+1 && a.strange(before.to) {
		a.all[before.to].kind = gluePart // "geplante Abschaltungen (geplant = true)"
	}
	if before.column != c.column || from-before.to > 2 || a.stranger(before.to, from) {
		return all, true
	}
	if not := a.negation(before.from); before.flag && !before.excluded && c.text == c.column+" = false" && not >= 0 { // "not internal (is_internal = false)"
		a.all[not].kind, a.all[before.from].kind = gluePart, gluePart
		group := before.group
		*before = *c
		before.group = group
		return all[:len(all)-1], true
	}
	if that && a.negation(before.from) >= 0 {
		return all, false // "not refunded, i.e. status = 'refunded'"
	}
	if before.text == c.text && before.excluded == c.excluded {
		before.to = c.to
		return all[:len(all)-1], true
	}
	return all, false
}

// rewords returns the comma before words up to a part that say that a condition is said once more: ", i.e. where", ", in other
// words"; -1 = there are none.
func (a *anatomy) rewords(to int) int {
	if to > 0 && (a.all[to].low == "where" || a.all[to].low == "wo") {
		to--
	}
	if to > 0 && a.all[to].text == "," {
		to--
	}
	if a.language != English && to > 0 && a.all[to].low == "also" && a.all[to-1].text == "," {
		return to - 1
	}
	for _, phrase := range [...]string{". i.e", ". d.h", "is that", "words other in", "heißt das", "worten anderen mit"} {
		at := to
		for word := range strings.FieldsSeq(phrase) {
			if at < 0 || a.all[at].low != word {
				at = 0
			}
			at--
		}
		if at > 0 && a.all[at].text == "," {
			return at
		}
	}
	return -1
}

// rename has the noun before an explanation mean the rows wherever else it stands behind "all": "gekündigte Mitgliedschaften
// (mbr_state = terminated) durch alle Mitgliedschaften".
func (a *anatomy) rename(from int) {
	noun := a.all[from-1].low
	for i := from; i < len(a.all); i++ {
		if p := &a.all[i]; p.low == noun && p.kind == unknownPart && a.all[i-1].is(allWord) {
			p.rows = true
		}
	}
}

// stranger reports whether a word between two parts is neither glue nor a noun for the rows, nor leaves something out.
func (a *anatomy) stranger(from, to int) bool {
	return slices.ContainsFunc(a.all[from:to], func(p part) bool {
		return p.kind != gluePart && !p.rows && !p.is(leftWord) && !(p.is(glueWord) && p.kind == unknownPart) && p.kind != tablePart
	})
}

// negation returns the "not" that stands directly before a part, but for articles; -1 = there is none.
func (a *anatomy) negation(i int) int {
	for i--; i >= 0 && a.all[i].is(glueWord) && !a.all[i].is(onlyWord|allWord|eachWord); i-- {
	}
	if i >= 0 && a.all[i].is(notWord) && a.all[i].kind == unknownPart {
		return i
	}
	return -1
}

// join finds values of one column of which a row has one: "paid or pending orders", "paid and pending orders". false = one of
// several columns is enough, or one of several comparisons.
func (a *anatomy) join(all []found, i int) bool {
	c, before := &all[i], &all[i-1]
	joined, either, both := false, false, false
	for at := before.to; at < c.from; at++ {
		p := &a.all[at]
		if c.column != before.column && a.besides(at) {
			return false // "trapped ones and those with cause vandalism" are either
		}
		either, both = either || p.is(orWord) && !p.is(glueWord), both || p.is(andWord)
		if p.is(orWord|andWord) || p.text == "," {
			joined = true
		} else if !(p.is(glueWord) && !p.is(jointWord&^articleWord)) && !p.rows && p.column != c.column {
			return true
		}
	}
	if c.whole && before.whole && both {
		return true // "status = 'paid' and status = 'pending'": no row has both
	}
	if !joined || c.column != before.column || c.value == "" || before.value == "" || c.excluded != before.excluded || c.value == before.value {
		return !either
	}
	c.group = before.group
	for at := before.to; at < c.from; at++ {
		if p := &a.all[at]; p.kind == unknownPart {
			p.kind = gluePart
		}
	}
	return true
}

// collect writes the conditions of each group as one; the same one may be said twice, but for the sides of a division.
func (a *anatomy) collect(all []found) {
	for i := range all {
		c := &all[i]
		if c.again || c.group != i && !c.excluded || redundant(c, all) && !a.divides() && !slices.ContainsFunc(a.all, func(p part) bool { return p.is(shareWord) }) {
			continue
		}
		values := []string{}
		for j := i; j < len(all); j++ {
			if o := &all[j]; o.value != "" && (o.group == i && !c.excluded || j == i) { // each value that is left out is a condition
				if v := textLiteral(o.value); !slices.Contains(values, v) {
					values = append(values, v)
				}
			}
		}
		where := Condition{Text: c.text, Excluded: c.excluded}
		if len(values) > 1 {
			where.Text = c.column + " IN (" + strings.Join(values, ", ") + ")"
		}
		at := slices.Index(a.where, where)
		if at < 0 || a.divides() {
			at = len(a.where)
			a.where = append(a.where, where)
		}
		for j := i; j < len(all); j++ {
			if all[j].group == i && !c.excluded || j == i {
				a.all[all[j].from].where = at + 1
			}
		}
	}
}

// redundant reports whether a condition leaves out values of a column that another one asks a value of.
func redundant(c *found, all []found) bool {
	return c.excluded && c.value != "" && slices.ContainsFunc(all, func(o found) bool {
		return o.column == c.column && !o.excluded && o.value != "" && !slices.ContainsFunc(all, func(p found) bool { return p.group == c.group && p.value == o.value })
	})
}

// impossible reports whether two conditions ask for different values of one column, or for a value that is left out, which
// no row has.
func (a *anatomy) impossible() bool {
	column := func(c Condition) string {
		at := strings.IndexByte(c.Text+" ", ' ')
		return c.Text[:at]
	}
	for i, c := range a.where {
		if slices.ContainsFunc(a.where[:i], func(o Condition) bool { return o.Text == c.Text && o.Excluded != c.Excluded }) && !a.divides() {
			return true
		}
		equal := strings.Contains(c.Text, " = ") || strings.Contains(c.Text, " IN (")
		if equal && slices.ContainsFunc(a.where[:i], func(o Condition) bool {
			same := column(o) == column(c) && (strings.Contains(o.Text, " = ") || strings.Contains(o.Text, " IN ("))
			return same && (!o.Excluded && !c.Excluded || o.Text == c.Text)
		}) {
			return true
		}
	}
	return false
}

// divides reports whether there are two sides, each with conditions of its own.
func (a *anatomy) divides() bool { return twoSided(a.all) }

// twoSided reports whether one of some parts divides or subtracts.
func twoSided(all []part) bool {
	return slices.ContainsFunc(all, func(p part) bool {
		return p.is(divideWord) || p.text == "/" || p.text == "÷" || p.low == "minus" || p.low == "abzüglich" || p.low == "durch" || p.low == "relation" || p.low == "verhältnis" || p.low == "over" || below(p.low)
	})
}
