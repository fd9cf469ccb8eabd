package assemble

import (
	"context"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/tokens"
	"github.com/loam-data/loam/sdk"
)

// domainShare is the divisor of the budget that is reserved for the domain, the glossary and the approved queries.
// What either of them and the tables leaves over is the other's. noteShare is the divisor of the notes.
const (
	domainShare = 5
	noteShare   = 2
)

// Context says what a project is about, in at most the budget of the request.
// Shape: a table is listed whole or not at all. Only a table that alone exceeds the budget loses, in this order, values
// of columns, descriptions of columns, columns that are part of no key, relationships. Every table is listed once when
// NextCursor is followed to the end.
// Errors: KindInvalid for a value out of its bounds, for no connection where there are several and the depth is not
// Domain, for an ambiguous table and for a cursor of other arguments or another state; KindNotFound for a connection
// or table that does not exist; KindLimit for a table whose names alone exceed the budget; those of the index and of
// reading the snapshot.
func (s *Service) Context(ctx context.Context, r ContextRequest) (*ContextAnswer, error) {
	r, err := r.checked()
	if err != nil {
		return nil, err
	}
	return s.assemble(ctx, r, false)
}

// Glossary returns the words of a project alone: of the connection, or of all if there is none.
// Errors: KindNotFound for a connection that does not exist; those of the index.
func (s *Service) Glossary(ctx context.Context, id connection.ID) (*ContextAnswer, error) {
	return s.assemble(ctx, ContextRequest{Depth: Domain, Connection: id, Budget: glossaryBudget}, true)
}

func (s *Service) assemble(ctx context.Context, r ContextRequest, words bool) (*ContextAnswer, error) {
	state, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer state.Release()
	v, err := s.view(ctx, state, r)
	if err != nil {
		return nil, err
	}
	a := &ContextAnswer{Depth: r.Depth, HasOntology: v.hasOntology()}
	if a.OntologyStatus, a.ExtractionProgress, err = v.status(ctx); err != nil {
		return nil, err
	}
	first, err := v.basis.position(r.Cursor, len(v.order))
	if err != nil {
		return nil, err
	}
	w := writer{view: v, answer: a, first: first}
	w.account = newAccount(r.Budget - tokens.Estimate(encode(w.frame())))
	w.notes(v.notes)
	if first == 0 {
		if err := w.openDomain(ctx, words); err != nil {
			return nil, err
		}
	}
	if err := w.tables(ctx); err != nil {
		return nil, err
	}
	w.end()
	return a, nil
}

// writer writes one answer.
type writer struct {
	view    *view
	answer  *ContextAnswer
	account *account
	first   int // the position in the order of the first table
	next    int // the position after the last table
	domain  []*section
	summary *DomainSummary // what the sections of the domain fill
	left    int            // columns that tables of the answer lack
	dropped int            // relationships that they lack
	unsaid  bool           // a part of the description is left out
	shrunk  bool           // the first table lacks parts
}

// The notes about what is left out. They name no numbers: their room is kept free before anything is left out.
const (
	leftOutNote = "Areas, conventions or approved queries are left out: a larger budgetTokens has room for more."
	shrunkNote  = "The first table is shown in part: entity_details has all of it."
	notesNote   = "Notes are left out: a larger budgetTokens shows them."
)

// frame returns the answer without its lists, with numbers, notes and a cursor as long as they may get.
func (w *writer) frame() *ContextAnswer {
	f := *w.answer
	all := w.total()
	f.Omitted = all
	f.Tokens = Spent{w.view.request.Budget, w.view.request.Budget}
	f.Notes = []string{}
	cursor := w.view.basis.cursor(max(1, len(w.view.order)))
	f.NextCursor = &cursor
	if w.first == 0 {
		f.Omitted.Glossary = maxTerms
		f.Notes = append(f.Notes, leftOutNote)
	}
	if len(w.view.order) > 0 {
		f.Notes = append(f.Notes, shrunkNote)
	}
	return &f
}

// notes adds notes until their share of the budget is spent.
func (w *writer) notes(all []string) {
	s := sectionOf("notes", all, &w.answer.Notes)
	allowance := w.account.left
	if len(w.view.order) > 0 {
		allowance /= noteShare
	}
	last := w.account.cost("notes", notesNote)
	s.fill(w.account, allowance-last)
	if s.left() > 0 {
		w.account.spend("notes", last)
		w.answer.Notes = append(w.answer.Notes, notesNote)
	}
}

// end fills what is left of the budget, counts what is left out, and estimates the whole.
func (w *writer) end() {
	for _, s := range w.domain { // what tables leave over
		s.fill(w.account, w.account.left)
	}
	a := w.answer
	if d := w.summary; d != nil && (d.Description != "" || len(d.Areas)+len(d.Conventions) > 0) {
		a.Domain = d
	}
	a.Omitted = w.omitted()
	unsaid := false
	for _, s := range w.domain {
		if s.list == glossaryList {
			a.Omitted.Glossary = s.left()
		} else if s.left() > 0 {
			unsaid = true
		}
	}
	if unsaid || w.unsaid {
		a.Notes = append(a.Notes, leftOutNote)
	}
	if w.shrunk {
		a.Notes = append(a.Notes, shrunkNote)
	}
	if w.next < len(w.view.order) {
		cursor := w.view.basis.cursor(w.next)
		a.NextCursor = &cursor
	}
	a.Tokens = Spent{Budget: w.view.request.Budget, Estimated: w.view.request.Budget}
	for { // the number is a part of what it counts
		n := tokens.Estimate(encode(a))
		if n == a.Tokens.Estimated {
			return
		}
		a.Tokens.Estimated = n
	}
}

// status reports whether the asked connections were scanned, and how far a scan or import of one is.
func (v *view) status(ctx context.Context) (string, *Progress, error) {
	scanned := false
	for _, c := range v.connections {
		if v.service.Extracting != nil {
			if p, err := v.service.Extracting(ctx, c.ID); err != nil || p != nil {
				return statusExtracting, p, err
			}
		}
		scanned = scanned || v.state.Snapshots[c.ID] != nil
	}
	if !scanned {
		return statusNone, nil, nil
	}
	return statusComplete, nil, nil
}

// tooSmall is the error of a table whose smallest form exceeds a budget.
func tooSmall(budget, missing int) error {
	return sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "the names of one table alone exceed the budget of %d tokens", budget).
		WithHint("ask with budgetTokens %d", min(mostBudget, budget+missing))
}
