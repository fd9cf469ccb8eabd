//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/loam-data/loam/sdk"
)

type session struct {
	password sdk.Secret
	file     string // that statements are recorded in
	catalog  string
}

var (
	_ sdk.Session   = (*session)(nil)
	_ sdk.Explainer = (*session)(nil)

	_ sdk.QueryCanceler = (*session)(nil)
)

func open(ctx context.Context, req sdk.OpenRequest) (sdk.Session, error) {
	var c config
	if err := req.Config.Decode(&c); err != nil {
		return nil, err
	}
	switch c.Mode {
	case "crash":
		os.Exit(4)
	case "hang":
		<-ctx.Done()
		return nil, ctx.Err()
	case "refuse":
		return nil, sdk.Errorf(sdk.KindUnauthenticated, sdk.SourceWarehouse, "wrong password")
	}
	return &session{password: c.Password, file: c.Record, catalog: c.Catalog}, nil
}

func (s *session) Server() sdk.ServerInfo {
	return sdk.ServerInfo{Product: "Chaos", Version: "1.0", CurrentUser: "nobody", ReadOnly: sdk.ReadOnlyEngine}
}

func (s *session) Ping(context.Context) error { return nil }

func (s *session) Scan(_ context.Context, _ sdk.ScanRequest, w sdk.ScanWriter) (sdk.ScanSummary, error) {
	if write, ok := catalogs[s.catalog]; ok {
		if err := write(w); err != nil {
			return sdk.ScanSummary{}, err
		}
	}
	return sdk.ScanSummary{Complete: true}, nil
}

func (s *session) Close(context.Context) error { return nil }

func (s *session) Explain(_ context.Context, req sdk.ExplainRequest) (sdk.Explanation, error) {
	if err := s.record("explain", req.SQL); err != nil {
		return sdk.Explanation{}, err
	}
	if req.SQL == "panic" {
		panic("chaos in a handler")
	}
	return sdk.Explanation{Format: "text", Text: req.SQL}, nil
}

// Execute does what the statement's text says and answers with lines of text. To
// get past the host's guard, the text may begin with SELECT.
func (s *session) Execute(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
	if err := s.record("execute", req.SQL); err != nil {
		return err
	}
	text := strings.TrimPrefix(req.SQL, "SELECT ")
	word, rest, _ := strings.Cut(text, " ")
	if act, ok := acts[word]; ok {
		return act(ctx, s, rest, w)
	}
	return lines(w, req.SQL)
}

func lines(w *sdk.RowWriter, texts ...string) error {
	if err := w.Columns(sdk.Column{Name: "line", Type: sdk.TypeText}); err != nil {
		return err
	}
	for _, text := range texts {
		if err := w.Row(text); err != nil {
			return err
		}
	}
	return nil
}

// The program's own standard output and error, which go-plugin replaces.
var stdout, stderr = os.NewFile(1, "stdout"), os.NewFile(2, "stderr")

// acts are the statements, by their first word; rest is the rest of the text.
var acts = map[string]func(ctx context.Context, s *session, rest string, w *sdk.RowWriter) error{
	"panic":      panics,
	"exit":       exits,
	"hang":       hangs,
	"slow":       slow,
	"begin":      begins,
	"leak":       leaks,
	"print":      prints,
	"log":        logs,
	"utf8":       notUTF8,
	"stdin":      readsStdin,
	"grandchild": startsAnother,
	"daemon":     startsDaemon,
	"die":        dies,
	"allocate":   allocates,
	"fail":       fails,
	"environ": func(_ context.Context, _ *session, _ string, w *sdk.RowWriter) error {
		return lines(w, os.Environ()...)
	},
	"process": func(_ context.Context, _ *session, _ string, w *sdk.RowWriter) error {
		var core syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_CORE, &core); err != nil {
			return err
		}
		return lines(w, strconv.Itoa(os.Getpid()), strconv.Itoa(syscall.Getpgrp()), strconv.FormatUint(core.Cur, 10))
	},
	"flooded": func(_ context.Context, _ *session, _ string, w *sdk.RowWriter) error {
		return lines(w, strconv.FormatBool(flooded.Load()))
	},
	"goroutines": func(_ context.Context, _ *session, _ string, w *sdk.RowWriter) error {
		return lines(w, strconv.Itoa(runtime.NumGoroutine()))
	},
}

func panics(ctx context.Context, _ *session, where string, _ *sdk.RowWriter) error {
	if where == "goroutine" {
		go func() { panic("chaos in a goroutine") }()
		<-ctx.Done()
	}
	panic("chaos in a handler")
}

// exits ends the process after as many rows as make several batches.
func exits(_ context.Context, _ *session, _ string, w *sdk.RowWriter) error {
	if err := lines(w); err != nil {
		return err
	}
	for i := range 10_000 {
		if err := w.Row("row " + strconv.Itoa(i)); err != nil {
			return err
		}
	}
	os.Exit(3)
	return nil
}

func hangs(ctx context.Context, _ *session, how string, _ *sdk.RowWriter) error {
	if how == "hard" {
		select {}
	}
	<-ctx.Done()
	return ctx.Err()
}

// slow sends a batch every few milliseconds until it is told to stop.
func slow(ctx context.Context, _ *session, _ string, w *sdk.RowWriter) error {
	if err := lines(w); err != nil {
		return err
	}
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		for range sdk.DefaultBatchRows {
			if err := w.Row("row"); err != nil {
				return err
			}
		}
	}
}

// leaks leaves a goroutine behind that nobody can stop.
func leaks(ctx context.Context, _ *session, _ string, _ *sdk.RowWriter) error {
	go func() { select {} }()
	<-ctx.Done()
	return ctx.Err()
}

func prints(_ context.Context, _ *session, text string, w *sdk.RowWriter) error {
	fmt.Println(text)
	fmt.Fprintln(os.Stderr, text)
	if _, err := stdout.WriteString(text + "\n"); err != nil {
		return err
	}
	return lines(w, "printed")
}

// logs writes a line to the log as it is, "long" for one that is too long.
func logs(_ context.Context, s *session, text string, w *sdk.RowWriter) error {
	switch text {
	case "long":
		text = strings.Repeat("y", 70<<10)
	case "secret":
		text = `{"@level":"warn","@message":"password is ` + s.password.Reveal() + `","also":["` + s.password.Reveal() + `"]}`
	}
	if _, err := stderr.WriteString(text + "\n"); err != nil {
		return err
	}
	return lines(w, "logged")
}

// begins says that the statement has started under an id, and does not end but with
// "end" behind the id.
func begins(ctx context.Context, _ *session, text string, w *sdk.RowWriter) error {
	id, end, _ := strings.Cut(text, " ")
	if err := w.Started(id); err != nil {
		return err
	}
	if err := lines(w, "begun"); err != nil || end == "end" {
		return err
	}
	<-ctx.Done()
	return ctx.Err()
}

// CancelQuery ends what an earlier run of the program has begun, for all that it knows.
func (s *session) CancelQuery(_ context.Context, id string) (bool, error) {
	return true, s.record("cancel", id)
}

func notUTF8(_ context.Context, _ *session, where string, w *sdk.RowWriter) error {
	const text = "caf\xe9"
	if where == "error" {
		return sdk.Errorf(sdk.KindSyntax, sdk.SourceWarehouse, "%s", text)
	}
	if err := w.Columns(sdk.Column{Name: text, Type: sdk.TypeText, NativeType: text}); err != nil {
		return err
	}
	w.Notice(sdk.Warning{Message: text})
	return w.Row(text)
}

// readsStdin says what it could read within a moment.
func readsStdin(_ context.Context, _ *session, _ string, w *sdk.RowWriter) error {
	read := make(chan string, 1)
	go func() {
		buffer := make([]byte, 1024)
		n, _ := os.Stdin.Read(buffer)
		read <- string(buffer[:n])
	}()
	select {
	case text := <-read:
		return lines(w, text)
	case <-time.After(200 * time.Millisecond):
		return lines(w, "")
	}
}

// startsAnother starts a process that holds the standard error, tells its id
// and, with "exit", ends before it.
func startsAnother(ctx context.Context, _ *session, then string, w *sdk.RowWriter) error {
	child := exec.CommandContext(context.WithoutCancel(ctx), "sleep", "600")
	child.Stdout, child.Stderr = stderr, stderr
	if err := child.Start(); err != nil {
		return err
	}
	if then == "exit" {
		fmt.Fprintln(stderr, "child", child.Process.Pid)
		os.Exit(5)
	}
	return lines(w, strconv.Itoa(child.Process.Pid))
}

// startsDaemon starts a process as a daemon does, in a session of its own and with
// a parent that ends, tells its id and, with "exit", ends.
func startsDaemon(ctx context.Context, _ *session, then string, w *sdk.RowWriter) error {
	shell := exec.CommandContext(ctx, "sh", "-c", "setsid sleep 600 >/dev/null 2>&1 </dev/null & echo $!")
	pid, err := shell.Output()
	if err != nil {
		return err
	}
	if then == "exit" {
		fmt.Fprintln(stderr, "child", strings.TrimSpace(string(pid)))
		os.Exit(5)
	}
	return lines(w, strings.TrimSpace(string(pid)))
}

// dies ends the process with the last words given, once as many statements like
// it run as the first word says.
func dies(ctx context.Context, _ *session, text string, _ *sdk.RowWriter) error {
	number, words, _ := strings.Cut(text, " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	dying.Add(1)
	defer dying.Add(-1)
	for tick := time.Tick(time.Millisecond); int(dying.Load()) < n; {
		select {
		case <-tick:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	fmt.Fprintln(stderr, words)
	os.Exit(2)
	return nil
}

// dying counts the statements that wait to die.
var dying atomic.Int32

// kept is what allocates was told to hold.
var kept [][]byte

func allocates(ctx context.Context, _ *session, mebibytes string, _ *sdk.RowWriter) error {
	first, _, _ := strings.Cut(mebibytes, " ")
	n, err := strconv.Atoi(first)
	if err != nil {
		return err
	}
	for range n {
		block := make([]byte, 1<<20)
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1
		}
		kept = append(kept, block)
	}
	<-ctx.Done()
	return ctx.Err()
}

func fails(_ context.Context, _ *session, kind string, _ *sdk.RowWriter) error {
	return sdk.Errorf(sdk.Kind(kind), sdk.SourceWarehouse, "failed as asked")
}
