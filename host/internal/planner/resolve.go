package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

func noted(all []string, format string, args ...any) []string {
	if note := fmt.Sprintf(format, args...); !slices.Contains(all, note) {
		return append(all, note)
	}
	return all
}

func identities(all []*model.Source) (names []string) {
	for _, s := range all {
		names = append(names, s.Identity)
	}
	return names
}

// among reports whether a source is one of some, of whichever version of the model.
func among(all []*model.Source, s *model.Source) bool {
	return slices.ContainsFunc(all, func(o *model.Source) bool { return o.ID == s.ID })
}

func stripArticle(s string) string {
	if !strings.ContainsAny(s, " \t\n") {
		return s
	}
	return strings.TrimSpace(articles().ReplaceAllString(s, ""))
}

func isRows(of string) bool {
	return slices.Contains([]string{"rows", "records", "entries", "row", "zeilen", "datensätze"}, strings.ToLower(of))
}

var notIdentifier = text.Pattern(`[^a-z0-9]+`)

var spelledOut = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "é", "e", "è", "e", "à", "a", "ç", "c")

// humped is a name of several words in one: "cacheHitRate".
var humped = text.Pattern(`^[a-z]{2,}(?:[A-Z][a-z]+)+$`)

// identifier makes the name of a measure of its subject; "" = it cannot be one.
func identifier(subject string) string {
	s := trimCode(subject)
	if humped().MatchString(s) {
		s = text.Snaked(s)
	}
	s = spelledOut.Replace(strings.ToLower(s))
	if strings.Contains(s, "..") {
		return "" // a path
	}
	for _, r := range s {
		if r > 127 {
			return ""
		}
	}
	s = strings.Trim(notIdentifier().ReplaceAllString(s, "_"), "_")
	if s == "" || len(s) > 60 || s[0] >= '0' && s[0] <= '9' || len(strings.Split(s, "_")) > 6 {
		return ""
	}
	return s
}

// table returns the source that the sentence names as its table.
func (r *formula) table() (*model.Source, *Question) {
	found := r.work.lexicon.sources(stripTable(r.f.Table))
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, ask(UnknownName, r.quote, "There is no table %s. Which one is meant?", r.f.Table).on(r.f.Table).with(r.work.lexicon.nearSources(r.f.Table)...)
	}
	return nil, ask(AmbiguousName, r.quote, "Which table is %s?", r.f.Table).on(r.f.Table).with(identities(found)...)
}

var tableWord = text.Pattern(`(?i)^(?:the\s+)?(?:tables?|tabellen?|der tabelle)\s+|\s+(?:tables?|tabelle)$`)

func stripTable(s string) string {
	if !strings.ContainsAny(s, " \t\n") {
		return s
	}
	return tableWord().ReplaceAllString(stripArticle(s), "")
}

// tables are the sources that a formula may be over: its table, else those of its scope.
func (r *formula) tables() []*model.Source {
	if r.f.Table != "" {
		return r.work.lexicon.sources(stripTable(r.f.Table))
	}
	return r.scope
}

// source finds the one source whose columns are used.
func (r *formula) source(names []*expression.Name) (*model.Source, *Question) {
	if r.f.Table != "" {
		return r.table()
	}
	var qualified []*model.Source
	for _, n := range names {
		if len(n.Parts) < 2 {
			continue
		}
		owner := strings.Join(n.Parts[:len(n.Parts)-1], ".")
		found := r.work.lexicon.sources(owner)
		if len(found) != 1 {
			return nil, ask(UnknownName, r.quote, "Which table is %s?", owner).on(owner).with(append(identities(found), r.work.lexicon.nearSources(owner)...)...)
		}
		if !among(qualified, found[0]) {
			qualified = append(qualified, found[0])
		}
	}
	switch len(qualified) {
	case 1:
		return qualified[0], nil
	case 0:
	default:
		return nil, ask(JoinNeeded, r.quote, "Columns of %s are used together: define a measure of each table first, then calculate with the two.", strings.Join(identities(qualified), " and ")).
			with(identities(qualified)...)
	}
	if len(names) == 0 {
		if len(r.scope) == 1 {
			return r.scope[0], nil
		}
		return nil, ask(UnknownName, r.quote, "Which table is it computed over? Say “… in schema.table”.").with(identities(r.scope)...)
	}
	return r.unqualified(names)
}

// unqualified finds the source that has all columns of names without a table.
func (r *formula) unqualified(names []*expression.Name) (*model.Source, *Question) {
	having := func(all []*model.Source, name string) (some []*model.Source) {
		for _, s := range all {
			if dimension(s, name) != nil {
				some = append(some, s)
			}
		}
		return some
	}
	candidates := r.scope
	if len(candidates) == 0 || r.resembled {
		candidates = r.work.lexicon.owners(names[0].Parts[0])
	}
	for _, n := range names {
		left := having(candidates, n.Parts[0])
		if len(left) == 0 {
			return nil, r.unknown(n, candidates)
		}
		candidates = left
	}
	if len(candidates) > 1 {
		q := ask(AmbiguousName, r.quote, "Which table is %s of?", names[0]).on(names[0].String())
		for _, s := range candidates {
			q.with(member(s, names[0].Parts[0]))
		}
		return nil, q
	}
	return candidates[0], nil
}

// unknown asks for a column that a source, or all of them, has not.
func (r *formula) unknown(n *expression.Name, within []*model.Source) *Question {
	name := n.Parts[len(n.Parts)-1]
	q := ask(UnknownName, r.quote, "There is no column %s%s. Which one is meant?", n, inSources(within)).on(n.String())
	for _, s := range r.work.lexicon.owners(name) {
		q.with(member(s, dimension(s, name).Name))
	}
	home := model.Metrics
	if len(within) > 0 {
		home = within[0].ID
	}
	if q.with(r.work.suggest(home, name)...); len(q.Candidates) > 0 {
		return q
	}
	for _, s := range within {
		for _, d := range s.Dimensions {
			if usable(s) && dimension(s, d.Name) != nil {
				q.with(member(s, d.Name))
			}
		}
	}
	return q
}

// suggest are names that are like some words, those of the text's measures too.
func (w *work) suggest(home model.SourceID, words ...string) []string {
	w.grow()
	return w.v.Model.Suggest(home, words...)
}

func inSources(all []*model.Source) string {
	if len(all) == 0 {
		return ""
	}
	return " in " + strings.Join(identities(all), " or ")
}

// near are names that resemble some words.
func (r *formula) near(words string) (all []string) {
	home := model.Metrics
	if tables := r.tables(); len(tables) == 1 {
		home = tables[0].ID
	}
	return r.work.suggest(home, strings.ReplaceAll(strings.ToLower(words), " ", "_"))
}

// owners are the sources that have a public column of a name.
func (l *lexicon) owners(name string) (all []*model.Source) {
	for _, it := range l.find(name) {
		if it.kind != aDimension || !l.usable(it) {
			continue
		}
		if s := l.m.Source(it.source); dimension(s, name) != nil && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// nearSources are the sources whose name has a word of a phrase, as candidates.
func (l *lexicon) nearSources(phrase string) (all []string) {
	key := text.Key(phrase[strings.LastIndexByte(phrase, '.')+1:])
	for s := range l.m.Outlines() {
		own := text.Key(s.Name)
		if key != "" && (strings.Contains(own, key) || strings.Contains(key, own)) && usable(s) {
			all = append(all, s.Identity)
		}
	}
	return all
}

// references are the columns of other sources that are called after a source, as
// customer_id is after customer.
func (r *formula) references(s *model.Source) (all []string) {
	for _, suffix := range []string{"_id", "_key", "_no", "_nr"} {
		for _, it := range r.work.lexicon.find(singular(s.Name) + suffix) {
			if owner := r.work.v.Model.Source(it.source); it.kind == aDimension && owner.ID != s.ID && r.work.lexicon.usable(it) {
				all = append(all, member(owner, it.name))
			}
		}
	}
	return all
}

// singular is a name without the s of several.
func singular(name string) string {
	if text.Key(strings.TrimSuffix(name, "s")) == text.Key(name) {
		return strings.TrimSuffix(name, "s")
	}
	return name
}

// bind replaces the names of an expression by the columns of a source that they mean.
func (w *work) bind(s *model.Source, tree expression.Node, quote string) (bound expression.Node, used []*model.Dimension, question *Question) {
	bound, err := expression.Substitute(tree, func(n *expression.Name) (expression.Node, error) {
		if question != nil {
			return nil, nil
		}
		last := len(n.Parts) - 1
		if last > 0 && !among(w.lexicon.sources(strings.Join(n.Parts[:last], ".")), s) {
			question = ask(JoinNeeded, quote, "%s is no column of %s: a measure is over one table. Define a measure of each table first, then calculate with the two.", n, s.Identity).with(identities([]*model.Source{s})...)
			return nil, nil
		}
		d := dimension(s, n.Parts[last])
		if d == nil {
			r := &formula{work: w, quote: quote}
			question = r.unknown(n, []*model.Source{s})
			return nil, nil
		}
		used = append(used, d)
		return named(d), nil
	})
	if err != nil {
		panic(err) // the change above has none
	}
	return bound, used, question
}

// sensible refuses what computes and means nothing: the sum of an identifier, of a text; or holds for one period.
func (r *formula) sensible(s *model.Source, tree expression.Node, used []*model.Dimension) *Question {
	if n := fixedPeriod(s, tree); n != nil {
		return periodic(r.quote, expression.String(n))
	}
	if _, err := expression.Check(tree, typesOf(s)); err != nil {
		return ask(NotAnAggregate, r.quote, "“%s” cannot be computed: %s.", expression.String(tree), sdk.AsError(err, sdk.SourceCaller).Msg)
	}
	var question *Question
	expression.Walk(tree, func(n expression.Node) bool {
		a, ok := n.(*expression.Aggregate)
		if ok && a.Function == expression.Count && conditional(a.X) {
			question = r.counted(a)
			return false
		}
		if !ok || a.X == nil || a.Function != expression.Sum && a.Function != expression.Avg && a.Function != expression.Median {
			return true
		}
		for _, name := range expression.Names(a.X) {
			if d := dimension(s, name.Parts[0]); d != nil && isIdentifier(s, d) {
				question = ask(TwoReadings, r.quote, "%s tells rows apart: is the number of its values meant?", member(s, d.Name)).
					with(r.work.about.subject + " = count_distinct(" + d.Name + ") in " + s.Identity)
			}
		}
		return true
	})
	return question
}

// conditional reports whether an expression is a comparison, which is true or false and so counts every row in which it is known.
func conditional(x expression.Node) bool {
	switch x := x.(type) {
	case *expression.Binary:
		switch x.Op {
		case expression.Equal, expression.NotEqual, expression.Distinct, expression.NotDistinct, expression.Less, expression.LessEqual, expression.Greater, expression.GreaterEqual:
			return true
		}
	case *expression.Logic, *expression.IsNull, *expression.Between, *expression.In, *expression.Match:
		return true
	}
	return false
}

// counted asks whether a count of a comparison means the rows in which it is true.
func (r *formula) counted(a *expression.Aggregate) *Question {
	condition := expression.String(a.X)
	q := ask(TwoReadings, r.quote, "count(%s) counts the rows in which it is false, too. Are those meant in which it is true?", condition)
	f := *r.f
	f.Expr = countOf().ReplaceAllString(f.Expr, "count(CASE WHEN $1 THEN 1 END)")
	return q.with(r.work.about.subject + " = " + f.String())
}

// countOf is a count of a comparison.
var countOf = text.Pattern(`(?i)\bcount\(([^()]+(?:=|<|>| is | in | between | like )[^()]*)\)`)

// isIdentifier reports whether the values of a column only tell things apart.
func isIdentifier(s *model.Source, d *model.Dimension) bool {
	name := strings.ToLower(d.Name)
	return name == "id" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_key") ||
		slices.ContainsFunc(s.Grain, func(f model.Field) bool { return f.Dimension == d.ID && d.ID != 0 })
}

// overMeasures resolves a calculation over measures that there are.
func (r *formula) overMeasures(tree expression.Node, names []*expression.Name) (*definition, *Question) {
	homes := map[model.SourceID]bool{}
	meant := map[*expression.Name]*model.Measure{}
	for _, n := range names {
		m, q := r.measure(n)
		if q != nil {
			return nil, q
		}
		meant[n] = m
		homes[m.ID.Source()] = true
	}
	home := r.work.v.Model.Source(model.Metrics)
	if len(homes) == 1 {
		for id := range homes {
			home = r.work.v.Model.Source(id)
		}
	}
	bound, err := expression.Substitute(tree, func(n *expression.Name) (expression.Node, error) {
		m := meant[n]
		if m.ID.Source() == home.ID {
			return &expression.Name{Parts: []string{m.Name}}, nil
		}
		name, err := expression.ParseName(reference(r.work.v.Model.Source(m.ID.Source()), m.Name))
		return name, err
	})
	if err != nil {
		return nil, ask(UnknownName, r.quote, "A name of “%s” cannot be written.", r.f.Expr)
	}
	if _, single := tree.(*expression.Name); single {
		return &definition{s: home, expr: bound}, nil
	}
	return &definition{s: home, expr: bound}, nil
}

// measure finds the one measure that a name outside an aggregate means.
func (r *formula) measure(n *expression.Name) (*model.Measure, *Question) {
	last := len(n.Parts) - 1
	name := n.Parts[last]
	var found []*model.Measure
	var columns []string
	sources := r.work.lexicon.owning(name)
	if last > 0 {
		sources = r.work.lexicon.sources(strings.Join(n.Parts[:last], "."))
	}
	for _, s := range sources {
		if m := measure(s, name); m != nil {
			found = append(found, m)
		}
		if dimension(s, name) != nil {
			columns = append(columns, member(s, name))
		}
	}
	switch {
	case len(found) == 1 && len(columns) == 0:
		return found[0], nil
	case len(found) == 0 && len(columns) > 0:
		return nil, r.notAggregated(n).with(columns...)
	case len(found) == 0:
		return nil, ask(UnknownName, r.quote, "There is no measure %s. Which one is meant?", n).on(n.String()).with(append(r.measuresOf(n), r.work.suggest(model.Metrics, n.Parts...)...)...)
	}
	q := ask(AmbiguousName, r.quote, "Which %s is meant?", n).on(n.String())
	for _, m := range found {
		q.with(reference(r.work.v.Model.Source(m.ID.Source()), m.Name))
	}
	return nil, q.with(columns...)
}

// measuresOf are measures of the sources that a name means in place of a measure, as "orders" in "orders / visits".
func (r *formula) measuresOf(n *expression.Name) (all []string) {
	for _, s := range r.work.lexicon.sources(n.String()) {
		for i := range s.Measures {
			if m := &s.Measures[i]; m.Name != "" && m.Visibility == model.Public && m.Broken == "" && len(all) < maxOffered {
				all = append(all, reference(s, m.Name))
			}
		}
	}
	return all
}

// maxOffered is how many measures a question offers.
const maxOffered = 5

// owning are the sources that have a measure or a column of a name.
func (l *lexicon) owning(name string) (all []*model.Source) {
	for _, it := range l.find(name) {
		if s := l.m.Source(it.source); (it.kind == aDimension || it.kind == aMeasure) && strings.EqualFold(it.name, name) && l.usable(it) && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}
