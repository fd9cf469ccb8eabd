package clickhouse_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
)

// What an incremental scan has to see: the tables that come whole after each
// change, also when several happen within one second.
func TestScanOfWhatChanged(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		const engine = " ENGINE = MergeTree PARTITION BY d ORDER BY id"
		db := make(t,
			"CREATE TABLE a (d Date, id Int32, name String, n Int32 DEFAULT 7)"+engine,
			"CREATE TABLE b (d Date, id Int32)"+engine,
			"CREATE TABLE still (id Int32 COMMENT 'the id') ENGINE = Memory",
			"CREATE VIEW v AS SELECT id FROM a",
		)
		s := openWith(t, sdk.OpenRequest{Config: db.config(testserver.ClickHouseAdmin, map[string]any{"schemas": []string{db.name}})})
		scans := conform.NewRescan(t, s)
		for _, c := range []struct {
			name, want string
			ddl        []string
		}{
			{"nothing", "", nil},
			{"rows", "", []string{"INSERT INTO b SELECT toDate('2024-01-01'), number FROM system.numbers LIMIT 10"}},
			{"add a column", "a", []string{"ALTER TABLE a ADD COLUMN extra Int8 AFTER id"}},
			{"change a type", "a", []string{"ALTER TABLE a MODIFY COLUMN extra Int16"}},
			{"set a default", "a", []string{"ALTER TABLE a MODIFY COLUMN extra Int16 DEFAULT 3"}},
			{"comment on a column", "a", []string{"ALTER TABLE a COMMENT COLUMN extra 'more'"}},
			{"another comment", "a", []string{"ALTER TABLE a COMMENT COLUMN extra 'less'"}},
			{"drop a column", "a", []string{"ALTER TABLE a DROP COLUMN extra"}},
			{"computed instead", "a", []string{"ALTER TABLE a MODIFY COLUMN n Int32 ALIAS 7"}},
			{"another view", "v", []string{"DROP TABLE v", "CREATE VIEW v AS SELECT id, name FROM a"}},
			{"another definition", "v", []string{"DROP TABLE v", "CREATE VIEW v AS SELECT id, name FROM a WHERE id > 0"}},
			{"the same name, another table", "b", []string{"DROP TABLE b", "CREATE TABLE b (d Date, id Int64)" + engine}},
			{"columns in another order", "b", []string{"DROP TABLE b", "CREATE TABLE b (id Int64, d Date)" + engine}},
			{"another key", "b", []string{"DROP TABLE b", "CREATE TABLE b (id Int64, d Date) ENGINE = MergeTree PARTITION BY d ORDER BY (id, d)"}},
			{"another engine", "b", []string{"DROP TABLE b", "CREATE TABLE b (id Int64, d Date) ENGINE = Memory"}},
			{"swap names", "b still", []string{"RENAME TABLE b TO x, still TO b, x TO still"}},
			{"drop", "", []string{"DROP TABLE b"}},
			{"rename", "renamed", []string{"RENAME TABLE still TO renamed"}},
		} {
			db.exec(t, c.ddl...)
			got := strings.ReplaceAll(strings.Join(scans.Changed(t), " "), db.name+".", "")
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s: came whole (-want +got):\n%s", c.name, diff)
			}
		}
	})
}
