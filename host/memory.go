package host

import (
	"context"
	"os"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/planner"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/token"
)

// newMemory makes the memory of the project in a folder. Nothing is opened before it is used.
func (a *application) newMemory(folder string) *memory.Service {
	return memory.New(memory.Config{
		Dir: folder, State: project.StateFolder(folder), User: os.Getenv(wikiUser),
		Settings: func(ctx context.Context) (project.Memory, error) {
			current, err := a.project.Current(ctx)
			if err != nil {
				return project.Memory{}, err
			}
			return current.Memory, nil
		},
		Store: a.state, Engine: change.New(change.Config{Dir: folder, Store: a.state, Kinds: form.Kinds(), Now: time.Now, Logger: a.log}),
		Warehouses: a.warehouses, Layer: a.layer, Query: a.query, Wiki: a.wiki, Index: a.index,
		Known: func(text string) string { return token.Redact(a.scrubber.Scrub(text)) },
		Plan:  planner.Make,
		Now:   time.Now, Logger: a.log,
	})
}
