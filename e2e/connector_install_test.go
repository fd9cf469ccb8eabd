//go:build !windows

package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"
)

// shop publishes connector acme/foodb, a project of loam connector new in Python, which
// needs no compiler.
type shop struct {
	t       *testing.T
	project string // of the connector
	dir     string // of the web server
	key     minisign.PublicKey
	private minisign.PrivateKey
	serial  int
	// versions are those of the index.
	versions map[string]any
}

func newShop(t *testing.T) *shop {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "/usr/bin/python3", "-c", "import grpc, google.protobuf").CombinedOutput(); err != nil {
		if os.Getenv("LOAM_REQUIRE_SERVERS") != "" {
			t.Fatalf("python3-grpcio and python3-protobuf are missing: %v\n%s", err, out)
		}
		t.Skipf("python3-grpcio and python3-protobuf are not installed: %v", err)
	}
	key, private, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	tool(t, dir, filepath.Join(bin, "loam"), "connector", "new", "acme/foodb", "--lang", "python")
	return &shop{t: t, project: filepath.Join(dir, "loam-connector-foodb"), dir: t.TempDir(), key: key, private: private, versions: map[string]any{}}
}

// release builds, packs and publishes a version.
func (s *shop) release(version string) {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.project, "describe.json"))
	if err != nil {
		s.t.Fatal(err)
	}
	var description map[string]any
	if err := json.Unmarshal(text, &description); err != nil {
		s.t.Fatal(err)
	}
	was := fmt.Sprintf("%q", description["version"])
	replace(s.t, filepath.Join(s.project, "describe.json"), was, fmt.Sprintf("%q", version))
	tool(s.t, s.project, "make", "build", "PYTHON=/usr/bin/python3")

	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	out := tar.NewWriter(zipped)
	tree := sha256.New()
	names := []string{"connector.json", "connector.py", "loam.py", "connector.binpb", "describe.json", "LICENSE"}
	slices.Sort(names)
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(s.project, name))
		if err == nil {
			err = out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: 0o644})
		}
		if err == nil {
			_, err = out.Write(content)
		}
		if err != nil {
			s.t.Fatal(err)
		}
		fmt.Fprintf(tree, "%x  0644  %s\n", sha256.Sum256(content), name)
	}
	if err := out.Close(); err != nil {
		s.t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		s.t.Fatal(err)
	}
	platform := runtime.GOOS + "_" + runtime.GOARCH
	name := "foodb_" + version + "_" + platform + ".tar.gz"
	s.put(name, packed.Bytes())
	s.versions[version] = map[string]any{
		"protocol": map[string]int{"major": 1, "minor": 1}, "level": "reads", "released": time.Now().UTC(), "yanked": "",
		"targets": map[string]any{platform: map[string]any{
			"url": name, "size": packed.Len(), "sha256": fmt.Sprintf("%x", sha256.Sum256(packed.Bytes())),
			"tree": "h1:" + base64.StdEncoding.EncodeToString(tree.Sum(nil)),
		}},
	}
	s.serial++
	index, err := json.Marshal(map[string]any{
		"index_version": 1, "name": "acme", "serial": s.serial, "created": time.Now().UTC(), "expires": time.Now().UTC().AddDate(0, 1, 0),
		"keys": map[string]any{"acme/*": []string{s.key.String()}}, "connectors": map[string]any{"acme/foodb": map[string]any{"display_name": "FooDB", "versions": s.versions}},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.put("index.json", index)
	s.put("index.json.minisig", minisign.Sign(s.private, index))
}

func (s *shop) put(name string, content []byte) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), content, 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// A connector is installed as the pages say, answers, is updated, rolled back and removed,
// and comes back from the lock when its server is gone.
func TestInstallAConnector(t *testing.T) {
	t.Parallel()
	heavy(t, "a connector is installed, updated and removed")
	s := newShop(t)
	s.release("0.3.0")
	server := httptest.NewServer(http.FileServer(http.Dir(s.dir)))
	t.Cleanup(server.Close)
	data := t.TempDir()
	dir := project(t, "version: 1\nconnections:\n  food: {connector: acme/foodb, config: {path: food.db}}\nconnector_indexes: ['"+server.URL+"/index.json']\n")
	tool(t, dir, "/usr/bin/python3", "-c", "import sqlite3; db = sqlite3.connect('food.db'); db.execute('create table meals (name text)'); db.execute(\"insert into meals values ('soup')\"); db.commit()")

	shell := func(script string) (string, int) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "sh", "-ec", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+bin+":/usr/bin:"+os.Getenv("PATH"), "XDG_DATA_HOME="+data, "LOAM_TRUST=1", "KEY="+s.key.String())
		out, _ := cmd.CombinedOutput() // the exit code says it
		return string(out), cmd.ProcessState.ExitCode()
	}
	wants := func(script string, code int, want string) {
		t.Helper()
		if out, got := shell(script); got != code || !strings.Contains(out, want) {
			t.Fatalf("%s: exit %d, want %d and %q:\n%s", script, got, code, want, out)
		}
	}
	const ask = `loam sql -c food "select name from meals"`
	blocks := func(page string) []string {
		text, err := os.ReadFile("../docs/connectors/" + page)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, block := range strings.Split(string(text), "```sh\n")[1:] {
			commands, _, _ := strings.Cut(block, "```")
			found = append(found, commands)
		}
		return found
	}

	wants("loam connector install acme/foodb --yes", 3, "which is not trusted on this machine")
	wants("loam connector install", 0, "nothing to install")
	for _, block := range blocks("installing.md") {
		if strings.Contains(block, "update") {
			s.release("0.4.0")
		}
		wants(block, 0, "")
		if strings.Contains(block, "rollback") {
			wants("loam connector list", 0, "0.3.0")
		}
		wants(ask, 0, "soup")
	}
	for _, block := range blocks("security.md") {
		wants(block, 0, "signed")
	}
	wants("loam connector remove acme/foodb --keep-lock", 0, "removed")
	wants(ask, 5, "loam connector install")
	server.Close()
	wants("loam connector install", 0, "installed acme/foodb 0.3.0")
	wants(ask, 0, "soup")

	// What is changed behind Loam's back does not start.
	installed, err := filepath.Glob(filepath.Join(data, "loam", "connectors", "acme", "foodb", "0.3.0", "*"))
	if err != nil || len(installed) != 1 {
		t.Fatalf("installed in %v, %v", installed, err)
	}
	if err := os.WriteFile(filepath.Join(installed[0], "sitecustomize.py"), []byte("print('evil')\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	wants(ask, 8, "its files are not those that were installed")
	wants("loam connector verify", 3, "its files are not those that were installed")
	wants("loam connector install", 0, "installed acme/foodb 0.3.0")
	wants(ask, 0, "soup")
	wants("loam connector remove acme/foodb", 0, "removed")
	wants("loam connector verify", 0, "")
}
