//go:build cgo

package oracle_test

import (
	"context"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"github.com/loam-data/loam/plugins/duckdb"
	"github.com/loam-data/loam/sdk"
)

func init() { engines["duckdb"] = inDuckDB }

// inDuckDB is a database in memory, with the settings of the connector, which opens
// files alone.
func inDuckDB(t testing.TB) *engine {
	t.Helper()
	db := memory(t, "duckdb", "")
	if _, err := db.ExecContext(t.Context(), "SET GLOBAL TimeZone = 'UTC'; SET GLOBAL disabled_optimizers = 'common_subplan'"); err != nil {
		t.Fatal(err)
	}
	return &engine{
		name: "duckdb", dialect: &duckdb.Dialects()[0], cases: 600, keys: true, enforces: true, inside: true,
		types: map[sdk.Type]string{
			sdk.TypeInt64: "BIGINT", sdk.TypeFloat64: "DOUBLE", sdk.TypeDecimal: "DECIMAL(12,2)", sdk.TypeBool: "BOOLEAN",
			sdk.TypeText: "VARCHAR", sdk.TypeDate: "DATE", sdk.TypeTimestamp: "TIMESTAMP", sdk.TypeTimestampTZ: "TIMESTAMPTZ",
		},
		exec: func(ctx context.Context, statements ...string) error {
			_, err := db.ExecContext(ctx, strings.Join(statements, ";"))
			return err
		},
		copy: func(ctx context.Context, table, path string) error {
			_, err := db.ExecContext(ctx, "COPY "+table+" FROM '"+path+"' (FORMAT csv, HEADER false)")
			return err
		},
		ask: func(ctx context.Context, query string) ([][]any, error) { return answers(ctx, db, query) },
	}
}
