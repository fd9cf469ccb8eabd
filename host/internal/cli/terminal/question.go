package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/loam-data/loam/sdk"
)

// Questions asks a person; an answer is one line.
// Errors: KindCanceled when the input or the context ends before the line does,
// KindUnavailable when the input cannot be read.
// Concurrency: one goroutine. A read that the context interrupts goes on until the
// input has a line or the process ends.
type Questions struct {
	out          io.Writer
	seen, unseen func() (string, error)
	restore      func() // shows again what is typed
}

// NewQuestions writes questions to out and reads answers from in, secret ones with
// unseen.
func NewQuestions(in io.Reader, out io.Writer, unseen func() (string, error)) *Questions {
	lines := bufio.NewReader(in)
	return &Questions{out: out, unseen: unseen, restore: func() {}, seen: func() (string, error) { return lines.ReadString('\n') }}
}

// CanAsk reports whether the command may ask a person: never with --json or
// --quiet.
func (o *Terminal) CanAsk() bool {
	return !o.JSON && !o.Quiet && IsTerminal(o.In) && IsTerminal(o.Err)
}

// Questions asks on the terminal; In must be one.
func (o *Terminal) Questions() *Questions {
	fd := -1
	if f, ok := o.In.(*os.File); ok {
		fd = int(f.Fd())
	}
	q := NewQuestions(o.In, o.Err, func() (string, error) {
		state, err := term.MakeRaw(fd) // term.ReadPassword knows no ctrl-D
		if err != nil {
			return "", err
		}
		defer term.Restore(fd, state) //nolint:errcheck // nothing else can be done
		typed := struct {
			io.Reader
			io.Writer
		}{o.In, io.Discard}
		return term.NewTerminal(typed, "").ReadPassword("")
	})
	if state, err := term.GetState(fd); err == nil {
		q.restore = func() { _ = term.Restore(fd, state) } // the process ends, and nothing else can be done
	}
	return q
}

// Sayf writes a line between questions.
func (q *Questions) Sayf(format string, args ...any) { fmt.Fprintf(q.out, format+"\n", args...) }

// Ask returns the answer without surrounding spaces.
func (q *Questions) Ask(ctx context.Context, question string) (string, error) {
	text, err := q.read(ctx, question, q.seen)
	return strings.TrimSpace(text), err
}

// AskUnseen returns an answer that is not shown while it is typed.
func (q *Questions) AskUnseen(ctx context.Context, question string) (sdk.Secret, error) {
	text, err := q.read(ctx, question, q.unseen)
	if err == nil {
		fmt.Fprintln(q.out) // the typed one is not shown either
	}
	return sdk.NewSecret(text), err
}

// Confirm asks for yes or no; an empty answer means otherwise.
func (q *Questions) Confirm(ctx context.Context, question string, otherwise bool) (bool, error) {
	choice := " [y/N] "
	if otherwise {
		choice = " [Y/n] "
	}
	answer, err := q.Ask(ctx, question+choice)
	if err != nil || answer == "" {
		return otherwise && err == nil, err
	}
	return strings.HasPrefix(strings.ToLower(answer), "y"), nil
}

func (q *Questions) read(ctx context.Context, question string, read func() (string, error)) (string, error) {
	fmt.Fprint(q.out, question)
	done := make(chan struct{})
	var line string
	var err error
	go func() {
		defer close(done)
		line, err = read()
	}()
	canceled := sdk.Errorf(sdk.KindCanceled, sdk.SourceCaller, "cancelled: the question was not answered")
	select {
	case <-ctx.Done():
		q.restore()
		fmt.Fprintln(q.out)
		return "", canceled
	case <-done:
	}
	if err == nil {
		return line, nil
	}
	fmt.Fprintln(q.out)
	if errors.Is(err, io.EOF) {
		return "", canceled
	}
	return "", sdk.Errorf(sdk.KindUnavailable, sdk.SourceCaller, "the answer cannot be read: %w", err)
}
