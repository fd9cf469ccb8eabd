package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
)

// configOf returns the configuration of a role on a database; extra overrides
// single keys.
func configOf(db *testserver.PostgresDatabase, role string, extra map[string]any) sdk.Config {
	object := map[string]any{"host": db.Host, "port": db.Port, "database": db.Name, "user": role}
	for key, value := range extra {
		object[key] = value
	}
	raw, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return sdk.Config{JSON: raw, Secrets: map[string]sdk.Secret{"password": sdk.NewSecret(testserver.PostgresPassword)}}
}

// openAs opens a session that ends with the test.
func openAs(t testing.TB, db *testserver.PostgresDatabase, role string) *postgres.Session {
	t.Helper()
	return openWith(t, sdk.OpenRequest{ConnectionID: "test", Config: configOf(db, role, nil)})
}

func openWith(t testing.TB, req sdk.OpenRequest) *postgres.Session {
	t.Helper()
	session, err := postgres.Connector().Open(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return session.(*postgres.Session)
}

// result is what a statement gave.
type result = conform.Answer

var execute, query, wantKind, eventually = conform.Execute, conform.Query, conform.WantKind, conform.Eventually

// slow runs until it is ended, and needs no memory for it.
func slow(tag string) string {
	return fmt.Sprintf("WITH RECURSIVE r (n) AS (SELECT 1::numeric UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r WHERE n < 0 /* %s */", tag)
}
