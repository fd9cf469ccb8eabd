package postgres_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

// Numbers and booleans have the types that literals would have, also where no column gives them one, and a statement that
// runs again with values of other types is described again.
func TestParameterTypes(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "CREATE TABLE t (id int, d date); INSERT INTO t VALUES (1, '2024-02-29'); GRANT SELECT ON t TO PUBLIC")
	s := openAs(t, db, testserver.PostgresReader)
	for _, c := range []struct {
		sql    string
		params []sdk.Value
		want   []any
	}{
		{"SELECT $1 < $2, least($1, $2)", []sdk.Value{int64(9), int64(10)}, []any{true, int64(9)}},
		{"SELECT $1 < $2, least($1, $2)", []sdk.Value{"9", "10"}, []any{false, "10"}},
		{"SELECT $1 < $2, least($1, $2)", []sdk.Value{int64(9), int64(1 << 40)}, []any{true, int64(9)}},
		{"SELECT $1, $2 AND TRUE", []sdk.Value{int64(5), true}, []any{int64(5), true}},
		{"SELECT id, (d + $1)::text FROM t WHERE id = $2 AND left('abc', $1) = 'a' LIMIT $3", []sdk.Value{int64(1), int64(1), int64(9)}, []any{int64(1), "2024-03-01"}},
	} {
		for range 2 {
			r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: c.sql, Params: c.params})
			if err != nil {
				t.Errorf("%s of %v: %v", c.sql, c.params, err)
				continue
			}
			if diff := cmp.Diff([][]any{c.want}, r.Rows); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.sql, diff)
			}
		}
	}
}
