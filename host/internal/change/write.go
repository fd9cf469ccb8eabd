package change

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

// The files that a write makes beside the one that it changes are .loam-<id> with one of these endings.
const (
	tempPrefix = ".loam-"
	partial    = ".part"  // is being written
	ready      = ".new"   // is whole; after the exchange the file that was displaced
	aside      = ".old"   // the file, moved away
	backing    = ".back-" // is to be exchanged back; see backEnding
)

// outcome is what became of a write.
type outcome struct {
	// outrun: the file was not as expected; it is as somebody else left it.
	outrun bool
	// unsettled: the file is changed, or something is left beside it. If the write failed, Recover ends it.
	unsettled bool
}

// write is a change of a file's content under way.
type write struct {
	place       *place
	id          ID
	base, after []byte // nil = no file
	outcome
}

func (w *write) temp(ending string) string { return tempPrefix + string(w.id) + ending }

// put replaces the content base of a file by after, unless the file is not base any more.
// Errors: KindUnavailable; nothing is half-written then.
func (e *Engine) put(ctx context.Context, id ID, name string, base, after []byte) (_ outcome, err error) {
	p, err := e.openPlace(name, after != nil)
	if errors.Is(err, fs.ErrNotExist) {
		return outcome{outrun: base != nil}, nil
	}
	if err != nil {
		return outcome{}, unwritten(name, err)
	}
	w := &write{place: p, id: id, base: base, after: after}
	err = w.run(ctx)
	return w.outcome, unwrittenIf(name, errors.Join(err, p.close()))
}

// prune removes a folder and those above it where they are empty, but for the first one. What cannot be removed stays.
func (e *Engine) prune(folder string) {
	root, err := os.OpenRoot(e.Dir)
	if err != nil {
		return
	}
	for strings.Contains(folder, "/") && root.Remove(folder) == nil {
		folder = path.Dir(folder)
	}
	if err := root.Close(); err != nil {
		e.Logger.Warn("the project's folder cannot be closed", "error", err)
	}
}

func (w *write) run(ctx context.Context) error {
	var err error
	if w.after != nil {
		err = w.prepare()
	}
	if err == nil {
		err = w.swap(ctx)
	}
	if err == nil {
		return w.sync()
	}
	if !w.unsettled {
		left := errors.Join(w.drop(partial), w.drop(ready))
		w.unsettled = left != nil
		err = errors.Join(err, left)
	}
	return err
}

// prepare writes the new content beside the file.
func (w *write) prepare() (err error) {
	if err := w.drop(partial); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if info, err := w.place.root.Lstat(w.place.file); err == nil {
		mode = info.Mode().Perm()
	}
	if err := w.place.engine.at("create"); err != nil {
		return err
	}
	f, err := w.place.root.OpenFile(w.temp(partial), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if err = w.place.engine.at("write"); err == nil {
		_, err = f.Write(w.after)
	}
	if err == nil {
		err = w.place.engine.at("sync")
	}
	if err == nil {
		err = errors.Join(f.Chmod(mode), f.Sync())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := w.place.engine.at("ready"); err != nil {
		return err
	}
	return w.place.root.Rename(w.temp(partial), w.temp(ready))
}

// swap puts the new content in place, and looks at what it displaced.
func (w *write) swap(ctx context.Context) error {
	if err := w.place.engine.at("place"); err != nil {
		return err
	}
	switch {
	case w.base == nil:
		return w.create()
	case w.after == nil, w.place.engine.apart:
		return w.replaceApart(ctx)
	}
	err := file.Exchange(w.place.dir, w.temp(ready), w.place.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		w.outrun = true
		return w.drop(ready)
	case errors.Is(err, errors.ErrUnsupported):
		return w.replaceApart(ctx)
	case err != nil:
		return err
	}
	w.unsettled = true
	return w.compare(ctx)
}

// create puts a new file in place.
func (w *write) create() error {
	err := file.Put(w.place.dir, w.temp(ready), w.place.file)
	if errors.Is(err, fs.ErrExist) {
		w.outrun = true
		return w.drop(ready)
	}
	w.unsettled = w.unsettled || err == nil
	return err
}

// compare looks at the file that an exchange displaced: a person's goes back.
func (w *write) compare(ctx context.Context) error {
	if err := w.place.engine.at("compare"); err != nil {
		return err
	}
	displaced, err := w.place.read(w.temp(ready))
	if err != nil {
		return err
	}
	if bytes.Equal(displaced, w.base) {
		return w.displace(ctx, ready, w.base)
	}
	return w.back(ctx, ready, displaced)
}

// maxBack is how often a person may save between two exchanges before their last file stays as a revision alone.
const maxBack = 100

// backEnding is the ending of a file of content back while it is exchanged for the file in place, of content put. The name
// says both, so that a recovery knows which file is the person's latest.
func backEnding(put, back Hash) string { return backing + put.String() + "-" + back.String() }

// parseBackEnding reverses backEnding.
func parseBackEnding(ending string) (put, back Hash, ok bool) {
	hashes, ok := strings.CutPrefix(ending, backing)
	one, other, _ := strings.Cut(hashes, "-")
	return put, back, ok && put.UnmarshalText([]byte(one)) == nil && back.UnmarshalText([]byte(other)) == nil
}

// back exchanges until a person's latest save is in place. displaced is the content of the file that was displaced, and
// ending that of its name.
func (w *write) back(ctx context.Context, ending string, displaced []byte) error {
	w.outrun = true
	put := w.after
	for range maxBack {
		next := backEnding(hashOf(put), hashOf(displaced))
		if err := w.place.engine.at("name"); err != nil {
			return err
		}
		if err := w.place.root.Rename(w.temp(ending), w.temp(next)); err != nil {
			return err
		}
		ending = next
		if err := w.place.engine.at("back"); err != nil {
			return err
		}
		err := file.Exchange(w.place.dir, w.temp(ending), w.place.file)
		if errors.Is(err, fs.ErrNotExist) { // removed after the exchange: it stays removed
			return w.displace(ctx, ending, displaced)
		}
		if err != nil {
			return err
		}
		if err := w.place.engine.at("compare back"); err != nil {
			return err
		}
		now, err := w.place.read(w.temp(ending))
		if err != nil {
			return err
		}
		if bytes.Equal(now, put) {
			return errors.Join(w.place.engine.keepTheirs(ctx, w.place.name(), displaced), w.displace(ctx, ending, put))
		}
		put, displaced = displaced, now
	}
	return w.displace(ctx, ending, displaced)
}

// replaceApart moves the file away, looks at it, and puts the new content where nothing is by
// now: for a file that goes, and where files cannot be exchanged. No save of a person is lost; for a moment there is no file.
func (w *write) replaceApart(ctx context.Context) error {
	err := file.Put(w.place.dir, w.place.file, w.temp(aside))
	if errors.Is(err, fs.ErrNotExist) {
		w.outrun = true
		return w.drop(ready)
	}
	if err != nil {
		return err
	}
	w.unsettled = true
	if err := w.place.engine.at("compare"); err != nil {
		return err
	}
	moved, err := w.place.read(w.temp(aside))
	if err != nil {
		return err
	}
	if !bytes.Equal(moved, w.base) {
		return errors.Join(w.restore(ctx, moved), w.drop(ready))
	}
	if w.after != nil {
		if err := w.place.engine.at("place again"); err != nil {
			return err
		}
		if err := w.create(); err != nil {
			return err
		}
	}
	w.unsettled = true
	return w.displace(ctx, aside, w.base)
}

// restore puts a person's file back where it was moved away from, unless a newer one is there.
func (w *write) restore(ctx context.Context, moved []byte) error {
	w.outrun = true
	if err := w.place.engine.at("back"); err != nil {
		return err
	}
	err := file.Put(w.place.dir, w.temp(aside), w.place.file)
	if errors.Is(err, fs.ErrExist) {
		return w.displace(ctx, aside, moved)
	}
	if err != nil {
		return err
	}
	return w.place.engine.keepTheirs(ctx, w.place.name(), moved)
}

// displace moves a file that was in place out of the way, for an hour: an editor may have
// it open. content is what it had, and a revision before that if it is a person's.
func (w *write) displace(ctx context.Context, ending string, content []byte) error {
	if !bytes.Equal(content, w.base) && !bytes.Equal(content, w.after) {
		if err := w.place.engine.keepTheirs(ctx, w.place.name(), content); err != nil {
			return err
		}
	}
	if err := w.place.engine.at("displace"); err != nil {
		return err
	}
	dir := displacedFolder(w.place.name())
	if err := w.place.project.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	err := w.place.project.Rename(w.place.folder+"/"+w.temp(ending), dir+"/"+displacedName(w.id, hashOf(content), w.place.engine.Now()))
	if errors.Is(err, syscall.EXDEV) { // .loam is on another file system: nobody looks at it again
		return w.place.root.Remove(w.temp(ending))
	}
	return err
}

// drop removes a file of this write, if it is there.
func (w *write) drop(ending string) error {
	if err := w.place.engine.at("drop"); err != nil {
		return err
	}
	if err := w.place.root.Remove(w.temp(ending)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// sync makes what happened in the folder durable.
func (w *write) sync() error {
	if err := w.place.engine.at("folder"); err != nil {
		return err
	}
	dir := filepath.Join(w.place.engine.Dir, filepath.FromSlash(w.place.folder))
	err := file.SyncDir(dir)
	for err == nil && w.base == nil && dir != filepath.Clean(w.place.engine.Dir) { // its folders may be new too
		dir = filepath.Dir(dir)
		err = file.SyncDir(dir)
	}
	return err
}

// unwritten explains why a file could not be written.
func unwritten(name string, err error) *sdk.Error {
	if known, ok := errors.AsType[*sdk.Error](err); ok {
		return known
	}
	hint := "look at the disk and the permissions of the folder; what waits: loam review"
	switch {
	case errors.Is(err, syscall.ENOSPC):
		hint = "free some space; what waits: loam review"
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		hint = "make the project's folder writable for this user; what waits: loam review"
	}
	return sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "%s cannot be written: %w", name, err).WithHint("%s", hint)
}

// unwrittenIf is unwritten, nil for nil.
func unwrittenIf(name string, err error) error {
	if err == nil {
		return nil
	}
	return unwritten(name, err)
}

// temps returns the files that writes of a change left beside the file, by their endings.
func (w *write) temps() (map[string][]byte, error) {
	entries, err := fs.ReadDir(w.place.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	found := map[string][]byte{}
	for _, entry := range entries {
		ending, ours := strings.CutPrefix(entry.Name(), tempPrefix+string(w.id))
		if !ours {
			continue
		}
		if found[ending], err = w.place.read(entry.Name()); err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
	}
	return found, nil
}
