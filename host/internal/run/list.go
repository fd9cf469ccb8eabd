package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// Filter chooses runs; a zero field chooses all.
type Filter struct {
	Kinds  []string
	States []State
	Target string
	Limit  int    // 0 = all
	Cursor string `json:"-"` // Page.Next
}

// Page is a part of a list of runs.
type Page struct {
	Runs []Run
	// Total counts the runs that the filter chooses on all pages.
	Total int
	Next  string // "" = this is the last page
}

// Get returns a run. Errors: KindNotFound, also for a run that the caller of ctx may not see.
func (e *Engine) Get(ctx context.Context, id string) (Run, error) {
	rows, _, err := e.list(ctx, store.RunFilter{ID: strings.ToUpper(id)})
	if err != nil {
		return Run{}, err
	}
	if len(rows) == 0 {
		return Run{}, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no run %q", id).WithHint("list them: loam runs list")
	}
	return runOf(rows[0])
}

// List lists the runs that the caller of ctx may see, the latest first.
// Errors: KindInvalid (cursor).
func (e *Engine) List(ctx context.Context, f Filter) (Page, error) {
	chosen := store.RunFilter{Kinds: f.Kinds, Target: f.Target}
	for _, s := range f.States {
		chosen.States = append(chosen.States, string(s))
	}
	basis := f.basis(ctx)
	if err := position(f.Cursor, basis, &chosen); err != nil {
		return Page{}, err
	}
	if f.Limit > 0 {
		chosen.Limit = f.Limit + 1
	}
	rows, total, err := e.list(ctx, chosen)
	if err != nil {
		return Page{}, err
	}
	page := Page{Total: total}
	if f.Limit > 0 && len(rows) > f.Limit {
		rows = rows[:f.Limit]
		last := rows[f.Limit-1]
		page.Next = fmt.Sprintf("%s.%d.%s", basis, last.QueuedAt.UnixMilli(), last.ID)
	}
	for _, row := range rows {
		r, err := runOf(row)
		if err != nil {
			return Page{}, err
		}
		page.Runs = append(page.Runs, r)
	}
	return page, nil
}

// basis identifies what a list depends on: the filter, and what the caller may see.
func (f Filter) basis(ctx context.Context) string {
	text, err := json.Marshal([]any{f, caller.Of(ctx).Connections})
	if err != nil {
		panic(err) // it has only texts and numbers
	}
	const digits = 8
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:digits]
}

// position reads a cursor into a filter.
func position(cursor, basis string, into *store.RunFilter) error {
	if cursor == "" {
		return nil
	}
	parts := strings.Split(cursor, ".")
	if len(parts) == 3 && parts[0] == basis {
		if millis, err := strconv.ParseInt(parts[1], 10, 64); err == nil && parts[2] != "" {
			into.Before, into.BeforeID = time.UnixMilli(millis), parts[2]
			return nil
		}
	}
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the cursor belongs to other arguments").WithHint("begin again without a cursor")
}

// list reads rows that the caller of ctx may see, without a missing state store. Rows of dead processes are ended first.
func (e *Engine) list(ctx context.Context, f store.RunFilter) ([]store.Run, int, error) {
	if _, err := os.Stat(e.Store.Path()); errors.Is(err, os.ErrNotExist) {
		return nil, 0, nil
	}
	state, err := e.Store.Get(ctx)
	if err != nil {
		return nil, 0, err
	}
	f.Open, f.OnConnections = caller.Of(ctx).Connections, onConnections
	if err := e.bury(ctx, state); err != nil {
		return nil, 0, err
	}
	return state.ListRuns(ctx, f)
}

// bury ends the open runs of dead processes.
func (e *Engine) bury(ctx context.Context, state *store.Store) error {
	open, _, err := state.ListRuns(ctx, store.RunFilter{States: []string{string(Queued), string(Running)}})
	if err != nil {
		return err
	}
	recovered := map[string]bool{}
	for i := range open {
		row := &open[i]
		queue, queued := e.Queues[row.Kind]
		switch {
		case queued && row.State == Running && !recovered[row.Kind]:
			recovered[row.Kind] = true
			err = queue.Recover(ctx)
		case !queued && e.local(row.ID) == nil:
			err = e.buryOne(ctx, state, row)
		}
		if err != nil && sdk.KindOf(err) != sdk.KindDenied { // who may not write sees the rows as they are
			return err
		}
	}
	return nil
}

// buryOne ends an open run if the lock of its kind and target is free.
func (e *Engine) buryOne(ctx context.Context, state *store.Store, row *store.Run) error {
	unlock, err := e.lock(ctx, row.Kind, row.Target, 0)
	if err != nil || unlock == nil {
		return err
	}
	end := *row
	end.State, end.FinishedAt, end.Error, end.ErrorKind = Failed, e.Now().UTC(), died, string(sdk.KindUnavailable)
	_, err = state.EndRun(ctx, end)
	return errors.Join(err, unlock())
}
