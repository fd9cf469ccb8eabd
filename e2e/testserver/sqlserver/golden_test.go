//go:build cgo

package sqlserver_test

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite" // answers the same requests

	"github.com/loam-data/loam/e2e/testserver/sqlserver"
)

const compiled = "../../../host/internal/semantic/compile/testdata/sql"

// goldenTables are the tables of the semantic layer's golden statements: their
// columns as SQL Server and as SQLite declare them, and their rows.
var goldenTables = []struct{ name, sqlserver, sqlite, rows string }{
	{"regions", "id int PRIMARY KEY, title nvarchar(100)", "id INTEGER PRIMARY KEY, title TEXT", "(1, 'north'), (2, 'south')"},
	{"customers", "id int PRIMARY KEY, name nvarchar(100), segment nvarchar(100), region_id int", "id INTEGER PRIMARY KEY, name TEXT, segment TEXT, region_id INTEGER",
		"(1, 'ann', 'retail', 1), (2, 'bob', NULL, 2), (3, 'cem', 'trade', NULL), (4, 'dee', 'retail', 9)"},
	{"orders", "id int PRIMARY KEY, customer_id int, status nvarchar(20), amount int, day date", "id INTEGER PRIMARY KEY, customer_id INTEGER, status TEXT, amount INTEGER, day TEXT",
		"(1, 1, 'paid', 100, '2024-01-30'), (2, 1, 'open', 50, '2024-01-31'), (3, 2, 'paid', 30, '2024-02-01'), (4, 4, NULL, 20, '2024-02-29'), (5, 77, 'paid', 7, '2024-03-05'), (6, NULL, 'open', 3, '2024-03-05')"},
	{"items", "id int PRIMARY KEY, order_id int, category nvarchar(50), qty int", "id INTEGER PRIMARY KEY, order_id INTEGER, category TEXT, qty INTEGER",
		"(1, 1, 'food', 2), (2, 1, 'food', 5), (3, 1, 'toys', 1), (4, 2, 'food', 1), (5, 3, NULL, 4), (6, 99, 'toys', 10)"},
	{"tickets", "id int PRIMARY KEY, customer_id int, kind nvarchar(50), hours float, day date", "id INTEGER PRIMARY KEY, customer_id INTEGER, kind TEXT, hours REAL, day TEXT",
		"(1, 1, 'bug', 1.5, '2024-01-30'), (2, 1, 'ask', 2.5, '2024-02-02'), (3, 3, 'bug', 4, '2024-02-10'), (4, 2, NULL, 8, '2024-03-01')"},
	{"stock", "day date, sku nvarchar(20), on_hand int", "day TEXT, sku TEXT, on_hand INTEGER",
		"('2024-01-30', 'a', 5), ('2024-01-31', 'a', 4), ('2024-01-30', 'b', 9), ('2024-02-28', 'a', 7), ('2024-02-29', 'b', 1)"},
	{"fiscal_days", "day date PRIMARY KEY, quarter nvarchar(10), year nvarchar(10)", "day TEXT PRIMARY KEY, quarter TEXT, year TEXT", fiscalDays()},
}

// fiscalDays are a year and a half whose quarters begin in February.
func fiscalDays() string {
	var rows []string
	for d := time.Date(2023, 2, 1, 0, 0, 0, 0, time.UTC); d.Before(time.Date(2024, 8, 1, 0, 0, 0, 0, time.UTC)); d = d.AddDate(0, 0, 1) {
		months := (d.Year()-2023)*12 + int(d.Month()) - 2
		rows = append(rows, fmt.Sprintf("('%s', 'FY%d-Q%d', 'FY%d')", d.Format(time.DateOnly), 23+months/12, months%12/3+1, 23+months/12))
	}
	return strings.Join(rows, ", ")
}

// section returns what a golden file has for a dialect.
func section(data, dialect string) string {
	_, own, _ := strings.Cut(data, "-- "+dialect+"\n")
	own, _, _ = strings.Cut(own, "\n\n-- ")
	return strings.TrimSpace(own)
}

// TestGoldenStatements runs what the semantic layer writes for SQL Server, and wants
// the rows that SQLite gives for its own text of the same request.
func TestGoldenStatements(t *testing.T) {
	s := sqlserver.Start(t)
	other, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "shop.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	for _, table := range goldenTables {
		insert := "INSERT INTO " + table.name + " VALUES " + table.rows
		s.Exec(t, "CREATE TABLE "+table.name+" ("+table.sqlserver+")", insert)
		for _, one := range []string{"CREATE TABLE " + table.name + " (" + table.sqlite + ")", insert} {
			if _, err := other.ExecContext(t.Context(), one); err != nil {
				t.Fatal(err)
			}
		}
	}
	db := connect(t, s.URL())
	files, err := filepath.Glob(filepath.Join(compiled, "*.sql"))
	if err != nil || len(files) == 0 {
		t.Fatal("no golden statements", err)
	}
	verdicts := map[string]string{}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".sql")
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		mine, theirs := section(string(data), "sqlserver"), section(string(data), "sqlite")
		switch {
		case strings.HasPrefix(mine, "-- "):
			verdicts[name] = "not written for SQL Server"
		case strings.HasPrefix(theirs, "-- "):
			_, err := lines(t.Context(), db, mine)
			verdicts[name] = "executed"
			if err != nil {
				t.Errorf("%s: %v\n%s", name, err, mine)
			}
		default:
			verdicts[name] = "same rows as SQLite"
			got, err := lines(t.Context(), db, mine)
			if err != nil {
				t.Errorf("%s: %v\n%s", name, err, mine)
				continue
			}
			want, err := lines(t.Context(), other, theirs)
			if err != nil {
				t.Errorf("%s: SQLite: %v", name, err)
				continue
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-SQLite +fixture):\n%s\n%s", name, diff, mine)
			}
		}
	}
	say(t, verdicts)
}

// say lists what became of each form.
func say(t *testing.T, verdicts map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(verdicts)) {
		t.Logf("%s: %s", name, verdicts[name])
	}
}

// refusedForms are those that the fixture refuses, with the reason.
var refusedForms = map[string]string{
	"region.orders.name":                              "4104: the test reads one table", // a name of a join
	"TIMESTAMPTZ '2024-05-15T13:14:15.1234567+02:00'": "a datetimeoffset of the fixture has six digits",
}

// TestGoldenExpressions runs each expression that SQL Server's dialect writes: as a
// value or, where it has no value, as a condition.
func TestGoldenExpressions(t *testing.T) {
	s := sqlserver.Start(t)
	s.Exec(t, "CREATE TABLE orders (id bigint, qty bigint, price decimal(12,2), rate float, name nvarchar(100), status nvarchar(20), day date, at datetime2(7), instant datetimeoffset(6), paid bit, [key] uniqueidentifier, doc nvarchar(max), anything nvarchar(10))",
		"INSERT INTO orders VALUES (1, 2, 10.50, 0.1, '2024-05-15', 'paid', '2024-05-15', '2024-05-15 13:14:15.5', '2024-05-15 13:14:15.5', 1, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{}', 'x')")
	db := connect(t, s.URL())
	data, err := os.ReadFile("../../../host/internal/semantic/expression/testdata/sqlserver.golden")
	if err != nil {
		t.Fatal(err)
	}
	verdicts := map[string]string{}
	source := ""
	for line := range strings.Lines(string(data)) {
		printed, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "    ")
		if !ok {
			source = strings.TrimSpace(line)
			continue
		}
		if strings.HasPrefix(printed, "! ") {
			verdicts[source] = "not written for SQL Server"
			continue
		}
		_, value := lines(t.Context(), db, "SELECT "+printed+" AS v FROM orders")
		_, condition := lines(t.Context(), db, "SELECT id FROM orders WHERE "+printed)
		if strings.Contains(source, "sum(") {
			_, condition = lines(t.Context(), db, "SELECT 1 AS v FROM orders HAVING "+printed)
		}
		switch {
		case value == nil && condition == nil:
			t.Errorf("%s is both a value and a condition", printed)
		case value == nil:
			verdicts[source] = "executed as a value"
		case condition == nil:
			verdicts[source] = "executed as a condition"
		default:
			verdicts[source] = "refused: " + value.Error()
			if refusedForms[source] == "" {
				t.Errorf("%s: %v, as a condition %v", printed, value, condition)
			}
		}
	}
	say(t, verdicts)
}

// lines are a query's rows as sorted text, alike for both engines.
func lines(ctx context.Context, db *sql.DB, query string) ([]string, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	all := []string{}
	for rows.Next() {
		cells, into := make([]any, len(names)), make([]any, len(names))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		var words []string
		for i, c := range cells {
			words = append(words, names[i]+"="+alike(c))
		}
		all = append(all, strings.Join(words, " "))
	}
	slices.Sort(all)
	return all, rows.Err()
}

func alike(cell any) string {
	switch v := cell.(type) {
	case bool:
		return map[bool]string{true: "1", false: "0"}[v]
	case []byte:
		return alike(string(v))
	case time.Time:
		return strings.TrimSuffix(v.Format(time.DateTime), " 00:00:00")
	case float64:
		return strconv.FormatFloat(v, 'g', 9, 64)
	case string:
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			return alike(f)
		}
		return strings.TrimSuffix(v, " 00:00:00")
	}
	return fmt.Sprint(cell)
}
