//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/plugins/duckdb/internal/engine"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// maxFiles bounds the files of one configuration: their names are kept.
const maxFiles = 100_000

// format is a kind of data file.
type format string

const (
	formatCSV     format = "csv"
	formatParquet format = "parquet"
)

// suffixes are the ends of the names of data files, in lower case; the longest
// goes first.
var suffixes = []struct {
	suffix string
	format format
}{
	{".csv.zst", formatCSV},
	{".tsv.zst", formatCSV},
	{".csv.gz", formatCSV},
	{".tsv.gz", formatCSV},
	{".parquet", formatParquet},
	{".csv", formatCSV},
	{".tsv", formatCSV},
}

// fileFormat returns what a file is by its name, and the name without that.
func fileFormat(name string) (format, string, bool) {
	lower := strings.ToLower(name)
	for _, s := range suffixes {
		if strings.HasSuffix(lower, s.suffix) && len(name) > len(s.suffix) {
			return s.format, name[:len(name)-len(s.suffix)], true
		}
	}
	return "", "", false
}

// folder is a configured folder, as it was when it was read.
type folder struct {
	path   string
	schema string
	tables []*fileTable
	// skipped are the files that are not served, with the reason.
	skipped []sdk.Warning
}

// fileTable is a table of one file, or of all files of a folder inside a folder.
type fileTable struct {
	name   string
	format format
	paths  []string
	hive   bool // folders named key=value are columns
	bytes  int64
	newest time.Time
	rows   int64  // by the files' own statistics, -1 unknown
	broken string // why the files cannot be read
}

func (t *fileTable) ref(f *folder) sdk.TableRef {
	return sdk.TableRef{Catalog: filesCatalog, Schema: f.schema, Name: t.name}
}

// readFolders lists the folders. A schema has the name of its folder; where two
// are equal but for case, the later one gets a number.
// Errors: those of a folder that is not there or cannot be listed; KindLimit.
func readFolders(ctx context.Context, paths []string) ([]*folder, error) {
	var all []*folder
	schemas := names{}
	files := 0
	for _, path := range paths {
		f := &folder{path: path, schema: schemas.unique(filepath.Base(path))}
		if err := f.read(ctx, &files); err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// names are names that are taken, in lower case: DuckDB's do not differ by case.
type names map[string]bool

// unique returns the name, or the name with the first free number.
func (n names) unique(name string) string {
	free := name
	for i := 2; n[strings.ToLower(free)]; i++ {
		free = fmt.Sprintf("%s_%d", name, i)
	}
	n[strings.ToLower(free)] = true
	return free
}

// read lists one folder. Tables whose names would be equal but for case get the
// format in their name, and then a number.
func (f *folder) read(ctx context.Context, files *int) error {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return folderFailed(f.path, err)
	}
	var found []*fileTable
	for _, entry := range entries {
		path := filepath.Join(f.path, entry.Name())
		info, err := os.Stat(path)
		switch {
		case strings.HasPrefix(entry.Name(), "."):
		case err != nil:
			f.skip(entry.Name(), "it cannot be read: "+reason(err))
		case info.IsDir():
			found = append(found, f.dataset(ctx, path, files)...)
		default:
			if form, name, ok := fileFormat(entry.Name()); ok && f.add(path, info, files) {
				found = append(found, &fileTable{name: name, format: form, paths: []string{path}, bytes: info.Size(), newest: info.ModTime(), rows: -1})
			}
		}
		if *files > maxFiles {
			return sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "the folders have more than %d files", maxFiles).
				WithHint("list the folders below that you need, or fewer of them")
		}
		if ended := sqlkit.ContextError(ctx); ended != nil {
			return ended
		}
	}
	f.name(found)
	return nil
}

// name gives the tables names of their own.
func (f *folder) name(found []*fileTable) {
	count := map[string]int{}
	for _, t := range found {
		count[strings.ToLower(t.name)]++
	}
	taken := names{}
	for _, t := range found {
		if count[strings.ToLower(t.name)] == 1 {
			t.name = taken.unique(t.name)
		}
	}
	for _, t := range found {
		if count[strings.ToLower(t.name)] > 1 {
			t.name = taken.unique(t.name + "_" + string(t.format))
		}
	}
	f.tables = found
}

// dataset returns the table of each format of a folder inside the folder: of
// all its files, at any depth.
func (f *folder) dataset(ctx context.Context, path string, files *int) []*fileTable {
	byFormat := map[format]*fileTable{}
	err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil || *files > maxFiles {
			return errors.Join(err, ctx.Err())
		}
		if strings.HasPrefix(entry.Name(), ".") || strings.HasPrefix(entry.Name(), "_") {
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		form, _, ok := fileFormat(entry.Name())
		if entry.IsDir() || !ok {
			return nil
		}
		info, err := os.Stat(file)
		if err != nil {
			f.skip(f.relative(file), "it cannot be read: "+reason(err))
			return nil
		}
		if !info.Mode().IsRegular() || !f.add(file, info, files) {
			return nil
		}
		t := byFormat[form]
		if t == nil {
			t = &fileTable{name: filepath.Base(path), format: form, rows: -1}
			byFormat[form] = t
		}
		t.paths, t.bytes = append(t.paths, file), t.bytes+info.Size()
		t.hive = t.hive || strings.Contains(f.relative(filepath.Dir(file)), "=")
		if info.ModTime().After(t.newest) {
			t.newest = info.ModTime()
		}
		return nil
	})
	if err != nil {
		f.skip(f.relative(path), "it cannot be listed: "+reason(err))
	}
	var found []*fileTable
	for _, form := range []format{formatCSV, formatParquet} {
		if t := byFormat[form]; t != nil {
			slices.Sort(t.paths)
			found = append(found, t)
		}
	}
	return found
}

// add counts a file that may be served: an ordinary one that lies in the folder,
// whatever links lead to it.
func (f *folder) add(path string, info fs.FileInfo, files *int) bool {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Rel(f.path, real)
	}
	switch {
	case err != nil:
		f.skip(f.relative(path), "it cannot be read: "+reason(err))
		return false
	case !filepath.IsLocal(real):
		f.skip(f.relative(path), "it is a link to a file outside of the folder")
		return false
	case !info.Mode().IsRegular():
		f.skip(f.relative(path), "it is no ordinary file")
		return false
	}
	*files++
	return true
}

func (f *folder) relative(path string) string {
	if relative, err := filepath.Rel(f.path, path); err == nil {
		return relative
	}
	return path
}

func (f *folder) skip(name, why string) {
	f.skipped = append(f.skipped, sdk.Warning{Object: f.schema + "/" + filepath.ToSlash(name), Code: "skipped", Message: "the file is not served: " + why})
}

// reason is an error without the path that stands beside it.
func reason(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

func folderFailed(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "there is no folder %s", path).WithHint("correct folders")
	case errors.Is(err, fs.ErrPermission):
		return sdk.Errorf(sdk.KindDenied, sdk.SourceWarehouse, "%w", err).WithHint("let this user list the folder")
	}
	if info, statErr := os.Stat(path); statErr == nil && !info.IsDir() {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s is no folder", path).WithHint("list its folder, or give a database file as path")
	}
	return sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "%w", err).WithHint("check the disk or the network share that holds the folder")
}

// create makes the table's view. Files that DuckDB cannot read leave the table
// out, with the reason.
func (t *fileTable) create(ctx context.Context, conn *engine.Conn, f *folder) error {
	read := fmt.Sprintf("read_csv(%s, hive_partitioning = %t)", list(t.paths), t.hive)
	if t.format == formatParquet {
		read = fmt.Sprintf("read_parquet(%s, hive_partitioning = %t)", list(t.paths), t.hive)
	}
	err := conn.Exec(fmt.Sprintf("CREATE VIEW %s AS SELECT * FROM %s", quoteName(filesCatalog, f.schema, t.name), read))
	if err == nil && t.format == formatParquet {
		err = each(conn, fmt.Sprintf("SELECT sum(num_rows) FROM parquet_file_metadata(%s)", list(t.paths)), func(r sqlkit.Row) error {
			t.rows = r.Int(0, -1)
			return nil
		})
	}
	if err == nil {
		return nil
	}
	if ended := sqlkit.ContextError(ctx); ended != nil {
		return ended
	}
	t.broken = message(err)
	return nil
}

// changed reports whether the folders hold other files than when they were read.
func (i *instance) changed(ctx context.Context, c *config) (bool, error) {
	if len(c.Folders) == 0 {
		return false, nil
	}
	now, err := readFolders(ctx, c.Folders)
	if err != nil {
		return false, err
	}
	return !slices.EqualFunc(i.folders, now, func(a, b *folder) bool {
		return slices.EqualFunc(a.tables, b.tables, func(a, b *fileTable) bool {
			return a.name == b.name && a.bytes == b.bytes && a.newest.Equal(b.newest) && slices.Equal(a.paths, b.paths)
		}) && slices.Equal(a.skipped, b.skipped)
	}), nil
}
