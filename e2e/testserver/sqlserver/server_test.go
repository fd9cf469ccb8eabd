//go:build cgo

package sqlserver_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	mssql "github.com/microsoft/go-mssqldb"

	"github.com/loam-data/loam/e2e/testserver/sqlserver"
	"github.com/loam-data/loam/e2e/testserver/tds"
)

func connect(t *testing.T, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlserver", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// shop is a small schema with keys, comments and every kind of constraint.
var shop = []string{
	`CREATE SCHEMA sales`,
	`CREATE TABLE dbo.customers (id int NOT NULL PRIMARY KEY, name nvarchar(50) NOT NULL, vip bit NULL, born date, score float, code char(3), note nvarchar(max))`,
	`CREATE TABLE sales.orders (id int IDENTITY(1,1) PRIMARY KEY, customer_id int NOT NULL, amount decimal(12,2) NOT NULL CHECK (amount >= 0), at datetime2(7), zoned datetimeoffset(3), fee money DEFAULT (0), [key] uniqueidentifier, raw varbinary(8), twice AS (amount * 2),
		CONSTRAINT fk_customer FOREIGN KEY (customer_id) REFERENCES dbo.customers (id) ON DELETE CASCADE)`,
	`CREATE VIEW dbo.vips AS SELECT id, name FROM dbo.customers WHERE vip = 1`,
	`EXEC sp_addextendedproperty @name = N'MS_Description', @value = N'who buys', @level0type = N'SCHEMA', @level0name = N'dbo', @level1type = N'TABLE', @level1name = N'customers'`,
	`INSERT INTO dbo.customers (id, name, vip, born, score, code) VALUES (1, N'Ann', 1, '2000-02-29', 1.5, 'ab'), (2, N'bob', 0, NULL, NULL, NULL), (3, N'Zoë', NULL, '1970-01-01', -1e3, 'xyz')`,
	`INSERT INTO sales.orders (customer_id, amount, at, zoned, fee, [key], raw) VALUES (1, 10.50, '2024-05-15 13:14:15.1234567', CAST('2024-05-15 13:14:15.5 +02:00' AS datetimeoffset(3)), 1.25, '6F9619FF-8B86-D011-B42D-00C04FC964FF', 0x00FF), (2, 20, NULL, NULL, NULL, NULL, NULL)`,
}

func started(t *testing.T, options ...sqlserver.Option) (*sqlserver.Server, *sql.DB) {
	t.Helper()
	s := sqlserver.Start(t, options...)
	s.Exec(t, shop...)
	return s, connect(t, s.URL())
}

// text reads a query's rows as text: cells with a bar between, rows with a newline.
func text(ctx context.Context, db interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}, query string, args ...any) (string, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return "", err
	}
	defer func() { _ = rows.Close() }()
	var lines []string
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	for rows.Next() {
		cells, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return "", err
		}
		var words []string
		for _, c := range cells {
			switch v := c.(type) {
			case []byte:
				words = append(words, string(v))
			case time.Time:
				words = append(words, v.Format("2006-01-02T15:04:05.999999999"))
			default:
				words = append(words, fmt.Sprint(v))
			}
		}
		lines = append(lines, strings.Join(words, "|"))
	}
	return strings.Join(lines, "\n"), rows.Err()
}

func TestSelect(t *testing.T) {
	_, db := started(t)
	for query, want := range map[string]string{
		"SELECT 1": "1",
		"SELECT TOP (2) name FROM dbo.customers WITH (NOLOCK) ORDER BY id DESC":                                                         "Zoë\nbob",
		"SELECT TOP 1 [name] AS [the name] FROM [shop].[dbo].[customers] ORDER BY 1":                                                    "Ann",
		"SELECT id FROM shop..customers WHERE name = N'BOB'":                                                                            "2",
		"SELECT id FROM customers WHERE name LIKE 'a%' OR name LIKE N'%Ë'":                                                              "1\n3",
		"SELECT name FROM customers ORDER BY vip, id":                                                                                   "Zoë\nbob\nAnn",
		"SELECT id FROM customers ORDER BY id OFFSET 1 ROWS FETCH NEXT 1 ROWS ONLY":                                                     "2",
		"SELECT vip, COUNT(*), COUNT_BIG(vip) FROM customers GROUP BY vip ORDER BY 1":                                                   "<nil>|1|0\nfalse|1|1\ntrue|1|1",
		"SELECT 7 / 2, 7 % 4, 7.0 / 2, 'a' + N'b' + 'c', 1 + 2":                                                                         "3|3|3.5|abc|3",
		"SELECT ISNULL(NULL, 3), IIF(1 = 1, 'y', 'n'), LEN('ab  '), CHARINDEX('B', 'abc')":                                              "3|y|2|2",
		"SELECT DATEADD(month, 1, CAST('20240131' AS date)), EOMONTH('2024-02-03'), DATEDIFF(week, '2024-05-04', '2024-05-05')":         "2024-02-29T00:00:00|2024-02-29T00:00:00|1",
		"SELECT DATEDIFF(day, 0, '19000103'), DATEADD(hour, DATEDIFF(hour, 0, '2024-05-15 13:14:15'), 0)":                               "2|2024-05-15T13:00:00",
		"SELECT at, CAST(at AS datetime2(3)), DATETRUNC(hour, at) FROM sales.orders WHERE id = 1":                                       "2024-05-15T13:14:15.1234567|2024-05-15T13:14:15.123|2024-05-15T13:00:00",
		"SELECT zoned, fee, amount, twice, raw FROM sales.orders WHERE id = 1":                                                          "2024-05-15T11:14:15.5|1.2500|10.50|21.00|\x00\xff",
		"SELECT CAST(2.7 AS int), TRY_CAST('x' AS int), CAST('12' AS bigint), CONVERT(nvarchar(2), N'abc'), CAST(1 AS bit)":             "2|<nil>|12|ab|true",
		"SELECT STRING_AGG(name, N', ') WITHIN GROUP (ORDER BY name) FROM customers":                                                    "Ann, bob, Zoë",
		"SELECT x.n FROM (VALUES (1), (2)) AS x (n) WHERE x.n > 1":                                                                      "2",
		"WITH a (n) AS (SELECT 1), b AS (SELECT n + 1 AS n FROM a) SELECT a.n, b.n FROM a CROSS JOIN b":                                 "1|2",
		"SELECT CASE WHEN vip = 1 THEN 'v' WHEN NOT (vip = 1) THEN 'n' END FROM customers ORDER BY id":                                  "v\nn\n<nil>",
		"SELECT CAST(CAST('2024-07-01 12:00' AS datetime2(6)) AT TIME ZONE 'UTC' AT TIME ZONE 'Eastern Standard Time' AS datetime2(6))": "2024-07-01T08:00:00",
		"SELECT id FROM customers WHERE EXISTS (SELECT vip INTERSECT SELECT NULL)":                                                      "3",
		"SELECT TOP 1 1 FROM customers UNION ALL SELECT 2":                                                                              "1\n2",
		"SELECT DB_NAME(), SUSER_SNAME(), IS_ROLEMEMBER('db_datareader'), IS_ROLEMEMBER('db_datawriter'), IS_ROLEMEMBER('nobody')":      "shop|reader|1|0|<nil>",
		"SELECT AVG(id), AVG(CAST(id AS float)) FROM (VALUES (1), (2)) v (id)":                                                          "1|1.5",
		"SELECT ROW_NUMBER() OVER (ORDER BY id DESC) FROM customers WHERE id = 2":                                                       "1",
	} {
		if got, err := text(t.Context(), db, query); err != nil || got != want {
			t.Errorf("%s\n got %q %v\nwant %q", query, got, err, want)
		}
	}
}

func TestParameters(t *testing.T) {
	_, db := started(t)
	got, err := text(t.Context(), db, "SELECT name FROM customers WHERE id = @p1 AND name = @p2 AND @p3 IS NULL", 1, "ann", nil)
	if err != nil || got != "Ann" {
		t.Errorf("%q %v", got, err)
	}
	if got, err := text(t.Context(), db, "SELECT @p1, @p2, @p3", true, 1.5, []byte{0, 255}); err != nil || got != "true|1.5|\x00\xff" {
		t.Errorf("%q %v", got, err)
	}
}

// TestRefusals: each with the number and the line of the real server.
func TestRefusals(t *testing.T) {
	_, db := started(t)
	for query, want := range map[string]mssql.Error{
		"SELECT nope FROM dbo.customers":                              {Number: 207, LineNo: 1},
		"SELECT 1\nFROM nowhere":                                      {Number: 208, LineNo: 2},
		"SELECT 1 FROM sales.nowhere":                                 {Number: 208, LineNo: 1},
		"SELECT c.x.y FROM customers c":                               {Number: 207, LineNo: 1},
		"SELECT x.id FROM customers c":                                {Number: 4104, LineNo: 1},
		"SELEKT 1":                                                    {Number: 2812, LineNo: 1},
		"SELECT 1 FROM":                                               {Number: 102, LineNo: 1},
		"SELECT 1 WHERE FROM":                                         {Number: 102, LineNo: 1},
		"SELECT id FROM customers LIMIT 1":                            {Number: 102, LineNo: 1},
		"SELECT id::text FROM customers":                              {Number: 102, LineNo: 1},
		"SELECT 'a":                                                   {Number: 105, LineNo: 1},
		"SELECT 1 /* /* */":                                           {Number: 113, LineNo: 1},
		"SELECT 1 / 0":                                                {Number: 8134, LineNo: 1},
		"SELECT CAST('x' AS int)":                                     {Number: 245, LineNo: 1},
		"SELECT CAST('x' AS date)":                                    {Number: 241, LineNo: 1},
		"SELECT CAST(300 AS tinyint)":                                 {Number: 8115, LineNo: 1},
		"SELECT nofunction(1)":                                        {Number: 195, LineNo: 1},
		"SELECT read_text('/etc/passwd')":                             {Number: 195, LineNo: 1},
		"SELECT * FROM duckdb_settings":                               {Number: 208, LineNo: 1},
		"SELECT CAST(1 AS nothing)":                                   {Number: 243, LineNo: 1},
		"SELECT id, name FROM customers GROUP BY id":                  {Number: 8120, LineNo: 1},
		"SELECT id FROM customers a, customers b":                     {Number: 209, LineNo: 1},
		"SELECT id FROM customers WHERE vip":                          {Number: 4145, LineNo: 1},
		"SELECT * FROM (SELECT id FROM customers ORDER BY id) AS c":   {Number: 1033, LineNo: 1},
		"SELECT * FROM (WITH a AS (SELECT 1 AS n) SELECT n FROM a) b": {Number: 156, LineNo: 1},
		"SELECT @p9":                                                  {Number: 137, LineNo: 1},
		"INSERT INTO customers (id, name) VALUES (9, 'x')":            {Number: 229, LineNo: 1},
		"DELETE FROM customers":                                       {Number: 229, LineNo: 1},
		"DROP TABLE customers":                                        {Number: 262, LineNo: 1},
		"SELECT 1 DELETE FROM customers":                              {Number: 229, LineNo: 1},
		"SET ROWCOUNT 1":                                              {Number: 50001, LineNo: 1},
		"EXEC xp_cmdshell 'ls'":                                       {Number: 2812, LineNo: 1},
		"SELECT * FROM OPENROWSET('a', 'b', 'c')":                     {Number: 50001, LineNo: 1},
		"USE nowhere":                                                 {Number: 911, LineNo: 1},
		"SELECT 1 COMMIT":                                             {Number: 3902, LineNo: 1},
		"SELECT CAST('a' AS hierarchyid)":                             {Number: 50001, LineNo: 1},
	} {
		_, err := text(t.Context(), db, query)
		var got mssql.Error
		if !errors.As(err, &got) || got.Number != want.Number || got.LineNo != want.LineNo {
			t.Errorf("%s\n got %d, line %d: %v\nwant %d, line %d", query, got.Number, got.LineNo, err, want.Number, want.LineNo)
		}
	}
}

func TestLogin(t *testing.T) {
	s := sqlserver.Start(t, sqlserver.WithLogin("elsewhere", sqlserver.Account{Password: "x", Databases: []string{"other"}}), sqlserver.WithDatabase("other"))
	for url, want := range map[string]int32{
		s.URLOf(sqlserver.Reader, "wrong"):                          18456,
		s.URLOf("nobody", "x"):                                      18456,
		s.URLOf("elsewhere", "x"):                                   4060,
		strings.Replace(s.URL(), "database=shop", "database=no", 1): 4060,
	} {
		_, err := connect(t, url).Conn(t.Context())
		var refused mssql.Error
		if !errors.As(err, &refused) || refused.Number != want {
			t.Errorf("%s: %v, want %d", url, err, want)
		}
	}
	if err := connect(t, s.URL()+"&applicationintent=ReadOnly&app+name=loam").Ping(); err != nil {
		t.Fatal(err)
	}
	logins := s.Logins()
	if last := logins[len(logins)-1]; !last.ReadOnly || last.Application != "loam" {
		t.Errorf("the login was %+v", last)
	}
	if _, err := text(t.Context(), connect(t, s.URLOf("elsewhere", "x")), "SELECT 1"); err == nil {
		t.Error("a login entered a database that is not its own")
	}
}

// TestCancel: attention ends the statement in DuckDB, and the session goes on.
func TestCancel(t *testing.T) {
	_, db := started(t)
	db.SetMaxOpenConns(1)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if got, err := text(ctx, db, "SELECT COUNT_BIG(*) FROM sys.all_columns a, sys.all_columns b, sys.all_columns c, sys.all_columns d WHERE a.name <> b.name + c.name + d.name"); err == nil {
		t.Error("it ended by itself:", got)
	}
	if got, err := text(t.Context(), db, "SELECT 1"); err != nil || got != "1" {
		t.Error(got, err)
	}
}

func TestTransactions(t *testing.T) {
	s, _ := started(t)
	db := connect(t, s.URLOf(sqlserver.Admin, sqlserver.AdminPassword))
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("DELETE FROM sales.orders"); err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if got, err := text(t.Context(), db, "SELECT COUNT(*) FROM sales.orders"); err != nil || got != "2" {
		t.Error(got, err)
	}
}

func TestPlanted(t *testing.T) {
	s, db := started(t)
	s.PlantError("customers", tds.Error{Number: 1205, Class: 13, Message: "Transaction was deadlocked."})
	var refused mssql.Error
	if _, err := text(t.Context(), db, "SELECT id FROM customers"); !errors.As(err, &refused) || refused.Number != 1205 {
		t.Error(err)
	}
	if got, err := text(t.Context(), db, "SELECT COUNT(*) FROM customers"); err != nil || got != "3" {
		t.Error(got, err)
	}
}

// TestKill: a killed session ends in its statement, one that is cut off without a word.
func TestKill(t *testing.T) {
	s, _ := started(t)
	admin := connect(t, s.URLOf(sqlserver.Admin, sqlserver.AdminPassword))
	const slow = "SELECT COUNT_BIG(*) FROM sys.all_columns a, sys.all_columns b, sys.all_columns c, sys.all_columns d WHERE a.name <> b.name + c.name + d.name"
	for name, end := range map[string]func(int64) error{
		"kill": func(id int64) error {
			_, err := admin.ExecContext(t.Context(), fmt.Sprintf("KILL %d", id))
			return err
		},
		"disconnect": func(int64) error {
			s.Disconnect(sqlserver.Reader)
			return nil
		},
	} {
		conn := session(t, connect(t, s.URL()))
		// A session that ended may still be running for a moment: only one's own is ended.
		own, err := text(t.Context(), conn, "SELECT @@SPID")
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			_, err := text(t.Context(), conn, slow)
			ended <- err
		}()
		var id int64
		for id == 0 {
			select {
			case err := <-ended:
				t.Fatalf("%s: the statement ended by itself: %v", name, err)
			case <-time.After(5 * time.Millisecond):
			}
			for _, one := range s.Running() {
				if one.Text == slow && fmt.Sprint(one.Session) == own {
					id = one.Session
				}
			}
		}
		if err := end(id); err != nil {
			t.Fatal(err)
		}
		err = <-ended
		var told mssql.Error
		if killed := errors.As(err, &told) && told.Number == 596; err == nil || killed != (name == "kill") {
			t.Errorf("%s: the statement ended with %v", name, err)
		}
		if _, err := text(t.Context(), conn, "SELECT 1"); err == nil {
			t.Errorf("%s: the session goes on", name)
		}
	}
	var refused mssql.Error
	if _, err := connect(t, s.URL()).ExecContext(t.Context(), "KILL 51"); !errors.As(err, &refused) || refused.Number != 6102 {
		t.Error("a reader killed:", err)
	}
}
