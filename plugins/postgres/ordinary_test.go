package postgres_test

import (
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/conform/corpus"
)

// No ordinary statement is refused, for the reader and for the most powerful
// account.
func TestOrdinaryStatements(t *testing.T) {
	testserver.EachPostgres(t, func(t *testing.T, server *testserver.PostgresServer) {
		dialects := postgres.Dialects()
		db := server.Database(t, strings.Join(corpus.OrdinarySetup(&dialects[len(dialects)-1]), ";\n"))
		var excuses []conform.Excuse
		if strings.HasPrefix(db.Version, "15.") {
			excuses = []conform.Excuse{{Code: "42601", Texts: []string{"0x1F"}, Reason: "hexadecimal numbers came with PostgreSQL 16"}}
		}
		for _, role := range []string{testserver.PostgresReader, testserver.PostgresAdmin} {
			t.Run(role, func(t *testing.T) {
				conform.RunOrdinary(t, openAs(t, db, role), dialects, excuses)
			})
		}
	})
}

// A role that may not read a system table learns so when it connects, with the
// right that is missing.
func TestRightsThatCannotBeFoundOut(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "SELECT")
	db.Exec(t, testserver.PostgresAdmin, "REVOKE SELECT ON pg_catalog.pg_proc FROM PUBLIC")
	_, err := postgres.Connector().Open(t.Context(), sdk.OpenRequest{ConnectionID: "test", Config: configOf(db, testserver.PostgresReader, nil)})
	e := wantKind(t, err, sdk.KindDenied)
	if !strings.Contains(e.Msg, "pg_proc") || !strings.Contains(e.Hint, `GRANT SELECT ON ALL TABLES IN SCHEMA pg_catalog TO "loam_reader"`) {
		t.Errorf("got %s (%s)", e.Msg, e.Hint)
	}
}
