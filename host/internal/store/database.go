package store

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"os"
	"path/filepath"

	"github.com/loam-data/loam/sdk"
)

// WriteDatabase makes a new SQLite file from SQL statements, in one
// transaction: the file appears whole or not at all.
// Errors: KindDenied when the file cannot be written, KindInternal for a
// statement that fails.
func WriteDatabase(ctx context.Context, path string, statements iter.Seq[string]) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.partial")
	if err != nil {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "make %s: %w", path, err)
	}
	partial := file.Name()
	defer func() {
		if err != nil {
			err = errors.Join(err, removeIfThere(partial))
		}
	}()
	if err := errors.Join(file.Chmod(0o644), file.Close()); err != nil {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "make %s: %w", path, err)
	}
	db, err := sql.Open("sqlite", "file:"+partial+"?_pragma=journal_mode(off)&_pragma=synchronous(off)")
	if err != nil {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "make %s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	if err := fill(ctx, db, statements); err != nil {
		return errors.Join(sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "fill %s: %w", path, err), db.Close())
	}
	if err := db.Close(); err != nil {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "close %s: %w", path, err)
	}
	if err := os.Rename(partial, path); err != nil {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "rename to %s: %w", path, err)
	}
	return nil
}

func fill(ctx context.Context, db *sql.DB, statements iter.Seq[string]) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for statement := range statements {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "remove %s: %w", path, err)
	}
	return nil
}
