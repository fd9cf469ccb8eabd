package trust

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

const (
	// fileName is the trust file below Loam's state folder. Its folder also has the lock, and
	// temporary files of a writer that was killed.
	fileName    = "trust/trust.json"
	fileVersion = 1
	// maxFileBytes bounds the file. A record has about 300 bytes.
	maxFileBytes = 16 << 20
	// maxFolders bounds the project folders in the file. Beyond it, the folders with the oldest
	// latest record are removed.
	maxFolders = 1000
	// lockPatience bounds the wait for another process that changes the file.
	lockPatience = 10 * time.Second
)

// Path returns the path of the trust file; goos is a value of runtime.GOOS. It returns "" when
// there is no home folder.
func Path(goos, home string, getenv func(string) string) string {
	dir := file.StateDir(goos, home, getenv)
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Join(dir, filepath.FromSlash(fileName))
}

// record is an Ask that a person allowed. What is only for display.
type record struct {
	Digest string    `json:"digest"`
	Kind   Kind      `json:"kind"`
	Where  string    `json:"where"`
	What   string    `json:"what"`
	At     time.Time `json:"at"`
}

// content is the trust file: records by the real path of the project folder.
type content struct {
	Version int                 `json:"version"`
	Folders map[string][]record `json:"folders"`
}

// store reads and writes the trust file for one project.
// Concurrency: its methods may be called concurrently, also by several processes.
type store struct {
	path, folder string

	mu   sync.Mutex
	seen os.FileInfo // of the file when last was read; nil = never read, or it does not exist
	last content
}

// records returns the records of the project. An unchanged file costs one stat.
func (s *store) records() ([]record, error) {
	all, err := s.folders()
	return all[s.folder], err
}

// folders returns the records of every project. The caller must not change the map.
func (s *store) folders() (map[string][]record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := s.read()
	return now.Folders, err
}

// read returns the content of the file, empty when there is no file. The caller has s.mu.
func (s *store) read() (content, error) {
	info, err := os.Stat(s.path)
	switch {
	case s.path == "":
		return content{}, s.usable()
	case errors.Is(err, fs.ErrNotExist):
		s.seen, s.last = nil, content{Version: fileVersion}
		return s.last, nil
	case err != nil:
		return content{}, s.denied("cannot be read: %w", err)
	case s.seen != nil && os.SameFile(s.seen, info) && s.seen.Size() == info.Size() && s.seen.ModTime().Equal(info.ModTime()):
		return s.last, nil
	}
	if err := s.usable(); err != nil {
		return content{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFileBytes {
		return content{}, s.corrupt("is no file of this kind")
	}
	for _, path := range []string{filepath.Dir(s.path), s.path} {
		if why := foreign(path); why != "" {
			return content{}, s.denied("is not believed: %s", why)
		}
	}
	text, err := os.ReadFile(s.path)
	if err != nil {
		return content{}, s.denied("cannot be read: %w", err)
	}
	var c content
	if err := json.Unmarshal(text, &c); err != nil || c.Version < 1 {
		return content{}, s.corrupt("cannot be understood")
	}
	if c.Version > fileVersion {
		return content{}, sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "%s was written by a newer Loam", s.path).WithHint("upgrade loam")
	}
	s.seen, s.last = info, c
	return c, nil
}

// usable returns an error when there is no trust file, or the project folder contains it and
// so may have supplied it.
func (s *store) usable() error {
	if s.path == "" {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "there is no place that keeps which projects are trusted: the home folder is unknown").
			WithHint("set HOME or XDG_STATE_HOME; or set %s=1 where every project is trusted, as in CI", Variable)
	}
	if _, inside := file.Within(s.folder, s.path); inside {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s keeps which projects are trusted, and lies in the project folder: the project could have brought it along", s.path).
			WithHint("set XDG_STATE_HOME to a folder outside %s; or set %s=1 where every project is trusted, as in CI", text.ShellWord(s.folder), Variable)
	}
	return nil
}

// change edits the records of the project.
func (s *store) change(ctx context.Context, edit func([]record) []record) (err error) {
	if err := s.usable(); err != nil {
		return err
	}
	dir := filepath.Dir(s.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return s.denied("cannot be written: %w", err)
	}
	unlock, err := file.Wait(ctx, filepath.Join(dir, "trust.lock"), lockPatience)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return s.denied("cannot be written: %w", err)
	case unlock == nil:
		e := sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "another loam process is changing %s", s.path).WithHint("try again when it is done")
		e.Retry = true
		return e
	}
	defer func() { err = errors.Join(err, unlock()) }()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = nil // read the file again: another process may have changed it
	now, err := s.read()
	if err != nil {
		return err
	}
	if now.Folders == nil {
		now.Folders = map[string][]record{}
	}
	if now.Folders[s.folder] = edit(now.Folders[s.folder]); len(now.Folders[s.folder]) == 0 {
		delete(now.Folders, s.folder)
	}
	now.forget(s.folder)
	text, err := json.MarshalIndent(now, "", "  ")
	if err != nil {
		return err
	}
	s.seen = nil
	if err := errors.Join(file.Sweep(dir), file.Replace(s.path, append(text, '\n'), 0o600)); err != nil {
		return s.denied("cannot be written: %w", err)
	}
	return nil
}

// forget removes the folders with the oldest latest record when there are more than
// maxFolders; it never removes keep.
func (c content) forget(keep string) {
	if len(c.Folders) <= maxFolders {
		return
	}
	last := func(folder string) (at time.Time) {
		for _, r := range c.Folders[folder] {
			if r.At.After(at) {
				at = r.At
			}
		}
		return at
	}
	var folders []string
	for folder := range c.Folders {
		if folder != keep {
			folders = append(folders, folder)
		}
	}
	slices.SortFunc(folders, func(a, b string) int { return cmp.Or(last(a).Compare(last(b)), cmp.Compare(a, b)) })
	for _, folder := range folders[:len(c.Folders)-maxFolders] {
		delete(c.Folders, folder)
	}
}

func (s *store) denied(format string, args ...any) error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s, which keeps the projects that are trusted, "+format, append([]any{s.path}, args...)...).
		WithHint("make it a file of this user that nobody else can write; or set %s=1 where every project is trusted, as in CI", Variable)
}

func (s *store) corrupt(what string) error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s, which keeps the projects that are trusted, %s", s.path, what).
		WithHint("move it away and trust your projects again: mv %s %s && loam trust", text.ShellWord(s.path), text.ShellWord(s.path+".bad"))
}
