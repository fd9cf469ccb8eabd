package folder

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/flight"
	"github.com/loam-data/loam/sdk"
)

// stat is what is known of a name without reading it.
type stat struct {
	Stamp
	kind fs.FileMode // its type bits; 0 = a file
}

// look is one look at all files.
type look[T comparable] struct {
	*Folder[T]
	ctx  context.Context
	root *os.Root
	seen int
}

// look brings the files up to what is on disk.
func (f *Folder[T]) look(ctx context.Context, root *os.Root) error {
	l := &look[T]{Folder: f, ctx: ctx, root: root}
	for _, dir := range f.Within {
		if err := l.folder(dir, 0); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err // not all was seen
	}
	if l.seen != len(f.files) {
		f.forget()
	}
	return nil
}

// folder looks at what is below a folder. One that does not exist has nothing.
func (l *look[T]) folder(dir string, depth int) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	folder, err := l.root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var all []some[T]
	if err == nil {
		all, err = l.names(folder, dir)
		err = errors.Join(err, folder.Close())
	}
	if err != nil {
		l.take(entry[T]{File: &File[T]{Name: dir, Err: l.outside(dir, err)}})
		return nil
	}
	var below []string
	for _, some := range all {
		l.seen += some.unchanged
		for _, e := range some.read {
			l.take(e)
		}
		below = append(below, some.folders...)
	}
	for _, name := range below {
		if depth+1 < l.MaxDepth {
			if err := l.folder(name, depth+1); err != nil {
				return err
			}
			continue
		}
		l.take(entry[T]{File: &File[T]{Name: name, Err: sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "the %s's folder %s is more than %d levels deep", l.Of, name, l.MaxDepth).
			WithHint("move its files further up")}})
	}
	return nil
}

// take keeps what was read under a name.
func (l *look[T]) take(now entry[T]) {
	l.seen++
	now.round = l.round
	before := l.files[now.Name]
	l.files[now.Name] = &now
	if before == nil || before.File != now.File {
		l.changed[now.Name] = true
	}
}

// some is what one goroutine found in a folder.
type some[T comparable] struct {
	unchanged int
	read      []entry[T]
	folders   []string
}

// few is how many names are not worth another goroutine.
const few = 128

// names looks at what is in a folder, by several goroutines: each look is a wait
// for the system.
func (l *look[T]) names(folder *os.File, dir string) ([]some[T], error) {
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	parts := make([]some[T], min(runtime.GOMAXPROCS(0), 1+len(names)/few))
	flight.All(len(parts), func(i int) {
		l.some(statIn(folder), dir, names[i*len(names)/len(parts):(i+1)*len(names)/len(parts)], &parts[i])
	})
	return parts, nil
}

func (l *look[T]) some(stat func(string) (stat, error), dir string, names []string, into *some[T]) {
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
		case err == nil && !l.Takes(base):
			continue
		}
		old := l.files[string(path)]
		if err == nil && now.kind == fs.ModeSymlink {
			now, err = l.follow(string(path))
		} else if err == nil && old != nil && old.Stamp == now.Stamp {
			old.round = l.round
			into.unchanged++
			continue
		}
		into.read = append(into.read, l.file(string(path), now, err, old))
		if l.ctx.Err() != nil {
			return // what was read is kept for the next look
		}
	}
}

// follow looks at what a link leads to. Only its kind is of use: another file
// may be behind it without any other stamp.
func (l *look[T]) follow(name string) (stat, error) {
	info, err := l.root.Stat(name)
	if err != nil {
		return stat{}, err
	}
	return stat{kind: info.Mode().Type()}, nil
}

// granule is the coarsest step of a file's time that is reckoned with.
const granule = 2 * time.Second

// file reads what is under a name. What is as it was before is the same file.
func (l *look[T]) file(name string, now stat, err error, before *entry[T]) entry[T] {
	one := &File[T]{Name: name}
	e := entry[T]{File: one, stamp: now.Stamp}
	var content []byte
	switch {
	case err != nil:
		one.Err = l.outside(name, err)
	case now.kind != 0:
		one.Err = sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "the %s's %s is no file", l.Of, name).WithHint("remove it, or put a file there")
	default:
		content, e.stamp, one.Err = l.content(l.root, name)
	}
	if one.Err == nil {
		one.Hash = sha256.Sum256(content)
	}
	if l.Now().Sub(time.Unix(0, max(e.stamp.Modified, e.stamp.Changed))) >= granule {
		one.Stamp = e.stamp
	}
	switch {
	case before != nil && one.Err == nil && before.Hash == one.Hash && l.stands(before, e.stamp):
		one.Value, one.Err = before.Value, before.Err
	case one.Err == nil:
		one.Value, one.Err = l.Parse(name, content, time.Unix(0, e.stamp.Modified))
	}
	if before != nil && before.Stamp == one.Stamp && one.same(before.File) {
		e.File = before.File
	}
	return e
}

// stands reports whether what was made of a file is what would be made of the
// same content now.
func (l *look[T]) stands(before *entry[T], now Stamp) bool {
	return l.Timeless == nil || before.stamp.Modified == now.Modified || before.Err == nil && l.Timeless(before.Value)
}
