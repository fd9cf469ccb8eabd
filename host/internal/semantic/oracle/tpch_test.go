package oracle_test

import (
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

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/oracle"
	"github.com/loam-data/loam/host/internal/semantic/oracle/tpch"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
)

var scale = flag.Float64("tpch.scale", 0.002, "scale factor of the tables of TPC-H")

// benchmark is tpch/testdata/tpch.yaml.
type benchmark struct {
	Model   struct{ Sources []yaml.Node }
	Queries []benchmarkQuery
	Not     map[string]string `yaml:"not_expressible"`
}

type benchmarkQuery struct {
	ID, Parameter, Compare, SQL, Note string
	Tests, Needs                      []string
	Semantic                          map[string]any
}

var tpchTypes = map[string]sdk.Type{
	"bigint": sdk.TypeInt64, "integer": sdk.TypeInt64, "decimal": sdk.TypeDecimal, "varchar": sdk.TypeText, "date": sdk.TypeDate,
}

func loadBenchmark(t testing.TB) *benchmark {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("tpch", "testdata", "tpch.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var b benchmark
	if err := yaml.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	return &b
}

// world is the benchmark's model over its tables, as a scan of an engine finds them. Where the
// engine has keys, the tables have those that the standard allows, and no column is NULL.
func (b *benchmark) world(t testing.TB, db *engine, tables []tpch.Table) *oracle.Case {
	t.Helper()
	c := &oracle.Case{Data: oracle.Data{}}
	keys := map[string][]string{}
	for _, table := range tables {
		scanned := &model.Table{Ref: sdk.TableRef{Name: table.Name}}
		for _, column := range table.Columns {
			kind, _, _ := strings.Cut(column.Type, "(")
			scanned.Columns = append(scanned.Columns, model.Column{Name: column.Name, Type: tpchTypes[kind], NotNull: db.keys})
		}
		if db.keys {
			scanned.PrimaryKey, keys[table.Name] = table.Key, table.Key
			for _, r := range table.Refers {
				scanned.ForeignKeys = append(scanned.ForeignKeys, model.ForeignKey{
					Columns: r.Columns, To: sdk.TableRef{Name: r.To}, ToColumns: keys[r.To], Enforced: db.enforces,
				})
			}
		}
		c.Tables = append(c.Tables, scanned)
		c.Data[table.Name] = &oracle.Table{Rows: table.Rows}
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
		c.Files = append(c.Files, oracle.File{Path: source.Name + ".yaml", Text: string(text)})
	}
	return c
}

// rewrites are what engines have otherwise than the SQL of the benchmark: not all
// have year(), and one keeps but four digits of a quotient of decimals.
var rewrites = map[string]struct {
	from *regexp.Regexp
	to   string
}{
	"sqlite":          {regexp.MustCompile(`\byear\((\w+)\)`), "CAST(substr($1, 1, 4) AS INTEGER)"},
	"postgres":        {regexp.MustCompile(`\byear\((\w+)\)`), "EXTRACT(YEAR FROM $1)"},
	"clickhouse-26.7": {regexp.MustCompile(`else 0 end\)/sum`), "else 0 end)/1e0/sum"},
}

// benchmarkIndexes make the joins of the standard SQL bearable, beside the indexes of keys.
var benchmarkIndexes = []string{
	"CREATE INDEX i1 ON lineitem (l_orderkey)", "CREATE INDEX i2 ON lineitem (l_partkey, l_suppkey)", "CREATE INDEX i4 ON orders (o_custkey)",
}

// Every query of the benchmark that is expressible is compiled, and has the rows
// of the standard SQL, on every engine.
func TestBenchmark(t *testing.T) {
	t.Parallel()
	b := loadBenchmark(t)
	tables := tpch.Generate(*scale, *seed)
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sqliteAlone(t, name, "the benchmark")
			db := engines[name](t)
			db.declares = db.keys
			world := b.world(t, db, tables)
			m := world.Model(db.dialect)
			for _, p := range problemsOf(m) {
				t.Fatalf("problem: %s", p)
			}
			db.table = strings.Replace(db.table, "ENGINE = MEMORY", "ENGINE = InnoDB", 1) // which holds more
			if err := db.load(t.Context(), world); err != nil {
				t.Fatal(err)
			}
			if db.keys {
				if err := db.exec(t.Context(), benchmarkIndexes...); err != nil {
					t.Fatal(err)
				}
			}
			equal := 0
			for _, q := range b.Queries {
				if fault := q.differs(t, m, db); fault != "" {
					t.Errorf("%s: %s", q.ID, fault)
					continue
				}
				equal++
			}
			t.Logf("%d of 22 equal the standard SQL at scale %v, seed %d", equal, *scale, *seed)
		})
	}
}

// differs says how the rows of a query differ from those of the standard SQL.
func (q *benchmarkQuery) differs(t *testing.T, m *model.Model, db *engine) string {
	t.Helper()
	raw, standard := q.forms(t, db)
	want, err := db.ask(t.Context(), standard)
	if err != nil {
		t.Fatalf("%s: %v\n%s", q.ID, err, standard)
	}
	if len(want) == 0 || len(want) == 1 && slices.Contains(want[0], any(nil)) {
		return "it has no rows at this scale"
	}
	r, _, err := request.Normalise(json.RawMessage(raw))
	if err != nil {
		return "refused when it is read: " + refusalLine(err)
	}
	compiled, err := compile.Compile(m, db.dialect, r, compile.Options{})
	if err != nil {
		return "refused: " + refusalLine(err)
	}
	got, err := db.ask(t.Context(), compiled.SQL)
	if err != nil {
		return err.Error() + "\n" + compiled.SQL
	}
	if strings.Contains(q.Compare, "year") {
		years(got)
	}
	if detail := benchmarkDifference(want, got, sortedBy(r)); detail != "" {
		return detail + "\n" + compiled.SQL
	}
	return ""
}

// forms are the request of a query and its standard SQL for an engine.
func (q *benchmarkQuery) forms(t *testing.T, db *engine) (raw, standard string) {
	t.Helper()
	asked, err := json.Marshal(q.Semantic)
	if err != nil {
		t.Fatal(err)
	}
	raw, standard = string(asked), q.SQL
	if strings.HasPrefix(q.Parameter, "fraction = 0.0001 / scale") {
		fraction := strconv.FormatFloat(0.0001 / *scale, 'f', -1, 64)
		raw, standard = strings.ReplaceAll(raw, "0.0001", fraction), strings.ReplaceAll(standard, "0.0001", fraction)
	}
	if r, ok := rewrites[db.name]; ok {
		standard = r.from.ReplaceAllString(standard, r.to)
	}
	return raw, standard
}

// refusalLine is one line of an error, with its code.
func refusalLine(err error) string {
	if e, ok := errors.AsType[*refusal.Error](err); ok {
		return string(e.Code) + ": " + e.Message
	}
	return err.Error()
}

var newYear = regexp.MustCompile(`^\d{4}-01-01`)

// years takes the year of dates.
func years(all [][]any) {
	for _, row := range all {
		for i, v := range row {
			if s, ok := v.(string); ok && newYear.MatchString(s) {
				y, err := strconv.Atoi(s[:4])
				if err != nil {
					panic(err) // four digits
				}
				row[i] = float64(y)
			}
		}
	}
}

// sortedBy are the places of the columns that a request sorts by.
func sortedBy(r request.Request) (all []int) {
	for _, o := range r.OrderBy {
		at := slices.IndexFunc(r.Dimensions, func(d request.Dimension) bool { return o.Field == d.Field || o.Field == d.Name })
		if at < 0 {
			at = len(r.Dimensions) + slices.IndexFunc(r.Measures, func(m request.Measure) bool { return o.Field == m.Name })
		}
		all = append(all, at)
	}
	return all
}

// benchmarkDifference says how rows differ, "" = not at all. Those with equal keys
// may change places.
func benchmarkDifference(want, got [][]any, keys []int) string {
	if len(want) != len(got) {
		return fmt.Sprintf("%d rows, not %d", len(got), len(want))
	}
	used := make([]bool, len(want))
	for i, row := range got {
		for _, k := range keys {
			if !near(want[i][k], row[k]) {
				return fmt.Sprintf("row %d is %v, not %v", i+1, row, want[i])
			}
		}
		at := 0
		for at < len(want) && (used[at] || !slices.EqualFunc(want[at], row, near)) {
			at++
		}
		if at == len(want) {
			return fmt.Sprintf("row %d is not expected: %v; there may be %v", i+1, row, want[i])
		}
		used[at] = true
	}
	return ""
}

// near compares values. The standard SQL divides decimals, of which an engine may
// keep no more than six digits behind the point; a fault would show before those.
func near(want, got any) bool {
	x, isNumber := want.(float64)
	y, too := got.(float64)
	if isNumber && too {
		return math.Abs(x-y) <= max(1e-6, 1e-9*max(math.Abs(x), math.Abs(y)))
	}
	return want == got
}
