package snowflake_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"database/sql"
	"errors"
	"fmt"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/snowflakedb/gosnowflake"

	"github.com/loam-data/loam/e2e/testserver/snowflake"
)

func TestMain(m *testing.M) {
	// The driver asks the clouds' metadata services where it runs, unless told not to.
	_ = os.Setenv("SNOWFLAKE_DISABLE_PLATFORM_DETECTION", "true")
	_ = os.Setenv("SF_DISABLE_MINICORE", "true")
	_ = gosnowflake.GetLogger().SetLogLevel("fatal")
	os.Exit(m.Run())
}

// config is the driver's configuration of a server.
func config(s *snowflake.Server, changes ...func(*gosnowflake.Config)) *gosnowflake.Config {
	c := &gosnowflake.Config{
		Account: snowflake.DefaultAccount, User: snowflake.DefaultUser, Password: snowflake.DefaultPassword,
		Host: s.Host, Port: s.Port, Protocol: "http", Database: snowflake.DefaultDatabase, Schema: snowflake.DefaultSchema, Warehouse: snowflake.DefaultWarehouse,
		Role: snowflake.Reader, LoginTimeout: 5 * time.Second, DisableTelemetry: true, MaxRetryCount: 1,
	}
	for _, change := range changes {
		change(c)
	}
	return c
}

func open(t *testing.T, c *gosnowflake.Config) *sql.DB {
	t.Helper()
	db := sql.OpenDB(gosnowflake.NewConnector(gosnowflake.SnowflakeDriver{}, *c))
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// admin lets a session change objects.
func admin(c *gosnowflake.Config) { c.Role = snowflake.Admin }

// number is the code of an error of the service; 0 = none.
func number(err error) int {
	if e, ok := errors.AsType[*gosnowflake.SnowflakeError](err); ok {
		return e.Number
	}
	return 0
}

// formats runs a test with results in JSON and in Arrow.
func formats(t *testing.T, test func(t *testing.T, option snowflake.Option)) {
	t.Run("json", func(t *testing.T) { test(t, func(*snowflake.Server) {}) })
	t.Run("arrow", func(t *testing.T) { test(t, snowflake.Arrow()) })
}

// read returns the rows of a query as texts. The driver hands on a BOOLEAN of JSON as
// "1" and a number of 19 digits or more as a big.Int that does not print itself.
func read(t *testing.T, db *sql.DB, query string, args ...any) [][]string {
	t.Helper()
	rows, err := db.QueryContext(gosnowflake.WithHigherPrecision(t.Context()), query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer func() { _ = rows.Close() }()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	types, err := rows.ColumnTypes()
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for rows.Next() {
		values, targets := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			t.Fatal(err)
		}
		row := make([]string, len(names))
		for i, v := range values {
			switch v := v.(type) {
			case nil:
				row[i] = "NULL"
			case time.Time:
				row[i] = v.Format("2006-01-02 15:04:05.999999999 -0700")
			case []byte:
				row[i] = fmt.Sprintf("%X", v)
			case big.Int:
				row[i] = v.String()
			case *big.Int:
				row[i] = v.String()
			case string:
				row[i] = v
				if types[i].DatabaseTypeName() == "BOOLEAN" {
					row[i] = fmt.Sprint(v == "1")
				}
			default:
				row[i] = fmt.Sprint(v)
			}
		}
		out = append(out, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestResultsHaveEveryTypeExactly(t *testing.T) {
	t.Parallel()
	formats(t, func(t *testing.T, format snowflake.Option) {
		t.Parallel()
		s := snowflake.Start(t, format)
		db := open(t, config(s))
		for _, test := range []struct{ sql, kind, want string }{
			{"SELECT 12345678901234567890123456789012345678::NUMBER(38,0)", "FIXED", "12345678901234567890123456789012345678"},
			{"SELECT 12::NUMBER(38,0)", "FIXED", "12"},
			{"SELECT -128::NUMBER(3,0)", "FIXED", "-128"},
			{"SELECT 1e0::FLOAT", "REAL", "1"},
			{"SELECT 0.1::DOUBLE", "REAL", "0.1"},
			{"SELECT 'a''b\\n\\'c'", "TEXT", "a'b\n'c"},
			{"SELECT $$a'b$$::VARCHAR(2)", "TEXT", "a'"},
			{"SELECT TRUE", "BOOLEAN", "true"},
			{"SELECT '2024-02-29'::DATE", "DATE", "2024-02-29 00:00:00 +0000"},
			{"SELECT '1969-12-31'::DATE", "DATE", "1969-12-31 00:00:00 +0000"},
			{"SELECT '10:20:30.123456789'::TIME", "TIME", "0001-01-01 10:20:30.123456789 +0000"},
			{"SELECT '2024-01-02 03:04:05.123456789'::TIMESTAMP_NTZ", "TIMESTAMP_NTZ", "2024-01-02 03:04:05.123456789 +0000"},
			{"SELECT '1969-12-31 23:59:59.999999999'::TIMESTAMP_NTZ(9)", "TIMESTAMP_NTZ", "1969-12-31 23:59:59.999999999 +0000"},
			{"SELECT '2024-01-02 03:04:05.123'::TIMESTAMP_NTZ(3)", "TIMESTAMP_NTZ", "2024-01-02 03:04:05.123 +0000"},
			{"SELECT '2024-01-02 03:04:05.123456789 +05:30'::TIMESTAMP_TZ", "TIMESTAMP_TZ", "2024-01-02 03:04:05.123456789 +0530"},
			{"SELECT '2024-01-02 03:04:05.123456789'::TIMESTAMP_LTZ", "TIMESTAMP_LTZ", "2024-01-02 03:04:05.123456789 -0800"},
			{"SELECT 'C0FFEE'::BINARY", "BINARY", "C0FFEE"},
			{`SELECT PARSE_JSON('{"a":12345678901234567890123}')`, "VARIANT", `{"a":12345678901234567890123}`},
			{"SELECT OBJECT_CONSTRUCT('a', 1)", "OBJECT", `{"a":1}`},
			{"SELECT ARRAY_CONSTRUCT(1, 'x')", "ARRAY", `[1,"x"]`},
			{"SELECT 'POINT(1 2)'::GEOGRAPHY", "OBJECT", "POINT(1 2)"},
		} {
			if strings.HasPrefix(test.sql, "SELECT '1969-12-31 23") && t.Name() == "TestResultsHaveEveryTypeExactly/json" {
				continue // the driver reads the fraction with the wrong sign
			}
			for sql, want := range map[string]string{test.sql: test.want, strings.Replace(test.sql, "SELECT ", "SELECT IFF(1 = 0, ", 1) + ", NULL)": "NULL"} {
				rows, err := db.QueryContext(t.Context(), sql)
				if err != nil {
					t.Errorf("%s: %v", sql, err)
					continue
				}
				types, err := rows.ColumnTypes()
				if err != nil || types[0].DatabaseTypeName() != test.kind {
					t.Errorf("%s has the type %s (%v), want %s", sql, types[0].DatabaseTypeName(), err, test.kind)
				}
				_ = rows.Close()
				if diff := cmp.Diff([][]string{{want}}, read(t, db, sql)); diff != "" {
					t.Errorf("%s (-want +got)\n%s", sql, diff)
				}
			}
		}
	})
}

func TestDecimalsHaveTheirScale(t *testing.T) {
	t.Parallel()
	formats(t, func(t *testing.T, format snowflake.Option) {
		t.Parallel()
		db := open(t, config(snowflake.Start(t, format)))
		rows, err := db.QueryContext(t.Context(), "SELECT 12.50::NUMBER(10,2), -0.05::NUMBER(10,2), 1234567890123456789012345678.0123456789::NUMBER(38,10)")
		if err != nil {
			t.Fatal(err)
		}
		types, err := rows.ColumnTypes()
		if err != nil {
			t.Fatal(err)
		}
		precision, scale, _ := types[2].DecimalSize()
		_ = rows.Close()
		if precision != 38 || scale != 10 {
			t.Errorf("NUMBER(38,10) is NUMBER(%d,%d)", precision, scale)
		}
	})
}

func TestRowsComeInlineAndInChunks(t *testing.T) {
	t.Parallel()
	formats(t, func(t *testing.T, format snowflake.Option) {
		t.Parallel()
		s := snowflake.Start(t, format, snowflake.ChunkRows(700))
		s.Exec(t, "CREATE TABLE NUMBERS AS SELECT i AS ID, 'v' || i AS NAME FROM range(2000) r(i)")
		rows := read(t, open(t, config(s)), "SELECT id, name FROM numbers ORDER BY id DESC")
		if len(rows) != 2000 || rows[0][0] != "1999" || rows[1999][1] != "v0" {
			t.Fatalf("%d rows, %v to %v", len(rows), rows[0], rows[len(rows)-1])
		}
		chunks := 0
		for _, r := range s.Requests() {
			if r.Kind == snowflake.KindChunk {
				chunks++
			}
		}
		if chunks != 2 {
			t.Errorf("%d chunks were fetched, want 2", chunks)
		}
	})
}

func TestDescribeRunsNothing(t *testing.T) {
	t.Parallel()
	s := snowflake.Start(t, snowflake.Arrow())
	s.Exec(t, "CREATE TABLE T (ID INTEGER, NAME VARCHAR)")
	db := open(t, config(s, admin))
	describing := gosnowflake.WithDescribeOnly(t.Context())
	for _, query := range []string{"SELECT id, name FROM t WHERE id = ?", "INSERT INTO t VALUES (1, 'x')", "DELETE FROM t", "CREATE TABLE u (id INT)", "SHOW TABLES"} {
		rows, err := db.QueryContext(describing, query)
		if query == "SHOW TABLES" {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		if rows.Next() {
			t.Errorf("%s returned a row", query)
		}
		_ = rows.Close()
	}
	if got := read(t, db, "SELECT count(*) FROM t"); got[0][0] != "0" {
		t.Errorf("the table has %s rows", got[0][0])
	}
	if _, err := db.QueryContext(t.Context(), "SELECT * FROM u"); number(err) != 2003 {
		t.Errorf("the table u: %v, want 002003", err)
	}
}

func TestSeveralStatementsAreCounted(t *testing.T) {
	t.Parallel()
	s := snowflake.Start(t)
	db := open(t, config(s))
	if _, err := db.QueryContext(t.Context(), "SELECT 1; SELECT 2"); number(err) != 8 {
		t.Errorf("two statements: %v, want 000008", err)
	}
	two, err := gosnowflake.WithMultiStatement(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := db.QueryContext(two, "SELECT 1 AS a; SELECT 'x' AS b")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var first int
	var second string
	if !rows.Next() || rows.Scan(&first) != nil || !rows.NextResultSet() || !rows.Next() || rows.Scan(&second) != nil || first != 1 || second != "x" {
		t.Errorf("the results are %d and %q", first, second)
	}
}

func TestBindingsArriveExactly(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 1, 2, 3, 4, 5, 123456789, time.UTC)
	got := read(t, open(t, config(snowflake.Start(t))), "SELECT ?, ?, ?, ?, ?, ?", int64(1)<<62, "it's", true, at, []byte{1}, nil)
	want := [][]string{{"4611686018427387904", "it's", "true", "2024-01-02 03:04:05.123456789 +0000", "[1]", "NULL"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the bindings (-want +got)\n%s", diff)
	}
}

func TestCancelEndsTheStatementInTheEngine(t *testing.T) {
	t.Parallel()
	s := snowflake.Start(t)
	db := open(t, config(s))
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := db.QueryContext(ctx, "SELECT count(*) FROM range(100000000000) a(x) WHERE x % 7 = hash(x)")
	if err == nil {
		t.Fatal("the statement ended by itself")
	}
	var aborted bool
	for _, r := range s.Requests() {
		aborted = aborted || r.Kind == snowflake.KindAbort
	}
	if !aborted {
		t.Error("the driver did not abort the statement")
	}
	history := s.Statements()
	if last := history[len(history)-1]; last.Status != "ABORTED" || last.Code != "000604" {
		t.Errorf("the statement ended as %s %s", last.Status, last.Code)
	}
}

func TestErrorsHaveTheServicesCodes(t *testing.T) {
	t.Parallel()
	s := snowflake.Start(t)
	s.Exec(t, "CREATE TABLE T (ID INTEGER)")
	db := open(t, config(s))
	for _, test := range []struct {
		sql    string
		number int
		text   string
	}{
		{"SELECT 1 FROM nope", 2003, "Object 'NOPE' does not exist or not authorized."},
		{"SELECT 1 FROM analytics.other.nope", 2003, "Object 'ANALYTICS.OTHER.NOPE' does not exist"},
		{"SELECT\n  x::FLOAT, nope FROM t", 904, "error line 2 at position 2\ninvalid identifier 'X'"},
		{"SELECT id::FLOAT, t.nope FROM t", 904, "error line 1 at position 18\ninvalid identifier 'T.NOPE'"},
		{"SELECT FROM WHERE", 1003, "syntax error line 1 at position 12 unexpected 'WHERE'."},
		{"PRAGMA version", 1003, "syntax error line 1 at position 0 unexpected 'PRAGMA'."},
		{"SELECT 'abc", 1003, "position 7"},
		{"", 900, "Empty SQL statement."},
		{"SELECT nope(1)", 2140, "Unknown function NOPE"},
		{"SELECT 1::NOPE", 2040, "Unsupported data type 'NOPE'"},
		{"SELECT seq4()", 2, "Unsupported feature"},
		{"DELETE FROM t", 3001, "Insufficient privileges"},
	} {
		_, err := db.QueryContext(t.Context(), test.sql)
		if number(err) != test.number || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v, want %06d %q", test.sql, err, test.number, test.text)
		}
	}
}

func TestLogins(t *testing.T) {
	t.Parallel()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	s := snowflake.Start(t, snowflake.Users(snowflake.User{
		Name: "LOAM", Password: "p", Key: &key.PublicKey, OAuth: "access", Access: "pat", Roles: []string{snowflake.Reader},
	}))
	by := func(auth gosnowflake.AuthType, change func(*gosnowflake.Config)) *gosnowflake.Config {
		return config(s, func(c *gosnowflake.Config) { c.Authenticator, c.Password = auth, "" }, change)
	}
	for name, test := range map[string]struct {
		config *gosnowflake.Config
		number int
	}{
		"password":       {by(gosnowflake.AuthTypeSnowflake, func(c *gosnowflake.Config) { c.Password = "p" }), 0},
		"wrong password": {by(gosnowflake.AuthTypeSnowflake, func(c *gosnowflake.Config) { c.Password = "q" }), 390100},
		"wrong user":     {by(gosnowflake.AuthTypeSnowflake, func(c *gosnowflake.Config) { c.User, c.Password = "x", "p" }), 390100},
		"key":            {by(gosnowflake.AuthTypeJwt, func(c *gosnowflake.Config) { c.PrivateKey = key }), 0},
		"wrong key":      {by(gosnowflake.AuthTypeJwt, func(c *gosnowflake.Config) { c.PrivateKey = other }), 390144},
		"expired key token": {by(gosnowflake.AuthTypeJwt, func(c *gosnowflake.Config) {
			c.PrivateKey, c.JWTExpireTimeout = key, -time.Minute
		}), 390144},
		"oauth":                 {by(gosnowflake.AuthTypeOAuth, func(c *gosnowflake.Config) { c.Token = "access" }), 0},
		"wrong oauth":           {by(gosnowflake.AuthTypeOAuth, func(c *gosnowflake.Config) { c.Token = "x" }), 390303},
		"expired oauth":         {by(gosnowflake.AuthTypeOAuth, func(c *gosnowflake.Config) { c.Token = snowflake.OAuthExpired }), 390318},
		"another's oauth":       {by(gosnowflake.AuthTypeOAuth, func(c *gosnowflake.Config) { c.User, c.Token = "x", "access" }), 390309},
		"programmatic token":    {by(gosnowflake.AuthTypePat, func(c *gosnowflake.Config) { c.Token = "pat" }), 0},
		"wrong token":           {by(gosnowflake.AuthTypePat, func(c *gosnowflake.Config) { c.Token = "x" }), 394400},
		"wrong role":            {by(gosnowflake.AuthTypeSnowflake, func(c *gosnowflake.Config) { c.Password, c.Role = "p", "NOPE" }), 390189},
		"wrong database":        {by(gosnowflake.AuthTypeSnowflake, func(c *gosnowflake.Config) { c.Password, c.Database = "p", "NOPE" }), 390201},
		"wrong schema":          {by(gosnowflake.AuthTypeSnowflake, func(c *gosnowflake.Config) { c.Password, c.Schema = "p", "NOPE" }), 390201},
		"wrong warehouse":       {by(gosnowflake.AuthTypeSnowflake, func(c *gosnowflake.Config) { c.Password, c.Warehouse = "p", "NOPE" }), 390201},
		"names in another case": {by(gosnowflake.AuthTypeSnowflake, func(c *gosnowflake.Config) { c.Password, c.Role, c.Database = "p", "reader", "analytics" }), 0},
	} {
		t.Run(name, func(t *testing.T) {
			err := open(t, test.config).PingContext(t.Context())
			if number(err) != test.number || (err == nil) != (test.number == 0) {
				t.Errorf("the login: %v, want %d", err, test.number)
			}
		})
	}
}
