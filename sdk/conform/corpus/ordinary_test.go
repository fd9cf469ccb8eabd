package corpus_test

import (
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

// leastOrdinary is how many ordinary statements of an engine none may be refused of.
const leastOrdinary = 400

// No ordinary statement is refused by the guard, for the dialect of the newest
// server of each engine.
func TestOrdinaryStatementsAreAccepted(t *testing.T) {
	t.Parallel()
	for _, dialects := range [][]dialect.Dialect{
		recorded("postgres"), recorded("mysql"), recorded("clickhouse"), recorded("duckdb"), recorded("sqlite"),
	} {
		d := &dialects[len(dialects)-1]
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			seen := map[string]bool{}
			for _, sql := range corpus.Ordinary(d) {
				if err := readonly.Check(sql, d); err != nil {
					t.Errorf("%s\nis refused: %v", sql, err)
				}
				if seen[sql] {
					t.Errorf("%s\nis there twice", sql)
				}
				seen[sql] = true
			}
			if len(seen) < leastOrdinary {
				t.Errorf("%d statements, want %d", len(seen), leastOrdinary)
			}
		})
	}
}

// A statement that follows an ordinary one is refused, so that none of them hides
// what comes behind it.
func TestNothingHidesBehindOrdinaryStatements(t *testing.T) {
	t.Parallel()
	for _, dialects := range [][]dialect.Dialect{
		recorded("postgres"), recorded("mysql"), recorded("clickhouse"), recorded("duckdb"), recorded("sqlite"),
	} {
		d := &dialects[len(dialects)-1]
		for _, sql := range corpus.Ordinary(d) {
			for _, write := range []string{"\n; DELETE FROM orders", "\n; DROP TABLE orders", "\n;;INSERT INTO orders SELECT 1"} {
				if readonly.Check(strings.TrimRight(sql, "; \n")+write, d) == nil {
					t.Errorf("%s: accepted with %q behind it: %s", d.Name, write, sql)
				}
			}
		}
	}
}
