//go:build linux

package connector

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/loam-data/loam/sdk"
)

// What lies in the folder of a connector that a project names by path can be made by anybody. What an
// interpreter would read elsewhere, and what is no file, is refused without being read.
func TestFolderOfAStranger(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		make func(dir, outside string) error // the file more.py
		want string                          // "" = it runs
	}{
		"a file":                   {func(dir, _ string) error { return os.WriteFile(filepath.Join(dir, "more.py"), []byte("x"), 0o644) }, ""},
		"a link within the folder": {func(dir, _ string) error { return os.Symlink("real.py", filepath.Join(dir, "more.py")) }, ""},
		"a link that leads out": {func(dir, outside string) error {
			return os.Symlink(filepath.Join(outside, "x"), filepath.Join(dir, "more.py"))
		}, "leads out of its folder"},
		"a link to a link out":        {func(dir, outside string) error { return chain(dir, outside) }, "leads out of its folder"},
		"a link to itself":            {func(dir, _ string) error { return os.Symlink("more.py", filepath.Join(dir, "more.py")) }, "is not the expected file"},
		"a link to nothing":           {func(dir, _ string) error { return os.Symlink("none", filepath.Join(dir, "more.py")) }, "is not the expected file"},
		"a link to an endless device": {func(dir, _ string) error { return os.Symlink("/dev/zero", filepath.Join(dir, "more.py")) }, "leads out of its folder"},
		"a named pipe":                {func(dir, _ string) error { return syscall.Mkfifo(filepath.Join(dir, "more.py"), 0o600) }, "is no regular file"},
		"a folder":                    {func(dir, _ string) error { return os.Mkdir(filepath.Join(dir, "more.py"), 0o755) }, "is no regular file"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := install(t, "chaos", nil)
			dir, outside := filepath.Dir(c.Manifest), t.TempDir()
			for _, path := range []string{filepath.Join(dir, "real.py"), filepath.Join(outside, "x")} {
				if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := test.make(dir, outside); err != nil {
				t.Fatal(err)
			}
			c.Argv = []string{"sh", c.Binary}
			c.Files = map[string]string{filepath.Join(dir, "more.py"): "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"} // of "x"
			exe, err := newVerifier("", NewSums()).open(c)
			if err == nil {
				err = exe.file.Close()
			}
			if test.want == "" && err != nil || test.want != "" && (sdk.KindOf(err) != sdk.KindDenied || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// chain makes more.py a link to a link in a folder that is a link.
func chain(dir, outside string) error {
	if err := os.Symlink(outside, filepath.Join(dir, "sub")); err != nil {
		return err
	}
	return os.Symlink(filepath.Join("sub", "x"), filepath.Join(dir, "more.py"))
}

// A manifest is read to a bound, and a guard that would be slow for each statement is refused.
func TestManifestOfAStranger(t *testing.T) {
	t.Parallel()
	c := install(t, "chaos", nil)
	text, err := os.ReadFile(c.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	guarded := func(patterns ...string) func() error {
		rules := `"functions":[`
		for i, p := range patterns {
			rules += strings.Repeat(",", min(i, 1)) + fmt.Sprintf(`{"pattern":%q,"reason":"x"}`, p)
		}
		bomb := regexp.MustCompile(`"guard":\s*\{`).ReplaceAllLiteral(text, []byte(`"guard":{`+rules+`],`))
		return func() error { return os.WriteFile(c.Manifest, bomb, 0o644) }
	}
	for _, test := range []struct {
		name string
		make func() error
		want string
	}{
		{"a long pattern", guarded("*" + strings.Repeat("a", 1<<20) + "b*"), "patterns of the guard"},
		{"many patterns", guarded(strings.Fields(strings.Repeat("*a ", 2000))...), "2001 rules"},
		{"what a manifest may be", guarded("*writes*"), ""},
		{"a terabyte", func() error { return os.Truncate(c.Manifest, 1<<40) }, "larger than 16 MiB"},
	} {
		if err := test.make(); err != nil {
			t.Fatal(err)
		}
		_, err := NewRegistry(nil).Find("chaos", c.Manifest)
		if test.want == "" && err != nil || test.want != "" && (sdk.KindOf(err) != sdk.KindInvalid || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %.300v, want %q", test.name, err, test.want)
		}
	}
}
