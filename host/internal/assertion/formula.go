package assertion

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/text"
)

// aggregates are the aggregates by their English and German words.
var aggregates = map[string]string{
	"sum": "sum", "total": "sum", "average": "avg", "avg": "avg", "mean": "avg", "median": "median", "minimum": "min", "min": "min",
	"smallest": "min", "lowest": "min", "maximum": "max", "max": "max", "largest": "max", "highest": "max", "number": "count", "count": "count",
	"summe": "sum", "gesamtsumme": "sum", "durchschnitt": "avg", "mittelwert": "avg", "anzahl": "count", "zahl": "count",
}

// spoken matches an aggregate in words, expressed a calculation as an expression.
var (
	spoken = text.Pattern(`(?i)^(?:the |die |der |das |den )?(sum|total|average|avg|mean|median|minimum|min|smallest|lowest|maximum|max|largest|highest|number|count|` +
		`summe|gesamtsumme|durchschnitt|mittelwert|anzahl|zahl) (?:of |over |von |der |des |aller |über )*(?:all |the |alle |allen )*((?:distinct|unique|different|verschiedene[nr]?|unterschiedliche[nr]?|eindeutige[nr]?) )?(.+)$`)
	ofWord    = text.Pattern(`(?i)^(?:the |die |der |das |den )?\pL+ (?:of|over|von|der|des|aller|über|distinct|verschiedene[nr]?|unterschiedliche[nr]?|eindeutige[nr]?) `)
	countOf   = text.Pattern(`(?i)^(?:die |der |das |den )?(?:anzahl|zahl|summe|gesamtsumme|durchschnitt|mittelwert) `)
	expressed = text.Pattern("(?i)^[\\pL_][\\pL\\d_.]*\\s?\\(|[\\pL\\d_.)`]\\s*[*/+]\\s*[\\pL\\d_.(`]|[\\pL\\d_)`] - [\\pL\\d_(`]")
	// ratio is a ratio of two names in words, divided is a division between any two operands.
	ratio = text.Pattern("(?i)^(?:the )?ratio of (" + namePattern + ") (?:to|and|over) (" + namePattern + ")$")
	// germanCall is an aggregate as it is written before parentheses.
	germanCall = text.Pattern(`(?i)\b(?:summe|durchschnitt|mittelwert|anzahl|minimum|maximum)\s?\(`)
	// scaled is a table, and the number that the aggregate over it is divided by.
	scaled  = text.Pattern("(?i)^(" + namePattern + ")(?: /| divided by| geteilt durch| dividiert durch) (\\d+(?:\\.\\d+)?)$")
	divided = text.Pattern(`(?i) (?:divided by|geteilt durch|dividiert durch) `)
	// saysOf is a verb with a condition behind it, and no call: "excluded (status <> 'refunded')".
	saysOf = text.Pattern(`(?i)^(?:\pL+ ){0,3}?(?:excluded|included|counted|ignored|dropped|omitted|out|in|ausgenommen|ausgeschlossen|gezählt|enthalten|mit|dazu|dabei|raus|weg|draußen) \(`)
	// over divides one call by another one: "sum(a) durch sum(b)".
	over      = text.Pattern(`(?i)\)\s+(?:over|durch)\s+([\pL_]+)\s?\(`)
	between   = text.Pattern(`(?i) (?:divided by|geteilt durch|dividiert durch|durch|/) `)
	callWord  = text.Pattern(`(?i)\b(?:sum|avg|average|count|count_distinct|min|max|median|ratio|nullif|coalesce|round|cast)\s?\(`)
	tableName = text.Pattern("^(?i:the |der |die |das |den |dem )?[`\"]?([\\pL_][\\pL\\d_]*(?:\\.[\\pL_][\\pL\\d_]*){0,3})[`\"]?(?i: table| view| tabelle)?$")
)

// called is what ends with a call, and the table that it is of: "sum(amount) / count(*) of sales.orders".
var called = text.Pattern(`(?i)^([\pL_]+\s?\(.*\)) (?:of|von) ([\pL_][\pL\d_]*(?:\.[\pL_][\pL\d_]*){0,3})$`)

// compared reports whether a word begins a condition only if a comparison follows.
func compared(w string) bool {
	switch w {
	case "whose", "deren", "wobei", "when", "wenn", "only", "nur":
		return true
	}
	return false
}

var nameOnly = text.Pattern("^" + namePattern + "$")

// clause is a keyword of a calculation and what follows it. apart: a comma is before it.
type clause struct {
	word, text string
	apart      bool
}

// The kinds of clauses: the table, a condition, an exclusion, the grain.
const (
	clauseTable = iota + 1
	clauseWhere
	clauseExcluded
	clausePer
)

var clauseWords = map[string]int{
	"in": clauseTable, "from": clauseTable, "on": clauseTable, "over": clauseTable, "aus": clauseTable, "auf": clauseTable, "im": clauseTable,
	"where": clauseWhere, "with": clauseWhere, "for": clauseWhere, "whose": clauseWhere, "that": clauseWhere, "which": clauseWhere, "who": clauseWhere,
	"when": clauseWhere, "if": clauseWhere, "only": clauseWhere, "wo": clauseWhere, "mit": clauseWhere, "für": clauseWhere, "wenn": clauseWhere,
	"nur": clauseWhere, "deren": clauseWhere, "wobei": clauseWhere, "during": clauseWhere, "within": clauseWhere, "since": clauseWhere,
	"including": clauseWhere, "einschließlich": clauseWhere, "inklusive": clauseWhere,
	"excluding": clauseExcluded, "without": clauseExcluded, "except": clauseExcluded, "ohne": clauseExcluded, "außer": clauseExcluded,
	"exklusive": clauseExcluded, "per": clausePer, "by": clausePer, "pro": clausePer, "je": clausePer,
}

// divide divides the whole formula by a number; false = it is a count, which nobody scales, or itself a quotient.
func (f *Formula) divide(by string) bool {
	switch {
	case f.Divisor != nil || strings.HasPrefix(f.Aggregate, "count"):
		return false
	case f.Expr != "":
		f.Expr = "(" + f.Expr + ") / " + by
	case nameOnly().MatchString(f.Of):
		f.Expr, f.Aggregate, f.Of = f.Aggregate+"("+f.Of+") / "+by, "", ""
	default:
		return false
	}
	return true
}

// calculation reads a formula: an aggregate in words or an expression, and its clauses. No word is dropped: text that it
// cannot read becomes a condition, which later cannot be resolved.
func calculation(text string) (*Formula, bool) {
	text = uncode(strings.TrimRight(strings.TrimSpace(text), ".;。 "))
	if text = worded(text); strings.Contains(text, "(") {
		text = over().ReplaceAllString(text, ") / $1(")
		text = germanCall().ReplaceAllStringFunc(text, func(call string) string {
			return aggregates[strings.ToLower(strings.TrimRight(call, "( "))] + "("
		})
	}
	if saysOf().MatchString(text) {
		return nil, false
	}
	if f := quotient(text); f != nil {
		return f, true
	}
	if m := spoken().FindStringSubmatch(text); m != nil && (ofWord().MatchString(text) || countOf().MatchString(text) || bareCount().MatchString(text) || bare(text)) {
		f := &Formula{Aggregate: aggregates[strings.ToLower(m[1])]}
		if m[2] != "" {
			if f.Aggregate != "count" {
				return nil, false
			}
			f.Aggregate = "count_distinct"
		}
		head, rest := clauses(m[3])
		f.Of = clean(trimArticle(head))
		f.apply(rest)
		return f, f.Expr != "" || f.Of != "" && len(words(f.Of)) <= 6
	}
	text = divided().ReplaceAllString(text, " / ")
	head, rest := clauses(text)
	head, table := uncode(head), ""
	if m := called().FindStringSubmatch(strings.ReplaceAll(head, "`", "")); m != nil {
		head, table = m[1], m[2]
	}
	if m := ratio().FindStringSubmatch(head); m != nil {
		f := &Formula{Expr: m[1] + " / " + m[2]}
		f.apply(rest)
		return f, true
	}
	if !expressed().MatchString(head) || strings.ContainsAny(head, ":?!") || !balanced(head) || len(strings.Fields(head)) > 4 && !callWord().MatchString(head) && prose(head) {
		return nil, false
	}
	f := &Formula{Expr: clean(head), Table: table}
	if selects(f.Expr) {
		f.Query = text
	}
	f.apply(rest)
	return f, true
}

// bare reports whether a text is an aggregate of a name without "of", over a table that is no unit.
func bare(text string) bool {
	m := bareAggregate().FindStringSubmatch(text)
	return m != nil && unitOf(m[2]) == ""
}

// quotient reads a division of two aggregates of which one is in words or has its own clauses: "number of
// orders where status = 'paid' divided by number of orders".
// Shape: nil = it is not one; a plain division of calls is an expression.
func quotient(text string) *Formula {
	for _, at := range between().FindAllStringIndex(text, -1) {
		before, after := text[:at[0]], text[at[1]:]
		if !balanced(before) || !balanced(after) {
			continue
		}
		top, dividend := calculation(before)
		bottom, divisor := calculation(after)
		if !dividend || !divisor || bottom.Divisor != nil || !top.aggregates() || !bottom.aggregates() {
			continue
		}
		if top.Aggregate == "" && bottom.Aggregate == "" && len(top.Where) == 0 && top.Table == "" {
			return nil
		}
		top.Divisor = bottom
		return top
	}
	return nil
}

// aggregates reports whether a formula contains an aggregate, in words or as a call.
func (f *Formula) aggregates() bool { return f.Aggregate != "" || callWord().MatchString(f.Expr) }

// uncode removes the backquotes around a text that is only code.
func uncode(s string) string {
	if len(s) > 2 && s[0] == '`' && strings.IndexByte(s[1:], '`') == len(s)-2 {
		return s[1 : len(s)-1]
	}
	return s
}

// prose reports whether a calculation has two adjacent words, which no expression has.
func prose(s string) bool {
	before := false
	for _, w := range strings.Fields(s) {
		r, _ := utf8.DecodeRuneInString(w)
		last, _ := utf8.DecodeLastRuneInString(w)
		if before && unicode.IsLetter(r) {
			return true
		}
		before = unicode.IsLetter(last) || unicode.IsDigit(last)
	}
	return false
}

// apply adds clauses to the formula.
func (f *Formula) apply(rest []clause) {
	for i, c := range rest {
		text := strings.TrimRight(strings.TrimSpace(c.text), ",;. ")
		whole := clean(c.word + " " + text)
		kind := clauseWords[c.word]
		if c.word == "über" {
			kind = clauseTable
		}
		if c.word == "table" || c.word == "tabelle" {
			kind = clauseTable
		}
		if unit := unitOf(text); c.word == "in" && unit != "" && (c.apart || f.Table != "") && f.Unit == "" {
			f.Unit = unit
			continue
		}
		switch kind {
		case clauseTable:
			if m := scaled().FindStringSubmatch(text); m != nil && f.Table == "" && f.Aggregate != "" && f.Aggregate != "count" && f.Aggregate != "count_distinct" && nameOnly().MatchString(f.Of) {
				f.Expr, f.Aggregate, f.Of, f.Table = f.Aggregate+"("+f.Of+") / "+m[2], "", "", strings.Trim(m[1], "`")
				continue
			}
			name, beside, _ := strings.Cut(text, ", ")
			m := tableName().FindStringSubmatch(name)
			if m != nil && strings.EqualFold(f.Table, m[1]) && kind == clauseTable && beside == "" {
				continue // "over orders (table orders)"
			}
			if m == nil || f.Table != "" {
				f.condition(whole, false)
				continue
			}
			f.Table = m[1]
			f.condition(literal(beside), false)
		case clausePer:
			if f.Per != "" || text == "" {
				f.condition(whole, false)
				continue
			}
			f.Per = clean(text)
		case clauseExcluded:
			for _, part := range conjuncts(strings.TrimPrefix(text, "for "), true) {
				f.condition(clean(trimArticle(part)), true)
			}
		default:
			each, found := strings.CutPrefix(text, "each ")
			if !found {
				each, found = strings.CutPrefix(text, "every ")
			}
			if found && c.word == "for" && f.Per == "" {
				f.Per = clean(each)
				continue
			}
			if compared(c.word) && strings.ContainsAny(text, "=<>") {
				c.word = "where"
			}
			if c.word != "where" && c.word != "wo" && c.word != "with" && c.word != "mit" && c.word != "for" && c.word != "für" || text == "" {
				if text != "" || i > 0 {
					f.condition(whole, false)
				}
				continue
			}
			for _, part := range conjuncts(text, false) {
				f.condition(literal(part), false)
			}
		}
	}
}

func (f *Formula) condition(text string, excluded bool) {
	if text != "" {
		f.Where = append(f.Where, Condition{Text: text, Excluded: excluded})
	}
}

// literal returns a condition without backquotes, but with the quotes of its values.
func literal(s string) string {
	return strings.TrimRight(strings.Join(strings.Fields(strings.ReplaceAll(s, "`", "")), " "), ".,;: ")
}

func trimArticle(s string) string {
	first, rest, ok := strings.Cut(strings.TrimSpace(s), " ")
	if ok && articles(strings.ToLower(first)) {
		return rest
	}
	return s
}

// clauses splits a calculation at its keywords, outside quotes, code and parentheses.
func clauses(text string) (head string, rest []clause) {
	from, word, apart := 0, "", false
	end := func(to int) {
		if word == "" {
			head = strings.TrimRight(strings.TrimSpace(text[:to]), ", ")
			return
		}
		rest = append(rest, clause{word, strings.TrimSpace(text[from:to]), apart})
	}
	scan(text, func(at int, w string) {
		low := strings.ToLower(strings.Trim(w, ",;"))
		kind := clauseWords[low]
		before := strings.HasSuffix(strings.TrimRight(text[:at], " "), ",")
		if (low == "table" || low == "tabelle") && before {
			kind = clauseTable // "sum(amount) / 100, table orders"
		}
		if low == "über" && (word == "" || clauseWords[word] != clauseWhere) && tableName().MatchString(strings.TrimSpace(strings.SplitN(text[at+len(w):], ",", 2)[0])) {
			kind = clauseTable // "Summe(quantity) über order_items"
		}
		if kind == 0 || at == 0 {
			return
		}
		if word != "" && clauseWords[word] == clauseWhere && (kind == clauseTable && (low == "in" || from == at) || kind == clauseWhere && low != "where") {
			last, _, more := strings.Cut(text[at+len(w):], ",")
			if (low == "in" || strings.TrimSpace(text[from:at]) == "") && !(low == "in" && before && !more && unitOf(last) != "") {
				return // "status in ('a', 'b')", "only for"; not "status = 'a', in EUR"
			}
		}
		end(at)
		word, from, apart = low, at+len(w), before
	})
	end(len(text))
	return head, rest
}

// scan calls f with each word outside quotes, code and parentheses.
func scan(text string, f func(at int, word string)) {
	var quote rune
	depth, from := 0, -1
	for i, r := range text {
		outside := quote == 0 && depth == 0
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' && i > 0 && followsLetter(text[:i]) && follows(text[i+1:]):
			// an apostrophe
		case r == '\'' || r == '"' || r == '`':
			quote = r
		case r == '(' || r == '[':
			depth++
		case r == ')' || r == ']':
			depth = max(0, depth-1)
		}
		space := unicode.IsSpace(r)
		switch {
		case !space && from < 0 && outside:
			from = i
		case space && from >= 0:
			if outside {
				f(from, text[from:i])
			}
			from = -1
		}
	}
	if from >= 0 && quote == 0 && depth == 0 {
		f(from, text[from:])
	}
}

func followsLetter(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(r)
}

// conjuncts splits conditions at "and" and, in a list, at commas and "or"; an "or" of
// conditions keeps them together.
func conjuncts(text string, list bool) []string {
	type cutAt struct{ from, to int }
	var cuts []cutAt
	between, or := false, false
	scan(text, func(at int, w string) {
		low := strings.ToLower(strings.TrimRight(w, ","))
		switch low {
		case "between", "zwischen":
			between = true
		case "or", "oder":
			or = true
			if list {
				cuts = append(cuts, cutAt{at, at + len(w)})
			}
		case "and", "und":
			if !between {
				cuts = append(cuts, cutAt{at, at + len(w)})
			}
			between = false
		default:
			if list && strings.HasSuffix(w, ",") {
				cuts = append(cuts, cutAt{at + len(w) - 1, at + len(w)})
			}
		}
	})
	if or && !list {
		cuts = nil
	}
	var out []string
	from := 0
	for _, c := range append(cuts, cutAt{len(text), len(text)}) {
		if part := strings.Trim(text[from:c.from], " ,"); part != "" {
			out = append(out, part)
		}
		from = c.to
	}
	return out
}

// apostrophe is one inside a word.
var apostrophe = text.Pattern(`\pL['’]\pL`)

// balanced reports whether all parentheses and quotes are closed.
func balanced(s string) bool {
	depth := 0
	for _, r := range s {
		switch r {
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	single := strings.Count(s, "'")
	if single > 0 {
		single -= len(apostrophe().FindAllString(s, -1))
	}
	return depth == 0 && single%2 == 0 && strings.Count(s, `"`)%2 == 0
}
