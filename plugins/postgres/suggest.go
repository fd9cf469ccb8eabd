package postgres

import (
	"context"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// The states that suggestions are for.
const (
	undefinedTable  = "42P01"
	undefinedColumn = "42703"
)

// Tables by "schema.name" where the name alone would not do; and the columns of
// the tables that a statement may name.
const (
	tableNamesSQL = `
SELECT CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN c.relname ELSE n.nspname || '.' || c.relname END
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
ORDER BY NOT pg_catalog.pg_table_is_visible(c.oid), n.nspname, c.relname
LIMIT 20000`
	columnNamesSQL = `
SELECT DISTINCT a.attname
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
WHERE c.relname = ANY ($1::pg_catalog.text[]) AND a.attnum > 0 AND NOT a.attisdropped
  AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
ORDER BY a.attname
LIMIT 20000`
)

// suggest adds to the error about a name that does not exist the names that may
// have been meant.
func (s *Session) suggest(ctx context.Context, st *statement, e *sdk.Error) {
	if e.Pos.IsZero() || e.Code != undefinedTable && e.Code != undefinedColumn {
		return
	}
	names := s.names(tableNamesSQL)
	if e.Code == undefinedColumn {
		names = s.names(columnNamesSQL, textList(st.parsed.Names(s.Dialect)))
	}
	_ = sqlkit.Suggest(ctx, e, st.parsed.NameAt(s.Dialect, e.Pos), names)
}

// names returns what asks for the names that a query lists.
func (s *Session) names(sql string, params ...[]byte) func(context.Context) ([]string, error) {
	return func(ctx context.Context) (names []string, _ error) {
		err := s.ask(ctx, s.Limit(0), func(r *reading) error {
			return r.query(sql, params, func(v [][]byte) error {
				names = append(names, string(v[0]))
				return nil
			})
		})
		return names, err
	}
}
