package assertion

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/text"
)

// parenthesised matches a subject followed by a text in parentheses.
var parenthesised = text.Pattern(`^(.+?)\s*\(([^()]+)\)$`)

// germanOnly reports whether a keyword has another meaning in English.
func germanOnly(w string) bool {
	switch w {
	case "pro", "je", "mit", "wo":
		return true
	}
	return false
}

// qualify moves qualifiers from the subject to Qualifiers.
func (r *reader) qualify(st *Statement) {
	if m := parenthesised().FindStringSubmatch(st.Subject); m != nil && st.Formula != nil && st.Formula.Table == "" && r.o.Lexicon != nil && strings.Contains(m[2], ".") && r.o.Lexicon.Table(m[2]) != "" {
		st.Subject, st.Formula.Table = m[1], m[2] // "late rate (sales.orders) = …"
	} else if m != nil && !initials(m[1], m[2]) && !initials(m[2], m[1]) {
		st.Subject = m[1]
		st.Qualifiers = append(st.Qualifiers, m[2])
	} else if m != nil {
		st.Subject = m[1]
	}
	if st.Attribute != FormulaOf || st.Formula == nil {
		return
	}
	// "revenue in Germany", "Umsatz ohne Stornos"
	head, rest := clauses(st.Subject)
	if m := oneOfSeveral().FindStringSubmatch(st.Subject); m != nil && !idiomatic(strings.ToLower(m[1])) && slices.ContainsFunc(lowered(m[1]), func(w string) bool {
		return classes()[w]&(speakerWord|venueWord) != 0 || people(w) || workplaces(w) || showing().MatchString(w) || surface().MatchString(w)
	}) {
		st.Subject, st.Qualifiers = strings.TrimSuffix(st.Subject, m[0]), append(st.Qualifiers, strings.TrimSpace(m[0])) // "Oil loss on the sales page" beside that of another one
		return
	}
	if slices.ContainsFunc(rest, func(c clause) bool { return c.text == "" }) {
		return // "Umbrellas in"
	}
	if st.Language == English && slices.ContainsFunc(rest, func(c clause) bool { return germanOnly(c.word) }) {
		return // "Active pro seats"
	}
	if len(rest) > 0 && !slices.ContainsFunc(rest, func(c clause) bool {
		return !st.Formula.expresses(c) && !st.placed(c) && !st.titled(c) && !r.ofName(c, st)
	}) {
		return // "Refunded for damage = … where reason = 'damaged'": the name says what the formula does
	}
	for _, c := range rest {
		st.Qualifiers = append(st.Qualifiers, c.word+" "+c.text)
	}
	if head != "" {
		st.Subject = head
	}
}

// placed reports whether a clause of a name is the place of things that the conditions, or the calculation, describe: "Sude im
// Tank" that were put in and not taken out, "kegs in the field" as out minus back. Else a place may restrict: "revenue in
// Germany".
func (st *Statement) placed(c clause) bool {
	if st.Rule != Parts {
		return false
	}
	if per := singular(strings.ToLower(c.text)); clauseWords[c.word] == clausePer && (st.Formula.Aggregate == "avg" || st.Formula.Aggregate == "median") {
		return rowWords(per) || per == lastWord(base(st.Formula.Table)) || slices.ContainsFunc(st.Formula.Where, func(w Condition) bool { // "seconds per pick" where kind = 'pick'
			return !w.Excluded && strings.HasSuffix(w.Text, " = "+textLiteral(per))
		})
	}
	_, divisor, divides := strings.Cut(st.Formula.Expr, "/")
	if st.Formula.Divisor != nil {
		divisor, divides = st.Formula.Divisor.call(nil), true
	}
	if divides && clauseWords[c.word] == clausePer { // "revenue per call", divided by their number
		return rowCount().MatchString(divisor) && !callWord().MatchString(st.Value) && c.ofRows(st.Formula.Table)
	}
	differs := strings.Contains(st.Formula.Of+st.Formula.Expr, " - ")
	if clauseWords[c.word] == clauseExcluded { // "Honorar ohne Labor" = sum(amount - lab_cost)
		return differs
	}
	present := len(st.Formula.Where) > 0 && !slices.ContainsFunc(st.Formula.Where, func(w Condition) bool {
		return classes()[w.Text[strings.LastIndexByte(w.Text, ' ')+1:]]&nullWord == 0
	})
	first, _ := utf8.DecodeRuneInString(c.text)
	return (differs || present) && (c.word == "im" || c.word == "am" || (c.word == "in" || c.word == "on") && unicode.IsLower(first) && st.Language == English)
}

// ofName reports whether a clause is a part of a name, for it speaks of nothing in the warehouse and of no time or place: "Spend per head"
// of a quotient, "Bales in stock" of rows with a condition.
func (r *reader) ofName(c clause, st *Statement) bool {
	_, divisor, _ := strings.Cut(st.Formula.Expr, "/")
	if st.Formula.Divisor != nil {
		divisor = st.Formula.Divisor.Call()
	}
	by := dividing().FindStringSubmatch(factor().ReplaceAllString(divisor, ""))
	list := lowered(c.text)
	if len(list) == 0 || r.o.Lexicon == nil {
		return false
	}
	last := list[len(list)-1]
	if (c.word == "in" || c.word == "on" || c.word == "im" || c.word == "auf") && idiomatic(strings.Join(list, " ")) && (len(st.Formula.Where) > 0 || st.Formula.distinct() || strings.Contains(strings.ToUpper(st.Formula.Expr), "CASE")) {
		return true
	}
	if slices.ContainsFunc(st.Formula.Where, func(w Condition) bool {
		return !w.Excluded && strings.HasSuffix(w.Text, " = "+textLiteral(strings.Join(list, "_")))
	}) {
		return true // "loans in repayment" where state = 'repayment'
	}
	known := slices.ContainsFunc(list, func(w string) bool {
		all := append(slices.Clone(germanNoun(w)), w, singular(w))
		return classes()[w]&(timeWord|onlyWord|leaveWord|notWord|orWord|eachWord|allWord) != 0 || digit(w[0]) || months[w] > 0 || slices.ContainsFunc(all, func(name string) bool {
			of := r.o.Lexicon.Table(name)
			if of != "" && of == r.tableOf(st) && (c.word == "on" || clauseWords[c.word] == clausePer && rowCount().MatchString(divisor)) {
				return false // "agents on shift" of shifts, "hints per game" of games
			}
			return r.meaningful(name, r.tableOf(st)) || of+r.o.Lexicon.Owner(name)+r.o.Lexicon.Owner(name+"_id") != ""
		})
	})
	unit, measured := units()[last]
	switch {
	case known || slices.ContainsFunc(list, joinerWords):
	case clauseWords[c.word] == clausePer && rowCount().MatchString(divisor):
		return c.word != "by" && !measured && !r.spells(parted(c.text), r.tableOf(st)) // "reading time per hit", of sum(seconds) / count(*)
	case clauseWords[c.word] == clausePer:
		if c.word == "by" || by == nil || !measured {
			return c.word != "by" && by != nil
		}
		of := units()[lastWord(by[1])]
		duration := unit.base == "second" || unit.base == "day" || unit.base == "month" // it may be how often the number is looked at
		if list[0] == "cubic" {
			return of.base == ""
		}
		times := factor().FindStringSubmatch(st.Value)
		if of == unit && times == nil || of.base == unit.base && slices.Contains(times, strconv.FormatFloat(unit.size/of.size, 'f', -1, 64)) {
			return true // "per work hour", of dur_h; "fee per hour", of sum(dur_min) * 60
		}
		return len(list) == 1 && (of == unit || of.base == "" && !duration)
	case c.word == "in" || c.word == "on":
		return (len(st.Formula.Where) > 0 || c.word == "on") && st.Language != German && !strings.ContainsFunc(c.text, unicode.IsUpper) && singular(last) == last && !occasions(last)
	}
	return false
}

// factor is that of a quotient with a factor: "sum(fee) / sum(dur_min) * 60".
var factor = text.Pattern(`(?:[*×] ?|times )(\d+)\b|\b(\d+) ?\*`)

// oneOfSeveral is whose a number is, or where it is shown, at the end of its name.
var oneOfSeveral = text.Pattern(`(?i) (?:(?:on|in|at|according to|as per) (?:the |our )|according to |(?:laut|nach|bei|im|auf|in) (?:der |dem |den |unserer |unserem )?)([^,;:=()]+)$`)

// joinerWords stand inside of a phrase that may say which rows: "per kilo of oil".
func joinerWords(w string) bool { return classes()[w]&(joinerWord|jointWord|andWord) != 0 }

// idiomatic are nouns that say how things are, not where: "gondolas in service", "Maschinen im Einsatz".
var idiomatic = text.Words("stock service use operation duty hand range repair transit arrears progress process circulation einsatz betrieb bestand lager umlauf verzug dienst verleih")

// occasions are times that are no units of time: "visits in summer".
var occasions = text.Words("spring summer autumn fall winter season night morning afternoon evening noon weekend holiday sommer winter herbst frühling saison nacht abend ferien urlaub weihnachten ostern ausland inland advent easter christmas lent time past future peak")

// titled reports whether a clause is a part of the name before a sign, or in the cell beside, of a calculation over the rows that
// the clause names: "Flocks per patrol = sum(flocks) / count(*) on patrol".
func (st *Statement) titled(c clause) bool {
	_, sign, _ := strings.Cut(st.Value, st.Subject)
	sign = strings.TrimLeft(sign, "*`\" ")
	signed := st.Rule == "formula" || st.Rule == "table_formula" || strings.HasPrefix(sign, "=") || strings.HasPrefix(sign, ":")
	_, divisor, divides := strings.Cut(st.Formula.Expr, "/")
	return signed && clauseWords[c.word] == clausePer && c.ofRows(st.Formula.Table) &&
		(divides && rowCount().MatchString(divisor) || !divides && strings.HasPrefix(st.Formula.Call(), "avg("))
}

// ofRows reports whether a clause names one row of a table: "repair" of repairs, or of rpr.
func (c clause) ofRows(table string) bool {
	one, name := singular(strings.ToLower(c.text)), singular(lastWord(base(table)))
	return one == name || one == firstOf(base(table)) || slices.Contains(germanNoun(one), name) || len(name) > 2 && (shortens(name, one) || slices.ContainsFunc(germanNoun(one), func(english string) bool { return strings.HasPrefix(english, name) }))
}

// firstOf returns what the name of a table begins with.
func firstOf(table string) string {
	first, _, _ := strings.Cut(strings.ToLower(table), "_")
	return first
}

// expresses reports whether a formula already contains each word of a clause.
func (f *Formula) expresses(c clause) bool {
	var said []string
	_, divisor, divides := strings.Cut(f.Expr, "/")
	if f.Divisor != nil {
		divisor = f.Divisor.Call()
	}
	switch {
	case clauseWords[c.word] == clausePer && measuredIn(divisor, strings.ToLower(c.text)):
		return true
	case clauseWords[c.word] == clauseWhere:
		for _, w := range f.Where {
			if !w.Excluded {
				said = append(said, lowered(w.Text)...)
			}
		}
		said = append(said, base(f.Table)) // "customers with an order", of a table of orders
	case clauseWords[c.word] == clausePer && f.Divisor != nil:
		said = strings.FieldsFunc(strings.ToLower(f.Divisor.Of), func(r rune) bool { return !unicode.IsLetter(r) })
	case clauseWords[c.word] == clausePer && divides:
		if rowCount().MatchString(divisor) && rowWords(strings.ToLower(c.text)) {
			return true // "units per line = sum(quantity) / count(*)"
		}
		said = strings.FieldsFunc(strings.ToLower(divisor), func(r rune) bool { return !unicode.IsLetter(r) })
	}
	list := lowered(c.text)
	for _, w := range f.Where {
		if !w.Excluded && strings.Contains(w.Text, "'"+strings.ReplaceAll(c.word+" "+strings.ToLower(c.text), " ", "_")+"'") {
			return true // "cost in transit" where stage = 'in_transit'
		}
	}
	for i, w := range list {
		list[i] = englishNoun(w) // "Bestellungen je Kunde = count(*) / count(distinct customer_id)"
	}
	return len(list) > 0 && !slices.ContainsFunc(list, func(w string) bool {
		return len(w) < shortestStem || !slices.ContainsFunc(said, func(o string) bool { return len(o) >= shortestStem && o[:shortestStem] == w[:shortestStem] })
	})
}

// measuredIn reports whether each word of what a number is per is in the name of the column of a divisor, in full,
// shortened or as its unit: "water per kilo = sum(water) / sum(load_kg)", "diesel per feed tonne = sum(diesel) / sum(feed_t)".
func measuredIn(divisor, per string) bool {
	m := dividing().FindStringSubmatch(divisor)
	if m == nil {
		return false
	}
	columns := strings.FieldsFunc(m[1], func(r rune) bool { return r == '*' || r == ' ' })
	list := slices.DeleteFunc(lowered(per), func(w string) bool { return w == "of" || classes()[w]&articleWord != 0 })
	return len(list) > 0 && !slices.ContainsFunc(list, func(w string) bool {
		return !slices.ContainsFunc(columns, func(column string) bool { return spelledIn(column, w) })
	})
}

// dividing is a divisor that adds up a column, or counts its different values.
var dividing = text.Pattern(`(?i)^\s*(?:sum\(|count_distinct\(|count\(distinct )\s*([\pL_][\pL\d_]*(?: ?\* ?[\pL_][\pL\d_]*)?)\s*\)\s*$`)

// spelledIn reports whether a word is one of those of a column: as it is, shortened, begun or as its unit.
func spelledIn(column, w string) bool {
	said, known := units()[w]
	for column != "" {
		var part string
		column, part = cutLastWord(column)
		if known && units()[part] == said || singular(part) == singular(w) || shortens(singular(part), singular(w)) || len(part) > 3 && strings.HasPrefix(w, part) {
			return true
		}
	}
	return false
}

// shortens reports whether a word has consonants of another one in their order, from the first one on: hl of hectolitre.
func shortens(short, word string) bool {
	if len(short) < 2 || len(word) <= len(short) || short[0] != word[0] || strings.ContainsAny(short, "aeiou") {
		return false
	}
	for i := range len(word) {
		if short != "" && word[i] == short[0] {
			short = short[1:]
		}
	}
	return short == ""
}

// lastWord returns what the name of a column ends with: "kg" of load_kg, "km" of distanceKm.
func lastWord(column string) string {
	_, word := cutLastWord(column)
	return word
}

// cutLastWord returns what stands before the last word of a name, and that word in lower case. A name in capitals, STILLST_MIN, is one of
// words with underscores.
func cutLastWord(column string) (before, word string) {
	if column == strings.ToUpper(column) {
		column = strings.ToLower(column)
	}
	at := max(0, strings.LastIndexFunc(column, func(r rune) bool { return r == '_' || unicode.IsUpper(r) }))
	return strings.TrimRight(column[:at], "_"), strings.ToLower(strings.TrimPrefix(column[at:], "_"))
}

// rowCount is a divisor that is the number of rows.
var (
	rowCount = text.Pattern(`(?i)^\s*count\s?\(\s*[*1]?\s*\)$`)
)

// rowWords reports whether a word means one row.
func rowWords(w string) bool {
	switch w {
	case "line", "row", "record", "entry", "zeile", "datensatz", "eintrag":
		return true
	}
	return false
}

// shortestStem is the number of equal bytes at the beginning of two words that count as forms of one.
const shortestStem = 5
