package history

import (
	"context"
	"crypto/rand"
	"encoding/json"

	"github.com/loam-data/loam/host/internal/store"
)

// startTool is the tool of the start of a connector that a project names by path. Its arguments
// are the host's own, and recorded as they are.
const startTool = "connector/start"

// latestStarts bounds how many starts are compared.
const latestStarts = 200

// Start is the start of a connector that a project names by path: nobody signed it.
type Start struct {
	Connector string `json:"connector"`
	Path      string `json:"path"`
	// SHA256 is that of the program, Manifest that of its manifest.
	SHA256   string `json:"sha256"`
	Manifest string `json:"manifest"`
}

// RecordStart records a start, unless the program and the manifest are those of the latest start of this
// path that the history has.
// Errors: those of the store and of Config.Settings.
func (r *Recorder) RecordStart(ctx context.Context, s Start) error {
	settings, err := r.config.Settings(ctx)
	if err != nil || settings.Off {
		return err
	}
	state, err := r.config.Store(ctx)
	if err != nil {
		return err
	}
	calls, err := state.Calls(ctx, store.CallFilter{Tools: []string{startTool}, Limit: latestStarts})
	if err != nil {
		return err
	}
	var last Start
	for _, c := range calls {
		var one Start
		if json.Unmarshal([]byte(c.Arguments), &one) == nil && one.Path == s.Path {
			last = one
		}
	}
	if last == s {
		return nil
	}
	arguments, err := json.Marshal(s)
	if err != nil {
		return err
	}
	r.Record(Call{
		own: true, Request: rand.Text(), Started: r.config.Now(), Tool: startTool, Arguments: arguments, Outcome: store.OutcomeOK, Rows: store.NoRows,
	})
	return nil
}
