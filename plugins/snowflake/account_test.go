package snowflake_test

import (
	"encoding/json"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

// accountConfig is the connection of LOAM_TEST_SNOWFLAKE_URL.
func accountConfig(t testing.TB) sdk.Config {
	t.Helper()
	text := os.Getenv("LOAM_TEST_SNOWFLAKE_URL")
	if text == "" {
		t.Skip("LOAM_TEST_SNOWFLAKE_URL is not set: no account to test against")
	}
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	object := map[string]any{"account": u.Host, "user": u.User.Username(), "database": strings.Trim(u.Path, "/")}
	for key := range u.Query() {
		object[key] = u.Query().Get(key)
	}
	raw, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	return sdk.Config{JSON: raw, Secrets: map[string]sdk.Secret{"password": sdk.NewSecret(password)}}
}

// What holds on the fixture holds on an account: values, verdicts and the catalogue.
func TestAccount(t *testing.T) {
	t.Parallel()
	s := open(t, accountConfig(t))
	t.Run("values", func(t *testing.T) { testValues(t, s) })
	t.Run("verdicts", func(t *testing.T) {
		for _, sql := range []string{
			"CREATE TEMPORARY TABLE loam_must_not_exist (id INT)", "SELECT 1; SELECT 2", "SELECT SYSTEM$WAIT(1)", "SELECT 1 ->> SELECT 2",
			"CALL SYSTEM$WAIT(1)", "USE SECONDARY ROLES ALL", "ALTER SESSION SET QUERY_TAG = 'x'",
		} {
			_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql})
			wantKind(t, err, sdk.KindNotReadOnly)
		}
		for _, sql := range []string{"SHOW PARAMETERS", "DESCRIBE TABLE information_schema.tables", "EXPLAIN SELECT 1"} {
			if _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql}); err != nil {
				t.Errorf("%s: %v", sql, err)
			}
		}
	})
	t.Run("scan", func(t *testing.T) {
		var got scanned
		if sum, err := s.Scan(t.Context(), sdk.ScanRequest{}, &got); err != nil || !sum.Complete {
			t.Errorf("%+v, %v", sum, err)
		}
	})
}
