package layer

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/flight"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// repeats are what profiles say of the columns that joins lead by. A profile is read
// once, and again when another scan counted.
type repeats struct {
	mu    sync.Mutex
	known map[sdk.TableRef]*counted
}

// counted is what the profile of a table says of some of its columns: whether their
// values repeat.
type counted struct {
	profile catalog.Hash
	columns map[string]bool
}

// of returns the columns of a snapshot whose values repeat, among those that a model's
// joins lead by. The engine enforces some keys: they are not looked at.
// Errors: those of ctx. What a damaged profile says is not known.
func (r *repeats) of(ctx context.Context, snapshot *catalog.Snapshot, m *model.Model, enforced func(sdk.TableRef, string) bool) (model.Repeats, error) {
	if snapshot == nil {
		return nil, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := map[sdk.TableRef]*counted{}
	asked := m.JoinedBy()
	var open []reading
	for ref, columns := range asked {
		columns = slices.DeleteFunc(columns, func(c string) bool { return enforced(ref, c) })
		asked[ref] = columns
		at, found := snapshot.Position(ref)
		if !found || len(columns) == 0 {
			continue
		}
		profile := snapshot.Entry(at).Profile
		if profile == (catalog.Hash{}) {
			continue
		}
		one := r.known[ref]
		if one == nil || one.profile != profile || slices.ContainsFunc(columns, func(c string) bool { _, known := one.columns[c]; return !known }) {
			one = &counted{profile: profile, columns: map[string]bool{}}
			open = append(open, reading{one, at, columns})
		}
		now[ref] = one
	}
	workers := min(runtime.GOMAXPROCS(0), len(open))
	flight.All(workers, func(w int) {
		for i := w; i < len(open) && ctx.Err() == nil; i += workers {
			open[i].read(snapshot)
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.known = now
	found := model.Repeats{}
	for ref, one := range now {
		if all := slices.DeleteFunc(asked[ref], func(c string) bool { return !one.columns[c] }); len(all) > 0 {
			found[ref] = all
		}
	}
	return found, nil
}

// reading is a profile to be read.
type reading struct {
	counted *counted
	at      int
	columns []string
}

func (r *reading) read(snapshot *catalog.Snapshot) {
	p, err := snapshot.Profile(r.at)
	for _, name := range r.columns {
		r.counted.columns[name] = err == nil && p != nil && p.Repeats(name)
	}
}
