package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/loam-data/loam/plugins/sqlite/internal/engine"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// test implements sdk.Connector.Test.
func test(ctx context.Context, req sdk.OpenRequest, report func(sdk.TestStep)) error {
	steps := sqlkit.NewSteps(report)
	var c config
	steps.Run("config", func(*sdk.TestStep) error { return req.Config.Decode(&c) })
	steps.Run("file", func(step *sdk.TestStep) error {
		if _, err := findFile(c.Path); err != nil {
			return err
		}
		info, err := os.Stat(c.Path)
		if err != nil {
			return sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "%w", err)
		}
		step.Detail = fmt.Sprintf("%s, %d bytes", filepath.Base(c.Path), info.Size())
		return nil
	})
	var s *session
	steps.Run("header", func(step *sdk.TestStep) error {
		opened, err := open(ctx, req)
		if err != nil {
			return err
		}
		s = opened.(*session)
		return s.call(ctx, 0, "", func(_ context.Context, conn *engine.Conn) error {
			return describe(conn, step)
		})
	})
	steps.Run("read", func(step *sdk.TestStep) error {
		return s.call(ctx, 0, "", func(_ context.Context, conn *engine.Conn) error {
			return each(conn, "SELECT count(*) FROM sqlite_schema WHERE type IN ('table', 'view')", nil, func(row *engine.Stmt) error {
				step.Detail = fmt.Sprintf("%d tables and views", row.Int64(0))
				return nil
			})
		})
	})
	steps.Run("no_write", func(step *sdk.TestStep) error {
		return s.call(ctx, 0, "", func(ctx context.Context, conn *engine.Conn) error {
			step.Detail = mechanism
			return proveNoWrite(ctx, conn)
		})
	})
	if s == nil {
		return nil
	}
	return s.Close(context.WithoutCancel(ctx))
}

// describe says what kind of database the file is.
func describe(conn *engine.Conn, step *sdk.TestStep) error {
	return each(conn, "SELECT (SELECT encoding FROM pragma_encoding), (SELECT page_size FROM pragma_page_size), (SELECT journal_mode FROM pragma_journal_mode)", nil,
		func(row *engine.Stmt) error {
			var facts [3]any
			for i := range facts {
				var err error
				if facts[i], err = row.Value(i); err != nil {
					return err
				}
			}
			step.Detail = fmt.Sprintf("SQLite 3 database, %v, pages of %d bytes, journal mode %v", facts[0], facts[1], facts[2])
			return nil
		})
}

// proveNoWrite asks every layer by itself, without a statement that could
// change anything if a layer failed: nothing here is ever run.
func proveNoWrite(ctx context.Context, conn *engine.Conn) error {
	for _, sql := range []string{
		"CREATE TABLE loam_must_not_exist (x)", "PRAGMA user_version = 1", "ATTACH ':memory:' AS loam_must_not_exist",
		"VACUUM INTO 'loam_must_not_exist'", "BEGIN IMMEDIATE",
	} {
		stmt, err := prepare(ctx, conn, sql)
		if err == nil {
			stmt.Finalize()
			err = sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "a statement that writes is not refused: %s", sql).
				WithHint("do not use this connection; report this to Loam's maintainers")
		}
		if sdk.KindOf(err) != sdk.KindNotReadOnly {
			return err
		}
	}
	readOnly, err := conn.IsReadOnly()
	if err == nil && !readOnly {
		err = sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the file is open for writing").
			WithHint("do not use this connection; report this to Loam's maintainers")
	}
	return err
}
