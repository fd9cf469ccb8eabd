package assertion

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/loam-data/loam/host/internal/text"
)

// A paraphrase is a wording of ordinary prose, and the one that the rules read. Its words that restrict, negate or
// calculate stay in the result; what it drops says nothing about the number.
type paraphrase struct {
	// cues are parts of a text in lower case; the paraphrase is tried only if it has one of them.
	cues    []string
	pattern func() *regexp.Regexp
	as      string
	// only accepts a match by its groups; nil = every match.
	only func(groups []string) bool
}

func wording(cues, expression, as string, only func([]string) bool) paraphrase {
	return paraphrase{strings.Split(cues, "|"), text.Pattern(`(?i)` + expression), as, only}
}

// apply rewrites the first match.
func (p *paraphrase) apply(s, lower string) (string, bool) {
	if !slices.ContainsFunc(p.cues, func(cue string) bool { return strings.Contains(lower, cue) }) {
		return s, false
	}
	at := p.pattern().FindStringSubmatchIndex(s)
	if at == nil {
		return s, false
	}
	if p.only != nil {
		groups := make([]string, len(at)/2)
		for i := range groups {
			if at[2*i] >= 0 {
				groups[i] = s[at[2*i]:at[2*i+1]]
			}
		}
		if !p.only(groups) {
			return s, false
		}
	}
	return s[:at[0]] + string(p.pattern().ExpandString(nil, p.as, s, at)) + s[at[1]:], true
}

// rowsOf reports whether a noun means the rows of a table: its name in singular or plural, or a word for any row.
func rowsOf(noun, table string) bool {
	noun = strings.ToLower(noun)
	if slices.Contains([]string{"rows", "records", "entries", "lines", "zeilen", "datensätze", "einträge"}, noun) {
		return true
	}
	return singular(englishNoun(noun)) == singular(base(table))
}

func singular(s string) string { return strings.TrimSuffix(strings.ReplaceAll(s, "ies", "y"), "s") }

// phrasings are wordings inside a calculation, applied in this order.
var phrasings = sync.OnceValue(func() []paraphrase {
	return []paraphrase{
		wording("just|simply|basically|always|nothing but|einfach|immer|schlicht", `^(?:just|simply|basically|always|nothing but|einfach|immer|schlicht) `, "", nil),
		wording("what ", `^what (?:you|we) get (?:when|if|by) (?:you |we )?`, "", nil),
		wording("no |ohne |nothing", `,? (?:and )?(?:(?:with )?(?:no (?:further |other |additional )?(?:filters?|conditions?|exclusions?)|ohne (?:weitere )?(?:filter|bedingungen))(?: (?:needed|required|applied|at all))?|nothing (?:is |gets )?(?:filtered(?: out)?|excluded|left out))$`, "", nil),
		wording("column|spalte|field|feld", `(?:the |der |die )?(?:column |field |spalte |feld )(`+namePattern+`)`, "$1", nil),
		wording("column|field", `(?:the )?(`+namePattern+`) (?:column|field)\b`, "$1", nil),
		wording("every distinct|each distinct", `^(?:every|each) (?:distinct|different|unique) (.+?)(?:,? (?:is )?counted (?:only )?once)?$`, "number of distinct $1", nil),
		wording("every|those|all ", ` (?:for|of|from) (?:everyone|everybody|those|all)(?: who (?:are|is|were))? (?:on|with|in) ([^,]*[=<>][^,]*)$`, " where $1", nil),
		wording(" only", `, ([^,]*[=<>][^,]*?) only$`, " where $1", nil),
		wording(" over ", ` over (the (?:number|sum|count|total) of |all )`, " divided by $1", func(g []string) bool { return strings.ToLower(g[1]) != "all " }),
		wording("for |over ", `^((?:the )?(?:sum|total|average|avg|mean|median|minimum|maximum) of [\pL_]+) (?:for|over) (?:all |the )*(\pL[\pL\d_]*) (with|whose|where) ([^,]+)$`, "$1 in $2 $3 $4", func(g []string) bool { return !strings.Contains(strings.ToLower(g[4]), " in ") }),
		wording("table |tabelle ", ` (in|from|over|of|aus|auf) (?:the |der )?(?:table|tabelle) (`+namePattern+`)`, " $1 $2", func(g []string) bool { return !strings.HasSuffix(g[2], ".") }),
		wording("at least|mindestens|or more|oder mehr", ` (`+namePattern+`) (?:is |are |ist |sind |of |von )?(?:at least|mindestens) (\d{1,3}(?:,\d{3})+|\d+)( |$)`, " $1 >= $2$3", nil),
		wording("at most|höchstens", ` (`+namePattern+`) (?:is |are |ist |sind |of |von )?(?:at most|höchstens) (\d{1,3}(?:,\d{3})+|\d+)( |$)`, " $1 <= $2$3", nil),
		wording("more than|mehr als|above|greater than", ` (`+namePattern+`) (?:is |are |ist |sind |of |von )(?:more than|greater than|above|mehr als) (\d{1,3}(?:,\d{3})+|\d+)( |$)`, " $1 > $2$3", nil),
		wording("less than|weniger als|below", ` (`+namePattern+`) (?:is |are |ist |sind |of |von )(?:less than|below|weniger als) (\d{1,3}(?:,\d{3})+|\d+)( |$)`, " $1 < $2$3", nil),
		wording("values|werte", `(\pL+_[\pL_]+) (?:values?|werte)\b`, "$1", nil),
		wording("(", `((?:distinct|different|unique|verschiedene[nr]?) )(?:\pL+) \((\pL+_[\pL\d_]+)\)`, "$1$2", nil),
		wording("found|stored|listed|recorded|kept", ` (?:found|stored|listed|recorded|kept) (in|on) `, " $1 ", nil),
		wording("restrict|limit|beschränkt|begrenzt", `,? (?:restricted|limited|beschränkt|begrenzt) (?:to|auf) (?:the |those )?(?:rows |ones )?(?:where |with |mit )?`, " where ", nil),
		wording("how many|wie viele", `^(?:how many|wie viele) ((?:different|distinct|unique) )?(?:of )?(?:the )?(.+?),?(?: there are)?$`, "number of $1$2", nil),
		wording("jede", `^(?:in (`+namePattern+`) )?jede[nrs]? (`+namePattern+`) nur (?:ein ?mal|einfach)$`, "anzahl verschiedener $2 in $1", func(g []string) bool { return g[1] != "" }),
		wording("jede", `^jede[nrs]? (`+namePattern+`) nur (?:ein ?mal|einfach)$`, "anzahl verschiedener $1", nil),
		wording("count", `^count(?:s|ing)? (?:up )?(?:all |the |every )*(\pL+.*)$`, "number of $1", func(g []string) bool { return !strings.HasPrefix(strings.ToLower(g[1]), "of ") }),
		wording("averages|averaging", `^averag(?:es|ing) (?:the |over )*`, "average of ", nil),
		wording("distinct|unique|different", `^(?:the )?(?:distinct|unique) (?:count|number) of `, "number of distinct ", nil),
		wording("distinct|unique|different", `^(?:the )?(?:count|number) of (?:distinct |unique )(?:values (?:of|in) )`, "number of distinct ", nil),
		wording("take ", `^take (?:all |the )*(?:rows (?:of|from|in) )?(`+namePattern+`),? (?:and )?(?:(?:keep(?:ing)?|use|look at) only|only keep|restrict it to|filter (?:it )?(?:by|on|to)) (?:the )?(?:rows |those |ones )?(?:where |with |whose |that have )?(.+?),? (?:and |then )+(?:sum|add|total)(?: up)? (?:the )?(.+)$`, "sum of $3 in $1 where $2", nil),
		wording("take ", `^take (?:all |the )*(?:rows (?:of|from|in) )?(`+namePattern+`),? (?:and )?(?:(?:keep(?:ing)?|use|look at) only|only keep|restrict it to|filter (?:it )?(?:by|on|to)) (?:the )?(?:rows |those |ones )?(?:where |with |whose |that have )?(.+?),? (?:and |then )+count (?:them|the rows|the rest|what is left)$`, "number of rows in $1 where $2", nil),
		wording("multiply", `^multiply(?:ing)? (`+namePattern+`) (?:by|with) (`+namePattern+`),? (?:and|then|and then) (?:add|sum|total)(?:ing)? (?:it|them|that|this|the products?|the results?)(?: up)? (?:over|in|for|from|across) (.+)$`, "sum of $1 * $2 in $3", nil),
		wording("sum|add|total", `^(?:to )?(?:(?:sum|add|total)(?: up|s up|s)?|(?:summ|add|total)l?ing(?: up)?) (?:up )?(?:the |all |all the |every )?([\pL_][^=]*)$`, "sum of $1", func(g []string) bool {
			first, rest, more := strings.Cut(strings.ToLower(g[1]), " ")
			return first != "of" && first != "over" && first != "to" && first != "=" && more && rest != "" || strings.ContainsAny(first, "_")
		}),
		wording("sum|add|totall|totale", `^(`+namePattern+`) (?:in|aus) (`+namePattern+`) (?:aufsummieren|summieren|aufaddieren|addieren|zusammenzählen|summed up|added up|totalled|totaled)`, "summe von $1 in $2", nil),
		wording("divid", `^(?:divide|dividing) (.+?) by (.+)$`, "$1 divided by $2", nil),
		wording("teilt|dividiert", `^(.+?) durch (.+?) (?:teilt|dividiert)$`, "$1 geteilt durch $2", nil),
		wording("share|proportion|fraction|part", `^(?:the |which |what )?(?:share|proportion|fraction|part) of (?:all |the )*(\pL+) (?:in|from|of) (`+namePattern+`) (?:that |which |with |whose |where )?(?:have |has |are |is |with |where )?(.+)$`, "number of rows in $2 where $3 divided by number of rows in $2", func(g []string) bool { return rowsOf(g[1], g[2]) }),
		wording("share|proportion|fraction|part", `^(?:the |which |what )?(?:share|proportion|fraction|part) of (?:all |the )*(\pL+) (?:that|which|with|whose|where) (?:have |has |are |is )?(.+)$`, "number of $1 where $2 divided by number of $1", nil),
		wording("anteil", `^(?:der )?anteil (?:der |von |aller )?(\pL+) (?:in|aus) (`+namePattern+`) (?:mit|deren|wo) (.+?) an (?:allen|der gesamtzahl der|sämtlichen) (\pL+)(?: (?:in|aus) `+namePattern+`)?$`, "anzahl der zeilen in $2 wo $3 geteilt durch anzahl der zeilen in $2", func(g []string) bool { return strings.EqualFold(g[1], g[4]) && rowsOf(g[1], g[2]) }),
		wording("anteil", `^(?:der )?anteil (?:der |von |aller )?(\pL+) (?:mit|deren|wo) (.+?) an (?:allen|der gesamtzahl der|sämtlichen) (\pL+)$`, "anzahl der $1 wo $2 geteilt durch anzahl der $1", func(g []string) bool { return strings.EqualFold(g[1], g[3]) }),
		wording("only", ` in (`+namePattern+`),? (?:but|and) only (?:for |from |of |over |in )?(?:the |those )?(\pL+) (whose|with|where|that|which) `, " in $1 $3 ", func(g []string) bool { return rowsOf(g[2], g[1]) }),
		wording("only|nur", `,? (?:but|and|aber|und) (?:only|nur) (?:for |from |of |over |in |counting |considering |für |wo |mit )?(?:the |those |where |with |whose |die |der )?`, " where ", nil),
		wording("except|exclud|other than|besides|but ", ` (?:for|over|of|from|across) (?:everything|anything|all (?:rows|records|orders)|all) (?:in|from) (`+namePattern+`) (?:except(?: for)?|excluding|other than|besides|but) `, " in $1 excluding ", nil),
		wording("except|exclud|other than|besides|but ", ` (?:for|over|of|from|across) (?:everything|anything) (?:except(?: for)?|excluding|other than|besides|but) (.+?) in (`+namePattern+`)$`, " in $2 excluding $1", nil),
		wording("everything|anything", ` (?:for|over|of|from|across) (?:everything|anything) (?:except(?: for)?|excluding|other than|besides|but) `, " excluding ", nil),
		wording("(", ` (?:over|for|of|across|from) (?:all |the )*(\pL+) (\pL+) \(([^()]*[=<>][^()]*)\)`, " where $3", func(g []string) bool {
			return strings.Contains(strings.ToLower(g[3]), "'"+strings.ToLower(g[1])+"'")
		}),
		wording("among|over|across|for|from|über|unter", ` (?:among|over|across|for|from|über|unter) (?:all |the |every |alle |allen |aller )*(\pL+) (?:in|from|of|aus) (?:the )?(`+namePattern+`)`, " in $2", func(g []string) bool { return rowsOf(g[1], g[2]) }),
		wording("of every|of each|of all", ` of (?:every|each|all(?: the)?) (\pL+) (?:in|from) (?:the )?(`+namePattern+`)`, " in $2", func(g []string) bool { return rowsOf(g[1], g[2]) }),
		wording("among|over|across|for|from", ` (?:among|over|across|for|from) (?:all |the |every )*(\pL+) (\pL+) (?:in|from|of) (?:the )?(`+namePattern+`)$`, " in $3 where $1 $2", func(g []string) bool { return rowsOf(g[2], g[3]) }),
		wording("have |has |having", ` (?:that |which |who )?(?:have|has|having) (?:the |a |an )?(\pL[\pL_]*(?: of)? ["'“]?[\pL\d_-]+["'”]?)$`, " where $1", nil),
		wording("still|currently|already", ` (?:that|which|who) (?:are|is|were) (?:still |currently |already )+`, " where ", nil),
		wording("equals", ` (?:the )?(\pL[\pL_]*) equals ('[^']*'|\d+)`, " $1 = $2", nil),
		wording("deren|dessen", `,? (?:deren|dessen) (\pL[\pL_]*) ((?:['"„“]?[\pL\d_-]+['"“”]?)) ist$`, " wo $1 $2", nil),
	}
})

// scaledBy is a division of the whole at the end of a sentence: ", divided by 100", "and divide by 100".
var scaledBy = text.Pattern(`(?i)(?:,? and|,? then|,)\s(?:then )?(?:divided?|dividing|geteilt|dividiert)(?: (?:it|that|this|the result|the total|everything|das ergebnis))? (?:by|durch) (\d+(?:\.\d+)?)$`)

// grouped is a number with commas that follows a comparison.
var grouped = text.Pattern(`[<>]=? \d{1,3}(?:,\d{3})+\b`)

// paraphrased rewrites the prose of a calculation into the wording that is read, and returns the number that the whole
// is divided by; "" = none.
func paraphrased(s string) (rest, divisor string) {
	lower := strings.ToLower(s)
	if strings.Contains(lower, "divid") || strings.Contains(lower, "geteilt") {
		if m := scaledBy().FindStringSubmatchIndex(s); m != nil {
			divisor, s = s[m[2]:m[3]], s[:m[0]]
			lower = strings.ToLower(s)
		}
	}
	all := phrasings()
	for i := range all {
		if next, ok := all[i].apply(s, lower); ok {
			s, lower = next, strings.ToLower(next)
		}
	}
	if strings.Contains(s, ",") {
		s = grouped().ReplaceAllStringFunc(s, func(n string) string { return strings.ReplaceAll(n, ",", "") })
	}
	return s, divisor
}
