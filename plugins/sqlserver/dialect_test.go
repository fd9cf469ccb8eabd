package sqlserver_test

import (
	"testing"

	"github.com/loam-data/loam/plugins/sqlserver"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

func TestDialectsAreValid(t *testing.T) {
	t.Parallel()
	if err := dialect.ValidateAll(sqlserver.Dialects()); err != nil {
		t.Error(err)
	}
}

// The guard alone decides every case of the corpus rightly.
func TestGuardOnTheCorpus(t *testing.T) {
	t.Parallel()
	for i := range sqlserver.Dialects() {
		d := &sqlserver.Dialects()[i]
		for _, c := range corpus.For(d) {
			err := readonly.Check(c.SQL, d)
			switch {
			case c.MinVersion == "99":
			case c.Harmless && err != nil:
				t.Errorf("%s: %q is refused: %v", c.Name, c.SQL, err)
			case c.Guard && err == nil:
				t.Errorf("%s: %q is accepted", c.Name, c.SQL)
			}
		}
	}
}
