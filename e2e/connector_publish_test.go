//go:build !windows

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// publisher is the author of a connector.
type publisher struct {
	t *testing.T
	// dir is the project, manifest what package is given and build the command that makes it.
	dir, key, manifest, build string
}

// release builds, packages, signs and publishes a version as publishing.md says, without its check,
// which takes longer than all of that.
func (p publisher) release(version string) {
	p.t.Helper()
	out := "dist/foodb/" + version
	inShell(p.t, p.dir, p.build+` && loam connector package "$MANIFEST" --unchecked --out "$OUT" && loam connector sign "$OUT" --key "$KEY" && `+
		`loam connector index add --index dist/index.json --key "$KEY" "$OUT"/*.tar.gz`, "MANIFEST="+p.manifest, "OUT="+out, "KEY="+p.key)
}

// published runs the commands of publishing.md in a project as it is generated: a key, a check,
// release.sh for one platform, an index, a withdrawn version, other keys.
func published(t *testing.T, dir string) {
	t.Helper()
	out := inShell(t, dir, commandsOf(t, "publishing.md"))
	for _, want := range []string{"packaged acme/foodb 0.1.0 (check: ", "foodb_0.1.0_linux_amd64.tar.gz", "signed 1 files", "added 1 archives", "withdrew acme/foodb 0.1.0", "serial 6, good until", "pushed 3 files to oci:layout:0.1.0", "pushed 3 files to oci:layout:index"} {
		if !strings.Contains(out, want) {
			t.Errorf("the commands of the page do not show %q:\n%s", want, out)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "dist/index.json"))
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join(dir, "next.key.pub"))
	if err != nil {
		t.Fatal(err)
	}
	var index struct {
		Keys       map[string][]string `json:"keys"`
		Connectors map[string]struct {
			Versions map[string]struct {
				Level   string `json:"level"`
				Yanked  string `json:"yanked"`
				Targets map[string]struct {
					URL string `json:"url"`
				} `json:"targets"`
			} `json:"versions"`
		} `json:"connectors"`
	}
	if err := json.Unmarshal(text, &index); err != nil {
		t.Fatal(err)
	}
	v := index.Connectors["acme/foodb"].Versions["0.1.0"]
	if v.Level != "reads" || v.Yanked != "" || v.Targets["linux_amd64"].URL != "foodb/0.1.0/foodb_0.1.0_linux_amd64.tar.gz" {
		t.Errorf("%s", text)
	}
	if keys := index.Keys["acme/*"]; len(keys) != 1 || !strings.Contains(string(key), keys[0]) {
		t.Errorf("keys %q, the new one is %s", keys, key)
	}

	// The same inputs are packaged to the same bytes.
	again := t.TempDir()
	if r := loam(t, dir, "connector", "package", "build/release/linux_amd64", "--check", "build/check.json", "--out", again); r.code != 0 {
		t.Fatalf("exit %d: %s", r.code, r.stderr)
	}
	first, second := "dist/foodb/0.1.0/SHA256SUMS", filepath.Join(again, "SHA256SUMS")
	tool(t, dir, "cmp", first, second)

	// What is packaged is not what was checked, or was not checked at all.
	if r := loam(t, dir, "connector", "package", "build/release/linux_amd64", "--out", again); r.code != 2 || !strings.Contains(r.stderr, "--unchecked") {
		t.Errorf("without a report: exit %d: %s", r.code, r.stderr)
	}
	if err := os.WriteFile(filepath.Join(dir, "build/release/linux_amd64/loam-connector-foodb"), []byte("another program"), 0o755); err != nil {
		t.Fatal(err)
	}
	if r := loam(t, dir, "connector", "package", "build/release/linux_amd64", "--check", "build/check.json", "--out", again); r.code == 0 || !strings.Contains(r.stderr, "is not the file of the manifest") {
		t.Errorf("another program: exit %d: %s", r.code, r.stderr)
	}
}
