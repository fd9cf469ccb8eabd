// Package plugins_test holds what is true of the connectors together.
package plugins_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/loam-data/loam/plugins/bigquery"
	"github.com/loam-data/loam/plugins/clickhouse"
	"github.com/loam-data/loam/plugins/duckdb"
	"github.com/loam-data/loam/plugins/mysql"
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/plugins/snowflake"
	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/plugins/sqlserver"
	"github.com/loam-data/loam/sdk/dialect"
)

var update = flag.Bool("update", false, "record the dialects anew")

// The dialects are recorded beside the package that describes them, for tests that may
// import no connector: those of the sdk, which has no driver, and of the host.
func TestRecordedDialects(t *testing.T) {
	t.Parallel()
	const folder = "../sdk/dialect/testdata"
	for _, dialects := range [][]dialect.Dialect{
		bigquery.Dialects(), clickhouse.Dialects(), duckdb.Dialects(), mysql.Dialects(), postgres.Dialects(), snowflake.Dialects(), sqlite.Dialects(), sqlserver.Dialects(),
	} {
		if err := dialect.ValidateAll(dialects); err != nil {
			t.Errorf("%s: %v", dialects[0].Name, err)
		}
		path := filepath.Join(folder, dialects[0].Name+".json")
		want, err := json.MarshalIndent(dialects, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, '\n')
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not the dialect of today: run go test ./plugins -run TestRecordedDialects -update", path)
		}
	}
}
