package assertion

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// A title is a name that stands apart above its formula: the first line of a paragraph, "Std postage\nAVG(postage) …", or the sentence
// before, "Rent roll. SUM(rent) …".

var (
	// operating matches the beginning of a calculation in words: "net plus tax", "qty × price", "= sum(a)", "sales.orders, …".
	operating = text.Pattern(`(?i)^(?:= ?\S|[\pL_][\pL\d_.]*\s*(?:[*+×·/]|- |(?:plus|minus|mal|times|x|less|over)\s)|[\pL_][\pL\d_]*\.[\pL_][\pL\d_]*, )`)
	// rowsOf matches the beginning of a count of rows: "Rows of sales.orders", "Everything in billing.invoice", "Units of bb.unit with".
	rowsOf = text.Pattern(`(?i)^(?:the |all |die |alle )*(?:\pL+ ){0,2}\pL+ (?:of|in|from|on|von|aus|in der|auf) (?:the |der )?(?:table |tabelle )?[\pL_][\pL\d_]*\.?[\pL_][\pL\d_]*(?:[\s,]|$)`)
)

// begins reports whether a text begins with a calculation, and so has no name of its own.
func begins(s string) bool {
	list := strings.Fields(strings.ToLower(s))
	sums := len(list) > 1 && follows(list[0]) && classes()[list[0]]&^nounWord == 0 && classes()[strings.Trim(list[1], ",")]&aggregateWord != 0 // "bestand aufaddiert"
	return sums || computes(s) || operating().MatchString(s)
}

// title writes the first line of a paragraph as the label of the calculation below it: "Std postage: AVG(postage) …".
func (p *passage) title() {
	line, rest, several := strings.Cut(p.text, "\n")
	name := strings.TrimSpace(line)
	if at := strings.LastIndexByte(name, '('); at > 0 && strings.HasSuffix(name, ")") { // "Margin (shop.part, in EUR)"
		name = strings.TrimSpace(name[:at])
	}
	if !several || strings.ContainsAny(name, ":=.,;?!`") || !apart(name) || !begins(strings.TrimSpace(rest)) || p.bold < len(line) && !echoes(rest, name) {
		return
	}
	sign := ": "
	if strings.HasPrefix(strings.TrimSpace(rest), "=") {
		sign = " "
	}
	at := len(line)
	p.text = p.text[:at] + sign + p.text[at+1:]
	for range len(sign) - 1 {
		p.at = slices.Insert(p.at, at, p.at[at])
	}
}

// aligned is a name and its calculation in columns of spaces: "fines issued     sum(fine_amt)".
var aligned = text.Pattern(`(?m)^([^\s:=|](?:[^:=|\n]{0,40}?[^\s:=|,;.])?)(?:\t| {2,})\s*(\S.*)$`)

// piped reads a paragraph of which each line has the same number of bars, at least two, as a table: "KPI | source | rule".
func (o *outline) piped(p *passage) bool {
	lines := strings.Split(p.text, "\n")
	g := grid{section: len(o.doc.Sections) - 1, intro: o.intro}
	g.block = len(o.doc.Sections[g.section].Blocks) - 1
	at := 0
	for _, line := range lines {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		if len(cells) < 3 || len(cells) != len(strings.Split(strings.Trim(lines[0], "| "), "|")) {
			return false
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		g.cells = append(g.cells, cells)
		g.spans = append(g.spans, o.trim(p.at[at], p.at[at+len(line)-1]+1))
		at += len(line) + 1
	}
	if len(lines) < 2 {
		return false
	}
	o.grids = append(o.grids, g)
	return true
}

// align writes lines of two columns as labels.
// Units: linear in the length of the paragraph.
func (p *passage) align() {
	all := aligned().FindAllStringSubmatchIndex(p.text, -1)
	var text strings.Builder
	var at []int
	from := 0
	for _, m := range all {
		if !nominal(p.text[m[2]:m[3]]) || !begins(p.text[m[4]:m[5]]) {
			continue
		}
		text.WriteString(p.text[from:m[3]] + ": ")
		at = append(at, p.at[from:m[3]+2]...)
		from = m[4]
	}
	if from > 0 {
		text.WriteString(p.text[from:])
		p.text, p.at = text.String(), append(at, p.at[from:]...)
	}
}

// echoes reports whether a name is one of an amount, or has a word of its calculation: "Rent roll", of monthly_rent, not "Big news".
func echoes(calculation, name string) bool {
	calculation = strings.ToLower(calculation)
	return slices.ContainsFunc(lowered(name), func(w string) bool {
		return amounting(w) || len(w) >= shortestStem-1 && strings.Contains(calculation, w[:max(shortestStem-1, len(w)-2)])
	})
}

// apart reports whether words that stand by themselves may be the name of a number: not "Thanks", "Agreed", "Update".
func apart(name string) bool {
	list := lowered(name)
	return nominal(name) && !computes(name) && roleOf(name) == other && !labels(list[0]) && !places(list[0]) && !topics(list[0]) && !onto(list[0]) && !slices.ContainsFunc(list, func(w string) bool {
		return premises(w) || writing(w) || accepting(w) || agreeing(w) || retracting(w) || unfinished(w) || disowning(w) || tentative(w) || greets(w) || classes()[w]&(pronounWord|barWord|notWord|timeWord|leaveWord|onlyWord) != 0
	})
}

// calculatesOnly reports whether a text begins with a calculation, or with the rows that it counts.
func calculatesOnly(s string) bool { return begins(s) || rowsOf().MatchString(s) }

// entitled reads a calculation as that of the name which the sentence before it is: "Rent roll. SUM(rent) over …".
func (r *reader) entitled(s *sentence, text string) (Statement, bool) {
	if r.o.Lexicon == nil || r.before == nil || r.before.passage != s.passage || r.before.speaker != "" || !r.before.first || asks(r.before.text) || !calculatesOnly(text) {
		return Statement{}, false
	}
	name := strings.TrimRight(r.before.text, ". ")
	if strings.HasSuffix(name, "!") || !apart(name) || !strings.Contains(name, " ") || !echoes(text, name) || slices.ContainsFunc(lowered(name)[1:], func(w string) bool { return classes()[w]&(sayWord|nounWord) == sayWord }) || r.numberName(term(name)) == "" {
		return Statement{}, false
	}
	if acts(lowered(name), s.language == English && strings.HasSuffix(r.before.text, ".")) {
		return Statement{}, false
	}
	st, ok := r.dissectedAs(term(name), s, text)
	if ok = ok && st.Unread == ""; ok {
		r.before.read = true
	}
	return st, ok
}

// acts reports whether words are a sentence of what things do, and no title: "Late orders worry the boss". In an ended one a word behind a
// plural is a verb: "Late orders bother everyone."
func acts(list []string, ended bool) bool {
	for i := 1; i < len(list); i++ {
		before, w := list[i-1], list[i]
		if classes()[w]&articleWord != 0 && classes()[before]&glueWord == 0 {
			return true
		}
		plural := len(before) > 3 && strings.HasSuffix(before, "s") && !strings.HasSuffix(before, "ss")
		if ended && plural && i+1 < len(list) && classes()[w] == 0 && !strings.HasSuffix(w, "ed") && !strings.HasSuffix(w, "ing") {
			return true
		}
	}
	return false
}

// premises reports whether a word is one for a part of a business, or for a talk, which a title may restrict the rows to: "Leeds office".
func premises(w string) bool {
	switch w {
	case "office", "branch", "depot", "site", "plant", "store", "shop", "region", "team", "desk", "department", "station", "hub", "location", "warehouse", "meeting",
		"call", "filiale", "standort", "werk", "niederlassung", "gebiet", "lager", "abteilung", "zentrale", "sitzung", "runde", "besprechung":
		return true
	}
	return false
}

// untold returns the words of a name above its formula that unsaid reports: values that no condition has, "## Paid volume".
func (a *anatomy) untold(unsaid func(*part) bool) (left []string) {
	for _, p := range parted(a.subject) {
		if p.valueOf, p.value = a.value(p.text); p.isWord && p.class == 0 && unsaid(&p) {
			left = append(left, p.text)
		}
	}
	return left
}
