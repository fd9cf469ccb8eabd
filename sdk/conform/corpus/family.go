package corpus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// family is what an engine adds to the shared cases, by the name of its dialects.
type family struct {
	style style
	// setup follows the tables; reread is what must not change beside them.
	setup, reread func(*dialect.Dialect) []string
	cases         func(*dialect.Dialect) []Case
	// since is the version that a shared statement needs, by the case's name,
	// where the oldest server that the connector serves does not know it.
	since map[string]string
}

var families = map[string]family{
	"sqlite":    {style: standard, setup: of(sqliteSetup), reread: of(sqliteReread), cases: of(sqlite)},
	"postgres":  {style: standard, setup: of(postgresSetup), reread: of(postgresReread), cases: of(postgres)},
	"duckdb":    {style: standard, setup: of(duckdbSetup), reread: of(duckdbReread), cases: of(duckdb)},
	"mysql":     {style: standard, setup: mysqlSetup, reread: mysqlReread, cases: mysql},
	"snowflake": {style: standard, setup: of(snowflakeSetup), reread: of(snowflakeReread), cases: of(snowflake)},
	"bigquery":  {style: googleSQL, setup: of(noRules), reread: of(noRules), cases: of(bigquery)},
	"sqlserver": {
		style: standard, setup: of(sqlserverSetup), reread: of(sqlserverReread), cases: of(sqlserver), since: sqlserverSince,
	},
	"clickhouse": {
		style: columnar, setup: of(clickhouseSetup), reread: of(clickhouseReread), cases: of(clickhouse), since: clickhouseSince,
	},
}

// of ignores the dialect: most engines are alike in all their versions.
func of[T any](list func() []T) func(*dialect.Dialect) []T {
	return func(*dialect.Dialect) []T { return list() }
}

// style is how an engine writes the shared tables, in templates for fmt.
type style struct {
	// integer and text are types; text has a place for its length, if it has one.
	integer string
	text    func(length int) string
	// rules surround a column's type.
	rules map[rule]string
	// engine follows the columns, with a place for the key; keyless stands there
	// when a table has none.
	engine, keyless string
	// row is what follows INSERT INTO table, with a place for the values.
	row string
}

type rule string

const (
	nullable rule = "nullable"
	required rule = "required"
	key      rule = "key"
)

var (
	standard = style{
		integer: "INTEGER",
		text:    func(length int) string { return fmt.Sprintf("VARCHAR(%d)", length) },
		rules:   map[rule]string{nullable: "%s", required: "%s NOT NULL", key: "%s NOT NULL PRIMARY KEY"},
		row:     " VALUES (%s)",
	}
	googleSQL = style{
		integer: "INT64",
		text:    func(length int) string { return fmt.Sprintf("STRING(%d)", length) },
		rules:   map[rule]string{nullable: "%s", required: "%s NOT NULL", key: "%s NOT NULL"},
		row:     " VALUES (%s)",
	}
	// columnar: a column holds NULL only if it says so, a table needs an engine,
	// and over its native protocol the server takes no VALUES.
	columnar = style{
		integer: "Int32",
		text:    func(int) string { return "String" },
		rules:   map[rule]string{nullable: "Nullable(%s)", required: "%s", key: "%s"},
		engine:  " ENGINE = MergeTree ORDER BY %s",
		keyless: "tuple()",
		row:     " SELECT %s",
	}
)

// column has a length if it is text; all others are integers.
type column struct {
	name   string
	length int
	rule   rule
}

// fixture are the tables that every engine has: columns and a table whose names
// are keywords, and a few rows.
var fixture = []struct {
	name    string
	columns []column
	rows    []string
}{
	{"accounts", []column{
		{"id", 0, key},
		{"name", 40, required},
		{"balance", 0, required},
		{"update", 40, nullable},
		{"delete", 0, nullable},
		{"into", 40, nullable},
		{"set", 0, nullable},
		{"call", 0, nullable},
	}, []string{
		"1, 'Ada', 120, 'yes', 0, 'a', 7, 1",
		"2, 'Grace', 80, 'no', 1, 'b', 8, 2",
		"3, 'Edsger', 0, NULL, 0, 'c', 9, 3",
	}},
	{"ledger", []column{{"id", 0, key}, {"account_id", 0, required}, {"amount", 0, required}, {"note", 80, nullable}}, []string{
		"1, 1, 120, 'deposit; insert into ledger'",
		"2, 2, 100, 'deposit'",
		"3, 2, -20, 'drop table fee'",
	}},
	{"drop", []column{{"id", 0, nullable}, {"for", 40, nullable}}, []string{"1, 'update'"}},
}

// keywords are the names that must be quoted; the cases write all others bare,
// so that an engine which folds names must find them folded.
var keywords = []string{"update", "delete", "into", "set", "call", "drop", "for"}

// tables writes the fixture.
func (s style) tables(d *dialect.Dialect) []string {
	name := func(n string) string {
		if slices.Contains(keywords, n) {
			return d.QuoteIdentifier(n)
		}
		return n
	}
	var statements []string
	for _, t := range fixture {
		var columns []string
		sorted := s.keyless
		for _, c := range t.columns {
			native := s.integer
			if c.length > 0 {
				native = s.text(c.length)
			}
			columns = append(columns, name(c.name)+" "+fmt.Sprintf(s.rules[c.rule], native))
			if c.rule == key {
				sorted = name(c.name)
			}
		}
		create := "CREATE TABLE " + name(t.name) + " (" + strings.Join(columns, ", ") + ")"
		if s.engine != "" {
			create += fmt.Sprintf(s.engine, sorted)
		}
		statements = append(statements, create)
		for _, row := range t.rows {
			statements = append(statements, "INSERT INTO "+name(t.name)+fmt.Sprintf(s.row, row))
		}
	}
	return statements
}
