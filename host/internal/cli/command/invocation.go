package command

import (
	"context"
	"errors"
	"log/slog"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/telemetry"
)

// Open opens the project of a command, calls f with the project's services S, and
// closes it again, also when f was cancelled.
type Open[S any] func(ctx context.Context, f func(*S) error) error

// Invocation is one run of the command line.
type Invocation struct {
	Terminal *terminal.Terminal
	Version  string
	// Dir is --project-dir.
	Dir     string
	Verbose bool
	// Code is the exit code of a command that returns no error.
	Code int

	// serving: the command runs until it is stopped and logs from serveLevel.
	serving    bool
	serveLevel slog.Level
	log        *telemetry.Buffer // of a command that serves
	after      []func() error
}

// Serve marks the command as a server, which runs until it is stopped and logs from
// this level.
func (i *Invocation) Serve(from slog.Level) { i.serving, i.serveLevel = true, from }

// Serving reports whether the command is a server.
func (i *Invocation) Serving() bool { return i.serving }

// AfterClose registers f to run after the project was closed.
func (i *Invocation) AfterClose(f func() error) { i.after = append(i.after, f) }

// Closed runs the functions of AfterClose.
func (i *Invocation) Closed() (err error) {
	for _, f := range i.after {
		err = errors.Join(err, f())
	}
	return err
}

// quietLevel is above every level: a command's own error says what happened.
const quietLevel = slog.LevelError + 4

// Logger writes to stderr: everything with -v; for a server its log, buffered until
// FlushLog; else nothing, because a command prints its error itself.
func (i *Invocation) Logger() *slog.Logger {
	level := quietLevel
	switch {
	case i.Verbose:
		level = slog.LevelDebug
	case i.Terminal.Quiet && i.serving:
		level = slog.LevelError
	case i.serving:
		level = i.serveLevel
	}
	options := &slog.HandlerOptions{Level: level}
	if !i.serving {
		return slog.New(telemetry.LogHandler(slog.NewTextHandler(i.Terminal.Err, options)))
	}
	if i.log == nil {
		i.log = telemetry.NewBuffer(i.Terminal.Err)
	}
	return slog.New(i.log.Handler(telemetry.LogHandler(slog.NewTextHandler(i.log, options))))
}

// FlushLog writes the buffered log lines.
func (i *Invocation) FlushLog() {
	if i.log != nil {
		i.log.Flush()
	}
}
