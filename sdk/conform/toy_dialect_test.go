package conform

import (
	"context"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

func toyDialect() dialect.Dialect {
	identifier := dialect.Quote{Open: `"`, Close: `"`, Doubled: true}
	text := dialect.Quote{Open: `'`, Close: `'`, Doubled: true}
	d := dialect.Dialect{
		Name: "toy", Folding: dialect.FoldLower, Identifier: identifier, String: text,
		Lexis: dialect.Lexis{Strings: []dialect.Quote{text}, Identifiers: []dialect.Quote{identifier}},
		Limit: dialect.LimitOffset, Parameter: dialect.ParameterQuestion,
		NullsAscending: dialect.NullsLast, NullsDescending: dialect.NullsFirst,
		Boolean: dialect.BooleanNative, IntegerDivision: dialect.DivisionTruncates,
		Types: map[string]string{}, Forms: map[dialect.Form]string{
			dialect.Cast: "CAST({x} AS {type})", dialect.True: "TRUE", dialect.False: "FALSE", dialect.Now: "NOW()",
		},
	}
	for _, t := range sdk.Types() {
		d.Types[t.String()] = t.String()
	}
	for _, word := range []string{"ROWS", "TEXT", "CASE", "SLOW", "SETTINGS", "PARAM", "SELECT"} {
		d.Guard.Statements = append(d.Guard.Statements, dialect.Statement{Words: []string{word}, Kind: dialect.StatementQuery})
	}
	binary := []dialect.Form{dialect.SafeDivide, dialect.NullSafeEqual}
	patterns := []dialect.Form{dialect.Contains, dialect.StartsWith, dialect.EndsWith, dialect.ILike, dialect.Like}
	for _, form := range dialect.Required() {
		if d.Forms[form] == "" {
			d.Forms[form] = "F({x})"
		}
	}
	for _, form := range binary {
		d.Forms[form] = "F({a}, {b})"
	}
	for _, form := range patterns {
		d.Forms[form] = "F({x}, {p})"
	}
	for _, g := range dialect.Grains() {
		d.Forms[dialect.Add(g)] = "F({x}, {n})"
	}
	return d
}

// target returns a Target that the toy satisfies when it has no flaw.
func (e *toy) target(t *testing.T) Target {
	t.Helper()
	engine := startEngine(t)
	t.Cleanup(func() { close(e.release) }) // before the engine waits for its statements
	cases, err := LoadCases(fstest.MapFS(toyFiles()))
	if err != nil {
		t.Fatal(err)
	}
	wide := Case{Name: "wide", SQL: "CASE wide", Rows: [][]any{nil}}
	for i := range wideResult {
		wide.Columns = append(wide.Columns, Column{Name: fmt.Sprintf("c%d", i), Type: "int64"})
		wide.Rows[0] = append(wide.Rows[0], i)
	}
	writer := toyConfigAt(engine.address(), true)
	unreachable := toyConfigAt(nowhere(t), false)
	return Target{
		Connector:   e.connector(),
		Server:      "embedded",
		Config:      toyConfigAt(engine.address(), false),
		Unreachable: &unreachable,
		Writer:      &writer,
		Fixture: Fixture{
			Tables:  toyTables(),
			Reread:  func(context.Context) (string, error) { return fmt.Sprint(e.people), nil },
			Running: func(context.Context) (bool, error) { return engine.running.Load() > 0, nil },
		},
		Cases: append(cases, wide,
			Case{Name: "parameter", SQL: "PARAM", Params: []sdk.Value{"p"}, Columns: []Column{{Name: "p", Type: "text"}}, Rows: [][]any{{"p"}}},
			Case{Name: "syntax", SQL: "no statement", Error: &Failure{Kind: sdk.KindSyntax, Code: "T001", Line: 1, Column: 1}},
			Case{Name: "missing", SQL: "MISSING table", Error: &Failure{Kind: sdk.KindNotFound}},
			Case{Name: "denied", SQL: "DENIED", Error: &Failure{Kind: sdk.KindDenied}},
		),
		RowsSQL:    func(n int) string { return fmt.Sprintf("ROWS %d", n) },
		TextSQL:    func(n int) string { return fmt.Sprintf("TEXT %d", n) },
		SlowSQL:    "SLOW",
		SessionSQL: "SETTINGS",
		Attacks: []Attack{
			{Name: "insert", SQL: "INSERT Mallory", Guard: true},
			{Name: "setting", SQL: "KEEP read write", Guard: true},
			{Name: "looks_like_one", SQL: "TEXT 6 INSERT", Harmless: true},
		},
	}
}

// toyFiles are the case files of the toy.
func toyFiles() map[string]*fstest.MapFile {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	return map[string]*fstest.MapFile{
		"scalars.sql": file("CASE scalars\n"),
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
		"times.sql": file("CASE times"),
		"times.json": file(`{
			"columns": [{"name": "d", "type": "date"}, {"name": "t", "type": "time"}, {"name": "ts", "type": "timestamp"}, {"name": "tz", "type": "timestamp_tz"}],
			"rows": [
				["2024-02-29", "12:30:00.000001", "2024-02-29T12:30:00.000001", "2024-02-29T12:30:00.000001Z"],
				["infinity", null, "-infinity", "infinity"],
				["-0043-03-15", null, "+12024-01-01T00:00:00", "1969-12-31T23:59:59.999999Z"]
			]}`),
		"json.sql": file("CASE json"),
		"json.json": file(`{
			"columns": [{"name": "j", "type": "json"}, {"name": "n", "type": "nested_json"}],
			"rows": [[{"$json": null}, null], [{"a": null, "b": [1, 2.50]}, [1, 2]]], "any_order": true}`),
		"names.sql": file("CASE names"),
		"names.json": file(`{
			"columns": [{"name": "a", "type": "int64"}, {"name": "a", "type": "text"}, {"name": "", "type": "text"}],
			"rows": [[1, "x", "y"]]}`),
		"no_rows.sql":     file("CASE no_rows"),
		"no_rows.json":    file(`{"columns": [{"name": "a", "type": "int64"}], "rows": []}`),
		"no_columns.sql":  file("CASE no_columns"),
		"no_columns.json": file(`{"columns": [], "rows": [[], []]}`),
	}
}
