package clickhouse_test

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/clickhouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
)

// database is a database of one of the test servers, over one of the protocols.
type database struct {
	name, version string
	base          map[string]any // configuration
	ask           func(ctx context.Context, user, database, sql string) (string, error)
	exec          func(t testing.TB, statements ...string)
}

// old is a database of the 18.16 server, over the native protocol.
func old(t testing.TB, statements ...string) *database {
	t.Helper()
	return onOld(testserver.ClickHouse18(t).Database(t, statements...), "native")
}

// oldHTTP is a database of the 18.16 server, over HTTP.
func oldHTTP(t testing.TB, statements ...string) *database {
	t.Helper()
	return onOld(testserver.ClickHouse18(t).Database(t, statements...), "http")
}

func onOld(db *testserver.ClickHouse18Database, protocol string) *database {
	port := db.Port
	if protocol == "http" {
		port = db.HTTPPort
	}
	return &database{
		name: db.Name, version: db.Version, ask: db.Ask, exec: db.Exec,
		base: map[string]any{"host": db.Host, "port": port, "protocol": protocol, "database": db.Name},
	}
}

// today is a database of today's engine, over HTTP.
func today(t testing.TB, statements ...string) *database {
	t.Helper()
	db := testserver.ClickHouse(t).Database(t, statements...)
	return &database{
		name: db.Name, version: db.Version, ask: db.Ask, exec: db.Exec,
		base: map[string]any{"host": db.Host, "port": db.Port, "protocol": "http", "database": db.Name},
	}
}

// everywhere runs a test on both servers and over both protocols; with -short on the real
// server over the native protocol alone. The suite runs on today's engine over HTTP then.
func everywhere(t *testing.T, test func(t *testing.T, make func(t testing.TB, statements ...string) *database)) {
	t.Helper()
	for name, make := range map[string]func(testing.TB, ...string) *database{
		"18.16 native": old, "18.16 http": oldHTTP, "26.7 http": today,
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "18.16 native" {
				t.Skip("-short: the same on the other ClickHouse and over HTTP")
			}
			t.Parallel()
			test(t, make)
		})
	}
}

// config returns the configuration of a user; extra overrides single keys.
func (db *database) config(user string, extra map[string]any) sdk.Config {
	object := maps.Clone(db.base)
	object["user"] = user
	maps.Copy(object, extra)
	raw, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return sdk.Config{JSON: raw, Secrets: map[string]sdk.Secret{"password": sdk.NewSecret(testserver.ClickHousePassword)}}
}

// text returns the answer to a question of the administrator.
func (db *database) text(t testing.TB, sql string) string {
	t.Helper()
	answer, err := db.ask(t.Context(), testserver.ClickHouseAdmin, db.name, sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return strings.TrimSuffix(answer, "\n")
}

// openAs opens a session that ends with the test.
func (db *database) openAs(t testing.TB, user string) *clickhouse.Session {
	t.Helper()
	return openWith(t, sdk.OpenRequest{ConnectionID: "test", Config: db.config(user, nil)})
}

func openWith(t testing.TB, req sdk.OpenRequest) *clickhouse.Session {
	t.Helper()
	session, err := clickhouse.Connector().Open(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return session.(*clickhouse.Session)
}

// result is what a statement gave.
type result = conform.Answer

var execute, query, wantKind, eventually = conform.Execute, conform.Query, conform.WantKind, conform.Eventually
