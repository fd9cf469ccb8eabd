package postgres

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// The states that suggestions are for.
const (
	undefinedTable  = "42P01"
	undefinedColumn = "42703"
)

// suggestTime bounds the look for what may have been meant: an error should not
// take long.
const suggestTime = time.Second

// Tables by their name and by "schema.name" where the name alone would not do;
// and the columns of the tables that a statement may name.
const (
	tableNamesSQL = `
SELECT c.relname, CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN c.relname ELSE n.nspname || '.' || c.relname END
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
ORDER BY NOT pg_catalog.pg_table_is_visible(c.oid), n.nspname, c.relname
LIMIT 20000`
	columnNamesSQL = `
SELECT DISTINCT a.attname, a.attname
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
WHERE c.relname = ANY ($1::text[]) AND a.attnum > 0 AND NOT a.attisdropped
  AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
ORDER BY a.attname
LIMIT 20000`
)

// suggest adds to the error about a name that does not exist the names that may
// have been meant. Another error, and nil, stay as they are.
func (s *Session) suggest(ctx context.Context, st *statement, err error) error {
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok || e.Pos.IsZero() {
		return err
	}
	word, names := s.nameAt(st.sql, e.Pos)
	if word == "" {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, suggestTime)
	defer cancel()
	var lookErr error
	switch e.Code {
	case undefinedTable:
		e.Candidates, lookErr = s.nearest(ctx, word, tableNamesSQL, nil)
	case undefinedColumn:
		e.Candidates, lookErr = s.nearest(ctx, word, columnNamesSQL, [][]byte{textList(names)})
	}
	// Without suggestions the error is as good as it was.
	if lookErr == nil && len(e.Candidates) > 0 {
		e.Hint = "did you mean " + strings.Join(e.Candidates, " or ") + "?"
	}
	return err
}

// suggestTable is suggest for a request that names the table itself.
func (s *Session) suggestTable(ctx context.Context, name string, err error) error {
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok || e.Code != undefinedTable {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, suggestTime)
	defer cancel()
	if found, lookErr := s.nearest(ctx, name, tableNamesSQL, nil); lookErr == nil {
		e.Candidates = found
	}
	return err
}

// nameAt returns the last part of the name at a position, and all names of the
// statement, as the server reads them.
func (s *Session) nameAt(sql string, pos sdk.Position) (word string, names []string) {
	tokens, err := s.dialect.Tokens(sql, nil)
	if err != nil {
		return "", nil
	}
	for i, t := range tokens {
		if !isName(t) {
			continue
		}
		names = append(names, s.name(sql, t))
		if sdk.PositionAtByte(sql, int(t.Start)) != pos {
			continue
		}
		word = s.name(sql, t)
		for j := i + 2; j < len(tokens) && tokens[j-1].Is(sql, ".") && isName(tokens[j]); j += 2 {
			word = s.name(sql, tokens[j])
		}
	}
	return word, names
}

func isName(t dialect.Token) bool {
	return t.Kind == dialect.TokenWord || t.Kind == dialect.TokenQuoted
}

func (s *Session) name(sql string, t dialect.Token) string {
	name := s.dialect.Unquote(sql, t)
	if t.Kind == dialect.TokenWord {
		return strings.ToLower(name)
	}
	return name
}

// nearest returns what is like word among the rows of a query, which are a name
// and how it is to be written.
func (s *Session) nearest(ctx context.Context, word, sql string, params [][]byte) ([]string, error) {
	var names []string
	written := map[string][]string{}
	err := s.ask(ctx, suggestTime, func(r *reading) error {
		return r.query(sql, params, func(v [][]byte) error {
			name := string(v[0])
			if written[name] == nil {
				names = append(names, name)
			}
			written[name] = append(written[name], string(v[1]))
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	var candidates []string
	for _, name := range sqlkit.Nearest(word, names) {
		candidates = append(candidates, written[name]...)
	}
	return candidates[:min(3, len(candidates))], nil
}
