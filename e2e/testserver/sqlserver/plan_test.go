//go:build cgo

package sqlserver_test

import (
	"context"
	"database/sql"
	"encoding/xml"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	mssql "github.com/microsoft/go-mssqldb"

	"github.com/loam-data/loam/e2e/testserver/sqlserver"
)

// session is one connection: SHOWPLAN_XML is a setting of it.
func session(t *testing.T, db *sql.DB) *sql.Conn {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// plan asks for a statement's plan and returns its elements and types.
func plan(ctx context.Context, conn *sql.Conn, statement string) (kinds, rows []string, err error) {
	if _, err := conn.ExecContext(ctx, "SET SHOWPLAN_XML ON"); err != nil {
		return nil, nil, err
	}
	document, err := text(ctx, conn, statement)
	if _, off := conn.ExecContext(ctx, "SET SHOWPLAN_XML OFF"); off != nil {
		return nil, nil, off
	}
	if err != nil {
		return nil, nil, err
	}
	d := xml.NewDecoder(strings.NewReader(document))
	for {
		token, err := d.Token()
		if err != nil {
			return kinds, rows, nil
		}
		start, ok := token.(xml.StartElement)
		if !ok || !strings.HasPrefix(start.Name.Local, "Stmt") {
			continue
		}
		for _, a := range start.Attr {
			switch a.Name.Local {
			case "StatementType":
				kinds = append(kinds, start.Name.Local+" "+a.Value)
			case "StatementEstRows":
				rows = append(rows, a.Value)
			}
		}
	}
}

func TestPlans(t *testing.T) {
	s, db := started(t)
	conn := session(t, connect(t, s.URLOf(sqlserver.Admin, sqlserver.AdminPassword)))
	for statement, want := range map[string]string{
		" SELECT id FROM dbo.customers": "StmtSimple SELECT",
		" SELECT 1":                     "StmtSimple SELECT WITHOUT QUERY",
		"WITH a AS (SELECT id FROM customers) SELECT id FROM a":      "StmtSimple SELECT",
		"SELECT id FROM customers DELETE FROM customers":             "StmtSimple SELECT, StmtSimple DELETE",
		"SELECT 1; DROP TABLE dbo.customers":                         "StmtSimple SELECT WITHOUT QUERY, StmtSimple DROP TABLE",
		"WITH a AS (SELECT id FROM customers) DELETE FROM customers": "StmtSimple DELETE",
		"UPDATE dbo.customers SET vip = 1":                           "StmtSimple UPDATE",
		"INSERT INTO dbo.customers (id, name) SELECT 9, N'x'":        "StmtSimple INSERT",
		"SELECT id INTO dbo.copy FROM dbo.customers":                 "StmtSimple SELECT INTO",
		"EXEC('SELECT 1')":                  "StmtSimple EXECUTE PROC",
		"sp_who 1":                          "StmtSimple EXECUTE PROC",
		"SELECT 1 WAITFOR DELAY '00:00:01'": "StmtSimple SELECT WITHOUT QUERY, StmtSimple WAITFOR",
		"DECLARE @p1 bigint, @p2 nvarchar(max); SELECT id FROM customers WHERE id = @p1 AND name = @p2": "StmtSimple SELECT",
		"IF 1 = 1 SELECT id FROM customers": "StmtCond COND, StmtSimple SELECT",
	} {
		kinds, _, err := plan(t.Context(), conn, statement)
		if got := strings.Join(kinds, ", "); err != nil || got != want {
			t.Errorf("%s\n got %s %v\nwant %s", statement, got, err, want)
		}
	}
	if got, err := text(t.Context(), db, "SELECT COUNT(*), SUM(CAST(vip AS int)) FROM dbo.customers"); err != nil || got != "3|1" {
		t.Errorf("a plan was run: %s %v", got, err)
	}
	if _, rows, err := plan(t.Context(), conn, "SELECT id FROM customers"); err != nil || len(rows) != 1 || rows[0] != "3" {
		t.Errorf("the estimate is %v %v", rows, err)
	}
	var refused mssql.Error
	if _, _, err := plan(t.Context(), conn, "SELECT id FROM nowhere"); !errors.As(err, &refused) || refused.Number != 208 {
		t.Error("a plan of a missing table:", err)
	}
	// USE is run even so.
	if kinds, _, err := plan(t.Context(), conn, "USE master"); err != nil || strings.Join(kinds, "") != "StmtUseDb USE DATABASE" {
		t.Error(kinds, err)
	}
	if got, err := text(t.Context(), conn, "SELECT DB_NAME()"); err != nil || got != "master" {
		t.Error(got, err)
	}
	s.PlantStatementType("customers", "INSERT")
	if kinds, _, err := plan(t.Context(), conn, "SELECT id FROM shop.dbo.customers"); err != nil || strings.Join(kinds, "") != "StmtSimple INSERT" {
		t.Error("a planted type:", kinds, err)
	}
}

func TestPlanNeedsItsBatchAndItsRight(t *testing.T) {
	_, db := started(t, sqlserver.WithLogin("blind", sqlserver.Account{Password: "x", Roles: []string{"db_datareader"}}))
	conn := session(t, db)
	var refused mssql.Error
	if _, err := conn.ExecContext(t.Context(), "SET SHOWPLAN_XML ON; SELECT 1"); !errors.As(err, &refused) || refused.Number != 1067 {
		t.Error(err)
	}
	if got, err := text(t.Context(), conn, "SELECT 1"); err != nil || got != "1" {
		t.Error(got, err)
	}
}

func TestPlanIsDenied(t *testing.T) {
	s, _ := started(t, sqlserver.WithLogin("blind", sqlserver.Account{Password: "x", Roles: []string{"db_datareader"}}))
	_, _, err := plan(t.Context(), session(t, connect(t, s.URLOf("blind", "x"))), "SELECT 1")
	var refused mssql.Error
	if !errors.As(err, &refused) || refused.Number != 262 {
		t.Error(err)
	}
}

// TestDenied: an object that is denied is not read and not seen, but for what a view shows of it.
func TestDenied(t *testing.T) {
	s, _ := started(t, sqlserver.WithLogin("half", sqlserver.Account{Password: "x", Roles: []string{"db_datareader"}, Denied: []string{"sales", "dbo.customers"}}))
	db := connect(t, s.URLOf("half", "x"))
	for _, query := range []string{"SELECT id FROM sales.orders", "SELECT c.id FROM dbo.vips v JOIN customers c ON c.id = v.id", "WITH a AS (SELECT id FROM customers) SELECT id FROM a"} {
		var refused mssql.Error
		if _, err := text(t.Context(), db, query); !errors.As(err, &refused) || refused.Number != 229 {
			t.Errorf("%s: %v", query, err)
		}
	}
	for query, want := range map[string]string{
		"SELECT name FROM dbo.vips":                             "Ann",
		"SELECT name FROM sys.objects WHERE type IN ('U', 'V')": "vips",
		"SELECT HAS_PERMS_BY_NAME('[sales].[orders]', 'OBJECT', 'SELECT'), HAS_PERMS_BY_NAME('dbo.vips', 'OBJECT', 'SELECT')": "0|1",
	} {
		if got, err := text(t.Context(), db, query); err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", query, got, err, want)
		}
	}
}

// TestTypes: a column is told as T-SQL declared it, also through views, subqueries and choices.
func TestTypes(t *testing.T) {
	_, db := started(t)
	for query, want := range map[string]string{
		"SELECT * FROM sales.orders": "id:INT customer_id:INT amount:DECIMAL at:DATETIME2 zoned:DATETIMEOFFSET fee:MONEY key:UNIQUEIDENTIFIER raw:VARBINARY twice:DECIMAL",
		"SELECT c.code, MIN(c.note), COALESCE(c.code, NULL), 1, c.* FROM dbo.customers c GROUP BY c.id, c.name, c.vip, c.born, c.score, c.code, c.note": "code:CHAR :NVARCHAR :CHAR :INT id:INT name:NVARCHAR vip:BIT born:DATE score:FLOAT code:CHAR note:NVARCHAR",
		"WITH a (x) AS (SELECT fee FROM sales.orders) SELECT MAX(b.x) AS m FROM (SELECT x FROM a) AS b":                                                 "m:MONEY",
		"SELECT CAST(NULL AS smalldatetime), CAST(1 AS tinyint) AS t, CAST('<a/>' AS xml), CAST(1 AS real)":                                             ":SMALLDATETIME t:TINYINT :XML :REAL",
		"SELECT code FROM customers UNION ALL SELECT code FROM customers":                                                                               "code:CHAR",
		"SELECT COUNT(*), COUNT_BIG(*) AS n, SUM(CAST(id AS bigint)) FROM customers":                                                                    ":INT n:BIGINT :BIGINT",
		"SELECT name FROM dbo.vips": "name:NVARCHAR",
	} {
		rows, err := db.QueryContext(t.Context(), query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		types, err := rows.ColumnTypes()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range types {
			got = append(got, c.Name()+":"+c.DatabaseTypeName())
		}
		_ = rows.Close()
		if strings.Join(got, " ") != want {
			t.Errorf("%s\n got %s\nwant %s", query, strings.Join(got, " "), want)
		}
	}
}

func TestDescribe(t *testing.T) {
	_, db := started(t)
	rows, err := db.QueryContext(t.Context(), "sys.sp_describe_first_result_set", "SELECT at, name, @p1 AS p FROM sales.orders o JOIN customers c ON c.id = o.customer_id; SELECT 2", "@p1 decimal(9,2)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for rows.Next() {
		cells, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		got = append(got, cells[2].(string)+" "+cells[5].(string))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if want := "at datetime2(7), name nvarchar(50), p decimal(9,2)"; strings.Join(got, ", ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if got, err := text(t.Context(), db, "sp_describe_undeclared_parameters", "SELECT id FROM customers WHERE id = @a AND name = @b"); err != nil || got != "1|@a|56|int\n2|@b|231|nvarchar(4000)" {
		t.Errorf("%q %v", got, err)
	}
}

// TestSequence is what a careful client sends around a statement.
func TestSequence(t *testing.T) {
	_, db := started(t)
	conn := session(t, db)
	if _, err := conn.ExecContext(t.Context(), "SET LANGUAGE us_english; SET DATEFIRST 7; SET ROWCOUNT 0; SET LOCK_TIMEOUT 10000; SET DEADLOCK_PRIORITY LOW; SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRANSACTION"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got, err := text(t.Context(), conn, "SELECT @@TRANCOUNT"); err != nil || got != "1" {
			t.Error(got, err)
		}
		if _, err := text(t.Context(), conn, "SELECT nope"); err == nil {
			t.Error("a wrong statement ran")
		}
	}
	for range 2 {
		if _, err := conn.ExecContext(t.Context(), "IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION"); err != nil {
			t.Error(err)
		}
	}
	if got, err := text(t.Context(), conn, "SELECT @@TRANCOUNT"); err != nil || got != "0" {
		t.Error(got, err)
	}
}

// TestIndependentClient asks with FreeTDS.
func TestIndependentClient(t *testing.T) {
	tsql, err := exec.LookPath("tsql")
	if err != nil && os.Getenv("LOAM_REQUIRE_SERVERS") == "1" {
		t.Fatal("FreeTDS's tsql is not installed (scripts/setup)")
	} else if err != nil {
		t.Skip("FreeTDS's tsql is not installed (scripts/setup)")
	}
	s, _ := started(t)
	cmd := exec.CommandContext(t.Context(), tsql, "-H", s.Host, "-p", strconv.Itoa(s.Port), "-U", sqlserver.Reader, "-P", sqlserver.ReaderPassword, "-D", "shop", "-o", "q")
	cmd.Env = append(cmd.Environ(), "TDSVER=7.4", "LC_ALL=C.UTF-8")
	cmd.Stdin = strings.NewReader("select top 1 [name], amount from dbo.customers c join sales.orders o on o.customer_id = c.id order by o.id\ngo\nselect 1 / 0\ngo\nexit\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"Ann\t10.50", "8134", "Divide by zero"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %s in\n%.2000s", want, out)
		}
	}
}
