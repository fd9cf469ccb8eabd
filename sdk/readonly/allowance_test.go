package readonly_test

import (
	"testing"

	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

func TestAllowed(t *testing.T) {
	t.Parallel()
	with := func(statements ...dialect.Statement) []dialect.Dialect {
		return []dialect.Dialect{{Guard: dialect.Guard{Statements: statements}}}
	}
	query := dialect.Statement{Words: []string{"SELECT"}, Kind: dialect.StatementQuery}
	for want, dialects := range map[string][]dialect.Dialect{
		"SELECT (nothing beyond the common set)": append(with(query, query, dialect.Statement{}), with(query)...),
		"SELECT SHOW PRAGMA (beyond the common set: PRAGMA)": with(query,
			dialect.Statement{Words: []string{"show", "tables"}, Kind: dialect.StatementShow},
			dialect.Statement{Words: []string{"PRAGMA"}, Kind: dialect.StatementShow}),
		"SELECT EXPLAIN (nothing beyond the common set); declared and refused all the same: DELETE as query, EXPLAIN as show, " +
			"WITH as upsert, the option DROP of EXPLAIN": with(query,
			dialect.Statement{Words: []string{"DELETE"}, Kind: dialect.StatementQuery},
			dialect.Statement{Words: []string{"EXPLAIN"}, Kind: dialect.StatementShow},
			dialect.Statement{Words: []string{"WITH"}, Kind: "upsert"},
			dialect.Statement{Words: []string{"EXPLAIN"}, Kind: dialect.StatementExplain, Options: []string{"ANALYZE", "DROP"}}),
	} {
		if got := readonly.Allowed(dialects).String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
