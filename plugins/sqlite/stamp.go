package sqlite

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Columns of catalog.Keys and catalog.Stamps.
const (
	keyTable, keyKind, keyRefColumn = 2, 4, 10

	stampTable, stampText, stampDepends = 2, 3, 4
)

// stamper asks the queries of a scan and completes its stamps. The counter that
// SQLite keeps of the changes of a schema (PRAGMA schema_version) would not do:
// a file that a program makes anew every night ends with the same one each time.
type stamper struct {
	query   sqlkit.Queries
	catalog *sqlkit.Catalog
	// unmatched are the tables with a foreign key to nothing: every scan warns
	// about them, and so sends them whole.
	unmatched map[string]bool
	all       string // a hash of all statements
}

func (s *stamper) ask(ctx context.Context, sql string, row func(sqlkit.Row) error) error {
	switch sql {
	case s.catalog.Keys:
		return s.query(ctx, sql, func(r sqlkit.Row) error {
			if r.Text(keyKind) == "FOREIGN KEY" && r.Text(keyRefColumn) == "" {
				s.unmatched[r.Text(keyTable)] = true
			}
			return row(r)
		})
	case s.catalog.Stamps:
		if err := s.hash(ctx); err != nil {
			return err
		}
		return s.query(ctx, sql, func(r sqlkit.Row) error {
			if s.unmatched[r.Text(stampTable)] {
				return nil
			}
			if r.Bool(stampDepends) {
				r[stampText] = s.all + r.Text(stampText)
			}
			return row(r)
		})
	default:
		return s.query(ctx, sql, row)
	}
}

// hash hashes all statements of the schema, with the version of the engine, by
// which the columns of a view may be called otherwise.
func (s *stamper) hash(ctx context.Context) error {
	sum := sha256.New()
	err := s.query(ctx, "SELECT sqlite_version() || sqlite_source_id() UNION ALL SELECT type || name || char(10) || sql FROM sqlite_schema", func(r sqlkit.Row) error {
		fmt.Fprintf(sum, "%q", r.Text(0))
		return nil
	})
	s.all = string(sum.Sum(nil))
	return err
}

// maxNames bounds the list of names in a statement, in bytes; SQLite takes a
// statement of a million.
const maxNames = 500_000

// columnsOf returns the query for the columns of some tables, or of all when it
// would be too long.
func columnsOf(tables []sdk.TableRef, condition string) string {
	var names strings.Builder
	for i := range tables {
		if i > 0 {
			names.WriteString(", ")
		}
		names.WriteString(quoting.QuoteString(tables[i].Name))
	}
	if names.Len() <= maxNames {
		condition += " AND m.name IN (" + names.String() + ")"
	}
	return fmt.Sprintf(catalog.Columns, condition)
}
