package conform_test

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	plugin "github.com/hashicorp/go-plugin"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/serve"
	"github.com/loam-data/loam/sdk/wire"
)

// plainProgram is the name under which the test's own binary serves the toy as an author
// would who has read go-plugin's documentation alone.
const plainProgram = "plain-connector"

func servePlain() {
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig:  wire.Handshake,
		VersionedPlugins: wire.Plugins(serve.NewBackend(newToy(none).connector())),
		GRPCServer:       plugin.DefaultGRPCServer,
	})
}

func offlineTarget(command ...string) conform.Target {
	return conform.Target{Command: command, Server: "embedded: none", Offline: true, Pace: quickPace}
}

// outcomes returns the results of the checks that ran, by their names.
func outcomes(results []conform.Result) map[string]conform.Result {
	all := map[string]conform.Result{}
	for _, r := range results {
		if r.Outcome != conform.NotRun {
			all[r.Group+"/"+r.Check] = r
		}
	}
	return all
}

// What the sdk does beyond go-plugin is found missing: the end of standard input, and
// messages of more than 4 MiB.
func TestForeignFindsWhatGoPluginLeavesOut(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := t.TempDir() + "/" + plainProgram
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	target := offlineTarget(path)
	target.Pace = hurriedPace
	results := outcomes(conform.Examine(t.Context(), target, conform.Options{
		Select: func(group, _ string) bool { return group == "foreign" },
	}))
	var failed []string
	for name, r := range results {
		if r.Outcome == conform.Failed {
			failed = append(failed, name)
			if r.Breaks == "" || len(r.Findings) == 0 || r.Findings[0].Text == "" {
				t.Errorf("%s says nothing: %+v", name, r)
			}
		}
	}
	slices.Sort(failed)
	if diff := cmp.Diff([]string{"foreign/large_message", "foreign/stdin"}, failed); diff != "" {
		t.Errorf("failed (-want +got):\n%s", diff)
	}
	if len(results) < 13 {
		t.Errorf("%d checks ran", len(results))
	}
}

// A program that does nothing is not waited for, and not started for every check.
func TestExamineIsBounded(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	var groups []string
	results := conform.Examine(t.Context(), offlineTarget(sleep, "600"), conform.Options{
		CheckLimit: 300 * time.Millisecond, Limit: time.Minute,
		Select:  func(group, check string) bool { return group != "process" },
		Started: func(group string, _ int) { groups = append(groups, group) },
		Ended:   func(group string, _ []conform.Result) { groups = append(groups, group) },
	})
	failed := 0
	for _, r := range results {
		if r.Outcome == conform.OK {
			t.Errorf("%s/%s passes", r.Group, r.Check)
		}
		if r.Outcome == conform.Failed {
			failed++
			if !strings.Contains(r.Reason, "did not end within 300ms") {
				t.Errorf("%s/%s: %s", r.Group, r.Check, r.Reason)
			}
		}
	}
	if failed == 0 {
		t.Error("nothing failed")
	}
	if level, lacks := conform.Reached(results); level != conform.LevelNone || len(lacks) == 0 {
		t.Errorf("level %s, lacks %q", level, lacks)
	}
	if diff := cmp.Diff([]string{"describe", "describe", "config", "config", "guard", "guard", "foreign", "foreign"}, groups); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
}

// A check that hangs although its context has ended is left behind: it fails, its program
// is killed, and the checks that follow run on another one.
func TestExamineLeavesWhatHangs(t *testing.T) {
	const limit = 10 * time.Second // the other two checks start the connector, which takes a busy machine more than a second
	target := newToy(none).target(t)
	target.Connector, target.Binary, target.Pace = nil, program(t, none), quickPace
	hang := make(chan struct{})
	defer close(hang)
	target.Fixture.Reread = func(context.Context) (string, error) { <-hang; return "", nil }
	results := outcomes(conform.Examine(t.Context(), target, conform.Options{
		CheckLimit: limit,
		Select: func(group, check string) bool {
			return group == "read_only" && (check == "insert" || check == "looks_like_one" || check == "still_reads")
		},
	}))
	if r := results["read_only/insert"]; r.Outcome != conform.Failed || !strings.Contains(r.Reason, "did not end within "+limit.String()) {
		t.Errorf("%+v", r)
	}
	if r := results["read_only/looks_like_one"]; r.Outcome != conform.OK {
		t.Errorf("the check after it: %+v", r)
	}
	if r := results["read_only/still_reads"]; r.Outcome != conform.OK {
		t.Errorf("the last check: %+v", r)
	}
}

// The end of the context ends the run: what did not run says so.
func TestExamineIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	target := offlineTarget(program(t, none))
	results := conform.Examine(ctx, target, conform.Options{
		Ended: func(group string, _ []conform.Result) {
			if group == "describe" {
				cancel()
			}
		},
	})
	ran := 0
	for _, r := range results {
		switch {
		case r.Outcome != conform.NotRun:
			ran++
			if r.Group != "describe" {
				t.Errorf("%s/%s: %s after the end", r.Group, r.Check, r.Outcome)
			}
		case r.Group == "foreign" && r.Check == "hello" && r.Class != conform.OutOfTime:
			t.Errorf("%+v", r)
		}
	}
	if ran < 5 {
		t.Errorf("%d checks ran before", ran)
	}
}
