package duckdb_test

import (
	"testing"

	"github.com/loam-data/loam/plugins/duckdb"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

func TestDialectIsValid(t *testing.T) {
	t.Parallel()
	if err := dialect.ValidateAll(duckdb.Dialects()); err != nil {
		t.Error(err)
	}
}

// The guard alone decides every case of the corpus rightly.
func TestGuardOnTheCorpus(t *testing.T) {
	t.Parallel()
	d := &duckdb.Dialects()[0]
	for _, c := range corpus.For(d) {
		err := readonly.Check(c.SQL, d)
		switch {
		case c.Harmless && err != nil:
			t.Errorf("%s: %q is refused: %v", c.Name, c.SQL, err)
		case c.Guard && err == nil:
			t.Errorf("%s: %q is accepted", c.Name, c.SQL)
		}
	}
}
