package e2e

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// saves are the calls that write, each with its n-th arguments.
var saves = []struct {
	tool string
	args func(n int) map[string]any
}{
	{"checkpoint_save", func(n int) map[string]any { return map[string]any{"summary": fmt.Sprintf("checkpoint zebra%d", n)} }},
	{"remediation_save", func(n int) map[string]any {
		return map[string]any{"errorMessage": "no such table: " + letters(n), "errorType": letters(n), "solution": "Use the view " + letters(n) + "."}
	}},
	{"skill_create", func(n int) map[string]any {
		return map[string]any{"name": "skill-" + letters(n), "description": "A skill.", "content": "# Steps\n\n1. Go.\n", "version": "1.0.0"}
	}},
	{"ingest_source_files", func(n int) map[string]any {
		return map[string]any{"repo": "pushed", "files": []any{map[string]any{"path": letters(n) + ".md", "content": "A zebra, " + letters(n) + ".\n"}}}
	}},
}

// letters is a word for a number, since signatures of errors leave numbers out.
func letters(n int) string {
	return "q" + strings.Map(func(r rune) rune { return 'a' + r - '0' }, fmt.Sprintf("%04d", n))
}

// saving is the n-th call of a tool, under a name of its own.
type saving struct{ tool, n int }

func (c saving) call(s *server, t *testing.T) (answer map[string]any, acknowledged bool) {
	args := saves[c.tool].args(c.n)
	args["clientId"] = fmt.Sprintf("call-%d", c.n)
	result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: saves[c.tool].tool, Arguments: args})
	if err != nil {
		return nil, false // the server is dead
	}
	answer, _ = result.StructuredContent.(map[string]any)
	if result.IsError {
		t.Errorf("%s %d: %v", saves[c.tool].tool, c.n, answer)
	}
	return answer, !result.IsError
}

// TestKilledWritersLoseNothing kills the server at random moments while four tools write. What was acknowledged is
// there, and the calls that were not are repeated: in the end each is there once.
func TestKilledWritersLoseNothing(t *testing.T) {
	heavy(t, "kill -9 of the server while tools write")
	t.Parallel()
	dir := project(t, "version: 1\nconnections: {}\nmcp: {toolsets: [workspace, sources]}\n")
	const rounds, perRound = 20, 2
	open := make([][]saving, len(saves)) // not acknowledged, of each tool
	acknowledged, killed := 0, 0
	for round := range rounds {
		s := stdioServer(t, dir)
		for tool := range saves {
			for i := range perRound {
				open[tool] = append(open[tool], saving{tool, round*perRound + i})
			}
		}
		done, dead := s.dieWhile(t, open)
		acknowledged += done
		if dead {
			killed++
		}
	}
	s := stdioServer(t, dir)
	for _, left := range open {
		for _, c := range left {
			c.call(s, t)
		}
	}
	s = stdioServer(t, dir) // a session may propose 60 skills a minute
	const all = rounds * perRound
	t.Logf("killed under way in %d of %d rounds; %d of %d calls were acknowledged before", killed, rounds, acknowledged, all*len(saves))
	if acknowledged == 0 || killed == 0 {
		t.Error("no server was killed under way, or none wrote anything")
	}
	for tool := range saves {
		for n := range all {
			if answer, _ := (saving{tool, n}).call(s, t); answer["repeated"] != true {
				t.Errorf("%s %d was made before: %v", saves[tool].tool, n, answer)
			}
		}
	}
	savedOnce(t, s, dir, all)
}

// dieWhile makes the open calls of each tool, and kills the server some microseconds after some of them were
// acknowledged; those it takes from open. dead: not all of them were.
func (s *server) dieWhile(t *testing.T, open [][]saving) (acknowledged int, dead bool) {
	t.Helper()
	kill := func() { _ = s.cmd.Process.Kill() }
	soon := func() { time.AfterFunc(time.Duration(rand.IntN(5000))*time.Microsecond, kill) }
	at := rand.IntN(len(open) * 2)
	if at == 0 {
		soon()
	}
	var mu sync.Mutex
	var calls sync.WaitGroup
	for tool := range open {
		calls.Go(func() {
			for len(open[tool]) > 0 {
				if _, ok := open[tool][0].call(s, t); !ok {
					return
				}
				open[tool] = open[tool][1:]
				mu.Lock()
				if acknowledged++; acknowledged == at {
					soon()
				}
				mu.Unlock()
			}
		})
	}
	calls.Wait()
	kill()
	_ = s.Close() // it is dead
	return acknowledged, slices.ContainsFunc(open, func(left []saving) bool { return len(left) > 0 })
}

// savedOnce tests that the work of n calls of each tool is there once.
func savedOnce(t *testing.T, s *server, dir string, n int) {
	t.Helper()
	var list struct {
		Checkpoints []struct{ Summary string }
		Total       int
	}
	if f := s.ask(t, "checkpoint_list", map[string]any{"limit": 100}, &list); f != nil || list.Total != n {
		t.Errorf("%d checkpoints, %+v", list.Total, f)
	}
	summaries := map[string]bool{}
	for _, c := range list.Checkpoints {
		summaries[c.Summary] = true
	}
	if len(summaries) != n {
		t.Errorf("%d different checkpoints", len(summaries))
	}
	for i := range n {
		args := saves[1].args(i)
		var saved struct{ Confirmations int }
		if f := s.ask(t, "remediation_save", args, &saved); f != nil || saved.Confirmations != 2 { // one, and this one
			t.Errorf("remediation %d has %d confirmations, %+v", i, saved.Confirmations, f)
		}
	}
	names := map[string]int{}
	var waiting struct{ Changes []struct{ Target string } }
	unmarshal(t, []byte(loam(t, dir, "review", "list", "--kind", "skill", "--limit", "1000", "--json").stdout), &waiting)
	for _, c := range waiting.Changes {
		names[c.Target]++
	}
	var found struct {
		Refs []struct{ ID string }
	}
	r := loam(t, dir, "search", "--kind", "file", "--limit", "100", "--json", "zebra")
	unmarshal(t, []byte(r.stdout), &found)
	files := map[string]bool{}
	for _, ref := range found.Refs {
		files[ref.ID] = true
	}
	if len(names) != n || len(waiting.Changes) != n || len(files) != n || len(found.Refs) != n {
		t.Errorf("%d skills of %d changes, %d files of %d hits: %.400s", len(names), len(waiting.Changes), len(files), len(found.Refs), r.stdout+r.stderr)
	}
	if rest, err := filepath.Glob(filepath.Join(dir, "skills", "*", "*")); err != nil || len(rest) > 0 {
		t.Errorf("files of skills that nobody approved: %v %v", rest, err)
	}
}
