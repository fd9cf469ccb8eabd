package eval

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/search"
)

// sampleFiles create the sample databases: two that many people know, and the
// two of the product's tour.
var sampleFiles = []struct {
	connection, path string
	tables           int
}{
	{"chinook", "../../../../e2e/testdata/sample/chinook-sqlite.sql.gz", 11},
	{"northwind", "../../../../e2e/testdata/sample/northwind-sqlite.sql.gz", 13},
	{"shop", "../../demo/sample/shop.sql", 11},
	{"support", "../../demo/sample/crm.sql", 7},
}

// samples returns the tables of the sample databases.
func samples(t testing.TB) (out []search.TableDocument) {
	t.Helper()
	for _, f := range sampleFiles {
		tables := created(f.connection, read(t, f.path))
		if len(tables) != f.tables {
			t.Fatalf("%s creates %d tables, want %d", f.path, len(tables), f.tables)
		}
		out = append(out, tables...)
	}
	view := regexp.MustCompile(`(?m)^(\w+) (\w+)\((.*)\)$`)
	for _, m := range view.FindAllStringSubmatch(read(t, "testdata/schemas.txt"), -1) {
		d := search.TableDocument{Connection: m[1], ID: m[2], Name: m[2]}
		for c := range strings.FieldsSeq(m[3]) {
			d.Columns = append(d.Columns, search.ColumnDocument{Name: c})
		}
		out = append(out, d)
	}
	return out
}

func read(t testing.TB, path string) string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var in io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if in, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	}
	content, err := io.ReadAll(in)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	return string(content)
}

var (
	createTable = regexp.MustCompile(`^CREATE TABLE (\[[^\]]+\]|\w+)`)
	column      = regexp.MustCompile(`^\(?\s+(\[[^\]]+\]|\w+)\s*\w`)
	constraint  = regexp.MustCompile(`(?i)^\s*(PRIMARY|FOREIGN|CONSTRAINT|UNIQUE|CHECK|ON)\b`)
)

// created reads the statements that create tables, a column on each line.
func created(connection, script string) (out []search.TableDocument) {
	within := false
	for line := range strings.Lines(script) {
		if m := createTable.FindStringSubmatch(line); m != nil {
			name := strings.Trim(m[1], "[]")
			out, within = append(out, search.TableDocument{Connection: connection, ID: name, Name: name}), true
			continue
		}
		m := column.FindStringSubmatch(line)
		switch {
		case !within:
		case strings.HasPrefix(line, ")"):
			within = false
		case m != nil && !constraint.MatchString(line):
			t := &out[len(out)-1]
			t.Columns = append(t.Columns, search.ColumnDocument{Name: strings.Trim(m[1], "[]")})
		}
	}
	return out
}
