package snowflake_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/testserver/snowflake"
)

// TestALargeCatalogueIsReadByFewStatements reads 5,000 tables of 100,000 columns with
// the views and the SHOW that a scan uses, in chunks.
func TestALargeCatalogueIsReadByFewStatements(t *testing.T) {
	t.Parallel()
	const tables, columns = 5_000, 20
	s := snowflake.Start(t, snowflake.Arrow(), snowflake.ChunkRows(10_000))
	s.Define(t, 0, tables, columns)
	db := open(t, config(s))
	from := len(s.Texts())
	for query, want := range map[string]int{
		"SELECT table_name, row_count, comment FROM information_schema.tables WHERE table_schema = 'PUBLIC'":                         tables,
		"SELECT table_name, column_name, data_type, numeric_precision FROM information_schema.columns WHERE table_schema = 'PUBLIC'": tables * columns,
		"SHOW PRIMARY KEYS IN DATABASE analytics": tables,
	} {
		rows, err := db.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for rows.Next() {
			n++
		}
		if err := rows.Err(); err != nil || n != want {
			t.Errorf("%s has %d rows (%v), want %d", query, n, err, want)
		}
		_ = rows.Close()
	}
	if n := len(s.Texts()) - from; n != 3 {
		t.Errorf("%d statements ran: %s", n, strings.Join(s.Texts(), "\n"))
	}
	if got := read(t, db, fmt.Sprintf("SELECT count(*) FROM t%d", tables-1)); got[0][0] != "0" {
		t.Errorf("the last table has %s rows", got[0][0])
	}
}
