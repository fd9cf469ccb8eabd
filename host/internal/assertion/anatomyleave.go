package assertion

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// leave finds the conditions that words of exclusion leave out; false = it is not certain which.
func (a *anatomy) leave(all []found) bool {
	left := map[int]bool{}
	for i := range a.all {
		p := &a.all[i]
		if p.low == "so" && i > 0 && i+1 < len(a.all) && (a.all[i-1].is(andWord) || a.all[i-1].sign()) && sameAgain(a.all[i+1].low) {
			return false // "…, and so are tests"
		}
		if p.is(notWord) && p.kind == unknownPart && i+1 < len(a.all) && leaving(a.all[i+1].low) {
			p.class, a.all[i+1].kind = leaveWord, gluePart // "not counting charter flights"
		}
		whole := i > 0 && (a.all[i-1].low == "everything" || a.all[i-1].low == "anything" || a.all[i-1].low == "alles")
		but := p.low == "but" && i > 0 && (a.all[i-1].is(allWord) || whole) // "all but paid orders"
		if a.leftAt(i) {
			p.class |= leftWord // "lassen wir weg"
		}
		if p.kind != unknownPart || !p.is(leaveWord|leftWord|notWord|includeWord) && p.low != "left" && p.low != "leaving" && !(p.low == "leave" && a.outAt(i) > 0) && p.low != "außen" && !but {
			continue
		}
		scope, last := a.scope(all, i, but)
		if scope == -2 {
			return false
		}
		if scope < 0 {
			continue // it stays unread
		}
		if left[all[scope].group] {
			return false // "not … excluded"
		}
		left[all[scope].group] = true
		if whole {
			a.all[i-1].kind = gluePart // "everything except refunded orders"
		}
		for j := i; j <= last; j++ {
			a.all[j].kind = gluePart
		}
		if at := slices.IndexFunc(a.all[max(0, i-6):i], func(p part) bool {
			return p.low == "leave" || p.low == "leaving" || p.low == "put" || leavingOut(p.low)
		}); at >= 0 && p.is(leftWord) {
			a.all[max(0, i-6)+at].kind = gluePart
		}
	}
	for i := range all {
		if left[all[i].group] {
			if all[i].excluded {
				return false
			}
			all[i].excluded = true
			a.everyBefore(&all[i])
			a.rowsBefore(&all[i])
		}
	}
	return !a.trailing(all)
}

// trailing reports whether a value is joined to what is left out, with nothing between that says whether it is left out as well: "excluding
// reversed bookings (is_reversed = true), and refunds".
func (a *anatomy) trailing(all []found) bool {
	for i := 1; i < len(all); i++ {
		c, before := &all[i], &all[i-1]
		if c.excluded || !before.excluded || c.value == "" || c.from < before.to {
			continue
		}
		between := a.all[before.to:c.from]
		if slices.ContainsFunc(between, func(p part) bool { return p.is(andWord|orWord) || p.low == "well" || p.low == "together" }) && !slices.ContainsFunc(between, func(p part) bool {
			return p.is(jointWord) && !p.is(articleWord) && p.low != "with" || p.is(onlyWord|linkWord)
		}) {
			return true
		}
	}
	return false
}

// outAt returns where the particle of "leave … out" is, in the same clause; 0 = there is none.
func (a *anatomy) outAt(leave int) int {
	for i := leave + 1; i < min(len(a.all), leave+7) && !a.all[i].sign(); i++ {
		if a.all[i].low == "out" {
			return i
		}
	}
	return 0
}

// sameAgain reports whether a verb behind "so" says of something what was said before.
func sameAgain(w string) bool {
	switch w {
	case "are", "is", "do", "does", "were":
		return true
	}
	return false
}

// leftAt reports whether a part is the particle at the end of a German clause that leaves something out: "… lassen wir weg".
func (a *anatomy) leftAt(i int) bool {
	if i+1 < len(a.all) && !a.all[i+1].sign() {
		return false
	}
	if (leftOver(a.all[i].low) || a.all[i].low == "draußen") && i > 0 && stays(a.all[i-1].low) {
		a.all[i-1].kind = gluePart // "geplante bleiben draußen"
		return true
	}
	if !leftOver(a.all[i].low) {
		return false
	}
	return slices.ContainsFunc(a.all[max(0, i-3):i], func(p part) bool { return leavingOut(p.low) })
}

// apartFrom drops values in parentheses behind a condition on their column that say why other rows are not in: "only relation = 'export'
// (transit is counted separately)".
func (a *anatomy) apartFrom(all []found) []found {
	for k := range all {
		c, open := all[k], all[k].to
		end := open
		for end < len(a.all) && a.all[end].text != ")" {
			end++
		}
		if c.value == "" || c.excluded || open >= len(a.all) || a.all[open].text != "(" || end == len(a.all) {
			continue
		}
		leaves, apart := 0, false
		for i := open + 1; i < end; i++ {
			if apart = apart || apartWords(a.all[i].low) && !a.all[i-1].is(notWord); a.leavesOut(i) {
				leaves++
			}
		}
		inside := func(o found) bool { return open < o.from && o.to <= end }
		other := func(o found) bool {
			return inside(o) && (o.column != c.column || o.value == "" || slices.ContainsFunc(all, func(s found) bool { return !inside(s) && s.column == o.column && s.value == o.value }))
		}
		if leaves > 1 || leaves == 0 && !apart || !slices.ContainsFunc(all, inside) || slices.ContainsFunc(all, other) || slices.ContainsFunc(a.all[open+1:end], func(p part) bool {
			return p.number() || p.is(onlyWord|includeWord|aggregateWord|timeWord|leaveWord) && !p.is(articleWord) || p.low == "also" || p.low == "auch" || p.low == "too"
		}) {
			continue
		}
		for i := open; i <= end; i++ {
			a.all[i].kind = gluePart
		}
		return slices.DeleteFunc(all, inside)
	}
	return all
}

// agree finds words for a flag that a comparison with false says once more: "die keine Garantie sind, also GARANTIE = false";
// false = the words say the opposite.
func (a *anatomy) agree(all []found) bool {
	for i := range all {
		for j := range all {
			c, o := &all[i], &all[j]
			if c.text != c.column+" = false" || c.excluded || o.text != c.column || twoSided(a.all[min(c.from, o.from):max(c.to, o.to)]) {
				continue
			}
			if !o.excluded {
				return false
			}
			o.again, a.all[o.from].kind = true, gluePart
		}
	}
	return true
}

// exempt drops the words that leave out rows before a comparison, the last one, at a part, that keeps the others: "staff excluded
// (cust_typ <> 'staff')", "stornierte Positionen bleiben draußen, also storniert = false".
// Shape: ok says that the words are dropped; sure is false where they leave out what is not certainly the opposite.
func (a *anatomy) exempt(all []found, to int) (rest []found, ok, sure bool) {
	last := len(all) - 1
	c, from, word := all[last], to, -1
	keeps := c.text == c.column+" = false" || strings.HasPrefix(c.text, c.column+" <> ") || c.null && !strings.Contains(c.text, " is not ")
	leaves, strange, related := 0, 0, false
	for from > 0 && !a.all[from-1].sign() {
		from--
		if a.leavesOut(from) {
			word = max(word, from)
			leaves++
		}
	}
	if !keeps || c.excluded || leaves == 0 {
		return all, false, true
	}
	if slices.ContainsFunc(a.all[word+1:to], func(p part) bool {
		return p.class == 0 && p.low != "vor" || p.is(sayWord) && !p.is(includeWord) || p.kind == conditionPart
	}) {
		from = word // "not called off (", not "excluded ("
	}
	before := last
	for i := from; i < to; i++ {
		p := &a.all[i]
		switch at := slices.IndexFunc(all[:last], func(o found) bool { return o.from <= i && i < o.to }); {
		case at >= 0:
			o := &all[at]
			if o.text == c.text {
				return all, false, true // "with no tagged_by, that is, where tagged_by is null"
			}
			if o.column != c.column || o.excluded || !(o.flag && o.text == o.column || o.value != "" && strings.HasSuffix(c.text, " <> "+textLiteral(o.value))) {
				return all, false, false
			}
			before, related = min(before, at), true
		case a.leavesOut(i), takenIn(p.low) && i > from && a.all[i-1].is(notWord):
		case p.is(onlyWord|allWord|orWord|jointWord&^articleWord) || p.known() && !p.rows && !p.is(includeWord):
			return all, false, false
		case p.isWord && p.class == 0 && !stays(p.low) && p.low != "vor":
			related = related || akin(p.low, strings.ToLower(c.column)) || akin(p.low, strings.ToLower(c.text[len(c.column):]))
			strange++
		}
	}
	if leaves != 1 || !related || strange > glossedNouns {
		return all, false, false
	}
	for i := from; i < c.from; i++ {
		a.all[i].kind = gluePart
	}
	if a.all[to].text == "(" && c.to < len(a.all) && a.all[c.to].text == ")" {
		a.all[c.to].kind = gluePart
		c.to++
	}
	c.group = before
	return append(all[:before], c), true, true
}

// leavesOut reports whether a word says that something is left out.
func (a *anatomy) leavesOut(i int) bool {
	p := &a.all[i]
	return p.is(leaveWord|leftWord|notWord) || p.low == "außen" || p.low == "draußen" || p.low == "out" && i > 0 && (a.all[i-1].low == "left" || stays(a.all[i-1].low) || a.all[i-1].is(notWord|linkWord))
}

// akin reports whether a word begins as a name does, or as a value in it: "Stornos" of storno_kz.
func akin(low, name string) bool {
	name = strings.TrimLeft(name, " <>='")
	return len(low) >= shortestStem && len(name) >= shortestStem-1 && low[:shortestStem-1] == name[:shortestStem-1]
}

// everyBefore passes over the column of a value that is left out, where all others are meant: "every platform except
// youtube".
func (a *anatomy) everyBefore(c *found) {
	at := c.from - 1
	for at > 0 && a.all[at].column == "" && (a.all[at].kind == gluePart || a.all[at].text == ",") {
		at--
	}
	if at > 0 && a.all[at].column == c.column && a.all[at].kind == unknownPart && a.all[at-1].is(allWord|eachWord) {
		a.all[at].kind, a.all[at-1].kind = gluePart, gluePart
	}
}

// keep drops the conditions of clauses that say that rows are not left out: "returned lines stay in".
func (a *anatomy) keep(all []found) []found {
	for from, to := range a.clausesOf {
		last := to - 1
		if last > from && (a.all[last].low == "included" || a.all[last].low == "enthalten") && slices.ContainsFunc(a.all[from:to], func(p part) bool { return p.kind == conditionPart }) &&
			!slices.ContainsFunc(a.all[from:to], func(p part) bool { return p.is(notWord) }) {
			a.all[last].class = 0 // they may be all, or some of them
			continue
		}
		too := from > 0 && a.countedToo(all, from, to)
		if last == from || !too && !(stays(a.all[last-1].low) && insideWords(a.all[last].low) || insideWords(a.all[last-1].low) && stays(a.all[last].low)) ||
			slices.ContainsFunc(a.all[from:to], func(p part) bool { return p.is(notWord|leaveWord|leftWord) || p.is(onlyWord) }) {
			continue
		}
		strange := slices.ContainsFunc(a.all[from:last-1], func(p part) bool {
			return p.kind != gluePart && p.kind != conditionPart && !p.rows && !p.is(glueWord) && p.low != "yes" && p.low != "ja" && !(too && (p.is(includeWord) || p.class == 0 && !p.known()))
		})
		if strange {
			continue
		}
		all = slices.DeleteFunc(all, func(c found) bool { return from <= c.from && c.to <= to })
		for i := from; i < to; i++ {
			a.all[i].kind = gluePart
		}
	}
	for i := range all {
		all[i].group = min(all[i].group, i)
	}
	return all
}

// countedToo reports whether a clause says that rows with a condition are in the number as well, of which no other condition speaks:
// "…, and rejected loads are counted too".
func (a *anatomy) countedToo(all []found, from, to int) bool {
	last := &a.all[to-1]
	ends := last.low == "too" || last.low == "mit" || last.low == "well" && a.all[to-2].low == "as"
	inside := func(c found) bool { return from <= c.from && c.to <= to }
	return ends && slices.ContainsFunc(all, inside) && slices.ContainsFunc(a.all[from:to], func(p part) bool { return p.is(includeWord | countWord) }) && !slices.ContainsFunc(all, func(c found) bool {
		return inside(c) && slices.ContainsFunc(all, func(o found) bool { return !inside(o) && o.column == c.column })
	})
}

// rowsBefore takes the noun that begins a clause before a condition that is left out for the rows, where it names nothing of the warehouse:
// "…, Einsätze mit rpr_st = 'abort' lassen wir weg". The things that the rows refer to are none: "…, customers with …".
func (a *anatomy) rowsBefore(c *found) {
	at := c.from - 1
	for at > 0 && a.all[at].is(jointWord) {
		at--
	}
	if at < 1 || at == c.from-1 || !a.all[at-1].sign() && a.all[at-1].low != "out" && !a.all[at-1].is(leaveWord) && !(at > 1 && a.all[at-1].is(articleWord) && a.all[at-2].sign()) {
		return
	}
	if a.all[at].kind == unknownPart && a.strange(at) {
		a.all[at].kind = gluePart
	}
}

// strange reports whether a plural names nothing of the warehouse, neither what the rows refer to, and no persons, so that beside rows it
// means these.
func (a *anatomy) strange(i int) bool {
	p := &a.all[i]
	names := append(slices.Clone(germanNoun(p.low)), singular(p.low))
	for _, ending := range caseEndings {
		if stem, ok := strings.CutSuffix(p.low, ending); ok && a.language == German && len(stem) >= shortestHead {
			names = append(names, stem)
		}
	}
	plural := strings.HasSuffix(p.low, "s") || a.language == German && capital(p.text)
	return p.isWord && p.class == 0 && plural && !p.known() && a.tableOf(p) == "" && a.lexicon.Owner(p.text) == "" && !slices.ContainsFunc(names, func(one string) bool {
		return persons(one) || a.lexicon.Column(a.identity, one)+a.lexicon.Column(a.identity, one+" id")+a.lexicon.Column(a.identity, one+" nr") != ""
	})
}

// among reports whether a noun stands for all rows of the table behind it, which are computed with, not counted: "the sum of wet_t over
// all loads in ops.intake".
func (a *anatomy) among(i int) bool {
	return i > 2 && i+2 < len(a.all) && a.all[i-1].is(allWord) && tableLeads(a.all[i+1].low) && a.all[i+2].kind == tablePart &&
		!a.all[i-2].is(countWord|distinctWord) && !a.all[i-3].is(countWord|distinctWord) && slices.ContainsFunc(a.all[:i], func(p part) bool { return p.is(aggregateWord) || p.kind == callPart }) &&
		a.flagOf(a.all[i].text) == "" && a.strange(i)
}

// agent is an English noun for persons and firms, by its ending.
var agent = text.Pattern(`(?:er|or|ant|[^m]ent|ee|ist)s?$`)

// persons reports whether a noun is one for persons or firms.
func persons(noun string) bool { return noun != "order" && agent().MatchString(noun) }

// leaving reports whether a verb behind "not" leaves something out.
func leaving(w string) bool {
	switch w {
	case "counting", "including", "considering":
		return true
	}
	return false
}

// leavingOut and leftOver report whether a word is a German verb of leaving out, or its particle.
func leavingOut(low string) bool {
	switch low {
	case "lassen", "lässt", "nehmen", "nimmt", "rechnen", "rechnet":
		return true
	}
	return false
}

func leftOver(low string) bool { return low == "weg" || low == "raus" || low == "heraus" }

// belonging reports whether a word is a verb of being in a number.
func belonging(low string) bool {
	return low == "belong" || low == "belongs" || low == "gehören" || low == "gehört"
}

// takenIn reports whether a word ends a German verb of counting in.
func takenIn(w string) bool {
	switch w {
	case "mit", "dazu", "dabei", "rein", "hinein":
		return true
	}
	return false
}

// scope returns the condition that a word leaves out, and the last word that says so; -1 = there is none, -2 = there are
// several.
func (a *anatomy) scope(all []found, i int, but bool) (scope, last int) {
	switch p := &a.all[i]; {
	case p.low == "left" && i+1 < len(a.all) && a.all[i+1].low == "out", p.low == "außen" && i+1 < len(a.all) && a.all[i+1].low == "vor":
		return a.scopeBefore(all, i), i + 1
	case (p.low == "leaving" || p.low == "leave") && i+1 < len(a.all) && (a.all[i+1].low == "out" || a.all[i+1].is(leftWord)):
		return a.scopeBehind(all, i+1, 8), i + 1
	case p.low == "leave" && a.outAt(i) > 0:
		return a.scopeBehind(all, i, a.outAt(i)-i), a.outAt(i) // "leave the bonus format out"
	case p.is(leftWord) && i > 0 && a.all[i-1].sign() && a.scopeBehind(all, i, 8) >= 0: // "…, ausgenommen Zeilen mit …"
		return a.scopeBehind(all, i, 8), i
	case p.is(leftWord):
		return a.scopeBefore(all, i), i
	case p.is(notWord) && i > 0 && i+1 < len(a.all) && (a.all[i-1].is(countWord) || belonging(a.all[i-1].low)) && takenIn(a.all[i+1].low) && (i+2 == len(a.all) || a.all[i+2].sign()):
		if scope = a.scopeBefore(all, i-1); scope >= 0 {
			a.all[i-1].kind = gluePart // "verregnete zählen nicht mit"
		}
		return scope, i + 1
	case p.is(notWord) && !p.is(joinerWord|orWord):
		if last = a.included(i); last > i {
			return a.scopeBefore(all, i), last
		}
		if i > 0 && a.all[i-1].kind == tablePart {
			return -1, i // "orders in sales.orders not paid": what it belongs to is not certain
		}
		return a.scopeBehind(all, i, 5), i
	case p.is(leaveWord), but:
		return a.scopeBehind(all, i, 8), i
	}
	return -1, i
}

// included returns the word of counting behind a negation: "are not counted"; the negation itself = there is none.
func (a *anatomy) included(not int) int {
	for i := not + 1; i < len(a.all) && i < not+4; i++ {
		switch p := &a.all[i]; {
		case (p.is(includeWord) || belonging(p.low)) && !(i+1 < len(a.all) && a.all[i+1].isWord && !a.all[i+1].is(glueWord)):
			return i
		case !p.is(glueWord) || p.is(onlyWord):
			return not
		}
	}
	return not
}

// scopeBehind returns the condition behind a word of exclusion; -1 = there is none, -2 = there are several columns.
func (a *anatomy) scopeBehind(all []found, word, reach int) int {
	at := word + 1
	scope := -1
	for ; at < len(a.all) && reach > 0; at, reach = at+1, reach-1 {
		p := &a.all[at]
		if i := slices.IndexFunc(all, func(c found) bool { return c.from <= at && at < c.to }); i >= 0 {
			if scope >= 0 && all[i].group != all[scope].group {
				if all[i].null || a.apart(all[scope].to, all[i].from) {
					return scope
				}
				return -2
			}
			scope, at = i, all[i].to-1
			continue
		}
		switch {
		case p.is(onlyWord|allWord|eachWord) && scope < 0, p.kind == callPart:
			return -1
		case p.kind == gluePart || p.kind == rowsPart || p.rows || p.is(glueWord) && !(scope >= 0 && p.is(jointWord)), scope < 0 && at+1 < len(a.all) && a.all[at+1].is(jointWord) && a.strange(at):
		case p.is(orWord|andWord) || p.text == "," && !a.besides(at):
		case scope >= 0 && a.besides(at):
			return -2
		default:
			return scope
		}
	}
	return scope
}

// besides reports whether other rows are joined to those before, and described at a part: "trapped ones and those with …".
func (a *anatomy) besides(at int) bool {
	return at > 2 && a.all[at-2].is(andWord|orWord) && (a.all[at-1].rows || a.all[at-1].is(articleWord)) && (a.all[at].text == "," || a.all[at].is(jointWord))
}

// scopeBefore returns the condition before a word of exclusion.
func (a *anatomy) scopeBefore(all []found, word int) int {
	scope := -1
	for at := word - 1; at >= 0; at-- {
		p := &a.all[at]
		if i := slices.IndexFunc(all, func(c found) bool { return c.from <= at && at < c.to }); i >= 0 {
			if scope >= 0 && all[i].group != all[scope].group {
				if a.apart(all[i].to, all[scope].from) {
					return scope
				}
				return -2
			}
			scope, at = i, all[i].from
			continue
		}
		switch {
		case scope >= 0 && a.besides(at):
			return -2
		case scope >= 0 && (p.sign() || p.is(jointWord) && !p.is(articleWord)):
			return scope
		case p.kind == gluePart || p.rows || p.is(glueWord|orWord|andWord) || leavingOut(p.low) && a.leftAt(word):
		case scope < 0 && at == word-1 && (p.text == "," || stays(p.low)):
		default:
			return scope
		}
	}
	return scope
}

// apart reports whether a sign or a joint stands between two conditions.
func (a *anatomy) apart(from, to int) bool {
	return slices.ContainsFunc(a.all[from:to], func(p part) bool { return p.sign() || p.is(jointWord) && !p.is(articleWord) })
}

// stays reports whether a word is a verb before a word of insideWords.
func stays(w string) bool {
	switch w {
	case "stay", "stays", "remain", "remains", "bleiben", "bleibt", "fallen", "fällt":
		return true
	}
	return false
}

// insideWords reports whether a word says, behind a verb of staying, that rows are not left out.
func insideWords(w string) bool {
	switch w {
	case "in", "drin", "dabei", "enthalten":
		return true
	}
	return false
}
