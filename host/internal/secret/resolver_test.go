package secret

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

const canary = "s3cr3t-canary"

// helperVariable makes the test binary a program for cmd: references.
const helperVariable = "LOAM_SECRET_TEST_HELPER"

func TestMain(m *testing.M) {
	switch os.Getenv(helperVariable) {
	case "":
		os.Exit(m.Run())
	case "on":
		os.Exit(helper(os.Args[1:]))
	}
}

func helper(args []string) int {
	switch args[0] {
	case "print":
		fmt.Print(strings.Join(args[1:], "|"))
	case "newlines":
		fmt.Print(" " + canary + " \r\n\n")
	case "fail":
		fmt.Print(canary)
		fmt.Fprint(os.Stderr, canary)
		return 3
	case "flood":
		for range 3000 {
			if _, err := os.Stdout.WriteString(strings.Repeat("x", 1024)); err != nil {
				return 1
			}
		}
	case "environment":
		fmt.Print(strings.Join(os.Environ(), "|"))
	case "stdin":
		n, err := os.Stdin.Read(make([]byte, 1))
		fmt.Print(n, err)
	case "dir":
		dir, err := os.Getwd()
		if err != nil {
			return 1
		}
		fmt.Print(filepath.Base(dir))
	case "hang":
		never := make(chan os.Signal, 1)
		signal.Notify(never, os.Interrupt)
		<-never // until it is killed
	}
	return 0
}

func program(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return "'" + exe + "'"
}

func TestResolve(t *testing.T) {
	t.Setenv(helperVariable, "on")
	t.Setenv("LOAM_TEST_SECRET", canary)
	t.Setenv("LOAM_TEST_EMPTY", "")
	dir := filepath.Join(t.TempDir(), "project")
	files := map[string]string{"plain": canary, "line": canary + "\n", "crlf": canary + "\r\n", "two": canary + "\n\n", "space": " " + canary + " ", "empty": "\n", "large": strings.Repeat("x", maxBytes+1), "sub/key": canary}
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	exe := program(t)
	tests := []struct {
		name, reference string
		want            string
		kind            sdk.Kind
		message         string
	}{
		{"variable", "env:LOAM_TEST_SECRET", canary, "", ""},
		{"missing variable", "env:LOAM_TEST_MISSING", "", sdk.KindNotFound, "the environment variable LOAM_TEST_MISSING is not set"},
		{"empty variable", "env:LOAM_TEST_EMPTY", "", sdk.KindNotFound, "the secret env:LOAM_TEST_EMPTY is empty"},
		{"no variable name", "env:my secret " + canary, "", sdk.KindInvalid, "the secret reference env: needs the name of a variable"},
		{"file", "file:plain", canary, "", ""},
		{"file in a folder", "file:sub/key", canary, "", ""},
		{"absolute file", "file:" + filepath.Join(dir, "plain"), canary, "", ""},
		{"trailing newline", "file:line", canary, "", ""},
		{"trailing line end", "file:crlf", canary, "", ""},
		{"only one newline goes", "file:two", canary + "\n", "", ""},
		{"space stays", "file:space", " " + canary + " ", "", ""},
		{"empty file", "file:empty", "", sdk.KindNotFound, "the secret file:empty is empty"},
		{"missing file", "file:nowhere", "", sdk.KindNotFound, "the secret file:nowhere: there is no file " + filepath.Join(dir, "nowhere")},
		{"folder", "file:sub", "", sdk.KindInvalid, "the secret file:sub: " + filepath.Join(dir, "sub") + " is no regular file"},
		{"large file", "file:large", "", sdk.KindInvalid, "the secret file:large: the file is larger than 1 MiB"},
		{"program", "cmd:" + exe + ` print a 'b c' "d $HOME" e\ f '' *`, "a|b c|d $HOME|e f||*", "", ""},
		{"line ends of a program", "cmd:" + exe + " newlines", " " + canary + " ", "", ""},
		{"program has no input", "cmd:" + exe + " stdin", "0 EOF", "", ""},
		{"program runs in the project", "cmd:" + exe + " dir", "project", "", ""},
		{"program sees the given environment alone", "cmd:" + exe + " environment", helperVariable + "=on", "", ""},
		{"silent program", "cmd:" + exe + " print", "", sdk.KindNotFound, "the secret cmd:" + exe + " … is empty"},
		{"failing program", "cmd:" + exe + " fail " + canary, "", sdk.KindUnavailable, "the secret cmd:" + exe + " …: the program failed: exit status 3"},
		{"flooding program", "cmd:" + exe + " flood", "", sdk.KindLimit, "the secret cmd:" + exe + " …: the program printed more than 1 MiB"},
		{"no such program", "cmd:loam-no-such-program " + canary, "", sdk.KindNotFound, "the secret cmd:loam-no-such-program …: there is no such program"},
		{"open quote", "cmd:echo '" + canary, "", sdk.KindInvalid, "the secret cmd:echo …: a quote is not closed"},
		{"value", canary, "", sdk.KindInvalid, "a secret is written as a value, or its reference is empty"},
		{"unknown scheme", "vault:" + canary, "", sdk.KindInvalid, "a secret is written as a value, or its reference is empty"},
		{"empty reference", "env:", "", sdk.KindInvalid, "a secret is written as a value, or its reference is empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			got, err := New(dir, []string{helperVariable + "=on"}, slog.New(slog.NewTextHandler(&log, nil))).Granting(everything).Resolve(t.Context(), tt.reference)
			if got.Reveal() != tt.want {
				t.Errorf("secret %q, want %q", got.Reveal(), tt.want)
			}
			if log.Len() > 0 {
				t.Errorf("logged: %s", &log)
			}
			if tt.kind == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			e := sdk.AsError(err, sdk.SourceHost)
			if e == nil || e.Kind != tt.kind || e.Msg != tt.message || e.Hint == "" {
				t.Fatalf("error %+v, want %s %q with a hint", e, tt.kind, tt.message)
			}
			if strings.Contains(fmt.Sprintf("%v %+v %v", err, e, e.Hint), canary) {
				t.Errorf("the value is in the error: %v", e)
			}
		})
	}
}

func everything(string) bool { return true }

// What was not granted is refused, but for files that really are within the
// project folder; a grant is for one reference.
func TestNotGranted(t *testing.T) {
	t.Setenv(helperVariable, "on")
	t.Setenv("LOAM_TEST_SECRET", canary)
	base := t.TempDir()
	dir := filepath.Join(base, "project")
	for _, name := range []string{"project/sub/key", "outside"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(base, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(base, name), []byte(canary), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ran := filepath.Join(base, "ran")
	references := map[string]bool{
		"file:sub/key": true, "file:" + filepath.Join(dir, "sub/key"): true, "file:sub/../sub/key": true,
		"file:../outside": false, "file:" + filepath.Join(base, "outside"): false, "file:~/outside": false,
		"file:" + dir + "/../outside": false, "env:LOAM_TEST_SECRET": false, "cmd:touch " + ran: false,
	}
	if runtime.GOOS != "windows" {
		for link, target := range map[string]string{"in": "sub/key", "out": "../outside", "away": "..", "lost": "../none"} {
			if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
				t.Fatal(err)
			}
		}
		references["file:in"], references["file:out"], references["file:away/outside"], references["file:lost"] = true, false, false, false
	}
	r := New(dir, []string{"PATH=" + os.Getenv("PATH")}, slog.New(slog.DiscardHandler))
	one := r.Granting(func(reference string) bool { return reference == "env:LOAM_TEST_SECRET" })
	for reference, allowed := range references {
		for _, r := range []*Resolver{r, one} {
			allowed := allowed || r == one && reference == "env:LOAM_TEST_SECRET"
			got, err := r.Resolve(t.Context(), reference)
			e := sdk.AsError(err, sdk.SourceHost)
			switch {
			case allowed && (err != nil || got.Reveal() != canary):
				t.Errorf("%s: %q, %v", reference, got.Reveal(), err)
			case !allowed && (e == nil || e.Kind != sdk.KindDenied || !strings.Contains(e.Hint, "loam trust") || got.Reveal() != ""):
				t.Errorf("%s was resolved, or refused without a way: %+v", reference, e)
			}
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the program ran")
	}
}

func TestProgramThatHangs(t *testing.T) {
	t.Setenv(helperVariable, "on")
	r := New(t.TempDir(), []string{helperVariable + "=on"}, slog.New(slog.DiscardHandler)).Granting(everything)
	r.timeout = 100 * time.Millisecond
	_, err := r.Resolve(t.Context(), "cmd:"+program(t)+" hang")
	if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Kind != sdk.KindTimeout || e.Hint == "" {
		t.Errorf("error %+v, want a timeout", e)
	}
	r.timeout = time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := r.Resolve(ctx, "cmd:"+program(t)+" hang"); sdk.KindOf(err) != sdk.KindTimeout {
		t.Errorf("error %v after the caller's deadline", err)
	}
}

func TestReadableFileIsWarnedOf(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "key"), []byte(canary), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, warned := range map[os.FileMode]bool{0o600: false, 0o400: false, 0o640: true, 0o604: true} {
		if err := os.Chmod(filepath.Join(dir, "key"), mode); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		if _, err := New(dir, []string{helperVariable + "=on"}, slog.New(slog.NewTextHandler(&log, nil))).Resolve(t.Context(), "file:key"); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(log.String(), "level=WARN"); got != warned || strings.Contains(log.String(), canary) {
			t.Errorf("mode %o: log %q, want a warning: %t", mode, &log, warned)
		}
	}
}

func TestIsReference(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"env:A": true, "file:a": true, "cmd:a b": true,
		"": false, "env": false, "env:": false, "file: ": false, "ENV:A": false, " env:A": false, "plain": false, "https://x": false,
	} {
		if got := IsReference(text); got != want {
			t.Errorf("IsReference(%q) = %t", text, got)
		}
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		command string
		want    []string
	}{
		{"pass show db", []string{"pass", "show", "db"}},
		{"  a\t b\n", []string{"a", "b"}},
		{`a 'b "c" \d'`, []string{"a", `b "c" \d`}},
		{`a "b 'c' \" \\"`, []string{"a", `b 'c' " \`}},
		{`a x'y'"z"`, []string{"a", "xyz"}},
		{`a ''`, []string{"a", ""}},
		{`a\ b`, []string{"a b"}},
		{"a ; b | c && $(d) `e`", []string{"a", ";", "b", "|", "c", "&&", "$(d)", "`e`"}},
		{`a "b`, nil},
		{`a \`, nil},
		{"", nil},
		{`''`, nil},
	}
	for _, tt := range tests {
		got, err := split(tt.command)
		if diff := cmp.Diff(tt.want, got); diff != "" || (err == nil) != (tt.want != nil) {
			t.Errorf("split(%q): %v (-want +got):\n%s", tt.command, err, diff)
		}
	}
}
