package wiki

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/loam-data/loam/sdk"
)

// source is a file as it was last read.
type source struct {
	size     int64
	modified time.Time
	// racy: it was read so soon after it changed that it may have changed again
	// without another time or size.
	racy bool
	hash [sha256.Size]byte
	// round in which it was last there.
	round    int64
	page     *Page
	glossary map[string][]string // of the page of that name
	err      *sdk.Error
}

// stat is what tells whether a file is as it was.
type stat struct {
	size     int64
	modified time.Time
	kind     fs.FileMode // its type bits; 0 = a file
}

func statOf(info fs.FileInfo) stat { return stat{info.Size(), info.ModTime(), info.Mode().Type()} }

// look is one look at all files.
type look struct {
	*Wiki
	ctx   context.Context
	root  *os.Root
	round int64
	scope Scope
	top   string // the scope's folder
	seen  int
}

// look brings files up to what is on disk.
func (w *Wiki) look(ctx context.Context, root *os.Root, round int64) error {
	l := &look{Wiki: w, ctx: ctx, root: root, round: round}
	for _, s := range w.scopes() {
		l.scope, l.top = s.scope, s.dir
		if err := l.folder(s.dir, 0); err != nil {
			return err
		}
	}
	if l.seen != len(w.files) {
		w.changed = true
		maps.DeleteFunc(w.files, func(_ string, s *source) bool { return s.round != round })
	}
	return nil
}

// folder looks at what is below a folder. One that does not exist has nothing.
func (l *look) folder(dir string, depth int) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	folder, err := l.root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var all []some
	if err == nil {
		all, err = l.files(folder, dir)
		err = errors.Join(err, folder.Close())
	}
	if err != nil {
		l.take(dir, &source{err: outside(dir, err)})
		return nil
	}
	var below []string
	for _, some := range all {
		l.seen += some.unchanged
		for i, name := range some.names {
			l.take(name, some.read[i])
		}
		below = append(below, some.folders...)
	}
	for _, name := range below {
		if depth+1 < maxDepth {
			if err := l.folder(name, depth+1); err != nil {
				return err
			}
			continue
		}
		l.take(name, &source{err: sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "the wiki's folder %s is more than %d levels deep", name, maxDepth).
			WithHint("move its pages further up")})
	}
	return nil
}

// take keeps what was read under a name.
func (l *look) take(name string, now *source) {
	l.seen++
	now.round = l.round
	before := l.Wiki.files[name]
	l.Wiki.files[name] = now
	if before != nil && now.same(before) {
		now.page = before.page
		return
	}
	l.changed = true
}

// some is what one goroutine found in a folder.
type some struct {
	unchanged int
	names     []string // of files that were read
	read      []*source
	folders   []string
}

// few is how many names are not worth another goroutine.
const few = 128

// files looks at what is in a folder, by several goroutines: each look is a
// wait for the system.
func (l *look) files(folder *os.File, dir string) ([]some, error) {
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	parts := make([]some, min(runtime.GOMAXPROCS(0), 1+len(names)/few))
	var all sync.WaitGroup
	for i := range parts {
		names := names[i*len(names)/len(parts) : (i+1)*len(names)/len(parts)]
		all.Go(func() { l.some(statIn(folder), dir, names, &parts[i]) })
	}
	all.Wait()
	return parts, nil
}

func (l *look) some(stat func(string) (stat, error), dir string, names []string, into *some) {
	path := append([]byte(dir), '/')
	for _, base := range names {
		if strings.HasPrefix(base, ".") {
			continue
		}
		path = append(path[:len(dir)+1], base...)
		now, err := stat(base)
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed in this moment
			continue
		case err == nil && now.kind == fs.ModeDir:
			into.folders = append(into.folders, string(path))
			continue
		case err == nil && !strings.HasSuffix(base, ".md"):
			continue
		case err == nil && now.kind == fs.ModeSymlink:
			now, err = l.follow(string(path))
		}
		old := l.Wiki.files[string(path)]
		if err == nil && old != nil && !old.racy && old.size == now.size && old.modified.Equal(now.modified) {
			old.round = l.round
			into.unchanged++
			continue
		}
		name := string(path)
		into.names = append(into.names, name)
		into.read = append(into.read, l.file(name, now, err))
		if l.ctx.Err() != nil {
			return // what was read is kept for the next look
		}
	}
}

func (l *look) follow(name string) (stat, error) {
	info, err := l.root.Stat(name)
	if err != nil {
		return stat{}, err
	}
	return statOf(info), nil
}

// file reads what is under a name as a page.
func (l *look) file(name string, now stat, err error) *source {
	switch {
	case err != nil:
		return &source{err: outside(name, err)}
	case now.kind != 0:
		return &source{err: sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "the wiki's %s is no file", name).WithHint("remove it, or put a page there")}
	}
	return l.read(l.root, name, l.scope, strings.TrimSuffix(strings.TrimPrefix(name, l.top+"/"), ".md"))
}

// outside explains a path that cannot be followed within the wiki.
func outside(name string, err error) *sdk.Error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the wiki's %s cannot be read: %w", name, err).
		WithHint("put the file itself into the wiki; links must not lead out of it, or nowhere")
}

// granule is the coarsest step of a file's time that is reckoned with.
const granule = 2 * time.Second

// read reads a file as a page.
func (w *Wiki) read(root *os.Root, name string, scope Scope, key string) *source {
	one := &source{}
	content, err := one.load(root, name)
	one.racy = w.now().Sub(one.modified) < granule
	if err != nil {
		one.err = err
		return one
	}
	one.hash = sha256.Sum256(content)
	if !valid(key) {
		one.err = sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "the wiki's %s cannot be the name of a page", name).WithHint("rename the file")
		return one
	}
	page, body, failed := parse(content, key, one.modified)
	if failed != nil {
		one.err = sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "the wiki's %s is no page: %w", name, failed).WithHint("mend the file")
		return one
	}
	page.Scope, page.Path, page.Content = scope, name, one.hash
	one.page = &page
	if key == glossaryKey {
		one.glossary = glossary(body)
	}
	return one
}

// same reports whether a file is what it was when it was read before.
func (s *source) same(before *source) bool {
	if s.hash != before.hash || (s.err == nil) != (before.err == nil) {
		return false
	}
	if s.err != nil {
		return s.err.Error() == before.err.Error()
	}
	return s.page.Updated.Equal(before.page.Updated)
}

// load returns a file's content and keeps its size and time.
func (s *source) load(root *os.Root, name string) (content []byte, _ *sdk.Error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, outside(name, err)
	}
	info, err := f.Stat()
	if err == nil {
		s.size, s.modified = info.Size(), info.ModTime()
		content, err = io.ReadAll(io.LimitReader(f, maxPage+1))
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, unreadable(name, err)
	}
	if len(content) > maxPage {
		return nil, sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "the wiki's %s has more than %d bytes", name, maxPage).WithHint("split the page")
	}
	return content, nil
}
