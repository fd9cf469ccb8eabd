package e2e

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
)

// engine is a warehouse that the sample databases are copied to.
type engine struct {
	// quote encloses names, types are those of the kinds of columns.
	quote string
	types map[kind]string
	// nullable is the type of a column that may be NULL, "%s" = as it is.
	nullable string
	// options stand after the columns of a table; keyless engines declare no keys.
	options string
	keyless bool
	// backslash: a backslash in a literal is written twice.
	backslash bool
	// create makes a warehouse and returns its project, and what a scan includes.
	create func(t testing.TB, statements []string) (dir, include string)
}

type kind string

const (
	integer   kind = "integer"
	decimal   kind = "decimal"
	float     kind = "float"
	timestamp kind = "timestamp"
	text      kind = "text"
)

func kindOf(declared string) kind {
	for prefix, k := range map[string]kind{"INT": integer, "NUMERIC": decimal, "REAL": float, "DATETIME": timestamp} {
		if strings.HasPrefix(declared, prefix) {
			return k
		}
	}
	return text
}

// engines are those that need no C compiler: DuckDB has a file of its own.
var engines = map[string]engine{
	"sqlite": {
		quote: `"`, nullable: "%s",
		types: map[kind]string{integer: "INTEGER", decimal: "DECIMAL(12,4)", float: "REAL", timestamp: "TIMESTAMP", text: "TEXT"},
		create: func(t testing.TB, statements []string) (string, string) {
			return sqliteProject(t, strings.Join(statements, ";\n")), "main.*"
		},
	},
	"postgres": {
		quote: `"`, nullable: "%s",
		types: map[kind]string{integer: "INTEGER", decimal: "NUMERIC(12,4)", float: "DOUBLE PRECISION", timestamp: "TIMESTAMP", text: "TEXT"},
		create: func(t testing.TB, statements []string) (string, string) {
			db := testserver.Postgres(t).Database(t, strings.Join(statements, ";\n"))
			return warehouse(t, db, testserver.PostgresReader), "public.*"
		},
	},
	"mariadb": {
		quote: "`", nullable: "%s NULL", backslash: true,
		types: map[kind]string{integer: "INTEGER", decimal: "DECIMAL(12,4)", float: "DOUBLE", timestamp: "DATETIME", text: "VARCHAR(200)"},
		create: func(t testing.TB, statements []string) (string, string) {
			db := testserver.MariaDB(t).Database(t, strings.Join(statements, ";\n"))
			return mariaDB(t, db, testserver.MariaDBReader), db.Name + ".*"
		},
	},
	"clickhouse": {
		quote: `"`, nullable: "Nullable(%s)", options: " ENGINE = MergeTree ORDER BY tuple()", keyless: true, backslash: true,
		types: map[kind]string{integer: "Int32", decimal: "Decimal(12, 4)", float: "Float64", timestamp: "DateTime('UTC')", text: "String"},
		create: func(t testing.TB, statements []string) (string, string) {
			server := testserver.ClickHouse(t).Database(t, statements...)
			db := &clickHouse{settings: fmt.Sprintf("host: %s, port: %d, protocol: http, database: %s, sslmode: disable", server.Host, server.Port, server.Name)}
			return db.project(t, testserver.ClickHouseReader), server.Name + ".*"
		},
	},
}

// sampleTable is a table of a sample database, with its rows as literals.
type sampleTable struct {
	name    string
	columns []sampleColumn
	keys    []string
	refers  []reference
	rows    [][]any
}

type sampleColumn struct {
	name     string
	kind     kind
	nullable bool
}

type reference struct{ from, table, to string }

// leftOut are columns whose times are too old or whose texts are too long for
// some engine.
var leftOut = []string{"BirthDate", "HireDate", "Notes"}

// openSample makes a sample database on SQLite: what other engines get a copy of
// and what the expected rows are computed on.
func openSample(t testing.TB, name string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1) // one database in memory per connection
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.ExecContext(t.Context(), sampleScript(t, name+"-sqlite")); err != nil {
		t.Fatal(err)
	}
	return db
}

// selectRows returns the rows of a statement, each cell as database/sql has it.
func selectRows(t testing.TB, db *sql.DB, statement string, args ...any) (all [][]any) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), statement, args...)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		row, into := make([]any, len(names)), make([]any, len(names))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return all
}

// sampleTables reads a sample database, each table after those it refers to.
func sampleTables(t testing.TB, db *sql.DB) (all []sampleTable) {
	t.Helper()
	done := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		if done[name] {
			return
		}
		done[name] = true
		one := readTable(t, db, name)
		for _, r := range one.refers {
			add(r.table)
		}
		all = append(all, one)
	}
	for _, row := range selectRows(t, db, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name") {
		add(row[0].(string))
	}
	return all
}

func readTable(t testing.TB, db *sql.DB, name string) sampleTable {
	t.Helper()
	one := sampleTable{name: name}
	var selected []string
	for _, row := range selectRows(t, db, "SELECT name, type, \"notnull\" + pk, pk FROM pragma_table_info(?)", name) {
		column, declared := row[0].(string), row[1].(string)
		if declared == "BLOB" || slices.Contains(leftOut, column) {
			continue
		}
		one.columns = append(one.columns, sampleColumn{column, kindOf(declared), row[2].(int64) == 0})
		shown := `"` + column + `"`
		if kindOf(declared) == timestamp {
			shown = "strftime('%Y-%m-%d %H:%M:%S', " + shown + ")"
		}
		selected = append(selected, shown)
		if row[3].(int64) > 0 {
			one.keys = append(one.keys, column)
		}
	}
	for _, row := range selectRows(t, db, `SELECT "from", "table", "to" FROM pragma_foreign_key_list(?)`, name) {
		if r := (reference{row[0].(string), row[1].(string), row[2].(string)}); r.table != name {
			one.refers = append(one.refers, r)
		}
	}
	one.rows = selectRows(t, db, "SELECT "+strings.Join(selected, ", ")+` FROM "`+name+`"`)
	return one
}

// statements returns what makes the tables on an engine.
func (e engine) statements(tables []sampleTable) (all []string) {
	name := func(names ...string) string { return e.quote + strings.Join(names, e.quote+", "+e.quote) + e.quote }
	for _, table := range tables {
		var parts []string
		for _, c := range table.columns {
			declared := e.types[c.kind] + " NOT NULL"
			switch {
			case c.nullable:
				declared = fmt.Sprintf(e.nullable, e.types[c.kind])
			case e.keyless:
				declared = e.types[c.kind]
			}
			parts = append(parts, name(c.name)+" "+declared)
		}
		if !e.keyless {
			parts = append(parts, "PRIMARY KEY ("+name(table.keys...)+")")
			for _, r := range table.refers {
				parts = append(parts, "FOREIGN KEY ("+name(r.from)+") REFERENCES "+name(r.table)+" ("+name(r.to)+")")
			}
		}
		all = append(all, "CREATE TABLE "+name(table.name)+" ("+strings.Join(parts, ", ")+")"+e.options)
		for rows := range slices.Chunk(table.rows, 500) {
			var values []string
			for _, row := range rows {
				values = append(values, e.values(row))
			}
			all = append(all, "INSERT INTO "+name(table.name)+" VALUES "+strings.Join(values, ", "))
		}
	}
	return all
}

func (e engine) values(row []any) string {
	cells := make([]string, len(row))
	for i, cell := range row {
		switch v := cell.(type) {
		case nil:
			cells[i] = "NULL"
		case string:
			if e.backslash {
				v = strings.ReplaceAll(v, `\`, `\\`)
			}
			cells[i] = "'" + strings.ReplaceAll(v, "'", "''") + "'"
		default:
			cells[i] = fmt.Sprint(v)
		}
	}
	return "(" + strings.Join(cells, ", ") + ")"
}
