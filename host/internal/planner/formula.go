package planner

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// definition is a measure as a sentence or a block of SQL defines it, resolved.
type definition struct {
	name, label string
	s           *model.Source // model.Metrics' for a calculation over several sources
	// Agg with X, nil for a count of rows; or the whole calculation as Expr.
	agg    expression.AggregateFunction
	x      expression.Node
	expr   expression.Node
	filter string
	notes  []string
}

// formula is a calculation on its way to a definition.
type formula struct {
	work  *work
	f     *assertion.Formula
	quote string
	// scope are the sources that the sentence, its heading or its page is about.
	scope []*model.Source
	// resembled: only the name of the measure names the scope, which is no choice between tables with the same column.
	resembled bool
}

var countWords = text.Pattern(`(?i)^(?:(?:distinct|unique|different|verschiedene[nr]?|eindeutige[nr]?)\s+)`)

// define resolves a formula to a definition, or says what is not certain.
func (r *formula) define(subject string) (*definition, *Question) {
	f, quote := r.f, r.quote
	resolve := r.calculation
	if f.Divisor != nil {
		resolve = r.quotient
	}
	d, q := resolve()
	if q != nil {
		return nil, q
	}
	if d.name = identifier(subject); d.name == "" {
		q := ask(UnknownName, quote, "“%s” cannot be the name of a measure: which name of the letters a to z, digits and _ should it have?", subject)
		if q.name = identifier(f.Call()); f.Call() == "count(*)" {
			q.name = identifier("number of " + d.s.Name)
		}
		return nil, q
	}
	if d.label = strings.TrimSpace(trimCode(subject)); d.label == d.name {
		d.label = ""
	}
	if per := strings.TrimSpace(f.Per); per != "" && !isGrain(per) {
		return nil, ask(TwoReadings, quote, "Is “per %s” a grouping of the query, or is the value divided by the number of them?", per).
			on(per)
	}
	if d.s.ID == model.Metrics && len(f.Where) > 0 {
		return nil, ask(JoinNeeded, quote, "A calculation over measures takes no condition: name a measure with the condition for each side first.").on(f.Where[0].Text)
	}
	if q := r.unit(d); q != nil {
		return nil, q
	}
	where, q := r.filter(d.s)
	if q != nil {
		return nil, q
	}
	d.filter, d.notes = where.expr(), append(d.notes, where.notes...)
	return d, nil
}

// filter resolves the conditions of the formula on the rows of a source.
func (r *formula) filter(s *model.Source) (*filter, *Question) {
	where := &filter{work: r.work, s: s, quote: r.quote, equal: map[string]string{}}
	for _, c := range r.conditions() {
		if q := where.add(c); q != nil {
			return nil, q
		}
	}
	return where, nil
}

// conditions are those of the sentence, and what stands before the table in "number of
// paid orders".
func (r *formula) conditions() []assertion.Condition { return r.f.Where }

var grains = []string{"day", "week", "month", "quarter", "year", "hour", "tag", "woche", "monat", "quartal", "jahr", "stunde"}

// isPer reports whether a qualifier says per what.
func isPer(q string) bool {
	first, _, _ := strings.Cut(strings.ToLower(q), " ")
	return first == "per" || first == "pro" || first == "je"
}

func isGrain(per string) bool {
	per = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(strings.ToLower(per), "calendar ")))
	return slices.Contains(grains, per) || slices.Contains(grains, strings.TrimSuffix(per, "s"))
}

// calculation resolves what is computed.
func (r *formula) calculation() (*definition, *Question) {
	if r.f.Expr != "" {
		tree, err := parsed(r.f.Expr)
		if err != nil {
			return nil, ask(NotAnAggregate, r.quote, "“%s” cannot be read as an expression (%s). Write it with names of columns: sum(a) / count(*).", r.f.Expr, sdk.AsError(err, sdk.SourceCaller).Msg)
		}
		return r.whole(r.countRows(tree))
	}
	of := strings.TrimSpace(trimCode(r.f.Of))
	switch agg := expression.AggregateFunction(r.f.Aggregate); agg {
	case expression.Count:
		return r.count(of)
	case expression.Sum, expression.Avg, expression.Median, expression.Min, expression.Max, expression.CountDistinct:
		return r.aggregate(agg, of)
	}
	return nil, ask(NotAnAggregate, r.quote, "Which aggregate of which column is meant? Write it as sum(column) where condition.")
}

// whole resolves a calculation that is written as one expression.
func (r *formula) whole(tree expression.Node) (*definition, *Question) {
	var columns, measures []*expression.Name
	expression.Walk(tree, func(n expression.Node) bool {
		switch n := n.(type) {
		case *expression.Aggregate:
			columns = append(columns, expression.Names(n)...)
			return false
		case *expression.Name:
			measures = append(measures, n)
		}
		return true
	})
	switch class := expression.ClassOf(tree); {
	case class == expression.Constant:
		return nil, ask(NotAnAggregate, r.quote, "“%s” is a constant. Which aggregate of which column is meant?", r.f.Expr)
	case len(measures) > 0:
		if len(columns) > 0 || class == expression.Mixed {
			return nil, r.notAggregated(measures[0])
		}
		return r.overMeasures(tree, measures)
	}
	s, q := r.source(columns)
	if q != nil {
		return nil, q
	}
	bound, used, q := r.work.bind(s, tree, r.quote)
	if q != nil {
		return nil, q
	}
	values := &filter{work: r.work, s: s, quote: r.quote}
	if bound, q = values.spelled(bound); q != nil {
		return nil, q
	}
	if q := r.sensible(s, bound, used); q != nil {
		return nil, q
	}
	if a, ok := bound.(*expression.Aggregate); ok && a.Parameter == nil {
		return &definition{s: s, agg: a.Function, x: a.X}, nil
	}
	return &definition{s: s, expr: bound}, nil
}

func (r *formula) notAggregated(n *expression.Name) *Question {
	return ask(NotAnAggregate, r.quote, "%s stands outside an aggregate: which one is meant, sum, avg, min, max or count?", n).on(n.String()).
		with("sum("+n.String()+")", "avg("+n.String()+")")
}

// aggregate resolves an aggregate of a column, or of an expression of columns.
func (r *formula) aggregate(agg expression.AggregateFunction, of string) (*definition, *Question) {
	of = r.cutTable(countWords().ReplaceAllString(stripArticle(of), ""))
	tree, err := parsed(of)
	if err != nil {
		if tree = r.phrase(of); tree == nil {
			return nil, ask(UnknownName, r.quote, "Which column is “%s”?", of).on(of).with(r.near(of)...)
		}
	}
	if _, entity := tree.(*expression.Name); entity && agg == expression.CountDistinct && r.f.Table == "" && !strings.ContainsAny(of, "._`") && len(r.work.lexicon.sources(of)) > 0 {
		return nil, r.entities(of)
	}
	if class := expression.ClassOf(tree); class != expression.Scalar {
		return nil, ask(NotAnAggregate, r.quote, "The %s of “%s” cannot be computed: name a column.", agg, of)
	}
	s, q := r.source(expression.Names(tree))
	if q != nil {
		if named := r.phrase(of); named == nil {
			return nil, q
		} else if s, q = r.source(expression.Names(named)); q != nil {
			return nil, q
		} else {
			tree = named
		}
	}
	bound, used, q := r.work.bind(s, tree, r.quote)
	if q != nil {
		return nil, q
	}
	whole := &expression.Aggregate{Function: agg, X: bound}
	if q := r.sensible(s, whole, used); q != nil {
		return nil, q
	}
	return &definition{s: s, agg: agg, x: bound}, nil
}

var ofTable = text.Pattern(`(?i)^(.+?) (?:of|von|der|des) (.+)$`)

// cutTable returns a column without the table behind it, "total of invoice", which becomes the table of
// the formula.
func (r *formula) cutTable(of string) string {
	m := ofTable().FindStringSubmatch(of)
	if m == nil || r.f.Table != "" || len(r.work.lexicon.sources(stripTable(m[2]))) != 1 {
		return of
	}
	f := *r.f
	f.Table, r.f = m[2], &f
	return m[1]
}

// countRows makes count(table) the count of the table's rows, which becomes the table of the formula.
func (r *formula) countRows(tree expression.Node) expression.Node {
	f := *r.f
	changed, err := expression.Transform(tree, func(n expression.Node) (expression.Node, error) {
		a, ok := n.(*expression.Aggregate)
		if !ok || a.Function != expression.Count {
			return n, nil
		}
		name, ok := a.X.(*expression.Name)
		if !ok || len(r.work.lexicon.owners(name.Parts[len(name.Parts)-1])) > 0 || len(r.work.lexicon.sources(name.String())) != 1 || f.Table != "" && !strings.EqualFold(f.Table, name.String()) {
			return n, nil
		}
		f.Table = name.String()
		rows := *a
		rows.X = nil
		return &rows, nil
	})
	if err != nil {
		return tree
	}
	r.f = &f
	return changed
}

// phrase finds the one column that words name by its label or a synonym, within the
// sources of the sentence.
func (r *formula) phrase(words string) expression.Node {
	var found []expression.Node
	for _, s := range r.tables() {
		for _, d := range r.work.lexicon.dimensionsCalled(s, words) {
			found = append(found, named(d))
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// count resolves a count: of the rows of a source by its name, of the values of a column.
func (r *formula) count(of string) (*definition, *Question) {
	of = stripArticle(of)
	if of == "" || of == "*" || of == "1" || isRows(of) {
		tables := r.tables()
		if len(tables) != 1 {
			return nil, ask(UnknownName, r.quote, "The rows of which table are counted?").with(identities(tables)...)
		}
		return &definition{s: tables[0], agg: expression.Count}, nil
	}
	if sources := r.work.lexicon.sources(of); len(sources) > 0 {
		return r.rows(of, sources)
	}
	if at := strings.LastIndexByte(of, ' '); at > 0 {
		if sources := r.work.lexicon.sources(of[at+1:]); len(sources) > 0 {
			d, q := r.rows(of[at+1:], sources)
			if q == nil {
				f := *r.f
				f.Where = append(slices.Clip(f.Where), assertion.Condition{Text: of[:at]})
				r.f = &f
			}
			return d, q
		}
	}
	tree, err := expression.ParseName(of)
	if err != nil {
		return nil, ask(UnknownName, r.quote, "What is counted: the rows of which table, or which column is “%s”?", of).on(of).with(r.near(of)...)
	}
	s, q := r.source([]*expression.Name{tree})
	if q != nil {
		return nil, q
	}
	if dimension(s, tree.Parts[len(tree.Parts)-1]) == nil {
		return nil, ask(UnknownName, r.quote, "What is counted: the rows of %s, or which column is “%s”?", s.Identity, of).on(of).with(s.Identity).with(r.near(of)...)
	}
	return nil, ask(TwoReadings, r.quote, "Are the rows with a value of %s counted, or its distinct values?", tree).
		with(r.work.about.subject+" = count("+tree.String()+") in "+s.Identity, r.work.about.subject+" = count_distinct("+tree.String()+") in "+s.Identity)
}

// rows is the count of the rows of a source that a sentence names.
func (r *formula) rows(of string, sources []*model.Source) (*definition, *Question) {
	if r.f.Table != "" {
		tables, q := r.table()
		if q != nil {
			return nil, q
		}
		if !among(sources, tables) {
			return nil, r.entities(of)
		}
		return &definition{s: tables, agg: expression.Count}, nil
	}
	if len(sources) > 1 {
		return nil, ask(AmbiguousName, r.quote, "Which table is “%s”?", of).on(of).with(identities(sources)...)
	}
	if len(r.references(sources[0])) > 0 && !strings.Contains(of, ".") && !r.own(sources[0]) && !r.named(of, sources[0]) {
		return nil, r.entities(of)
	}
	return &definition{s: sources[0], agg: expression.Count}, nil
}

// own reports whether a condition compares a column that no other source has: it cannot be about
// rows that refer to the source.
func (r *formula) own(s *model.Source) bool {
	only := func(column string) bool {
		owners := r.work.lexicon.owners(column)
		return len(owners) == 1 && owners[0].ID == s.ID
	}
	for _, c := range r.conditions() {
		if !comparison().MatchString(c.Text) { // "segment is business"
			if column, _, says := strings.Cut(relative().ReplaceAllString(strings.ReplaceAll(c.Text, "`", ""), ""), " "); says && only(column) {
				return true
			}
			continue
		}
		tree, err := parsed(c.Text)
		if err != nil {
			continue
		}
		for _, n := range expression.Names(tree) {
			if only(n.Parts[len(n.Parts)-1]) {
				return true
			}
		}
	}
	return false
}

// named reports whether a source is written by its name, and all conditions are about its columns.
func (r *formula) named(of string, s *model.Source) bool {
	if !strings.EqualFold(of, s.Name) || len(r.conditions()) == 0 {
		return false
	}
	_, q := r.filter(s)
	return q == nil
}

// entities asks which of the places that an entity is in are counted: the rows of its own table, or
// the values of a column that refers to it.
func (r *formula) entities(of string) *Question {
	q := ask(TwoReadings, r.quote, "Which %s are counted: the rows of a table, or the distinct values of a column?", of).on(of)
	for _, s := range r.work.lexicon.sources(of) {
		q.with(r.references(s)...)
	}
	return q.with(identities(r.work.lexicon.sources(of))...)
}
