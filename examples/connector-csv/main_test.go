package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

var files = map[string]string{
	"accounts.csv": "id,name,balance,update,delete,into,set,call\n1,Ada,120,yes,0,a,7,1\n2,Grace,80,no,1,b,8,2\n3,Edsger,0,,0,c,9,3\n",
	"ledger.csv":   "id,account_id,amount,note\n1,1,120,deposit; insert into ledger\n2,2,100,deposit\n3,2,-20,drop table fee\n",
	"drop.csv":     "id,for\n1,update\n",
	"kinds.csv": "\uFEFFwhole,part,zip,large,empty,\"a \"\"name\"\"\"\n1,0.5,01234,123456789012345678,,naïve\n" +
		"-2,3,99999,1,,\"two\nlines, one \"\"cell\"\"\"\n,,,,,\n",
	"empty.csv":   "",
	"header.csv":  "a,b\n",
	"ignored.txt": "x",
}

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func request(t *testing.T, dir string) sdk.OpenRequest {
	t.Helper()
	text, err := json.Marshal(map[string]string{"folder": dir})
	if err != nil {
		t.Fatal(err)
	}
	return sdk.OpenRequest{ConnectionID: "test", Config: sdk.Config{JSON: text}}
}

// fingerprint covers the files and their folder.
func fingerprint(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var all strings.Builder
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&all, "%s %x\n", entry.Name(), sha256.Sum256(text))
	}
	return all.String(), nil
}

func table(name string, columns ...string) sdk.Table {
	t := sdk.Table{TableRef: sdk.TableRef{Schema: "main", Name: name}, Kind: sdk.TableBase}
	for i := 0; i < len(columns); i += 2 {
		kind := map[string]sdk.Type{"INTEGER": sdk.TypeInt64, "REAL": sdk.TypeFloat64, "TEXT": sdk.TypeText}[columns[i+1]]
		t.Columns = append(t.Columns, sdk.Column{Name: columns[i], Type: kind, NativeType: columns[i+1], Nullable: true})
	}
	return t
}

func TestConformance(t *testing.T) {
	dir, stray := folder(t, files), t.TempDir()
	cases, err := conform.LoadCases(os.DirFS("testdata"))
	if err != nil {
		t.Fatal(err)
	}
	target := conform.Target{
		Connector: connector(),
		Binary:    binary(t),
		Server:    "embedded SQLite",
		Config:    request(t, dir).Config,
		Fixture: conform.Fixture{
			Tables: []sdk.Table{
				table("accounts", "id", "INTEGER", "name", "TEXT", "balance", "INTEGER", "update", "TEXT", "delete", "INTEGER", "into", "TEXT", "set", "INTEGER", "call", "INTEGER"),
				table("drop", "id", "INTEGER", "for", "TEXT"),
				table("header", "a", "INTEGER", "b", "INTEGER"),
				table("kinds", "whole", "INTEGER", "part", "REAL", "zip", "TEXT", "large", "TEXT", "empty", "INTEGER", `a "name"`, "TEXT"),
				table("ledger", "id", "INTEGER", "account_id", "INTEGER", "amount", "INTEGER", "note", "TEXT"),
			},
			Reread: func(context.Context) (string, error) {
				inside, err := fingerprint(dir)
				if err != nil {
					return "", err
				}
				outside, err := fingerprint(stray)
				return inside + outside, err
			},
		},
		Cases: append(cases, conform.Case{
			Name: "parameters", SQL: "SELECT name FROM accounts WHERE id = ?", Params: []sdk.Value{int64(2)},
			Columns: []conform.Column{{Name: "name", Type: "text"}}, Rows: [][]any{{"Grace"}},
		}),
		RowsSQL: func(n int) string {
			return fmt.Sprintf("WITH RECURSIVE n (i) AS (SELECT 1 WHERE %[1]d > 0 UNION ALL SELECT i + 1 FROM n WHERE i < %[1]d) SELECT i FROM n", n)
		},
		TextSQL:    func(n int) string { return fmt.Sprintf("SELECT printf('%%.*c', %d, 'x')", n) },
		SlowSQL:    "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
		SessionSQL: "SELECT 'accounts', id, balance FROM accounts UNION ALL SELECT 'ledger', id, amount FROM ledger UNION ALL SELECT name, NULL, NULL FROM sqlite_schema",
		Attacks:    attacks(stray),
		Skips:      skips,
		SkipsBy: map[conform.Class]map[string]string{conform.ByDriver: {
			"errors/covers_syntax":    "the driver does not tell where an error is",
			"errors/covers_not_found": "the driver does not tell a missing table from a syntax error",
		}},
	}
	conform.Run(t, target)
}

// attacks are the corpus of SQLite, without the harmless statements about what a
// folder of CSV files does not have, and without the pragmas: this connector's
// authorizer allows none but that of its scan.
func attacks(stray string) (all []conform.Attack) {
	for _, c := range corpus.For(&dialects[0]) {
		absent := func(thing string) bool { return c.Harmless && strings.Contains(strings.ToLower(c.SQL), thing) }
		if absent("notes") || absent("docs") || absent("big_accounts") || absent("areas") || absent("pragma ") || absent("foreign_key_list") {
			continue
		}
		all = append(all, conform.Attack{Name: c.Name, SQL: c.Statement(filepath.Join(stray, "stolen"), ""), Harmless: c.Harmless})
	}
	return all
}

var skips = map[string]string{
	"open/wrong_secret":          "files have no password",
	"reach":                      "a folder of files has no views and no functions",
	"open/unreachable":           "a folder is there or not",
	"config/offline":             "there is no server that could be asked",
	"cancel/engine":              "the database is in the connector's own memory: nobody else can look",
	"concurrent":                 "the database is one connection: one call at a time",
	"errors/covers_denied":       "nothing is denied to anybody",
	"plan/explain_errors":        "plans are not declared",
	"types/covers_nan":           "SQLite turns NaN into NULL",
	"types/covers_exact_decimal": "SQLite has no decimals",
	"types/covers_infinite_time": "SQLite has no infinite dates",
	"types/covers_early_time":    "dates are text",
	"types/covers_zero_columns":  "SQLite has no SELECT without columns",
	"types/covers_wide":          "shown by plugins/sqlite, which has the same engine",
	"types/type_bool":            "CSV has no booleans",
	"types/type_decimal":         "SQLite has no decimals",
	"types/type_date":            "dates are text",
	"types/type_time":            "times are text",
	"types/type_timestamp":       "timestamps are text",
	"types/type_timestamp_tz":    "timestamps are text",
	"types/type_json":            "JSON is text",
	"types/type_nested_json":     "JSON is text",
	"types/type_uuid":            "UUIDs are text",
}

// binary builds the program with its manifest beside it.
func binary(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("LOAM_CSV_BINARY"); path != "" { // of an earlier contract
		return path
	}
	path := filepath.Join(t.TempDir(), "loam-connector-csv")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	manifest, err := exec.CommandContext(t.Context(), path, "manifest").Output()
	if err != nil {
		t.Fatalf("manifest: %v", err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "connector.json"), manifest, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  sdk.Kind
	}{
		{"no files", nil, sdk.KindNotFound},
		{"rows of different lengths", map[string]string{"a.csv": "x,y\n1\n"}, sdk.KindInvalid},
		{"a name twice", map[string]string{"a.csv": "x,X\n1,2\n"}, sdk.KindInvalid},
		{"not UTF-8", map[string]string{"a.csv": "x\n\xff\n"}, sdk.KindInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := connector().Open(t.Context(), request(t, folder(t, tt.files)))
			if sdk.KindOf(err) != tt.want {
				t.Errorf("got %v", err)
			}
		})
	}
	if _, err := connector().Open(t.Context(), request(t, filepath.Join(t.TempDir(), "missing"))); sdk.KindOf(err) != sdk.KindNotFound {
		t.Errorf("a missing folder: %v", err)
	}
}

// dialect.json is the dialect of the engine inside, as this repository records it for
// its own connector. With LOAM_UPDATE=1 the test writes it anew.
func TestDialectIsTheEnginesOwn(t *testing.T) {
	recorded, err := os.ReadFile("../../sdk/dialect/testdata/sqlite.json")
	if err != nil {
		t.Fatal(err)
	}
	want := sqlkit.Dialects(recorded)
	want[0].Product = ""
	if os.Getenv("LOAM_UPDATE") == "1" {
		if err := os.WriteFile("dialect.json", written(t, want[0]), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, dialects); diff != "" {
		t.Errorf("run LOAM_UPDATE=1 go test -run Dialect (-want +got):\n%s", diff)
	}
	if err := dialect.ValidateAll(dialects); err != nil {
		t.Error(err)
	}
}

// written returns a dialect as JSON without what is empty.
func written(t *testing.T, d dialect.Dialect) []byte {
	t.Helper()
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	text, err = json.MarshalIndent(prune(tree), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

func prune(v any) any {
	switch v := v.(type) {
	case map[string]any:
		maps.DeleteFunc(v, func(_ string, inner any) bool { return inner == nil || inner == "" || inner == false })
		for key, inner := range v {
			v[key] = prune(inner)
		}
	case []any:
		for i := range v {
			v[i] = prune(v[i])
		}
	}
	return v
}

// A connector for a database/sql driver is under 100 lines of Go, comments and
// blank lines apart.
func TestSize(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			lines++
		}
	}
	if lines >= 100 {
		t.Errorf("main.go has %d lines", lines)
	}
}
