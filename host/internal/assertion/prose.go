package assertion

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// Words around a name and its calculation that say nothing about the number: articles, verbs of defining and computing,
// and those who speak. They include no word that negates, doubts, restricts or compares.
var (
	proseWords = text.Words(`the a an our my your this that these those it its we i you they one us them people everyone everybody somebody someone colleague colleagues
		is are be been can should must always simply just basically really actually here then so therefore please hence exactly
		mean means define defines defined definition compute computes computed computing calculate calculates calculated calculation count counts counted counting measure measures measured measuring
		reported get gets obtain obtains obtained derive derives derived find finds work works out report reports reported call calls called name names named say says speak speaks talk talks about
		refer refers referred understand understands understood know knows known use uses take takes took track tracks tracked look looks ask asks asked quote quotes quoted tell tells show shows shown give gives given see sees watch watches care cares
		by as with under like follows following when whenever for to in on of at from into and what which who how whose equal equals useful important handy key main term word metric kpi figure formula convention
		agreed agree decided decide discussed remember note fyi hi hello quick short internally externally there report reports bericht berichts berichte dashboard dashboards deck regularly often today yesterday again lot week month every
		der die das den dem des ein eine einen einer einem unser unsere unserem unseren unserer wir ich man sie es ihr ist sind wird werden gilt gelten als unter versteht verstehen verstehe meint meinen meine mit von vom bei für um zu zum zur in im auf aus und
		nennen nennt nenne nehmen nimmt bezeichnen bezeichnet berechnen berechnet berechne rechnen rechnet errechnet errechnen ergibt ergeben sich erhält erhalten bekommt ermittelt ermitteln bestimmt definiert definieren entspricht zählen zählt
		einfach nämlich immer bitte kurz indem wenn sobald sprechen spricht spreche reden redet sagen sagt gemeint damit dabei hier also bedeutet heißt kennzahl begriff wie besprochen vereinbart abgestimmt berichten berichtet zeigen zeigt`)
	// speakers are departments whose words are ours; where no other name is left, one of them is the name.
	speakers = text.Words(`finance controlling accounting sales marketing logistics operations support product management leadership board revops team department analytics
		finanzen buchhaltung vertrieb logistik geschäftsführung geschäftsleitung vorstand finanzabteilung`)
	// joiners are words inside a name: "money at risk".
	joiners = text.Words("of at per to for in on and der des von pro zu zum mit und")
	// doubtful words in a name say that it is not ours, or not so.
	doubtful = text.Words("wrong false incorrect naive naively old former formerly previous previously legacy competitor competitors not never no nobody none without except unless instead nor neither some sometimes usually rarely other others another only " +
		"falsch falsche falscher falsches alte alter früher frühere ehemals konkurrenz wettbewerb nicht nie niemals kein keine keiner ohne außer manchmal meistens andere anderer niemand nur")
	// calculates begins a calculation.
	calculationStart = text.Pattern(`(?i)^(?:(?:the |die |der |das |den )?(?:sum|total|average|avg|mean|median|minimum|min|smallest|lowest|maximum|max|largest|highest|number|count|distinct|unique|share|proportion|fraction|part|` +
		`summe|gesamtsumme|durchschnitt|mittelwert|anzahl|zahl|anteil)\b|(?:sum|add|total|count|divide|multiply|take|summing|adding|totalling|totaling|counting|dividing|multiplying|how many|which part|wie viele|counts distinct|counts different|counts unique|counts the|counts all|counts rows|sums|averages|jede[nrs]?|every distinct|each distinct)\s|[\pL_]+\s?\(|` + namePattern + ` (?:in|aus) ` + namePattern + ` (?:aufsummieren|summieren|aufaddieren|addieren|zusammenzählen|summed up|added up|totalled|totaled))`)
	// speech is a supposition by its first word alone: "when we say X, we mean …".
	speech = text.Pattern(`(?i)\b(?:when|whenever|wenn|sobald) (?:[\pL]+ ){0,2}?(?:[\pL]+ )?(?:says?|talks?|speaks?|mentions?|reports?|refers?|von|vom|über)\b`)
	// measuredIn is a unit before the calculation: "our cheapest plan, measured in cents, is …".
	measuredIn = text.Pattern(`(?i),? (?:measured|expressed|given|reported|counted) in ([\pL€$£ ]{1,30}?)(?:,|$| (?:is|are)\b)`)
	// agreedLead says who agreed and where, apposition says the name in other words: ", i.e. the largest refund,".
	agreedLead = text.Pattern(`(?i)^(?:as )?(?:we|the team|finance|controlling)(?: all)?(?: have| has)? (?:agreed|decided|settled)(?: (?:in|at|with|on|during) [\pL ]{1,40}?)? that `)
	apposition = text.Pattern(`(?i),? (?:i\.e\.|that is|in other words|d\.\s?h\.|also) ?,? ?([^,:;=<>]{1,60}),`)
	// placedIn is a table before the calculation: "in sales.orders, net volume is …".
	placedIn = text.Pattern(`(?i)\b(?:in|on|from|over|aus|auf|über) (?:the |der |die )?(` + qualifiedPattern + `)`)
)

// Prose is the Rule of formulas in ordinary prose.
const Prose = "prose"

// Restricts reports whether words say which rows are meant, or that something is not so.
func Restricts(s string) bool {
	return restriction().MatchString(s) || slices.ContainsFunc(lowered(s), doubtful)
}

// calculatingWords begin the words that are a sign of a calculation.
var calculatingWords = strings.Fields("sum summ total average avg mean median min smallest lowest cheapest max largest highest biggest greatest number count distinct unique share proportion fraction part add divi multipl take how " +
	"ratio percent prozent verhält gesamtsumme durchschnitt mittel anzahl zahl zähl gezählt anteil wie jede every each addier aufaddier aufsumm kleinst niedrigst größt höchst zusammen")

// calculating reports whether a sentence may have a calculation.
func (s *sentence) calculating() bool {
	return strings.ContainsAny(s.text, "(/") || slices.ContainsFunc(s.words, func(w string) bool {
		return slices.ContainsFunc(calculatingWords, func(begin string) bool { return strings.HasPrefix(w, begin) })
	})
}

// told reads a sentence of prose that has a name and a calculation, whatever is said around them.
// Shape: words that are not understood are the statement's Unread, and make it a question.
func (r *reader) told(s string) (Statement, bool) {
	s = turned(s)
	for at := range starts(s) {
		value := strings.TrimRight(s[at:], " .;。!")
		f, ok := calculation(value)
		if !ok {
			continue
		}
		if plain, _ := paraphrased(value); talks(plain) {
			continue
		}
		if m := predicate().FindStringSubmatch(value); m != nil {
			if _, again := calculation(m[2]); again {
				continue // "the average value is avg(x)": the calculation begins later
			}
		}
		subject, unread, table, unit := title(s[:at])
		if subject == "" || !nominal(subject) {
			continue
		}
		if table != "" && f.Table == "" {
			f.Table = table
		}
		if unit != "" && f.Unit == "" {
			f.Unit = unit
		}
		st := Statement{Attribute: FormulaOf, Rule: Prose, Subject: subject, Value: clean(value), Formula: f, Unread: unread}
		st.Weak = !identifier(f.Of) && !identifier(f.Table) && !callWord().MatchString(f.Expr)
		if st.Weak && (unread != "" || r.o.Known == nil || !r.o.Known(f.Of) && !r.o.Known(f.Table)) {
			continue // ordinary prose: "the number of workers is limited by the number of processors"
		}
		return st, true
	}
	return Statement{}, false
}

// calledAfter is a calculation before its name: "the mean of amount in orders is what sales calls ticket size".
var calledAfter = text.Pattern(`(?i)^(.+?),? (?:as|is (?:called|known as|named|referred to as)|(?:is|are) what (?:the |our )?\pL+ (?:calls?|reports? as|means? by)|we (?:call|name)|ist das,? was (?:wir|der|die|das)?(?: ?\pL+)? ?(?:als )?) ?(?:the |our )?["'“„]?([^,:;"'“”„=<>()]{1,40}?)["'”“]?(?: nennen| nennt| bezeichnen| bezeichnet)?$`)

// turned writes a sentence that ends with the name as one that begins with it.
func turned(s string) string {
	m := calledAfter().FindStringSubmatch(s)
	if m == nil || !nominal(term(m[2])) || identifier(m[2]) || len(strings.Fields(m[2])) > 4 {
		return s
	}
	for at := range starts("we " + m[1]) {
		before := ("we " + m[1])[:at]
		if len(runs(before, func(w string) bool { return proseWords(w) || speakers(w) })) > 0 {
			break
		}
		if value := ("we " + m[1])[at:]; value != "" {
			if _, ok := calculation(value); ok {
				return m[2] + " is " + value
			}
		}
	}
	return s
}

// startingWords are the first words that calculationStart matches, but for calls and columns; summingUp are the words that
// it matches behind a column.
var (
	startingWords = text.Words(`the die der das den sum total average avg mean median minimum min smallest lowest maximum max largest highest number count distinct unique share proportion fraction part
		summe gesamtsumme durchschnitt mittelwert anzahl zahl anteil add divide multiply take summing adding totalling totaling counting dividing multiplying how which wie counts sums averages jede jeder jedes jeden every each`)
	summingUp = text.Pattern(`(?i) (?:aufsummieren|summieren|aufaddieren|addieren|zusammenzählen|summed up|added up|totalled|totaled)`)
)

// calls reports whether a text that begins with a word may begin with a call.
func calls(s, word string) bool {
	return strings.Contains(word, "(") || strings.HasPrefix(strings.TrimLeft(s[len(word):], " "), "(")
}

// starts yields the places after the first word at which a calculation may begin.
func starts(s string) func(func(int) bool) {
	return func(yield func(int) bool) {
		afterwards := summingUp().MatchString(s)
		scan(s, func(at int, word string) {
			if at == 0 || yield == nil || !afterwards && !startingWords(lower(word)) && !calls(s[at:], word) || !calculationStart().MatchString(s[at:]) {
				return
			}
			if !yield(at) {
				yield = nil
			}
		})
	}
}

// title returns the one name in the words before a calculation, and the table that they name.
// Shape: with several names it is the first, and the others are unread; a quoted name is the name.
func title(before string) (subject, unread, table, unit string) {
	if m := measuredIn().FindStringSubmatchIndex(before); m != nil {
		if unit = unitOf(before[m[2]:m[3]]); unit != "" {
			before = before[:m[0]] + ", " + before[m[1]:]
		}
	}
	if m := placedIn().FindStringSubmatchIndex(before); m != nil {
		table = strings.Trim(before[m[2]:m[3]], "`")
		before = before[:m[0]] + ", " + before[m[1]:]
	}
	before = agreedLead().ReplaceAllString(before, "")
	if m := apposition().FindStringSubmatchIndex(before); m != nil && !Restricts(before[m[2]:m[3]]) {
		before = before[:m[0]] + ", " + before[m[1]:]
	}
	if m := quotedName().FindStringSubmatchIndex(before); m != nil {
		var rest []string
		for _, r := range runs(before[:m[0]]+", "+before[m[1]:], func(w string) bool { return proseWords(w) || speakers(w) || preface(w) }) {
			rest = append(rest, r.text)
		}
		return clean(before[m[2]:m[3]]), strings.Join(rest, ", "), table, unit
	}
	all := runs(before, func(w string) bool { return proseWords(w) || speakers(w) })
	if len(all) == 0 {
		all = runs(before, proseWords)
	}
	if len(all) == 0 || !linked(before) {
		return "", "", table, unit
	}
	chosen := max(0, slices.IndexFunc(all, func(r run) bool { return defining(r.next) }))
	subject, rest := restrained(all[chosen].text)
	others := []string{rest}
	for i, r := range all {
		short, alternative := strings.CutPrefix(r.text, "or ")
		if i != chosen && !(alternative && initials(short, subject)) { // "average order value, or AOV,"
			others = append(others, r.text)
		}
	}
	if words := lowered(before); slices.ContainsFunc(words, doubtful) {
		others = append(others, words[slices.IndexFunc(words, doubtful)])
	}
	others = slices.DeleteFunc(others, func(s string) bool { return s == "" })
	return term(subject), strings.Join(others, ", "), table, unit
}

// defining are words between a name and its calculation.
var defining = text.Words("is are means mean equals refers should must can counts metric kpi measure ist sind bedeutet entspricht wird gilt meinen versteht verstehen : =")

// linked reports whether the words before a calculation end with one that leads to it, or with a sign.
func linked(before string) bool {
	list := strings.Fields(before)
	if len(list) == 0 {
		return false
	}
	last := list[len(list)-1]
	return proseWords(strings.ToLower(strings.Trim(last, ",.;:()–—-!=\"'"))) || strings.ContainsAny(last[len(last)-1:], ",;:=")
}

// restrained splits a name before the first word that no name has: "Board revenue | only looks".
func restrained(run string) (subject, rest string) {
	list := strings.Fields(run)
	for i, w := range list {
		if low := strings.ToLower(w); i > 0 && (pronouns(low) || verbs(low) || doubtful(low)) {
			return strings.Join(list[:i], " "), strings.Join(list[i:], " ")
		}
	}
	return run, ""
}

// predicate splits "name is calculation".
var predicate = text.Pattern(`(?i)^(.+?) (?:is|are|equals|means|ist|sind|entspricht) (.+)$`)

var quotedName = text.Pattern(`["“„'‘]([\pL][^"“”„'’]{1,60})["”“'’](?:$|[^\pL])`)

// run is a part of a text between words without meaning; next is the word, or the sign, that ends it.
type run struct{ text, next string }

// runs returns the parts of a text between words without meaning and signs. Words that join two others stay inside.
func runs(s string, glue func(string) bool) (all []run) {
	var words, between []string
	end := func(next string) {
		if len(words) > 0 {
			if len(between) > 0 {
				next = strings.ToLower(between[0])
			}
			all = append(all, run{strings.Join(words, " "), next})
		}
		words, between = nil, nil
	}
	list := strings.Fields(s)
	for i, w := range list {
		bare, low := unsigned(w)
		sign := ""
		if last := w[len(w)-1:]; strings.ContainsAny(last, ",.;:()!=") {
			sign = last
		}
		switch {
		case bare == "":
			end(w)
		case low == "count" && len(words) > 0 && len(between) == 0:
			words = append(words, bare) // "paid order count"
		case speakers(low) && sign == "" && i+1 < len(list) && !glue(lower(list[i+1])):
			words, between = append(append(words, between...), bare), nil // "board revenue", not "the board says"
		case glue(low) && len(words) > 0 && joiners(low) && sign == "":
			between = append(between, bare)
		case glue(low):
			end(low)
		default:
			words, between = append(append(words, between...), bare), nil
		}
		if sign != "" {
			end(sign)
		}
	}
	end("")
	return all
}

func lower(w string) string {
	_, low := unsigned(w)
	return low
}

// unsigned returns a word without the signs around it, and in lower case.
func unsigned(w string) (bare, low string) {
	bare = strings.Trim(w, ",.;:()–—-!=\"'“”„‘’")
	return bare, strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(bare), "'s"), "’s")
}
