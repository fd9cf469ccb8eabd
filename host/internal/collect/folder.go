package collect

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/collect/ignore"
	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

// folder is a folder to collect. All files below it are read through root, so that no link leads out of it.
type folder struct {
	root *os.Root
	dir  string // absolute, without links
	// prefix is put before its paths in the repository: its name and a slash if there are several folders, else "".
	prefix string
	// limit is the largest file that is read, in bytes.
	limit int
	// own are the paths below it that belong to the project and are not collected.
	own map[string]bool
	// levels are the ignore files above it, from the outermost folder in.
	levels []level
}

// level is the ignore files of one folder.
type level struct {
	// A path relative to the collected folder becomes relative to the level's folder: without its first cut bytes for
	// a folder below, with up before it for a folder above.
	cut int
	up  string
	// rules in order of precedence, highest first.
	rules []*ignore.Rules
}

// openFolders opens the roots of folders. If there are several, the paths of each begin with its name.
// Errors: KindNotFound; KindInvalid for a file and for two folders of the same name; KindDenied.
func openFolders(dirs, own []string) (all []*folder, err error) {
	defer func() {
		if err != nil {
			closeFolders(all)
		}
	}()
	names := map[string]string{}
	for _, dir := range dirs {
		f, err := openFolder(dir, own)
		if err != nil {
			return all, err
		}
		all = append(all, f)
		if len(dirs) == 1 {
			return all, nil
		}
		f.prefix = filepath.Base(f.dir) + "/"
		if other, ok := names[f.prefix]; ok {
			return all, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s and %s have one name, with which their paths begin", other, dir).
				WithHint("collect them as two repositories, or the folder that holds both")
		}
		names[f.prefix] = dir
	}
	return all, nil
}

func openFolder(dir string, own []string) (*folder, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s: %w", dir, err).WithHint("name a folder")
	}
	if err := checkOwn(absolute, own); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(absolute)
	if err != nil {
		return nil, unreadable(dir, err)
	}
	return newFolder(root, file.Real(absolute), own), nil
}

// newFolder returns the folder dir, absolute and without links, with its root.
func newFolder(root *os.Root, dir string, own []string) *folder {
	f := &folder{root: root, dir: dir, limit: maxFile, own: map[string]bool{}}
	for _, o := range own {
		if below, ok := file.Within(f.dir, o); ok {
			f.own[filepath.ToSlash(below)] = true
		}
	}
	f.levels = above(f.dir)
	return f
}

// unreadable is the error for a folder that cannot be opened.
func unreadable(dir string, err error) error {
	info, _ := os.Stat(dir) // nil: err says why
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no folder %s", dir).WithHint("name one that exists")
	case info != nil && !info.IsDir():
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s is no folder", dir).WithHint("name the folder that it is in")
	}
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s cannot be read: %w", dir, err).WithHint("make it readable for this user")
}

func closeFolders(all []*folder) {
	for _, f := range all {
		_ = f.root.Close() // it was only read
	}
}

// ignoreFiles are the files with rules, in order of precedence, highest first.
var ignoreFiles = []string{".ignore", ".gitignore"}

// above reads the ignore files of the folders above one, up to the folder with .git; without .git there are none.
func above(dir string) (levels []level) {
	at, up := dir, ""
	for ; !exists(filepath.Join(at, ".git")); at = filepath.Dir(at) {
		parent := filepath.Dir(at)
		if parent == at {
			return nil
		}
		up = filepath.Base(at) + "/" + up
		l := level{up: up}
		for _, name := range ignoreFiles {
			l.rules = append(l.rules, rulesAt(filepath.Join(parent, name))...)
		}
		levels = append(levels, l)
	}
	levels = append(levels, level{up: up, rules: rulesAt(filepath.Join(at, ".git", "info", "exclude"))})
	slices.Reverse(levels)
	return levels
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// rulesAt reads an ignore file outside the collected folder; nil if it cannot be read.
func rulesAt(path string) []*ignore.Rules {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return []*ignore.Rules{ignore.Parse(content)}
}

// found is a file of a folder.
type found struct {
	folder *folder
	name   string // below the folder
	path   string // in the repository
}

// walk lists the files below a folder that no rule excludes, in order.
type walk struct {
	folder   *folder
	patterns *patterns
	files    []found
	skipped  func(reason string)
	fault    func(path string, err error)
}

// in walks a folder below the root; "." is the root.
func (w *walk) in(ctx context.Context, dir string, levels []level, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := w.entries(dir)
	if err != nil || depth > maxDepth {
		w.fault(w.folder.prefix+strings.TrimPrefix(dir, "."), cmp.Or(err, error(sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "folders are read %d deep", maxDepth))))
		return nil
	}
	if l := w.level(dir, entries); len(l.rules) > 0 {
		levels = append(slices.Clip(levels), l)
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.Name() == ".git" || w.folder.own[name] || leftOut(levels, name, e.IsDir()) || w.patterns.leaveOut(name, e.IsDir()) {
			continue
		}
		switch {
		case !nameable(e.Name()) || len(w.folder.prefix+name) > maxPath:
			w.skipped(badName)
		case e.IsDir():
			if err := w.in(ctx, name, levels, depth+1); err != nil {
				return err
			}
		case !e.Type().IsRegular():
			w.skipped(notRegular)
		case len(w.files) >= maxFiles:
			return sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "%s has more than %d files", w.folder.dir, maxFiles).
				WithHint("leave some out with .gitignore, or collect folders in it as repositories of their own")
		default:
			w.files = append(w.files, found{w.folder, name, w.folder.prefix + name})
		}
	}
	return nil
}

func (w *walk) entries(dir string) (all []fs.DirEntry, err error) {
	d, err := w.folder.root.Open(dir)
	if err != nil {
		return nil, err
	}
	all, err = d.ReadDir(-1)
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, errors.Join(err, d.Close())
}

// level reads the ignore files among the entries of a folder.
func (w *walk) level(dir string, entries []fs.DirEntry) (l level) {
	if dir != "." {
		l.cut = len(dir) + 1
	}
	for _, name := range ignoreFiles {
		at := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name && e.Type().IsRegular() })
		if at < 0 {
			continue
		}
		content, _, err := w.folder.read(path.Join(dir, name))
		if err != nil {
			w.fault(w.folder.prefix+path.Join(dir, name), err)
			continue
		}
		l.rules = append(l.rules, ignore.Parse(content))
	}
	return l
}

// leftOut reports whether the rules exclude a path; those of the nearest folder take precedence.
func leftOut(levels []level, name string, folder bool) bool {
	for _, l := range slices.Backward(levels) {
		for _, r := range l.rules {
			if ignored, decided := r.Match(l.up+name[l.cut:], folder); decided {
				return ignored
			}
		}
	}
	return false
}

// nameable reports whether a name is valid UTF-8 without control and format characters.
func nameable(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) })
}

// read reads a file below the root.
// Shape: reason says why the file is skipped, without content; "" = it is not.
func (f *folder) read(name string) (content []byte, reason string, err error) {
	// Without O_NONBLOCK, opening would block if a pipe has replaced the file.
	in, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	info, err := in.Stat()
	switch {
	case err != nil:
		return nil, "", err
	case !info.Mode().IsRegular():
		return nil, notRegular, nil
	case info.Size() > int64(f.limit):
		return nil, tooLarge, nil
	}
	content, err = io.ReadAll(io.LimitReader(in, int64(f.limit)+1))
	if len(content) > f.limit { // it grew since Stat
		return nil, tooLarge, err
	}
	return content, "", err
}
