package layer

import (
	"context"
	"crypto/sha256"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/flight"
	"github.com/loam-data/loam/host/internal/folder"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

const (
	maxBytes = 16 << 20 // a file of tables has a whole schema
	maxDepth = 8
	// rest is how long a look at thousands of files stands for the next calls: to
	// look takes 25 ms of 10,000.
	rest = 200 * time.Millisecond
)

// files are a connection's files, looked at again and again.
type files struct {
	layer *Layer
	id    connection.ID
	runs  flight.Shared[*Files]

	// The fields below belong to the run under way.
	folder *folder.Folder[*model.File]
	of     *folder.Listing[*model.File] // what now is made of
	now    *Files
	saved  []*source // as the cache has them, by name
}

func (f *files) open(l *Layer, id connection.ID) {
	f.layer, f.id = l, id
	f.folder = folder.New(folder.Config[*model.File]{
		Dir: l.Dir, Of: "semantic layer", Within: []string{string(id)}, MaxBytes: maxBytes, MaxDepth: maxDepth,
		Takes: isYAML, Rest: rest,
		Parse: func(name string, content []byte, _ time.Time) (*model.File, *sdk.Error) {
			return model.Parse(f.below(name), content), nil
		},
	})
}

func isYAML(base string) bool {
	return strings.HasSuffix(base, ".yaml") || strings.HasSuffix(base, ".yml")
}

// below returns a file's path below the connection's folder.
func (f *files) below(name string) string { return strings.TrimPrefix(name, string(f.id)+"/") }

func (f *files) look(ctx context.Context) (*Files, error) { return f.runs.Do(ctx, f.again) }

func (f *files) again(ctx context.Context) (*Files, error) {
	if f.now == nil {
		if f.saved == nil {
			f.saved = f.layer.cache.load(f.id)
			f.folder.Know(f.saved)
		}
	}
	listing, err := f.folder.Look(ctx)
	if err != nil {
		return nil, err
	}
	if listing == f.of {
		return f.now, nil
	}
	now, err := f.list(listing)
	if err != nil {
		return nil, err
	}
	f.of, f.now = listing, now
	if unsaved(f.saved, listing.Files) >= max(few, len(f.saved)/16) {
		f.layer.cache.save(f.id, listing.Files)
		f.saved = listing.Files
	}
	return now, nil
}

// few is how many files are parsed faster than it is worth to write a pack.
const few = 32

// unsaved counts the files that are not, or not so, in the cache, and those that
// are there and nowhere else.
func unsaved(saved, now []*source) (n int) {
	at := 0
	for _, f := range now {
		for ; at < len(saved) && saved[at].Name < f.Name; at++ {
			n++
		}
		if at == len(saved) || saved[at].Name != f.Name || saved[at].Hash != f.Hash || saved[at].Stamp != f.Stamp {
			n++
		}
		if at < len(saved) && saved[at].Name == f.Name {
			at++
		}
	}
	return n + len(saved) - at
}

// list makes the files of a listing.
// Errors: that of the connection's folder as a whole.
func (f *files) list(listing *folder.Listing[*model.File]) (*Files, error) {
	now := &Files{List: make([]*model.File, 0, len(listing.Files)), all: make([]*model.File, 0, len(listing.Files))}
	var digest []byte
	var newest int64 // in nanoseconds
	for _, one := range listing.Files {
		if one.Name == string(f.id) {
			return nil, one.Err
		}
		digest = append(append(append(digest, one.Name...), 0), one.Hash[:]...)
		newest = max(newest, one.Stamp.Modified)
		if one.Err == nil {
			now.List, now.all = append(now.List, one.Value), append(now.all, one.Value)
			continue
		}
		digest = append(digest, one.Err.Error()...)
		name := f.below(one.Name)
		now.Problems = append(now.Problems, model.Problem{File: name, Msg: one.Err.Error() + "; " + one.Err.Hint})
		if isYAML(path.Base(name)) {
			now.all = append(now.all, model.Unreadable(name, one.Err.Error()))
		}
	}
	if newest > 0 {
		now.Newest = time.Unix(0, newest)
	}
	hash := sha256.Sum256(digest)
	now.Version = model.Hash(hash[:])
	return now, nil
}

// Strangers lists unused folders and files of the semantic layer by name: folders
// that belong to no connection, and files outside of such folders.
// Errors: KindDenied.
func (l *Layer) Strangers(ctx context.Context, known []connection.ID) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(l.Dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the semantic layer's folder %s cannot be read: %w", filepath.Base(l.Dir), err).
			WithHint("make it readable for this user")
	}
	var strangers []string
	for _, e := range entries {
		stray := !e.IsDir() && slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(e.Name()))
		unknown := e.IsDir() && !slices.Contains(known, connection.ID(e.Name()))
		if (stray || unknown) && !strings.HasPrefix(e.Name(), ".") {
			strangers = append(strangers, e.Name())
		}
	}
	return strangers, nil
}
