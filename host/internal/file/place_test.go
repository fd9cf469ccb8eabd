package file

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestStateDir(t *testing.T) {
	t.Parallel()
	home, set := filepath.FromSlash("/home/ann"), t.TempDir()
	for _, tt := range []struct{ goos, variable, value, want string }{
		{"linux", "", "", "/home/ann/.local/state/loam"},
		{"linux", "XDG_STATE_HOME", set, filepath.Join(set, "loam")},
		{"linux", "XDG_STATE_HOME", "relative", "/home/ann/.local/state/loam"},
		{"darwin", "XDG_STATE_HOME", set, "/home/ann/Library/Application Support/loam"},
		{"windows", "LOCALAPPDATA", set, filepath.Join(set, "loam")},
		{"windows", "", "", "/home/ann/AppData/Local/loam"},
	} {
		getenv := func(name string) string {
			if name == tt.variable {
				return tt.value
			}
			return ""
		}
		if got := StateDir(tt.goos, home, getenv); got != filepath.FromSlash(tt.want) {
			t.Errorf("%s, %s=%s: %s, want %s", tt.goos, tt.variable, tt.value, got, tt.want)
		}
	}
}

func TestWithin(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("making links needs a right there")
	}
	base := t.TempDir()
	project := filepath.Join(base, "project")
	for _, dir := range []string{"project/data", "elsewhere", "project-2"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"project/data/a.db", "elsewhere/a.db", "project-2/a.db"} {
		if err := os.WriteFile(filepath.Join(base, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"project/in": "data", "project/out": "../elsewhere", "project/file": "../elsewhere/a.db", "project/nowhere": "../elsewhere/none/b.db",
		"project/absolute": filepath.Join(base, "project/data"), "project/loop": "loop", "project/twice": "out/a.db", "project/inner": "data/none", "other": "project",
	} {
		if err := os.Symlink(target, filepath.Join(base, link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"data/a.db": "data/a.db", "data/none.db": "data/none.db", "none/none.db": "none/none.db", "data/../data/a.db": "data/a.db",
		"in/a.db": "data/a.db", "absolute/a.db": "data/a.db", "inner": "data/none", ".": ".",
		"out/a.db": "", "out/none/b.db": "", "file": "", "nowhere": "", "twice": "", "..": "", "../project-2/a.db": "", "../elsewhere/a.db": "", "/etc/passwd": "",
	} {
		full := path
		if !filepath.IsAbs(path) {
			full = project + "/" + path // Join would take the dots out
		}
		for _, dir := range []string{project, filepath.Join(base, "other")} {
			below, ok := Within(dir, full)
			if ok != (want != "") || below != want && ok {
				t.Errorf("%s in %s: %q, %t; want %q", path, dir, below, ok, want)
			}
		}
	}
	if _, ok := Within(filepath.Join(base, "gone"), filepath.Join(base, "gone/a.db")); ok {
		t.Error("a folder that does not exist has something in it")
	}
}

func TestWritable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{dir: true, filepath.Join(dir, "a", "b"): true, file: false, filepath.Join(file, "below"): false} {
		if got := Writable(path); got != want {
			t.Errorf("Writable(%s) = %v", path, got)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("there is %v (%v)", entries, err)
	}
}
