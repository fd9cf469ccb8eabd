// Package folder reads the files of a folder that people edit, and reads a file again
// only when it changed. Each call checks every file with stat; in a folder of many files
// the result may be reused for a short time (Config.Rest).
package folder

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/flight"
	"github.com/loam-data/loam/sdk"
)

// Config is the configuration of a Folder.
type Config[T comparable] struct {
	// Dir need not exist. Links must not lead out of it; if it is a link itself, it must
	// not lead out of its parent folder: a project may come from anybody.
	Dir string
	// Of is its name in messages: "wiki".
	Of string
	// Within are the folders of Dir that are read, with everything below them except
	// names that begin with a dot.
	Within []string
	// Takes reports whether a file with this base name is read.
	Takes func(base string) bool
	// MaxBytes is the largest file, MaxDepth how many levels a folder of Within
	// may have.
	MaxBytes int64
	MaxDepth int
	// Parse parses a file; name is its path below Dir with slashes.
	// Concurrency: called by several goroutines.
	Parse func(name string, content []byte, modified time.Time) (T, *sdk.Error)
	// Timeless reports whether the parsed value does not depend on the file's time; nil
	// = always.
	Timeless func(T) bool
	// Rest is how long the result of checking many files is reused; 0 = never. A change
	// is seen after that time at the latest, and at once when file.Replace of this
	// process made it.
	Rest time.Duration
	// Now is the clock, nil = time.Now.
	Now func() time.Time
}

// Folder reads the files of a folder repeatedly.
// Concurrency: any number of goroutines.
type Folder[T comparable] struct {
	Config[T]
	looks flight.Shared[*Listing[T]]

	// What follows belongs to the look that is running.
	files map[string]*entry[T]
	round int64
	// changed are the files that are not as in the listing, for a look that was
	// given up too.
	changed map[string]bool
	listing *Listing[T]
	// looked is when the last look at all files began, and writes what this process
	// had written then.
	looked time.Time
	writes int64
}

// many is how many files are looked at so fast that each call may.
const many = 256

// File is a file as last read. Name may be that of an unreadable folder.
// Concurrency: never changed.
type File[T comparable] struct {
	Name string
	// Hash is the SHA-256 of the content; zero when it was not read.
	Hash [sha256.Size]byte
	// Stamp identifies the version that was read; zero when it cannot, because the file
	// was read too soon after a change.
	Stamp Stamp
	// Value is the result of Parse, or Err its error.
	Value T
	Err   *sdk.Error
}

// Stamp identifies a version of a file by its size and times.
// Units: nanoseconds since 1970; Changed is 0 where the system has no such time.
type Stamp struct{ Size, Modified, Changed int64 }

// Listing is the files at one moment, by name.
// Concurrency: never changed.
type Listing[T comparable] struct {
	Files []*File[T]
	round int64 // of the look that made it
}

// Since reports whether a listing is at least as new as another one, which may be nil.
func (l *Listing[T]) Since(o *Listing[T]) bool { return o == nil || l.round >= o.round }

// same reports whether two files say the same.
func (f *File[T]) same(o *File[T]) bool {
	return f == o || f.Name == o.Name && f.Hash == o.Hash && f.Value == o.Value && text(f.Err) == text(o.Err)
}

func text(err *sdk.Error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// entry is a file, the stamp that it had and when it was last there.
type entry[T comparable] struct {
	file  *File[T]
	stamp Stamp
	round int64
}

// New returns a folder. It reads nothing yet.
func New[T comparable](c Config[T]) *Folder[T] {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Folder[T]{Config: c, files: map[string]*entry[T]{}, changed: map[string]bool{}}
}

// Know adds files that another process has read, which are not read again if they are
// unchanged. It must be called before the first Look.
func (f *Folder[T]) Know(files []*File[T]) {
	for _, one := range files {
		f.files[one.Name] = &entry[T]{file: one, stamp: one.Stamp}
		f.changed[one.Name] = true
	}
}

// Look checks every file and returns the present listing. Concurrent callers share a
// check that began after their calls.
// Shape: the same listing as long as nothing changes.
// Errors: KindDenied when the folder cannot be read; those of ctx. Errors of single
// files are in the listing.
func (f *Folder[T]) Look(ctx context.Context) (*Listing[T], error) {
	return f.looks.Do(ctx, f.again)
}

func (f *Folder[T]) again(ctx context.Context) (*Listing[T], error) {
	now, writes := f.Now(), file.Writes()
	if f.rests(now, writes) {
		return f.listing, nil
	}
	f.round++
	root, err := f.open()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.forget()
	case err != nil:
		return nil, f.closed(err)
	default:
		if err := errors.Join(f.look(ctx, root), root.Close()); err != nil {
			return nil, err
		}
	}
	if len(f.changed) > 0 || f.listing == nil {
		if now := f.list(); f.listing == nil || !slices.EqualFunc(now.Files, f.listing.Files, (*File[T]).same) {
			f.listing = now
		}
		clear(f.changed)
	}
	f.looked, f.writes = now, writes
	return f.listing, nil
}

// rests reports whether the last look stands for one at this time.
func (f *Folder[T]) rests(now time.Time, writes int64) bool {
	since := now.Sub(f.looked)
	return len(f.files) > many && f.listing != nil && len(f.changed) == 0 && writes == f.writes && since >= 0 && since < f.Rest
}

// forget drops the files that this look has not seen.
func (f *Folder[T]) forget() {
	maps.DeleteFunc(f.files, func(name string, e *entry[T]) bool {
		if e.round == f.round {
			return false
		}
		f.changed[name] = true
		return true
	})
}

// list makes a listing of the last one and what changed.
func (f *Folder[T]) list() *Listing[T] {
	var before []*File[T]
	if f.listing != nil {
		before = f.listing.Files
	}
	now := &Listing[T]{Files: make([]*File[T], 0, len(f.files)), round: f.round}
	for _, name := range slices.Sorted(maps.Keys(f.changed)) {
		at, was := slices.BinarySearchFunc(before, name, func(o *File[T], name string) int { return strings.Compare(o.Name, name) })
		now.Files = append(now.Files, before[:at]...)
		if before = before[at:]; was {
			before = before[1:]
		}
		if e := f.files[name]; e != nil {
			now.Files = append(now.Files, e.file)
		}
	}
	now.Files = append(now.Files, before...)
	return now
}

// Read returns a file's present content.
// Errors: KindDenied, with fs.ErrNotExist when there is none; KindLimit.
func (f *Folder[T]) Read(name string) (_ []byte, modified time.Time, err error) {
	root, err := f.open()
	if err != nil {
		return nil, modified, f.closed(err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	content, stamp, failed := f.content(root, name)
	if failed != nil {
		return nil, modified, failed
	}
	return content, time.Unix(0, stamp.Modified), nil
}

// open opens the folder without leaving the one that it lies in.
func (f *Folder[T]) open() (*os.Root, error) {
	parent, err := os.OpenRoot(filepath.Dir(f.Dir))
	if err != nil {
		return nil, err
	}
	root, err := parent.OpenRoot(filepath.Base(f.Dir))
	return root, errors.Join(err, parent.Close())
}

// content returns what is in a file, and the stamp that it had before.
func (f *Folder[T]) content(root *os.Root, name string) (content []byte, s Stamp, _ *sdk.Error) {
	file, err := root.Open(name)
	if err != nil {
		return nil, s, f.outside(name, err)
	}
	now, err := statFile(file)
	if err == nil {
		s = now.Stamp
		content, err = readAll(file, min(s.Size, f.MaxBytes), f.MaxBytes)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, s, f.unreadable(name, err)
	}
	if int64(len(content)) > f.MaxBytes {
		return nil, s, sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "the %s's %s has more than %d bytes", f.Of, name, f.MaxBytes).WithHint("split it")
	}
	return content, s, nil
}

// readAll reads a file of about that size, and one byte more than the most.
func readAll(file *os.File, size, most int64) ([]byte, error) {
	content := make([]byte, 0, size+1)
	limited := io.LimitReader(file, most+1)
	for {
		n, err := limited.Read(content[len(content):cap(content)])
		content = content[:len(content)+n]
		if err == io.EOF {
			return content, nil
		}
		if err != nil {
			return nil, err
		}
		content = slices.Grow(content, 1)
	}
}

func (f *Folder[T]) unreadable(name string, err error) *sdk.Error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the %s's %s cannot be read: %w", f.Of, name, err).
		WithHint("make it readable for this user")
}

// closed explains a folder that cannot be opened as a whole.
func (f *Folder[T]) closed(err error) *sdk.Error {
	name := filepath.Base(f.Dir)
	if info, failed := os.Lstat(f.Dir); failed == nil && info.Mode()&fs.ModeSymlink != 0 && !errors.Is(err, fs.ErrPermission) {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the %s is not read, because the folder %s is a link out of the project", f.Of, name).
			WithHint("put the folder itself in the place of the link: %s", f.Dir)
	}
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the %s is not read, because the folder %s cannot be opened: %w", f.Of, name, err).
		WithHint("make %s a folder that this user may read", f.Dir)
}

// outside explains a path that cannot be followed within the folder.
func (f *Folder[T]) outside(name string, err error) *sdk.Error {
	if errors.Is(err, fs.ErrPermission) {
		return f.unreadable(name, err)
	}
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the %s's %s cannot be read: %w", f.Of, name, err).
		WithHint("put the file itself into the %s; links must not lead out of it, or nowhere", f.Of)
}
