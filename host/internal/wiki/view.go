// Package wiki reads the pages that people write: markdown files with YAML frontmatter in wiki/global
// and, for one user, in wiki/user/<id>. A user's page hides the global one of the same key. Every call
// checks all files with stat and reads those that changed.
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
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/folder"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Problem is a file that cannot be read as a page. The other pages are not
// affected.
type Problem struct {
	Path string
	Err  *sdk.Error
}

// Wiki is the folder of a wiki, seen by one user.
// Concurrency: any number of goroutines.
type Wiki struct {
	scopes []string // the folders that this user sees; later ones go before earlier ones
	files  *folder.Folder[*leaf]

	mu   sync.Mutex
	of   *folder.Listing[*leaf] // what view is made of
	view *View
}

// leaf is what a file holds.
type leaf struct {
	page     Page
	glossary map[string][]string // of the page of that name
	dated    bool                // the page says itself when it was updated
}

// View is the wiki at one moment.
type View struct {
	// Version changes when any page does.
	Version  string
	pages    map[string]*Page
	keys     []string
	problems []Problem
	broken   map[string]*sdk.Error // by key
	aliases  map[string][]string   // the keys of an alias, which is folded
	glossary map[string][]string
	open     func(*Page) bool // nil = all of them
}

// Open returns the wiki in a folder, which need not exist; user may be "".
// Errors: KindInvalid for a user whose name cannot be that of a folder.
func Open(dir, user string) (*Wiki, error) {
	if user != "" && (!valid(user) || strings.Contains(user, "/")) {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%q is no user id of a wiki", user).
			WithHint("use a name without / and without a dot at its beginning")
	}
	w := &Wiki{scopes: []string{string(Global)}}
	if user != "" {
		w.scopes = append(w.scopes, string(User)+"/"+user)
	}
	w.files = folder.New(folder.Config[*leaf]{
		Dir: dir, Of: "wiki", Within: w.scopes, MaxBytes: maxPage, MaxDepth: maxDepth,
		Takes:    func(base string) bool { return strings.HasSuffix(base, ".md") },
		Parse:    read,
		Timeless: func(l *leaf) bool { return l.dated },
	})
	return w, nil
}

// read reads a file as a page.
func read(name string, content []byte, modified time.Time) (*leaf, *sdk.Error) {
	key := keyOf(name)
	if !valid(key) {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "the wiki's %s cannot be the name of a page", name).WithHint("rename the file")
	}
	page, body, err := parse(content, key, modified)
	if err != nil {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "the wiki's %s is no page: %w", name, err).WithHint("mend the file")
	}
	page.Path, page.Content, page.Scope, page.words = name, sha256.Sum256(content), User, vocabularyOf(body)
	if strings.HasPrefix(name, string(Global)+"/") {
		page.Scope = Global
	}
	one := &leaf{page: page, dated: !page.Updated.Equal(modified)}
	if key == glossaryKey {
		one.glossary = glossary(body)
	}
	return one, nil
}

// View checks every file and returns the present wiki.
// Shape: the same view as long as nothing changes.
// Errors: those of folder.Folder.Look.
func (w *Wiki) View(ctx context.Context) (*View, error) {
	now, err := w.files.Look(ctx)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of != now && now.Since(w.of) { // else somebody has looked in between
		w.of, w.view = now, newView(now)
	}
	return w.view, nil
}

func newView(files *folder.Listing[*leaf]) *View {
	v := &View{pages: map[string]*Page{}, broken: map[string]*sdk.Error{}, glossary: map[string][]string{}, aliases: map[string][]string{}}
	digest := sha256.New()
	for _, f := range files.Files { // global goes before user
		fmt.Fprintf(digest, "%q %x %t\n", f.Name, f.Hash, f.Err != nil)
		if f.Err != nil {
			v.problems = append(v.problems, Problem{f.Name, f.Err})
			v.broken[keyOf(f.Name)] = f.Err
			continue
		}
		v.pages[f.Value.page.Key] = &f.Value.page
		for short, meanings := range f.Value.glossary {
			v.glossary[short] = append(v.glossary[short], meanings...)
		}
	}
	v.keys = slices.Sorted(maps.Keys(v.pages))
	for _, k := range v.keys {
		for _, alias := range v.pages[k].Aliases {
			v.aliases[fold(alias)] = append(v.aliases[fold(alias)], k)
		}
	}
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

// Only returns a view of the pages for which open returns true. It has no Problems, because the subject
// of a broken file is not known.
func (v *View) Only(open func(*Page) bool) *View {
	return &View{Version: v.Version, pages: v.pages, keys: v.keys, aliases: v.aliases, glossary: v.glossary, open: open}
}

// has reports whether a page is part of the view.
func (v *View) has(p *Page) bool { return p != nil && (v.open == nil || v.open(p)) }

// Keys lists the pages that can be read, in order.
func (v *View) Keys() []string {
	return slices.DeleteFunc(slices.Clone(v.keys), func(k string) bool { return !v.has(v.pages[k]) })
}

// Len returns how many pages can be read.
func (v *View) Len() int {
	if v.open == nil {
		return len(v.keys)
	}
	return len(v.Keys())
}

// Pages yields the pages that can be read, in the order of their keys.
func (v *View) Pages() iter.Seq[*Page] {
	return func(yield func(*Page) bool) {
		for p := range v.Shared() {
			if one := *p; !yield(&one) {
				return
			}
		}
	}
}

// Shared yields the pages as Pages does, without a copy of each. They must not be changed.
func (v *View) Shared() iter.Seq[*Page] {
	return func(yield func(*Page) bool) {
		for _, k := range v.keys {
			if p := v.pages[k]; v.has(p) && !yield(p) {
				return
			}
		}
	}
}

// Problems lists the files that are no pages, by path.
func (v *View) Problems() []Problem { return slices.Clone(v.problems) }

// fold returns an alias as it is compared.
func fold(alias string) string { return strings.Join(strings.Fields(strings.ToLower(alias)), " ") }

// named returns the only page that has an alias; nil = none or several.
func (v *View) named(alias string) *Page {
	var found *Page
	for _, k := range v.aliases[fold(alias)] {
		switch p := v.pages[k]; {
		case !v.has(p):
		case found != nil && found.Key != k:
			return nil
		default:
			found = p
		}
	}
	return found
}

// Page returns a page by its key, else by an alias that no other page has.
// Errors: KindNotFound with the nearest keys; the problem of the page's file.
func (v *View) Page(key string) (*Page, error) {
	key = strings.TrimSuffix(strings.TrimSpace(key), ".md")
	if p := v.pages[key]; v.has(p) {
		one := *p
		return &one, nil
	}
	if err := v.broken[key]; err != nil {
		return nil, err
	}
	if p := v.named(key); p != nil {
		one := *p
		return &one, nil
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
	found := slices.DeleteFunc(slices.Clone(v.aliases[fold(key)]), func(k string) bool { return !v.has(v.pages[k]) }) // of several
	var alike []string
	keys := v.Keys()
	for _, k := range keys {
		switch base := strings.ToLower(path.Base(k)); {
		case base == name || strings.EqualFold(k, key):
			found = append(found, k)
		case len(k)-len(key) <= len(key)/2 && len(key)-len(k) <= len(key)/2:
			alike = append(alike, k)
		}
	}
	found = append(found, sqlkit.Nearest(key, alike)...)
	if len(found) == 0 {
		for _, k := range keys {
			if strings.Contains(strings.ToLower(k), name) && len(found) < 3 {
				found = append(found, k)
			}
		}
	}
	return found[:min(5, len(found))]
}

// Read returns a page, by its key or an alias, with its present text. It checks other files only when
// there is no page with this key.
// Errors: those of View and View.Page.
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
	page, err := view.Page(key)
	if err != nil {
		return nil, "", err
	}
	if page.Key != key { // an alias
		if p, body, err := w.open(page.Key); p != nil || err != nil {
			return p, body, err
		}
	}
	e := sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "the wiki's page %q was made in this moment", key).WithHint("read it again")
	e.Retry = true
	return nil, "", e
}

// Body returns the text of a page of a view.
// Errors: KindConflict with Retry when the file has changed since.
func (w *Wiki) Body(p *Page) (string, error) {
	content, _, err := w.files.Read(p.Path)
	if err == nil && sha256.Sum256(content) != p.Content {
		err = errors.New("it has another content")
	}
	if err != nil {
		e := sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "the wiki's page %q was changed in this moment: %w", p.Key, err).WithHint("look at the wiki again")
		e.Retry = true
		return "", e
	}
	_, body, err := split(content)
	return string(body), err
}

// open reads the file of a key, the user's first; nil when there is none.
func (w *Wiki) open(key string) (*Page, string, error) {
	for _, scope := range slices.Backward(w.scopes) {
		name := scope + "/" + key + ".md"
		content, modified, err := w.files.Read(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		one, failed := read(name, content, modified)
		if failed != nil {
			return nil, "", failed
		}
		_, body, err := split(content)
		return &one.page, string(body), err
	}
	return nil, "", nil
}

// Changes are the keys of pages that differ between two views.
type Changes struct{ Added, Changed, Removed []string }

// Since returns the changes from an earlier view, which may be nil.
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
