package e2e

import (
	"fmt"
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
)

// typed is a column with a condition that one of two rows fulfils, and the value of that row.
type typed struct {
	column, native, value string
	where                 []any
}

// typedTable returns the statements that make a table with these columns, whose first row has their values and whose
// second one is NULL.
func typedTable(columns []typed) string {
	names, values, nulls := "id integer", "1", "2"
	for _, c := range columns {
		names += ", " + c.column + " " + c.native
		values += ", " + c.value
		nulls += ", NULL"
	}
	return fmt.Sprintf("CREATE TABLE kinds (%s); INSERT INTO kinds VALUES (%s); INSERT INTO kinds VALUES (%s)", names, values, nulls)
}

// sampleFinds asks for a sample by each condition, and for the second row by IS NULL.
func sampleFinds(t *testing.T, dir string, columns []typed) {
	t.Helper()
	if r := loam(t, dir, "scan"); r.code != 0 {
		t.Fatalf("scan: exit %d: %s", r.code, r.stderr)
	}
	s := toolsServer(t, dir, "queries")
	for _, c := range columns {
		for want, where := range map[string][]any{"1": c.where, "2": condition(c.column, "is_null")} {
			var got answer
			failed := s.ask(t, "sample", object{"connectionId": "warehouse", "table": "kinds", "columns": []any{"id"}, "where": where}, &got)
			if failed != nil || len(got.Rows) != 1 || string(got.Rows[0][0]) != want {
				t.Errorf("%s %s, %v: %+v, %s", c.column, c.native, where, failed, got.Rows)
			}
		}
	}
	var all answer
	if failed := s.ask(t, "sample", object{"connectionId": "warehouse", "table": "kinds"}, &all); failed != nil || len(all.Headers) != len(columns)+1 {
		t.Errorf("all columns: %+v, %v", failed, all.Headers)
	}
}

// TestSampleOfTypesPostgres: a condition finds values of each type as their texts are shown.
func TestSampleOfTypesPostgres(t *testing.T) {
	t.Parallel()
	heavy(t, "samples of each type on PostgreSQL")
	columns := []typed{
		{"small", "smallint", "7", condition("small", "equals", 7)},
		{"large", "bigint", "9007199254740993", condition("large", "gt", 9007199254740991)},
		{"amount", "numeric(12,2)", "3.90", condition("amount", "equals", 3.9)},
		{"ratio", "double precision", "0.5", condition("ratio", "between", 0.4, 0.6)},
		{"flag", "boolean", "true", condition("flag", "equals", true)},
		{"day", "date", "'2024-02-29'", condition("day", "equals", "2024-02-29")},
		{"moment", "timestamp", "'2024-02-29 12:34:56'", condition("moment", "gte", "2024-02-29 12:34:56")},
		{"zoned", "timestamptz", "'2024-02-29 12:34:56+00'", condition("zoned", "lt", "2024-03-01")},
		{"kind", "text", "'it''s \\ %_'", condition("kind", "equals", `it's \ %_`)},
		{"label", "varchar(20)", "'100%_x'", condition("label", "ends_with", "%_x")},
		{"object", "uuid", "'00000000-0000-0000-0000-000000000001'", condition("object", "equals", "00000000-0000-0000-0000-000000000001")},
	}
	dir := warehouse(t, testserver.Postgres(t).Database(t, typedTable(columns)), testserver.PostgresOwner)
	sampleFinds(t, dir, columns)
}

// TestSampleOfTypesMariaDB does so on MariaDB.
func TestSampleOfTypesMariaDB(t *testing.T) {
	t.Parallel()
	heavy(t, "samples of each type on MariaDB")
	columns := []typed{
		{"large", "bigint unsigned", "18446744073709551615", condition("large", "gt", 9007199254740991)},
		{"amount", "decimal(12,2)", "3.90", condition("amount", "equals", 3.9)},
		{"ratio", "double", "0.5", condition("ratio", "between", 0.4, 0.6)},
		{"flag", "boolean", "true", condition("flag", "equals", 1)},
		{"day", "date", "'2024-02-29'", condition("day", "equals", "2024-02-29")},
		{"moment", "datetime", "'2024-02-29 12:34:56'", condition("moment", "gte", "2024-02-29 12:34:56")},
		{"kind", "varchar(40)", `'it''s \\ %_'`, condition("kind", "equals", `it's \ %_`)},
		{"label", "varchar(20)", "'100%_x'", condition("label", "ends_with", "%_x")},
	}
	db := testserver.MariaDB(t).Database(t, "")
	db.Exec(t, testserver.MariaDBOwner, typedTable(columns))
	sampleFinds(t, mariaDB(t, db, testserver.MariaDBOwner), columns)
}
