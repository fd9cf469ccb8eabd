package planner

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/snippet"
)

const (
	// shortest is how many letters a text without any signal must have to be kept.
	shortest   = 40
	maxChanges = 100
)

// work is one text on its way to a plan.
type work struct {
	in      Input
	v       View
	doc     *assertion.Document
	lexicon *lexicon
	plan    *Plan
	offers  map[string]offered
	// contest are the quotes of formulas that somebody is asked about, by name.
	contest map[string]string
	found   reading
	// shapes are those of the measures that were compiled.
	shapes map[string]bool
	// groups are how measures of a form are grouped by the dimensions of their source, by source and form.
	groups map[string]coverage
	// files are the learned files as the model has them, by their path; later is what the text adds to them.
	files map[string]*model.File
	later []addition
	// paths are the learned files of sources.
	paths map[model.SourceID]string
	shelf shelf
	// format of a text that is a pasted definition as a whole, "" = it is none.
	format snippet.Format
	// twins are the measures that stand for those of the text that compute the same.
	twins map[string]string
	seen  map[string]bool // the signatures of what is proposed
	// first is the measure of a section that had a name first.
	first map[sectioned]string
	// taken are the places of proposals that were taken back.
	taken map[int]bool
	// silent are the statements whose content the semantic layer has, or gets, so that no page
	// repeats them.
	silent map[int]bool
	// halfway: the measure of the statement that is read was made of it, so that its page may be missing.
	halfway bool
	// about is what is read. origin is the view as it was given. trial: an answer is tried, so that nothing is asked and no
	// page is made of it; trials counts them.
	about  topicOf
	origin View
	trial  bool
	trials int
	// beyond counts the statements that came after the limit of changes.
	beyond int
}

// reading is what parts of the text were found to name, by the part.
type reading struct {
	mentions map[string][]mention
	sources  map[string][]model.SourceID
}

// Make plans what a text becomes: what is certain as proposals, the rest as questions and text.
// The same arguments give the same plan.
// Errors: those of the view's functions.
func Make(in Input, v View) (*Plan, error) {
	w := newWork(in, v)
	if err := w.run(); err != nil {
		return nil, err
	}
	return w.plan, nil
}

func newWork(in Input, v View) *work {
	return &work{in: in, v: v, origin: v, lexicon: lexiconOf(v.Model), plan: &Plan{}, offers: map[string]offered{}, contest: map[string]string{}, found: reading{map[string][]mention{}, map[string][]model.SourceID{}}, shapes: map[string]bool{}, groups: map[string]coverage{}, files: map[string]*model.File{}, paths: map[model.SourceID]string{}, taken: map[int]bool{}, twins: map[string]string{}, seen: map[string]bool{}, first: map[sectioned]string{}, silent: map[int]bool{}}
}

// run fills the plan.
func (w *work) run() error {
	w.doc = assertion.Read(fenced(w.in.Text), assertion.Options{Asked: w.in.Asked, Known: w.lexicon.knows, Lexicon: w.names(), Extracts: w.in.Extracts})
	w.plan.Signals, w.plan.Notes = w.doc.Signals, slices.Clone(w.doc.Notes)
	if s := &w.doc.Signals; !s.Knowledge && !s.SL && s.Dialect == "" && utf8.RuneCountInString(strings.TrimSpace(w.doc.Text)) < shortest && !tells().MatchString(w.doc.Text) && !w.instructed() {
		w.plan.Skipped = "nothing to remember"
		return nil
	}
	if w.doc.Chatter && !w.instructed() && !w.doc.Signals.SL {
		w.plan.Skipped = "nothing to remember"
		return nil
	}
	if w.nameless() {
		return nil
	}
	if w.format = w.whole(); w.format != "" {
		w.doc.Statements = nil // its keys read like definitions
	}
	for i := range w.doc.Statements {
		if err := w.ended(); err != nil {
			return err
		}
		before := len(w.plan.Changes) + len(w.plan.Questions) + len(w.plan.Notes)
		st := &w.doc.Statements[i]
		if w.aside(st) {
			continue
		}
		if len(w.plan.Changes) >= maxChanges {
			w.beyond++
			continue
		}
		w.halfway = false
		w.statement(st)
		w.silent[i] = !w.halfway && w.repeats(st, before)
	}
	if err := w.fences(); err != nil {
		return err
	}
	w.contested()
	for _, n := range w.doc.Nameless {
		quote := w.quote(n.Span)
		if q := w.unready(quote); q != nil {
			w.ask(q)
			break
		}
		w.ask(ask(UnknownName, quote, "What is this number called? Say it as: name = %s.", n.Calculation))
	}
	if !w.trial {
		if err := w.pages(); err != nil {
			return err
		}
	}
	w.finish()
	// A compilation that ended too early says nothing of its measure.
	return w.ended()
}

func (w *work) ended() error {
	if w.v.Ended == nil {
		return nil
	}
	return w.v.Ended()
}

// statement proposes what a statement is to the semantic layer.
func (w *work) statement(st *assertion.Statement) {
	switch st.Attribute {
	case assertion.FormulaOf:
		w.formula(st)
	case assertion.Unit:
		w.unit(st)
	case assertion.ValueLabel:
		w.label(st)
	case assertion.Relation:
		w.relation(st)
	case assertion.Filter:
		w.rule(st)
	case assertion.Synonym:
		w.also(st)
	case assertion.Definition:
		w.columnMeaning(st)
	}
}

// repeats reports whether a page would say no more than the semantic layer does: of joins,
// synonyms and formulas that it has already, or that contradict it.
func (w *work) repeats(st *assertion.Statement, before int) bool {
	switch st.Attribute {
	case assertion.Relation, assertion.Synonym:
		return len(w.plan.Changes)+len(w.plan.Questions)+len(w.plan.Notes) > before
	case assertion.FormulaOf:
		if len(w.plan.Changes) == 0 || len(w.plan.Changes)+len(w.plan.Questions)+len(w.plan.Notes) == before {
			return len(w.plan.Changes)+len(w.plan.Questions)+len(w.plan.Notes) > before && len(w.plan.Questions) == 0
		}
		last := &w.plan.Changes[len(w.plan.Changes)-1]
		return last.QuoteAt == st.From && (last.Kind == change.Synonyms || slices.Contains(last.Why, change.WhyConflict))
	}
	return false
}

// aside reports whether a statement is in a block that reads like an instruction.
func (w *work) aside(st *assertion.Statement) bool {
	for _, b := range w.doc.Sections[st.Section].Blocks {
		if b.From <= st.From && st.From < b.To {
			return b.Instruction
		}
	}
	return false
}

// instructed reports whether any block reads like an instruction.
func (w *work) instructed() bool {
	return slices.ContainsFunc(w.doc.Sections, func(s assertion.Section) bool {
		return slices.ContainsFunc(s.Blocks, func(b assertion.Block) bool { return b.Instruction })
	})
}

// finish drops what was taken back and counts what is beyond the limit.
func (w *work) finish() {
	kept := w.plan.Changes[:0]
	for i := range w.plan.Changes {
		if !w.taken[i] {
			kept = append(kept, w.plan.Changes[i])
		}
	}
	w.plan.Changes = kept
	if beyond := w.beyond + max(len(kept)-maxChanges, 0); beyond > 0 {
		w.plan.Changes = kept[:min(len(kept), maxChanges)]
		w.plan.Notes = noted(w.plan.Notes, "%d further changes are left out: a text makes at most %d; split it", beyond, maxChanges)
	}
}

func (w *work) ask(q *Question) {
	q.Candidates = w.answers(q)
	if !slices.ContainsFunc(w.plan.Questions, func(o Question) bool { return o.Quote == q.Quote && o.Code == q.Code && o.Ask == q.Ask }) {
		w.plan.Questions = append(w.plan.Questions, *q)
	}
}

// quote is a part of the text, as questions and changes repeat it.
func (w *work) quote(at assertion.Span) string {
	if at.From < 0 || at.To > len(w.doc.Text) || at.From > at.To {
		return ""
	}
	return shorten(strings.Join(strings.Fields(w.doc.Text[at.From:at.To]), " "), maxQuote)
}

// source names who says it, "" = whoever sent it.
func (w *work) source() string {
	if w.doc.Source != "" {
		return w.doc.Source
	}
	return w.in.Source
}
