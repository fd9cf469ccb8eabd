package assertion

import (
	"cmp"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

var (
	// noMatter matches a sentence that something makes no difference: "Whether they paid does not matter."
	noMatter = text.Pattern(`(?i)^(?:whether|ob|egal ob|no matter|how|wie|what|was|which|welche[rsn]?) [^.;]*(?:keine rolle|keinen unterschied|n['’]t matter|not matter|no difference|(?:ist|sind|is|are)(?: dabei| hier| uns)* (?:egal|unerheblich|gleichgültig|irrelevant)|(?:prüfen|schauen|sehen|beachten|unterscheiden) wir(?: dabei| hier)* nicht(?: an| nach)?|we (?:do not|don['’]t) (?:check|look at|care|mind|ask))[ .!]*$|^(?:it (?:does not|doesn['’]t) matter|it makes no difference|es (?:ist|spielt)(?: dabei| hier)? (?:egal|keine rolle|gleichgültig)),? (?:whether|if|how|when|who|ob|wie|wann|wer) [^.;:=<>]*[ .!]*$`)
	// handled is how little somebody has to do with a number: "you only need to put it on the first page".
	handled = text.Pattern(`(?i)(?:^|[^\pL])(?:only|just) (?:need|needs|have|has) to (?:put|print|send|copy|paste|hang|pin|file|forward|upload|mail) (?:it|them|that)(?:$|[^\pL])|` +
		`(?:^|[^\pL])(?:musst|müsst|muss|müssen|brauchst|braucht) (?:es|sie|ihn|das) (?:dann )?nur (?:noch )?(?:zu )?(?:drucken|aufhängen|schicken|einfügen|kopieren|weiterleiten|eintragen|ablegen)(?:$|[^\pL])`)
	// subtracting are verbs and particles of taking off, apartWords say that things are counted by themselves.
	subtracting = text.Words("ziehen zieht ab abziehen subtract deduct deducted subtracted off")
	apartWords  = text.Words("separate separately own elsewhere getrennt gesondert separat eigene eigenen eigener woanders anderswo extra")
)

// otherWords reports whether a word stands before a column of which the formula leaves values out.
func otherWords(w string) bool {
	switch w {
	case "other", "andere", "anderen", "übrige", "übrigen", "restlichen", "remaining":
		return true
	}
	return false
}

// settled reports whether a sentence beside a formula says no more than the formula does: that different things count once, that
// something makes no difference of which there is no condition, that other values of a condition are not in, or that a column is
// no part of the number that the formula has not.
func (r *reader) settled(s string, st *Statement) bool {
	table := r.tableOf(st)
	if table == "" {
		return false
	}
	var columns []string
	said, value, others, apart, inside, strange := class(0), false, false, false, false, false
	outside, unmarked, bounded := false, false, false // "it stays out of it", "(active = false)", "until June"
	last, elsewhere, referred := 0, false, false      // the last value or column, another table, which the table refers to
	if r.inside(s, st, table) || r.leavesAlike(s, st, table) || r.countsAlike(s, st, table) || r.aboutLeft(s, st, table) || r.othersAggregate(s, st, table) {
		return true
	}
	all, has := parted(s), words(st.Formula.String())
	for i := range all {
		p := &all[i]
		if p.is(onlyWord) && i+1 < len(all) && all[i+1].is(onceWord) {
			continue
		}
		said |= p.class
		apart, inside = apart || apartWords(p.low), inside || within(p.low) || p.low == "there" && i > 0 && all[i-1].low == "in" || subtracting(p.low) || p.is(includeWord) || p.low == "too" || p.low == "auch"
		outside = outside || (p.low == "out" || p.low == "draußen") && i > 0 && stays(all[i-1].low)
		bounded = bounded || p.number() || p.is(timeWord) || p.low == "if" || p.low == "when" || p.low == "wenn" || p.low == "falls" || doubtful(p.low) && !p.is(notWord) && p.low != "false"
		of, spelled := r.valueOf(table, p.text)
		if of == "" && st.Language == German {
			of, spelled = r.valueOf(table, uninflected(p.low))
		}
		if slices.Contains(has, spelled) || differently(p.low) && !apartWords(p.low) || p.low == "out" && i > 0 && all[i-1].is(notWord) || p.is(onceWord) && i+1 < len(all) && !all[i+1].sign() && !all[i+1].is(countWord|includeWord) {
			return false // it denies what the formula says, or counts otherwise: "once per year", "never out"
		}
		flag := r.o.Lexicon.Flag(table, p.text)
		unmarked = unmarked || flag != "" && i+2 < len(all) && all[i+1].text == "=" && all[i+2].low == "false"
		of = cmp.Or(flag, of)
		if value = value || of != ""; of == "" && p.class == 0 && !(value && last+1 == i) { // "reseller tickets" are no column
			of = r.o.Lexicon.Column(table, p.text)
		}
		if of != "" {
			if len(columns) == 0 || columns[len(columns)-1] != of || last+1 == i || slices.ContainsFunc(all[last+1:i], func(p part) bool { return !p.joins() && !p.is(articleWord) }) {
				columns = append(columns, of) // "shifts and restows" are one
			}
			last, others = i, i > 0 && otherWords(all[i-1].low)
		} else if p.class&^nounWord == 0 {
			other, refers := r.foreign(p, st, table)
			elsewhere, referred = elsewhere || other, referred || refers
		}
		strange = strange || of == "" && p.isWord && p.class == 0 && !within(p.low) && !subtracting(p.low) && p.low != "deliberately" && p.low != "bewusst" && !apartWords(p.low) && !slices.ContainsFunc(all[:i], func(p part) bool { return p.sign() })
	}
	not := said&notWord != 0
	switch {
	case len(columns) == 0 && !elsewhere && said&(notWord|leaveWord|leftWord|aggregateWord|includeWord|timeWord) == 0 && handled().MatchString(s):
		rest := handled().ReplaceAllString(s, " ")
		return !Restricts(rest) && !slices.ContainsFunc(lowered(rest), func(w string) bool {
			return conditional(w) && w != "will" || months[w] > 0 || w == "for" || w == "für" || w == "of"
		})
	case noMatter().MatchString(s) && said&(leaveWord|leftWord|onlyWord|aggregateWord) == 0:
		return !slices.ContainsFunc(all, func(p part) bool { return p.number() || periodBounds(p.low) }) && !slices.ContainsFunc(columns, func(column string) bool { return slices.Contains(has, column) })
	case outside && not, (outside || unmarked) && bounded, said&(leaveWord|leftWord|onlyWord|aggregateWord) != 0:
		return false
	case len(columns) == 0 && elsewhere && not && inside && !bounded && (apart || !referred):
		return true // "Returns do not go in.", where they are rows of another table
	case len(columns) == 0:
		return st.Formula.Aggregate == "count_distinct" && said&onceWord != 0 && said&(countWord|includeWord) != 0 && !not
	case unmarked: // "Leavers (active = false) don't count."
		return len(columns) == 1 && not && said&includeWord != 0 && (slices.Contains(st.Formula.Where, Condition{Text: columns[0]}) || slices.Contains(st.Formula.Where, Condition{Text: columns[0] + " = true"}))
	case value || others: // "Frozen ones are not in.", "The other reasons go on a separate line."
		restricts := func(c Condition) bool { return !c.Excluded && strings.HasPrefix(c.Text, columns[0]+" ") }
		return len(columns) == 1 && slices.ContainsFunc(st.Formula.Where, restricts) && (value && (not || outside) || others && apart && !inside && !not)
	}
	return (not && inside || outside && !not) && !strange && !slices.ContainsFunc(all, compares) && !slices.ContainsFunc(columns, func(column string) bool { return slices.Contains(has, column) }) // "The fee is not included.", of a sum of prices
}

// alsoInside matches a sentence that some things are in a number too, and its last clause: "Subscribers are in there too, we don't split them
// off.", "Was in der Trockenkammer liegt, zählt mit."
var alsoInside = text.Pattern(`(?i)^(?:also |even |auch |selbst )?(?:the |our |die |unsere )?([^,;:()]{2,60}?),? (?:(?:stay|stays|remain|remains|bleiben|bleibt) (?:in|drin|dabei)|(?:gehen|geht) (?:mit )?(?:ein|rein|hinein)|(?:(?:are|is|sind|ist) (?:in there|in it|included|counted|dabei|drin|enthalten)|counts?|zählen|zählt|(?:are|is|sind|ist|counts?|zählen|zählt) (?:(?:dabei|hier|natürlich|here) )?(?:also|auch|mit))(?: (?:too|as well|mit|auch|in there|in it|included|dabei|drin|enthalten|in|rein))+|(?:are|sind) (?:included|dabei))(?: as before| as always| as usual| wie bisher| wie immer)?(?:,? (?:and |und )?((?:we|wir|they|sie|nobody|niemand|the|die|der|das) .+?))?[ .!]*$`)

// lying matches things by where they are, which is no condition: "Was in der Trockenkammer liegt", "whatever sits on the quay".
var lying = text.Pattern(`(?i)^(?:was|what|whatever) (?:(?:lies|sits|stands|is) )?(?:in|im|on|auf|at|am|an|bei|beim) (?:(?:der|dem|den|the|our|unserer|unserem) )?[\pL-]+(?: (?:liegt|steht|hängt|lagert))?$`)

// inside reports whether a sentence says that things are in a number too, of which its formula leaves none out: the formula has no condition,
// or none on the column that tells these things from the others. A column may have to be added to a sum.
func (r *reader) inside(s string, st *Statement, table string) bool {
	if reason := reasoning().FindStringIndex(s); reason != nil {
		s = s[:reason[0]]
	}
	s = intended().ReplaceAllString(s, "")
	f, told, counted := st.Formula, false, false
	if below := inDivisor().ReplaceAllString(s, " in"); below != s && f.Divisor != nil && len(f.Divisor.Where) == 0 {
		s, f = below, f.Divisor // "Anfragen zählen im Nenner mit."
	}
	m := alsoInside().FindStringSubmatch(s)
	if m == nil {
		if m = contained().FindStringSubmatch(s); m != nil {
			m = []string{m[0], m[1] + m[2]}
		}
	}
	if m == nil {
		return false
	}
	rows := strings.HasPrefix(f.Aggregate, "count") // nothing is added to them
	where := slices.Clone(f.Where)
	if f.Divisor != nil {
		where = append(where, f.Divisor.Where...)
	}
	for _, w := range words(m[1]) {
		of, value := r.valueOf(table, w)
		if of == "" && st.Language == German {
			of, value = r.valueOf(table, uninflected(strings.ToLower(w)))
		}
		flag := r.o.Lexicon.Flag(table, w)
		of = cmp.Or(flag, of)
		if of == "" && r.tableNoun(w, st) == table {
			counted = true
			continue // "failed jobs" of jobs
		}
		switch {
		case of != "" && (slices.ContainsFunc(where, func(c Condition) bool { return strings.Contains(c.Text, of) }) || strings.Contains(f.Expr, value) && strings.Contains(f.Expr, "CASE")),
			of == "" && (r.o.Lexicon.Owner(w) != "" || r.meaningful(w, table) || len(where) > 0 && r.spells(parted(w), table)),
			classes()[strings.ToLower(w)]&(notWord|onlyWord|leaveWord|rowsWord|timeWord) != 0 && !(rows && len(where) == 0 && classes()[strings.ToLower(w)]&timeWord != 0):
			return false
		}
		told = told || of != ""
	}
	if bareInside().MatchString(s) && !slices.ContainsFunc(lowered(m[1]), func(w string) bool { return people(w) || persons(singular(w)) }) {
		return false // "Refunds are included" may be what was paid back
	}
	rest := []part{}
	if len(m) > 2 {
		rest = parted(m[2])
		if len(rest) > 2 && speaksOn(rest[0].low) && rest[1].is(linkWord) && (rest[2].low == "only" || rest[2].low == "just" || rest[2].low == "nur") {
			rest = slices.Delete(rest, 2, 3) // "Dry cows are in there too, they are only resting."
		}
	}
	if len(rest) > 0 && (slices.ContainsFunc(rest, func(p part) bool { return r.meaningful(p.text, table) || p.number() || operators(p.low) != "" }) || !slices.ContainsFunc(rest, func(p part) bool { return splitting(p.low) }) && slices.ContainsFunc(rest, func(p part) bool { return alters(&p) })) {
		return false
	}
	if len(m) == 2 {
		return len(where) == 0 && f.Aggregate+f.Expr != "" && !restriction().MatchString(m[1])
	}
	return told || lying().MatchString(m[1]) || len(where) == 0 && f.Aggregate != "" && (severally().MatchString(m[0]) || rows) || rows && counted && !slices.ContainsFunc(where, func(c Condition) bool { return strings.ContainsAny(c.Text, "'<>") })
}

var (
	// bareInside says of things no more than that they are in.
	bareInside = text.Pattern(`(?i) (?:are|sind) (?:included|dabei)(?:[,.]|$)`)
	// severally is a verb of several things, which are rows; one thing may be an amount: "The fee is included."
	severally = text.Pattern(`(?i) (?:are|sind|count|zählen|stay|remain|bleiben) `)
	inDivisor = text.Pattern(`(?i) (?:im nenner|in the denominator|in the base|in der basis)\b`)
	// contained says that something is in what the columns have: "Rinse water is in there."
	contained = text.Pattern(`(?i)^(?:the |our |die |der |das |unsere? )?([^,;:()=<>]{2,50}?) (?:is|are|ist|sind) (?:in there|in it|darin|drin|darin enthalten|schon drin|already in there)[.!]?$|^(?:it|that|this|es|das) (?:includes|contains|enthält|umfasst) (?:also |auch )?([^,;:()=<>]{2,50}?)[.!]?$`)
	// intended says that something is so on purpose, and how naturally.
	intended = text.Pattern(`(?i), (?:(?:that|this|das|dies) (?:is|was|ist|war) |that['’]s )?(?:so )?(?:gewollt|absicht|beabsichtigt|richtig so|intended|intentional|deliberate|on purpose|fine)[.!]?$|\b(?:natürlich|selbstverständlich|of course|naturally) `)
)

// reasoning begins the clause that says why: ", because …".
var reasoning = text.Pattern(`(?i)(?:,? because|, (?:since|denn|weil|da|otherwise|sonst|else)) |, as (?:[^w]|w[^e]|we[^l])`)

// unconceded returns words without those of a condition, or a time, in "auch wenn", "even if" and "außen vor".
func unconceded(list []string) (rest []string) {
	for i, w := range list {
		before := list[max(0, i-1)]
		if conceded := before == "auch" || before == "selbst" || before == "even"; !(conceded && (w == "wenn" || w == "if") || before == "außen" && w == "vor") {
			rest = append(rest, w)
		}
	}
	return rest
}

// splitting are verbs of counting some things apart.
var splitting = text.Words("split splits separate separates distinguish distinguishes trennen trennt unterscheiden unterscheidet aufteilen")

// tableNoun returns the table whose rows a noun means; "" = none.
func (r *reader) tableNoun(word string, st *Statement) string {
	p := part{text: word, low: strings.ToLower(word)}
	return (&anatomy{lexicon: r.o.Lexicon, language: st.Language}).tableOf(&p)
}

// foreign reports whether a word means the rows or a column of another table than that of a formula, and whether the table of the
// formula refers to it, so that it may say which rows are meant.
func (r *reader) foreign(p *part, st *Statement, table string) (other, refers bool) {
	of := (&anatomy{lexicon: r.o.Lexicon, language: st.Language}).tableOf(p)
	if of == "" {
		of = r.o.Lexicon.Owner(p.text)
		return of != "" && of != table, false
	}
	one := singular(base(of))
	return of != table, r.o.Lexicon.Column(table, one)+r.o.Lexicon.Column(table, one+" id")+r.o.Lexicon.Column(table, one+" nr") != ""
}
