// Package kit_test holds the tests of the sdk that need what its module leaves out: a
// database, a server, a foreign library.
package kit_test

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loam-data/loam/plugins/clickhouse"
	"github.com/loam-data/loam/plugins/duckdb"
	"github.com/loam-data/loam/plugins/mysql"
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk"
)

// The schema of a configuration is one for a foreign validator, too.
func TestSchemasOfConfigurations(t *testing.T) {
	t.Parallel()
	for _, c := range []*sdk.Connector{clickhouse.Connector(), duckdb.Connector(), mysql.Connector(), postgres.Connector(), sqlite.Connector()} {
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
