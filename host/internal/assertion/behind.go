package assertion

import (
	"regexp"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// codePattern is a condition as code: "status <> 'running'", "storniert = false", "paid_at is not null", several joined by "and".
const codePattern = `[\pL_][\pL\pN_.]* ?(?:=|<>|!=|<=|>=|<|>) ?(?:'[^']*'|true|false|\d+(?:\.\d+)?)|[\pL_][\pL\pN_.]* is (?:not )?null`

var (
	// bothSides are words for the two sides of a division: "…, top and bottom."
	bothSides = text.Pattern(`(?i),? (?:(?:completely|entirely|everywhere|ganz|überall),? )?(?:in |from |on |im |aus |auf )?(?:both )?(?:(?:the )?top and (?:the )?bottom|above and below the line|(?:the )?numerator and (?:the )?denominator|zähler (?:und|wie) nenner|oben (?:und|wie) unten)\b`)
	// concluded is what a sentence says in words and then as a condition: "Stornierte gehören nicht dazu, also storniert = false", "We look at
	// full donations only, so outcome = 'full'"; bracketedLast has the condition in parentheses at its end.
	concluded     = text.Pattern(`(?i)^(.{3,80}?),? (?:so|also|i\.e\.|d\.h\.|that is|das heißt|meaning|darum|deshalb|daher|hence|therefore)[,:]? (?:(?P<only>only|nur) |(?P<without>ohne|without|excluding) )?(?:(?:die |the |those |alle )?(?:zeilen |rows |ones )?(?:where|wo|mit|with|in denen) )?((?:` + codePattern + `)(?: (?:and|und) (?:` + codePattern + `))*)$`)
	bracketedLast = text.Pattern(`(?i)^(.{3,80}?) \(((?:` + codePattern + `)(?: (?:and|und) (?:` + codePattern + `))*)\)$`)
	onlyWith      = text.Pattern(`(?i)^((?:[^,;=<>0-9]{3,60}, )?(?:es zählen (?:also )?nur|gezählt werden (?:also )?nur|wir zählen (?:also )?nur|wir nehmen (?:also )?nur|(?:so )?only|(?:so )?we only (?:count|take|use|look at)|nur) (?:[\pL-]+ ){1,3})(?:mit|with|where|whose|deren) ((?:` + codePattern + `)(?: (?:and|und) (?:` + codePattern + `))*)(?: (?:zählen|count|counts|are counted|are included|go in|are in|sind dabei))?$`)
	bracketedOnly = text.Pattern(`(?i)^(.{3,60}?) \(((?:` + codePattern + `)(?: (?:and|und) (?:` + codePattern + `))*)\) (?:counts?|zählen|zählt|are counted|goes? in|are in|werden gezählt)$`)
	// alsoOut joins two things that are left out: "refunded ones are excluded, and so are tests".
	alsoOut = text.Pattern(`(?i)^(.+?) (are|is|sind|ist|werden|wird) (left out|excluded|ignored|dropped|weggelassen|ausgeschlossen)(,? (?:and|und) (?:so (?:are|is)|ebenso|genauso)) ([^,.;]+)`)
	// adverbial is how much something is left out: "… are left out completely."
	adverbial = text.Pattern(`(?i) (?:completely|entirely|altogether|as a whole|at all|komplett|ganz|vollständig)[.!]?$`)
	// takingOnly is what a sentence says that only some rows are in a number: "Es zählen nur Geräte, die zurück sind", "We only count …".
	takingOnly = text.Pattern(`(?i)(?:^|[^\pL])(?:only|nur|solely|ausschließlich|lediglich)(?:$|[^\pL])`)
)

// continued reads a definition with the sentence behind it that restricts its rows, if each word of both is understood:
// "Charter legs (is_charter) are left out."
func (r *reader) continued(s *sentence, text string, st *Statement, understood bool) (Statement, bool) {
	next := r.following
	if next == nil || r.o.Lexicon == nil || understood && st.Unread != "" || !(next.restricting() && restriction().MatchString(next.text)) && !leavingOff().MatchString(next.text) || r.guarded(next) {
		return Statement{}, false
	}
	table := ""
	if st.Formula != nil {
		table = r.tableOf(st)
	}
	clause := r.conditionOf(next, table)
	whole := answerLabel().ReplaceAllString(text, "") + ", " + clause
	a := r.anatomy(s, whole)
	if a == nil {
		return Statement{}, false
	}
	a.rest = max(0, len(a.all)-len(parted(ordered(clause))))
	frames := []frame{}
	if name, _ := r.askedName(s); name != "" {
		frames = []frame{{subject: name}}
	} else if understood && st.Rule == Parts && computed().MatchString(text) {
		frames = []frame{{subject: st.Subject}} // what the sentence before tells of
	} else {
		frames = r.framesOf(s, text)
	}
	if len(frames) == 0 && r.alone[s.section] == 2 {
		if name := r.headingName(s); name != "" {
			frames = []frame{{subject: name}}
		}
	}
	both, ok := a.best(frames, whole)
	same := understood && ok && len(both.Formula.Where) == len(st.Formula.Where)
	if !ok || both.Unread != "" || understood && both.Subject != st.Subject || !same && !identifier(next.text) && !strings.HasSuffix(clause, " sides") && !r.comparesAlone(s, next, strings.HasPrefix(clause, "where ")) && !slices.Contains(next.words, "seiten") {
		return Statement{}, false // "Refunded orders don't count." may be how somebody looks at it
	}
	next.read = true
	return both, true
}

// comparesAlone reports whether the sentence behind a definition has a comparison or a value, and can concern no definition before
// that one, and no report or team: "Cancelled parties (cancelled = true) do not count." Of one that concludes with its condition, "laufende …, also
// outcome <> 'running'", times are adjectives.
func (r *reader) comparesAlone(s, next *sentence, concluded bool) bool {
	list := unconceded(lowered(unreasoned(strings.TrimRight(next.text, " .;。!"))))
	return (concluded || slices.ContainsFunc(parted(next.text), compares)) && !slices.ContainsFunc(list, func(w string) bool {
		return classes()[w]&(venueWord|speakerWord) != 0 || classes()[w]&timeWord != 0 && !concluded || conditional(w) && w != "wird" && w != "werden"
	}) && !slices.ContainsFunc(r.formulas, func(f placed) bool {
		return f.section == s.section && (f.passage == s.passage || f.block >= s.block-1 && (next.general() || s.item))
	})
}

// unreasoned returns a sentence without the reason in it: "… is left out (shift <> 'late') because it only tops up.", "… is left out because it
// only tops up (shift <> 'late')".
func unreasoned(s string) string {
	reason := reasoning().FindStringIndex(s)
	if reason == nil {
		return s
	}
	behind := ""
	if at := strings.IndexByte(s, '('); at > reason[0] && strings.HasSuffix(s, ")") {
		s, behind = s[:at], " "+s[at:]
	}
	if strings.ContainsAny(s[reason[0]:], "0123456789=<>()") {
		return s + behind
	}
	return s[:reason[0]] + behind
}

// conditionOf returns what a sentence behind a definition adds to it, as a clause: with its condition alone where it gives that in words and as
// code. A reason, and that both sides of a division are meant, are left out.
func (r *reader) conditionOf(next *sentence, table string) string {
	clause := unreasoned(strings.TrimRight(next.text, " .;。!"))
	if at := leavingOff().FindStringIndex(clause); at != nil {
		if comma := strings.Index(clause[at[1]-1:], ", "); comma >= 0 {
			rest := clause[at[1]-1+comma+2:]
			if first := strings.ToLower(firstWord(rest)); speaks(rest) && first != "also" && first != "so" && !consequence(first) && !strings.HasSuffix(rest, "null") && !r.addsTo(rest, table) && !confines(rest) {
				clause = clause[:at[1]-1+comma] // "… are excluded, a dead line is the bank's own headache"
			}
		}
	}
	clause = alsoOut().ReplaceAllString(clause, "$1 and $5 $2 $3")
	if at := strings.Index(clause, "), "); at > 0 && !strings.ContainsAny(clause[at+1:], "0123456789=<>()") && !r.addsTo(clause[at+2:], table) && !confines(clause[at+2:]) {
		clause = clause[:at+1] // "… (isVerified = true), the others may type in anything."
	}
	clause = strings.NewReplacer(" ungleich '", " <> '", " gleich '", " = '", " gar nicht ", " nicht ", " dabei nicht ", " nicht ", " hier nicht ", " nicht ", " da nicht ", " nicht ", " überhaupt nicht ", " nicht ").Replace(clause)
	clause = adverbial().ReplaceAllString(clause, "")
	clause = strings.TrimRight(bothSides().ReplaceAllString(clause, " on both sides"), " .;。!")
	for _, form := range []func() *regexp.Regexp{concluded, bracketedLast, bracketedOnly, onlyWith} {
		groups := form().FindStringSubmatch(clause)
		if groups == nil {
			continue
		}
		m := match{form(), groups}
		words, condition := groups[1], groups[len(groups)-1]
		if table != "" && slices.ContainsFunc(parted(words), func(p part) bool {
			of, value := r.valueOf(table, p.text)
			return of != "" && p.class == 0 && strings.HasPrefix(condition, of+" ") && !strings.Contains(condition, textLiteral(value))
		}) {
			continue // "Paid ones are left out, hence without status = 'pending'"
		}
		switch {
		case m.group("without") != "" && leavingOff().MatchString(words) && !strings.ContainsAny(condition, "<>"):
			return "excluding " + condition
		case m.group("without") != "":
		case m.group("only") != "" && !slices.ContainsFunc(parted(words), func(p part) bool { return compares(p) || tellers(p.low) || disowned(p.low) && !p.is(notWord) }), concludes(words, condition):
			return "where " + condition
		}
	}
	return clause
}

// confines reports whether a clause behind a condition says where or when that holds: ", but only in June".
func confines(clause string) bool {
	return restriction().MatchString(clause) || slices.ContainsFunc(lowered(clause), func(w string) bool { return months[w] > 0 && w != "may" || limiting(w) || periodBounds(w) })
}

// addsTo reports whether a clause behind a condition may have more of them: ", as well as retrocessions".
func (r *reader) addsTo(clause, table string) bool {
	return slices.ContainsFunc(parted(clause), func(p part) bool {
		of, _ := r.valueOf(table, p.text)
		return p.is(andWord|orWord|leaveWord|leftWord) && !p.is(articleWord) || p.low == "well" || p.low == "likewise" || p.low == "same" || p.low == "ebenso" || p.low == "genauso" || p.low == "auch" || of != ""
	})
}

// concludes reports whether words say what the condition behind them says: that only such rows are in, or that others are not.
func concludes(words, condition string) bool {
	leaves, only := leavingOff().MatchString(words), takingOnly().MatchString(words)
	all := parted(words)
	if verb := func(p part) bool { return p.is(sayWord | countWord | linkWord) }; only && !ourOwn(all[0].low) && slices.ContainsFunc(all, verb) || leaves && (slices.ContainsFunc(all, func(p part) bool { return tellers(p.low) }) || len(all) > 1 && theyLeave(all[1].low)) {
		return false // "Leeds only looks at paid ones, so …"
	}
	keeps := strings.Contains(condition, "<>") || strings.Contains(condition, "!=") || strings.HasSuffix(condition, "false") || strings.HasSuffix(condition, "null")
	return (leaves != only || only && strings.Contains(words, ",")) && (only || keeps) && !slices.ContainsFunc(all, func(p part) bool {
		return p.number() || compares(p) || p.is(orWord|aggregateWord|shareWord|divideWord|perWord) && !p.is(articleWord) && p.low != "noch" || differently(p.low) || tentative(p.low) || limiting(p.low) || disowned(p.low) && !p.is(notWord) || months[p.low] > 0 || p.is(allWord) && leaves
	})
}

// limiting are words behind which a sentence says where it does not hold.
var limiting = text.Words("aber jedoch doch sondern außer but however though except unless")

// theyLeave are verbs of somebody who leaves something out.
var theyLeave = text.Words("leaves takes keeps excludes ignores omits lässt nimmt rechnet")

// ourOwn begins what we do with the number, or what is in it; tellers are those who do it otherwise.
var (
	ourOwn  = text.Words("we wir i ich only nur just it this es das hier here there counted gezählt")
	tellers = text.Words("they he she sie er you ihr du someone somebody jemand manche some others andere everyone")
)
