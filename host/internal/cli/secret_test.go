package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/secret"
)

// ring is a key ring in memory.
type ring map[string]string

func (r ring) Get(_, name string) (string, error) { return r[name], nil }
func (r ring) Set(_, name, value string) error    { r[name] = value; return nil }
func (r ring) Delete(_, name string) error        { delete(r, name); return nil }

// The value comes from standard input, goes into the key ring, and nowhere else.
func TestSecret(t *testing.T) {
	t.Parallel()
	held := ring{}
	loam := func(stdin string, args ...string) (code int, stdout, stderr string) {
		t.Helper()
		var out, err bytes.Buffer
		code = Run(t.Context(), Program{Keys: secret.NewKeys(held)}, append([]string{"secret"}, args...), strings.NewReader(stdin), &out, &err)
		return code, out.String(), err.String()
	}
	if code, stdout, stderr := loam("hunter2 \r\n", "set", "warehouse"); code != 0 || held["warehouse"] != "hunter2 " || stdout != "" || !strings.Contains(stderr, "keyring:warehouse") || strings.Contains(stderr, "hunter2") {
		t.Errorf("set: exit %d, %q, %q, kept %q", code, stdout, stderr, held)
	}
	if code, stdout, stderr := loam("other", "set", "warehouse", "--json"); code != 0 || held["warehouse"] != "other" || !strings.Contains(stdout, `"reference": "keyring:warehouse"`) && !strings.Contains(stdout, `"reference":"keyring:warehouse"`) || stderr != "" {
		t.Errorf("set again: exit %d, %q, %q", code, stdout, stderr)
	}
	if code, _, stderr := loam("\n", "set", "warehouse"); code == 0 || !strings.Contains(stderr, "it is empty") || held["warehouse"] != "other" {
		t.Errorf("nothing: exit %d, %q", code, stderr)
	}
	if code, _, stderr := loam(strings.Repeat("x", 1<<20+1), "set", "warehouse"); code == 0 || !strings.Contains(stderr, "1 MiB") {
		t.Errorf("too much: exit %d, %q", code, stderr)
	}
	if code, _, stderr := loam("", "remove", "warehouse"); code != 0 || len(held) != 0 {
		t.Errorf("remove: exit %d, %q, kept %q", code, stderr, held)
	}
}
