package sqlite_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk/conform"
)

// What an incremental scan has to see: the tables that come whole after each
// change. Views and tables that refer to others come whole whenever anything did.
func TestScanOfWhatChanged(t *testing.T) {
	t.Parallel()
	path := create(t, "PRAGMA journal_mode = wal",
		"CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT)",
		"CREATE TABLE b (id INT, a INT REFERENCES a)",
		"CREATE VIEW v AS SELECT * FROM a",
		"CREATE TABLE lost (x INT REFERENCES nowhere)",
		"CREATE VIEW broken AS SELECT nope FROM a",
		"CREATE VIRTUAL TABLE words USING fts5 (word)",
		"CREATE TABLE still (id INT)",
		"INSERT INTO still VALUES (1), (2)")
	scans := conform.NewRescan(t, open(t, path))
	for _, c := range []struct {
		name, ddl, want string
	}{
		{"nothing", "SELECT 1", "broken lost words"},
		{"rows", "INSERT INTO still SELECT value FROM json_each('[1, 2, 3]')", "broken lost words"},
		{"statistics", "ANALYZE", "b broken lost v words"},
		{"more statistics", "INSERT INTO still VALUES (7); ANALYZE", "broken lost words"},
		{"an index", "CREATE INDEX i ON a (name)", "a b broken lost v words"},
		{"a unique index", "CREATE UNIQUE INDEX u ON A (name)", "a b broken lost v words"},
		{"no index", "DROP INDEX u", "a b broken lost v words"},
		{"drop a view", "DROP VIEW broken", "b lost v words"},
		{"add a column", "ALTER TABLE a ADD extra INT DEFAULT 7 NOT NULL", "a b lost v words"},
		{"rename a column", "ALTER TABLE a RENAME extra TO more", "a b lost v words"},
		{"drop a column", "ALTER TABLE a DROP more", "a b lost v words"},
		{"another view", "DROP VIEW v; CREATE VIEW v AS SELECT id FROM a", "b lost v words"},
		{"rename the table referred to", "ALTER TABLE a RENAME TO renamed", "b lost renamed v words"},
		{"the same name, another table", "DROP TABLE still; CREATE TABLE still (id TEXT)", "b lost still v words"},
		{"the key referred to", "CREATE TABLE nowhere (x INT PRIMARY KEY)", "b lost nowhere v words"},
		{"nothing is lost now", "SELECT 1", "words"},
		{"drop", "DROP TABLE b; DROP TABLE words", "lost v"},
		{"nothing again", "SELECT 1", ""},
	} {
		change(t, path, c.ddl)
		if diff := cmp.Diff(c.want, strings.ReplaceAll(strings.Join(scans.Changed(t), " "), "main.", "")); diff != "" {
			t.Errorf("%s: came whole (-want +got):\n%s", c.name, diff)
		}
	}
}

// A file in the place of another one, with the same counter of changes.
func TestScanOfAFileMadeAnew(t *testing.T) {
	t.Parallel()
	first := create(t, "CREATE TABLE a (x INT)", "CREATE TABLE b (x INT)")
	scans := conform.NewRescan(t, open(t, first))
	if err := os.Rename(create(t, "CREATE TABLE a (y INT)", "CREATE TABLE b (x INT)"), first); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"main.a"}, scans.Changed(t)); diff != "" {
		t.Errorf("came whole (-want +got):\n%s", diff)
	}
}
