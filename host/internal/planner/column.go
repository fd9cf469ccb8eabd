package planner

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// column finds the one column that a name means: with its table, or among the sources of
// the sentence, its heading, its page.
// Shape: nil, nil = no column is called so.
func (w *work) column(name string, st *assertion.Statement) (*model.Source, *model.Dimension, *Question) {
	quote, name := w.quote(st.Span), trimCode(name)
	if at := strings.LastIndexByte(name, '.'); at > 0 {
		var found []*model.Source
		for _, s := range w.lexicon.sources(name[:at]) {
			if dimension(s, name[at+1:]) != nil {
				found = append(found, s)
			}
		}
		if len(found) == 1 {
			return found[0], dimension(found[0], name[at+1:]), nil
		}
		if len(found) > 1 {
			return nil, nil, ask(AmbiguousName, quote, "Which table is %s of?", name).on(name).with(identities(found)...)
		}
		return nil, nil, nil
	}
	type place struct {
		s *model.Source
		d *model.Dimension
	}
	var found []place
	scope := w.scope(st.Span, st.Section)
	for _, s := range scope {
		for _, d := range w.lexicon.dimensionsCalled(s, name) {
			found = append(found, place{s, d})
		}
	}
	if len(scope) == 0 && !slices.Contains(commonWords, strings.ToLower(name)) {
		for _, it := range w.lexicon.called(name, aDimension) {
			s := w.v.Model.Source(it.source)
			if d := dimension(s, it.name); d != nil {
				found = append(found, place{s, d})
			}
		}
	}
	switch len(found) {
	case 0:
		return nil, nil, nil
	case 1:
		return found[0].s, found[0].d, nil
	}
	q := ask(AmbiguousName, quote, "Which column is %s?", name).on(name)
	for _, p := range found {
		q.with(member(p.s, p.d.Name))
	}
	return nil, nil, q
}

// unit proposes the unit of a column.
func (w *work) unit(st *assertion.Statement) {
	unit := st.Unit
	if unit == "" {
		unit = st.Value
	}
	quote := w.quote(st.Span)
	if w.unready("") != nil || unit == "" {
		return
	}
	name := st.Column
	if name == "" || len(w.lexicon.sources(name)) > 0 {
		name = st.Subject
	}
	s, d, q := w.column(name, st)
	if q != nil {
		w.ask(q)
		return
	}
	if d == nil {
		if scope := w.scope(st.Span, st.Section); len(scope) > 0 {
			w.ask(ask(UnitUnclear, quote, "Which column of %s is in %s?", scope[0].Identity, unit).on(name).with(w.suggest(scope[0].ID, name)...))
		}
		return
	}
	p := change.Proposal{Kind: change.Unit, Says: member(s, d.Name) + " is in " + unit, Value: strings.ToLower(unit)}
	if known := d.Details.Get().Unit; strings.EqualFold(known, unit) {
		w.plan.Notes = noted(w.plan.Notes, "%s is known to be in %s", member(s, d.Name), known)
		return
	} else if known != "" {
		p.Why = []string{change.WhyConflict}
		p.Conflicts = []change.Conflict{{Says: member(s, d.Name) + " is in " + known, Path: w.fileOf(s), Target: w.target(s, d.Name)}}
	}
	for _, c := range w.plan.Changes {
		if c.Kind != change.Unit || c.Target != w.target(s, d.Name) || c.Path != w.overlayPath(s) {
			continue
		}
		if otherUnit(c.Value, unit) {
			w.ask(ask(UnitUnclear, quote, "The text has two units for %s. Which one holds?", member(s, d.Name)).
				with(member(s, d.Name)+" is in "+c.Value+".", member(s, d.Name)+" is in "+unit+"."))
		}
		return
	}
	w.columnKey(s, d, "unit", textNode(unit), p, st.Span)
}

// otherUnit reports whether two names are of different units.
func otherUnit(a, b string) bool {
	_, other := assertion.Contradicts(assertion.Statement{Attribute: assertion.Unit, Unit: a}, assertion.Statement{Attribute: assertion.Unit, Unit: b})
	return other
}

// columnKey proposes a key of a column.
func (w *work) columnKey(s *model.Source, d *model.Dimension, key string, value *yaml.Node, p change.Proposal, at assertion.Span) {
	p.Target, p.Path = w.target(s, d.Name), w.overlayPath(s)
	block := change.Block{Place: form.Member("columns", d.Name, key), After: encode(value)}
	before, own := w.before(p.Kind, p.Target, block.Place)
	if block.Before = before; own && before != block.After {
		p.Why, p.Conflicts = nil, nil
	}
	p.Blocks = overlayBlocks(s, block)
	w.propose(p, at)
}

// label proposes the values of a column, one of which a statement explains.
func (w *work) label(st *assertion.Statement) {
	if w.unready("") != nil || st.Column == "" {
		return
	}
	quote := w.quote(st.Span)
	s, d, q := w.column(st.Column, st)
	if q == nil && d == nil {
		q = w.homeless(st, quote)
	}
	if q != nil {
		for i, column := range q.Candidates { // as whole sentences: the quote may be an item of a list
			q.Candidates[i] = column + " = '" + strings.Trim(trimCode(st.Subject), "'‘’") + "' means " + strings.TrimRight(st.Value, ".") + "."
		}
		w.ask(q)
		return
	}
	known, whole := w.values(s, d)
	value := strings.Trim(trimCode(st.Subject), "'‘’")
	if !slices.Contains(known, value) {
		at := slices.IndexFunc(known, func(v string) bool { return strings.EqualFold(v, value) })
		switch {
		case at >= 0:
			value = known[at]
		case whole:
			q := ask(UnknownValue, quote, "%s has no value %s. Which one is meant?", member(s, d.Name), value).on(value)
			for _, v := range known {
				q.with(member(s, d.Name) + " = '" + v + "' means " + strings.TrimRight(st.Value, ".") + ".")
			}
			w.ask(q)
			return
		}
	}
	if slices.Contains(d.Details.Get().Values, value) {
		return // the page has what it means
	}
	values := []string{value}
	if whole {
		values = known
	}
	var nodes []*yaml.Node
	for _, v := range values {
		nodes = append(nodes, textNode(v))
	}
	p := change.Proposal{Kind: change.Values, Says: member(s, d.Name) + " has the values " + strings.Join(values, ", "), Value: strings.Join(values, "\x00"), Why: []string{change.WhyPolicy}}
	if !whole {
		p.Note = "whether the column has other values is not known"
	}
	w.columnKey(s, d, "values", list(nodes...), p, st.Span)
}

// homeless asks for the table of a column that several have, or none.
func (w *work) homeless(st *assertion.Statement, quote string) *Question {
	q := ask(UnknownName, quote, "Which column is %s?", st.Column).on(st.Column)
	for _, s := range w.lexicon.owners(trimCode(st.Column)) {
		q.with(member(s, trimCode(st.Column)))
	}
	if len(q.Candidates) > 1 {
		q.Code = AmbiguousName
	}
	return q
}

// relation proposes a join.
func (w *work) relation(st *assertion.Statement) {
	if w.unready("") != nil {
		return
	}
	quote := w.quote(st.Span)
	s, from, q := w.column(st.Subject, st)
	if q == nil && from == nil {
		q = ask(UnknownName, quote, "Which column is %s?", st.Subject).on(st.Subject).with(w.suggest(model.Metrics, strings.Split(trimCode(st.Subject), ".")...)...)
	}
	if q != nil {
		w.ask(q)
		return
	}
	t, to, q := w.column(st.Value, st)
	if q == nil && to == nil {
		q = ask(UnknownName, quote, "Which column is %s?", st.Value).on(st.Value).with(w.suggest(model.Metrics, strings.Split(trimCode(st.Value), ".")...)...)
	}
	if q != nil {
		w.ask(q)
		return
	}
	if s == t {
		w.ask(ask(TwoReadings, quote, "%s refers to its own table: under which name is the other row known?", member(s, from.Name)))
		return
	}
	if !unique(t, to) && unique(s, from) { // "customer.id is the key of orders.customer_id"
		s, t, from, to = t, s, to, from
	}
	for i := range s.Joins {
		if j := &s.Joins[i]; j.To == t.ID && len(j.Equal) == 1 && j.Equal[0].From.Dimension == from.ID && j.Equal[0].To.Dimension == to.ID {
			w.plan.Notes = noted(w.plan.Notes, "%s is known to refer to %s", member(s, from.Name), member(t, to.Name))
			return
		}
	}
	if !unique(t, to) {
		w.ask(ask(TwoReadings, quote, "Is %s different in every row of %s? Only then does each row of %s have one.", to.Name, t.Identity, s.Identity))
		return
	}
	on := &expression.Binary{Op: expression.Equal, Left: &expression.Name{Parts: []string{s.Name, from.Name}}, Right: &expression.Name{Parts: []string{t.Name, to.Name}}}
	e := entry{{Name: "to", Value: t.Identity}, {Name: "on", Value: expression.String(on)}, {Name: "relationship", Value: "many_to_one"}}
	path := w.overlayPath(s)
	w.propose(change.Proposal{
		Kind: change.Join, Target: w.target(s, "") + " → " + w.target(t, ""), Path: path, Why: []string{change.WhyPolicy},
		Blocks: overlayBlocks(s, change.Block{Place: form.Member("joins", t.Identity), After: encode(e.node(""))}),
		Says:   member(s, from.Name) + " references " + member(t, to.Name), Value: expression.String(on),
	}, st.Span)
}

// unique reports whether a column is the key of its source by itself.
func unique(s *model.Source, d *model.Dimension) bool {
	return len(s.Grain) == 1 && s.Grain[0].Dimension == d.ID
}

// rule proposes a segment of a condition that always holds.
func (w *work) rule(st *assertion.Statement) {
	quote := w.quote(st.Span)
	if st.Formula == nil || len(st.Formula.Where) == 0 {
		return
	}
	if q := w.unready(quote); q != nil {
		w.ask(q)
		return
	}
	if st.Polarity == assertion.Negative {
		return // "never exclude": the page says it
	}
	s, q := w.ruled(st, quote)
	if q != nil {
		w.ask(q)
		return
	}
	where := filter{work: w, s: s, quote: quote, equal: map[string]string{}}
	for _, c := range st.Formula.Where {
		if q := where.add(c); q != nil {
			w.ask(q)
			return
		}
	}
	prefix, words := "only ", []string{}
	for _, c := range st.Formula.Where {
		if c.Excluded {
			prefix = "without "
		}
		words = append(words, c.Text)
	}
	name := identifier(prefix + lastWords(strings.Join(words, " ")))
	if name == "" || len(w.lexicon.mentioned(name, aSegment, aDimension)) > 0 {
		name = identifier(prefix + "rows of " + s.Name)
	}
	e := entry{{Name: "expr", Value: where.expr()}}.with("description", shorten(quote, maxQuote))
	path := w.overlayPath(s)
	w.propose(change.Proposal{
		Kind: change.Segment, Target: w.target(s, name), Path: path, Why: []string{change.WhyPolicy},
		Blocks: overlayBlocks(s, change.Block{Place: form.Member("segments", name), After: encode(e.node(""))}),
		Says:   says(name, e), Value: where.expr(), Note: strings.Join(append([]string{"a rule for all numbers of " + s.Identity}, where.notes...), "; "),
	}, st.Span)
}

// lastWords are the words of a condition that say most: its values.
func lastWords(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" =<>'\"`.,()", r) })
	if len(words) > 2 {
		words = words[len(words)-2:]
	}
	if len(words) == 2 && strings.Contains(s, "=") {
		words = words[1:]
	}
	return strings.Join(words, " ")
}

// ruled finds the source that a rule is about.
func (w *work) ruled(st *assertion.Statement, quote string) (*model.Source, *Question) {
	for _, name := range []string{st.Formula.Table, st.Subject} {
		if found := w.lexicon.sources(stripTable(name)); len(found) == 1 {
			return found[0], nil
		}
	}
	scope := w.scope(st.Span, st.Section)
	if len(scope) == 1 && len(w.lexicon.mentioned(st.Subject, aMeasure)) == 0 {
		return scope[0], nil
	}
	if len(w.lexicon.mentioned(st.Subject, aMeasure)) > 0 {
		return nil, ask(TwoReadings, quote, "%s is defined already: say its whole formula again, with the condition.", st.Subject).with(w.again(st)...)
	}
	thing := st.Formula.Where[0].Text
	return nil, ask(UnknownName, quote, "Which table and column says what “%s” is?", thing).on(thing).with(w.choices(scope)...).with(w.comparisons(scope, quote, thing)...)
}

// again are the formulas of the measures of a name with the conditions of a rule.
func (w *work) again(st *assertion.Statement) (all []string) {
	for _, it := range w.lexicon.called(st.Subject, aMeasure) {
		s := w.v.Model.Source(it.source)
		m := measure(s, it.name)
		if m == nil || m.Agg == "" || m.Expr == nil || s.ID == model.Metrics {
			continue
		}
		f := &assertion.Formula{Aggregate: string(m.Agg), Of: m.Expr.Value, Table: s.Identity}
		for _, condition := range m.Filter {
			f.Where = append(f.Where, assertion.Condition{Text: condition.Value})
		}
		f.Where = append(f.Where, st.Formula.Where...)
		all = append(all, st.Subject+" = "+f.String())
	}
	return all
}

// comparisons are the sentences of a rule with each value of a column in place of a word that is none.
func (w *work) comparisons(scope []*model.Source, quote, word string) (all []string) {
	if len(scope) == 0 {
		scope = w.mentioned()
	}
	if !strings.Contains(quote, word) {
		return nil
	}
	for _, s := range scope {
		f := &filter{work: w, s: s}
		for _, column := range f.columns() {
			d := dimension(s, column[strings.LastIndexByte(column, '.')+1:])
			known, _ := w.values(s, d)
			for _, v := range known {
				all = append(all, strings.TrimRight(strings.Replace(quote, word, d.Name+" = '"+v+"'", 1), ".")+" in "+s.Identity+".")
			}
		}
	}
	return all
}

// choices are columns whose values are few, of the sources of a text, else of all.
func (w *work) choices(scope []*model.Source) (all []string) {
	if len(scope) == 0 {
		scope = w.mentioned()
	}
	for _, s := range scope {
		all = append(all, (&filter{work: w, s: s}).columns()...)
	}
	return all
}

// also takes two names for one thing.
func (w *work) also(st *assertion.Statement) {
	if w.unready("") != nil {
		return
	}
	one, other := trimCode(st.Subject), trimCode(st.Value)
	known := func(word string) []thing {
		if s, d, q := w.column(word, st); q == nil && d != nil && strings.Contains(word, ".") {
			return []thing{{aDimension, s.ID, d.Name}}
		}
		return w.lexicon.called(word, aMeasure, aSource, aDimension)
	}
	a, b := known(one), known(other)
	if len(b) == 0 {
		a, b, one = b, a, other
	}
	switch {
	case len(b) == 0:
		return // the page has both
	case len(a) > 0:
		if !slices.ContainsFunc(a, func(it thing) bool { return slices.Contains(b, it) }) {
			w.ask(ask(TwoReadings, w.quote(st.Span), "Both %s and %s name something. Are they the same?", one, trimCode(st.Value)).with(w.things(append(a, b...))...))
		}
		return
	}
	if measures := slices.DeleteFunc(slices.Clone(b), func(it thing) bool { return it.kind != aMeasure }); len(measures) > 0 {
		b = measures
	}
	if len(b) > 1 {
		w.ask(ask(AmbiguousName, w.quote(st.Span), "What is %s another name for?", one).with(w.things(b)...))
		return
	}
	section := map[kind]string{aSource: "", aMeasure: "measures", aDimension: "columns"}[b[0].kind]
	w.synonym(w.v.Model.Source(b[0].source), section, b[0].name, one, st.Span, nil, "")
}

func (w *work) things(all []thing) (names []string) {
	for _, it := range all {
		s := w.v.Model.Source(it.source)
		if it.name == "" {
			names = append(names, s.Identity)
		} else {
			names = append(names, member(s, it.name))
		}
	}
	return names
}
