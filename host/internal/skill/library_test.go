package skill

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

func put(t *testing.T, root, name, content string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// shown lists the items of a library: the files of those that are skills, and the problems of the others.
func shown(t *testing.T, l *Library) map[string]string {
	t.Helper()
	items, err := l.Items(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, i := range items {
		var words []string
		for _, f := range i.Files {
			words = append(words, f.Path)
		}
		if i.Problem != nil {
			words = []string{i.Problem.Error()}
		}
		all[i.Name] = strings.Join(append(words, i.Notes...), " | ")
	}
	return all
}

// A hand edit counts on the next call, and nothing is read through a link.
func TestLibrary(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "skills")
	l := NewLibrary(root)
	if all := shown(t, l); len(all) != 0 {
		t.Errorf("no folder: %v", all)
	}
	put(t, root, "README.md", "not a skill")
	put(t, root, "close-month/SKILL.md", front(""))
	put(t, root, "close-month/steps/one.md", "1.")
	put(t, root, "close-month/.env", "SECRET=1")
	put(t, root, "close-month/big.bin", strings.Repeat("x", MaxFile+1))
	put(t, root, "Close/SKILL.md", strings.Replace(front(""), "close-month", "Close", 1))
	put(t, root, "empty/notes.md", "x")
	put(t, root, "wrong/SKILL.md", front(""))
	put(t, root, "outside.md", front(""))
	for _, link := range [][2]string{{"linked/SKILL.md", "../outside.md"}, {"close-month/secret.md", "../outside.md"}, {"away", "/etc"}} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(root, link[0])), 0o755), os.Symlink(link[1], filepath.Join(root, link[0]))); err != nil {
			t.Fatal(err)
		}
	}
	all := shown(t, l)
	for name, want := range map[string]string{
		"close-month": "SKILL.md | steps/one.md | the folder of skills's", "Close": "no name of a skill", "empty": "has no SKILL.md",
		"wrong": "the folder is wrong", "linked": "the folder is linked", "away": "",
	} {
		if got, ok := all[name]; !ok || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if !strings.Contains(all["close-month"], "secret.md is a link") || strings.Contains(all["close-month"], "env") || len(all) != 6 {
		t.Errorf("%q", all)
	}
	put(t, root, "linked/outside.md", strings.Replace(front(""), "close-month", "linked", 1))
	if err := errors.Join(os.Remove(filepath.Join(root, "linked/SKILL.md")), os.Symlink("outside.md", filepath.Join(root, "linked/SKILL.md"))); err != nil {
		t.Fatal(err)
	}
	put(t, root, "wrong/SKILL.md", strings.Replace(front(""), "close-month", "wrong", 1))
	all = shown(t, l)
	if all["wrong"] != FileName || !strings.Contains(all["linked"], "is a link") {
		t.Errorf("after edits: %q", all)
	}
	if content, err := l.Read("close-month", "steps/one.md"); string(content) != "1." || err != nil {
		t.Errorf("%q, %v", content, err)
	}
	if _, err := l.Read("close-month", "../../../etc/passwd"); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("read outside: %v", err)
	}
}
