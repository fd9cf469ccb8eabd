package clickhouse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk/reach"
)

// Where a table or a call can stand, and what strings name.
func TestNames(t *testing.T) {
	t.Parallel()
	d := &Dialects()[0]
	for sql, want := range map[string]string{
		"SELECT a, b FROM t":                                "db.t",
		"SELECT a, b FROM x.t AS c, u":                      "x.t db.u",
		"SELECT f(a, b) FROM t WHERE a = b GROUP BY a, b":   "db.f() db.t",
		"SELECT 1 WHERE x IN t":                             "db.t",
		"SELECT 1 WHERE (x, y) GLOBAL IN `x`.`t`":           "x.t",
		"FROM t SELECT a, b":                                "db.t",
		"SELECT * FROM (SELECT a, b FROM t), u":             "db.t db.u",
		"SELECT * FROM a AS where, b":                       "db.a db.b",
		"WITH x AS (SELECT a, b FROM t) SELECT c, d FROM x": "db.t db.x",
		"SELECT dictGet('d', 'a', k) FROM t":                "db.dictGet() db.d db.t",
		"SELECT dictGetString('x.d', 'a', k)":               "db.dictGetString() x.d",
		"SELECT dictHas(d, k), dictHas(x.d, k)":             "db.dictHas() db.d db.dictHas() x.d",
		"SELECT dictGet(concat('d', ''), 'a', k)":           "db.dictGet() db.EXPR db.concat()",
		`SELECT dictGet('\x64', 'a', k)`:                    "db.dictGet() db.EXPR",
		"SELECT dictGet(d, 'a', k), dictHas(d, k) FROM d":   "db.dictGet() db.d db.dictHas() db.d db.d",
		"WITH 'd' AS d SELECT dictGet(d, 'a', k)":           "db.dictGet() db.EXPR",
		"(d, x) -> dictGet(d, 'a', x)":                      "db.dictGet() db.EXPR",
		"SELECT a IN ((t)), in(a, (x.t)), b IN (1, c)":      "db.t x.t db.c",
		"WITH t AS a, x.u AS b SELECT 1 IN a, 1 IN (b)":     "db.t x.u db.a db.b",
		"SELECT * APPLY f, * APPLY(g) FROM t":               "db.f() db.APPLY() db.g() db.t",
		"SELECT arrayMap(f, a), concat(url, a)":             "db.arrayMap() db.f() db.concat()",
		"SELECT * FROM loop(t), loop(x, u), loop('x.v')":    "db.loop() db.t db.loop() db.x db.u x.u db.loop() x.v",
		"SELECT * FROM merge('^a')":                         "db.merge() db.PATTERN ^a",
		"SELECT * FROM merge('x', '^a')":                    "db.merge() x.PATTERN ^a",
		"SELECT * FROM merge(x, '^a')":                      "db.merge() x.PATTERN ^a",
		"SELECT * FROM merge(REGEXP('x'), '^a')":            "db.merge() db.EXPR db.REGEXP()",
		"SELECT 'FROM t' AS s, \"FROM\" FROM t -- FROM u":   "db.t",
		"SELECT * FROM a LEFT JOIN b ON a.x = b.x, c":       "db.a db.b db.c",
		"SELECT * FROM v(p = 'x')":                          "db.v()",
	} {
		tokens, err := d.Tokens(sql, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		newExplorer(d, "db", nil).Names(sql, tokens, "db", false, func(m reach.Mention) {
			name := strings.NewReplacer(byExpression, "EXPR", byPattern, "PATTERN ").Replace(m.Name)
			if m.Called {
				name += "()"
			}
			got = append(got, fmt.Sprintf("%s.%s", m.Schema, name))
		})
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sql, diff)
		}
	}
}

// Reading a table computes the expressions of some columns.
func TestComputedColumns(t *testing.T) {
	t.Parallel()
	s := &Session{}
	s.Dialect = &Dialects()[0]
	for definition, want := range map[string]string{
		"CREATE TABLE x.t (`a` Int8, `b` String ALIAS dictGet('d', 'a', f(a, 1)), `c` Int8 MATERIALIZED a + 1) ENGINE = Log": "dictGet('d', 'a', f(a, 1)),\na + 1,\n",
		"CREATE MATERIALIZED VIEW default.v_local (`a` Int8) ENGINE = Log AS SELECT 1 AS a":                                  "",
		"CREATE TABLE x.t (`ALIAS` Int8, `b` Int8 DEFAULT 1) ENGINE = Log":                                                   "1,\n",
		"CREATE TABLE x.t (`a` Decimal(9, 2) ALIAS b)":                                                                       "b,\n",
		"CREATE TABLE x.t (`a` Int8 ALIAS":                                                                                   "",
	} {
		if got := s.read("x", definition).computed(); got != want {
			t.Errorf("%s: %q, want %q", definition, got, want)
		}
	}
}

// The arguments of an engine name tables; a table without them may read any.
func TestTablesBehindEngines(t *testing.T) {
	t.Parallel()
	s := &Session{}
	s.Dialect = &Dialects()[0]
	for definition, want := range map[string]string{
		"Merge: CREATE TABLE x.t (`a` Int8) ENGINE = Merge('y', '^a')":           "y." + byPattern + "^a",
		"Merge: CREATE TABLE x.t (`a` Int8) ENGINE = Merge(REGEXP('y'), '^a')":   byExpression,
		"Merge: CREATE TABLE x.t (`a` Int8) AS merge('y', '^a')":                 byExpression,
		"Distributed: CREATE TABLE x.t (`a` Int8) ENGINE = Distributed(c, y, u)": "y.u",
		"Distributed: CREATE TABLE x.t (`a` Int8) AS remote('h', 'y', 'u')":      byExpression,
		"Buffer: CREATE TABLE x.t (`a` Int8) ENGINE = Buffer(y, u, 1, 2)":        "y.u",
		"Alias: CREATE TABLE x.t ENGINE = Alias(u)":                              "x.u",
		"Log: CREATE TABLE x.t (`a` Int8) ENGINE = Log":                          "",
	} {
		engine, definition, _ := strings.Cut(definition, ": ")
		var got []string
		for _, ref := range s.read("x", definition).behind(engine) {
			got = append(got, strings.TrimPrefix(ref.Schema+"."+ref.Name, "."))
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", definition, diff)
		}
	}
}
