package layer

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/flight"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// state is a connection's state in one dialect.
type state struct {
	dialect *dialect.Dialect
	runs    flight.Shared[*State]

	// The fields below belong to the run under way.
	tables  []*model.Table // that now is made of
	queries []*model.Query
	now     *State
}

// large and largeTables are the numbers of files and of scanned tables from which on the garbage of building a model is
// returned to the system: of 10,000 files or 100,000 tables it is larger than the model, and the heap would keep it.
const large, largeTables = 2_000, 10_000

// bring makes the current state from the last one.
func (l *Layer) bring(ctx context.Context, s *site, one *state) (*State, error) {
	next := &State{}
	var err error
	if next.Files, err = s.files.look(ctx); err != nil {
		return nil, err
	}
	tables, err := l.scanned(ctx, s, next)
	if err != nil {
		return nil, err
	}
	queries := s.queries.of(l.queryPath(s.id), next.snapshot())
	if n := len(next.Files.Problems); n > 0 {
		next.Notes = append(next.Notes, fmt.Sprintf("%d files of connection %s's semantic layer cannot be read, %s among them. Run loam sl validate.", n, s.id, next.Files.Problems[0].File))
	}
	before := one.now
	same := sameSlice(tables, one.tables) && sameSlice(queries, one.queries)
	if before != nil && before.Files == next.Files && before.Snapshot == next.Snapshot && same && slices.Equal(before.Notes, next.Notes) {
		return before, nil
	}
	if before == nil {
		next.Model = model.Build(model.Input{Dialect: one.dialect, Tables: tables, Files: next.Files.all, Queries: queries})
	} else {
		next.Model = before.Model
		if changed := difference(before.Files.all, next.Files.all); len(changed) > 0 {
			next.Model = next.Model.With(changed...)
		}
		if !same {
			next.Model = next.Model.WithColumns(tables, queries)
		}
	}
	repeats, err := s.repeats.of(ctx, next.Snapshot, next.Model, s.tables.enforces)
	if err != nil {
		return nil, err
	}
	next.Model = next.Model.WithRepeats(repeats)
	one.tables, one.queries, one.now = tables, queries, next
	if before == nil && len(next.Files.all) >= large || !same && len(tables) >= largeTables {
		debug.FreeOSMemory()
	}
	return next, nil
}

// scanned returns the tables of the last snapshot, and puts it and what is to be
// said of it into the state.
func (l *Layer) scanned(ctx context.Context, s *site, into *State) ([]*model.Table, error) {
	missing := func(why string) ([]*model.Table, error) {
		into.Snapshot = nil
		into.Notes = append(into.Notes, fmt.Sprintf("Connection %s %s: only sources that files define are known. Run loam scan %s.", s.id, why, s.id))
		return nil, nil
	}
	snapshot, err := l.Catalogs.Of(string(s.id)).Latest()
	if err == nil {
		into.Snapshot = snapshot
		tables, err := l.referred(ctx, s, snapshot)
		if errors.Is(err, catalog.ErrDamaged) {
			return missing("has a damaged snapshot")
		}
		return tables, err
	}
	switch {
	case sdk.KindOf(err) == sdk.KindNotFound:
		return missing("was never scanned")
	case errors.Is(err, catalog.ErrDamaged):
		return missing("has a damaged snapshot")
	}
	return nil, err
}

func (l *Layer) referred(ctx context.Context, s *site, snapshot *catalog.Snapshot) ([]*model.Table, error) {
	keys, err := l.Keys.Of(s.id, snapshot)
	if err != nil {
		return nil, err
	}
	return s.tables.of(ctx, snapshot, keys)
}

// sameSlice reports whether two slices are one and the same.
func sameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// difference lists the files that are not as before, the removed ones as
// model.Model.With wants them. Both lists are by path.
func difference(before, now []*model.File) (changed []*model.File) {
	at := 0
	for _, f := range now {
		for ; at < len(before) && before[at].Path < f.Path; at++ {
			changed = append(changed, &model.File{Path: before[at].Path})
		}
		switch {
		case at == len(before) || before[at].Path != f.Path:
			changed = append(changed, f)
		case before[at] != f && before[at].Hash != f.Hash:
			changed = append(changed, f)
			at++
		default:
			at++
		}
	}
	for ; at < len(before); at++ {
		changed = append(changed, &model.File{Path: before[at].Path})
	}
	return changed
}

// report logs what a caller cannot be told: the place of a fault of ours.
func report(ctx context.Context, l *Layer, id connection.ID, err error) {
	if fault, ok := errors.AsType[*flight.Panic](err); ok {
		l.Logger.ErrorContext(ctx, "reading the semantic layer failed", "connection", id, "error", fault, "stack", string(fault.Stack))
	}
}
