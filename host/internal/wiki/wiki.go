// Package wiki reads the pages that people write: markdown files with YAML
// frontmatter in wiki/global and, of one user, in wiki/user/<id>. A user's page
// goes before the global one of the same key. Every call sees what is on disk:
// files are looked at (stat) each time, and read when they changed.
package wiki

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Problem is a file that cannot be read as a page. The other pages are not
// affected.
type Problem struct {
	Path string
	Err  *sdk.Error
}

// Wiki is a wiki's folder as one user sees it.
// Concurrency: any number of goroutines.
type Wiki struct {
	dir  string
	user string
	now  func() time.Time

	mu    sync.Mutex
	files map[string]*source // by path
	round int                // how often they were looked at
	// changed: files are not as in the view, for one that was given up too.
	changed bool
	view    *View
}

// source is a file as it was last read.
type source struct {
	size     int64
	modified time.Time
	// racy: it was read so soon after it changed that it may have changed again
	// without another time or size.
	racy bool
	hash [sha256.Size]byte
	// round in which it was last there.
	round int
	page  *Page
	err   *sdk.Error
}

// View is the wiki as it was at one moment.
type View struct {
	// Version changes when any page does.
	Version  string
	pages    map[string]*Page
	keys     []string
	problems []Problem
	broken   map[string]*sdk.Error // by key
}

// Open returns the wiki in a folder, which need not exist; user may be "".
// Errors: KindInvalid for a user that cannot be a folder.
func Open(dir, user string) (*Wiki, error) {
	if user != "" && (!valid(user) || strings.Contains(user, "/")) {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%q is no user id of a wiki", user).
			WithHint("use a name without / and without a dot at its beginning")
	}
	return &Wiki{dir: dir, user: user, now: time.Now, files: map[string]*source{}}, nil
}

// View looks at every file and returns the wiki as it is.
// Errors: KindDenied when the folder cannot be read; those of ctx.
func (w *Wiki) View(ctx context.Context) (*View, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	root, err := os.OpenRoot(w.dir)
	if errors.Is(err, fs.ErrNotExist) {
		w.files, w.view = map[string]*source{}, newView(nil)
		return w.view, nil
	}
	if err != nil {
		return nil, unreadable(w.dir, err)
	}
	view, err := w.look(ctx, root)
	if err := errors.Join(err, root.Close()); err != nil {
		return nil, err
	}
	return view, nil
}

func unreadable(name string, err error) *sdk.Error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the wiki's %s cannot be read: %w", name, err).
		WithHint("make it readable for this user")
}

func (w *Wiki) look(ctx context.Context, root *os.Root) (*View, error) {
	scopes := []struct {
		scope Scope
		dir   string
	}{{Global, "global"}}
	if w.user != "" {
		scopes = append(scopes, struct {
			scope Scope
			dir   string
		}{User, "user/" + w.user})
	}
	w.round++
	seen := 0
	for _, s := range scopes {
		err := walk(ctx, root, s.dir, 0, func(name string, info fs.FileInfo, failed *sdk.Error) {
			seen++
			old := w.files[name]
			if failed == nil && old != nil && !old.racy && old.size == info.Size() && old.modified.Equal(info.ModTime()) {
				old.round = w.round
				return
			}
			one := &source{err: failed}
			if failed == nil {
				one = w.read(root, name, s.scope, strings.TrimSuffix(strings.TrimPrefix(name, s.dir+"/"), ".md"))
			}
			one.round = w.round
			w.files[name] = one
			if old != nil && one.same(old) {
				one.page = old.page
			} else {
				w.changed = true
			}
		})
		if err != nil {
			return nil, err
		}
	}
	if seen != len(w.files) {
		w.changed = true
		maps.DeleteFunc(w.files, func(_ string, s *source) bool { return s.round != w.round })
	}
	if w.changed || w.view == nil {
		w.view, w.changed = newView(w.files), false
	}
	return w.view, nil
}

// walk hands over every page file below dir. A folder that does not exist has
// none.
func walk(ctx context.Context, root *os.Root, dir string, depth int, each func(string, fs.FileInfo, *sdk.Error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	folder, err := root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		each(dir, nil, outside(dir, err))
		return nil
	}
	entries, err := folder.ReadDir(-1)
	if err := errors.Join(err, folder.Close()); err != nil {
		each(dir, nil, unreadable(dir, err))
		return nil
	}
	for _, e := range entries {
		name := dir + "/" + e.Name()
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case e.IsDir():
			if depth+1 < maxDepth {
				if err := walk(ctx, root, name, depth+1, each); err != nil {
					return err
				}
				continue
			}
			each(name, nil, sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "the wiki's folder %s is more than %d levels deep", name, maxDepth).
				WithHint("move its pages further up"))
		case strings.HasSuffix(e.Name(), ".md"):
			info, err := e.Info()
			if err == nil && info.Mode()&fs.ModeSymlink != 0 {
				info, err = root.Stat(name)
			}
			switch {
			case errors.Is(err, fs.ErrNotExist) && e.Type()&fs.ModeSymlink == 0: // removed in this moment
			case err != nil:
				each(name, nil, outside(name, err))
			case !info.Mode().IsRegular():
				each(name, nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "the wiki's %s is no file", name).WithHint("remove it, or put a page there"))
			default:
				each(name, info, nil)
			}
		}
	}
	return nil
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
	page, _, failed := parse(content, key, one.modified)
	if failed != nil {
		one.err = sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "the wiki's %s is no page: %w", name, failed).WithHint("mend the file")
		return one
	}
	page.Scope, page.Path = scope, name
	one.page = &page
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

func newView(files map[string]*source) *View {
	v := &View{pages: map[string]*Page{}, broken: map[string]*sdk.Error{}}
	digest := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) { // global goes before user
		f := files[name]
		fmt.Fprintf(digest, "%q %x %t\n", name, f.hash, f.err != nil)
		if f.err != nil {
			v.problems = append(v.problems, Problem{name, f.err})
			v.broken[keyOf(name)] = f.err
			continue
		}
		v.pages[f.page.Key] = f.page
	}
	v.keys = slices.Sorted(maps.Keys(v.pages))
	v.Version = hex.EncodeToString(digest.Sum(nil)[:16])
	return v
}

// keyOf returns the key that a path would have.
func keyOf(name string) string {
	parts := strings.SplitN(strings.TrimSuffix(name, ".md"), "/", 3)
	if parts[0] == string(Global) && len(parts) > 1 {
		return path.Join(parts[1:]...)
	}
	return parts[len(parts)-1]
}

// Keys lists the pages that can be read, in order.
func (v *View) Keys() []string { return slices.Clone(v.keys) }

// Len returns how many pages can be read.
func (v *View) Len() int { return len(v.keys) }

// Problems lists the files that are no pages, by path.
func (v *View) Problems() []Problem { return slices.Clone(v.problems) }

// Page returns a page.
// Errors: KindNotFound with the nearest keys; what is wrong with the page's file.
func (v *View) Page(key string) (*Page, error) {
	key = strings.TrimSuffix(strings.TrimSpace(key), ".md")
	if p := v.pages[key]; p != nil {
		one := *p
		return &one, nil
	}
	if err := v.broken[key]; err != nil {
		return nil, err
	}
	e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "the wiki has no page %q", short(key)).
		WithHint("call wiki_search, or read one of the nearest pages")
	e.Candidates = v.near(key)
	return nil, e
}

// shown is how many characters of a key a message repeats.
const shown = 200

func short(key string) string {
	if r := []rune(key); len(r) > shown {
		return string(r[:shown]) + "…"
	}
	return key
}

// near returns the keys closest to an unknown one: pages of that name in other
// folders, then typos.
func (v *View) near(key string) []string {
	if len(key) > maxKey {
		return nil
	}
	name := strings.ToLower(path.Base(key))
	var found, alike []string
	for _, k := range v.keys {
		switch base := strings.ToLower(path.Base(k)); {
		case base == name || strings.EqualFold(k, key):
			found = append(found, k)
		case len(k)-len(key) <= len(key)/2 && len(key)-len(k) <= len(key)/2:
			alike = append(alike, k)
		}
	}
	found = append(found, sqlkit.Nearest(key, alike)...)
	if len(found) == 0 {
		for _, k := range v.keys {
			if strings.Contains(strings.ToLower(k), name) && len(found) < 3 {
				found = append(found, k)
			}
		}
	}
	return found[:min(5, len(found))]
}

// Read returns a page with its text as it is on disk now. It looks at no other
// file unless there is no such page.
// Errors: as of View and View.Page.
func (w *Wiki) Read(ctx context.Context, key string) (*Page, string, error) {
	key = strings.TrimSuffix(strings.TrimSpace(key), ".md")
	if valid(key) {
		p, body, err := w.open(key)
		if p != nil || err != nil {
			return p, body, err
		}
	}
	view, err := w.View(ctx)
	if err != nil {
		return nil, "", err
	}
	if _, err := view.Page(key); err != nil {
		return nil, "", err
	}
	e := sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "the wiki's page %q was made in this moment", key).WithHint("read it again")
	e.Retry = true
	return nil, "", e
}

// open reads the file of a key, the user's first; nil when there is none.
func (w *Wiki) open(key string) (_ *Page, body string, err error) {
	root, err := os.OpenRoot(w.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", unreadable(w.dir, err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	places := []Page{{Scope: Global, Path: "global/" + key + ".md"}}
	if w.user != "" {
		places = append([]Page{{Scope: User, Path: "user/" + w.user + "/" + key + ".md"}}, places...)
	}
	for _, at := range places {
		var one source
		content, failed := one.load(root, at.Path)
		if failed != nil && errors.Is(failed, fs.ErrNotExist) {
			continue
		}
		if failed != nil {
			return nil, "", failed
		}
		p, body, err := parse(content, key, one.modified)
		if err != nil {
			return nil, "", sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "the wiki's %s is no page: %w", at.Path, err).WithHint("mend the file")
		}
		p.Scope, p.Path = at.Scope, at.Path
		return &p, body, nil
	}
	return nil, "", nil
}

// Changes are the keys of pages that differ between two views.
type Changes struct{ Added, Changed, Removed []string }

// Since compares a view with an earlier one, which may be nil.
func (v *View) Since(before *View) (c Changes) {
	if before == nil {
		before = &View{}
	}
	for _, k := range v.keys {
		switch old := before.pages[k]; {
		case old == nil:
			c.Added = append(c.Added, k)
		case old != v.pages[k]:
			c.Changed = append(c.Changed, k)
		}
	}
	for _, k := range before.keys {
		if v.pages[k] == nil {
			c.Removed = append(c.Removed, k)
		}
	}
	return c
}
