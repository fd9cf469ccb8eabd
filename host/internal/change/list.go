package change

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// Draft is the state by which a Filter chooses applied changes that nobody reviewed. Applied
// chooses the reviewed ones.
const Draft State = "draft"

// Shown returns the state for people: Draft for an applied change that nobody reviewed.
func (c *Change) Shown() State {
	if c.State == Applied && !c.Reviewed {
		return Draft
	}
	return c.State
}

// Filter chooses changes; a zero field chooses all.
type Filter struct {
	States                                        []State // as Shown
	Kind                                          Kind
	Connection, Target, Path, Run, Source, Undoes string
	// Connections, one of which the change is about; nil = any or none.
	Connections []string
	// By is the proposer's Actor.Name, NotBy are those of proposers whose changes are left out.
	By    string
	NotBy []string
	Since time.Time
	// Disputed chooses changes with conflicts.
	Disputed bool
	// Text chooses changes whose target or new value contains it.
	Text   string
	Limit  int    // 0 = all
	Cursor string // List.Next
}

// List is a page of changes, the latest first.
type List struct {
	Changes []Change
	Next    string // "" = there are no more
	Total   int    // on all pages; -1 = not counted, for a text is looked for
	Hidden  int    // that NotBy left out; -1 = not counted
}

// stored is the filter of the store that chooses the same.
func (f *Filter) stored() store.MemoryFilter {
	chosen := store.MemoryFilter{
		Kind: string(f.Kind), Connection: f.Connection, Connections: f.Connections, Source: f.Source, Actor: f.By, NotActors: f.NotBy, Since: f.Since,
		Run: f.Run, Path: f.Path, Target: f.Target, Undoes: f.Undoes, Disputed: f.Disputed, Text: f.Text,
	}
	for _, s := range f.States {
		chosen.States = append(chosen.States, string(s))
	}
	return chosen
}

// List lists changes. Errors: KindInvalid (cursor).
func (e *Engine) List(ctx context.Context, f Filter) (*List, error) {
	chosen := f.stored()
	s, err := e.Store.Get(ctx)
	if err != nil {
		return nil, err
	}
	list := &List{Total: -1}
	if len(f.NotBy) > 0 {
		list.Hidden = -1
	}
	if f.Text == "" { // counting would read every row
		if list.Total, _, err = s.CountMemoryChanges(ctx, chosen); err != nil {
			return nil, err
		}
		if list.Hidden, err = hidden(ctx, s, chosen, list.Total); err != nil {
			return nil, err
		}
	}
	if f.Cursor != "" {
		if chosen.Below, err = strconv.ParseInt(f.Cursor, 10, 64); err != nil || chosen.Below < 1 {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q is no cursor of a list of changes", f.Cursor).WithHint("start without a cursor")
		}
	}
	if f.Limit > 0 {
		chosen.Limit = f.Limit + 1 // one more tells that there are more
	}
	rows, err := s.MemoryChanges(ctx, chosen)
	if err != nil {
		return nil, err
	}
	if f.Limit > 0 && len(rows) > f.Limit {
		rows = rows[:f.Limit]
		list.Next = strconv.FormatInt(rows[f.Limit-1].N, 10)
	}
	for i := range rows {
		r, err := recordOf(&rows[i])
		if err != nil {
			return nil, err
		}
		list.Changes = append(list.Changes, r.Change)
	}
	return list, nil
}

// hidden counts the changes that a filter leaves out because of their proposers; shown is how many it chooses.
func hidden(ctx context.Context, s *store.Store, f store.MemoryFilter, shown int) (int, error) {
	if len(f.NotActors) == 0 {
		return 0, nil
	}
	f.NotActors = nil
	all, _, err := s.CountMemoryChanges(ctx, f)
	return all - shown, err
}

// Around returns the changes before and after one in a list of a filter, whose Limit and Cursor have no effect; the
// change itself need not be on the list. nil = there is none.
// Errors: those of Get.
func (e *Engine) Around(ctx context.Context, f Filter, id ID) (before, after *Change, err error) {
	s, err := e.Store.Get(ctx)
	if err != nil {
		return nil, nil, err
	}
	rows, err := s.MemoryChanges(ctx, store.MemoryFilter{ID: string(id), Limit: 1})
	if err != nil || len(rows) == 0 {
		return nil, nil, err
	}
	newer, older := f.stored(), f.stored()
	newer.Limit, newer.Above, newer.Oldest = 1, rows[0].N, true
	older.Limit, older.Below = 1, rows[0].N
	for filter, into := range map[*store.MemoryFilter]**Change{&newer: &before, &older: &after} {
		found, err := e.records(ctx, *filter)
		if err != nil {
			return nil, nil, err
		}
		if len(found) > 0 {
			*into = &found[0].Change
		}
	}
	return before, after, nil
}

// Get returns a change by its id, or by the first four or more digits of it.
// Errors: KindNotFound; KindInvalid for digits that begin several ids, with those ids.
func (e *Engine) Get(ctx context.Context, id string) (*Change, error) {
	r, err := e.find(ctx, id)
	if err != nil {
		return nil, err
	}
	return &r.Change, nil
}

// idDigits is the length of an ID, and leastDigits that of the shortest beginning of one that is looked for.
const idDigits, leastDigits = 10, 4

func (e *Engine) find(ctx context.Context, id string) (*record, error) {
	id = strings.ToLower(id)
	if len(id) < leastDigits || len(id) > idDigits || strings.Trim(id, "0123456789abcdef") != "" {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q is no id of a change", id).
			WithHint("give %d digits of it or more; loam review list shows them", leastDigits)
	}
	found, err := e.records(ctx, store.MemoryFilter{ID: id, Limit: 6})
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no change %s", id).WithHint("loam review list --state all shows all of them")
	case len(found) == 1:
		return found[0], nil
	}
	var ids []string
	for _, r := range found {
		ids = append(ids, string(r.ID))
	}
	return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "several changes begin with %s: %s", id, strings.Join(ids, ", ")).
		WithHint("give more digits")
}

func (e *Engine) records(ctx context.Context, f store.MemoryFilter) (all []*record, err error) {
	s, err := e.Store.Get(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.MemoryChanges(ctx, f)
	for i := range rows {
		r, err := recordOf(&rows[i])
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, err
}

// Waiting counts the changes that wait for a person.
type Waiting struct {
	Pending, Drafts int
	Disputed        int       // of the pending ones
	Oldest          time.Time // of them; zero = none waits
}

// Waiting counts the changes that wait for a person.
func (e *Engine) Waiting(ctx context.Context) (w Waiting, err error) {
	s, err := e.Store.Get(ctx)
	if err != nil {
		return w, err
	}
	for state, count := range map[State]*int{Pending: &w.Pending, Draft: &w.Drafts} {
		n, oldest, err := s.CountMemoryChanges(ctx, store.MemoryFilter{States: []string{string(state)}})
		if err != nil {
			return w, err
		}
		*count = n
		if n > 0 && (w.Oldest.IsZero() || oldest.Before(w.Oldest)) {
			w.Oldest = oldest
		}
	}
	w.Disputed, _, err = s.CountMemoryChanges(ctx, store.MemoryFilter{States: []string{string(Pending)}, Disputed: true})
	return w, err
}
