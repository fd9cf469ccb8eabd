package host

import (
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
)

// inMemory is where Linux keeps files in memory.
const inMemory = "/dev/shm"

// ownFolder returns the folder of the state of the project in folder: named, or, where that
// cannot be written, one in memory, below temporary, which the caller removes.
func ownFolder(folder string, named project.State, log *slog.Logger) (own project.State, temporary string, err error) {
	if info, err := os.Stat(string(named)); err == nil && !info.IsDir() {
		return named, "", nil // whoever opens it says what is in the way
	}
	if file.Writable(string(named)) {
		if named == project.StateFolder(folder) {
			return named, "", nil
		}
		return named, "", begin(folder, named, nil)
	}
	for _, place := range []string{inMemory, os.TempDir()} {
		if temporary, err = os.MkdirTemp(place, "loam-"); err == nil {
			break
		}
	}
	if err != nil {
		return "", "", sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s cannot be written, nor can %s or %s", named, inMemory, os.TempDir()).
			WithHint("set %s to a folder that this user can write", project.StateVariable)
	}
	log.Warn("the state is in memory and ends with this process", "unwritable", string(named), "folder", temporary)
	own = project.State(filepath.Join(temporary, "state"))
	// A log that was not written back yet belongs to the store.
	return own, temporary, begin(folder, own, map[string]string{named.Database(): decidedPath(own), named.Database() + "-wal": decidedPath(own) + "-wal"})
}

// decidedPath is where a temporary state has the copy of the store.
func decidedPath(own project.State) string { return filepath.Join(string(own), "decided.db") }

// begin makes a new folder for the state, with what the project's own has of scans and
// tokens, and further files, by the path that they are copied from. The index is built
// again. Several processes may begin: the first one counts.
func begin(folder string, own project.State, further map[string]string) error {
	inside := project.StateFolder(folder)
	if exists(string(own)) || !exists(string(inside)) {
		return nil
	}
	parent := filepath.Dir(string(own))
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return unmade(own, err)
	}
	fresh, err := os.MkdirTemp(parent, ".begin-")
	if err != nil {
		return unmade(own, err)
	}
	err = errors.Join(
		copyTree(inside.Catalog(), project.State(fresh).Catalog()),
		copyTree(inside.Tokens(), project.State(fresh).Tokens()))
	for from, to := range further {
		err = errors.Join(err, copyTree(from, filepath.Join(fresh, filepath.Base(to))))
	}
	if err == nil {
		err = os.Rename(fresh, string(own))
	}
	if err == nil {
		return nil
	}
	removed := os.RemoveAll(fresh)
	if exists(string(own)) {
		return removed // another process was first
	}
	return unmade(own, errors.Join(err, removed))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func unmade(own project.State, err error) error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the folder of the state, %s, cannot be made: %w", own, err).
		WithHint("correct %s, or make the folder writable for this user", project.StateVariable)
}

// copyTree copies the regular files of a folder, or a file; what is not there has none.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !entry.Type().IsRegular():
			return nil
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return copyFile(path, filepath.Join(to, below))
	})
}

func copyFile(from, to string) (err error) {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
