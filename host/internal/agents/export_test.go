package agents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

// export copies a skill, or fails with a kind and words of the error.
func (f fixture) export(t *testing.T, r ExportRequest, kind sdk.Kind, says string) string {
	t.Helper()
	r.Name = "close-month"
	report, err := f.Export(t.Context(), r)
	if kind != "" {
		if sdk.KindOf(err) != kind || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, want %s %q", r.Targets, err, kind, says)
		}
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	var done []string
	for _, c := range report.Changes {
		done = append(done, string(c.Action)+" "+filepath.Base(c.File))
	}
	return strings.Join(append(done, report.Notes...), ", ")
}

// An export writes what it wrote before, and nothing that somebody else wrote or edited.
func TestExport(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	claude := []Target{ClaudeCode}
	folder := filepath.Join(f.project, ".claude/skills/close-month")
	one := map[string][]byte{"SKILL.md": []byte("# One\n"), "steps/a.md": []byte("1.")}
	for _, step := range []struct {
		name  string
		act   func()
		r     ExportRequest
		want  string
		kind  sdk.Kind
		file  string
		after string
	}{
		{"a dry run", nil, ExportRequest{Files: one, Dry: true}, "created SKILL.md, created a.md", "", "", ""},
		{"new", nil, ExportRequest{Files: one}, "created SKILL.md, created a.md", "", "steps/a.md", "1."},
		{"again", nil, ExportRequest{Files: one}, "unchanged SKILL.md, unchanged a.md", "", "steps/a.md", "1."},
		{"a file less", nil, ExportRequest{Files: map[string][]byte{"SKILL.md": []byte("# Two\n")}}, "changed SKILL.md, removed a.md", "", "SKILL.md", "# Two\n"},
		{"edited", func() { f.write(t, filepath.Join(folder, "SKILL.md"), "mine") }, ExportRequest{Files: one}, "is not as loam wrote it", sdk.KindConflict, "SKILL.md", "mine"},
		{"by force", nil, ExportRequest{Files: one, Force: true}, "changed SKILL.md, created a.md", "", "SKILL.md", "# One\n"},
		{"an edited file less", func() { f.write(t, filepath.Join(folder, "steps/a.md"), "mine") }, ExportRequest{Files: map[string][]byte{"SKILL.md": []byte("# One\n")}}, "unchanged SKILL.md, kept a.md", "", "steps/a.md", "mine"},
		{"somebody's", func() { f.write(t, filepath.Join(folder, "b.md"), "theirs") }, ExportRequest{Files: map[string][]byte{"b.md": []byte("ours")}}, "is not as loam wrote it", sdk.KindConflict, "b.md", "theirs"},
	} {
		if step.act != nil {
			step.act()
		}
		step.r.Targets = claude
		if got := f.export(t, step.r, step.kind, step.want); step.kind == "" && got != step.want {
			t.Errorf("%s: %s, want %s", step.name, got, step.want)
		}
		switch {
		case step.file != "":
			if got := read(t, filepath.Join(folder, step.file)); got != step.after {
				t.Errorf("%s: %s is %q", step.name, step.file, got)
			}
		case exists(folder):
			t.Errorf("%s: it is written", step.name)
		}
	}
}

func TestExportRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	files := map[string][]byte{"SKILL.md": []byte("# One\n")}
	f.export(t, ExportRequest{Targets: []Target{"x"}, Files: files}, sdk.KindInvalid, "no target")
	f.export(t, ExportRequest{Targets: []Target{Cursor}, Scope: Local, Files: files}, sdk.KindInvalid, "scope")
	f.export(t, ExportRequest{Targets: []Target{ClaudeDesktop}, Files: files}, sdk.KindUnsupported, "no folder of skills")
	if err := os.Symlink(f.home, filepath.Join(f.project, ".cursor")); err != nil {
		t.Fatal(err)
	}
	f.export(t, ExportRequest{Targets: []Target{Cursor}, Files: files}, sdk.KindDenied, "leads out of the project")
	if got := f.export(t, ExportRequest{Targets: []Target{Cursor}, Scope: Global, Files: files}, "", ""); got != "created SKILL.md" || read(t, filepath.Join(f.home, ".cursor/skills/close-month/SKILL.md")) != "# One\n" {
		t.Error(got)
	}
	// Two clients share a folder: it is written once, and both can export again.
	shared := ExportRequest{Targets: []Target{Codex, Gemini}, Files: files}
	if got := f.export(t, shared, "", "") + "; " + f.export(t, shared, "", ""); got != "created SKILL.md, unchanged SKILL.md; unchanged SKILL.md, unchanged SKILL.md" {
		t.Error(got)
	}
}
