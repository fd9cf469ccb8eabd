// Package plugins_test holds what is true of the connectors together.
package plugins_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loam-data/loam/plugins/bigquery"
	"github.com/loam-data/loam/plugins/clickhouse"
	"github.com/loam-data/loam/plugins/duckdb"
	"github.com/loam-data/loam/plugins/mysql"
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/plugins/snowflake"
	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/plugins/sqlserver"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

var update = flag.Bool("update", false, "record the dialects and schemas anew")

func connectors() []*sdk.Connector {
	return []*sdk.Connector{
		bigquery.Connector(), clickhouse.Connector(), duckdb.Connector(), mysql.Connector(), postgres.Connector(), snowflake.Connector(), sqlite.Connector(), sqlserver.Connector(),
	}
}

// The configuration schemas are recorded for the host, whose tests of URLs may import no
// connector.
func TestRecordedSchemas(t *testing.T) {
	t.Parallel()
	for _, c := range connectors() {
		var text bytes.Buffer
		if err := json.Indent(&text, c.Config.Schema, "", "\t"); err != nil {
			t.Fatal(err)
		}
		text.WriteByte('\n')
		recorded(t, filepath.Join("../host/internal/connection/testdata/schema", c.ID+".json"), text.Bytes(), "TestRecordedSchemas")
	}
}

// recorded compares a file with what it is to be, or writes it.
func recorded(t *testing.T, path string, want []byte, test string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not that of today: run go test ./plugins -run %s -update", path, test)
	}
}

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
		recorded(t, path, want, "TestRecordedDialects")
	}
}

// The schema of a configuration is one for a foreign validator, too.
func TestSchemasOfConfigurations(t *testing.T) {
	t.Parallel()
	for _, c := range connectors() {
		schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(c.Describe().ConfigSchema))
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource("config.json", schema); err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		compiled, err := compiler.Compile("config.json")
		if err != nil {
			t.Errorf("%s: a foreign validator refuses the schema: %v", c.ID, err)
			continue
		}
		if compiled.Validate(map[string]any{"no such key": 1}) == nil {
			t.Errorf("%s: a key that is not in the schema is valid", c.ID)
		}
	}
}
