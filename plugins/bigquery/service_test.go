package bigquery_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/loam-data/loam/sdk"
)

// TestService asks BigQuery itself, with the Application Default Credentials: it reads no
// table and is billed nothing.
func TestService(t *testing.T) {
	project := os.Getenv("LOAM_TEST_BIGQUERY_PROJECT")
	if project == "" {
		t.Skip("LOAM_TEST_BIGQUERY_PROJECT names no project")
	}
	raw, err := json.Marshal(map[string]any{"project": project, "location": os.Getenv("LOAM_TEST_BIGQUERY_LOCATION")})
	if err != nil {
		t.Fatal(err)
	}
	s := openWith(t, sdk.OpenRequest{ConnectionID: "service", Config: sdk.Config{JSON: raw}})
	t.Logf("server %+v", s.Server())
	for _, c := range cases() {
		if c.Error != nil || c.Params != nil || c.Name == "no rows" {
			continue // of the fixture's tables
		}
		if r := query(t, s, c.SQL); len(r.Columns) != len(c.Columns) || len(r.Rows) != len(c.Rows) {
			t.Errorf("%s: %d columns and %d rows", c.Name, len(r.Columns), len(r.Rows))
		} else if got := r.Columns[0].Type.String(); got != c.Columns[0].Type {
			t.Errorf("%s: type %s, want %s", c.Name, got, c.Columns[0].Type)
		}
	}
	for _, sql := range []string{"CREATE TEMP TABLE loam AS SELECT 1 AS n", "EXECUTE IMMEDIATE 'SELECT 1'", "DECLARE x INT64; SELECT 1", "SELECT 1; SELECT 2"} {
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql})
		wantKind(t, err, sdk.KindNotReadOnly)
	}
	if was, err := s.CancelQuery(t.Context(), "loam_no_such_job"); was || err != nil {
		t.Errorf("a job that never was: %v, %v", was, err)
	}
}
