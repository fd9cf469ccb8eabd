package conform_test

import (
	"context"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
)

// What the kit calls wide, and the default limit of a cell.
const (
	wideResult = 500
	largeCell  = 1 << 20
)

// toyDialect is SQLite's, which runs the toy's SELECT, with statements of the
// toy's own.
func toyDialect() dialect.Dialect {
	d := sqlite.Dialects()[0]
	d.Name, d.Namespace, d.DefaultSchema = "toy", nil, ""
	for _, t := range sdk.Types() {
		if d.Types[t.String()] == "" {
			d.Types[t.String()] = "TEXT"
		}
	}
	for _, word := range []string{"ROWS", "TEXT", "CASE", "SLOW", "SETTINGS", "PARAM"} {
		d.Guard.Statements = append(d.Guard.Statements, dialect.Statement{Words: []string{"SHOW", word}, Kind: dialect.StatementShow})
	}
	return d
}

// spoil puts a wrong template into the dialect.
func (e *toy) spoil(d *dialect.Dialect) {
	switch e.flaw {
	case wrongTrunc:
		d.Forms[dialect.Trunc(dialect.Week)] = "date({x}, '-6 days', 'weekday 0')"
	case wrongAdd:
		d.Forms[dialect.Add(dialect.Month)] = "date({x}, (30 * {n}) || ' days')"
	case wrongSpine:
		d.Forms[dialect.Spine(dialect.Year)] = "SELECT date({from}) AS period UNION SELECT date({to})"
	case wrongOrder:
		d.Forms[dialect.AscNullsLast] = "{x} ASC"
	case wrongType:
		d.Forms[dialect.CastTo("float64")] = "CAST({x} AS TEXT)"
	case wrongDivision:
		d.Forms[dialect.SafeDivide] = "({a} / NULLIF({b}, 0))"
	case wrongSearch:
		d.Forms[dialect.Contains] = "({x} LIKE '%' || {p} || '%')"
	case wrongLike:
		d.Forms[dialect.Like] = `({x} LIKE {p} ESCAPE '\')`
	case wrongSum:
		d.Forms[dialect.Sum] = "SUM({x} * 1.0)"
	case wrongEqual:
		d.Forms[dialect.NullSafeEqual] = "(lower({a}) IS lower({b}))"
	case wrongNull:
		d.Functions["upper"] = "upper(coalesce({1}, ''))"
	case wrongRange:
		d.Functions["exp"] = "exp({1})"
	case wrongFunction:
		d.Functions["weekday"] = "CAST(strftime('%w', {1}) AS INTEGER)"
	case brokenForm:
		d.Forms[dialect.EpochSeconds] = "datetime({x} 'unixepoch')"
	case refusedForm:
		d.Forms[dialect.Now] = "load_extension('clock')"
	}
}

// target returns a Target that the toy satisfies when it has no flaw.
func (e *toy) target(t *testing.T) conform.Target {
	t.Helper()
	engine := startEngine(t)
	t.Cleanup(func() { close(e.release) }) // before the engine waits for its statements
	cases, err := conform.LoadCases(fstest.MapFS(toyFiles()))
	if err != nil {
		t.Fatal(err)
	}
	wide := conform.Case{Name: "wide", SQL: "SHOW CASE wide", Rows: [][]any{nil}}
	for i := range wideResult {
		wide.Columns = append(wide.Columns, conform.Column{Name: fmt.Sprintf("c%d", i), Type: "int64"})
		wide.Rows[0] = append(wide.Rows[0], i)
	}
	writer := toyConfigAt(engine.address(), true)
	unreachable := toyConfigAt(nowhere(t), false)
	reread := func(context.Context) (string, error) { return fmt.Sprint(e.people), nil }
	return conform.Target{
		Connector:   e.connector(),
		Server:      "fixture: a toy",
		Address:     engine.address(),
		Through:     func(address string) sdk.Config { return toyConfigAt(address, false) },
		Config:      toyConfigAt(engine.address(), false),
		Unreachable: &unreachable,
		Writer:      &writer,
		Fixture: conform.Fixture{
			Tables:     toyTables(),
			Reread:     reread,
			Running:    func(context.Context) (bool, error) { return engine.running.Load() > 0, nil },
			End:        engine.end,
			Disconnect: engine.disconnect,
		},
		Cases: append(cases, wide,
			conform.Case{Name: "parameter", SQL: "SHOW PARAM", Params: []sdk.Value{"p"}, Columns: []conform.Column{{Name: "p", Type: "text"}}, Rows: [][]any{{"p"}}},
			conform.Case{Name: "syntax", SQL: "no statement", Error: &conform.Failure{Kind: sdk.KindSyntax, Code: "T001", Line: 1, Column: 1}},
			conform.Case{Name: "missing", SQL: "MISSING table", Error: &conform.Failure{Kind: sdk.KindNotFound}},
			conform.Case{Name: "denied", SQL: "DENIED", Error: &conform.Failure{Kind: sdk.KindDenied}},
		),
		RowsSQL:    func(n int) string { return fmt.Sprintf("SHOW ROWS %d", n) },
		TextSQL:    func(n int) string { return fmt.Sprintf("SHOW TEXT %d", n) },
		SlowSQL:    "SHOW SLOW",
		SessionSQL: "SHOW SETTINGS",
		Attacks: []conform.Attack{
			{Name: "insert", SQL: "INSERT Mallory", Guard: true},
			{Name: "setting", SQL: "SHOW KEEP read write", Guard: true},
			{Name: "looks_like_one", SQL: "SHOW TEXT 6 INSERT", Harmless: true},
		},
		Reach: &conform.Reach{
			Statements: toyHidden(), Reread: reread, Tables: []sdk.TableRef{{Name: "people"}},
		},
	}
}

// toyHidden are views of the toy that hide a write.
func toyHidden() []conform.Hidden {
	statements := []conform.Hidden{{Name: "people", SQL: "VIEW people", Harmless: true}}
	for _, what := range corpus.Behind() {
		statements = append(statements, conform.Hidden{Name: "spent_" + what, SQL: "VIEW " + what, Behind: what, Path: []string{"view " + what, "INSERT"}})
	}
	return statements
}

// toyFiles are the case files of the toy.
func toyFiles() map[string]*fstest.MapFile {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	return map[string]*fstest.MapFile{
		"scalars.sql": file("SHOW CASE scalars\n"),
		"scalars.json": file(`{
			"columns": [
				{"name": "b", "type": "bool"}, {"name": "i", "type": "int64", "native": "INT64"}, {"name": "f", "type": "float64"},
				{"name": "t", "type": "text"}, {"name": "raw", "type": "bytes"}, {"name": "d", "type": "decimal"},
				{"name": "u", "type": "uuid"}, {"name": "iv", "type": "interval"}, {"name": "g", "type": "geo_wkt"}
			],
			"rows": [
				[true, "9223372036854775807", "NaN", "", {"$hex": "00ff"}, "12345678901234567890.50", "6f1c-…", "1 day", "POINT(1 2)"],
				[false, -1, "Infinity", "naïve 🙂", {"$hex": ""}, -1, null, null, null],
				[null, null, "-Infinity", {"$hex": "62726f6b656e20ff"}, null, null, null, null, null],
				[null, null, 0.1, {"$repeat": "x", "$times": 1048576}, null, null, null, null, null]
			]}`),
		"times.sql": file("SHOW CASE times"),
		"times.json": file(`{
			"columns": [{"name": "d", "type": "date"}, {"name": "t", "type": "time"}, {"name": "ts", "type": "timestamp"}, {"name": "tz", "type": "timestamp_tz"}],
			"rows": [
				["2024-02-29", "12:30:00.000001", "2024-02-29T12:30:00.000001", "2024-02-29T12:30:00.000001Z"],
				["infinity", null, "-infinity", "infinity"],
				["-0043-03-15", null, "+12024-01-01T00:00:00", "1969-12-31T23:59:59.999999Z"]
			]}`),
		"json.sql": file("SHOW CASE json"),
		"json.json": file(`{
			"columns": [{"name": "j", "type": "json"}, {"name": "n", "type": "nested_json"}],
			"rows": [[{"$json": null}, null], [{"a": null, "b": [1, 2.50]}, [1, 2]]], "any_order": true}`),
		"names.sql": file("SHOW CASE names"),
		"names.json": file(`{
			"columns": [{"name": "a", "type": "int64"}, {"name": "a", "type": "text"}, {"name": "", "type": "text"}],
			"rows": [[1, "x", "y"]]}`),
		"no_rows.sql":     file("SHOW CASE no_rows"),
		"no_rows.json":    file(`{"columns": [{"name": "a", "type": "int64"}], "rows": []}`),
		"no_columns.sql":  file("SHOW CASE no_columns"),
		"no_columns.json": file(`{"columns": [], "rows": [[], []]}`),
	}
}
