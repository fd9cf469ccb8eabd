package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/sdk/conform"
)

func TestScanOfManyTables(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "CREATE TYPE mood AS ENUM ('sad', 'happy'); CREATE DOMAIN cents AS bigint")
	w, config := tap(t, db, testserver.PostgresOwner) // the server forgets what it has counted
	conform.Crowd{
		Connector: postgres.Connector(), Config: config, Columns: 20,
		Fill: func(from, to int) {
			for ; from < to; from += 250 { // a transaction can lock only so many tables
				db.Exec(t, testserver.PostgresOwner, fmt.Sprintf(`DO $$ BEGIN FOR i IN %d..%d LOOP
					EXECUTE format('CREATE TABLE t_%%s (id bigint PRIMARY KEY, state mood, total cents%s)', i); END LOOP; END $$`, from, from+249, plainColumns(17)))
			}
		},
		Asked: func() int { s := w.taken(); return s.RoundTrips + s.Statements + s.Beside + s.Prepared },
	}.Run(t)
}

func plainColumns(n int) string {
	var list strings.Builder
	for i := range n {
		fmt.Fprintf(&list, ", c%d numeric(10,2)", i)
	}
	return list.String()
}
