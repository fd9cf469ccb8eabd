package planner

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/text"
)

const (
	// maxTrials is how many answers of a text are tried, maxKnown how many names a question lists that are none.
	maxTrials = 120
	maxKnown  = 6
)

// topicOf is the formula that is read when a question comes up, and its name.
type topicOf struct {
	subject string
	f       *assertion.Formula
}

// answers are sentences that answer a question: told in place of the quote, each makes something and asks nothing. The
// hints of the question that are in none are listed in its text.
func (w *work) answers(q *Question) (sentences []string) {
	hints := q.Candidates
	if w.trial {
		return hints
	}
	var idle []string
	for _, hint := range append(slices.Clone(hints), "") { // a part left out comes last
		found := len(sentences)
		for _, s := range w.rewritten(q, hint) {
			if len(sentences) == maxCandidates {
				break
			}
			if !slices.Contains(sentences, s) && w.settles(q, s) {
				sentences = append(sentences, s)
			}
		}
		if hint != "" && len(sentences) == found && !strings.Contains(strings.Join(sentences, "\n"), hint) && !strings.Contains(hint, " = ") {
			idle = append(idle, hint)
		}
	}
	if len(sentences) == 0 {
		sentences = w.guesses(q)
	}
	switch {
	case len(sentences) > 0:
	case len(idle) == 0 && !strings.HasSuffix(q.Ask, "?") && !strings.Contains(q.Ask, " Say it as: "):
		q.Ask += " Write it again with names of this connection."
	case len(idle) > 0 && q.Code != JoinNeeded:
		q.Ask += " Write it with the one that is meant: " + strings.Join(idle[:min(len(idle), maxKnown)], ", ") + "."
	}
	return sentences
}

// nearest is how many tables are few enough that each of their columns may be meant.
const nearest = 3

// guesses are answers to a question about a formula that names nothing of its connection: the same calculation of each
// number of the tables that the text is about, with all of its conditions.
func (w *work) guesses(q *Question) (sentences []string) {
	f := w.about.f
	if f == nil || w.v.Model == nil || q.Code == NoConnection || f.Divisor != nil {
		return nil
	}
	sources := w.sourcesIn(q.Quote)
	if len(sources) == 0 {
		sources = w.mentioned()
	}
	if len(sources) == 0 {
		for s := range w.v.Model.Outlines() {
			if usable(s) {
				sources = append(sources, w.v.Model.Source(s.ID))
			}
			if len(sources) > nearest {
				return nil
			}
		}
	}
	if len(sources) == 0 || len(sources) > nearest {
		return nil
	}
	aggregates := []string{f.Aggregate}
	if f.Aggregate == "" {
		aggregates = []string{string(expression.Sum), string(expression.Avg)}
	}
	for _, s := range sources {
		for _, aggregate := range aggregates {
			for _, by := range w.numbers(s, aggregate) {
				made := &assertion.Formula{Aggregate: aggregate, Of: by, Table: s.Identity, Where: f.Where}
				sentence := w.about.subject + " = " + made.String()
				if len(sentences) < maxCandidates && w.settles(q, sentence) {
					sentences = append(sentences, sentence)
				}
			}
		}
	}
	return sentences
}

// numbers are the columns of a source that an aggregate may be of; "" = its rows.
func (w *work) numbers(s *model.Source, aggregate string) (all []string) {
	if aggregate == string(expression.Count) {
		return []string{""}
	}
	for i := range s.Dimensions {
		d := &s.Dimensions[i]
		if d.Visibility != model.Public || d.Broken != "" || isPeriod(d) || isIdentifier(s, d) != (aggregate == string(expression.CountDistinct)) {
			continue
		}
		if aggregate == string(expression.CountDistinct) || d.Type == model.Number {
			all = append(all, d.Name)
		}
	}
	return all
}

// settles reports whether a sentence alone makes a change, or is known, and asks nothing; or asks only about parts of the
// formula that the question left alone. So each answer leaves fewer parts to ask about.
func (w *work) settles(q *Question, sentence string) bool {
	if w.trials++; w.trials > maxTrials || w.ended() != nil {
		return false
	}
	in := w.in
	in.Text, in.Asked, in.Extracts = sentence, true, nil
	t := newWork(in, w.origin)
	t.trial, t.shapes = true, w.shapes
	if t.run() != nil || t.plan.Skipped != "" {
		return false
	}
	for _, next := range t.plan.Questions {
		if w.about.f == nil || next.about == "" || next.about == q.about || next.Ask == q.Ask || !strings.Contains(w.about.f.String(), next.about) || q.about == "" {
			return false
		}
	}
	return len(t.plan.Questions)+len(t.plan.Changes)+len(t.plan.Notes) > 0
}

// rewritten are the sentences that a hint may stand for, the best first; the hint "" is for answers that need none.
func (w *work) rewritten(q *Question, hint string) (all []string) {
	if w.about.f == nil {
		switch {
		case hint == "":
		case q.about != "" && strings.Contains(q.Quote, q.about):
			all = append(all, strings.Replace(q.Quote, q.about, hint, 1))
		}
		if strings.Contains(hint, " ") {
			all = append(all, hint)
		}
		return all
	}
	for _, f := range w.alternatives(q, hint) {
		all = append(all, w.about.subject+" = "+f.String())
	}
	if name := identifier(q.name); hint == "" && name != "" && name != identifier(w.about.subject) {
		all = append([]string{name + " = " + w.about.f.String()}, all...)
	}
	if strings.Contains(hint, " ") { // a sentence
		all = append(all, hint)
	}
	return all
}

// alternatives are the formulas that a hint makes of the one that is asked about.
func (w *work) alternatives(q *Question, hint string) (all []*assertion.Formula) {
	edited := func(edit func(*assertion.Formula)) {
		f := w.about.f.Clone()
		edit(f)
		all = append(all, f)
	}
	if hint == "" {
		return w.shortened(q)
	}
	if i := conditionAt(w.about.f, q.about); i >= 0 {
		for _, text := range w.conditions(q, w.about.f.Where[i].Text, hint) {
			if conditionAt(w.about.f, text) < 0 {
				edited(func(f *assertion.Formula) { f.Where[i].Text = text })
			}
		}
		return all
	}
	if len(w.lexicon.sources(hint)) == 1 {
		edited(func(f *assertion.Formula) {
			f.Table = hint
			if f.Aggregate == string(expression.Count) {
				f.Of = ""
			}
		})
		if len(w.about.f.Of) > 0 && w.about.f.Aggregate == string(expression.Count) {
			return all
		}
	}
	if q.about != "" && strings.Contains(hint, ".") && w.about.f.Aggregate == string(expression.Count) {
		edited(func(f *assertion.Formula) { f.Aggregate, f.Of = string(expression.CountDistinct), hint })
	}
	edited(func(f *assertion.Formula) { f.Substitute(q.about, hint) })
	return all
}

// shortened are formulas without what is asked about: a condition, "per …", a unit.
func (w *work) shortened(q *Question) (all []*assertion.Formula) {
	f := w.about.f.Clone()
	switch i := conditionAt(f, q.about); {
	case q.Code == PeriodInFilter && i < 0 && q.about == "":
		all = append(all, f)
	case q.Code == PeriodInFilter && i >= 0:
		f.Where = slices.DeleteFunc(f.Where, func(c assertion.Condition) bool { return c.Text == q.about || timeLike().MatchString(c.Text) })
		all = append(all, f)
	case i >= 0:
		f.Where = slices.Delete(f.Where, i, i+1)
		all = append(all, f)
	case q.about != "" && q.about == f.Per:
		f.Per = ""
		all = append(all, f)
		for _, entity := range []string{q.about, q.about + "_id"} {
			if by := f.Clone(); by.Divisor == nil && additive().MatchString(by.Call()) {
				by.Expr, by.Aggregate, by.Of = by.Call()+" / count_distinct("+strings.ReplaceAll(entity, " ", "_")+")", "", ""
				all = append(all, by)
			}
		}
	case q.about != "" && q.about == f.Unit:
		f.Unit = ""
		all = append(all, f)
		if by := f.Clone(); currency().MatchString(q.about) && expressionLike(by.Call()) {
			by.Expr, by.Aggregate, by.Of = by.Call()+" / 100", "", ""
			all = append(all, by)
		}
	case q.name != "":
		all = append(all, f)
		if q.word != "" {
			for _, excluded := range []bool{false, true} {
				by := f.Clone()
				by.Where = append(by.Where, assertion.Condition{Text: q.word, Excluded: excluded})
				all = append(all, by)
			}
		}
	}
	return all
}

// additive is a total, which may be divided by a number of things.
var additive = text.Pattern(`(?i)^(?:sum\([^()]*\)|count\(\*\))$`)

func expressionLike(call string) bool {
	tree, err := expression.Parse(call)
	return err == nil && expression.ClassOf(tree) != expression.Scalar
}

// conditions are the texts that a hint makes of a condition: a comparison, a value of a column, each value of a column.
func (w *work) conditions(q *Question, condition, hint string) (all []string) {
	if q.value != "" && strings.Contains(condition, q.value) {
		return []string{strings.Replace(condition, q.value, hint, 1)}
	}
	if at := strings.LastIndexByte(hint, '.'); at > 0 && !strings.ContainsAny(hint, " =(") {
		if found := w.lexicon.sources(hint[:at]); len(found) == 1 {
			if d := dimension(found[0], hint[at+1:]); d != nil && !isIdentifier(found[0], d) && aboutColumn(found[0], d, condition) {
				known, whole := w.values(found[0], d)
				if !whole || len(known) > maxCandidates {
					return nil
				}
				for _, value := range known {
					all = append(all, expression.String(equals(d, value)))
				}
			}
		}
		return all
	}
	return []string{hint}
}

// timeLike is a condition that may be about a time.
var timeLike = text.Pattern(`\d{4}-\d{2}|(?i)(?:_at|_on|date|_ts)\b`)

// aboutColumn reports whether a condition names a column, or none of the source.
func aboutColumn(s *model.Source, d *model.Dimension, condition string) bool {
	said := strings.FieldsFunc(strings.ToLower(condition), func(r rune) bool { return strings.ContainsRune(" .=<>`'\"(),", r) })
	names := slices.DeleteFunc(said, func(word string) bool { return dimension(s, word) == nil })
	return len(names) == 0 || slices.Contains(names, strings.ToLower(d.Name))
}

// conditionAt is the place of a condition in a formula; -1 = it is none of its conditions.
func conditionAt(f *assertion.Formula, text string) int {
	return slices.IndexFunc(f.Where, func(c assertion.Condition) bool { return text != "" && c.Text == text })
}
