package demo

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

// A Writer makes a database file of SQL statements, whole or not at all.
type Writer func(ctx context.Context, path string, statements iter.Seq[string]) error

// Build makes the sample project in dir. A project that is there already stays
// as it is, and made is false; only databases that are missing are made again.
// Errors: KindDenied when dir cannot be written.
func Build(ctx context.Context, dir string, write Writer) (made bool, err error) {
	data := filepath.Join(dir, "data")
	if err := os.MkdirAll(data, 0o755); err != nil {
		return false, sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "create %s: %w", data, err)
	}
	made, err = writeProject(dir)
	if err != nil {
		return false, err
	}
	for name, rows := range map[string]iter.Seq[string]{"shop.db": shopStatements(), "crm.db": crmStatements()} {
		path := filepath.Join(data, name)
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if err := write(ctx, path, rows); err != nil {
			return made, err
		}
	}
	return made, nil
}

// writeProject writes the files that are a person's from then on, if there is no
// project yet. The project file is the last one: it says that the others are there.
func writeProject(dir string) (made bool, err error) {
	path := filepath.Join(dir, "loam.yaml")
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	sample, err := fs.Sub(pages, "sample")
	if err != nil {
		return false, err
	}
	err = fs.WalkDir(sample, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		page, err := fs.ReadFile(sample, name)
		if err != nil {
			return err
		}
		return put(filepath.Join(dir, filepath.FromSlash(name)), page)
	})
	if err != nil {
		return false, err
	}
	err = errors.Join(put(filepath.Join(dir, ".gitignore"), []byte("/.loam/\n/data/\n")), put(path, projectFile))
	return err == nil, err
}

// put writes a file unless there is one: then it is theirs.
func put(path string, content []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = file.Replace(path, content, 0o644)
	}
	if err != nil {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "write %s: %w", path, err).WithHint("give a folder that is writable for this user")
	}
	return nil
}
