package clickhouse_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

// A row policy of the account holds for statements and profiles, also through an ordinary
// view and a Merge table. A view with the rights of somebody else shows what its author
// sees: the server's rule, which a profile of the view follows.
func TestRowPolicy(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a row policy, on the engine of today")
	}
	t.Parallel()
	const in = testserver.ClickHousePolicied
	db := today(t, "CREATE DATABASE "+in,
		"CREATE TABLE "+in+".salaries (team String, name String, pay Int32) ENGINE = MergeTree PARTITION BY team ORDER BY pay",
		"INSERT INTO "+in+".salaries VALUES ('own', 'Ada', 10), ('own', 'Bob', 20), ('other', 'Zoe', 999)",
		"CREATE VIEW "+in+".paid AS SELECT name, pay FROM "+in+".salaries",
		"CREATE VIEW "+in+".paid_by_all SQL SECURITY NONE AS SELECT name, pay FROM "+in+".salaries",
		"CREATE TABLE "+in+".merged AS "+in+".salaries ENGINE = Merge("+in+", '^salaries$')")
	t.Cleanup(func() {
		if _, err := db.ask(context.Background(), testserver.ClickHouseAdmin, "default", "DROP DATABASE "+in); err != nil {
			t.Error(err)
		}
	})
	s := openWith(t, sdk.OpenRequest{ConnectionID: "test", Config: db.config(testserver.ClickHouseReader, map[string]any{"database": in})})
	own, all := []string{"Ada", "Bob"}, []string{"Ada", "Bob", "Zoe"}
	for table, want := range map[string][]string{"salaries": own, "paid": own, "merged": own, "paid_by_all": all} {
		var names []string
		for _, row := range query(t, s, "SELECT name FROM "+table+" ORDER BY name").Rows {
			names = append(names, row[0].(string))
		}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Errorf("%s (-want +got):\n%s", table, diff)
		}
		got := profile(t, s, sdk.ProfileRequest{
			Table: sdk.TableRef{Schema: in, Name: table}, SampleRows: 5, MaxValues: 10, TopValues: 3, Quantiles: []float64{0.5}, SketchSize: 8,
		})
		name, most := got.stats["name"], map[int]string{2: "20", 3: "999"}[len(want)]
		if diff := cmp.Diff(want, name.Values); diff != "" || len(got.Rows) != len(want) || name.Rows != int64(len(want)) ||
			*name.Max != want[len(want)-1] || len(name.Sketch) != len(want) || *got.stats["pay"].Max != most {
			t.Errorf("the profile of %s: %d rows, %+v (-want +got):\n%s", table, len(got.Rows), name, diff)
		}
	}
}
