package assertion

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// leavingOff matches the words of a sentence that leaves something out.
var leavingOff = text.Pattern(`(?i)\b(?:(?:leave|leaves|left|leaving|take|takes|keep|keeps|stay|stays|are|is|fall|falls) (?:\pL+ ){0,3}?out|(?:do|does|did)(?: not|n['’]t) (?:count|go in|belong)|(?:are|is)(?: not|n['’]t) (?:counted|included|in there|in it)|(?:are|is) (?:first |always |simply |just |completely )?(?:excluded|ignored|omitted|removed|filtered out|dropped)|(?:we )?(?:exclude|ignore|omit)|(?:sind|ist|bleiben|bleibt) (?:davon |hier |immer )?(?:ausgenommen|ausgeschlossen|herausgerechnet)|(?:sind|ist) (?:hier |da |also )?nicht (?:dabei|drin|enthalten|mit drin|gemeint|mit dabei)|(?:lassen|nehmen|rechnen) (?:wir )?(?:\pL+ ){0,3}?(?:weg|raus|heraus|aus)|(?:werden|wird) (?:vorher |vorab |hier |dabei |immer )?(?:herausgenommen|rausgenommen|entfernt|ausgeschlossen|weggelassen|ausgefiltert|herausgefiltert)|(?:bleiben|bleibt|sind|ist|fallen|fällt) (?:hier |da |dabei |also |damit |somit )*(?:draußen|außen vor|raus|heraus|weg)|(?:rechnen|rechnet|nehmen|nimmt) (?:wir |man )?(?:hier |da |dabei )?nicht mit|(?:zählen|zählt|werden|wird|gehören|gehört) (?:wir |hier |da |dabei |noch |natürlich |also |damit |somit |deshalb |daher |gar |überhaupt )*nicht(?: (?:mit|rein|hinein|dazu|mitgerechnet|mitgezählt|gezählt|berücksichtigt|eingerechnet))?)(?:$|[^\pL])`)

// leavesAlike reports whether a sentence leaves out values that the formula leaves out as well, or other values than the one that it asks
// of their column, and why: "We leave smart speakers out because a whole household shares one id."
func (r *reader) leavesAlike(s string, st *Statement, table string) bool {
	at := leavingOff().FindStringIndex(s)
	if at == nil || strings.Contains(strings.ToLower(s), " only ") || strings.ContainsAny(s, "0123456789=<>()") {
		return false
	}
	all := parted(s)
	for i := at[1]; i+2 < len(s); i++ {
		if s[i] == ',' || s[i-1] == ',' { // ", die stehen am Drehkreuz nur im Weg" says why
			all = parted(s[:i])
			break
		}
	}
	if reason := slices.IndexFunc(all, func(p part) bool { return p.is(reasonWord) || p.low == "denn" }); reason > 0 {
		all = all[:reason]
	}
	phrase := parted(s[at[0]:at[1]])
	apart := slices.ContainsFunc(phrase, func(p part) bool { return p.low == "out" || p.low == "draußen" || leftOver(p.low) })
	if denied := negations(phrase); denied != negations(all) || denied > 0 && apart {
		return false // "Hake is never out."
	}
	if f := st.Formula; f.Divisor != nil || divides(f.Expr) {
		return false // the condition may be that of one side
	}
	alike := 0
	for i := range all {
		p := &all[i]
		of, value := r.valueOf(table, p.text)
		if of == "" && st.Language == German {
			of, value = r.valueOf(table, uninflected(p.low))
		}
		flag := r.o.Lexicon.Flag(table, p.text)
		if flag == "" && st.Language == German {
			flag = r.o.Lexicon.Flag(table, uninflected(p.low))
		}
		column := ""
		if p.class == 0 {
			column = r.o.Lexicon.Column(table, p.text)
		}
		switch {
		case p.is(timeWord|onlyWord|allWord|eachWord|orWord|aggregateWord|shareWord) && !p.is(articleWord) || conditional(p.low) && p.low != "werden" && p.low != "wird" || differently(p.low) || tentative(p.low):
			return false
		case of != "" && slices.ContainsFunc(st.Formula.Where, func(c Condition) bool { return c.without(of, value) }),
			flag != "" && slices.ContainsFunc(st.Formula.Where, func(c Condition) bool { return c.without(flag, "") }):
			alike++
		case of != "" || flag != "" || column != "":
			return false
		case p.class == 0 && slices.ContainsFunc(st.Formula.Where, func(c Condition) bool { return c.lacking() && abbreviates(c.Text, p.low) }):
			alike++ // "gesperrte Karten", of gesp = false
		}
	}
	return alike == 1 || alike == 2 && slices.ContainsFunc(all, func(p part) bool { return p.is(andWord) })
}

var (
	// countedRows is a sentence that says that rows are counted: "Gezählt werden Datensätze, nicht Minuten."
	countedRows = text.Pattern(`(?i)^(?:gezählt (?:wird|werden)|counted (?:is|are)|(?:we|it) counts?|wir zählen) ((?:all|every|each|alle|jede[rsn]?|sämtliche) )?(?:(?:the|die|der|das) )?([\pL-]+)(?: here| hier| dabei)?(?:(?:,| and| und) (?:not|no|nicht|keine?|auch wenn|even if) ([^=<>0-9]*))?[.!]?$`)
	// unneeded is a clause that no condition is needed.
	unneeded = text.Pattern(`(?i)\b(?:nothing (?:has|needs) to be (?:filtered|excluded|left out|removed)(?: out)?|no (?:filter|condition|exclusion)s? (?:is|are) (?:needed|necessary|required)|muss nichts (?:gefiltert|ausgeschlossen|herausgerechnet|herausgenommen) werden|kein filter nötig|braucht es keinen filter)[.!]?$`)
	// ofThemselves says that rows without a value do not count, which no aggregate does, or that they have a zero: "Tickets without a rating drop
	// out by themselves", "Sick days have 0 there anyway."
	ofThemselves = text.Pattern(`(?i)^[^=<>]{3,80}? (?:(?:drop|drops|fall|falls) out|(?:fallen|fällt) (?:dabei |da |hier )?(?:von selbst |automatisch |ohnehin |sowieso )?(?:raus|heraus|weg)|(?:have|has|are|is|haben|hat|sind|ist|stehen|steht) (?:there |dort |da )?(?:with |mit |auf |eine? )?(?:0|zeros?|null|nothing|leer)(?: drin| there| in there)?)(?: (?:by themselves|by itself|on their own|automatically|anyway|anyhow|von selbst|automatisch|ohnehin|sowieso))[.!]?$`)
	// stillOne says that a thing counts once however often it is there, as the number of different ones does: "Somebody who bids on twenty lots
	// is still one web bidder."
	stillOne = text.Pattern(`(?i)^(?:somebody|someone|anyone|anybody|a|an|one|wer|jemand|ein|eine) .{3,80} (?:is|counts?(?: as)?|zählt(?: als)?|ist) (?:still |also |only |just |trotzdem |auch |nur |dann )*(?:one|once|einmal|eine?r?)(?: [\pL-]+){0,3}[.!]?$`)
	// severalTimes says that a thing counts as often as it has rows: "Ein Auto, das zweimal da ist, zählt also doppelt."
	severalTimes = text.Pattern(`(?i)\b(?:counts?|zählt|zählen)(?: also| dann| daher| eben| then| here)* (?:twice|double|several times|each time|every time|doppelt|zweimal|mehrfach|mehrmals|jedes mal|jedesmal)[.!]?$|\b(?:each one|every one|each of them|all of them|jede[rs]?|alle) (?:counts?|zählt|zählen)[.!]?$`)
	// bothFirst is in which order a quotient of sums is computed, which is always that one: "Add up both first and divide once at the end, …"
	bothFirst = text.Pattern(`(?i)^(?:please |bitte |so )?(?:add|sum) (?:up )?both(?: \pL+)?(?: up)? first(?:,? (?:and|then))+ divide|^sums first, then (?:the division|divide)|^erst (?:beides )?(?:summieren|aufsummieren|zusammenzählen), dann teilen`)
	// apartAndOut says that something is kept apart and not in: "Fahrtkosten werden getrennt abgerechnet und sind nicht enthalten."
	apartAndOut = text.Pattern(`(?i)^[^,;:=<>0-9]{3,40} (?:separately|getrennt|gesondert|separat) (?:[\pL]+ )?(?:and|und) (?:(?:are|is|sind|ist) )?(?:not|nicht) (?:included|netted off|part of it|contained|deducted|enthalten|dabei|drin|eingerechnet|verrechnet)[.!]?$`)
	// otherColumn advises against a column: "Nobody should use worked_hours for it."
	otherColumn = text.Pattern(`(?i)^(?:(?:nobody|no one) should|please (?:do not|don['’]t)|(?:do not|don['’]t|never)|bitte nicht|niemand soll(?:te)?) (?:use|take|mix in|confuse it with|nehmen|verwenden)? ?(?:the )?([\pL_\d]+)(?: (?:for (?:it|this|that)|here|instead|dafür|hier|nehmen|verwenden))*[.!]?$`)
	// unweighted says that an average is a plain one: "Nach Gewicht wird nicht gewichtet, das macht erst der Händler."
	unweighted = text.Pattern(`(?i)\b(?:(?:is|are|do|it is) not weight(?:ed)?|(?:wird|werden) nicht gewichtet|ungewichtet|unweighted)(?:$|[^\pL])`)
	// shownApart is that a number has a line of its own: "It is shown separately, because …"
	shownApart = text.Pattern(`(?i)^(?:it|this|er|sie|es|das|dies) (?:is|wird) (?:(?:separately|getrennt|gesondert|extra) (?:reported|shown|listed|disclosed|printed|ausgewiesen|gezeigt|gemeldet|aufgeführt)|(?:reported|shown|listed|disclosed|printed) (?:separately|on its own|apart))[.!]?$`)
	// wanted is who sees a number, and how often: "The retailers want this number every quarter."
	wanted = text.Pattern(`(?i)^(?:the |our |die |der |das |unsere? )?[\pL]+(?: [\pL]+)? (?:wants?|needs?|gets?|sees?|asks? for|braucht|brauchen|will|wollen|bekommt|bekommen|sieht) (?:this|the|that|diese|die) (?:number|figure|zahl|kennzahl)(?: (?:every|each|once a|jede[nrs]?) [\pL]+| monatlich| jährlich| wöchentlich)?[.!]?$`)
	// notContained says what a column has not: "Drum deposits are not in there."
	notContained = text.Pattern(`(?i)^(?:the |our |die |der |das )?([^,;:=<>0-9]{2,40}) (?:is|are|ist|sind|steckt|stecken) (?:not|nicht) (?:in there|in it|part of it|darin|drin|enthalten|mit drin)[.!]?$`)
	// viewed is how somebody looks at a number: "We look at it per aisle in the Monday meeting."
	viewed = text.Pattern(`(?i)^(?:we|they|i|the [\pL-]+|wir|man|die [\pL-]+|der [\pL-]+) (?:(?:usually|always|then|mostly|do not|don['’]t) )?(?:look at|looks at|report|reports|show|shows|see|sees|compare|compares|track|tracks|split|splits|break|breaks|vergleichen|zeigen|zeigt|betrachten|sehen) (?:it|this|them|that|sie|ihn|es|das|uns das|uns sie) (?:down )?(?:per|by|je|pro|nach) [^=<>0-9]*$`)
	// countsAsNot says that things are none of those that the upper side of a share has: "Timeouts count as not accepted."
	countsAsNot = text.Pattern(`(?i)^[^,;:=<>0-9]{2,40} (?:counts?|zählen|zählt|gelten|gilt) (?:here |hier |dabei )?(?:as|als) (?:not|nicht) ([\pL-]+)[.!]?$`)
	// partOfColumn says what a column has not: "Crew cabins are not part of berths."
	partOfColumn = text.Pattern(`(?i)^([^,;:=<>0-9]{3,40}) (?:is|are|ist|sind) (?:not|nicht|kein) (?:a )?(?:part of|included in|in|teil von|in den?|im) ([\pL_\d]+)[.!]?$`)
	// consequent says that something is not in a number, as a consequence: "…, so they are not in there."
	consequent = text.Pattern(`(?i), (?:so|also|daher|deshalb) (?:it|they|sie|er|es) (?:is|are|ist|sind) (?:not|nicht) (?:in there|in it|in here|in the base|in the number|part of (?:it|this|that)|included|counted|darin|drin|dabei|enthalten)[.!]?$`)
	therefore  = text.Pattern(`(?i) (?:also|damit|somit|folglich|deshalb|daher|therefore|thus|hence) `)
	// distorting says what other rows would do to a number.
	distorting = text.Pattern(`(?i)^[^,;:=<>0-9]{3,60}(?:,? (?:so|and|und) (?:they|it|that))?(?: and| und)? (?:would|würde|würden) (?:only |just |it |sie |ihn |es |das bild |das |den schnitt |den durchschnitt )?(?:distort|skew|spoil|dominate|blur|verzerren|verfälschen|verwässern|verderben)(?: it| them| the average| the mean| the picture| everything)?[.!]?$`)
	// anotherOne is the beginning of a sentence about one aggregate: "The average is useless here".
	anotherOne = text.Pattern(`(?i)^(?:the|a|der|die|das|ein) (?:plain |simple |einfache[rs]? )?(\pL+)\b`)
	// refused matches the beginning of a sentence that wants a calculation left alone: "Please don't use the average."
	refused = text.Pattern(`(?i)^(?:please |bitte |we |wir )?(?:do not|don['’]t|never|nehmt nicht|nimm nicht) ((?:(?:use|take|quote|show|report) )?(?:the|den|die|das) )?(\pL+)`)
)

// countsAlike reports whether a sentence says that the rows are counted that the formula is over, or that no condition is needed.
func (r *reader) countsAlike(s string, st *Statement, table string) bool {
	if unneeded().MatchString(s) {
		return !strings.ContainsAny(s, "0123456789=<>")
	}
	if apartAndOut().MatchString(s) {
		return !slices.ContainsFunc(parted(s), func(p part) bool {
			return p.class == 0 && (r.ofTable(p.text, table) || r.o.Lexicon.Owner(p.text)+r.o.Lexicon.Table(p.text) != "")
		})
	}
	if m := otherColumn().FindStringSubmatch(s); m != nil {
		column := r.o.Lexicon.Column(table, m[1])
		return column != "" && !slices.Contains(words(st.Formula.String()), column)
	}
	if unweighted().MatchString(s) {
		return st.Formula.Aggregate == "avg" && !strings.ContainsAny(s, "0123456789=<>") && !slices.ContainsFunc(lowered(s), func(w string) bool { return months[w] > 0 || moments(w) != "" && w != "nach" || periodBounds(w) })
	}
	if viewed().MatchString(s) {
		return !slices.ContainsFunc(parted(s), func(p part) bool {
			return p.is(onlyWord | aggregateWord | shareWord | divideWord | leaveWord | leftWord)
		})
	}
	if wanted().MatchString(s) || shownApart().MatchString(reasonless(s)) {
		return true
	}
	if m := notContained().FindStringSubmatch(s); m != nil {
		return len(st.Formula.Where) == 0 && st.Formula.uses("sum") && !r.spells(parted(m[1]), table) && !slices.ContainsFunc(words(m[1]), func(w string) bool {
			return r.o.Lexicon.Owner(w)+r.o.Lexicon.Table(w)+r.o.Lexicon.Table(singular(w)) != ""
		})
	}
	if m := countsAsNot().FindStringSubmatch(s); m != nil {
		of, value := r.valueOf(table, m[1])
		if flag := r.o.Lexicon.Flag(table, m[1]); flag != "" {
			return len(st.Formula.Where) == 1 && (st.Formula.Where[0] == Condition{Text: flag} || st.Formula.Where[0] == Condition{Text: flag + " = true"})
		}
		return of != "" && st.Formula.Divisor != nil && len(st.Formula.Divisor.Where) == 0 && len(st.Formula.Where) == 1 && st.Formula.Where[0].Text == of+" = "+textLiteral(value)
	}
	if bothFirst().MatchString(s) {
		return st.Formula.Divisor != nil && st.Formula.uses("sum") && !strings.ContainsAny(s, "0123456789=<>")
	}
	if m := partOfColumn().FindStringSubmatch(s); m != nil {
		column := r.o.Lexicon.Column(table, m[2])
		return column != "" && slices.Contains(words(st.Formula.String()), column) && !slices.ContainsFunc(words(m[1]), func(w string) bool {
			return r.meaningful(w, table) || r.o.Lexicon.Owner(w) != "" || r.o.Lexicon.Table(w) != ""
		})
	}
	if ofThemselves().MatchString(s) {
		return !st.countsThem(s) && !takingOnly().MatchString(s)
	}
	if stillOne().MatchString(s) {
		return st.Formula.Aggregate == "count_distinct" && !negates(s) && !slices.ContainsFunc(parted(s), func(p part) bool {
			of, _ := r.valueOf(table, p.text)
			return p.is(timeWord|eachWord|perWord) || compares(p) || p.class == 0 && of+r.o.Lexicon.Flag(table, p.text) != "" && !r.said(p.text, st, table)
		})
	}
	if severalTimes().MatchString(s) {
		return st.Formula.Aggregate == "count" && !strings.ContainsAny(s, "0123456789=<>") && !negates(s)
	}
	if therefore().MatchString(s) && leavingOff().MatchString(s) && !strings.ContainsAny(s, "0123456789=<>()") && !r.spells(parted(s), table) {
		return st.Formula.restricted() // "Erstattungen bleiben also draußen."
	}
	if consequent().MatchString(s) || distorting().MatchString(s) {
		return st.Formula.restricted()
	}
	m := countedRows().FindStringSubmatch(s)
	if m == nil || restriction().MatchString(m[3]) {
		return false
	}
	p := parted(m[2])[0]
	of := (&anatomy{lexicon: r.o.Lexicon, language: st.Language}).tableOf(&p)
	return p.is(rowsWord) || of == table || of == "" && m[1] != "" && !r.meaningful(m[2], table)
}

// aggregateAdvised returns the aggregate that a sentence begins with, and whether it advises against it: "Please don't use the average.", "Der
// Mittelwert ist wegen der Großschäden nicht zu gebrauchen."; "" = there is none.
func aggregateAdvised(s string) (said string, advises bool) {
	if m := refused().FindStringSubmatch(s); m != nil {
		said = aggregates[strings.ToLower(m[2])]
		return said, m[1] != "" || said != "count" // "don't count refunded ones"
	}
	if m := anotherOne().FindStringSubmatch(s); m != nil {
		return aggregates[strings.ToLower(m[1])], slices.ContainsFunc(lowered(s), useless)
	}
	return "", false
}

// restricted reports whether all of a formula has a condition, both sides of a division included.
func (f *Formula) restricted() bool {
	return len(f.Where) > 0 && (f.Divisor == nil || len(f.Divisor.Where) > 0) && (!divides(f.Expr) || !strings.Contains(strings.ToUpper(f.Expr), "CASE"))
}

// uses reports whether a formula has an aggregate.
func (f *Formula) uses(aggregate string) bool {
	has := strings.ToLower(f.Call() + f.Expr)
	if f.Divisor != nil {
		has += strings.ToLower(f.Divisor.Call())
	}
	return strings.Contains(has, aggregate+"(")
}

// countsThem reports whether rows that a sentence says to drop out of themselves are in a formula: as rows, or as zeros of an average.
func (st *Statement) countsThem(s string) bool {
	return strings.HasPrefix(st.Formula.Aggregate, "count") || st.Formula.uses("count") || strings.Contains(s, "0") && !st.Formula.uses("sum")
}

// othersAggregate reports whether a sentence only advises against another aggregate than those of a formula.
func (r *reader) othersAggregate(s string, st *Statement, table string) bool {
	said, advises := aggregateAdvised(s)
	if reason := reasoning().FindStringIndex(s); reason != nil {
		s = s[:reason[0]]
	}
	return said != "" && advises && !st.Formula.uses(said) && !slices.ContainsFunc(parted(s), func(p part) bool {
		return p.number() || p.is(onlyWord|leaveWord|leftWord|eachWord) || p.is(aggregateWord) && aggregates[p.low] != said || p.low == "instead" || p.low == "but" || p.low == "sondern" || p.class == 0 && r.ofTable(p.text, table)
	})
}

// useless are words for what an aggregate is not worth.
var useless = text.Words("useless misleading meaningless pointless worthless nonsense gebrauchen brauchbar aussagekräftig unbrauchbar irreführend sinnlos nutzlos täuscht taugt hilft helps lies hides says tells verzerrt verdirbt")

// aboutLeft reports whether a sentence is about a value that a formula leaves out, and takes it not in again: "Vouchers are settled by the
// shipping line, we only get the cost back."
func (r *reader) aboutLeft(s string, st *Statement, table string) bool {
	if f := st.Formula; f.Divisor != nil || divides(f.Expr) || strings.ContainsAny(s, "0123456789=<>()") || doubting().MatchString(s) {
		return false
	}
	left := false
	for _, p := range parted(s) {
		of, value := r.valueOf(table, p.text)
		if of == "" && st.Language == German {
			of, value = r.valueOf(table, uninflected(p.low))
		}
		switch {
		case p.is(includeWord|countWord|timeWord|allWord|aggregateWord) && !p.is(articleWord), p.low == "too" || p.low == "auch" || p.low == "mit" || p.low == "also" || p.low == "well" || p.low == "likewise" || p.low == "ebenfalls" || p.low == "ebenso", conditional(p.low) && p.low != "werden" && p.low != "wird", stays(p.low), leavingOut(p.low), differently(p.low):
			return false
		case of != "" && p.class == 0:
			if !slices.ContainsFunc(st.Formula.Where, func(c Condition) bool {
				return (c.Excluded || strings.Contains(c.Text, " <> ")) && c.without(of, value)
			}) {
				return false
			}
			left = true
		case p.class == 0 && r.flagOf(table, p.text, st.Language) != "":
			flag := r.flagOf(table, p.text, st.Language)
			if !slices.ContainsFunc(st.Formula.Where, func(c Condition) bool { return c.without(flag, "") }) {
				return false
			}
			left = true
		case lessening(p.low), sameWords(p.low):
			return false
		}
	}
	return left
}

// reasonless returns a sentence without a reason at its end that restricts nothing.
func reasonless(s string) string {
	if reason := reasoning().FindStringIndex(s); reason != nil && !Restricts(s[reason[0]:]) && !strings.ContainsAny(s[reason[0]:], "0123456789=<>()") {
		return s[:reason[0]]
	}
	return s
}

// flagOf returns the flag of a table that a word says.
func (r *reader) flagOf(table, word string, language Language) string {
	flag := r.o.Lexicon.Flag(table, word)
	if flag == "" && language == German {
		flag = r.o.Lexicon.Flag(table, uninflected(strings.ToLower(word)))
	}
	return flag
}

// lessening reports whether a word says that something is taken from a number, or is as what it has.
func lessening(w string) bool {
	switch w {
	case "like", "equal", "equals", "join", "joins", "them", "wie", "gleich", "reduce", "reduces", "lower", "lowers", "offset", "offsets", "against", "netted", "mindern", "mindert", "senken", "senkt", "gegen", "verrechnet", "drücken", "drückt":
		return true
	}
	return false
}

func negations(all []part) (n int) {
	for i := range all {
		if all[i].is(notWord) {
			n++
		}
	}
	return n
}

// abbreviates reports whether the column of a condition is the beginning of a word.
func abbreviates(condition, word string) bool {
	column, _, _ := strings.Cut(strings.ToLower(condition), " ")
	return len(column) > 3 && strings.HasPrefix(word, column)
}

// without reports whether a condition keeps no row with a value of a column, or with a flag.
func (c *Condition) without(column, value string) bool {
	if value == "" {
		return c.Excluded && (c.Text == column || c.Text == column+" = true") || !c.Excluded && c.Text == column+" = false"
	}
	same := strings.Contains(c.Text, textLiteral(value))
	equal := strings.HasPrefix(c.Text, column+" = ") || strings.HasPrefix(c.Text, column+" IN (")
	return equal && same == c.Excluded || !c.Excluded && c.Text == column+" <> "+textLiteral(value)
}
