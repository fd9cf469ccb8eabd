package clickhouse_test

import (
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

// TestExplainEstimatesWhatIsRead: the rows and marks of the parts that the key
// leaves.
func TestExplainEstimatesWhatIsRead(t *testing.T) {
	t.Parallel()
	db := today(t, "CREATE TABLE big (x UInt32) ENGINE = MergeTree ORDER BY x", "INSERT INTO big SELECT number FROM numbers(100000)")
	s := db.openAs(t, testserver.ClickHouseReader)
	all, err := s.Explain(t.Context(), sdk.ExplainRequest{SQL: "SELECT * FROM big; -- all"})
	if err != nil || all.EstimatedRows != 100_000 || !strings.Contains(all.Text, "ReadFromMergeTree") || !strings.Contains(all.Text, "marks") {
		t.Errorf("%+v, %v", all, err)
	}
	few, err := s.Explain(t.Context(), sdk.ExplainRequest{SQL: "SELECT * FROM big WHERE x < 10"})
	if err != nil || few.EstimatedRows <= 0 || few.EstimatedRows >= all.EstimatedRows {
		t.Errorf("%+v, %v", few, err)
	}
	none, err := s.Explain(t.Context(), sdk.ExplainRequest{SQL: "SELECT 1"})
	if err != nil || none.EstimatedRows != -1 {
		t.Errorf("%+v, %v", none, err)
	}
}

func TestExplainOfAServerWithout(t *testing.T) {
	t.Parallel()
	_, err := old(t).openAs(t, testserver.ClickHouseReader).Explain(t.Context(), sdk.ExplainRequest{SQL: "SELECT 1"})
	wantKind(t, err, sdk.KindUnsupported)
}

// TestValidatePlacesErrorsInTheCallersText: the server sees a statement around it.
func TestValidatePlacesErrorsInTheCallersText(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		s := make(t, "CREATE TABLE orders (id Int32) ENGINE = Memory").openAs(t, testserver.ClickHouseReader)
		v, err := s.Validate(t.Context(), sdk.ValidateRequest{SQL: "SELECT id, 'x' AS t FROM orders -- comment"})
		if err != nil || len(v.Columns) != 2 || v.Columns[0].NativeType != "Int32" {
			t.Errorf("%+v, %v", v, err)
		}
		_, err = s.Validate(t.Context(), sdk.ValidateRequest{SQL: "/* é */ SELECT id,\n (1 + ) FROM orders"})
		if e := wantKind(t, err, sdk.KindSyntax); e.Pos.Line != 2 {
			t.Errorf("at %+v: %v", e.Pos, e)
		}
		// The names are looked for a second at most, and a busy server takes longer.
		// Databases of other tests may have such a table too: they come behind.
		eventually(t, 2*time.Minute, "the near name is told", func() bool {
			_, err = s.Validate(t.Context(), sdk.ValidateRequest{SQL: "SELECT id FROM ordres"})
			e := wantKind(t, err, sdk.KindNotFound)
			return len(e.Candidates) > 0 && e.Candidates[0] == "orders" && strings.HasPrefix(e.Hint, "did you mean orders") &&
				e.Pos == sdk.Position{Line: 1, Column: 16}
		})
	})
}

// log collects a query log.
type log struct{ entries []sdk.QueryLogEntry }

func (l *log) Entry(e sdk.QueryLogEntry) error { l.entries = append(l.entries, e); return nil }

func (l *log) Progress(sdk.Progress) {}

func TestQueryLogTellsPastQueries(t *testing.T) {
	t.Parallel()
	db := old(t)
	s := db.openAs(t, testserver.ClickHouseAdmin)
	began := time.Now().Add(-time.Minute)
	tag := "logged " + db.name
	r := query(t, s, "SELECT number FROM system.numbers WHERE '"+tag+"' != '' LIMIT 7")
	_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT '" + tag + "', throwIf(1)"})
	wantKind(t, err, sdk.KindInvalid)
	var done, failed *sdk.QueryLogEntry
	eventually(t, 2*time.Minute, "the log shows the queries", func() bool {
		var l log
		if err := s.QueryLog(t.Context(), sdk.QueryLogRequest{Since: began}, &l); err != nil {
			return false
		}
		for i := range l.entries {
			if e := &l.entries[i]; strings.Contains(e.SQL, tag) && !strings.Contains(e.SQL, "query_log") {
				if e.Failed {
					failed = e
				} else if e.QueryID == r.QueryID {
					done = e
				}
			}
		}
		return done != nil && failed != nil
	})
	if done.Rows != 7 || done.User != testserver.ClickHouseAdmin || done.Executions != 1 || done.StartedAt.Before(began) || done.BytesRead <= 0 {
		t.Errorf("%+v", done)
	}
}
