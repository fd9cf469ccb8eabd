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
	"io/fs"
	"iter"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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

	round atomic.Int64 // of the last look that began

	mu    sync.Mutex
	files map[string]*source // by path
	whole int64              // round of the last look that came to its end
	// changed: files are not as in the view, for one that was given up too.
	changed bool
	view    *View
}

// View is the wiki as it was at one moment.
type View struct {
	// Version changes when any page does.
	Version  string
	pages    map[string]*Page
	keys     []string
	problems []Problem
	broken   map[string]*sdk.Error // by key
	glossary map[string][]string
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

// View looks at every file and returns the wiki as it is. Callers that wait for
// each other share a look which began after they called.
// Shape: the same view for as long as nothing changes.
// Errors: KindDenied when the folder cannot be read; those of ctx.
func (w *Wiki) View(ctx context.Context) (*View, error) {
	called := w.round.Load()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.whole > called {
		return w.view, nil
	}
	round := w.round.Add(1)
	root, err := os.OpenRoot(w.dir)
	if errors.Is(err, fs.ErrNotExist) {
		if w.view == nil || len(w.files) > 0 {
			w.files, w.view = map[string]*source{}, newView(nil)
		}
		w.whole = round
		return w.view, nil
	}
	if err != nil {
		return nil, unreadable(w.dir, err)
	}
	if err := errors.Join(w.look(ctx, root, round), root.Close()); err != nil {
		return nil, err
	}
	if w.changed || w.view == nil {
		w.view, w.changed = newView(w.files), false
	}
	w.whole = round
	return w.view, nil
}

// place is a folder of the wiki and who sees its pages.
type place struct {
	scope Scope
	dir   string
}

// scopes are the folders that this user sees; later ones go before earlier ones.
func (w *Wiki) scopes() []place {
	if w.user == "" {
		return []place{{Global, "global"}}
	}
	return []place{{Global, "global"}, {User, "user/" + w.user}}
}

func unreadable(name string, err error) *sdk.Error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the wiki's %s cannot be read: %w", name, err).
		WithHint("make it readable for this user")
}

func newView(files map[string]*source) *View {
	v := &View{pages: map[string]*Page{}, broken: map[string]*sdk.Error{}, glossary: map[string][]string{}}
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
		for short, meanings := range f.glossary {
			v.glossary[short] = append(v.glossary[short], meanings...)
		}
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

// Pages yields the pages that can be read, in the order of their keys.
func (v *View) Pages() iter.Seq[*Page] {
	return func(yield func(*Page) bool) {
		for _, k := range v.keys {
			if one := *v.pages[k]; !yield(&one) {
				return
			}
		}
	}
}

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

// Body returns the text of a page as it was in a view.
// Errors: KindConflict with Retry when the file is no longer as it was then.
func (w *Wiki) Body(p *Page) (_ string, err error) {
	changed := func(why error) error {
		e := sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "the wiki's page %q was changed in this moment: %w", p.Key, why).WithHint("look at the wiki again")
		e.Retry = true
		return e
	}
	root, err := os.OpenRoot(w.dir)
	if err != nil {
		return "", changed(err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	var one source
	content, failed := one.load(root, p.Path)
	if failed != nil {
		return "", changed(failed)
	}
	if sha256.Sum256(content) != p.Content {
		return "", changed(errors.New("it has another content"))
	}
	_, body, err := split(content)
	return string(body), err
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
	for _, at := range slices.Backward(w.scopes()) {
		var one source
		name := at.dir + "/" + key + ".md"
		content, failed := one.load(root, name)
		if failed != nil && errors.Is(failed, fs.ErrNotExist) {
			continue
		}
		if failed != nil {
			return nil, "", failed
		}
		p, body, err := parse(content, key, one.modified)
		if err != nil {
			return nil, "", sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "the wiki's %s is no page: %w", name, err).WithHint("mend the file")
		}
		p.Scope, p.Path, p.Content = at.scope, name, sha256.Sum256(content)
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
