package assertion

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// takesBack matches a sentence that takes back the one before it: "Correction: that was the old version."
var takesBack = text.Pattern(`(?i)^(?:or|oder|alternatively|alternativ|(?:others?|some|andere|manche)(?: \pL+)? (?:say|count|call|use|mean|define|compute|prefer|take|add|sagen|zählen|nennen|rechnen|meinen|nehmen|verwenden|definieren)|correction|korrektur|scratch that|strike that|forget that|vergesst das|ignore that|just kidding|kidding|scherz|not true|not really|(?:no|nein|nö)(?: *[,.!:;–-]|$)|nope|quatsch|falsch|wrong|(?:das |es |this |that |it )?(?:stimmt|gilt|passt)(?: (?:so|aber|leider|hier|heute|längst))* nicht)(?:$|[^\pL])|` +
	`^(?:but |aber )?(?:that|this|it|das|dies) (?:was|is|war|ist) (?:(?:only|just|nur|die|der|the|an?|our|unsere) )*(?:old|outdated|obsolete|wrong|former|previous|alte|alter|altes|veraltet|falsch|überholt)(?:$|[^\pL])|^(?:this|that|it|das|dies) (?:was|war) .*\b(?:definition|version|formula|formel|valid|gültig|old|before|until|till|bis|vor|once|damals|früher)\b|^(?:danach|afterwards|after that|from then on) (?:nicht mehr|no more|no longer|not)(?:$|[^\pL])|^(?:we|wir) (?:never|haben (?:dem|das) nie) |` +
	`^(?:please (?:delete|remove|strike|drop) (?:it|this|that)\b|bitte (?:das |es |sie )?(?:wieder |doch )?(?:streichen|löschen|entfernen|verwerfen|vergessen|rausnehmen)(?:$|[^\pL]))|` +
	`^(?:please |bitte |just )?(?:forget|ignore|scrap|drop|disregard|discard|delete|vergiss|vergesst|ignoriert?|ignorieren sie|streicht?|löscht?|verwerft) (?:about )?(?:the|that|this|my|what|die|den|das|diese[nrs]?|meine[nrs]?|was) (?:\pL+ ){0,2}?(?:above|before|last|previous|earlier|line|message|sentence|definition|formula|post|wrote|said|obige[nrs]?|vorige[nrs]?|letzte[nrs]?|zeile|nachricht|satz|formel|oben|vorhin)(?:$|[^\pL])`)

// takingBack are the words that all that takesBack matches begin with.
var takingBack = text.Words(`or oder alternatively alternativ other others some andere manche correction korrektur scratch strike forget vergesst ignore just kidding scherz not no nope nein nö quatsch falsch wrong
	das es this that it stimmt gilt passt but aber dies please bitte scrap drop disregard discard delete vergiss ignoriere ignoriert ignorieren streich streicht lösch löscht verwerft danach afterwards after from we wir`)

func (s *sentence) takesBack() bool {
	return len(s.words) > 0 && takingBack(s.words[0]) && takesBack().MatchString(s.text) || s.withdraws()
}

var (
	// amended is the label of what was written later: "Edit 14:20 - ", "Nachtrag von Freitag: ".
	amended = text.Pattern(`(?i)^(?:update|ps|p\.s\.|edit|edited|note|nachtrag|hinweis|correction|korrektur|berichtigung|erratum|addendum|ergänzung|later|später)\b(?:[^:–—.]|\d[:.]){0,24}?(?:: | [-–—] )`)
	// withdrawn takes back all that stands before it: "scrap that", "das oben bitte vergessen", "what I wrote above was wrong".
	withdrawn = text.Pattern(`(?i)^(?:please |bitte |sorry,? |no,? |naw,? |nah,? |nein,? |nö,? |ok,? |actually,? )*(?:(?:scrap|strike|scratch|forget|ignore|disregard|drop|discard|vergiss|vergesst|ignoriert?|streicht?) (?:that|this|it|das|es|dies|(?:all of )?the above|everything above|all that|alles)(?:$|[^\pL])|` +
		`(?:(?:all of |all |alles )?(?:das|die|der|the|alles|was|what)(?: (?:\pL+ ){0,4}?)(?:oben|above|vorhin|earlier|obige[nrs]?)|the above|das obige)(?: \pL+)? (?:bitte )?(?:(?:wieder |gleich |ganz )?(?:vergessen|streichen|ignorieren|löschen|verwerfen)|(?:war|ist|was|were|is|are)(?: \pL+)? (?:falsch|wrong|nonsense|quatsch|unsinn|outdated|veraltet|hinfällig|a mistake|ein fehler|not (?:right|true|correct))|stimmt (?:so |leider |aber )*nicht|(?:can|should|must|kann|soll|muss) (?:be )?(?:ignored|forgotten|deleted|weg|raus|vergessen werden)))(?:$|[^\pL])`)
	// withdrawing are the words that amended and withdrawn begin with, but for articles before a word of pointing.
	withdrawing = text.Words("update ps p edit edited note nachtrag hinweis correction korrektur berichtigung erratum addendum ergänzung later später please bitte sorry no naw nah nein nö ok actually scrap strike scratch forget ignore disregard drop discard vergiss vergesst ignorier ignoriert streich streicht")
)

// withdraws reports whether a sentence takes back what stands before it, not only the sentence before.
func (s *sentence) withdraws() bool {
	if len(s.words) == 0 || !withdrawing(s.words[0]) && !slices.ContainsFunc(s.words, upward) {
		return false
	}
	said := strings.TrimLeft(s.text, "([*_ ")
	rest := amended().ReplaceAllString(said, "")
	return withdrawn().MatchString(rest) || rest != said && takesBack().MatchString(rest)
}

// upward reports whether a word points at what stands before it.
func upward(w string) bool {
	switch w {
	case "above", "earlier", "oben", "vorhin", "obige", "obigen", "obiger", "obiges":
		return true
	}
	return false
}

// amends leaves the formulas unsure that a sentence takes back, those before it in its paragraph and in the one above, and those of which
// it says something as what was written later: "Correction: refunds count too."
func (r *reader) amends(s *sentence, spans map[Span]bool) {
	withdraws, said, label := s.withdraws(), strings.TrimLeft(s.text, "([*_ "), ""
	if len(s.words) > 0 && withdrawing(s.words[0]) {
		label = amended().FindString(said)
	}
	if !withdraws && (label == "" || spans[s.Span] || len(label) == len(said)) {
		return
	}
	rest := *s
	rest.text = said[len(label):]
	rest.words = lowered(rest.text)
	for _, p := range r.formulas {
		st := &r.doc.Statements[p.at]
		if p.section == s.section && p.block >= s.block-1 && st.To <= s.From && st.Unread == "" && (withdraws || correcting(s.words[0]) || r.goesOn(&rest, st)) {
			st.Unread = clean(s.text)
		}
	}
}

// correcting reports whether a word is the label of a correction.
func correcting(w string) bool {
	return w == "correction" || w == "korrektur" || w == "berichtigung" || w == "erratum"
}

// retracting are words of somebody who takes back what was said.
var retracting = text.Words("wrong mistaken incorrect mistake retract retracted withdraw withdrawn outdated obsolete falsch geirrt irrtum vertan überholt veraltet hinfällig")
