package mcp

import (
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/daemon"
	"github.com/loam-data/loam/sdk"
)

// A server that ends before it serves says why as its last error, or its last
// lines are all there is to say.
func TestWhyEnded(t *testing.T) {
	t.Parallel()
	const refused = `{"error":{"kind":"conflict","source":"caller","message":"port 1 is in use","hint":"choose another","retryable":false}}`
	long := strings.Repeat("goroutine\n", 100) + "panic: at the end\n"
	for _, c := range []struct {
		name, output string
		kind         sdk.Kind
		says, hint   string
	}{
		{"its error", "level=INFO msg=x\n" + refused + "\n", sdk.KindConflict, "port 1 is in use", "choose another"},
		{"its error, then more", refused + "\nlevel=INFO msg=x\n", sdk.KindConflict, "port 1 is in use", "choose another"},
		{"the last of two", strings.Replace(refused, "port 1", "port 2", 1) + "\n" + refused + "\n", sdk.KindConflict, "port 1 is in use", "choose another"},
		{"a crash", long, sdk.KindInternal, "exit status 2\ngoroutine\n", "the/log"},
		{"nothing", "", sdk.KindInternal, "exit status 2", "the/log"},
		{"JSON of another kind", `{"error":{"kind":"odd"}}`, sdk.KindInternal, "odd", "the/log"},
		{"a level of its own", `{"error":null}` + "\n[1]\n", sdk.KindInternal, "[1]", "the/log"},
	} {
		e := sdk.AsError(whyEnded(&daemon.EndedError{Output: c.output, How: "exit status 2"}, "the/log"), sdk.SourceHost)
		if e.Kind != c.kind || !strings.Contains(e.Msg, c.says) || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s: %s %q, hint %q", c.name, e.Kind, e.Msg, e.Hint)
		}
		if lines := strings.Count(e.Msg, "\n"); lines > 10 {
			t.Errorf("%s: the error has %d lines", c.name, lines)
		}
	}
}

func TestWithToken(t *testing.T) {
	t.Setenv(tokenVariable, "old")
	t.Setenv(tokenVariable+"_FILE", "other")
	for token, want := range map[string][]string{"": nil, "new": {tokenVariable + "=new"}} {
		var got []string
		for _, v := range withToken(token) {
			if strings.HasPrefix(v, tokenVariable+"=") {
				got = append(got, v)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("token %q: %q", token, got)
		}
		if !slices.Contains(withToken(token), tokenVariable+"_FILE=other") {
			t.Error("another variable is gone")
		}
	}
}
