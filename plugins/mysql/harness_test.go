package mysql_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/mysql"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
)

// configOf returns the configuration of an account on a database; extra overrides
// single keys, and a password of nil leaves it out.
func configOf(db *testserver.MariaDBDatabase, role string, extra map[string]any) sdk.Config {
	object := map[string]any{"host": db.Host, "port": db.Port, "database": db.Name, "user": role}
	for key, value := range extra {
		object[key] = value
	}
	secrets := map[string]sdk.Secret{"password": sdk.NewSecret(testserver.MariaDBPassword)}
	if password, ok := object["password"]; ok && password == nil {
		delete(object, "password")
		secrets = nil
	}
	raw, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return sdk.Config{JSON: raw, Secrets: secrets}
}

// openAs opens a session that ends with the test.
func openAs(t testing.TB, db *testserver.MariaDBDatabase, role string) *mysql.Session {
	t.Helper()
	return openWith(t, sdk.OpenRequest{ConnectionID: "test", Config: configOf(db, role, nil)})
}

func openWith(t testing.TB, req sdk.OpenRequest) *mysql.Session {
	t.Helper()
	session, err := mysql.Connector().Open(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return session.(*mysql.Session)
}

// result is what a statement gave.
type result = conform.Answer

var execute, query, wantKind, eventually = conform.Execute, conform.Query, conform.WantKind, conform.Eventually

// slow runs until it is ended, and needs no memory for it.
func slow(tag string) string {
	return fmt.Sprintf("SELECT COUNT(*) FROM seq_1_to_1000000 a, seq_1_to_1000000 b WHERE a.seq + b.seq < 0 /* %s */", tag)
}

// named replaces {db} by the database's name.
func named(db *testserver.MariaDBDatabase, script string) string {
	return strings.ReplaceAll(script, "{db}", db.Name)
}
