// Package layer keeps the semantic layers of a project's connections up to date:
// files that people write, tables that scans found.
package layer

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Config is what a Layer works with.
type Config struct {
	// Dir of semantic-layer; each connection has the folder of its id in it.
	Dir string
	// Cache keeps parsed files by their hash; it may be deleted at any time.
	Cache    string
	Catalogs *catalog.Set
	// Decisions is the file of a person's decisions on relationships.
	Decisions func(connection.ID) string
	Logger    *slog.Logger
}

// Layer is the semantic layers of a project.
// Concurrency: any number of goroutines.
type Layer struct{ Config }

// New returns the semantic layers of a project, whose folders need not exist.
func New(c Config) *Layer { return &Layer{c} }

// Files are a connection's files as they were at one moment.
// Concurrency: never changed.
type Files struct {
	// Version changes when any file does.
	Version model.Hash
	// List has the files that can be read, by path, broken ones too.
	List []*model.File
	// Problems are those of files that cannot be read at all.
	Problems []model.Problem
}

// State is the semantic layer of a connection as it was at one moment.
// Concurrency: never changed.
type State struct {
	Model *model.Model
	// Image is the snapshot that the tables are from; nil = never scanned, or
	// damaged.
	Image *catalog.Image
	Files *Files
	// Notes are sentences that say where it is not the latest or lacks something.
	Notes []string
}

// Files returns a connection's files as they are on disk now.
func (l *Layer) Files(ctx context.Context, id connection.ID) (*Files, error) {
	root, err := os.OpenRoot(l.Dir + "/" + string(id))
	if errors.Is(err, fs.ErrNotExist) {
		return &Files{}, nil
	}
	if err != nil {
		return nil, err
	}
	files := &Files{}
	digest := sha256.New()
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			files.Problems = append(files.Problems, model.Problem{File: name, Msg: err.Error()})
			return nil
		case strings.HasPrefix(entry.Name(), ".") && name != ".":
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir() || path.Ext(name) != ".yaml" && path.Ext(name) != ".yml":
			return nil
		}
		content, err := root.ReadFile(name)
		if err != nil {
			files.Problems = append(files.Problems, model.Problem{File: name, Msg: err.Error()})
			return nil
		}
		f := model.Parse(name, content)
		digest.Write([]byte(name))
		digest.Write(f.Hash[:])
		files.List = append(files.List, f)
		return nil
	})
	slices.SortFunc(files.List, func(a, b *model.File) int { return strings.Compare(a.Path, b.Path) })
	files.Version = model.Hash(digest.Sum(nil))
	return files, errors.Join(err, root.Close())
}

// Current returns the semantic layer as it is now: files edited a moment ago,
// the last snapshot, accepted relationships.
func (l *Layer) Current(ctx context.Context, id connection.ID, d *dialect.Dialect) (*State, error) {
	files, err := l.Files(ctx, id)
	if err != nil {
		return nil, err
	}
	s := &State{Files: files}
	s.Image, err = l.Catalogs.Of(string(id)).Latest()
	if sdk.KindOf(err) == sdk.KindNotFound {
		s.Notes = append(s.Notes, "Connection "+string(id)+" was never scanned: only sources that files define are known. Run loam scan "+string(id)+".")
	} else if err != nil {
		return nil, err
	}
	var tables []*model.Table
	if s.Image != nil {
		for t, err := range s.Image.All() {
			if err != nil {
				return nil, err
			}
			tables = append(tables, table(s.Image, &t.Table))
		}
	}
	s.Model = model.Build(model.Input{Dialect: d, Tables: tables, Files: files.List})
	return s, nil
}

// table is a scanned table as models know it.
func table(image *catalog.Image, t *sdk.Table) *model.Table {
	one := &model.Table{Ref: t.TableRef, Comment: t.Comment}
	for _, c := range t.Columns {
		one.Columns = append(one.Columns, model.Column{Name: c.Name, Type: c.Type, Comment: c.Comment})
	}
	for _, k := range t.Keys {
		switch k.Kind {
		case sdk.KeyPrimary:
			one.PrimaryKey = k.Columns
		case sdk.KeyUnique:
			one.UniqueKeys = append(one.UniqueKeys, k.Columns)
		case sdk.KeyForeign:
			one.ForeignKeys = append(one.ForeignKeys, model.ForeignKey{Columns: k.Columns, To: image.Target(t.TableRef, k.Ref), ToColumns: k.RefColumns})
		}
	}
	return one
}
