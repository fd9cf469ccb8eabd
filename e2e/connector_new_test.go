//go:build !windows

package e2e

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// followed runs the commands of a page, outside the repository, and returns the folder of
// the project that they write. No release has the sdk yet: a Go project gets that of the
// repository.
func followed(t *testing.T, page string, env ...string) (dir, output string) {
	t.Helper()
	script := commandsOf(t, page)
	const enters = "cd loam-connector-foodb\n"
	if !strings.Contains(script, enters) {
		t.Fatalf("%s has no %q", page, enters)
	}
	if strings.Contains(page, "writing") {
		script = strings.Replace(script, enters, enters+strings.Join(ownModules(t), " ")+"\n", 1)
	}
	dir = t.TempDir()
	return filepath.Join(dir, "loam-connector-foodb"), inShell(t, dir, script, env...)
}

// commandsOf is a script of the commands of a page.
func commandsOf(t *testing.T, page string) string {
	t.Helper()
	return "set -e\n" + strings.Join(commandsIn(t, page), "")
}

// ownModules is the command that gives a project the modules of the repository.
func ownModules(t *testing.T) []string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	edit := []string{"go", "mod", "edit"}
	for _, module := range []string{"sdk", "proto"} {
		edit = append(edit, "-replace", "github.com/loam-data/loam/"+module+"="+filepath.Join(root, module))
	}
	return edit
}

// inShell runs a script that must succeed and returns its output.
func inShell(t *testing.T, dir, script string, env ...string) string {
	t.Helper()
	return tool(t, dir, append([]string{"env", "PATH=" + bin + ":/usr/bin:" + os.Getenv("PATH")}, append(env, "sh", "-c", script)...)...)
}

// tool runs a program that must succeed and returns its output.
func tool(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "LOAM="+filepath.Join(bin, "loam"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// checked is the document of loam connector check.
type checked struct {
	Level   string   `json:"level"`
	Lacks   []string `json:"lacks"`
	Failed  int      `json:"failed"`
	Results []struct {
		Group    string `json:"group"`
		Check    string `json:"check"`
		Outcome  string `json:"outcome"`
		Breaks   string `json:"breaks"`
		Findings []struct {
			Text      string `json:"text"`
			Statement string `json:"statement"`
			Wanted    string `json:"wanted"`
			Got       string `json:"got"`
		} `json:"findings"`
	} `json:"results"`
}

// check runs the checks of a project and returns their document and the exit code.
func check(t *testing.T, dir string, args ...string) (checked, int) {
	t.Helper()
	r := loam(t, dir, append([]string{"connector", "check", "--json", "--fixture", "check.yaml"}, args...)...)
	var document checked
	if err := json.Unmarshal([]byte(r.stdout), &document); err != nil {
		t.Fatalf("exit %d: %v\n%s%s", r.code, err, r.stdout, r.stderr)
	}
	return document, r.code
}

// replace changes a text in a file.
func replace(t *testing.T, path, old, with string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(old)) {
		t.Fatalf("%s has no %q", path, old)
	}
	if err := os.WriteFile(path, bytes.Replace(text, []byte(old), []byte(with), 1), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The whole way of a connector in Go: a stranger writes a project, which passes as it is, publishes
// it, and somebody else installs it. What is spoilt in it afterwards is found and shown.
func TestANewConnector(t *testing.T) {
	t.Parallel()
	heavy(t, "a new connector is built, checked, published and installed")
	dir, out := followed(t, "writing.md")
	program := "build/loam-connector-foodb"
	for _, want := range []string{"\nlevel: full\n", "\nlevel: none (\"basic\" needs a fixture", `["Grace"]`} {
		if !strings.Contains(out, want) {
			t.Errorf("the commands of the page do not show %q:\n%s", want, out)
		}
	}
	var report struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.xml"))
	if err == nil {
		err = xml.Unmarshal(text, &report)
	}
	if err != nil || report.Tests < 400 || report.Failures != 0 {
		t.Errorf("the report: %+v, %v", report, err)
	}
	if unformatted := tool(t, dir, "gofmt", "-l", "."); unformatted != "" {
		t.Errorf("not formatted: %s", unformatted)
	}
	vetted(t, dir)
	tool(t, dir, "env", "GOFLAGS="+os.Getenv("GOFLAGS")+" -vet=off", "make", "test")

	published(t, dir)
	next := publisher{t: t, dir: dir, key: "next.key", manifest: "build/next", build: "make build VERSION=0.2.0 && mkdir build/next && " +
		"cp LICENSE " + program + " build/next && cp " + program + ".json build/next/connector.json"}
	newPerson(t, next, "build/admin food.db").goesTheWay(func() { next.release("0.2.0") })

	spoilt(t, dir, program)
}

// vetted runs the analyzers of go vet, which itself would analyze every dependency.
func vetted(t *testing.T, dir string) {
	t.Helper()
	vet := filepath.Join(t.TempDir(), "vet")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", vet, "./vet")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tool(t, dir, vet, "./...")
}

// spoilt wants that wrong SQL of the dialect is shown with its statement and what it means for a
// user, and that a connector without its boundary changes data.
func spoilt(t *testing.T, dir, program string) {
	t.Helper()
	replace(t, filepath.Join(dir, "dialect.json"), `"agg.sum": "SUM({x})"`, `"agg.sum": "COUNT({x})"`)
	replace(t, filepath.Join(dir, "main.go"), `"?mode=ro"`, `"?mode=rw"`)
	replace(t, filepath.Join(dir, "main.go"), "return sqlite.AuthorizerDeny", "return sqlite.AuthorizerOK")
	tool(t, dir, "make", "build")
	c, code := check(t, dir, program, "--case", "dialect/sum", "--case", "read_only/insert", "--case", "types/*")
	failed := map[string]string{}
	for _, r := range c.Results {
		if r.Outcome == "failed" {
			failed[r.Group+"/"+r.Check] = r.Findings[0].Statement + r.Findings[0].Text + r.Breaks
		}
	}
	if code != 1 || c.Level != "none" || len(failed) < 2 || !strings.Contains(failed["dialect/sum"], "COUNT(") || !strings.Contains(failed["read_only/insert"], "the data changed") {
		t.Errorf("spoilt: exit %d, level %s, failed %q", code, c.Level, failed)
	}

	// The program is not the one of its manifest any more.
	if err := os.WriteFile(filepath.Join(dir, program), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if r := loam(t, dir, "connector", "check", program); r.code == 0 || !strings.Contains(r.stderr, "is not the expected file") {
		t.Errorf("another program: exit %d: %s", r.code, r.stderr)
	}
}

// The same in Python, with the distribution's packages, which scripts/setup installs.
func TestANewConnectorInPython(t *testing.T) {
	t.Parallel()
	heavy(t, "a new connector in Python is checked, published and installed")
	if out, err := exec.CommandContext(t.Context(), "/usr/bin/python3", "-c", "import grpc, google.protobuf").CombinedOutput(); err != nil {
		if os.Getenv("LOAM_REQUIRE_SERVERS") != "" {
			t.Fatalf("python3-grpcio and python3-protobuf are missing: %v\n%s", err, out)
		}
		t.Skipf("python3-grpcio and python3-protobuf are not installed: %v", err)
	}
	dir, out := followed(t, "other-languages.md")
	if strings.Contains(out, "FAILED") || strings.Count(out, "\nlevel: none") != 2 || !strings.Contains(out, "foreign        14 ok    1 skipped") {
		t.Errorf("the commands of the page:\n%s", out)
	}
	out = tool(t, dir, "env", "PATH="+bin+":/usr/bin:"+os.Getenv("PATH"), "make", "check",
		"CHECKFLAGS=--case open --case stream/order --case limits/rows --case limits/cell --case cancel/cancel --case cancel/deadline --case drain --case concurrent/wait --case scan --case dialect/add --case 'read_only/insert*'")
	if strings.Contains(out, "FAILED") || !strings.Contains(out, "concurrent") {
		t.Errorf("make check:\n%s", out)
	}

	p := publisher{t: t, dir: dir, key: "acme.key", manifest: "connector.json", build: "make build PYTHON=/usr/bin/python3"}
	inShell(t, dir, "loam connector keygen acme.key --unencrypted")
	p.release("0.1.0")
	newPerson(t, p, "python3 admin.py food.db").goesTheWay(func() {
		replace(t, filepath.Join(dir, "describe.json"), `"version": "0.1.0"`, `"version": "0.2.0"`)
		p.release("0.2.0")
	})

	// Its manifest lists every file that runs.
	if err := os.WriteFile(filepath.Join(dir, "loam.py"), []byte("raise SystemExit(0)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := loam(t, dir, "connector", "check", "./connector.json"); r.code == 0 || !strings.Contains(r.stderr, "loam.py is not the expected file") {
		t.Errorf("another file: exit %d: %s", r.code, r.stderr)
	}
}

func TestANewConnectorIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"foodb"}, 2, "NAMESPACE/NAME"},
		{[]string{"Acme/FooDB"}, 2, "NAMESPACE/NAME"},
		{[]string{"../x"}, 2, "NAMESPACE/NAME"},
		{[]string{"acme/foodb", "--lang", "cobol"}, 2, "only in go, python"},
		{[]string{"acme/foodb", "--dir", dir}, 6, "not empty"},
	} {
		r := loam(t, t.TempDir(), append([]string{"connector", "new"}, tt.args...)...)
		if r.code != tt.code || !strings.Contains(r.stderr, tt.want) {
			t.Errorf("%v: exit %d: %s", tt.args, r.code, r.stderr)
		}
	}
}

// Ctrl-C ends the checks and the connector.
func TestConnectorCheckIsInterrupted(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "loam"), "connector", "check", "sqlite")
	cmd.Dir = t.TempDir()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 1) // the heading: the checks have begun
	if _, err := stdout.Read(first); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	var rest bytes.Buffer
	_, _ = rest.ReadFrom(stdout)
	timer := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("%v: %s%s", err, rest.String(), stderr.String())
	}
	if strings.Contains(rest.String(), "level:") {
		t.Errorf("the checks went on:\n%s", rest.String())
	}
}
