package sqlite_test

import (
	"testing"

	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/conform/corpus"
)

// No ordinary statement is refused.
func TestOrdinaryStatements(t *testing.T) {
	t.Parallel()
	dialects := sqlite.Dialects()
	session := open(t, create(t, corpus.OrdinarySetup(&dialects[0])...))
	conform.RunOrdinary(t, session, dialects, excuses)
}

var excuses = []conform.Excuse{{Code: "1", Texts: []string{"UNION DISTINCT"}, Reason: "SQLite writes UNION alone"}}
