package demo

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/loam-data/loam/sdk"
)

// A Writer makes a database file of SQL statements, whole or not at all.
type Writer func(ctx context.Context, path string, statements iter.Seq[string]) error

// Build makes the sample project in dir. A project that is there already stays
// as it is; only databases that are missing are made again.
// Errors: KindDenied when dir cannot be written.
func Build(ctx context.Context, dir string, write Writer) error {
	data := filepath.Join(dir, "data")
	if err := os.MkdirAll(data, 0o755); err != nil {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "create %s: %w", data, err)
	}
	file := filepath.Join(dir, "loam.yaml")
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		if err := os.WriteFile(file, projectFile, 0o644); err != nil {
			return sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "write %s: %w", file, err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("/.loam/\n/data/\n"), 0o644); err != nil {
			return sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "write .gitignore: %w", err)
		}
	}
	for name, rows := range map[string]iter.Seq[string]{"shop.db": shopStatements(), "crm.db": crmStatements()} {
		path := filepath.Join(data, name)
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if err := write(ctx, path, rows); err != nil {
			return err
		}
	}
	return nil
}
