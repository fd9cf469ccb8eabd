package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestManual writes the manual: a page for each command of docs/cli.md, and for each
// group, the same twice.
func TestManual(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1790000000")
	pages := func() map[string]string {
		folder := filepath.Join(t.TempDir(), "man1")
		if code, stdout, stderr := run(t, "docs", "man", folder); code != 0 || stdout != "" {
			t.Fatalf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
		}
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]string{}
		for _, e := range entries {
			text, err := os.ReadFile(filepath.Join(folder, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			found[e.Name()] = string(text)
		}
		return found
	}
	first, second := pages(), pages()
	_, reference, _ := run(t, "docs", "cli")
	commands := regexp.MustCompile(`(?m)^## (loam .*)$`).FindAllStringSubmatch(reference, -1)
	if len(commands) < 40 {
		t.Fatalf("the reference has %d commands", len(commands))
	}
	for _, c := range commands {
		name := strings.ReplaceAll(c[1], " ", "-") + ".1"
		switch page := first[name]; {
		case !strings.Contains(page, ".SH SYNOPSIS") || !strings.Contains(page, `"Sep 2026" "Loam 1.2.3"`):
			t.Errorf("%s: %q", name, page)
		case page != second[name]:
			t.Errorf("%s differs the second time", name)
		}
	}
	for _, part := range []string{
		".TH \"LOAM\\-SL\\-QUERY\" \"1\" ", "loam\\-sl\\-query \\- Ask for measures by dimensions", "\n.PP\n\\-\\-format sql and plan print",
		"\n.TP\n\\fB\\-f, \\-\\-file\\fP \\fIstring\\fP\nread the request from a file", "(\\(dq\\-\\(dq is standard input)", "; default 1000\n",
		".SH OPTIONS INHERITED FROM PARENT COMMANDS\n.TP\n\\fB\\-\\-json\\fP", "\n.EX\n  loam sl query \\-m orders.revenue", "customers.segment \\-b orders.created_at.month \\e\n",
		".SH SEE ALSO\n\\fBloam\\-sl\\fP(1)\n",
	} {
		if !strings.Contains(first["loam-sl-query.1"], part) {
			t.Errorf("loam-sl-query.1 lacks %q:\n%s", part, first["loam-sl-query.1"])
		}
	}
	for _, page := range []string{"loam.1", "loam-completion-zsh.1"} {
		if first[page] == "" {
			t.Errorf("there is no page %s", page)
		}
	}
	if _, hidden := first["loam-docs.1"]; hidden {
		t.Error("there is a page of a hidden command")
	}
}

// TestRoff writes texts that man would read as requests.
func TestRoff(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		".so x": `\&.so x`, "a\n'b'\n.c": "a\n\\&'b'\n\\&.c", "a.b 'c'": "a.b 'c'", `\fB`: `\efB`, `"a-b"`: `\(dqa\-b\(dq`,
	} {
		if got := roff(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestManualWithoutItsFolder(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "noon")
	if code, _, stderr := run(t, "docs", "man", t.TempDir()); code != 2 || !strings.Contains(stderr, "SOURCE_DATE_EPOCH") {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := run(t, "docs", "man", file); code != 2 || !strings.Contains(stderr, "file") {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
}

// TestCompletionScripts prints what each shell reads.
func TestCompletionScripts(t *testing.T) {
	t.Parallel()
	for shell, begins := range map[string]string{"bash": "# bash completion", "zsh": "#compdef loam", "fish": "# fish completion", "powershell": "# powershell completion"} {
		if code, stdout, stderr := run(t, "completion", shell); code != 0 || !strings.HasPrefix(stdout, begins) {
			t.Errorf("%s: exit %d, stdout %.40q, stderr %q", shell, code, stdout, stderr)
		}
	}
}
