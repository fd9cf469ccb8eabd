//go:build cgo

package e2e

import (
	"database/sql/driver"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/plugins/duckdb"
	"github.com/loam-data/loam/sdk/conform/corpus"
)

func TestDuckDBAttacks(t *testing.T) {
	heavy(t, "attacks through the whole program")
	t.Parallel()
	d := &duckdb.Dialects()[0]
	dir := duckDB(t, corpus.Setup(d)...)
	path := filepath.Join(dir, "data", "bank.db")
	attack(t, d, 1, tenth, "", dir, "warehouse", "", func() [][]string {
		var rows [][]string
		db := openDuckDB(t, path+"?access_mode=READ_ONLY")
		defer db.Close()
		for _, q := range corpus.Reread(d) {
			rows = append(rows, texts(t, db, q)...)
		}
		return append(rows, files(t, filepath.Join(dir, "data")), []string{contents(t, path)})
	})
}

func contents(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestDuckDBFolderIsFenced: a folder of CSV files is served as tables. The
// engine may open those files, so that its own fence does not stop a write to
// one of them, nor a look at others beside them.
func TestDuckDBFolderIsFenced(t *testing.T) {
	heavy(t, "attacks through the whole program")
	t.Parallel()
	dir := project(t, "version: 1\nconnections:\n  warehouse: {connector: duckdb, config: {folders: [shop]}}\n")
	shop, secret := filepath.Join(dir, "shop"), filepath.Join(dir, "secret.csv")
	sales := filepath.Join(shop, "sales.csv")
	if err := os.Mkdir(shop, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		sales:                            "id,name,day,amount\n1,Ada,2024-02-29,1.50\n2,\"Grace, H.\",,2\n",
		filepath.Join(shop, "notes.txt"): "not a table",
		secret:                           "password\nhunter2\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	connects(t, dir, "warehouse", "DuckDB 1.")
	s := stdioServer(t, dir)
	checkRows(t, dir, s, httpServer(t, dir), "warehouse", []rowsOf{
		{"rows", "SELECT * FROM sales ORDER BY id", `[[1,"Ada","2024-02-29",1.5],[2,"Grace, H.",null,2]]`},
		{"typed", "SELECT sum(amount) AS total, max(day) AS day FROM sales", `[[3.5,"2024-02-29"]]`},
	})
	before := contents(t, sales)
	for name, sql := range map[string]string{
		"copy to the file":         "COPY (SELECT 1) TO '" + sales + "'",
		"copy beside the file":     "COPY (SELECT 1) TO '" + filepath.Join(shop, "stolen.csv") + "'",
		"attach beside the file":   "ATTACH '" + filepath.Join(shop, "stolen.db") + "' AS stolen",
		"profile to the file":      "FROM enable_profiling(save_location := '" + sales + "', format := 'json')",
		"log into the folder":      "FROM enable_logging(storage := 'file', storage_path := '" + shop + "')",
		"insert":                   "INSERT INTO sales VALUES (3, 'x', NULL, 1)",
		"file above":               "SELECT * FROM '" + secret + "'",
		"file above, relative":     "SELECT * FROM 'shop/../secret.csv'",
		"file above, by function":  "SELECT * FROM read_csv('" + secret + "')",
		"other file of the folder": "SELECT content FROM read_text('" + filepath.Join(shop, "notes.txt") + "')",
		"files of the folder":      "SELECT * FROM glob('" + shop + "/*')",
		"by way of a query":        "FROM query('FROM read_text(''" + secret + "'')')",
	} {
		if got, failed := s.sql(t.Context(), t, "warehouse", sql, nil); failed == nil {
			t.Errorf("%s was answered: %s", name, got.Rows)
		} else if strings.Contains(failed.Message, "hunter2") {
			t.Errorf("%s: %s", name, failed.Message)
		}
	}
	if diff := cmp.Diff(before, contents(t, sales)); diff != "" {
		t.Errorf("the file changed (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"notes.txt", "sales.csv"}, files(t, shop)); diff != "" {
		t.Errorf("the folder changed (-before +after):\n%s", diff)
	}
	if _, failed := s.sql(t.Context(), t, "warehouse", "FROM sales", nil); failed != nil {
		t.Errorf("after the attacks: %+v", failed)
	}
}

// TestDuckDBReadsTextsAsTheGuard: what the guard takes for one statement, the
// engine splits into one.
func TestDuckDBReadsTextsAsTheGuard(t *testing.T) {
	heavy(t, "attacks through the whole program")
	t.Parallel()
	conn, err := openDuckDB(t, "").Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	writes := []string{";CREATE TABLE m(a int)", "; SELECT 2", " ; DROP TABLE m ", ";SELECT 2--"}
	checkLexis(t, &duckdb.Dialects()[0], writes, func(text string) (wrote, ran bool) {
		err := conn.Raw(func(raw any) error {
			statement, err := raw.(driver.Conn).Prepare(text)
			if err != nil {
				return err
			}
			return statement.Close()
		})
		// The driver prepares one statement and runs none; of several it says so.
		return err != nil && strings.Contains(err.Error(), "multi-statement"), err == nil
	})
}
