package history

import (
	"context"

	"github.com/loam-data/loam/host/internal/store"
)

// SavedQuery names a saved query.
type SavedQuery = store.SavedQuery

// Usage is the recorded runs of a saved query.
type Usage = store.SavedQueryRuns

// SavedQueryRuns returns the usage of saved queries among the calls that are kept. Calls whose arguments were not
// recorded are not among them. ok is false while the history or its arguments are off.
// Errors: those of the store and of Config.Settings.
func (r *Recorder) SavedQueryRuns(ctx context.Context, queries []SavedQuery) (uses map[SavedQuery]Usage, ok bool, err error) {
	settings, err := r.config.Settings(ctx)
	if err != nil || settings.Off || settings.Arguments == None {
		return nil, false, err
	}
	state, err := r.config.Store(ctx)
	if err != nil {
		return nil, false, err
	}
	uses, err = state.SavedQueryRuns(ctx, queries)
	return uses, err == nil, err
}
