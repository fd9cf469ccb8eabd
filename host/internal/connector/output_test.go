package connector

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func TestLogLinesBecomeEntries(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("y", 100<<10)
	cases := map[string]struct {
		in   string
		want string
	}{
		"entry": {
			`{"@level":"warn","@message":"slow","@module":"x","@timestamp":"t","request_id":"r1","n":3}`,
			`level=WARN msg=slow n=3 request_id=r1`,
		},
		"entry of an unknown level":         {`{"@level":"trace","@message":"m"}`, `level=DEBUG msg=m`},
		"message that is no string":         {`{"@message":1}`, `level=DEBUG msg="connector output" text="{\"@message\":1}"`},
		"JSON that is no entry":             {`{"a":1}`, `level=DEBUG msg="connector output" text="{\"a\":1}"`},
		"JSON that is broken":               {`{"@message":`, `level=DEBUG msg="connector output" text="{\"@message\":"`},
		"text":                              {"warning: x", `level=DEBUG msg="connector output" text="warning: x"`},
		"no newline at the end":             {"x", `level=DEBUG msg="connector output" text=x`},
		"empty lines":                       {"\n\r\n\n", ``},
		"line that is too long":             {long + "\nnext\n", `level=DEBUG msg="connector output" text=` + long[:maxLineBytes] + ` cut=true` + "\n" + `level=DEBUG msg="connector output" text=next`},
		"panic":                             {"panic: a\n\ngoroutine 1", "level=ERROR msg=\"connector output\" text=\"panic: a\"\nlevel=DEBUG msg=\"connector output\" text=\"goroutine 1\""},
		"secret in an entry":                {`{"@level":"info","@message":"hunter2","k":["hunter2",{"a":"hunter2"}]}`, `level=INFO msg=[redacted] k="[[redacted] map[a:[redacted]]]"`},
		"secret in text":                    {`password hunter2 refused`, `level=DEBUG msg="connector output" text="password [redacted] refused"`},
		"entry after a line that was empty": {"\n" + `{"@level":"error","@message":"m"}`, `level=ERROR msg=m`},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			scrub := func(s string) string { return strings.ReplaceAll(s, "hunter2", "[redacted]") }
			r := &relog{log: textLogger(&out), scrub: scrub, notes: &crashNotes{}, budget: newLogBudget(textLogger(&out))}
			if err := readLines(strings.NewReader(test.in), maxLineBytes, r.line); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, strings.TrimSpace(out.String())); diff != "" {
				t.Errorf("log (-want +got):\n%s", diff)
			}
		})
	}
}

func textLogger(out *bytes.Buffer) *slog.Logger {
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

func TestQuietLogSkipsEntries(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelError}))
	r := &relog{log: log, scrub: strings.Clone, notes: &crashNotes{}, budget: newLogBudget(log)}
	r.line([]byte(`{"@level":"warn","@message":"m"}`), false)
	if out.Len() != 0 {
		t.Errorf("logged %q", &out)
	}
	for level, want := range map[slog.Level]string{slog.LevelDebug: "debug", slog.LevelInfo: "info", slog.LevelWarn: "warn", slog.LevelError: "error"} {
		log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level}))
		if got := logLevel(log); got != want {
			t.Errorf("level %q, want %q", got, want)
		}
	}
}

func TestCrashNotes(t *testing.T) {
	t.Parallel()
	n := &crashNotes{}
	for range 3 * maxTailLines {
		n.add("noise")
	}
	n.add("panic: first")
	n.add("panic: second")
	n.add(strings.Repeat("é", maxTailBytes))
	panicked, memory, tail := n.read()
	if memory || panicked != "panic: first" || len(tail) != maxTailLines || tail[maxTailLines-2] != "panic: second" {
		t.Errorf("panic %q, %d lines", panicked, len(tail))
	}
	if last := tail[maxTailLines-1]; len(last) > maxTailBytes+len("…") || !strings.HasSuffix(last, "é…") {
		t.Errorf("last line has %d bytes and ends in %q", len(last), last[len(last)-4:])
	}
}

func TestLastWordsThatTellOfMemory(t *testing.T) {
	t.Parallel()
	cases := map[string]bool{
		"fatal error: runtime: cannot allocate memory":                                true,
		"runtime: out of memory: cannot allocate 4194304-byte block (8388608 in use)": true,
		"fatal error: out of memory (stack)":                                          true,
		"runtime/cgo: pthread_create failed: Resource temporarily unavailable":        true,
		"terminate called after throwing an instance of 'std::bad_alloc'":             true,
		"memory allocation of 1073741824 bytes failed":                                true,
		"Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space":    true,
		"panic: runtime error: invalid memory address or nil pointer dereference":     false,
		"fatal error: all goroutines are asleep - deadlock!":                          false,
		"fatal error: concurrent map writes":                                          false,
	}
	for line, want := range cases {
		n := &crashNotes{}
		n.add(line)
		if _, got, _ := n.read(); got != want {
			t.Errorf("%q tells of memory: %v, want %v", line, got, want)
		}
	}
}

func TestStrayOutputIsOneWarning(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := &strayWriter{log: textLogger(&out), scrub: strings.Clone, stream: "stdout", budget: newLogBudget(textLogger(&out))}
	for range 3 {
		if n, err := w.Write([]byte("one\ntwo\n")); n != 8 || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
	}
	if got := strings.Count(out.String(), "level=WARN"); got != 1 {
		t.Errorf("%d warnings, want 1:\n%s", got, &out)
	}
	if got := strings.Count(out.String(), "level=DEBUG"); got != 6 {
		t.Errorf("%d lines, want 6:\n%s", got, &out)
	}
}

func TestEndInWords(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		in   exit
		want string
	}{
		"code":     {exit{code: 3}, "exited with code 3"},
		"words":    {exit{code: 3, tail: []string{"a", "b"}}, "exited with code 3 (its last words: b)"},
		"panic":    {exit{code: 2, panicked: "panic: x", tail: []string{"goroutine"}}, "exited with code 2 (panic: x)"},
		"signal":   {exit{code: -1, signal: "killed"}, `was ended by signal "killed"`},
		"no words": {exit{}, "exited with code 0"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.in.String(); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestFailuresTellCallersWhatToDo(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "the project changed"))
	if got := notInTime(ctx, "x", "y"); got.Kind != sdk.KindConflict {
		t.Errorf("notInTime = %v, want the cause of the cancel", got)
	}
	last := sdk.Errorf(sdk.KindUnavailable, sdk.SourceConnector, "it exited with code 3")
	if got := disabled("x", 5, standardTiming().window, time.Minute, last); !strings.Contains(got.Error(), "5 times within 5m0s") || !strings.Contains(got.Error(), "disabled until") {
		t.Errorf("disabled = %v", got)
	}
}

// flood repeats a line until so many bytes were read.
type flood struct {
	line string
	left int
}

func (f *flood) Read(p []byte) (int, error) {
	if f.left <= 0 {
		return 0, io.EOF
	}
	n := 0
	for n+len(f.line) <= len(p) {
		n += copy(p[n:], f.line)
	}
	f.left -= n
	return n, nil
}

// A connector that writes without end fills neither the log nor the memory, its last words are known, and
// the log says how much is missing.
func TestFloodOfLogLines(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"entries": `{"@level":"error","@message":"` + strings.Repeat("x", 8<<10) + "\"}\n",
		"text":    strings.Repeat("y", 8<<10) + "\n",
	} {
		var out bytes.Buffer
		log := textLogger(&out)
		clock := time.Unix(0, 0)
		budget := &logBudget{log: log, now: func() time.Time { return clock }}
		r := &relog{log: log, scrub: strings.Clone, notes: &crashNotes{}, budget: budget}
		if err := readLines(&flood{line: line, left: 16 << 20}, maxLineBytes, r.line); err != nil {
			t.Fatal(err)
		}
		r.line([]byte("the last words"), false)
		if len(out.String()) > logBurst+logBurst/4 {
			t.Errorf("%s: %d bytes were logged", name, out.Len())
		}
		clock = clock.Add(time.Minute)
		r.line([]byte("later"), false)
		if tail := out.String()[out.Len()-200:]; !strings.Contains(tail, "lines were dropped") || !strings.Contains(tail, "text=later") {
			t.Errorf("%s: the log ends with %s", name, tail)
		}
		if _, _, tail := r.notes.read(); len(tail) == 0 || !strings.Contains(strings.Join(tail, " "), "the last words") || len(strings.Join(tail, "")) > maxTailLines*(maxTailBytes+4) {
			t.Errorf("%s: last words %.300q", name, tail)
		}
	}
}
