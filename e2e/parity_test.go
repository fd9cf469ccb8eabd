package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const parityConfig = "\nmcp: {toolsets: [workspace, admin]}\n"

const paritySkill = `---
name: close-month
description: Close the books of a month.
version: 1.1.0
category: finance
tags: [month]
reviewed: true
---

# Close the month
`

// TestNotesSkillsAndAdminByToolAndCommand: tools that read and their commands answer with equal JSON on one project.
func TestNotesSkillsAndAdminByToolAndCommand(t *testing.T) {
	heavy(t, "equal answers of tools and commands of the workspace and the administration")
	t.Parallel()
	source, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "demo")
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	yaml, err := os.ReadFile(filepath.Join(dir, "loam.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "loam.yaml"), string(yaml)+parityConfig)
	if err := os.MkdirAll(filepath.Join(dir, "skills", "close-month"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "skills", "close-month", "SKILL.md"), paritySkill)
	if r := loam(t, dir, "scan", "shop"); r.code != 0 {
		t.Fatal(r.stderr)
	}
	var scans struct{ Runs []struct{ RunID string } }
	unmarshal(t, []byte(loam(t, dir, "runs", "list", "--kind", "scan", "--json").stdout), &scans)
	s := stdioServer(t, dir)
	for range 3 { // of one error: a pattern
		for tool, args := range map[string]object{
			"checkpoint_save":  {"summary": "Revenue agrees with finance", "tags": []any{"money"}, "context": object{"a": "b"}},
			"remediation_save": {"errorMessage": "no such table: ordrs", "errorType": "not_found", "solution": "Use orders.", "severity": "low", "tags": []any{"sql"}},
		} {
			if f := s.ask(t, tool, args, &object{}); f != nil {
				t.Fatalf("%s: %+v", tool, f)
			}
		}
	}
	if f := s.ask(t, "skill_apply", object{"name": "close-month"}, &object{}); f != nil {
		t.Fatalf("%+v", f)
	}
	_ = s.Close() // the history of its calls is complete
	end := time.Now().UTC().Truncate(time.Second).Add(time.Second)
	time.Sleep(time.Until(end)) // an end that is to come would be now, which both ask at their own time
	until := end.Format(time.RFC3339)
	s = stdioServer(t, dir)
	for _, tt := range []struct {
		command []string
		tool    string
		args    object
		some    string // a list of the answer that is not empty
	}{
		// It comes before the calls below, and counts none of them.
		{[]string{"stats", "--period", "daily", "--until", until}, "analytics_get", object{"period": "daily", "end": until}, "tools"},
		{[]string{"workspace", "checkpoint", "list", "--limit", "2"}, "checkpoint_list", object{"limit": 2}, "checkpoints"},
		{[]string{"workspace", "checkpoint", "search", "finance revenue", "--limit", "2", "--tag", "money"}, "checkpoint_search", object{"query": "finance revenue", "topK": 2, "tags": []any{"money"}}, "results"},
		{[]string{"workspace", "remediation", "search", "no such table: order", "--min-score", "0.3"}, "remediation_search", object{"errorMessage": "no such table: order", "minScore": 0.3}, "results"},
		{[]string{"workspace", "pattern", "list", "--severity", "low"}, "list_patterns", object{"severity": "low"}, "patterns"},
		{[]string{"skills", "list", "--sort", "usageCount"}, "skill_list", object{"sortBy": "usageCount"}, "skills"},
		{[]string{"skills", "list", "books", "month", "--category", "finance"}, "skill_search", object{"query": "books month", "category": "finance"}, "skills"},
		{[]string{"runs", "show", scans.Runs[0].RunID}, "scan_report", object{"runId": scans.Runs[0].RunID}, ""},
		{[]string{"status"}, "status", object{}, "components"},
		{[]string{"sl", "list", "-c", "shop"}, "sl_list_sources", object{"connectionId": "shop"}, "connections"},
	} {
		var byTool map[string]any
		// Ages are told in seconds, and the history has a call a moment after its answer: a second look sees the same.
		for deadline := time.Now().Add(30 * time.Second); ; {
			r := loam(t, dir, append(tt.command, "--json")...)
			if r.code != 0 {
				t.Fatalf("%v: %s", tt.command, r.stderr)
			}
			var byCommand map[string]any
			byTool = nil
			if f := s.ask(t, tt.tool, tt.args, &byTool); f != nil {
				t.Fatalf("%v: %+v", tt.command, f)
			}
			unmarshal(t, []byte(r.stdout), &byCommand)
			diff := cmp.Diff(byTool, byCommand)
			if diff == "" {
				break
			}
			if time.Now().After(deadline) {
				t.Errorf("%v (-tool +command):\n%s", tt.command, diff)
				break
			}
		}
		if list, _ := byTool[tt.some].([]any); tt.some != "" && len(list) == 0 {
			t.Errorf("%s answers without %s: %v", tt.tool, tt.some, byTool)
		}
	}
}
