// Package machine is the store of the connectors that a person installed on this
// machine: their files, where they are from and by whose key, the keys that the person
// trusts, and the newest state seen of each index.
//
// Files are unpacked into a staging folder beside the store and come into it by one
// rename. store.json is written after that, so a process that is killed leaves a folder
// without a record, which is not used. Where it replaced the folder of a recorded release,
// both are there until the record is written, and the next writer keeps the recorded one.
package machine

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

const (
	recordsName = "store.json"
	fileVersion = 1
	// maxFileBytes bounds store.json: a record takes about 500 bytes.
	maxFileBytes = 16 << 20
	// lockPatience is how long another process may take that changes the store.
	lockPatience = 10 * time.Second
)

// Store is the store of a person.
// Concurrency: any number of goroutines and processes; a writer holds Lock.
type Store struct {
	// Data is the folder of all, with the lock of what the person installed for all their
	// projects. Dir has the connectors, Staging what is unpacked, Downloads the archives.
	Data, Dir, Staging, Downloads string
	// Before is called before each step that changes a file, by its name; an error ends the operation
	// there. Tests stop processes and fail writes with it. nil = nothing.
	Before func(step string) error
}

// Step announces a step that changes a file; see Before.
func (s *Store) Step(name string) error {
	if s.Before == nil {
		return nil
	}
	return s.Before(name)
}

// New returns the store in the data folder of Loam.
func New(data string) *Store {
	return &Store{Data: data, Dir: filepath.Join(data, "connectors"), Staging: filepath.Join(data, "staging"), Downloads: filepath.Join(data, "downloads")}
}

// Release is one version of a connector for one platform.
type Release struct {
	ID       string `json:"id"`
	Version  string `json:"version"`
	Platform string `json:"platform"`
}

// Record is what is known of an installed release.
type Record struct {
	Release
	// Archive and Tree are as in the lock of a project.
	Archive string `json:"archive"`
	Tree    string `json:"tree"`
	Source  string `json:"source"`
	// Key is the publisher's; "" = a person confirmed the checksum.
	Key         string    `json:"key"`
	InstalledAt time.Time `json:"installed_at"`
	// Interpreter ran the connector when it was approved; nil = it needs none, or none was there.
	Interpreter *Interpreter `json:"interpreter,omitempty"`
}

// Interpreter is a program that runs a connector's own, such as Python.
type Interpreter struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Key is a key that a person trusts.
type Key struct {
	Key string `json:"key"`
	// Pattern are the connectors that it may sign, "acme/*".
	Pattern string    `json:"pattern"`
	Source  string    `json:"source"`
	SeenAt  time.Time `json:"seen_at"`
}

// Records is store.json.
type Records struct {
	Version   int      `json:"store_version"`
	Installed []Record `json:"installed"`
	Keys      []Key    `json:"keys"`
	// Serials are the highest serial seen of each index, by its address.
	Serials map[string]int64 `json:"serials"`
	// Archives are the keys that signed the archives which were installed, by their
	// SHA-256: a lock of a project only claims it.
	Archives map[string]string `json:"archives"`
	// Projects are the folders whose locks name what is installed here.
	Projects []string `json:"projects,omitempty"`
}

// Find returns the record of a release.
func (r *Records) Find(want Release) (Record, bool) {
	i := slices.IndexFunc(r.Installed, func(have Record) bool { return have.Release == want })
	if i < 0 {
		return Record{}, false
	}
	return r.Installed[i], true
}

// Put adds a record, or replaces that of the same release.
func (r *Records) Put(record Record) {
	r.Installed = slices.DeleteFunc(r.Installed, func(have Record) bool { return have.Release == record.Release })
	r.Installed = append(r.Installed, record)
	if record.Archive != "" {
		r.Archives[record.Archive] = record.Key
	}
}

// Path is the folder of a release.
func (s *Store) Path(r Release) string {
	return filepath.Join(s.Dir, filepath.FromSlash(r.ID), r.Version, r.Platform)
}

// Read returns what the store knows, nothing where there is none.
// Errors: KindInvalid for a file that is none, KindUnsupported for one of a newer Loam,
// KindDenied.
func (s *Store) Read() (Records, error) {
	empty := Records{Version: fileVersion, Serials: map[string]int64{}, Archives: map[string]string{}}
	path := filepath.Join(s.Dir, recordsName)
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return empty, nil
	case err != nil:
		return empty, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s cannot be read: %w", path, err).WithHint("let this user read it")
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes))
	records := empty
	if err = errors.Join(err, f.Close()); err == nil {
		err = json.Unmarshal(text, &records)
	}
	switch {
	case err != nil || records.Version < 1:
		return empty, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s, which records the installed connectors, cannot be understood", path).
			WithHint("move it away and install the connectors again: loam connector install")
	case records.Version > fileVersion:
		return empty, sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "%s was written by a newer Loam", path).WithHint("upgrade loam")
	}
	if records.Serials == nil {
		records.Serials = map[string]int64{}
	}
	if records.Archives == nil {
		records.Archives = map[string]string{}
	}
	return records, nil
}

// Lock makes the folders of the store and waits until this process alone may change it;
// what a killed process left in the staging folder is removed, and a replacement that it
// did not finish is finished or undone.
// Errors: KindDenied where the store cannot be written, KindConflict when another
// process holds it, those of ctx.
func (s *Store) Lock(ctx context.Context) (unlock func() error, err error) {
	for _, dir := range []string{s.Dir, s.Staging, s.Downloads} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, s.unwritable(err)
		}
	}
	unlock, err = file.Wait(ctx, filepath.Join(s.Staging, ".lock"), lockPatience)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, s.unwritable(err)
	case unlock == nil:
		e := sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "another loam process is installing a connector").WithHint("try again when it is done")
		e.Retry = true
		return nil, e
	}
	if err := s.sweep(); err != nil {
		return nil, errors.Join(s.unwritable(err), unlock())
	}
	return unlock, nil
}

func (s *Store) sweep() error {
	left, err := fs.Glob(os.DirFS(s.Staging), "new-*")
	for _, name := range left {
		err = errors.Join(err, os.RemoveAll(filepath.Join(s.Staging, name)))
	}
	return errors.Join(err, file.Sweep(s.Downloads), file.Sweep(s.Dir), s.recover())
}

// Unwritable is the error of a file operation in the store, with what a person can do; another
// error, or nil, is returned as it is.
func (s *Store) Unwritable(err error) error {
	_, path := errors.AsType[*fs.PathError](err)
	_, link := errors.AsType[*os.LinkError](err)
	if _, told := errors.AsType[*sdk.Error](err); told || !path && !link {
		return err
	}
	return s.unwritable(err)
}

func (s *Store) unwritable(err error) error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "connectors cannot be installed in %s: %w", s.Dir, err).
		WithHint("make room, and let this user write there; or set XDG_DATA_HOME to a folder that has both")
}

// Stage makes an empty folder for the files of one release. The caller holds the lock,
// and removes the folder unless it commits it.
func (s *Store) Stage() (string, error) {
	if err := s.Step("stage"); err != nil {
		return "", s.unwritable(err)
	}
	dir, err := os.MkdirTemp(s.Staging, "new-")
	if err != nil {
		return "", s.unwritable(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", s.unwritable(errors.Join(err, os.Remove(dir)))
	}
	return dir, nil
}

// Change replaces what is recorded. The caller holds the lock.
func (s *Store) Change(edit func(*Records)) error {
	records, err := s.Read()
	if err != nil {
		return err
	}
	edit(&records)
	text, err := json.MarshalIndent(records, "", "  ")
	if err != nil {
		return err
	}
	if err = s.Step("record"); err == nil {
		err = file.Replace(filepath.Join(s.Dir, recordsName), append(text, '\n'), 0o600)
	}
	if err != nil {
		return s.unwritable(err)
	}
	return nil
}

// Remove removes a release: its record first, then its files. The caller holds the lock.
func (s *Store) Remove(r Release) error {
	err := s.Change(func(all *Records) {
		all.Installed = slices.DeleteFunc(all.Installed, func(have Record) bool { return have.Release == r })
	})
	if err != nil {
		return err
	}
	return s.Discard(s.Path(r))
}

// Discard removes a file or folder of the store that no record names, and the folders above it
// that are empty then. The caller holds the lock.
func (s *Store) Discard(path string) error {
	err := s.Step("remove files")
	if err == nil {
		err = os.RemoveAll(path)
	}
	if err != nil {
		return s.unwritable(err)
	}
	for dir := filepath.Dir(path); dir != s.Dir && dir != s.Downloads && filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if os.Remove(dir) != nil {
			break // another version is there
		}
	}
	return nil
}

// Leftovers are the folders of releases that no record names: a process was killed before it
// recorded them.
func (s *Store) Leftovers(records *Records) ([]string, error) {
	known := map[string]bool{}
	for _, r := range records.Installed {
		known[s.Path(r.Release)] = true
	}
	found, err := fs.Glob(os.DirFS(s.Dir), "*/*/*/*")
	var left []string
	for _, path := range found {
		if path = filepath.Join(s.Dir, filepath.FromSlash(path)); !known[path] && !strings.HasPrefix(path, filepath.Join(s.Dir, "loam")+string(filepath.Separator)) {
			left = append(left, path)
		}
	}
	return left, err
}
