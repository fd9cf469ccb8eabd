package history

import (
	"context"
	"time"

	"github.com/loam-data/loam/host/internal/store"
)

// SavedQuery names a saved query.
type SavedQuery struct{ Connection, Name string }

// Usage is the recorded runs of a saved query.
type Usage struct {
	Runs int
	Last time.Time
	// Outcome is that of the last run.
	Outcome string
}

// savedTool is the tool that runs a saved query.
const savedTool = "execute_approved_query"

// SavedQueryRuns returns the usage of the saved queries among the latest 20,000 calls of the tool that runs them. Calls
// whose arguments were not recorded are not among them. ok is false while the history or its arguments are off.
// Errors: those of the store and of Config.Settings.
func (r *Recorder) SavedQueryRuns(ctx context.Context) (uses map[SavedQuery]Usage, ok bool, err error) {
	settings, err := r.config.Settings(ctx)
	if err != nil || settings.Off || settings.Arguments == None {
		return nil, false, err
	}
	state, err := r.config.Store(ctx)
	if err != nil {
		return nil, false, err
	}
	calls, err := state.Calls(ctx, store.CallFilter{Tools: []string{savedTool}, Limit: latestRuns})
	if err != nil {
		return nil, false, err
	}
	uses = map[SavedQuery]Usage{}
	for _, c := range calls {
		name, _ := members([]byte(c.Arguments))["name"].(string)
		key := SavedQuery{c.Connection, name}
		uses[key] = Usage{uses[key].Runs + 1, c.Started, c.Outcome}
	}
	return uses, true, nil
}
