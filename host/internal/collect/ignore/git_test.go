package ignore

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// cases are ignore files by folder, each over the same tree.
var cases = map[string]map[string]string{
	"names":    {"": "*.log\nbuild\n/only\ntmp/\n#comment\n\\#hash\n\\!bang\n"},
	"negation": {"": "*.md\n!keep.md\n!a/b/\n", "a": "*\n!*.txt\n", "a/b": "!x.md\n"},
	"depth":    {"": "**/x.md\na/**/keep.md\nc/**\n/**/z*\n"},
	"sets":     {"": "[ab].txt\n[!a-c]*.md\n[[:digit:]]*\n[^[:alpha:]]b\n[]-]x\n[x\n[[:nope:]]\n"},
	"blanks":   {"": "trail  \nkept\\ \n\tx\n ! \n\r\ncr\r\n"},
	"stars":    {"": "a*b**c\n*?*\n!**\nfoo**\n"},
	"slashes":  {"": "/\n//\na//b\n/a/b\nb/\n!/c/d\n**/\n"},
	"folders":  {"": "*\n!*/\n!*.md\n"},
	"escapes":  {"": "\\a\\.txt\n\\*\nback\\\n\\\\\n?\n"},
	"late":     {"": "a/\n!a/\n!a/x.md\n", "c": "/*\n!/d\n", "c/d": "deep/\n"},
	"bom":      {"": "\xef\xbb\xbfx.md\n"},
}

var tree = []string{
	"x.md", "keep.md", "a.txt", "b.txt", "only", "a.log", "1st", "#hash", "!bang", "trail", "kept ", "cr", "zed", "*", "-x", "]x", "ab", "1b", "axbyc", "foo", "foobar", "back",
	"a/x.md", "a/keep.md", "a/a.txt", "a/b/x.md", "a/b/keep.md", "a/b/c/keep.md", "a/b/c/x.log", "a/tmp/x.md",
	"c/x.md", "c/d/x.md", "c/d/deep/a.txt", "c/only", "build/out.txt", "tmp/x.md", "deep/build/x.txt", "z/a.md",
}

// TestAsGit compares with git itself, for .gitignore and for files of another name.
func TestAsGit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed: nothing is compared")
	}
	for name, files := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compare(t, git, files, tree)
		})
	}
}

// TestAsGitOnRandomPatterns compares patterns that nobody thought of.
func TestAsGitOnRandomPatterns(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed: nothing is compared")
	}
	parts := []string{"a", "b", "c", "x", ".md", ".txt", "*", "**", "?", "/", "!", "[ab]", "[!x]", "\\", "keep", " ", "**/", "/**"}
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 12 {
		files := map[string]string{}
		for _, dir := range []string{"", "a", "a/b", "c"} {
			var text strings.Builder
			for range 4 {
				for range 1 + random.IntN(5) {
					text.WriteString(parts[random.IntN(len(parts))])
				}
				text.WriteByte('\n')
			}
			files[dir] = text.String()
		}
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Parallel()
			compare(t, git, files, tree)
		})
	}
}

func compare(t *testing.T, git string, files map[string]string, tree []string) {
	t.Helper()
	dir := t.TempDir()
	put := func(name, content string) {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range tree {
		put(name, name)
	}
	for at, content := range files {
		put(path.Join(at, ".gitignore"), content)
	}
	run := func(args ...string) []byte {
		cmd := exec.CommandContext(t.Context(), git, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return out
	}
	run("init", "-q")
	want := strings.Split(strings.TrimSuffix(string(run("ls-files", "-z", "-co", "--exclude-standard")), "\x00"), "\x00")
	if want[0] == "" {
		want = nil
	}
	slices.Sort(want)
	got := walked(t, dir, files)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("of the files of %q (-git +rules):\n%s", files, diff)
	}
}

// walked lists the files that are not left out.
func walked(t *testing.T, dir string, files map[string]string) (all []string) {
	t.Helper()
	rules := map[string]*Rules{}
	for at, content := range files {
		rules[at] = Parse([]byte(content))
	}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if name == ".git" {
			return fs.SkipDir
		}
		if left := leftOut(rules, name, d.IsDir()); left && d.IsDir() {
			return fs.SkipDir
		} else if !left && !d.IsDir() {
			all = append(all, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

// leftOut asks the rules of the nearest folder first.
func leftOut(rules map[string]*Rules, name string, folder bool) bool {
	for at := path.Dir(name); ; at = path.Dir(at) {
		below, key := strings.TrimPrefix(name, at+"/"), at
		if at == "." {
			below, key = name, ""
		}
		if r := rules[key]; r != nil {
			if ignored, decided := r.Match(below, folder); decided {
				return ignored
			}
		}
		if at == "." {
			return false
		}
	}
}

// TestCostIsBounded: patterns that others need exponential time for end at once.
func TestCostIsBounded(t *testing.T) {
	t.Parallel()
	r := Parse(bytes.Repeat([]byte(strings.Repeat("*a", 200)+"b\n"+strings.Repeat("**/a/", 200)+"b\n"), 10))
	if ignored, decided := r.Match(strings.Repeat("a/", 500)+strings.Repeat("a", 1000), false); ignored || decided {
		t.Error("it matched")
	}
}
