package collect

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/sdk"
)

// TestReplay: a run of folders is run again from its stored input, with the files that the folders have now.
func TestReplay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.config.Runs = f.engineOfRuns()
	f.roots = []Root{{Dir: f.dir}}
	f.write("docs/a.md", "a")
	f.write("docs/b.sql", "b")
	person := change.Actor{Channel: change.CLI, User: "ada"}
	input := func(id string) json.RawMessage {
		r, err := f.config.Runs.Wait(t.Context(), id, time.Minute, nil)
		if err != nil || r.State != run.Done || r.Input == nil {
			t.Fatalf("%+v %v", r, err)
		}
		return r.Input
	}
	again := func(input json.RawMessage, by change.Actor) run.Run {
		begun, err := f.Replay(t.Context(), input, by, "loam runs replay")
		if err == nil {
			begun, err = f.config.Runs.Wait(t.Context(), begun.ID, time.Minute, nil)
		}
		if err != nil || begun.State != run.Done || begun.Cause != "loam runs replay" || begun.By.Name() != by.Name() {
			t.Fatalf("%+v %v", begun, err)
		}
		return begun
	}
	indexed := f.indexed(IndexRequest{Path: "docs", Include: []string{"*.md"}, Exclude: []string{"c.md"}, MaxFileSize: 10})
	synced := f.sync(Request{Connection: "shop", Prune: true})
	f.write("docs/c.md", "c")
	f.write("docs/d.md", "d")
	f.write("docs/long.md", strings.Repeat("x", 11))
	f.remove("docs/a.md")
	index, files := input(indexed.RunID), input(*synced.RunID)
	for range 2 {
		if r := again(index, agent); string(input(r.ID)) != string(index) || r.Target != "docs" || f.paths("docs") != "d.md" {
			t.Errorf("%+v: stored %s", r, f.paths("docs"))
		}
		if r := again(files, person); string(input(r.ID)) != string(files) || r.Target != "handbook" || f.paths("handbook") != "b.sql c.md d.md long.md" {
			t.Errorf("%+v: stored %s", r, f.paths("handbook"))
		}
	}
	f.roots = nil
	f.remove("docs")
	for name, tt := range map[string]struct {
		input json.RawMessage
		by    change.Actor
		kind  sdk.Kind
		hint  string
	}{
		"a push":                           {nil, person, sdk.KindConflict, "ingest_source_files"},
		"folders of a person for an agent": {files, agent, sdk.KindDenied, "index_repository"},
		"a folder that is no root now":     {index, agent, sdk.KindDenied, "sources.roots"},
		"a folder that is gone":            {index, person, sdk.KindNotFound, ""},
		"folders that are gone":            {files, person, sdk.KindNotFound, ""},
	} {
		_, err := f.Replay(t.Context(), tt.input, tt.by, "loam runs replay")
		if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Kind != tt.kind || !strings.Contains(e.Hint, tt.hint) {
			t.Errorf("%s: %+v", name, e)
		}
	}
}
