package serve

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

func readLine(t *testing.T, r io.Reader) string {
	t.Helper()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// inside runs a command of the test connector in this process.
func inside(t *testing.T, env map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	c := testConnector()
	c.Version = semantic(c.Version)
	out, errs := &output{}, &output{}
	p := &program{connector: c, name: "testdb", stdout: out, stderr: errs, scrubber: &wire.Scrubber{}, executable: os.Executable, getenv: func(name string) string { return env[name] }}
	return p.run(t.Context(), args), out.String(), errs.String()
}

func TestVersion(t *testing.T) {
	t.Parallel()
	code, stdout, _ := inside(t, nil, "version")
	if want := fmt.Sprintf("acme/testdb 1.2.3 (contract 1.%d, sdk go/%s)\n", sdk.ContractMinor, sdk.SDKVersion); code != exitOK || stdout != want {
		t.Errorf("%d, %q; want %q", code, stdout, want)
	}
}

func TestCheckRunsLoam(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a script stands in for loam")
	}
	dir := t.TempDir()
	loam := filepath.Join(dir, "loam")
	if err := os.WriteFile(loam, []byte("#!/bin/sh\necho \"$@\"\nexit \"$4\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]int{"0": exitOK, "1": exitFailed, "2": exitUsage, "130": exitFailed} {
		code, stdout, stderr := inside(t, map[string]string{"LOAM": loam}, "check", given, "--level", "reads")
		if code != want || stdout != "connector check "+self+" "+given+" --level reads\n" || stderr != "" {
			t.Errorf("exit %s of loam: %d, %q, %q", given, code, stdout, stderr)
		}
	}
	if code, _, stderr := inside(t, map[string]string{"LOAM": filepath.Join(dir, "missing")}, "check"); code != exitFailed || !strings.Contains(stderr, "set LOAM") {
		t.Errorf("without loam: %d, %q", code, stderr)
	}
}

func TestSemanticVersions(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"1.2.3": "1.2.3", "v1.2.3": "1.2.3", "v0.1.0-3-gfb07ed9-dirty": "0.1.0-3-gfb07ed9-dirty",
		"fb07ed9-dirty": "0.0.0-fb07ed9-dirty", "dev": "0.0.0-dev", "": "0.0.0-dev", "feature/x y": "0.0.0-feature-x-y",
	} {
		if got := semantic(given); got != want {
			t.Errorf("semantic(%q) = %q, want %q", given, got, want)
		}
	}
}

func TestManifest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binary := filepath.Join(dir, "loam-connector-testdb")
	if err := os.WriteFile(binary, []byte("program"), 0o700); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("program"))
	want := wire.Target{Path: "loam-connector-testdb", SHA256: hex.EncodeToString(sum[:]), Size: 7}
	file := filepath.Join(dir, wire.ManifestName)
	for range 2 { // the second time it replaces the file
		if code, stdout, stderr := inside(t, nil, "manifest", "--binary", binary, "--platform", "plan9_mips", "--output", file); code != exitOK || stdout != "" {
			t.Fatalf("%d, %q, %q", code, stdout, stderr)
		}
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := wire.DecodeManifest(content)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]wire.Target{"plan9_mips": want}, m.Targets); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	if m.Description.ID != "acme/testdb" || m.Description.Version != "1.2.3" {
		t.Errorf("description %+v", m.Description)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

func TestManifestOfItself(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := inside(t, nil, "manifest")
	if code != exitOK {
		t.Fatal(stderr)
	}
	m, err := wire.DecodeManifest([]byte(stdout))
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	want, err := measure(self)
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range m.Targets {
		if diff := cmp.Diff(want, target); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestManifestFailures(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		args []string
		want string
	}{
		{"no such binary", []string{"--binary", "/nonexistent"}, "cannot be read"},
		{"no such folder", []string{"--output", "/nonexistent/connector.json"}, "cannot be written"},
		{"bad platform", []string{"--platform", "linux"}, "is no platform"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if code, _, stderr := inside(t, nil, append([]string{"manifest"}, tc.args...)...); code != exitFailed || !strings.Contains(stderr, tc.want) {
				t.Errorf("%d, %q; want %q", code, stderr, tc.want)
			}
		})
	}
}

func TestQueryPrintsJSONLines(t *testing.T) {
	t.Parallel()
	trace := filepath.Join(t.TempDir(), "trace")
	config := `{"trace": "` + trace + `", "password": "env:PW", "tls": {"key": "env:KEY"}}`
	code, stdout, stderr := inside(t, map[string]string{"PW": secret, "KEY": "pem"}, "query", "--config", config, "--max-rows", "2", "key")
	if code != exitOK {
		t.Fatalf("%d, %q", code, stderr)
	}
	want := `{"columns":[{"name":"word","type":"text","nullable":false}]}
{"row":["pem"]}
{"row":["pem"]}
{"summary":{"rows":2,"truncated_by":"rows","elapsed_ms":`
	if !strings.HasPrefix(stdout, want) {
		t.Errorf("got\n%s\nwant\n%s", stdout, want)
	}
	if got := traced(t, trace); got != "open close" {
		t.Errorf("traced %q", got)
	}
}

func TestScanPrintsJSONLines(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := inside(t, nil, "scan", "--config", file, "--include", "a.*", "--include", "b.*")
	want := `{"warning":{"code":"","message":"note","object":"a.*,b.*"}}
{"table":{"name":"s.t","kind":"table","columns":[{"name":"id","type":"int64","native_type":"int","nullable":false}],"keys":[{"kind":"primary","columns":["id"]}],"row_estimate":7}}
{"summary":{"tables":1,"columns":1,"complete":true}}
`
	if code != exitOK || stdout != want {
		t.Errorf("%d, %q\n%s", code, stderr, cmp.Diff(want, stdout))
	}
}

func TestTryingLogsNoSecret(t *testing.T) {
	t.Parallel()
	cmd := self(t, "connector", "query", "--config", `{"password": "env:PW"}`, "log something")
	cmd.Env = append(cmd.Env, "PW="+secret)
	stderr := &output{}
	cmd.Stderr = stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if got := stderr.String(); strings.Contains(got, secret) || !strings.Contains(got, "wrong password [redacted]") {
		t.Errorf("logged %s", got)
	}
}

func TestTryingFails(t *testing.T) {
	t.Parallel()
	env := map[string]string{"PW": secret}
	for _, tc := range []struct {
		name   string
		config string
		sql    string
		want   string
	}{
		{"secret in the open", `{"password": "hunter2"}`, "say", `write "env:NAME"`},
		{"nested secret in the open", `{"tls": {"key": "pem"}}`, "say", "tls.key is a secret"},
		{"variable is not set", `{"password": "env:NOPE"}`, "say", "NOPE is not set"},
		{"no such file", "/nonexistent", "say", "cannot be read"},
		{"no JSON", "{", "say", "no JSON object"},
		{"unknown key", `{"hots": 1}`, "say", "hots: unknown key"},
		{"the warehouse refuses", `{"password": "env:PW"}`, "fail", "wrong password [redacted]\n  mend it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := inside(t, env, "query", "--config", tc.config, tc.sql)
			if code != exitFailed || stdout != "" || !strings.Contains(stderr, tc.want) || strings.Contains(stderr, "hunter2") {
				t.Errorf("%d, stdout %q, stderr %q; want %q", code, stdout, stderr, tc.want)
			}
		})
	}
}

func TestCellsInJSON(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		typ   sdk.Type
		value any
		want  string
	}{
		{sdk.TypeInt64, nil, `null`},
		{sdk.TypeBool, true, `true`},
		{sdk.TypeInt64, int64(1 << 53), `9007199254740992`},
		{sdk.TypeInt64, int64(1<<53 + 1), `"9007199254740993"`},
		{sdk.TypeInt64, int64(math.MinInt64), `"-9223372036854775808"`},
		{sdk.TypeFloat64, 1.5, `1.5`},
		{sdk.TypeFloat64, math.NaN(), `"NaN"`},
		{sdk.TypeFloat64, math.Inf(1), `"Infinity"`},
		{sdk.TypeFloat64, math.Inf(-1), `"-Infinity"`},
		{sdk.TypeDecimal, "12.50", `"12.50"`},
		{sdk.TypeText, "a<b", `"a<b"`},
		{sdk.TypeBytes, []byte{0xff}, `"/w=="`},
		{sdk.TypeJSON, `{"a":[1]}`, `{"a":[1]}`},
		{sdk.TypeJSON, `broken`, `"broken"`},
		{sdk.TypeDate, int64(0), `"1970-01-01"`},
		{sdk.TypeDate, int64(sdk.Infinity), `"infinity"`},
		{sdk.TypeDate, int64(sdk.NegativeInfinity), `"-infinity"`},
		{sdk.TypeDate, int64(-735_000), `"-000043-08-22"`},
		{sdk.TypeDate, int64(3_000_000), `"+010183-09-21"`},
		{sdk.TypeTime, int64(3_723_000_001), `"01:02:03.000001"`},
		{sdk.TypeTimestamp, int64(-1_000_000), `"1969-12-31T23:59:59"`},
		{sdk.TypeTimestampTZ, int64(1_500_000), `"1970-01-01T00:00:01.5Z"`},
	} {
		t.Run(tc.typ.String()+" "+tc.want, func(t *testing.T) {
			t.Parallel()
			out := &output{}
			l := newLines(&program{stdout: out})
			w := sdk.NewRowWriter(&rowLines{lines: l}, sdk.Limits{})
			if err := w.Columns(sdk.Column{Type: tc.typ}); err != nil {
				t.Fatal(err)
			}
			appendCell(w, tc.value)
			if err := w.EndRow(); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if err := l.flush(); err != nil {
				t.Fatal(err)
			}
			var line struct{ Row []json.RawMessage }
			for text := range strings.Lines(out.String()) {
				if err := json.Unmarshal([]byte(text), &line); err != nil {
					t.Fatal(err)
				}
			}
			if got := string(line.Row[0]); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func appendCell(w *sdk.RowWriter, value any) {
	switch v := value.(type) {
	case nil:
		w.Null()
	case bool:
		w.Bool(v)
	case int64:
		w.Int64(v)
	case float64:
		w.Float64(v)
	case string:
		w.Text(v)
	case []byte:
		w.Bytes(v)
	}
}

func TestOutputThatCloses(t *testing.T) {
	t.Parallel()
	c := testConnector()
	c.Version = semantic(c.Version)
	errs := &output{}
	p := &program{connector: c, name: "testdb", scrubber: &wire.Scrubber{}, stdout: closedOutput{}, stderr: errs, getenv: func(string) string { return "" }}
	if code := p.run(context.Background(), []string{"query", "say x"}); code != exitFailed || !strings.Contains(errs.String(), "closed") {
		t.Errorf("%d, %q", code, errs)
	}
}

type closedOutput struct{}

func (closedOutput) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
