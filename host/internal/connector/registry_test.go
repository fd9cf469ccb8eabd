package connector

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

var here = wire.PlatformName(runtime.GOOS, runtime.GOARCH)

// writeManifest writes one for a connector that no program belongs to: finding
// must need none.
func writeManifest(t *testing.T, path, id, version, platform string) {
	t.Helper()
	content, err := wire.EncodeManifest(wire.Manifest{
		Description: sdk.Description{ID: id, Version: version, DisplayName: id, License: "MIT"},
		Targets:     map[string]wire.Target{platform: {Path: "program", SHA256: strings.Repeat("a", 64), Size: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, string(content))
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// shelf is two places with connectors good and bad.
func shelf(t *testing.T) (bundled, user string, r *Registry) {
	t.Helper()
	dir := t.TempDir()
	bundled, user = filepath.Join(dir, "bin"), filepath.Join(dir, "with [a] star *")
	writeManifest(t, filepath.Join(bundled, "loam-connector-one.json"), "one", "1.0.0", here)
	writeManifest(t, filepath.Join(bundled, "loam-connector-foreign.json"), "foreign", "1.0.0", "plan9_mips")
	write(t, filepath.Join(bundled, "loam-connector-bad.json"), "{")
	write(t, filepath.Join(bundled, "other.json"), "{")
	writeManifest(t, filepath.Join(user, "loam-connector-one.json"), "one", "9.0.0", here)
	writeManifest(t, filepath.Join(user, "loam-connector-foo.json"), "acme/foo", "1.0.0", here)
	for _, version := range []string{"1.9.0", "1.10.0", "1.10.0-rc1"} {
		writeManifest(t, filepath.Join(user, "acme", "bar", version, here, "connector.json"), "acme/bar", version, here)
	}
	writeManifest(t, filepath.Join(user, "loam", "two", "1.0.0", here, "connector.json"), "two", "1.0.0", here)
	write(t, filepath.Join(user, "acme", "bad", "1.0.0", here, "connector.json"), `{"manifest_version":1,"id":"acme/bad","version":"1.0.0","protocol":{"major":7}}`)
	return bundled, user, NewRegistry([]Place{{Dir: bundled, Bundled: true}, {Dir: filepath.Join(dir, "absent")}, {Dir: user}})
}

func TestListNamesEveryConnectorOnce(t *testing.T) {
	t.Parallel()
	_, _, r := shelf(t)
	var got []string
	for _, c := range r.List() {
		line := c.Name + " " + c.Description.Version
		if c.Bundled {
			line += " bundled"
		}
		if c.Err != nil {
			line = c.Name + " " + string(sdk.KindOf(c.Err))
		}
		got = append(got, line)
	}
	want := []string{
		"acme/bad unsupported", "acme/bar 1.10.0", "acme/foo 1.0.0", "bad invalid", "foreign unsupported",
		"one 1.0.0 bundled", "two 1.0.0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	bundled, user, r := shelf(t)
	deep := filepath.Join(user, "acme", "bar", "1.10.0", here)
	cases := map[string]struct {
		name, path string
		binary     string
		kind       sdk.Kind
		says       string
	}{
		"by name":                  {name: "one", binary: filepath.Join(bundled, "program")},
		"by name, of a source":     {name: "acme/foo", binary: filepath.Join(user, "program")},
		"newest version":           {name: "acme/bar", binary: filepath.Join(deep, "program")},
		"bundled, in the library":  {name: "two", binary: filepath.Join(user, "loam", "two", "1.0.0", here, "program")},
		"short name of another":    {name: "foo", kind: sdk.KindNotFound, says: "installed: acme/bar, acme/foo, one, two"},
		"unknown":                  {name: "nope", kind: sdk.KindNotFound, says: `connector "nope" is not installed`},
		"broken":                   {name: "bad", kind: sdk.KindInvalid, says: filepath.Join(bundled, "loam-connector-bad.json")},
		"other platform":           {name: "foreign", kind: sdk.KindUnsupported, says: here},
		"newer contract":           {name: "acme/bad", kind: sdk.KindUnsupported, says: "contract 7"},
		"outside of the place":     {name: "../../etc", kind: sdk.KindNotFound},
		"pattern":                  {name: "*", kind: sdk.KindNotFound},
		"path of the manifest":     {name: "acme/bar", path: filepath.Join(deep, "connector.json"), binary: filepath.Join(deep, "program")},
		"path of the folder":       {name: "acme/bar", path: deep, binary: filepath.Join(deep, "program")},
		"path that is relative":    {name: "one", path: "bin/program", kind: sdk.KindInvalid, says: "not absolute"},
		"path of nothing":          {name: "one", path: filepath.Join(bundled, "gone"), kind: sdk.KindNotFound, says: "not at its path"},
		"path of another":          {name: "two", path: deep, kind: sdk.KindInvalid, says: `for connector "acme/bar"`},
		"path of a broken one":     {name: "bad", path: filepath.Join(bundled, "loam-connector-bad.json"), kind: sdk.KindInvalid},
		"path without a manifest":  {name: "one", path: filepath.Join(bundled, "other.json"), kind: sdk.KindInvalid},
		"path of a bare directory": {name: "one", path: bundled, kind: sdk.KindNotFound, says: "has no manifest"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := r.Find(test.name, test.path)
			if sdk.KindOf(err) != test.kind || got.Binary != test.binary {
				t.Fatalf("Find = %q, %v; want %q, %q", got.Binary, err, test.binary, test.kind)
			}
			if err == nil {
				return
			}
			if !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %v does not say %q", err, test.says)
			}
			if e, ok := errors.AsType[*sdk.Error](err); !ok || e.Hint == "" {
				t.Errorf("error %v has no hint", err)
			}
		})
	}
}

func TestManifestIsReadAgainWhenItChanges(t *testing.T) {
	t.Parallel()
	bundled, _, r := shelf(t)
	version := func() string {
		t.Helper()
		c, err := r.Find("one", "")
		if err != nil {
			t.Fatal(err)
		}
		return c.Description.Version
	}
	path := filepath.Join(bundled, "loam-connector-one.json")
	if got := version(); got != "1.0.0" {
		t.Errorf("version %s", got)
	}
	writeManifest(t, path, "one", "1.0.1", here)
	later := time.Now().Add(time.Second)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	if got := version(); got != "1.0.1" {
		t.Errorf("version %s after the change, want 1.0.1", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := version(); got != "9.0.0" {
		t.Errorf("version %s without it, want that of the next place", got)
	}
}

func TestPlaces(t *testing.T) {
	t.Setenv(EnvPath, strings.Join([]string{"/first", "relative", "/second"}, string(filepath.ListSeparator)))
	t.Setenv("XDG_DATA_HOME", "/data")
	places := Places()
	var dirs []string
	for _, p := range places {
		if !filepath.IsAbs(p.Dir) {
			t.Errorf("%q is not absolute", p.Dir)
		}
		dirs = append(dirs, p.Dir)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"/first", "/second", filepath.Dir(exe), filepath.Join(filepath.Dir(exe), "..", "lib", "loam", "connectors"), "/data/loam/connectors"}
	if diff := cmp.Diff(want, dirs[:min(len(want), len(dirs))]); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	if bundled := slices.IndexFunc(places, func(p Place) bool { return p.Bundled }); bundled != 2 {
		t.Errorf("the first bundled place is number %d, want 2", bundled)
	}
}

func TestCompareVersions(t *testing.T) {
	t.Parallel()
	ordered := []string{"0.9.9", "1.0.0-alpha", "1.0.0-rc1", "1.0.0", "1.2.0", "1.10.0", "10.0.0"}
	for i, a := range ordered {
		for j, b := range ordered {
			if got, want := compareVersions(a, b), min(1, max(-1, i-j)); got != want {
				t.Errorf("%s against %s: %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestCommandLineOfAnotherLanguage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	content, err := wire.EncodeManifest(wire.Manifest{
		Description: sdk.Description{ID: "acme/py", Version: "1.0.0"},
		Targets: map[string]wire.Target{here: {
			Path: "plugin.py", SHA256: strings.Repeat("a", 64), Size: 1, Argv: []string{"python3", "-u", "plugin.py", "lib/x.py"},
		}},
		Files: map[string]string{"lib/x.py": strings.Repeat("b", 64)},
	})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "connector.json"), string(content))
	c, err := NewRegistry(nil).Find("acme/py", dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"python3", "-u", filepath.Join(dir, "plugin.py"), filepath.Join(dir, "lib", "x.py")}
	if diff := cmp.Diff(want, c.Argv); diff != "" {
		t.Errorf("Argv (-want +got):\n%s", diff)
	}
	if got := c.Files[filepath.Join(dir, "lib", "x.py")]; got != strings.Repeat("b", 64) {
		t.Errorf("Files = %v", c.Files)
	}
}

// In the store, the project's lock decides which version is used.
func TestLockedVersion(t *testing.T) {
	t.Parallel()
	_, user, _ := shelf(t)
	locked := "1.9.0"
	r := NewLockedRegistry([]Place{{Dir: user, Store: true}}, func(name string) string {
		if name == "acme/bar" {
			return locked
		}
		return ""
	})
	c, err := r.Find("acme/bar", "")
	if err != nil || c.Description.Version != locked || !c.Stored || c.ByPath {
		t.Errorf("found %s stored %v by path %v, %v; want %s, stored", c.Description.Version, c.Stored, c.ByPath, err, locked)
	}
	for _, c := range r.List() {
		if c.Name == "acme/bar" && c.Description.Version != locked {
			t.Errorf("listed is %s, want %s", c.Description.Version, locked)
		}
	}
	if c, err := r.Find("acme/bar", filepath.Join(user, "acme", "bar", "1.10.0", here)); err != nil || !c.ByPath || c.Stored {
		t.Errorf("by its path: stored %v, by path %v, %v", c.Stored, c.ByPath, err)
	}
	locked = "2.0.0"
	if _, err := r.Find("acme/bar", ""); sdk.KindOf(err) != sdk.KindNotFound || !strings.Contains(sdk.AsError(err, sdk.SourceHost).Hint, "loam connector install") {
		t.Errorf("a locked version that is not installed: %v", err)
	}
}

// How a connector was found is of the place and not of its manifest, which is read once.
func TestAManifestByPathIsNotBundled(t *testing.T) {
	t.Parallel()
	bundled, _, r := shelf(t)
	if c, err := r.Find("one", ""); err != nil || !c.Bundled || c.ByPath {
		t.Fatalf("by name: bundled %v, by path %v, %v", c.Bundled, c.ByPath, err)
	}
	if c, err := r.Find("one", filepath.Join(bundled, "loam-connector-one.json")); err != nil || c.Bundled || !c.ByPath {
		t.Errorf("by path: bundled %v, by path %v, %v", c.Bundled, c.ByPath, err)
	}
}
