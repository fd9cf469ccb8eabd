// Package library lists the saved queries of a project: the files queries/<connection>/<name>.sql. Every
// call checks all files with stat and reads those that changed.
package library

import (
	"cmp"
	"context"
	"encoding/hex"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/folder"
	"github.com/loam-data/loam/host/internal/savedquery"
	"github.com/loam-data/loam/sdk"
)

const (
	ending = ".sql"
	// maxDepth is the folder itself and one folder for each connection.
	maxDepth = 2
	// versionBytes is how much of a file's hash is its version.
	versionBytes = 8
)

// Item is a file of the library.
// Shape: either Query or Problem is set. Connection is "" and Name the path of the file when the path is not that of
// a saved query.
type Item struct {
	Connection connection.ID
	Name       string
	Query      *savedquery.Query
	// Version identifies the content of the file; "" = it was not read.
	Version string
	// Modified is when the file of Query was changed.
	Modified time.Time
	// Problem is why the file is no saved query, with the line and column in the file where one is known.
	Problem error
}

// parsed is a saved query and when its file was changed.
type parsed struct {
	query    *savedquery.Query
	modified time.Time
}

// Library is the folder of the saved queries.
// Concurrency: any number of goroutines.
type Library struct {
	files *folder.Folder[*parsed]

	mu    sync.Mutex
	of    *folder.Listing[*parsed] // items is made of it
	items []Item
}

// New returns the library in the folder root, which need not exist. It reads nothing yet.
func New(root string) *Library {
	return &Library{files: folder.New(folder.Config[*parsed]{
		Dir: root, Of: "query folder", Within: []string{"."}, MaxBytes: savedquery.MaxFile, MaxDepth: maxDepth,
		Takes:    func(base string) bool { return strings.HasSuffix(base, ending) },
		Timeless: func(*parsed) bool { return false },
		Parse: func(_ string, content []byte, modified time.Time) (*parsed, *sdk.Error) {
			q, err := savedquery.Parse(content)
			if err != nil {
				return nil, sdk.AsError(err, sdk.SourceHost)
			}
			return &parsed{q, modified}, nil
		},
	})}
}

// Items returns the files, sorted by connection and name. The caller must not change the list.
// Shape: the same list as long as no file changes.
// Errors: KindDenied when the folder cannot be read; those of ctx. Errors of single files are in their items.
func (l *Library) Items(ctx context.Context) ([]Item, error) {
	now, err := l.files.Look(ctx)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == now {
		return l.items, nil
	}
	items := make([]Item, len(now.Files))
	for i, f := range now.Files {
		items[i] = itemOf(f)
	}
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Connection, b.Connection), cmp.Compare(a.Name, b.Name))
	})
	if now.Since(l.of) { // a slower call must not bring an older listing back
		l.of, l.items = now, items
	}
	return items, nil
}

func itemOf(f *folder.File[*parsed]) Item {
	at := path.Clean(f.Name)
	item := Item{Name: at}
	if f.Err != nil {
		item.Problem = f.Err
	} else {
		item.Query, item.Modified = f.Value.query, f.Value.modified
	}
	if f.Hash != [len(f.Hash)]byte{} {
		item.Version = hex.EncodeToString(f.Hash[:versionBytes])
	}
	dir, base := path.Split(at)
	id, name := connection.ID(strings.TrimSuffix(dir, "/")), strings.TrimSuffix(base, ending)
	err := id.Validate()
	if err == nil {
		err = savedquery.CheckName(name)
	}
	switch {
	case err == nil && name != base:
		item.Connection, item.Name = id, name
	case item.Problem == nil:
		item.Query = nil
		item.Problem = sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s is not the path of a saved query: %w", at, err).
			WithHint("name it <connection>/<name>.sql, of small letters, digits and dashes")
	}
	return item
}
