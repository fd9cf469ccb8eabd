package assertion

import (
	"cmp"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// role is the role of a column of a table.
type role int

const (
	other role = iota
	termRole
	nameRole
	definitionRole
	formulaRole
	unitRole
	synonymRole
	ownerRole
	tableRole
	conditionRole
	idleRole // it says nothing about the number
	valueRole
	columnRole
	goalRole // a value that the number should have
)

// roles are the words of heads for each role, in four languages.
var roles = map[role]func(string) bool{
	termRole:       text.Words("number indicator term metric kpi measure figure begriff kennzahl abkürzung acronym abbreviation metrik messgröße indicateur métrique terme indicador métrica término"),
	nameRole:       text.Words("name bezeichnung"),
	definitionRole: text.Words("definition meaning description bedeutung beschreibung explanation erklärung erläuterung erläuterungen means label words worten définition signification definición significado"),
	formulaRole:    text.Words("formula calculation formel berechnung sql expression ausdruck formule calcul fórmula cálculo query abfrage how wie computed calculated computation logic logik rechenweg ermittlung rechnung rule rules regel"),
	unitRole:       text.Words("unit units einheit"),
	synonymRole:    text.Words("synonym synonyms alias aliases aka synonyme genannt called known"),
	ownerRole:      text.Words("owner verantwortlich verantwortliche eigentümer"),
	tableRole:      text.Words("table source tabelle tabla"),
	conditionRole:  text.Words("filter filters condition conditions where scope restriction restrictions restricted only limited applies bedingung bedingungen einschränkung einschränkungen nur geltung geltungsbereich filtre condición filtro"),
	idleRole: text.Words("reason purpose zweck begründung comment comments note notes remark remarks contact team department example examples link links id # nr author reviewer updated stand aktualisiert " +
		"bemerkung bemerkungen kommentar anmerkung anmerkungen notiz notizen hinweis ansprechpartner ansprechpartnerin kontakt abteilung beispiel beispiele autor quelle"),
	valueRole:  text.Words("value code wert values codes"),
	columnRole: text.Words("column field attribute spalte feld spaltenname attribut"),
	goalRole:   text.Words("target targets goal goals ziel ziele zielwert zielwerte soll sollwert"),
}

// goal reports whether a cell is a number that is aimed at: "8,5", "95 %".
func goal(cell string) bool {
	all := parted(cell)
	return len(all) > 0 && len(all) < 3 && all[0].number() && (len(all) == 1 || all[1].text == "%" || unitOf(all[1].text) != "")
}

// meant is a head that asks what its terms are for us.
var meant = text.Pattern(`(?i)^(?:what|was)(?: (?:we|it|this|that|the|term|us|by|for|means?|is|stands|covers|tells|says|shows|counts|wir|man|es|er|sie|der|das|damit|darunter|dafür|bei|uns|verstehen|meinen|ist|gemeint|heißt|bedeutet|steht|begriff))+$`)

// ofPeople is a head of a column of people, of times or of where a number is shown: "Seen by", "Wer pflegt's", "how often", "shown in".
var ofPeople = text.Pattern(`(?i)^(?:what (?:it is|it['’]s|for)(?: good)? for|(?:wofür|wozu|why|warum)(?:$|[^\pL]).*|(?:who|whom|whose|wer|wem|wessen|how often|wie oft|last|zuletzt|letzte[rs]?)(?:$|[^\pL]).*|(?:\pL+ ){1,3}(?:by|von|durch)|(?:where )?(?:shown|displayed|seen|printed|published|appears|gezeigt|angezeigt|erscheint|zu sehen|steht)(?: (?:in|on|at|im|auf|am))?)$`)

// ofReasons is the head of a column that says why there is a number, and may name what it is about.
var ofReasons = text.Pattern(`(?i)^(?:why|warum|wofür|wozu|reason|purpose|zweck|begründung)(?:$|[^\pL])`)

// languages are heads of columns of what a number is called in one language.
var languages = text.Words("english englisch german deutsch french französisch français spanish spanisch español italian italienisch italiano dutch niederländisch nederlands")

func roleOf(head string) role {
	head = strings.TrimRight(head, "?") // "Was ist das?"
	list := lowered(head)
	if ofPeople().MatchString(head) || len(list) == 1 && list[0] == "no" { // "No."
		return idleRole
	}
	if len(list) > 3 && (list[0] == "how" || list[0] == "wie") || len(list) > 1 && list[0] == "so" { // "How we compute it"
		return formulaRole
	}
	if meant().MatchString(head) || strings.EqualFold(head, "in plain english") { // "What we mean by it"
		return definitionRole
	}
	if len(list) == 0 || len(list) > 3 {
		return other
	}
	for r := termRole; r <= goalRole; r++ {
		if roles[r](list[len(list)-1]) || roles[r](list[0]) {
			return r
		}
	}
	return other
}

// grid reads a table of terms, or of the values of a column. Other tables are ignored.
func (r *reader) grid(g grid) {
	if len(g.cells) < 2 || slices.ContainsFunc(g.cells[0], func(head string) bool { return disowns(head) && roleOf(clean(head)) != idleRole }) || r.disowned(&sentence{section: g.section, intro: g.intro}) {
		return
	}
	at := map[role]int{}
	for i, head := range g.cells[0] {
		k := roleOf(clean(head))
		if _, again := at[k]; k != other && (!again || k == formulaRole && strings.Contains(strings.ToLower(head), "sql")) {
			if again {
				at[definitionRole] = at[k] // "how we count", beside the query
			}
			at[k] = i
		}
	}
	for i, head := range g.cells[0] {
		_, named := at[termRole]
		_, again := at[synonymRole]
		switch {
		case !languages(strings.ToLower(clean(head))):
		case !named:
			at[termRole] = i
		case !again:
			at[synonymRole] = i
		}
	}
	section := &r.doc.Sections[g.section]
	_, defined := at[definitionRole]
	_, formula := at[formulaRole]
	term, ok := at[termRole]
	glossary := ok
	if name, named := at[nameRole]; !ok && named {
		term, ok, glossary = name, true, section.Glossary
	}
	if column, named := at[columnRole]; !ok && named && defined {
		term, ok = column, true
	}
	if !ok && section.Glossary && roleOf(clean(g.cells[0][0])) == other {
		term, ok, glossary = 0, true, true
	}
	if c := computing(g); c > 0 && !defined && !formula {
		formula, at[formulaRole] = true, c
	}
	if _, named := at[tableRole]; !named {
		if c := r.tables(g); c >= 0 {
			at[tableRole] = c
		}
	}
	if !ok && formula && mute(g.cells[0][0], venueWord|speakerWord|countWord) {
		term, ok = 0, true
	}
	if ok && (defined || formula) {
		section.Glossary = section.Glossary || glossary
		for i, row := range g.cells[1:] {
			r.row(g, i+1, term, at, row, glossary)
		}
		return
	}
	r.values(g, at)
}

// computing returns the first column behind the names each cell of which begins with a calculation; 0 = there is none. Its head does
// not say for what: "In the table".
func computing(g grid) int {
	for c := 1; c < len(g.cells[0]); c++ {
		if mute(g.cells[0][c], 0) && !slices.ContainsFunc(g.cells[1:], func(row []string) bool { return c >= len(row) || !computes(row[c]) }) {
			return c
		}
	}
	return 0
}

// tables returns the column each cell of which is a table of the warehouse, whatever its head is; -1 = there is none.
func (r *reader) tables(g grid) int {
	if r.o.Lexicon == nil {
		return -1
	}
	for c := range g.cells[0] {
		if !slices.ContainsFunc(g.cells[1:], func(row []string) bool { return c >= len(row) || r.o.Lexicon.Table(clean(row[c])) == "" }) {
			return c
		}
	}
	return -1
}

// mute reports whether a head has only words that say nothing of which rows are meant.
func mute(head string, also class) bool {
	return roleOf(clean(head)) == other && !slices.ContainsFunc(lowered(head), func(w string) bool {
		c := classes()[w]
		return !questionWords(w) && c&(barWord|leaveWord|notWord|onlyWord|speakerWord|venueWord|onceWord|timeWord)&^also != 0 || c&(glueWord|also) == 0 && !introducing(w)
	})
}

// labels reads lines that say one thing each of a number as a row of a table: "Metric: …", "Formula: …", "Filter: …".
func (r *reader) labels(list []sentence) {
	for from := 0; from < len(list); {
		to := from
		var heads, cells []string
		formula := false
		for ; to < len(list) && list[to].passage == list[from].passage; to++ {
			m := colonIn(list[to].text)
			if m == nil || (roleOf(m[1]) == termRole || roleOf(m[1]) == nameRole) != (to == from) || len(lowered(m[1])) > 1 && roleOf(m[1]) != idleRole {
				break
			}
			heads, cells = append(heads, m[1]), append(cells, strings.TrimRight(m[2], "."))
			formula = formula || roleOf(m[1]) == formulaRole
		}
		next := to == len(list) || list[to].passage != list[from].passage
		if len(heads) > 1 && formula && next && !list[from].item {
			first := &list[from]
			span := Span{first.From, list[to-1].To}
			r.doc.labelled = true
			r.grid(grid{section: first.section, block: first.block, cells: [][]string{heads, cells}, spans: []Span{span, span}})
			for i := from; i < to; i++ {
				list[i].read = true
			}
		}
		from = max(to, from+1)
	}
}

// row reads the term of one row.
func (r *reader) row(g grid, i, term int, at map[role]int, row []string, glossary bool) {
	cell := func(k role) string {
		if c, ok := at[k]; ok && c < len(row) && c != term {
			return strings.TrimSpace(row[c])
		}
		return ""
	}
	subject := ""
	if term < len(row) {
		subject = clean(row[term])
	}
	if !named(subject) && !(glossary && nominal(subject)) && !(entitles(subject) && callWord().MatchString(cell(formulaRole))) { // "Pending orders" is a term in a column of terms
		return
	}
	s := &sentence{section: g.section, block: g.block, Span: g.spans[i], glossary: glossary}
	s.language = r.doc.Sections[g.section].Language
	if l := tongue(lowered(strings.Join(row, " "))); l != None {
		s.language = l
	}
	add := func(st Statement) {
		st.Subject, st.Section, st.Span, st.Weak = subject, g.section, s.Span, !glossary
		r.assert(s, st)
	}
	formula := ""
	for _, text := range []string{cell(formulaRole), cell(definitionRole)} {
		if formula == "" {
			if st, ok := r.cellFormula(subject, s, text, cell(conditionRole), cell(tableRole)); ok {
				if st.Formula.Table == "" && r.o.Lexicon != nil && r.tableOf(&st) == "" {
					st.Formula.Table = r.headed(&sentence{section: g.section, intro: g.intro}) // several tables have the column
				}
				if st.Unread == "" && (r.narrows(g.intro, &st) || r.elsewhere(g.intro, text)) {
					st.Unread = clean(g.intro)
				}
				st.Qualifiers = r.unplaced(g.cells[0], row, at, term, text, &st)
				add(st)
				formula = text
			}
		}
	}
	if text := cell(definitionRole); text != "" && text != formula && !hedged(text, lowered(text)) && !strings.HasSuffix(text, "?") {
		st := Statement{Attribute: Definition, Rule: "table_definition", Value: clean(text)}
		if initials(subject, st.Value) {
			st.Attribute = Expansion
		}
		add(st)
		if m := endsInUnit().FindStringSubmatch(st.Value); m != nil {
			add(Statement{Attribute: Unit, Rule: "table_unit", Value: m[1], Unit: m[1]})
		}
	}
	for _, name := range conjuncts(cell(synonymRole), true) {
		if name = clean(name); named(name) {
			add(Statement{Attribute: Synonym, Rule: "table_synonym", Value: name})
		}
	}
	if unit := clean(cell(unitRole)); wholeUnit().MatchString(unit) {
		add(Statement{Attribute: Unit, Rule: "table_unit", Value: unit, Unit: unit})
	}
	if owner := clean(cell(ownerRole)); owner != "" {
		add(Statement{Attribute: Owner, Rule: "table_owner", Value: owner})
	}
}

// cellFormula reads the cell of a formula with those of its condition and its table.
func (r *reader) cellFormula(subject string, s *sentence, text, filter, table string) (Statement, bool) {
	if unrestricted(strings.ToLower(filter)) {
		filter = ""
	}
	whole := text
	if filter != "" {
		whole += ", where " + strings.TrimPrefix(filter, "where ")
	}
	of := *s
	if r.o.Lexicon != nil && r.o.Lexicon.Table(table) != "" {
		of.table, table = table, ""
	}
	if st, ok := r.dissectedAs(subject, &of, whole); ok && st.Unread == "" && table == "" && !hedged(whole, lowered(whole)) {
		st.Rule = "table_formula"
		return st, true
	}
	f, ok := calculation(text)
	if !ok {
		return Statement{}, false
	}
	unread := ""
	if table = cmp.Or(of.table, table); table != "" && f.Table != "" && r.o.Lexicon != nil && r.o.Lexicon.Table(table) != r.o.Lexicon.Table(f.Table) {
		unread = table // the cell names another one
	}
	if m := tableName().FindStringSubmatch(table); m != nil && f.Table == "" {
		f.Table = m[1]
	}
	if filter != "" || unread != "" {
		f.Query = "" // it is not all of the formula
	}
	f.filtered(filter)
	return Statement{Attribute: FormulaOf, Rule: "table_formula", Value: clean(whole), Formula: f, Unread: unread}, true
}

// elsewhere reports whether the line above a definition, or a table, says where it holds, and that is no report and no team, or that
// somebody does it otherwise: "For Leeds:", "In the south kitchen:", "Leeds does it differently:", but not "Für das Amt:".
func (r *reader) elsewhere(intro, formula string) bool {
	lead, led := strings.CutSuffix(strings.TrimSpace(intro), ":")
	lead = lead[strings.LastIndex(". "+lead, ". "):]
	list := lowered(lead)
	if !led || len(list) < 2 || r.o.Lexicon == nil || slices.ContainsFunc(parted(lead), func(p part) bool { return r.o.Lexicon.Table(p.text) != "" }) {
		return false
	}
	purpose := list[0] == "for" || list[0] == "für" || list[0] == "fürs"
	return (places(list[0]) && !(purpose && articles(list[1])) || slices.ContainsFunc(list, differently)) && !r.passable(lead, formula, "")
}

// unrestricted are cells that say that a row has no condition.
var unrestricted = text.Words("- – — / none no all n/a keine keiner kein alle")

// unplaced returns the cells of a row that may change its formula, in columns without a place in it.
// A cell of a column of remarks or people has one only if it restricts, or names something of the table.
func (r *reader) unplaced(heads, row []string, at map[role]int, term int, formula string, st *Statement) (all []string) {
	table := r.tableOf(st)
	for i, cell := range row {
		cell = clean(cell)
		k := other
		if i < len(heads) {
			k = roleOf(clean(heads[i]))
		}
		if d, defines := at[definitionRole]; defines && d == i {
			k = definitionRole
		}
		own, again := at[k]
		if c, named := at[tableRole]; named && c == i && k == other || i < len(heads) && languages(strings.ToLower(clean(heads[i]))) && !Restricts(cell) {
			continue
		}
		silent := k == idleRole || k == nameRole || k == goalRole && goal(cell) || k < valueRole && k != other && again && own == i
		says := func(w string) bool {
			return table != "" && classes()[strings.ToLower(w)]&glueWord == 0 && !(i < len(heads) && ofReasons().MatchString(clean(heads[i]))) && r.ofTable(w, table)
		}
		if i == term || cell == "" || unrestricted(strings.ToLower(cell)) || strings.Contains(formula, cell) ||
			silent && k == definitionRole && !r.selects(cell, st) ||
			silent && k != definitionRole && (k != idleRole && k != nameRole || !Restricts(cell) && (k == nameRole || !slices.ContainsFunc(words(cell), says) && !slices.ContainsFunc(lowered(cell), func(w string) bool { return disowning(w) || periodBounds(w) }))) {
			continue
		}
		all = append(all, cell)
	}
	return all
}

// selects reports whether a meaning says which rows are meant, and the formula beside it does not: "only what was paid", "in Germany".
func (r *reader) selects(meaning string, st *Statement) bool {
	list := lowered(meaning)
	return len(list) > 0 && places(list[0]) && !(len(list) == 2 && unitOf(list[1]) != "" || len(list) > 2 && (list[0] == "für" || list[0] == "for") && articles(list[1]) && !r.narrows(meaning, st)) || len(st.Formula.Where) == 0 && (Restricts(meaning) && r.restricts(meaning, st) || r.narrows(meaning, st))
}

// endsInUnit is a unit at the end of a meaning: "what the customer pays, in cents".
var endsInUnit = text.Pattern(`(?i),? in ` + unitPattern + `$`)

// values reads a table of the values of a column and their meanings. The head of the values, the
// paragraph above or the heading names the column.
func (r *reader) values(g grid, at map[role]int) {
	meaning, ok := at[definitionRole]
	if !ok || meaning == 0 || len(g.cells[0]) > 3 {
		return
	}
	head := g.cells[0][0]
	column := ""
	switch m := introduced().FindStringSubmatch(head); {
	case m != nil && r.column(m[1]):
		column = clean(m[1])
	case roleOf(clean(head)) == valueRole:
		column = r.columnOf(&sentence{section: g.section, intro: g.intro})
	}
	if column == "" {
		return
	}
	for i, row := range g.cells[1:] {
		if len(row) <= meaning || clean(row[0]) == "" || clean(row[meaning]) == "" {
			continue
		}
		s := &sentence{section: g.section, block: g.block, Span: g.spans[i+1]}
		st := Statement{Attribute: ValueLabel, Rule: "table_value", Subject: strings.Trim(clean(row[0]), "'\""), Value: clean(row[meaning]), Column: column, Weak: true, Section: g.section, Span: s.Span}
		r.assert(s, st)
	}
}
