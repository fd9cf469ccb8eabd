package conformance

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// admin runs SQL with the command of the fixture, without the connector, and returns its output.
func (f *Fixture) admin(ctx context.Context, sql string) (string, error) {
	if len(f.Admin.Run) == 0 {
		return "", f.invalid(f.path, "admin.run is missing: the command that reads SQL on its standard input")
	}
	for _, name := range f.Admin.Env {
		if _, ok := os.LookupEnv(name); !ok {
			return "", sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "admin needs the environment variable %s, which is not set", name)
		}
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, f.Admin.Run[0], f.Admin.Run[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = f.dir(), strings.NewReader(strings.TrimRight(sql, "; \n")+";\n"), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("admin: %s: %w: %s", strings.Join(f.Admin.Run, " "), err, strings.TrimSpace(cmp.Or(stderr.String(), stdout.String())))
	}
	return stdout.String(), nil
}

// setUp creates the tables and reads them once, so that a fault of the fixture is not reported as
// a failure of the connector.
func (f *Fixture) setUp(ctx context.Context) error {
	setup, reread := f.Setup, f.Reread
	if f.Reach != nil {
		setup, reread = append(slices.Clone(setup), f.Reach.Setup...), append(slices.Clone(reread), f.Reach.Reread...)
	}
	for _, name := range setup {
		sql, err := os.ReadFile(f.file(name))
		if err != nil {
			return f.invalid(f.path, "setup: %w", err)
		}
		if _, err := f.admin(ctx, string(sql)); err != nil {
			return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "setup: %s: %w", name, err).
				WithHint("run the command of admin by hand with this file on its standard input")
		}
	}
	if len(reread) > 0 {
		if _, err := f.admin(ctx, strings.Join(reread, ";\n")); err != nil {
			return f.invalid(f.path, "reread: %w", err)
		}
	}
	return nil
}

// reread returns a function that returns the output of queries, and the names of files in a
// folder that must stay empty.
func (f *Fixture) reread(queries []string, stray string) func(context.Context) (string, error) {
	if len(queries) == 0 {
		return nil
	}
	return func(ctx context.Context) (string, error) {
		seen, err := f.admin(ctx, strings.Join(queries, ";\n"))
		if err != nil {
			return "", err
		}
		files, err := os.ReadDir(stray)
		for _, file := range files {
			seen += "\nfile " + file.Name()
		}
		return seen, err
	}
}

// running returns a function that reports whether the query of Running has rows.
func (f *Fixture) running() func(context.Context) (bool, error) {
	if f.Running == "" {
		return nil
	}
	return func(ctx context.Context) (bool, error) {
		seen, err := f.admin(ctx, f.filled(f.Running))
		return strings.TrimSpace(seen) != "", err
	}
}

// does returns a function that runs a statement; nil for "".
func (f *Fixture) does(sql string) func(context.Context) error {
	if sql == "" {
		return nil
	}
	return func(ctx context.Context) error { _, err := f.admin(ctx, f.filled(sql)); return err }
}

// filled replaces {sql} by slow_sql, escaped as the content of a string literal.
func (f *Fixture) filled(sql string) string {
	return strings.ReplaceAll(sql, "{sql}", strings.ReplaceAll(f.SlowSQL, "'", "''"))
}
