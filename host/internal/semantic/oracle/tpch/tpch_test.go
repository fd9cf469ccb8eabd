package tpch_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
	_ "modernc.org/sqlite"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/oracle/tpch"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

var (
	scale = flag.Float64("tpch.scale", 0.01, "scale factor of the benchmark's tables")
	seed  = flag.Uint64("tpch.seed", 1, "seed of the benchmark's tables")
)

// benchmark is testdata/tpch.yaml.
type benchmark struct {
	Model   struct{ Sources []yaml.Node }
	Queries []query
	Not     map[string]string `yaml:"not_expressible"`
}

type query struct {
	ID, Parameter, Compare, SQL string
	Semantic                    map[string]any
}

var types = map[string]sdk.Type{
	"bigint": sdk.TypeInt64, "integer": sdk.TypeInt64, "decimal": sdk.TypeDecimal, "varchar": sdk.TypeText, "date": sdk.TypeDate,
}

func load(t testing.TB) *benchmark {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "tpch.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var b benchmark
	if err := yaml.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	return &b
}

// build makes the model of the benchmark over its tables, as a scan finds them.
func (b *benchmark) build(t testing.TB, d *dialect.Dialect, tables []tpch.Table) *model.Model {
	t.Helper()
	in := model.Input{Dialect: d}
	for _, table := range tables {
		scanned := &model.Table{Ref: sdk.TableRef{Name: table.Name}}
		for _, c := range table.Columns {
			kind, _, _ := strings.Cut(c.Type, "(")
			scanned.Columns = append(scanned.Columns, model.Column{Name: c.Name, Type: types[kind]})
		}
		in.Tables = append(in.Tables, scanned)
	}
	for _, n := range b.Model.Sources {
		var source struct{ Name string }
		text, err := yaml.Marshal(&n)
		if err == nil {
			err = yaml.Unmarshal(text, &source)
		}
		if err != nil {
			t.Fatal(err)
		}
		in.Files = append(in.Files, model.Parse(source.Name+".yaml", text))
	}
	m := model.Build(in)
	for _, p := range append(m.Problems(), m.Validate()...) {
		t.Errorf("problem: %s", p)
	}
	return m
}

// sqlite returns the dialect as recorded beside sdk/dialect.
func sqlite(t testing.TB) *dialect.Dialect {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "..", "sdk", "dialect", "testdata", "sqlite.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []dialect.Dialect
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return &all[0]
}

// fill makes a database of the benchmark's tables.
func fill(t testing.TB, tables []tpch.Table) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, table := range tables {
		if err := insert(t.Context(), db, table); err != nil {
			t.Fatalf("%s: %v", table.Name, err)
		}
	}
	if _, err := db.ExecContext(t.Context(), "CREATE INDEX lines ON lineitem (l_orderkey); CREATE INDEX parts ON lineitem (l_partkey); ANALYZE"); err != nil {
		t.Fatal(err)
	}
	return db
}

func insert(ctx context.Context, db *sql.DB, t tpch.Table) error {
	var columns, places []string
	for _, c := range t.Columns {
		columns, places = append(columns, c.Name+" "+c.Type), append(places, "?")
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, fmt.Sprintf("CREATE TABLE %s (%s)", t.Name, strings.Join(columns, ", ")))
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	statement, err := tx.PrepareContext(ctx, fmt.Sprintf("INSERT INTO %s VALUES (%s)", t.Name, strings.Join(places, ", ")))
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	for _, row := range t.Rows {
		if _, err := statement.ExecContext(ctx, row...); err != nil {
			return errors.Join(err, statement.Close(), tx.Rollback())
		}
	}
	return errors.Join(statement.Close(), tx.Commit())
}

// rewrites are what SQLite has otherwise than the SQL of the benchmark: it has no
// year(), and its dates are texts.
var rewrites = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`\byear\((\w+)\)`), "CAST(substr($1, 1, 4) AS INTEGER)"},
}

func rows(ctx context.Context, db *sql.DB, text string) (all [][]any, err error) {
	result, err := db.QueryContext(ctx, text)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, result.Close()) }()
	names, err := result.Columns()
	if err != nil {
		return nil, err
	}
	for result.Next() {
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := result.Scan(into...); err != nil {
			return nil, err
		}
		for i, v := range values {
			if n, ok := v.(int64); ok {
				values[i] = float64(n)
			}
		}
		all = append(all, values)
	}
	return all, result.Err()
}

// verdict is what came of a query of the benchmark.
type verdict struct {
	word   string // equal, refused, differs
	rows   int
	detail string
}

// Every query of the benchmark that is expressible is compiled, and has the rows
// of the standard SQL.
func TestBenchmark(t *testing.T) {
	t.Parallel()
	b, d := load(t), sqlite(t)
	tables := tpch.Generate(*scale, *seed)
	m, db := b.build(t, d, tables), fill(t, tables)
	table := map[int]string{}
	for id, why := range b.Not {
		table[number(t, id)] = "not expressible: " + why
	}
	equal := 0
	for _, q := range b.Queries {
		v := run(t, m, d, db, q)
		table[number(t, q.ID)] = strings.TrimSpace(fmt.Sprintf("%s, %d rows %s", v.word, v.rows, v.detail))
		if v.word != "equal" {
			t.Errorf("%s is %s: %s", q.ID, v.word, v.detail)
			continue
		}
		equal++
	}
	for n := 1; n <= 22; n++ {
		t.Logf("Q%-3d %s", n, table[n])
	}
	t.Logf("%d of 22 equal the standard SQL at scale %v, seed %d", equal, *scale, *seed)
}

func number(t testing.TB, id string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimPrefix(id, "Q"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func run(t *testing.T, m *model.Model, d *dialect.Dialect, db *sql.DB, q query) verdict {
	t.Helper()
	standard, err := json.Marshal(q.Semantic)
	if err != nil {
		t.Fatal(err)
	}
	request, text := string(standard), q.SQL
	if strings.HasPrefix(q.Parameter, "fraction = 0.0001 / scale") {
		fraction := strconv.FormatFloat(0.0001 / *scale, 'f', -1, 64)
		request, text = strings.ReplaceAll(request, "0.0001", fraction), strings.ReplaceAll(text, "0.0001", fraction)
	}
	for _, r := range rewrites {
		text = r.from.ReplaceAllString(text, r.to)
	}
	want, err := rows(t.Context(), db, text)
	if err != nil {
		t.Fatalf("%s: %v\n%s", q.ID, err, text)
	}
	if len(want) == 0 || len(want) == 1 && slices.Contains(want[0], any(nil)) {
		t.Errorf("%s has no rows at this scale", q.ID)
	}
	r, _, err := compile.Normalise(json.RawMessage(request))
	if err != nil {
		return verdict{"refused", len(want), "when it is read: " + message(err)}
	}
	compiled, err := compile.Compile(m, d, r, compile.Options{})
	if err != nil {
		return verdict{"refused", len(want), message(err)}
	}
	got, err := rows(t.Context(), db, compiled.SQL)
	if err != nil {
		return verdict{"differs", len(want), err.Error() + "\n" + compiled.SQL}
	}
	if strings.Contains(q.Compare, "year") {
		years(got)
	}
	if detail := difference(want, got, keys(r)); detail != "" {
		return verdict{"differs", len(want), detail + "\n" + compiled.SQL}
	}
	return verdict{"equal", len(want), ""}
}

// message is one line of an error, with its code.
func message(err error) string {
	code := ""
	if e, ok := errors.AsType[*compile.Error](err); ok {
		code = string(e.Code) + ": "
	}
	if e, ok := errors.AsType[*sdk.Error](err); ok && code == "" {
		code = fmt.Sprint(e.Kind) + ": "
	}
	return code + err.Error()
}

// years takes the year of dates.
func years(all [][]any) {
	for _, row := range all {
		for i, v := range row {
			if s, ok := v.(string); ok && regexp.MustCompile(`^\d{4}-01-01`).MatchString(s) {
				y, err := strconv.Atoi(s[:4])
				if err != nil {
					panic(err) // four digits
				}
				row[i] = float64(y)
			}
		}
	}
}

// keys are the places of the columns that a request sorts by.
func keys(r compile.Request) (all []int) {
	for _, o := range r.OrderBy {
		at := slices.IndexFunc(r.Dimensions, func(d compile.DimensionRef) bool { return o.Field == d.Field || o.Field == d.Name })
		if at < 0 {
			at = len(r.Dimensions) + slices.IndexFunc(r.Measures, func(m compile.MeasureRef) bool { return o.Field == m.Name })
		}
		all = append(all, at)
	}
	return all
}

// difference says how rows differ, "" = not at all. Those with equal keys may
// change places.
func difference(want, got [][]any, keys []int) string {
	if len(want) != len(got) {
		return fmt.Sprintf("%d rows, not %d", len(got), len(want))
	}
	used := make([]bool, len(want))
	for i, row := range got {
		for _, k := range keys {
			if !same(want[i][k], row[k]) {
				return fmt.Sprintf("row %d is %v, not %v", i+1, row, want[i])
			}
		}
		found := false
		for j := range want {
			if found = !used[j] && slices.EqualFunc(want[j], row, same); found {
				used[j] = true
				break
			}
		}
		if !found {
			return fmt.Sprintf("row %d is not expected: %v; there may be %v", i+1, row, want[i])
		}
	}
	return ""
}

func same(want, got any) bool {
	x, isNumber := want.(float64)
	y, too := got.(float64)
	if isNumber && too {
		return x == y || math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y))
	}
	return want == got
}

// The same scale and seed make the same rows, keys are unique, and references
// lead somewhere.
func TestGenerate(t *testing.T) {
	t.Parallel()
	keys := map[string][]string{
		"region": {"r_regionkey"}, "nation": {"n_nationkey"}, "supplier": {"s_suppkey"}, "customer": {"c_custkey"}, "part": {"p_partkey"},
		"partsupp": {"ps_partkey", "ps_suppkey"}, "orders": {"o_orderkey"}, "lineitem": {"l_orderkey", "l_linenumber"},
	}
	references := []struct {
		table, target string
		columns       []string
	}{
		{"nation", "region", []string{"n_regionkey"}},
		{"supplier", "nation", []string{"s_nationkey"}},
		{"customer", "nation", []string{"c_nationkey"}},
		{"orders", "customer", []string{"o_custkey"}},
		{"partsupp", "part", []string{"ps_partkey"}},
		{"partsupp", "supplier", []string{"ps_suppkey"}},
		{"lineitem", "orders", []string{"l_orderkey"}},
		{"lineitem", "partsupp", []string{"l_partkey", "l_suppkey"}},
	}
	tables, again := tpch.Generate(0.002, 3), tpch.Generate(0.002, 3)
	known := map[string]map[string]bool{}
	for i, table := range tables {
		if len(table.Rows) == 0 {
			t.Fatalf("%s is empty", table.Name)
		}
		known[table.Name] = map[string]bool{}
		for n, row := range table.Rows {
			key := values(table, row, keys[table.Name])
			if known[table.Name][key] {
				t.Errorf("%s has the key %s twice", table.Name, key)
			}
			known[table.Name][key] = true
			if fmt.Sprint(row) != fmt.Sprint(again[i].Rows[n]) {
				t.Fatalf("%s differs between two runs at row %d", table.Name, n)
			}
		}
	}
	for _, r := range references {
		table := tables[slices.IndexFunc(tables, func(t tpch.Table) bool { return t.Name == r.table })]
		for _, row := range table.Rows {
			if key := values(table, row, r.columns); !known[r.target][key] {
				t.Fatalf("%s refers to %s %s, which is not there", r.table, r.target, key)
			}
		}
	}
}

func values(t tpch.Table, row []any, columns []string) string {
	s := ""
	for _, name := range columns {
		at := slices.IndexFunc(t.Columns, func(c tpch.Column) bool { return c.Name == name })
		s += fmt.Sprint(row[at], " ")
	}
	return s
}
