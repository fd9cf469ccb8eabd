package assertion

import (
	"slices"
	"strings"
	"unicode"

	"github.com/loam-data/loam/host/internal/text"
)

// hedges are words, hedging phrases, that make a sentence uncertain and so not an assertion.
var (
	hedges = text.Words("maybe perhaps probably possibly presumably apparently supposedly allegedly might seem seems appears unsure unclear likely tbd tbc afaik iirc wondering suspect suspects thinks believes reckons guesses glaubt vermutet " +
		"vielleicht wahrscheinlich vermutlich eventuell möglicherweise könnte könnten dürfte anscheinend scheinbar angeblich wohl unklar " +
		"probablement quizás")
	hedging = []string{"i think", "i guess", "i believe", "i suppose", "i assume", "i'd say", "we think", "we believe", "may be", "could be", "not sure", "as far as i know", "would be", "should probably", "to be agreed", "to be decided", "to be confirmed", "to be discussed", "noch zu klären", "noch zu entscheiden", "used to ", "depending on", "depends on", "je nachdem", "kommt darauf an", "kommt drauf an",
		"ich glaube", "ich denke", "ich meine", "ich vermute", "wir glauben", "nicht sicher", "meines wissens", "soweit ich weiß", "peut-être", "je pense", "je crois", "tal vez", "creo que"}
)

// hedged reports whether a sentence expresses uncertainty, holds for a while only, is somebody else's or is cut off.
func hedged(text string, list []string) bool {
	for _, w := range list {
		if hedges(w) {
			return true
		}
	}
	if n := len(list); n > 1 && dangling(strings.ToLower(list[n-1])) {
		return true
	}
	low := strings.ToLower(text)
	return anyIn(low, hedging) || anyIn(low, passing) || len(list) > 0 && attributing(list[0]) && attributed().MatchString(text)
}

// passing are phrases of what holds until something else does.
var passing = []string{"gilt noch", "gelten noch", "noch so:", " for now", "vorerst", "bis auf weiteres", "danach nicht mehr", "until further notice", "for the time being", "after that no more", "not after that"}

// attributed matches the beginning of what somebody else says: "According to the broker, …".
var attributed = text.Pattern(`(?i)^(?:according to|in the words of|as per|laut|nach angaben|nach ansicht|nach auffassung) (?:the|a|an|my|their|his|her|your|some|dem|der|des|den|einem|einer|ihrem|seinem|einigen) `)

// attributing reports whether all that attributed matches begins with a word.
func attributing(w string) bool {
	switch w {
	case "according", "in", "as", "laut", "nach":
		return true
	}
	return false
}

// dangling are words that end no sentence: what is behind them is missing.
var dangling = text.Words("and or nor where the whose excluding except unless und oder sowie deren dessen sofern außer abzüglich")

// aside matches the beginning of a sentence that gives an example or a supposition.
var aside = text.Pattern(`(?i)^(?:for example|for instance|e\.g\.|suppose|assume|assuming|imagine|let's say|say,|if|when|whenever|unless|although|while|because|zum beispiel|z\.\s?b\.|beispielsweise|angenommen|falls|wenn|obwohl|weil|während)(?:$|[^\pL])`)

// supposing are the words that all that aside matches begin with.
var supposing = text.Words("for e e.g suppose assume assuming imagine let say if when whenever unless although while because zum z z.b beispielsweise angenommen falls wenn obwohl weil während")

func (s *sentence) supposes() bool { return len(s.words) > 0 && supposing(s.words[0]) }

// verbs are finite verbs and auxiliaries. A subject, and a value after a colon, has none.
var verbs = text.Words(`is are was were be been being am isn't aren't wasn't has have had having do does did don't doesn't didn't can can't cannot could will won't would should shall may might must
 needs need want wants says said goes went gets got looks works runs means mean includes excludes include exclude contains uses use let makes made takes gives shows comes becomes returns creates requires allows lets supports happens
 ist sind war waren hat haben hatte hatten wird werden wurde wurden kann können konnte muss müssen musste soll sollte sollen darf dürfen geht läuft gibt macht heißt bedeutet zeigt liefert braucht lautet lauten dagegen hingegen jedoch however whereas`)

// pronouns are words that a subject does not contain.
var pronouns = text.Words(`this that these those it its they them he she we us you i me my who whom which what there here if then so but because since until although whether where when why how not only just also even neither nor
 dies diese dieser dieses jene es er sie wir uns ihr euch ich mich man wer was welche welcher welches dort hier falls wenn dann aber denn weil da dass ob obwohl nicht nur auch sogar damit dabei wobei hierbei`)

// labels are words before a colon that are not terms.
var labels = text.Words(`note notes todo fixme xxx hack date time day status state source quelle hinweis hint tip tips warning warn caution attention important info information example examples beispiel beispiele see siehe
 step steps usage default defaults type types returns return parameters parameter params arguments args option options output input result results response request problem solution fix bug issue cause reason question answer q a
 from to cc bcc subject re fwd sent author authors version versions url link links file files path paths update updates summary tldr ps fyi nb decision decisions agenda attendees participants action actions next owner due deadline priority today tomorrow yesterday
 monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag goal goals context background overview topic topics title name id key description host port user username password
 anwesend abwesend present absent attending protokoll minutes email mail phone tel fax address http https ftp warnung achtung wichtig datum von an betreff gesendet autor teilnehmer beschluss entscheidung frage antwort aufgabe aufgaben offen stand tipp ziel thema ort uhrzeit zeit ergebnis ursache lösung grund
 error errors fehler debug trace exception caveat requirements prerequisites installation setup conclusion pros cons pro con contra before after old new yes no true false null begriff term terms metric metrics definition definitions formula formulas calculation formel formeln berechnung rechenweg language format
 ok okay remarque exemple attention voir nota ejemplo fuente fecha thanks cheers remember reminder rule convention regel merke`)

// leads are labels before a sentence that is read like any other.
var leads = text.Pattern(`(?i)^(?:so|also|that is|i\.e\.|heads up|tl;?dr|decision|decided|definition|rule|convention|note|notes|important|fyi|remember|reminder|remember that|please remember(?: that)?|beschluss|entscheidung|beschlossen|regel|hinweis|wichtig|achtung|merke?(?: dir| euch)?(?: bitte)?|bitte merken|konvention|nota bene|nb|correct|richtig|korrekt)\s?:\s+|^(?:fyi|btw|übrigens|tl;?dr|remember that|please remember that|please note(?: that)?|note that|keep in mind(?: that)?|bear in mind(?: that)?|bitte beachten(?:,? dass)?|beachtet?(?: bitte)?,? dass|bitte merken,? dass)[,:]?\s+|` +
	`^(?:it was|it has been|it is|we|we have|we['’]ve) (?:agreed|decided|resolved|settled|laid down|minuted) that |^(?:(?:es )?wurde |wir haben )?(?:festgelegt|beschlossen|vereinbart|entschieden|festgehalten)(?: wurde| worden| haben wir)?, dass `)

// verbFinal is a definition behind "dass", with its verb behind the calculation: "Umsatz die Summe von betrag in kauf ist".
var verbFinal = text.Pattern(`(?i)^([^,:]{2,60}?) ((?:die|der|das) (?:summe|anzahl|zahl|anteil|durchschnitt|mittelwert|mittel|median|minimum|maximum|quotient)(?: .+?)?) (ist|sind)((?:,.*)?)$`)

// leading are the first words of leads without a colon.
var leading = text.Words("decision rule point item step result outcome beschluss entscheidung regel punkt ergebnis nr no note keep bear beachte beachtet fyi btw übrigens tl dr tldr tl;dr remember please bitte it we es wurde wir festgelegt beschlossen vereinbart entschieden festgehalten")

// preface are the words of a prefix before a colon that has no meaning of its own: "Quick note for later: …".
// They include no word that names or restricts something.
var preface = text.Words(`clarification klarstellung reporting zum a an the one another small short quick little new again annual note notes reminder record remember memo agree agreed define definition definitions convention please ok okay so let's lets let s us we i for later now future reference keep mind in this that it following follows next time all team everyone everybody hi hello hey thanks
 eine einen ein der die das zur kurz gern gerne wieder kurze kleine kleiner wichtige wichtiger neue neuer notiz info hinweis merken merke bitte fürs für später protokoll definition wir vereinbaren vereinbart ab jetzt folgendes noch nochmal mal schnell eben dein deine deinem deinen deiner euer eure eurem euren eurer mein meine meinem meiner hallo zusammen alle`)

// person are words of somebody speaking in the first or second person.
var person = text.Words(`i i'm i'll i've i'd me my we we'll we're we've us our you you're your please thanks thank let's lets ok okay yeah yes no hey hi hello lol ich mir mich mein wir uns unser du dir dich ihr euch bitte danke hallo hi moin ja nein je j'ai nous vous merci`)

// imperatives are words at the beginning of a value that is a command.
var imperatives = text.Words(`run use see click check call set make ask restart add fix open close press select choose enter type install update upgrade remove delete create read write send start stop try ensure keep avoid do don't follow refer go get put take give move copy paste wait
 siehe nutze nutzen verwende verwenden klicke prüfe prüfen starte starten öffne öffnen lösche setze setzen bitte`)

// longestSubject is the largest number of words of a subject (spec §5, "Weak rules").
const longestSubject = 6

// named reports whether a text can be the subject of a statement: a term, not a clause.
func named(s string) bool {
	first, rest, _ := strings.Cut(strings.TrimSpace(s), " ")
	return nominal(s) && (rest == "" || !strings.HasSuffix(strings.ToLower(first), "ing"))
}

// nominal is named for the subject of a calculation, where "Paying customers" is not a clause.
func nominal(s string) bool {
	list := words(s)
	if len(list) == 0 || len(list) > longestSubject || len(s) > maxSlug || strings.ContainsAny(s, "?!;|<>{}[]\"“”=\\") || !balanced(s) {
		return false
	}
	if len(list) == 1 && articles(strings.ToLower(list[0])) {
		return false
	}
	letter := false
	for i, written := range strings.Fields(s) {
		w := strings.Trim(strings.ToLower(written), ",.:;()`'’")
		if i > 0 && acronym(written) {
			letter = true // "payroll IT"
			continue
		}
		if verbs(w) && (i > 0 || w != "mean" || len(list) == 1) && !(alsoNouns(w) && (i > 0 && i == len(list)-1 || i == 0 && len(list) == 2 && strings.HasSuffix(strings.ToLower(list[1]), "ed"))) || pronouns(w) && !(i == 0 && denying(list)) || strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n’t") {
			return false
		}
		if i == 0 && (imperatives(w) && len(list) > 1 && !(w == "open" && !articles(strings.ToLower(list[1])) || motions(w) && (deed(strings.ToLower(list[1])) || amounting(strings.ToLower(list[1])) || amounting(strings.ToLower(list[len(list)-1]))) || namesByVerb(list)) || w == "to" || w == "in" || w == "on" && !(len(list) > 2 && afterOn(list[1])) || w == "for" || w == "at" || w == "with" || w == "and" || w == "or") {
			return false
		}
		for _, r := range w {
			letter = letter || unicode.IsLetter(r)
		}
	}
	return letter && !(len(list) == 1 && (labels(strings.ToLower(list[0])) || noting(strings.ToLower(list[0])))) && !strings.HasSuffix(s, ",")
}

// afterOn are nouns behind "on" that are an adjective with it: "on time jobs".
var afterOn = text.Words("time hand call site board demand duty hold loan order")

// denying reports whether words begin with a denied participle: "Nicht abgeholte Essen".
func denying(list []string) bool {
	first := strings.ToLower(list[0])
	return len(list) > 2 && (first == "nicht" && strings.HasSuffix(list[1], "e") || first == "not" && strings.HasSuffix(list[1], "ed")) && !capital(list[1])
}

// noting reports whether a word before a colon only says that what follows is to be remembered, was agreed, or is computed.
func noting(low string) bool {
	switch low {
	case "merke", "merken", "remember", "festgelegt", "beschlossen", "vereinbart", "agreed", "decided", "settled",
		"gerechnet", "berechnet", "ermittelt", "gezählt", "summiert", "computed", "calculated", "summed":
		return true
	}
	return false
}

// motions are imperatives that also name what a machine or somebody does, before a noun of an amount: "press yield", "run rate".
var motions = text.Words("press run open close start stop wait move call")

// deed reports whether an English word is a noun of doing something, by its ending: "stop completion".
func deed(w string) bool {
	return slices.ContainsFunc([]string{"tion", "sion", "ance", "ence", "ment"}, func(ending string) bool { return strings.HasSuffix(w, ending) })
}

// entitles reports whether a text can be what a cell, or the left of a sign, calls the calculation beside it: "Tips" is no label there.
func entitles(s string) bool {
	list := lowered(s)
	return nominal(s) || len(list) == 1 && (list[0] == "tips" || list[0] == "tip")
}

// namesByVerb reports whether words are a verb and a noun that is no name without it: "Take rate", "call volume".
func namesByVerb(list []string) bool {
	if first := strings.ToLower(list[0]); first == "set" || first == "make" || first == "use" || first == "keep" {
		return false // "Set volume = …"
	}
	return len(list) == 2 && (imperatives(strings.ToLower(list[0])) || classes()[strings.ToLower(list[0])]&sayWord != 0) && generic(strings.ToLower(list[1]))
}

// generic are nouns of amounts that alone name no number.
var generic = text.Words("rate ratio share volume value count price time load level")

// alsoNouns reports whether a verb ends a name as a noun: "fit returns".
func alsoNouns(w string) bool {
	switch w {
	case "returns", "runs", "shows", "works", "needs", "use":
		return true
	}
	return false
}

// clauseStart are words after which a value may contain a verb.
var clauseStart = text.Words(`that which who whose whom where when if with der die das deren dessen wer wenn falls sobald mit whenever`)

// phrase reports whether a text after a colon can be a definition: a noun phrase, not somebody
// speaking, not a setting.
func phrase(v string) bool {
	list := strings.Fields(strings.ToLower(v))
	if len(list) == 0 || strings.ContainsAny(v[len(v)-1:], "?!:") || strings.Contains(v, "://") {
		return false
	}
	letters := 0
	for _, r := range v {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if letters < 2 || imperatives(strings.Trim(list[0], ",.")) {
		return false
	}
	inside := false
	for i, w := range list {
		w = strings.Trim(w, ",.:;()`'\"’")
		if person(w) {
			return false
		}
		if i > 0 || w == "who" || w == "wer" {
			inside = inside || clauseStart(w)
		}
		if i == 0 && pronouns(strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")) && w != "who" && w != "wer" || !inside && verbs(w) {
			return false
		}
	}
	return true
}

// talks reports whether a text is in the first or second person.
func talks(s string) bool {
	for i, w := range strings.Fields(strings.ToLower(s)) {
		if w = strings.Trim(w, ",.:;()`'\"’"); person(w) && (w != "je" || i == 0) { // "Marge je Stunde" is no French
			return true
		}
	}
	return false
}

// acronym reports whether s is an acronym: at least two capitals, and no lower case except a last
// "s".
func acronym(s string) bool {
	s = strings.TrimSuffix(s, "s")
	n := 0
	for _, r := range s {
		switch {
		case unicode.IsUpper(r):
			n++
		case unicode.IsDigit(r) || r == '&' || r == '/' || r == '-':
		default:
			return false
		}
	}
	return n >= 2 && len(s) <= 12
}

// initials reports whether a consists of the initials of the words of long.
func initials(a, long string) bool {
	if !acronym(a) {
		return false
	}
	a = strings.ToLower(strings.TrimSuffix(a, "s"))
	var all, capital strings.Builder
	for _, w := range strings.FieldsFunc(strings.ToLower(long), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		r := []rune(w)[0]
		all.WriteRune(r)
		if !minor(w) {
			capital.WriteRune(r)
		}
	}
	return a == all.String() || a == capital.String()
}

var minor = text.Words("of the and for to in on a an per by und der die das des von für")
