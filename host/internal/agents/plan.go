package agents

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

// maxFileBytes bounds the files that are read. A client's file with years of projects has a few
// MiB.
const maxFileBytes = 64 << 20

// plan is the set of changes of a command: the files before and after. Nothing is written until
// the plan is complete.
type plan struct {
	files []*planned
	// dirs are folders to remove if they are empty.
	dirs []string
}

// planned is one file of a plan.
type planned struct {
	name          string // as the caller named it
	path          string // with symbolic links resolved
	before, after []byte
	existed, gone bool
	mode          fs.FileMode
	missing       []string // folders to create, outermost first
	backups       string   // the folder for a copy of before; "" = no copy
}

func (f *planned) changed() bool {
	return f.existed == f.gone || !bytes.Equal(f.before, f.after)
}

// open returns a file with the changes that are planned so far.
// Errors: KindDenied, KindInvalid if it is not a regular file, KindLimit for a large one,
// KindConflict for a broken link and for a file where a folder should be.
func (p *plan) open(name string) (*planned, error) {
	path, err := resolved(name)
	if err != nil {
		return nil, err
	}
	for _, f := range p.files {
		if f.path == path {
			return f, nil
		}
	}
	f := &planned{name: name, path: path, mode: 0o644, gone: true}
	if err := f.read(); err != nil {
		return nil, err
	}
	f.after = f.before
	f.gone = !f.existed
	p.files = append(p.files, f)
	return f, nil
}

// resolved follows symbolic links: the file is changed, not the link.
func resolved(name string) (string, error) {
	path, err := filepath.EvalSymlinks(name)
	if err == nil {
		return path, nil
	}
	if info, lerr := os.Lstat(name); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
		return "", sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s is a link that leads nowhere", name).
			WithHint("mend the link, or remove it")
	}
	if errors.Is(err, fs.ErrNotExist) {
		return name, nil
	}
	if _, err := missing(filepath.Dir(name)); err != nil {
		return "", err // names the folder that cannot be used
	}
	return "", unreadable(name, err)
}

func unreadable(name string, err error) *sdk.Error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "%s cannot be read: %w", name, err).WithHint("let this user read it")
}

func (f *planned) read() error {
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		f.missing, err = missing(filepath.Dir(f.path))
		return err
	}
	if err != nil {
		return unreadable(f.name, err)
	}
	if !info.Mode().IsRegular() {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s is no regular file", f.name).WithHint("move it away")
	}
	in, err := os.Open(f.path)
	if err != nil {
		return unreadable(f.name, err)
	}
	text, err := io.ReadAll(io.LimitReader(in, maxFileBytes+1))
	if err := errors.Join(err, in.Close()); err != nil {
		return unreadable(f.name, err)
	}
	if len(text) > maxFileBytes {
		return sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "%s is larger than %d MiB", f.name, maxFileBytes>>20).
			WithHint("add the entry by hand; docs/clients.md shows it")
	}
	f.before, f.existed, f.mode = text, true, info.Mode().Perm()
	return nil
}

// missing returns the folders to create for dir, outermost first.
func missing(dir string) ([]string, error) {
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		return nil, nil
	case err == nil:
		return nil, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s is a file, not a folder", dir).WithHint("move it away")
	case !errors.Is(err, fs.ErrNotExist):
		if parent := filepath.Dir(dir); parent != dir {
			if _, err := missing(parent); err != nil {
				return nil, err // names the file
			}
		}
		return nil, unreadable(dir, err)
	}
	above, err := missing(filepath.Dir(dir))
	return append(above, dir), err
}

// write plans to replace the file.
// Errors: KindDenied for a read-only file.
func (f *planned) write(text []byte) error {
	if f.existed && f.mode&0o222 == 0 && !bytes.Equal(text, f.before) {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "%s is read-only; nothing was changed", f.name).
			WithHint("make it writable, or add the entry by hand: `loam agents setup --dry-run` shows it")
	}
	f.after, f.gone = text, false
	return nil
}

// remove plans to delete the file.
func (p *plan) remove(f *planned) { f.after, f.gone = nil, true }

// apply writes the files, each atomically. When one cannot be written, it restores the others.
// Errors: KindConflict when a file changed since it was read, KindDenied.
func (p *plan) apply(now time.Time) (err error) {
	var undo []func() error
	defer func() {
		if err == nil {
			return
		}
		for _, back := range slices.Backward(undo) {
			err = errors.Join(err, back())
		}
	}()
	for _, f := range p.files {
		if !f.changed() {
			continue
		}
		for _, dir := range f.missing {
			if err := os.Mkdir(dir, 0o755); err == nil {
				undo = append(undo, func() error {
					_ = os.Remove(dir) // fails if it contains a backup
					return nil
				})
			} else if !errors.Is(err, fs.ErrExist) {
				return unwritable(dir, err)
			}
		}
		if err := f.unchanged(); err != nil {
			return err
		}
		if err := f.backup(now); err != nil {
			return err
		}
		if err := f.put(); err != nil {
			return err
		}
		undo = append(undo, f.back)
	}
	slices.SortFunc(p.dirs, func(a, b string) int { return len(b) - len(a) })
	for _, dir := range p.dirs {
		_ = os.Remove(dir) // fails if it is not empty
	}
	return nil
}

func unwritable(name string, err error) *sdk.Error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "%s cannot be written, nothing was changed: %w", name, err).
		WithHint("let this user write there")
}

// unchanged checks that the file did not change since it was read: clients write it too.
func (f *planned) unchanged() error {
	now := planned{name: f.name, path: f.path}
	if err := now.read(); err != nil {
		return err
	}
	if now.existed != f.existed || !bytes.Equal(now.before, f.before) {
		return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s changed meanwhile; nothing was changed", f.name).
			WithHint("run the command again; close the client if it goes on writing")
	}
	return nil
}

func (f *planned) put() error {
	var err error
	if f.gone {
		err = os.Remove(f.path)
	} else {
		err = file.Replace(f.path, f.after, f.mode)
	}
	if err != nil {
		return unwritable(f.name, err)
	}
	return nil
}

// back restores the file as it was before put.
func (f *planned) back() error {
	if f.existed {
		return file.Replace(f.path, f.before, f.mode)
	}
	return os.Remove(f.path)
}

// keptBackups is the number of copies kept of one file.
const keptBackups = 5

// backup copies the file as it was. Only its owner can read the copy, because a client's file
// may contain credentials.
func (f *planned) backup(now time.Time) error {
	if f.backups == "" || !f.existed {
		return nil
	}
	if err := os.MkdirAll(f.backups, 0o700); err != nil {
		return unwritable(f.backups, err)
	}
	prefix := f.backupPrefix()
	if err := file.Replace(filepath.Join(f.backups, prefix+now.UTC().Format("20060102T150405.000000000")), f.before, 0o600); err != nil {
		return unwritable(f.backups, err)
	}
	entries, err := os.ReadDir(f.backups)
	if err != nil {
		return unreadable(f.backups, err)
	}
	var mine []string
	for _, e := range entries { // sorted by name, and so by time
		if len(e.Name()) > len(prefix) && e.Name()[:len(prefix)] == prefix {
			mine = append(mine, e.Name())
		}
	}
	for i := range len(mine) - keptBackups {
		if err := os.Remove(filepath.Join(f.backups, mine[i])); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unwritable(f.backups, err)
		}
	}
	return nil
}

func (f *planned) backupPrefix() string {
	return filepath.Base(f.path) + "." + sum([]byte(f.path))[:8] + "."
}

func sum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}
