// Package host is the composition root: it makes the services of the program and
// connects them. It is the only package that imports all others.
package host

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/loam-data/loam/host/internal/cli"
	"github.com/loam-data/loam/host/internal/mcpserver"
	"github.com/loam-data/loam/host/internal/secret"
	"github.com/loam-data/loam/host/internal/store"
	_ "github.com/loam-data/loam/sdk/heap" // bounds the garbage
)

// Main runs one command line and returns its exit code. SIGINT and SIGTERM
// cancel it; a reader of its output that goes away is an error, not a signal,
// so that connectors are drained in that case too.
func Main(version string, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	program := cli.Program{
		Version:     version,
		WriteSample: store.WriteDatabase,
		Tools:       mcpserver.Docs,
		Keys:        secret.NewKeys(secret.System{}),
		Open: func(_ context.Context, dir string, log *slog.Logger) (*cli.Services, error) {
			a, err := open(version, dir, log)
			if err != nil {
				return nil, err
			}
			return a.commands(), nil
		},
	}
	return cli.Run(ctx, program, args, stdin, stdout, stderr)
}
