package clickhouse_test

import (
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

func TestSmoke(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		db := make(t, "CREATE TABLE n (x Nullable(Int32)) ENGINE = Memory", "INSERT INTO n VALUES (1), (NULL)")
		for _, user := range []string{testserver.ClickHouseAdmin, testserver.ClickHouseReader} {
			s := db.openAs(t, user)
			t.Logf("%+v", s.Server())
			r := query(t, s, "SELECT x, 'a' AS t, [1,2] AS a FROM n ORDER BY x")
			t.Log(r.columns, r.rows, r.progress, r.summary)
			r = query(t, s, "SELECT x FROM n WHERE x > 5")
			t.Log(r.columns, r.rows)
			_, err := execute(t.Context(), s, sdkReq("SELECT y FROM n"))
			t.Logf("%#v", err)
		}
	})
}

func sdkReq(s string) sdk.ExecuteRequest { return sdk.ExecuteRequest{SQL: s} }
