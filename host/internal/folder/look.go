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

// stat is the stamp and the kind of a file.
type stat struct {
	Stamp
	kind fs.FileMode // its type bits; 0 = a file
}

// check is one check of all files.
type check[T comparable] struct {
	folder *Folder[T]
	ctx    context.Context
	root   *os.Root
	seen   int
}

// look brings the files up to date with the disk.
func (f *Folder[T]) look(ctx context.Context, root *os.Root) error {
	l := &check[T]{folder: f, ctx: ctx, root: root}
	for _, dir := range f.Within {
		if err := l.list(dir, 0); err != nil {
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

// list checks the files below a folder, which need not exist.
func (l *check[T]) list(dir string, depth int) error {
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
		l.take(entry[T]{file: &File[T]{Name: dir, Err: l.folder.outside(dir, err)}})
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
		if depth+1 < l.folder.MaxDepth {
			if err := l.list(name, depth+1); err != nil {
				return err
			}
			continue
		}
		l.take(entry[T]{file: &File[T]{Name: name, Err: sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "the %s's folder %s is more than %d levels deep", l.folder.Of, name, l.folder.MaxDepth).
			WithHint("move its files further up")}})
	}
	return nil
}

// take stores a file that was read.
func (l *check[T]) take(now entry[T]) {
	l.seen++
	now.round = l.folder.round
	before := l.folder.files[now.file.Name]
	l.folder.files[now.file.Name] = &now
	if before == nil || before.file != now.file {
		l.folder.changed[now.file.Name] = true
	}
}

// some is the part of a folder that one goroutine checked.
type some[T comparable] struct {
	unchanged int
	read      []entry[T]
	folders   []string
}

// few is the number of names per goroutine.
const few = 128

// names checks the files of a folder in several goroutines, because each stat waits for
// the system.
func (l *check[T]) names(folder *os.File, dir string) ([]some[T], error) {
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

func (l *check[T]) some(stat func(string) (stat, error), dir string, names []string, into *some[T]) {
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
		case err == nil && !l.folder.Takes(base):
			continue
		}
		old := l.folder.files[string(path)]
		if err == nil && now.kind == fs.ModeSymlink {
			now, err = l.follow(string(path))
		} else if err == nil && old != nil && old.file.Stamp == now.Stamp {
			old.round = l.folder.round
			into.unchanged++
			continue
		}
		into.read = append(into.read, l.file(string(path), now, err, old))
		if l.ctx.Err() != nil {
			return // what was read is kept for the next look
		}
	}
}

// follow returns the kind of a link's target. A stamp would be of no use: the link may lead
// to another file with an equal stamp.
func (l *check[T]) follow(name string) (stat, error) {
	info, err := l.root.Stat(name)
	if err != nil {
		return stat{}, err
	}
	return stat{kind: info.Mode().Type()}, nil
}

// granule is the coarsest step of a file's time that is reckoned with.
const granule = 2 * time.Second

// file reads the file of a name. An unchanged file is returned as the same pointer.
func (l *check[T]) file(name string, now stat, err error, before *entry[T]) entry[T] {
	one := &File[T]{Name: name}
	e := entry[T]{file: one, stamp: now.Stamp}
	var content []byte
	switch {
	case err != nil:
		one.Err = l.folder.outside(name, err)
	case now.kind != 0:
		one.Err = sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "the %s's %s is no file", l.folder.Of, name).WithHint("remove it, or put a file there")
	default:
		content, e.stamp, one.Err = l.folder.content(l.root, name)
	}
	if one.Err == nil {
		one.Hash = sha256.Sum256(content)
	}
	if l.folder.Now().Sub(time.Unix(0, max(e.stamp.Modified, e.stamp.Changed))) >= granule {
		one.Stamp = e.stamp
	}
	switch {
	case before != nil && one.Err == nil && before.file.Hash == one.Hash && l.stands(before, e.stamp):
		one.Value, one.Err = before.file.Value, before.file.Err
	case one.Err == nil:
		one.Value, one.Err = l.folder.Parse(name, content, time.Unix(0, e.stamp.Modified))
	}
	if before != nil && before.file.Stamp == one.Stamp && one.same(before.file) {
		e.file = before.file
	}
	return e
}

// stands reports whether the parsed value of a file is still valid for equal content.
func (l *check[T]) stands(before *entry[T], now Stamp) bool {
	return l.folder.Timeless == nil || before.stamp.Modified == now.Modified || before.file.Err == nil && l.folder.Timeless(before.file.Value)
}
