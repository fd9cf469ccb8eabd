// Package engine_test binds the parameters of saved queries on every engine, and compares the rows with those that the
// values mean.
package engine_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/savedquery"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// engine is a database with the table bound, asked through its connector.
type engine struct {
	session sdk.Session
	dialect *dialect.Dialect
	// types are the engine's types of the columns; a column whose type is "" is left out.
	types map[string]string
	// literals writes values that the engine does not read as a text: of dates, for one.
	literal func(column, value string) string
	exec    func(t testing.TB, statements ...string)
	// suffix ends CREATE TABLE.
	suffix string
	// read is the table's name in queries; "" = bound.
	read string
	// opened opens the session, where that needs the table; nil = it is open.
	opened func() (sdk.Session, *dialect.Dialect)
	// floats: the column x is a float, which is compared by its digits of a float.
	floats bool
	// lacks are checks that the engine cannot make, with the reason.
	lacks map[string]string
}

// The rows of the table bound, in the order of columns; id is the number of the row.
var (
	columns = []string{"s", "n", "x", "b", "d", "ts", "tz", "u", "dt"}
	rows    = [][]string{
		{"it''s \"a\" %", "9", "1.5", "true", "2024-02-29", "2024-02-29 12:00:00", "2024-02-29 12:00:00", "123e4567-e89b-12d3-a456-426614174000", "2024-02-29"},
		{"10", "10", "-12.25", "false", "1999-12-31", "1999-12-31 23:59:59", "1999-12-31 23:59:59", "00000000-0000-0000-0000-000000000001", "1999-12-31"},
		{"naïve €", "9007199254740993", "100.125", "true", "2024-03-01", "2024-03-01 00:00:00", "2024-03-01 00:00:00", "00000000-0000-0000-0000-000000000002", "2024-03-01"},
	}
)

// create makes the table.
func (e *engine) create(t testing.TB) {
	t.Helper()
	var defined, names []string
	for _, c := range columns {
		if e.types[c] != "" {
			defined, names = append(defined, c+" "+e.types[c]), append(names, c)
		}
	}
	all := []string{"CREATE TABLE bound (id " + e.types["id"] + ", " + strings.Join(defined, ", ") + ")" + e.suffix}
	for i, row := range rows {
		values := []string{fmt.Sprint(i + 1)}
		for j, c := range columns {
			if e.types[c] == "" {
				continue
			}
			value := row[j]
			if c != "n" && c != "x" && c != "b" {
				value = "'" + value + "'"
			}
			if e.literal != nil {
				value = e.literal(c, value)
			}
			values = append(values, value)
		}
		all = append(all, "INSERT INTO bound (id, "+strings.Join(names, ", ")+") VALUES ("+strings.Join(values, ", ")+")")
	}
	e.exec(t, all...)
}

// tooFine is a decimal that is 1.5 as a float.
const tooFine = "1.50000000000000001"

// checks are conditions with one parameter, p, and the rows that they mean.
var checks = []struct {
	column, where string
	typ           savedquery.Type
	value         any
	want          []int
}{
	{"s", "s = {{p}}", savedquery.String, "it's \"a\" %", []int{1}},
	{"s", "s = {{p}}", savedquery.String, "10", []int{2}},
	{"s", "s LIKE {{p}}", savedquery.String, "na%", []int{3}},
	{"s", "s = {{p}}", savedquery.String, "' OR 1 = 1 --", nil},
	{"s", "s IN ({{p}})", savedquery.Strings, []any{"10", "naïve €", "x"}, []int{2, 3}},
	{"n", "n = {{p}}", savedquery.Integer, 9, []int{1}},
	{"n", "n > {{p}}", savedquery.Integer, 9, []int{2, 3}},
	{"n", "n = {{p}}", savedquery.Integer, json.Number("9007199254740993"), []int{3}},
	{"n", "n IN ({{p}})", savedquery.Integers, []any{9, 10}, []int{1, 2}},
	{"n", "n = {{p}} + 1", savedquery.Integer, 9, []int{2}},
	{"n", "{{p}} < {{p}} * n", savedquery.Integer, 1, []int{1, 2, 3}},
	{"x", "x = {{p}}", savedquery.Decimal, "1.5", []int{1}},
	{"x", "x = {{p}}", savedquery.Decimal, "100.125", []int{3}},
	{"x", "x < {{p}}", savedquery.Decimal, "9", []int{1, 2}},
	{"x", "x * 2 = {{p}}", savedquery.Decimal, "-24.5", []int{2}},
	{"x", "x = {{p}}", savedquery.Decimal, tooFine, nil},
	{"x", "x = {{p}}", savedquery.Integer, 1, nil},
	{"b", "b = {{p}}", savedquery.Boolean, true, []int{1, 3}},
	{"b", "b = {{p}}", savedquery.Boolean, false, []int{2}},
	{"d", "d = {{p}}", savedquery.Date, "2024-02-29", []int{1}},
	{"d", "d >= {{p}}", savedquery.Date, "2024-02-29", []int{1, 3}},
	{"d", "d = {{p}}", savedquery.Date, "2024-02-28", nil},
	{"ts", "ts >= {{p}}", savedquery.Date, "2024-03-01", []int{3}},
	{"ts", "ts < {{p}}", savedquery.Date, "2024-03-01", []int{1, 2}},
	{"ts", "ts = {{p}}", savedquery.Timestamp, "2024-02-29T12:00:00Z", []int{1}},
	{"ts", "ts <= {{p}}", savedquery.Timestamp, "2024-02-29T14:00:00+02:00", []int{1, 2}},
	{"ts", "ts < {{p}}", savedquery.Timestamp, "2024-02-29T12:00:00.5Z", []int{1, 2}},
	{"tz", "tz = {{p}}", savedquery.Timestamp, "2024-02-29T12:00:00Z", []int{1}},
	{"tz", "tz < {{p}}", savedquery.Timestamp, "2024-02-29T14:00:00+02:00", []int{2}},
	{"tz", "tz >= {{p}}", savedquery.Timestamp, "2024-03-01T00:00:00+00:00", []int{3}},
	{"u", "u = {{p}}", savedquery.UUID, "123E4567-E89B-12D3-A456-426614174000", []int{1}},
	{"u", "u <> {{p}}", savedquery.UUID, "123e4567-e89b-12d3-a456-426614174000", []int{2, 3}},
	{"dt", "dt = {{p}}", savedquery.String, "2024-02-29", []int{1}},
	{"dt", "dt >= {{p}}", savedquery.Date, "2024-02-29", []int{1, 3}},
	{"n", "n > 0 ORDER BY id LIMIT {{p}}", savedquery.Integer, 2, []int{1, 2}},
}

// prove runs the checks.
func (e *engine) prove(t *testing.T) {
	t.Helper()
	e.create(t)
	if e.opened != nil {
		e.session, e.dialect = e.opened()
	}
	made := 0
	for _, c := range checks {
		name := fmt.Sprintf("%s of %s %v", c.where, c.typ, c.value)
		if reason, ok := e.lacks[c.where+" "+string(c.typ)]; ok || e.types[c.column] == "" {
			t.Logf("%s: not made: %s", name, reason)
			continue
		}
		if e.floats && c.value == tooFine {
			continue
		}
		sql := "SELECT id FROM " + cmp.Or(e.read, "bound") + " WHERE " + c.where
		if !strings.Contains(sql, "ORDER BY") {
			sql += " ORDER BY id"
		}
		got, err := e.run(t.Context(), sql, savedquery.Parameter{Name: "p", Type: c.typ, Required: true}, c.value)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: rows %v, want %v (%v)", name, got, c.want, err)
		}
		made++
	}
	t.Logf("%d of %d checks", made, len(checks))
}

// run binds a value and returns the ids.
func (e *engine) run(ctx context.Context, sql string, p savedquery.Parameter, value any) ([]int, error) {
	q := &savedquery.Query{SQL: sql, Parameters: []savedquery.Parameter{p}}
	read, err := savedquery.Read(sql, e.dialect)
	if err != nil {
		return nil, err
	}
	b, err := q.Bind(read, e.dialect, map[string]any{"p": value})
	if err != nil {
		return nil, err
	}
	var out ids
	w := sdk.NewRowWriter(&out, sdk.Limits{})
	if err := e.session.Execute(ctx, sdk.ExecuteRequest{SQL: b.SQL, Params: b.Params}, w); err != nil {
		return nil, fmt.Errorf("%s: %w", b.SQL, err)
	}
	return out.list, w.Close()
}

// ids collects the numbers of the first column.
type ids struct {
	list    []int
	columns []sdk.Column
}

func (*ids) Started(string) error           { return nil }
func (*ids) Progress(sdk.Progress)          {}
func (*ids) Notice(sdk.Warning)             {}
func (i *ids) Columns(c []sdk.Column) error { i.columns = c; return nil }

func (i *ids) Batch(b *sdk.Batch) error {
	for row := range b.Rows {
		var id int
		if _, err := fmt.Sscan(string(b.Columns[0].AppendText(nil, i.columns[0].Type, row)), &id); err != nil {
			return err
		}
		i.list = append(i.list, id)
	}
	return nil
}

// open opens a session that ends with the test.
func open(t testing.TB, c *sdk.Connector, config map[string]any, secrets map[string]string) (sdk.Session, *dialect.Dialect) {
	t.Helper()
	raw, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	hidden := map[string]sdk.Secret{}
	for name, value := range secrets {
		hidden[name] = sdk.NewSecret(value)
	}
	session, err := c.Open(t.Context(), sdk.OpenRequest{ConnectionID: "test", Config: sdk.Config{JSON: raw, Secrets: hidden}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	server := session.Server()
	return session, server.DialectOf(c.Dialects)
}

func parameter(t savedquery.Type) savedquery.Parameter {
	return savedquery.Parameter{Name: "p", Type: t, Required: true}
}
