package duckdb_test

import (
	"testing"

	"github.com/loam-data/loam/plugins/duckdb"
	"github.com/loam-data/loam/sdk/dialect"
)

func TestDialectIsValid(t *testing.T) {
	t.Parallel()
	if err := dialect.ValidateAll(duckdb.Dialects()); err != nil {
		t.Error(err)
	}
}
