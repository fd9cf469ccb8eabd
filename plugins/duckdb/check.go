//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/loam-data/loam/plugins/duckdb/internal/engine"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// test implements sdk.Connector.Test. There are no accounts: what there is to
// check are files.
func test(ctx context.Context, req sdk.OpenRequest, report func(sdk.TestStep)) error {
	steps := sqlkit.NewSteps(report)
	var c *config
	steps.Run("config", func(*sdk.TestStep) (err error) {
		if c, err = sqlkit.Decode(req.Config, problems); err == nil {
			err = absolute(c)
		}
		return err
	})
	steps.Run("file", func(step *sdk.TestStep) error { return checkFiles(ctx, c, step) })
	var s *session
	steps.Run("open", func(step *sdk.TestStep) error {
		opened, err := open(ctx, req)
		if err != nil {
			return err
		}
		s = opened.(*session)
		step.Detail = fmt.Sprintf("%s %s, %d MiB of memory, %d threads", product, engine.Version(), s.source.memory>>20, c.Threads)
		return nil
	})
	steps.Run("read", func(step *sdk.TestStep) error {
		return s.call(ctx, 0, func(_ context.Context, c *conn) error { return checkRead(c, step) })
	})
	steps.Run("no_write", func(step *sdk.TestStep) error {
		step.Detail = s.info.ReadOnlyMechanism
		return s.call(ctx, 0, func(_ context.Context, c *conn) error { return proveNoWrite(c) })
	})
	if s == nil {
		return nil
	}
	return s.Close(context.WithoutCancel(ctx))
}

func checkFiles(ctx context.Context, c *config, step *sdk.TestStep) error {
	if c.Path != "" {
		info, err := findFile(c.Path)
		if err != nil {
			return err
		}
		step.Detail = fmt.Sprintf("%s, %d bytes", filepath.Base(c.Path), info.Size())
	}
	folders, err := readFolders(ctx, c.Folders)
	if err != nil {
		return err
	}
	for _, f := range folders {
		if step.Detail != "" {
			step.Detail += "; "
		}
		step.Detail += fmt.Sprintf("folder %s, %d tables", filepath.Base(f.path), len(f.tables))
		if n := len(f.skipped); n > 0 {
			step.Warning = true
			step.Detail += fmt.Sprintf(", %d files left out", n)
		}
	}
	return nil
}

func checkRead(c *conn, step *sdk.TestStep) error {
	count, err := text1(c.Conn, "SELECT (SELECT count(*) FROM duckdb_tables() WHERE NOT internal) + (SELECT count(*) FROM duckdb_views() WHERE NOT internal)")
	step.Detail = count + " tables and views"
	for _, f := range c.instance.folders {
		for _, t := range f.tables {
			if t.broken != "" {
				step.Warning = true
				step.Detail += fmt.Sprintf("; %s cannot be read: %s", t.ref(f), t.broken)
			}
		}
	}
	return err
}

// proveNoWrite asks every layer, without running a statement that could change
// anything if all of them failed.
func proveNoWrite(c *conn) error {
	const hint = "do not use this connection; report this to Loam's maintainers"
	for _, sql := range []string{
		"CREATE TABLE loam_must_not_exist (x INTEGER)", "SET threads = 1", "COPY (SELECT 1) TO 'loam_must_not_exist'",
		"ATTACH ':memory:' AS loam_must_not_exist", "PRAGMA enable_profiling", "FROM enable_profiling()", "CHECKPOINT",
	} {
		text, err := parse(sql, c.instance.hidden)
		if err == nil {
			var stmt *engine.Stmt
			if stmt, err = prepare(c, text); err == nil {
				stmt.Close()
				return sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "a statement that writes is not refused: %s", sql).WithHint(hint)
			}
		}
	}
	locked, err := text1(c.Conn, "SELECT current_setting('lock_configuration') AND NOT current_setting('enable_external_access')")
	if err == nil && locked != "true" {
		err = sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the engine's settings are not locked").WithHint(hint)
	}
	return err
}
