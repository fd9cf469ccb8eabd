package expression_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

var update = flag.Bool("update", false, "write the golden files anew")

// engine returns the newest dialect of an engine, as recorded beside sdk/dialect.
func engine(t testing.TB, name string) *dialect.Dialect {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "sdk", "dialect", "testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []dialect.Dialect
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return &all[0]
}

var engines = []string{"sqlite", "postgres", "mysql", "duckdb", "clickhouse", "sqlserver", "snowflake", "bigquery"}

// columns are the columns of the tests, by name.
var columns = map[string]sdk.Type{
	"id": sdk.TypeInt64, "qty": sdk.TypeInt64, "price": sdk.TypeDecimal, "rate": sdk.TypeFloat64, "name": sdk.TypeText, "status": sdk.TypeText,
	"day": sdk.TypeDate, "at": sdk.TypeTimestamp, "instant": sdk.TypeTimestampTZ, "paid": sdk.TypeBool, "key": sdk.TypeUUID,
	"doc": sdk.TypeJSON, "anything": sdk.TypeUnspecified,
}

func resolve(n *expression.Name) (sdk.Type, error) {
	t, ok := columns[n.Parts[len(n.Parts)-1]]
	if !ok {
		return 0, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no %s", n)
	}
	return t, nil
}

func printer(d *dialect.Dialect) *expression.Printer {
	return &expression.Printer{Dialect: d, Name: func(n *expression.Name) (string, error) {
		var parts []string
		for _, p := range n.Parts {
			parts = append(parts, d.QuoteIdentifier(p))
		}
		return strings.Join(parts, "."), nil
	}}
}

func checked(t testing.TB, text string) expression.Node {
	t.Helper()
	n, err := expression.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if n, err = expression.Check(n, resolve); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return n
}

// One set of expressions as every dialect writes it: testdata/expressions.txt has
// them, one a line, testdata/<dialect>.golden what becomes of them.
func TestGolden(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("testdata/expressions.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := printer(engine(t, name))
			var b bytes.Buffer
			for line := range strings.Lines(string(source)) {
				text := strings.TrimSpace(line)
				if text == "" || strings.HasPrefix(text, "#") {
					fmt.Fprintln(&b, text)
					continue
				}
				n := checked(t, text)
				write := p.Value
				if n.Type() == sdk.TypeBool {
					write = p.Predicate
				}
				sql, err := write(n)
				if err != nil {
					sql = "! " + string(sdk.KindOf(err)) + ": " + err.Error()
				}
				fmt.Fprintf(&b, "%s\n    %s\n", text, sql)
			}
			golden(t, filepath.Join("testdata", name+".golden"), b.Bytes())
		})
	}
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// Every golden file belongs to an engine.
func TestGoldenFilesAreUsed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.golden")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(engines) {
		t.Errorf("there are %d golden files for %d engines: %v", len(files), len(engines), files)
	}
}
