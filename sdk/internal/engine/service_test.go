package engine_test

import (
	"testing"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/internal/engine"
	"github.com/loam-data/loam/sdk/readonly"
)

// TestStatementsThatHideBehindAnother is about the three engines that cannot be
// run here: what their grammars let follow a SELECT or a SHOW without a
// separator.
func TestStatementsThatHideBehindAnother(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		dialect []dialect.Dialect
		refused []string
		passed  []string
	}{
		{
			"snowflake", engine.Recorded("../../dialect/testdata", "snowflake"),
			[]string{ // docs.snowflake.com/sql-reference/operators-flow
				"SELECT 1 ->> DROP TABLE t", "SELECT 1 ->> SELECT * FROM $1", "SHOW TABLES ->> DROP TABLE t",
				"DESC TABLE t->>DELETE FROM t", "SELECT 1 /* */ ->> CALL p()", "EXPLAIN SELECT 1 ->> DROP TABLE t",
				"WITH c AS (SELECT 1) SELECT * FROM c ->> UPDATE t SET a = 1",
			},
			[]string{"SELECT v:a.b::INT FROM t", "SELECT '->>'", `SELECT "->>" FROM t`, "SELECT 1 -- ->> DROP TABLE t", "SELECT a - > b FROM t"},
		},
		{
			"bigquery", engine.Recorded("../../dialect/testdata", "bigquery"),
			[]string{
				"FROM d.t |> INSERT INTO d.u", "FROM d.t |> INSERT d.u", "FROM d.t |> WHERE a > 1 |> CREATE TABLE d.u",
				"FROM d.t |> EXPORT DATA OPTIONS (uri = 'gs://b/*')", "SELECT 1 AS a |> export data options ()",
			},
			[]string{
				"FROM d.t |> WHERE a > 1 |> AGGREGATE COUNT(*) GROUP BY b |> LIMIT 1",
				"SELECT insert, export FROM d.t", "SELECT * FROM `my-project`.d.t", "SELECT * FROM my-project.d.t",
			},
		},
		{
			"sqlserver", engine.Recorded("../../dialect/testdata", "sqlserver"),
			[]string{
				"SELECT 1 REVERT", "SELECT 1 CHECKPOINT", "SELECT 1 SETUSER 'dbo'", "SELECT 1 WRITETEXT t.c 0x0 'x'",
				"SELECT 1 UPDATETEXT t.c 0x0 0 0 'x'", "SELECT 1 DEALLOCATE c", "SELECT 1 OPEN c", "SELECT 1 CLOSE c",
				"SELECT 1 DUMP DATABASE d TO e", "SELECT 1 LOAD DATABASE d FROM e", "SELECT * FROM t WITH (SERIALIZABLE)",
			},
			[]string{
				"SELECT [open], [close], [load] FROM prices", "SELECT p.[close] FROM prices p", "SELECT 1 AS \"revert\"",
				"SELECT * FROM t WITH (NOLOCK)", "SELECT geography::Point(1, 2, 4326).STAsText()",
			},
		},
	} {
		for i := range c.dialect {
			d := &c.dialect[i]
			for _, sql := range c.refused {
				if err := readonly.Check(sql, d); sdk.KindOf(err) != sdk.KindNotReadOnly {
					t.Errorf("%s: %s: %v, want a refusal", c.name, sql, err)
				}
			}
			for _, sql := range c.passed {
				if err := readonly.Check(sql, d); err != nil {
					t.Errorf("%s: %s: %v", c.name, sql, err)
				}
			}
		}
	}
}
