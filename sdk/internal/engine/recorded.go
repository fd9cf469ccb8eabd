// Package engine reads the recorded dialects of the connectors, for tests of the sdk.
package engine

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/loam-data/loam/sdk/dialect"
)

// Recorded returns the dialects of a connector from the folder where they are recorded,
// sdk/dialect/testdata: tests of the sdk import no connector, whose driver would be in the
// module of every other. It panics when they cannot be read.
func Recorded(folder, name string) []dialect.Dialect {
	text, err := os.ReadFile(filepath.Join(folder, name+".json"))
	if err != nil {
		panic(err)
	}
	var dialects []dialect.Dialect
	if err := json.Unmarshal(text, &dialects); err != nil {
		panic(err)
	}
	return dialects
}
