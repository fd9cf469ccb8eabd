package snowflake_test

import (
	"context"
	"encoding/json"
	"testing"

	fixture "github.com/loam-data/loam/e2e/testserver/snowflake"
	"github.com/loam-data/loam/plugins/snowflake"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
)

// configOf returns the configuration of a role on the fixture; extra overrides single
// keys.
func configOf(s *fixture.Server, role string, extra map[string]any) sdk.Config {
	object := map[string]any{
		"account": fixture.DefaultAccount, "host": s.Host, "port": s.Port, "protocol": "http", "user": fixture.DefaultUser,
		"database": fixture.DefaultDatabase, "warehouse": fixture.DefaultWarehouse, "role": role,
	}
	for key, value := range extra {
		object[key] = value
	}
	raw, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return sdk.Config{JSON: raw, Secrets: map[string]sdk.Secret{"password": sdk.NewSecret(fixture.DefaultPassword)}}
}

// open opens a session that ends with the test.
func open(t testing.TB, config sdk.Config) *snowflake.Session {
	t.Helper()
	session, err := snowflake.Connector().Open(t.Context(), sdk.OpenRequest{ConnectionID: "test", Config: config})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return session.(*snowflake.Session)
}

// result is what a statement gave.
type result = conform.Answer

var execute, query, wantKind = conform.Execute, conform.Query, conform.WantKind
