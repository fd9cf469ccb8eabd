package planner

import (
	"maps"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/snippet"
	"github.com/loam-data/loam/host/internal/text"
)

// offered is a measure that the text defines.
type offered struct {
	canon  string
	place  int // of the proposal in the plan, -1 = it was taken back
	quote  string
	source model.SourceID
	name   string
	alias  bool // the proposal is another name of a measure
}

// formula makes of a formula a measure, or a question.
func (w *work) formula(st *assertion.Statement) {
	quote := w.quote(st.Span)
	w.about = topicOf{st.Subject, st.Formula}
	asked := len(w.plan.Questions)
	defer func() {
		w.about = topicOf{}
		if name := identifier(st.Subject); name != "" && len(w.plan.Questions) > asked && st.Formula != nil && st.Formula.Table != "" {
			w.contest[name] = quote
		}
	}()
	if q := w.unready(quote); q != nil {
		w.ask(q)
		return
	}
	switch {
	case st.Formula == nil || st.Polarity == assertion.Negative:
		w.ask(ask(NotAnAggregate, quote, "Which aggregate of which column is %s? Write it as %s = sum(column) in table.", st.Subject, st.Subject))
		return
	case !st.ValidFrom.IsZero() || !st.ValidTo.IsZero():
		q := ask(PeriodInFilter, quote, "A measure has one formula for all periods. Which one holds now?")
		q.name = st.Subject
		w.ask(q.with(periodless(quote)...))
		return
	}
	if st.Unread != "" {
		q := ask(TwoReadings, quote, "What does “%s” change? Write the formula of %s in one sentence: %s = sum(column) in table where condition.", shorten(st.Unread, maxTitle), st.Subject, st.Subject)
		q.name = st.Subject // the words around it may change nothing
		w.ask(q)
		return
	}
	if extra := w.narrowed(st); extra != "" {
		q := ask(TwoReadings, quote, "Does “%s” change how %s is computed, or only when it is looked at?", extra, st.Subject)
		if q.name = st.Subject; strings.Contains(quote, st.Subject+" "+extra) {
			q.name += " " + extra
		} else {
			q.word = w.valueIn(extra, w.scope(st.Span, st.Section))
		}
		w.ask(q)
		return
	}
	if st.Formula.Query != "" && w.query(st, quote) {
		return
	}
	name := st.Subject
	r := &formula{work: w, f: st.Formula, quote: quote, scope: w.scope(st.Span, st.Section)}
	beside := w.scopeOf(strings.Replace(w.doc.Text[st.Span.From:st.Span.To], name, "", 1), st.Span.From, st.Section)
	r.resembled = len(beside) == 0
	for _, s := range beside {
		if !among(r.scope, s) {
			r.scope = append(r.scope, s)
		}
	}
	d, q := r.define(name)
	if q != nil {
		w.ask(q)
		return
	}
	if st.Rule == assertion.Extracted {
		d.notes = append(d.notes, "a model found the sentence")
	}
	if w.elsewhere(d.s, d.name, quote, st.Section) {
		return
	}
	w.offer(d.s, d.name, name, d.entry(w.meaning(st, quote)), d.notes, st.Span)
}

// query makes a measure of a formula that is written as a query, or asks what it cannot be read for; it reports whether the query is
// of one aggregate that has no name, or the name of the formula.
func (w *work) query(st *assertion.Statement, quote string) bool {
	items := snippet.ReadQuery(st.Formula.Query, st.Subject).Items
	if len(items) != 1 || identifier(items[0].Name) != identifier(st.Subject) && items[0].LeftOut == "" {
		return false
	}
	items[0].Name = st.Subject
	p := &pasted{work: w, format: snippet.SQL, at: st.Span, item: &items[0], quote: quote}
	if items[0].LeftOut != "" {
		w.ask(p.leftOut())
	} else {
		p.take()
	}
	return true
}

// elsewhere withdraws a measure of the same section that has the name in another source: which of the two is meant is not certain.
func (w *work) elsewhere(s *model.Source, name, quote string, section int) bool {
	key := sectioned{section, name}
	first, target := w.first[key], w.target(s, name)
	if first == "" || first == target {
		w.first[key] = target
		return false
	}
	w.twoFormulas(first, name, quote)
	return true
}

// twoFormulas takes back what is offered for a target, and asks which of its two formulas holds.
func (w *work) twoFormulas(target, name, quote string) {
	before := w.offers[target]
	if before.place >= 0 {
		w.taken[before.place] = true
		before.place = -1
		w.offers[target] = before
	}
	w.about = topicOf{}
	w.ask(ask(TwoReadings, quote, "The text has two formulas for %s. Which one holds?", name).with(before.quote, quote))
}

// contested takes back what is offered under a name that has another formula in the text, about which somebody is asked.
func (w *work) contested() {
	for _, target := range slices.Sorted(maps.Keys(w.offers)) {
		o := w.offers[target]
		if quote := w.contest[o.name]; quote != "" && quote != o.quote && o.place >= 0 && !o.alias {
			w.twoFormulas(target, o.name, quote)
		}
	}
}

// sectioned is a name in a section of the text.
type sectioned struct {
	section int
	name    string
}

// bounded is a period at the beginning of a clause: "since April 2026 ".
var bounded = text.Pattern(`(?i)^(?:until|till|since|from|as of|bis|seit|ab|before|after)\s+(?:\d{1,2}\.?\s+)?(?:[\pL]+\s+)?\d{4}(?:-\d{2}){0,2},?\s+`)

// periodless are the clauses of a sentence without their periods.
func periodless(quote string) (all []string) {
	for clause := range strings.SplitSeq(strings.ReplaceAll(quote, "; ", ", "), ", ") {
		if at := bounded().FindString(clause); at != "" {
			all = append(all, clause[len(at):])
		}
	}
	return all
}

// meaning describes a measure: its sentence, or what the other cells of its row say.
func (w *work) meaning(st *assertion.Statement, quote string) string {
	if !strings.HasPrefix(quote, "|") {
		return quote
	}
	for i := range w.doc.Statements {
		if o := &w.doc.Statements[i]; o.Span == st.Span && o.Attribute == assertion.Definition {
			return o.Value
		}
	}
	return ""
}

// narrowed returns a qualifier of a statement that neither its subject nor its formula has.
func (w *work) narrowed(st *assertion.Statement) string {
	has := func(in, q string) bool { return strings.Contains(strings.ToLower(in), strings.ToLower(q)) }
	for _, q := range st.Qualifiers {
		if _, grain, per := strings.Cut(q, " "); per && isPer(q) && isGrain(grain) && st.Formula.Divisor == nil && !strings.Contains(st.Formula.Expr, "/") {
			continue // a query groups by it; of a quotient it may be what it is divided by, "fare per hour"
		}
		if has(st.Subject, q) || has(st.Formula.Per, strings.TrimPrefix(q, "per ")) && st.Formula.Per != "" || has(st.Formula.Of, q) || has(st.Formula.Expr, q) ||
			slices.ContainsFunc(st.Formula.Where, func(c assertion.Condition) bool { return has(c.Text, q) }) {
			continue
		}
		return q
	}
	return ""
}

// valueIn is the condition that a word of a restriction stands for in one of some sources; "" = there is not exactly one.
func (w *work) valueIn(restriction string, scope []*model.Source) string {
	if len(scope) != 1 {
		return ""
	}
	f := &filter{work: w, s: scope[0]}
	var found []string
	for word := range strings.FieldsSeq(restriction) {
		for _, tree := range f.meanings(trimCode(word)) {
			found = append(found, expression.String(tree))
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// unready says why nothing can be proposed to the semantic layer.
func (w *work) unready(quote string) *Question {
	switch {
	case w.in.Connection == "" || w.v.Model == nil:
		return ask(NoConnection, quote, "Which connection is it about? Ingest it again with connectionId.")
	case w.foreign(quote):
		return ask(NoConnection, quote, "It is about another connection than %s: ingest it again with that one's connectionId.", w.in.Connection)
	case w.v.Dialect == nil:
		return ask(NoConnection, quote, "The connection %s was not scanned yet: run loam scan, then ingest it again.", w.in.Connection)
	}
	return nil
}

// foreign reports whether a sentence says that it is about another connection.
func (w *work) foreign(quote string) bool {
	words := strings.FieldsFunc(strings.ToLower(quote), func(r rune) bool { return strings.ContainsRune(" ,.;:`\"'()", r) })
	for i, word := range words {
		if (word == "connection" || word == "verbindung") && i+1 < len(words) && slices.ContainsFunc(w.v.Others, func(o string) bool { return strings.EqualFold(o, words[i+1]) }) {
			return true
		}
	}
	return false
}

// offer proposes a measure that is certain: it compiles, reads one source, and no measure
// contradicts it.
func (w *work) offer(s *model.Source, name, subject string, e entry, notes []string, at assertion.Span) {
	quote := w.quote(at)
	same, free := w.sameName(name, subject), name
	for len(w.named(free)) > 0 {
		free += "_2"
	}
	grown, file, m := w.stage(s, free, e)
	switch {
	case m == nil:
		w.ask(ask(NotAnAggregate, quote, "%s cannot be added to %s: write it as %s = sum(column) in table.", name, s.Identity, subject))
		return
	case m.Broken != "":
		w.ask(ask(NotAnAggregate, quote, "%s cannot be computed: %s.", name, m.Broken))
		return
	case s.ID != model.Metrics && !owned(grown, m, s, 0):
		w.ask(ask(JoinNeeded, quote, "%s reads more than %s: define a measure of each table first.", name, s.Identity))
		return
	}
	home := grown.Source(s.ID)
	covered, err := w.try(grown, home, m)
	if err != nil {
		w.ask(ask(NotAnAggregate, quote, "%s cannot be asked for: %s.", name, messageOf(err)))
		return
	}
	if s.ID == model.Metrics && len(covered.refused) > 0 {
		w.plan.Notes = noted(w.plan.Notes, "%s can be asked for in total, not over time: what it is made of has no common time", name)
	}
	spelled := canon(grown, m.ID)
	if w.settled(s, name, spelled, quote) {
		return
	}
	p := change.Proposal{
		Kind: change.Measure, Connection: w.in.Connection, Target: w.target(s, name), Path: w.overlayPath(s),
		Says: says(name, e), Value: spelled, Quote: quote, QuoteAt: at.From, Source: w.source(),
		Note: strings.Join(append([]string{covered.String()}, notes...), "; "), Verified: &change.Verified{Level: "compiles", At: w.in.At},
	}
	if spelled == "" {
		p.Value = encode(e.node(name))
	}
	section := "measures"
	if s.ID == model.Metrics {
		section = "metrics"
	}
	block := change.Block{Place: form.Member(section, name), After: encode(e.node(""))}
	for _, existing := range same {
		if other := canon(w.v.Model, existing.ID); other != "" && other == spelled {
			target := w.target(w.v.Model.Source(existing.ID.Source()), existing.Name)
			w.plan.Notes = noted(w.plan.Notes, "%s says this already", target)
			w.halfway = w.madeOf(target, quote)
			return
		}
	}
	if len(same) > 0 {
		before, own := w.before(change.Measure, p.Target, block.Place)
		if block.Before = before; !own || len(same) > 1 {
			p.Why = append(p.Why, change.WhyConflict)
			for _, existing := range same {
				p.Conflicts = append(p.Conflicts, w.conflictOf(existing))
			}
			p.Note = "another formula is known by this name; " + p.Note
		}
	} else if twin := w.twin(grown, s, m, spelled); twin != "" {
		w.twins[name] = reference(s, twin)
		o := offered{spelled, -1, quote, s.ID, name, true}
		changes := len(w.plan.Changes)
		w.synonym(s, "measures", twin, strings.TrimSpace(trimCode(subject)), at, []string{change.WhyTwin}, "it is computed as "+w.target(s, twin)+" is")
		if len(w.plan.Changes) > changes {
			o.place = changes
		}
		w.offers[p.Target] = o
		return
	}
	p.Blocks = overlayBlocks(s, block)
	w.offers[p.Target] = offered{spelled, len(w.plan.Changes), quote, s.ID, name, false}
	w.plan.Changes = append(w.plan.Changes, p)
	if free == name {
		w.remember(s, file, name)
	}
}

// madeOf reports whether a measure was made of a sentence: a run that ended before its page was written is tried again.
func (w *work) madeOf(target, quote string) bool {
	return w.v.Learned != nil && slices.ContainsFunc(w.v.Learned(change.Measure, w.in.Connection, target), func(c change.Change) bool {
		return c.State == change.Applied && c.Quote == quote
	})
}

// settled compares with what the text said before of the same name: the same again is
// nothing new, another formula makes neither certain.
func (w *work) settled(s *model.Source, name, spelled, quote string) bool {
	target := w.target(s, name)
	before, twice := w.offers[target]
	if !twice {
		return false
	}
	if before.canon == spelled && spelled != "" {
		return true
	}
	w.twoFormulas(target, name, quote)
	return true
}

// sameName are the measures that have a name, or that are called as the subject.
func (w *work) sameName(name, subject string) (all []*model.Measure) {
	all = w.named(name)
	for _, it := range w.lexicon.called(subject, aMeasure) {
		if m := measure(w.v.Model.Source(it.source), it.name); m != nil && !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return all
}

// named are the measures of all sources that have a name.
func (w *work) named(name string) (all []*model.Measure) {
	for _, s := range w.lexicon.owning(name) {
		if m := measure(s, name); m != nil {
			all = append(all, m)
		}
	}
	return all
}

// twin is the first measure of a source, or of the text, that computes the same; "" = none does.
func (w *work) twin(grown *model.Model, s *model.Source, of *model.Measure, spelled string) string {
	if spelled == "" {
		return ""
	}
	home := grown.Source(s.ID)
	for i := range home.Measures {
		m := &home.Measures[i]
		if m.ID != of.ID && m.Name != "" && m.Visibility == model.Public && m.Broken == "" && canon(grown, m.ID) == spelled {
			return m.Name
		}
	}
	first := offered{place: -1}
	for _, o := range w.offers {
		if !o.alias && o.source == s.ID && o.canon == spelled && o.place >= 0 && (first.place < 0 || o.place < first.place) {
			first = o
		}
	}
	return first.name
}

// conflictOf is what a measure of the model says.
func (w *work) conflictOf(m *model.Measure) change.Conflict {
	s := w.v.Model.Source(m.ID.Source())
	c := change.Conflict{Says: shorten(w.target(s, m.Name)+": "+describe(m), maxQuote), Path: w.fileOf(s), Target: w.target(s, m.Name)}
	if w.v.Learned != nil {
		for _, l := range w.v.Learned(change.Measure, w.in.Connection, w.target(s, m.Name)) {
			c.By, c.At, c.Change, c.Path = l.By.Name(), l.At, l.ID, l.Path
		}
	}
	return c
}

func describe(m *model.Measure) string {
	text := string(m.Kind)
	if m.Agg != "" {
		text = string(m.Agg)
	}
	if m.Expr != nil {
		text += " " + m.Expr.Value
	}
	for _, f := range m.Filter {
		text += " where " + f.Value
	}
	return strings.TrimSpace(text)
}

func says(name string, e entry) string {
	parts := []string{}
	for _, k := range e {
		if k.Name != "description" && k.Name != "label" {
			parts = append(parts, k.Name+": "+k.Value)
		}
	}
	return shorten(name+": "+strings.Join(parts, ", "), maxQuote)
}

// before returns what Loam wrote at a place, "" = nothing. own: nobody reviewed it, and the same
// source said it, so that it is corrected and not contradicted.
func (w *work) before(kind change.Kind, target, place string) (text string, own bool) {
	if w.v.Learned == nil {
		return "", false
	}
	for _, c := range w.v.Learned(kind, w.in.Connection, target) {
		for _, b := range c.Blocks {
			if c.State == change.Applied && b.Place == place {
				text, own = b.After, !c.Reviewed && w.sameSource(&c)
			}
		}
	}
	return text, own
}

// sameSource reports whether the text comes from where a change came from: the same named
// source, else the same client and principal.
func (w *work) sameSource(c *change.Change) bool {
	if own := w.source(); own != "" || c.Source != "" {
		return strings.EqualFold(own, c.Source)
	}
	return c.By.Client == w.in.By.Client && c.By.Principal == w.in.By.Principal && c.By.Channel == w.in.By.Channel
}
