package mcpserver

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/note"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/workspace"
)

// noted records what the tools of notes ask for.
type noted struct{ asked any }

func (n *noted) SaveCheckpoint(_ context.Context, in workspace.CheckpointSave) (*workspace.CheckpointSaved, error) {
	in.Actor = change.Actor{}
	n.asked = in
	return &workspace.CheckpointSaved{ID: "1"}, nil
}

func (n *noted) SearchCheckpoints(_ context.Context, in workspace.CheckpointSearch) (*workspace.CheckpointMatches, error) {
	n.asked = in
	return &workspace.CheckpointMatches{Results: []workspace.CheckpointMatch{}}, nil
}

func (n *noted) ListCheckpoints(_ context.Context, in workspace.CheckpointList) (*workspace.CheckpointPage, error) {
	n.asked = in
	return &workspace.CheckpointPage{Checkpoints: []workspace.Checkpoint{}}, nil
}

func (n *noted) SaveRemediation(_ context.Context, in workspace.RemediationSave) (*workspace.RemediationSaved, error) {
	in.Actor = change.Actor{}
	n.asked = in
	return &workspace.RemediationSaved{ID: "1"}, nil
}

func (n *noted) SearchRemediations(_ context.Context, in workspace.RemediationSearch) (*workspace.RemediationMatches, error) {
	n.asked = in
	return &workspace.RemediationMatches{Results: []workspace.RemediationMatch{}}, nil
}

func (n *noted) Troubleshoot(_ context.Context, in workspace.Trouble) (*workspace.Diagnosis, error) {
	n.asked = in
	return &workspace.Diagnosis{RecommendedActions: []workspace.Action{}}, nil
}

func (n *noted) ListPatterns(_ context.Context, in workspace.PatternList) (*workspace.Patterns, error) {
	n.asked = in
	return &workspace.Patterns{Patterns: []workspace.Pattern{}}, nil
}

// Every argument of the tools of notes reaches the use case, in both spellings.
func TestArgumentsOfNotes(t *testing.T) {
	t.Parallel()
	n, c := &noted{}, newWorld().config()
	c.Workspace, c.Configured.Toolsets = n, []string{toolsetWorkspace}
	client := connect(t, lines[0], c, nil)
	one, half := int64(1), 0.5
	save := workspace.Save{Context: map[string]string{"k": "v"}, Tags: []string{"a"}, ProjectPath: "/p", Shared: true, ClientID: "c"}
	for _, call := range []struct {
		tool, arguments string
		want            any
	}{
		{
			"checkpoint_save", `{"summary":"s","description":"d","project_path":"/p","context":{"k":"v"},"tags":["a"],"tokensBefore":1,"tokens_after":1,"shared":true,"clientId":"c"}`,
			workspace.CheckpointSave{Save: save, Summary: "s", Description: "d", TokensBefore: &one, TokensAfter: &one},
		},
		{"checkpoint_search", `{"query":"q","top_k":3,"projectPath":"/p","tags":["a"]}`, workspace.CheckpointSearch{Query: "q", TopK: 3, ProjectPath: "/p", Tags: []string{"a"}}},
		{
			"checkpoint_list", `{"limit":3,"offset":4,"cursor":"c","project_path":"/p","sortBy":"updatedAt"}`,
			workspace.CheckpointList{Limit: 3, Offset: 4, Cursor: "c", ProjectPath: "/p", SortBy: "updatedAt"},
		},
		{
			"remediation_save", `{"error_message":"m","errorType":"t","solution":"s","stackTrace":"st","connectionId":"lake","projectPath":"/p","context":{"k":"v"},"tags":["a"],"severity":"low","shared":true,"client_id":"c"}`,
			workspace.RemediationSave{Save: save, ErrorMessage: "m", ErrorType: "t", Solution: "s", StackTrace: "st", Connection: "lake", Severity: "low"},
		},
		{
			"remediation_search", `{"errorMessage":"m","stack_trace":"st","limit":3,"min_score":0.5,"tags":["a"]}`,
			workspace.RemediationSearch{ErrorMessage: "m", StackTrace: "st", Limit: 3, MinScore: &half, Tags: []string{"a"}},
		},
		{
			"troubleshoot", `{"errorMessage":"m","stackTrace":"st","context":{"k":"v"},"category":"limit","mode":"guided","tags":["a"],"topK":3,"connection_id":"lake","outcome_of":{"id":"i","worked":true}}`,
			workspace.Trouble{ErrorMessage: "m", StackTrace: "st", Context: map[string]string{"k": "v"}, Category: "limit", Mode: "guided", Tags: []string{"a"}, TopK: 3, Connection: "lake", OutcomeOf: &workspace.Outcome{ID: "i", Worked: true}},
		},
		{"list_patterns", `{"category":"limit","severity":"low","min_success_rate":0.5,"limit":3}`, workspace.PatternList{Category: "limit", Severity: "low", MinSuccessRate: &half, Limit: 3}},
	} {
		n.asked = nil
		var given map[string]any
		if err := json.Unmarshal([]byte(call.arguments), &given); err != nil {
			t.Fatal(err)
		}
		if result := checked(t, client, call.tool, given); result.IsError {
			t.Errorf("%s: %s", call.tool, textOf(t, result))
		}
		if diff := gocmp.Diff(call.want, n.asked); diff != "" {
			t.Errorf("%s (-want +got):\n%s", call.tool, diff)
		}
	}
}

// Over every line the person is asked for the category; who cannot ask has the question among the steps.
func TestTroubleshootAsks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := newWorld().config()
	c.Configured.Toolsets = []string{toolsetWorkspace}
	c.Workspace = workspace.New(workspace.Config{Notes: note.New(store.NewLazy(filepath.Join(dir, "state.db")), dir), Now: time.Now})
	for _, l := range lines {
		p := &person{}
		arguments := map[string]any{"errorMessage": "boom", "mode": "interactive"}
		result := checked(t, connect(t, l, c, p.options()), "troubleshoot", arguments)
		asked, answer := p.questions(), textOf(t, result)
		if len(asked) != 1 || asked[0].Message != "Of which category is the error?" || !strings.Contains(answer, `"category":"syntax"`) || !strings.Contains(answer, "The person chose the category syntax.") {
			t.Errorf("%v: %d questions, %s", l, len(asked), answer)
		}
		if result = checked(t, connect(t, l, c, (&person{action: "decline"}).options()), "troubleshoot", arguments); !result.IsError || !strings.Contains(textOf(t, result), "call again with category") {
			t.Errorf("%v declined: %s", l, textOf(t, result))
		}
		if answer := textOf(t, checked(t, connect(t, l, c, nil), "troubleshoot", arguments)); !strings.Contains(answer, "Ask the user which category") {
			t.Errorf("%v without a person: %s", l, answer)
		}
		off := c
		off.Configured.Ask = project.AskOff
		if answer := textOf(t, checked(t, connect(t, l, off, (&person{}).options()), "troubleshoot", arguments)); !strings.Contains(answer, "Ask the user which category") {
			t.Errorf("%v with mcp.ask off: %s", l, answer)
		}
	}
}
