package main

import (
	"bytes"
	"strings"
	"testing"
)

// Runs of go test that go on together are reported in one piece, and one that fails fails all.
func TestTogether(t *testing.T) {
	t.Parallel()
	const some, other = "-run ^$ " + module + "sdk/internal/engine", "-run ^$ " + module + "sdk/heap"
	for name, c := range map[string]struct {
		commands []string
		code     int
		ended    []string
	}{
		"both pass": {[]string{"-together", some, other}, 0, []string{"ok    sdk/internal/engine", "ok    sdk/heap", "in 2 packages"}},
		"one fails": {[]string{"-together", some, "-nosuch"}, 1, []string{"ok    sdk/internal/engine", "flag provided but not defined: -nosuch"}},
	} {
		var out bytes.Buffer
		code, err := run(t.Context(), c.commands, &out)
		if err != nil || code != c.code {
			t.Errorf("%s: code %d, %v", name, code, err)
		}
		for _, want := range c.ended {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", name, want, &out)
			}
		}
	}
	if _, err := run(t.Context(), []string{"-together"}, &bytes.Buffer{}); err == nil {
		t.Error("no tests are taken for a run")
	}
}
