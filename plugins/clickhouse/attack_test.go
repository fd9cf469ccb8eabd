package clickhouse_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/clickhouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
)

// readsAlone are the attacks of the guard's corpus that change nothing when they
// run.
var readsAlone = map[string]bool{"explain ast of a drop": true}

// TestAttacks runs the corpus past the host's guard, as an account that may
// write and as one that may not, and over both protocols: each attack fails or
// changes nothing, and no file appears. The suite looks at the data after each one.
func TestAttacks(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		db := make(t)
		d := dialect.Pick(clickhouse.Dialects(), "ClickHouse", db.version)
		db.exec(t, corpus.Setup(d)...)
		folder := openFolder(t)
		attacks := conform.Corpus(d, db.version, filepath.Join(folder, "stolen"), "")
		reread := rereader(db, d, folder)
		before, err := reread(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, user := range []string{testserver.ClickHouseAdmin, testserver.ClickHouseReader} {
			s := db.openAs(t, user)
			refused, ran := 0, 0
			for _, attack := range attacks {
				if attack.Harmless {
					continue
				}
				_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: attack.SQL, Limits: sdk.Limits{MaxRows: 10, Timeout: 5 * time.Second}})
				if err == nil {
					ran++
					if !readsAlone[attack.Name] {
						t.Errorf("%s runs: %s", attack.Name, attack.SQL)
					}
					continue
				}
				refused++
			}
			t.Logf("as %s: %d refused, %d run", user, refused, ran)
			after, err := reread(t.Context())
			if err != nil || after != before {
				t.Fatalf("as %s something changed (%v)", user, err)
			}
			query(t, s, "SELECT id FROM accounts")
		}
	})
}
