package review

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/consoletest"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/job"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/planner"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/host/internal/wiki"
)

// fixture is a project without connections, with its memory and its runs.
type fixture struct {
	*testing.T
	dir      string
	engine   *change.Engine
	lazy     *store.Lazy
	memory   *memory.Service
	jobs     *job.Service
	settings project.Memory
	replayed []string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{T: t, dir: t.TempDir()}
	log := slog.New(slog.DiscardHandler)
	f.lazy = store.NewLazy(project.StateFolder(f.dir).Database())
	f.engine = change.New(change.Config{Dir: f.dir, Store: f.lazy, Kinds: form.Kinds(), Logger: log})
	connections := func(context.Context) (*connection.Registry, error) { return connection.New(nil) }
	pages, err := wiki.Open(project.WikiPath(f.dir), "")
	if err != nil {
		t.Fatal(err)
	}
	catalogs := catalog.NewSet(project.StateFolder(f.dir).Catalog())
	f.memory = memory.New(memory.Config{
		Dir: f.dir, State: string(project.StateFolder(f.dir)), Settings: func(context.Context) (project.Memory, error) { return f.settings, nil },
		Store: f.lazy, Engine: f.engine, Warehouses: warehouse.New(connections, nil, log), Wiki: pages, Plan: planner.Make, Now: time.Now, Logger: log,
		Layer: layer.New(layer.Config{
			Dir: project.SemanticPath(f.dir), Cache: filepath.Join(f.dir, "cache"), Catalogs: catalogs, Logger: log,
			Keys: foreignkey.NewSet(func(id connection.ID) string { return filepath.Join(f.dir, string(id)+".json") }),
		}),
	})
	f.jobs = job.New(job.Config{
		Runs:     run.New(run.Config{State: string(project.StateFolder(f.dir)), Store: f.lazy, Queues: map[string]run.Queue{run.Ingest: f.memory}, Redact: func(s string) string { return s }, Now: time.Now, Logger: log}),
		Catalogs: catalogs, Connections: connections, Now: time.Now,
		Replay: func(_ context.Context, id string, by change.Actor) error {
			f.replayed = append(f.replayed, id+" by "+by.Name())
			return nil
		},
	})
	t.Cleanup(func() {
		if err := errors.Join(f.memory.Close(), f.lazy.Close()); err != nil {
			t.Error(err)
		}
	})
	return f
}

// open signs in as a reviewer.
func (f *fixture) open() *consoletest.Browser { return f.as(consoletest.ReviewerToken) }

func (f *fixture) as(token string) *consoletest.Browser {
	f.Helper()
	return consoletest.As(f.T, token, Pages(Services{Memory: f.memory, Jobs: f.jobs}))
}

func (f *fixture) state() *store.Store {
	f.Helper()
	s, err := f.lazy.Get(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	return s
}

var claude = change.Actor{Channel: change.MCP, Client: "claude-code", Version: "2.1", Principal: "ci", Session: "5e5510"}

// pageOf is a proposal that adds a sentence to a page.
func pageOf(target, says string) change.Proposal {
	return change.Proposal{
		Kind: change.Page, Target: target, Path: "wiki/global/" + target + ".md", Says: says, Value: says, Quote: says,
		Blocks: []change.Block{{Place: "front:title", After: `"` + target + `"`}, {Place: "body:", After: says}},
	}
}

// propose stores proposals that wait.
func (f *fixture) propose(all ...change.Proposal) (ids []string) {
	f.Helper()
	for i := range all {
		if len(all[i].Why) == 0 {
			all[i].Why = []string{change.WhyPolicy}
		}
		out, err := f.engine.Propose(f.Context(), change.Origin{By: claude}, all[i:i+1])
		if err != nil {
			f.Fatal(err)
		}
		ids = append(ids, string(out[0].Change.ID))
	}
	return ids
}

// draft stores proposals and applies them without a review.
func (f *fixture) draft(all ...change.Proposal) []string {
	f.Helper()
	ids := f.propose(all...)
	for _, id := range ids {
		if _, err := f.engine.Apply(f.Context(), change.ID(id)); err != nil {
			f.Fatal(err)
		}
	}
	return ids
}

func (f *fixture) get(id string) *change.Change {
	f.Helper()
	c, err := f.engine.Get(f.Context(), id)
	if err != nil {
		f.Fatal(err)
	}
	return c
}

func (f *fixture) pick(id string) string { return pickOf(change.ID(id), f.get(id).Version) }

func (f *fixture) picks(ids ...string) (all []string) {
	for _, id := range ids {
		all = append(all, f.pick(id))
	}
	return all
}

// states are those of changes, as people see them.
func (f *fixture) states(ids ...string) string {
	f.Helper()
	var all []string
	for _, id := range ids {
		all = append(all, string(f.get(id).Shown()))
	}
	return fmt.Sprint(all)
}

// read returns a file, "" where there is none.
func (f *fixture) read(name string) string {
	f.Helper()
	content, err := os.ReadFile(filepath.Join(f.dir, filepath.FromSlash(name)))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		f.Fatal(err)
	}
	return string(content)
}

func (f *fixture) write(name, content string) {
	f.Helper()
	path := filepath.Join(f.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		f.Fatal(err)
	}
}

// person is somebody at a terminal.
var person = change.Actor{Channel: change.CLI, User: "bob", Terminal: true}

// decided makes a decision beside the console.
func (f *fixture) decided(do func(context.Context, memory.Decision) ([]memory.Decided, error), id string) {
	f.Helper()
	out, err := do(f.Context(), memory.Decision{IDs: []string{id}, Actor: person, Note: "as finance said"})
	if err != nil || out[0].Failed {
		f.Fatalf("%+v, %v", out, err)
	}
}
