package assertion

import (
	"regexp"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// columnPhrase is a column with its table in words: "the column amount of sales.orders", "arr in billing.subscription".
var columnPhrase = text.Pattern(`(?i)\b(?:(?:in )?(?:the |der |die |das )?(?:column|field|spalte|feld) )?(` + "`?[\\pL_][\\pL\\d_]*`?" + `)(?: column| field)? (?:of|in|from|von|aus|auf)(?: the| der)?(?: table| tabelle)? (` + qualifiedPattern + `)`)

// columned writes a column with its table as one name, where the table has the column.
func (r *reader) columned(s string) string {
	if r.o.Lexicon == nil {
		return s
	}
	var b strings.Builder
	from := 0
	for _, at := range columnPhrase().FindAllStringSubmatchIndex(s, -1) {
		column, table := strings.Trim(s[at[2]:at[3]], "`"), strings.Trim(s[at[4]:at[5]], "`")
		if r.o.Lexicon.Table(table) == "" || r.o.Lexicon.Column(table, column) != column {
			continue
		}
		b.WriteString(s[from:at[0]] + table + "." + column)
		from = at[1]
	}
	return b.String() + s[from:]
}

// column reports whether a name with a dot is a column of a table, and splits it.
func (r *reader) splitColumn(name string) (table, column string, ok bool) {
	name = strings.Trim(name, "`")
	at := strings.LastIndexByte(name, '.')
	if at < 0 || r.o.Lexicon == nil {
		return "", "", false
	}
	table, column = name[:at], name[at+1:]
	return table, column, r.o.Lexicon.Table(table) != "" && r.o.Lexicon.Column(table, column) == column
}

// several reads a sentence that is about columns: how tables belong together, what values mean, other words for a name,
// units of several columns.
// Shape: nil = it is none of them.
func (r *reader) several(s *sentence, words string) []Statement {
	if r.o.Lexicon == nil || asks(words) {
		return nil
	}
	if r.columns(s) {
		words = r.columned(words)
		for _, read := range []func(*sentence, string) []Statement{r.joined, r.valued, r.measured} {
			if all := read(s, words); len(all) > 0 {
				return all
			}
		}
	} else if s.item && strings.Contains(words, "(") {
		if all := r.measured(s, words); len(all) > 0 {
			return all
		}
	}
	if !slices.ContainsFunc(s.words, func(w string) bool { return alsoWords(w) }) {
		return nil
	}
	return r.alsoCalled(s, words)
}

// columns reports whether a sentence names a column with its table.
func (r *reader) columns(s *sentence) bool {
	for _, table := range s.words {
		if !strings.Contains(table, ".") {
			continue
		}
		named := func(table, column string) bool { return strings.EqualFold(r.o.Lexicon.Column(table, column), column) }
		if at := strings.LastIndexByte(table, '.'); r.o.Lexicon.Table(table[:at]) != "" && named(table[:at], table[at+1:]) {
			return true
		}
		if r.o.Lexicon.Table(table) != "" && slices.ContainsFunc(s.words, func(w string) bool { return named(table, w) }) {
			return true
		}
	}
	return false
}

// alsoWords are words of which each sentence with another word for a name has one.
var alsoWords = text.Words("word wort name term begriff ausdruck another also aka a.k.a sometimes often otherwise formerly german english auch manchmal oft früher deutsch englisch synonym synonyme synonyms synonymous oder says say uses use writes write prefers sagt sagen schreibt schreiben same dasselbe gleiche selbe gleichbedeutend")

var (
	equalColumns = text.Pattern(`(` + qualifiedPattern + `) ?= ?(` + qualifiedPattern + `)`)
	// leadsTo is a column that refers to another one.
	leadsTo = text.Pattern(`(?i)^(?:the )?(` + qualifiedPattern + `) (?:references|refers to|points (?:to|at)|links (?:to|with)|leads to|belongs to|joins(?: to| with| on)?|matches|corresponds to|is (?:a |the )?(?:foreign key|reference|key) (?:to|of|on|into|for)|can be joined (?:to|with|on)|verweist auf|zeigt auf|referenziert|bezieht sich auf|gehört zu|führt zu|entspricht|passt zu|ist (?:ein |der )?(?:fremdschlüssel|schlüssel) (?:auf|zu|für)) (` + qualifiedPattern + `)(?:[,;.(].*)?$`)
	// ledToBy is a column that another one refers to.
	ledToBy = text.Pattern(`(?i)^(?:the )?(` + qualifiedPattern + `) (?:is|ist) (?:what|where|the key that|the target of|das ziel von) (` + qualifiedPattern + `)(?: (?:points|refers|leads|links|belongs)(?: to)?)?$`)
	// idOf is a column whose values are a column of another table.
	idOf = text.Pattern(`(?i)^(?:the )?(` + qualifiedPattern + `) (?:is|holds|contains|has|stores|ist|enthält|hat) (?:the |a |an |die |den |das )?(\pL[\pL\d_]*) (?:of|from|der|des|aus|von) (?:the |a |an |its |der |des |einer |eines |dem |den )?(?:[\pL]+ )?(?:in|from|of|aus|in der|der tabelle|von) (` + qualifiedPattern + `)$`)
)

// joined reads how two tables belong together. The columns of both are known.
func (r *reader) joined(_ *sentence, words string) (all []Statement) {
	add := func(from, to string) {
		from, to = strings.Trim(from, "`"), strings.Trim(to, "`")
		table, _, ok := r.splitColumn(from)
		other, _, both := r.splitColumn(to)
		if ok && both && r.o.Lexicon.Table(table) != r.o.Lexicon.Table(other) {
			all = append(all, Statement{Attribute: Relation, Rule: "relation", Subject: from, Value: to})
		}
	}
	if negates(words) || qualifiedNames(words) < 2 {
		return nil
	}
	for _, m := range equalColumns().FindAllStringSubmatch(words, -1) {
		add(m[1], m[2])
	}
	if m := leadsTo().FindStringSubmatch(words); m != nil {
		add(m[1], m[2])
	}
	if m := ledToBy().FindStringSubmatch(words); m != nil {
		add(m[2], m[1])
	}
	if m := idOf().FindStringSubmatch(words); m != nil {
		add(m[1], strings.Trim(m[3], "`")+"."+m[2])
	}
	return all
}

// qualifiedNames counts the words with a dot inside, of which a statement about two columns has two.
func qualifiedNames(words string) (n int) {
	for w := range strings.FieldsSeq(words) {
		n += strings.Count(strings.Trim(w, ".,;:()"), ".")
	}
	return n
}

// negates reports whether a sentence says that something is not so.
func negates(words string) bool {
	return slices.ContainsFunc(lowered(words), func(w string) bool { return classes()[w]&notWord != 0 || w == "t" })
}

var (
	// valuesOf is the column before its values: "In orders.status, 'paid' is …".
	valuesOf = text.Pattern(`(?i)^(?:in|for|under|with|of|bei|für|von|unter)? ?(?:the )?(?:values of |werte von |die werte von )?(` + qualifiedPattern + `)(?: column)?(?:,|:| has(?: the values)?:?| means:?| bedeutet)? ?`)
	// labelledValue is a value and what it means, nextValue where the next one begins.
	labelledValue = text.Pattern(`(?i)^(` + literalPattern + "|`[^`]+`" + `) ?(?:is|are|means|stands for|denotes|says|marks|=|:|–|->|→|ist|sind|bedeutet|heißt|steht für|meint|, dass|, that) (.+)$`)
	nextValue     = text.Pattern(`(?i)(?:[,;]| and| und|[,;] and|[,;] und) (` + literalPattern + "|`[^`]+`" + `) ?(?:is|are|means|stands for|denotes|says|marks|=|:|–|->|→|ist|sind|bedeutet|heißt|steht für|meint|, dass|, that|\pL+)\b`)
)

// valued reads what the values of a column mean, in one sentence.
func (r *reader) valued(_ *sentence, words string) (all []Statement) {
	if !strings.ContainsAny(words, "'\"“„`") {
		return nil
	}
	m := valuesOf().FindStringSubmatchIndex(words)
	if m == nil {
		return nil
	}
	column := strings.Trim(words[m[2]:m[3]], "`")
	table, name, ok := r.splitColumn(column)
	if !ok {
		return nil
	}
	for rest := words[m[1]:]; rest != ""; {
		part := rest
		if at := nextValue().FindStringSubmatchIndex(rest); at != nil {
			part, rest = rest[:at[0]], rest[at[2]:]
		} else {
			rest = ""
		}
		v := labelledValue().FindStringSubmatch(strings.TrimRight(part, " ,;."))
		if v == nil { // "'free' costs nothing": its verb is what it means
			value, meaning, found := strings.Cut(part, " ")
			if v = []string{part, value, meaning}; !found || len(all) == 0 {
				return nil
			}
		}
		value := strings.Trim(v[1], "'\"`“”„")
		if of, _ := r.o.Lexicon.Value(table, value); of != name || !phraseOfLabel(clean(v[2])) {
			return nil
		}
		all = append(all, Statement{Attribute: ValueLabel, Rule: "value_label", Subject: value, Value: clean(v[2]), Column: column})
	}
	return all
}

// inUnit are the forms in which a column has a unit. The groups are the column and the unit.
var inUnit = []func() *regexp.Regexp{
	text.Pattern(`(?i)^(?:all |the )?(?:values?|amounts?|numbers?|figures?|prices?|sums?)? ?(?:in|of)? ?(` + qualifiedPattern + `) (?:is|are) (?:always )?(?:(?:reported|stored|measured|expressed|given|recorded|kept|denominated) )?(?:in )?` + unitPattern + `(?P<rest>[,;(].*| (?:and|but|while|so|because|since) .*)?$`),
	text.Pattern(`(?i)^(?:all |the )?(` + qualifiedPattern + `) (?:is|are) [\pL]+(?: [\pL]+){0,3}(?:,| and|, and) in ` + unitPattern + `(?P<rest>[,;(].*)?$`),
	text.Pattern(`(?i)^(?:the )?(` + qualifiedPattern + `) (?:holds|contains|has|stores|keeps|counts) (?:the )?(?:values?|amounts?|price|money|sums?|numbers?)? ?(?:in |of )?` + unitPattern + `(?P<rest>[,;(].*)?$`),
	text.Pattern(`(?i)^(?:alle |die )?(?:werte|beträge|zahlen|preise)? ?(?:in|von|aus)? ?(` + qualifiedPattern + `) (?:ist|sind|wird|werden|steht|stehen|liegt|liegen) (?:immer |stets )?in ` + unitPattern + `(?: (?:angegeben|gespeichert|gemessen|ausgewiesen|geführt|abgelegt))?(?P<rest>[,;(].*)?$`),
	text.Pattern(`(?i)^(?:die |der |das )?(?:spalte )?(` + qualifiedPattern + `) (?:enthält|hat|speichert) (?:die |den )?(?:werte|beträge|betrag|zahlen|preise)? ?(?:in )?` + unitPattern + `(?P<rest>[,;(].*)?$`),
}

// germanBracket is a column in parentheses behind its table: "In billing.subscription stehen die Beträge (amount_cents) in Cent".
var germanBracket = text.Pattern(`(?i)^in (?:der tabelle )?(` + qualifiedPattern + `) (?:stehen|steht|sind|ist|liegen|liegt) (?:alle |die |der |das )?[\pL]+ \((` + "`?[\\pL_][\\pL\\d_]*`?" + `)\) (in .+)$`)

// another is where a sentence goes on with another column: ", amounts in sales.orders.amount are euros".
var another = text.Pattern(`(?i)(?:, |,? (?:and|und|while|but|whereas) )(?:(?:the )?(?:values?|amounts?|numbers?|figures?|prices?) (?:in|of) )?(` + qualifiedPattern + `) (?:is|are|ist|sind|holds|contains)\b`)

// bracketed is a column and its unit in parentheses, in a list below the name of the table: "amount (EUR, gross)".
var bracketed = text.Pattern("(?i)^(`?[\\pL_][\\pL\\d_]*`?) \\((?:in )?" + unitPattern + `(?:[,;/] [^()]*)?\)(?:\s*[:–—-] .*)?$`)

// headed returns the table that the introduction of a list or a heading names; "" = none, or several.
func (r *reader) headed(s *sentence) (table string) {
	path := r.doc.Sections[s.section].Path
	for i := len(path); i >= 0; i-- {
		above := s.intro
		if i < len(path) {
			above = path[i]
		}
		for _, w := range words(above) {
			if t := r.o.Lexicon.Table(w); t != "" && t != table {
				if table != "" {
					return ""
				}
				table = t
			}
		}
		if table != "" {
			return table
		}
	}
	return ""
}

// measured reads the units of columns.
func (r *reader) measured(s *sentence, words string) (all []Statement) {
	if m := bracketed().FindStringSubmatch(words); m != nil && s.item {
		column, table := strings.Trim(m[1], "`"), r.headed(s)
		if table == "" || r.o.Lexicon.Column(table, column) != column {
			return nil
		}
		return []Statement{{Attribute: Unit, Rule: "unit", Subject: table + "." + column, Value: m[2], Unit: m[2]}}
	}
	if m := germanBracket().FindStringSubmatch(words); m != nil {
		words = strings.Trim(m[1], "`") + "." + strings.Trim(m[2], "`") + " ist " + m[3]
	}
	parts := []string{words}
	if at := another().FindAllStringIndex(words, -1); len(at) > 0 {
		parts = parts[:0]
		from := 0
		for _, cut := range at {
			if cut[0] > from {
				parts = append(parts, words[from:cut[0]])
				from = cut[0]
			}
		}
		parts = append(parts, words[from:])
	}
	for _, part := range parts {
		st, ok := r.unitOf(trimLead(part))
		if !ok {
			return nil
		}
		all = append(all, st)
	}
	return all
}

// trimLead removes the comma and the conjunction before a part.
func trimLead(part string) string {
	part = strings.TrimLeft(part, ", ")
	for _, word := range []string{"and ", "und ", "while ", "but ", "whereas "} {
		part = strings.TrimPrefix(part, word)
	}
	return part
}

func (r *reader) unitOf(part string) (Statement, bool) {
	for _, form := range inUnit {
		groups := form().FindStringSubmatch(part)
		if groups == nil {
			continue
		}
		m := match{form(), groups}
		if _, _, ok := r.splitColumn(groups[1]); !ok {
			continue
		}
		if rest := lowered(m.group("rest")); len(rest) > 0 && narrowing(rest[0]) && rest[0] != "so" && rest[0] != "and" && rest[0] != "und" && !(rest[0] == "not" && len(rest) == 2 && unitOf(rest[1]) != "") {
			return Statement{}, false
		}
		unit := clean(m.group("u"))
		return Statement{Attribute: Unit, Rule: "unit", Subject: strings.Trim(groups[1], "`"), Value: unit, Unit: unit}, true
	}
	return Statement{}, false
}

var (
	// inBrackets are other words for a name, in parentheses behind it.
	inBrackets = text.Pattern(`(?i)^(?:the |our |der |die |das |unser(?:e)? )?([^(),:;=]{2,60}?) \((?:also|aka|a\.k\.a\.|also known as|also called|sometimes|often|formerly|in german|in english|auch|auch genannt|manchmal|oft|früher|auf deutsch|auf englisch|englisch|deutsch|synonyme?|synonyms?|oder)(?: called| known as| genannt)?:? ([^()=<>]{2,80})\)`)
	// saidFor is a word that somebody uses for another one.
	saidFor = []func() *regexp.Regexp{
		text.Pattern(`(?i)^(?:the |our )?(?:[\pL]+ ){1,3}?(?:says?|uses?|writes?|prefers?) ["'“„]?([\pL][\pL -]{1,40}?)["'”“]? (?:for|when (?:they|she|he|it|we) (?:means?|talks? about)|instead of|and means?|in place of) (?:the |our )?["'“„]?([\pL_][\pL\d_ -]{1,40}?)["'”“]?(?: (?:in|of|from) ` + qualifiedPattern + `)?$`),
		text.Pattern(`(?i)^(?:the |our |der |die |das |im |in der )?(?:[\pL]+ ){1,3}?(?:sagt|sagen|schreibt|schreiben) (?:man )?["'“„]?([\pL][\pL-]{1,40}?)["'”“]? (?:zu|für|statt|anstelle von) (?:der |dem |unserem )?["'“„]?([\pL_][\pL\d_ -]{1,40}?)["'”“]?(?: (?:in|aus|von) ` + qualifiedPattern + `)?$`),
		text.Pattern(`(?i)^["'“„]?([\pL][\pL -]{1,40}?)["'”“]? (?:and|und) ["'“„]?([\pL_][\pL\d_ -]{1,40}?)["'”“]? (?:are|mean|sind|bedeuten|heißen|meinen)(?: for us| bei uns| hier)? (?:the same|one and the same|synonyms|synonymous|dasselbe|das gleiche|das selbe|gleichbedeutend|synonym)(?: thing)?(?: (?:for|bei|here|with|hier).*)?$`),
		text.Pattern(`(?i)^["'“„]?([\pL_][\pL\d_ -]{1,40}?)["'”“]? (?:is|are|wird|heißt)(?: bei uns)? (?:also|sometimes|often|otherwise|auch|oft|manchmal) (?:known as|called|referred to as|als)? ?["'“„]?([\pL][\pL -]{1,40}?)["'”“]?(?: genannt| bezeichnet)?(?: here| with us| internally| bei uns)?,.*$`),
	}
	otherWord    = text.Pattern(`(?i)^["'“„]?([\pL][\pL -]{1,40}?)["'”“]? (?:is|are|ist|sind) (?:just |simply |only |nur |einfach )?(?:another|a different|an|the|ein|ein anderes|a) (?:[\pL]+ )?(?:word|name|term|synonym|alias|wort|begriff|ausdruck) (?:for|of|für|von) (?:the |our )?["'“„]?([\pL_][\pL\d_ -]{1,40}?)["'”“]?$`)
	betweenWords = text.Pattern(`(?i)\s*(?:,|/|;| or | oder | and | und )\s*(?:(?:also|sometimes|often|manchmal auch|oft auch|auch|manchmal|oft) )?`)
)

// alsoCalled reads other words for a name that is known.
func (r *reader) alsoCalled(_ *sentence, words string) (all []Statement) {
	add := func(name, other string) {
		name, other = term(name), term(other)
		if named(name) && named(other) && len(strings.Fields(other)) <= 4 && !strings.EqualFold(name, other) && r.o.Known != nil && (r.o.Known(name) || r.o.Known(other)) {
			all = append(all, Statement{Attribute: Synonym, Rule: "synonym", Subject: name, Value: other})
		}
	}
	if m := inBrackets().FindStringSubmatch(words); m != nil {
		for _, other := range betweenWords().Split(m[2], -1) {
			add(m[1], other)
		}
		return all
	}
	for _, form := range append(saidFor, otherWord) {
		head, _, _ := strings.Cut(words, ",")
		if m := form().FindStringSubmatch(words); m != nil && !negates(head) {
			add(m[2], m[1])
			return all
		}
	}
	return nil
}
