package mysql_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, `CREATE TABLE a (id INT PRIMARY KEY) AS SELECT seq AS id FROM seq_1_to_1000;
		CREATE TABLE b (id INT) AS SELECT seq AS id FROM seq_1_to_100; ANALYZE TABLE a, b`)
	s := openAs(t, db, testserver.MariaDBReader)
	for _, c := range []struct {
		name     string
		sql      string
		params   []sdk.Value
		from, to int64
	}{
		{"table", "SELECT * FROM a", nil, 900, 1100},
		{"key", "SELECT * FROM a WHERE id = 7", nil, 1, 1},
		{"parameter", "SELECT * FROM a WHERE id = ?", []sdk.Value{int64(7)}, 1, 1},
		{"join", "SELECT * FROM a, b", nil, 90_000, 110_000},
		{"union", "SELECT id FROM b UNION ALL SELECT id FROM a", nil, 90, 110},
		{"comment behind", "SELECT * FROM b -- all", nil, 90, 110},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := s.Explain(t.Context(), sdk.ExplainRequest{SQL: c.sql, Params: c.params})
			if err != nil {
				t.Fatal(err)
			}
			if e.Format != "json" || !json.Valid([]byte(e.Text)) || e.EstimatedBytes != -1 || e.EstimatedCostUSD != -1 {
				t.Errorf("got %+v", e)
			}
			if e.EstimatedRows < c.from || e.EstimatedRows > c.to {
				t.Errorf("%d rows, want %d to %d", e.EstimatedRows, c.from, c.to)
			}
		})
	}
	for _, sql := range []string{"SHOW TABLES", "EXPLAIN SELECT 1", "DESCRIBE a"} {
		_, err := s.Explain(t.Context(), sdk.ExplainRequest{SQL: sql})
		wantKind(t, err, sdk.KindInvalid)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "CREATE TABLE orders (id INT, created DATE)")
	s := openAs(t, db, testserver.MariaDBReader)
	for _, c := range []struct {
		sql        string
		kind       sdk.Kind
		code       string
		pos        sdk.Position
		candidates []string
	}{
		{"SELECT id FROM orders", "", "", sdk.Position{}, nil},
		{"SELECT id FROM orders WHERE id = ?", "", "", sdk.Position{}, nil},
		{"SHOW TABLES", "", "", sdk.Position{}, nil},
		{"SELECT id FROM ordres", sdk.KindNotFound, "1146", sdk.Position{Line: 1, Column: 16}, []string{"orders"}},
		{"SELECT o.creatd FROM orders o", sdk.KindNotFound, "1054", sdk.Position{Line: 1, Column: 8}, []string{"created"}},
		{"SELECT x.id\nFROM orders o", sdk.KindNotFound, "1054", sdk.Position{Line: 1, Column: 8}, []string{"id"}},
		{"SELECT creatd FROM orders WHERE id = ?", sdk.KindNotFound, "1054", sdk.Position{Line: 1, Column: 8}, []string{"created"}},
		{"SELECT 'é',\n\t id, FROM orders", sdk.KindSyntax, "1064", sdk.Position{Line: 2, Column: 7}, nil},
		{"DELETE FROM orders", sdk.KindNotReadOnly, "", sdk.Position{Line: 1, Column: 1}, nil},
		{"DELETE FORM orders", sdk.KindSyntax, "1064", sdk.Position{Line: 1, Column: 13}, nil},
		{"SELECT id FROM orders GROUP BY", sdk.KindSyntax, "1064", sdk.Position{Line: 1, Column: 31}, nil},
		{"EXPLAIN\nSELECT id FORM orders", sdk.KindSyntax, "1064", sdk.Position{Line: 2, Column: 16}, nil},
	} {
		t.Run(c.sql, func(t *testing.T) {
			_, err := s.Validate(t.Context(), sdk.ValidateRequest{SQL: c.sql})
			if c.kind == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			e := wantKind(t, err, c.kind)
			if e.Code != c.code || e.Pos != c.pos || e.Hint == "" {
				t.Errorf("code %q at %v, hint %q, want %q at %v: %v", e.Code, e.Pos, e.Hint, c.code, c.pos, e)
			}
			if diff := cmp.Diff(c.candidates, e.Candidates); diff != "" {
				t.Errorf("candidates (-want +got):\n%s", diff)
			}
		})
	}
}

// logged collects a query log.
type logged struct{ entries []sdk.QueryLogEntry }

func (l *logged) Entry(e sdk.QueryLogEntry) error { l.entries = append(l.entries, e); return nil }
func (*logged) Progress(sdk.Progress)             {}

func TestQueryLog(t *testing.T) {
	t.Parallel()
	server := testserver.NewMariaDB(t)
	db := server.Database(t, "CREATE TABLE noted (id INT); INSERT INTO noted VALUES (1), (2)")
	s := openAs(t, db, testserver.MariaDBReader)
	for range 3 {
		db.Rows(t, testserver.MariaDBWriter, "SELECT id FROM noted WHERE id < 100")
	}
	e := wantKind(t, s.QueryLog(t.Context(), sdk.QueryLogRequest{}, &logged{}), sdk.KindDenied)
	if e.Hint != "GRANT SELECT ON performance_schema.* TO 'loam_reader'@'%'" {
		t.Errorf("hint %q", e.Hint)
	}
	db.Exec(t, testserver.MariaDBAdmin, e.Hint)
	log := &logged{}
	if err := s.QueryLog(t.Context(), sdk.QueryLogRequest{}, log); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, e := range log.entries {
		if !strings.Contains(e.SQL, "FROM `noted`") {
			continue
		}
		found = true
		if e.Executions < 3 || e.Rows < 6 || e.Elapsed <= 0 || e.Fingerprint == "" || e.Failed || time.Since(e.StartedAt) > time.Hour || time.Until(e.StartedAt) > time.Minute {
			t.Errorf("got %+v", e)
		}
	}
	if !found {
		t.Errorf("the query is not among %+v", log.entries)
	}
	log = &logged{}
	if err := s.QueryLog(t.Context(), sdk.QueryLogRequest{Until: time.Now().Add(-time.Hour)}, log); err != nil || len(log.entries) > 0 {
		t.Errorf("an hour ago there was %+v, %v", log.entries, err)
	}
	if err := s.QueryLog(t.Context(), sdk.QueryLogRequest{MaxEntries: 1}, log); err != nil || len(log.entries) != 1 {
		t.Errorf("%d entries, %v", len(log.entries), err)
	}

	off := testserver.NewMariaDB(t, "--performance-schema=OFF")
	other := off.Database(t, "")
	other.Exec(t, testserver.MariaDBAdmin, "GRANT SELECT ON performance_schema.* TO loam_reader")
	e = wantKind(t, openAs(t, other, testserver.MariaDBReader).QueryLog(t.Context(), sdk.QueryLogRequest{}, &logged{}), sdk.KindUnsupported)
	if e.Hint == "" {
		t.Error("there is no hint")
	}
}
