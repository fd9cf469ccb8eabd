package postgres_test

import (
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/sdk"
)

// What a statement reaches through the objects that it names is refused, as
// every account; what only writes inside the transaction is the engine's.
func TestReach(t *testing.T) {
	t.Parallel()
	testserver.EachPostgres(t, testReach)
}

func testReach(t *testing.T, server *testserver.PostgresServer) {
	connector := postgres.Connector()
	d := &connector.Dialects[len(connector.Dialects)-1]
	db := corpusDatabase(t, server, d)
	reached := hide(t, db, d)
	want, err := reached.Reread(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range []string{testserver.PostgresAdmin, testserver.PostgresOwner, testserver.PostgresReader} {
		s := openAs(t, db, role)
		for _, h := range reached.Statements {
			for range 2 { // the second time is another way in
				r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: h.SQL})
				if kind := sdk.KindOf(err); h.Harmless && err != nil || !h.Harmless && kind != sdk.KindNotReadOnly {
					t.Errorf("%s as %s: %v, rows %v\n%s", h.Name, role, err, r.Rows, h.SQL)
				} else if err != nil {
					t.Logf("%s: %v", h.Name, err)
				}
			}
			if got, err := reached.Reread(t.Context()); err != nil || got != want {
				t.Fatalf("%s as %s: the data changed (%v)\n%s", h.Name, role, err, h.SQL)
			}
		}
	}
}
