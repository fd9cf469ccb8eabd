//go:build cgo

package duckdb_test

import (
	"testing"

	"github.com/loam-data/loam/plugins/duckdb"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/conform/corpus"
)

// No ordinary statement is refused.
func TestOrdinaryStatements(t *testing.T) {
	t.Parallel()
	dialects := duckdb.Dialects()
	session := open(t, create(t, corpus.OrdinarySetup(&dialects[len(dialects)-1])...))
	conform.RunOrdinary(t, session, dialects, excuses)
}

var excuses = []conform.Excuse{
	{Code: "Permission", Texts: []string{"duckdb_extensions()"}, Reason: "the list is read from a folder that the connection is not for"},
}
