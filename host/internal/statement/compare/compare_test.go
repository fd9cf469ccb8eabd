package compare

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/statement"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
)

const (
	root = "../../../../"
	// leastSame is the share of the statements that must be read like the parser reads them; the others must not be
	// understood.
	leastSame = 0.97
	// leastStatements are how many statements both parsers must have read.
	leastStatements = 1000
)

var update = flag.Bool("update", false, "write the figures into the docs")

// group is statements of one dialect about one schema, and the parser that reads them too.
type group struct {
	name, dialect, parser string
	statements            []string
	tables                map[string][]string
}

// figures count how statements were read.
type figures struct {
	read, same, unread, different, refused int
	tables, joins, conditions, aggregates  int // of those read alike
}

func (f *figures) add(g figures) {
	f.read, f.same, f.unread, f.different, f.refused = f.read+g.read, f.same+g.same, f.unread+g.unread, f.different+g.different, f.refused+g.refused
	f.tables, f.joins, f.conditions, f.aggregates = f.tables+g.tables, f.joins+g.joins, f.conditions+g.conditions, f.aggregates+g.aggregates
}

// The reader says the same as the parsers of engines, or nothing.
func TestReaderAgreesWithParsers(t *testing.T) {
	dialects := recorded(t)
	var all figures
	for _, g := range groups(t, dialects) {
		parse := parsers[g.parser]
		if parse == nil {
			t.Logf("%s: left out: the parser of %s needs a C compiler", g.name, g.parser)
			continue
		}
		f := measure(t, &g, dialects[g.dialect], parse)
		t.Logf("%s: %d statements, %d alike, %d not understood, %d different; %d are not of the parser's dialect", g.name, f.read, f.same, f.unread, f.different, f.refused)
		all.add(f)
	}
	t.Logf("together: %d statements, %d alike (%.1f %%), %d not understood, %d different", all.read, all.same, 100*float64(all.same)/float64(all.read), all.unread, all.different)
	t.Logf("they have %d tables, %d pairs of joins, %d conditions and %d aggregates", all.tables, all.joins, all.conditions, all.aggregates)
	if parsers["postgres"] != nil {
		if all.read < leastStatements {
			t.Errorf("%d statements", all.read)
		}
		compareFigures(t, &all)
	}
	if float64(all.same) < leastSame*float64(all.read) {
		t.Errorf("%d of %d statements are read alike", all.same, all.read)
	}
}

// compareFigures compares the docs with what was measured, or writes them.
func compareFigures(t *testing.T, f *figures) {
	t.Helper()
	const path, start, end = root + "docs/findings.md", "in host/internal/statement/compare -->\n", "<!-- end of the reader's figures -->"
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(content), start)
	old, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for the figures", path)
	}
	want := fmt.Sprintf("| statements | alike | not understood | different | tables | joins | conditions | aggregates |\n|---|---|---|---|---|---|---|---|\n"+
		"| %d | %d (%.1f %%) | %d | %d | %d | %d | %d | %d |\n",
		f.read, f.same, 100*float64(f.same)/float64(f.read), f.unread, f.different, f.tables, f.joins, f.conditions, f.aggregates)
	switch {
	case old == want:
	case *update:
		if err := os.WriteFile(path, []byte(before+start+want+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s has other figures; run the test with -update. It has\n%swant\n%s", path, old, want)
	}
}

func measure(t *testing.T, g *group, d *dialect.Dialect, parse func(string) (*query, error)) (f figures) {
	t.Helper()
	s := newSchema(g.tables)
	reader := statement.New(d, s)
	for _, sql := range g.statements {
		tree, err := parse(sql)
		if err != nil || foreign.MatchString(sql) {
			f.refused++
			continue
		}
		f.read++
		read := reader.Read(sql)
		if !read.Understood() {
			f.unread++
			t.Logf("%s: not understood (%s): %s", g.name, reason(read), sql)
			continue
		}
		want := &finder{schema: g.tables}
		want.query(tree, nil, nil)
		if got := s.said(read); got.String() != want.String() {
			f.different++
			t.Errorf("%s: %s\ngot  %s\nwant %s", g.name, sql, got, want.String())
			continue
		}
		f.same++
		f.tables, f.joins, f.conditions, f.aggregates = f.tables+len(want.tables), f.joins+len(want.joins), f.conditions+len(want.conditions), f.aggregates+len(want.aggregates)
	}
	return f
}

// foreign are joins of other engines that PostgreSQL's parser reads as names of tables.
var foreign = regexp.MustCompile(`(?i)\b(semi|anti|asof|positional) join\b`)

func reason(s *statement.Statement) string {
	if s.Reason != "" {
		return s.Reason
	}
	for _, b := range s.Blocks {
		if b.Reason != "" {
			return b.Reason
		}
	}
	return ""
}

// recorded returns the dialects that connectors have recorded, the latest of each engine.
func recorded(t *testing.T) map[string]*dialect.Dialect {
	t.Helper()
	files, err := filepath.Glob(root + "sdk/dialect/testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	all := map[string]*dialect.Dialect{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var found []dialect.Dialect
		if err := json.Unmarshal(data, &found); err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = &found[len(found)-1]
	}
	return all
}

// groups returns the statements of the repository: those that analysts write in each dialect, those that the semantic
// layer compiles, those of TPC-H, and those of the tests of findings. Dialects without a parser here are read by
// PostgreSQL's, as far as it takes them.
func groups(t *testing.T, dialects map[string]*dialect.Dialect) (all []group) {
	t.Helper()
	seen := map[string]bool{} // by the dialects that PostgreSQL's parser reads
	for _, name := range []string{"postgres", "mysql", "duckdb", "sqlite", "clickhouse"} {
		d, parser := dialects[name], "postgres"
		if name == "mysql" {
			parser = "mysql"
		}
		statements := slices.DeleteFunc(corpus.Ordinary(d), func(sql string) bool {
			before := seen[parser+sql]
			seen[parser+sql] = true
			return before
		})
		all = append(all, group{"ordinary " + name, name, parser, statements, tablesOf(corpus.OrdinarySetup(d))})
	}
	for _, name := range []string{"postgres", "mysql"} {
		content, err := os.ReadFile("testdata/tricky.sql")
		if err != nil {
			t.Fatal(err)
		}
		statements := strings.Split(strings.TrimSuffix(strings.TrimSpace(string(content)), ";"), ";\n")
		all = append(all, group{"tricky " + name, name, name, statements, tablesOf(corpus.OrdinarySetup(dialects[name]))})
	}
	for _, folder := range []string{"compile/testdata/sql", "claim/testdata"} {
		files, err := filepath.Glob(root + "host/internal/semantic/" + folder + "/*.sql")
		if err != nil || len(files) == 0 {
			t.Fatal(err, len(files))
		}
		of := map[string][]string{}
		for _, file := range files {
			for name, sql := range golden(t, file) {
				of[name] = append(of[name], sql)
			}
		}
		for name, parser := range map[string]string{"postgres": "postgres", "duckdb": "postgres", "sqlite": "postgres", "snowflake": "postgres", "mysql": "mysql"} {
			all = append(all, group{folder + " " + name, name, parser, of[name], nil})
		}
	}
	benchmark := tpch(t)
	all = append(all, group{"TPC-H", "postgres", "postgres", benchmark, prefixed(benchmark)})
	for _, file := range []string{"right_test.go", "wrong_test.go"} {
		all = append(all, group{"findings " + file, "sqlite", "postgres", quoted(t, root+"host/internal/finding/"+file), nil})
	}
	return all
}

// golden returns the statements of a file with one for each dialect.
func golden(t *testing.T, file string) map[string]string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for part := range strings.SplitSeq("\n"+string(content), "\n-- ") {
		if name, sql, ok := strings.Cut(part, "\n"); ok && !strings.Contains(name, " ") {
			all[name] = strings.TrimSpace(sql)
		}
	}
	return all
}

// tpch returns the statements of the benchmark.
func tpch(t *testing.T) (all []string) {
	t.Helper()
	content, err := os.ReadFile(root + "host/internal/semantic/oracle/tpch/testdata/tpch.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var document any
	if err := yaml.Unmarshal(content, &document); err != nil {
		t.Fatal(err)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, one := range v {
				walk(one)
			}
		case []any:
			for _, one := range v {
				walk(one)
			}
		case string:
			if upper := strings.ToUpper(strings.TrimSpace(v)); strings.HasPrefix(upper, "SELECT") || strings.HasPrefix(upper, "WITH") {
				all = append(all, v)
			}
		}
	}
	walk(document)
	if len(all) == 0 {
		t.Fatal("TPC-H has no statements")
	}
	return all
}

// prefixed returns the benchmark's tables, whose columns begin with letters of their own.
func prefixed(statements []string) map[string][]string {
	tables := map[string]string{"l": "lineitem", "o": "orders", "c": "customer", "n": "nation", "r": "region", "s": "supplier", "p": "part", "ps": "partsupp"}
	all := map[string][]string{}
	for _, m := range regexp.MustCompile(`\b(ps|[locnrsp])_([a-z]+)\b`).FindAllStringSubmatch(strings.Join(statements, " "), -1) {
		if table := tables[m[1]]; !slices.Contains(all[table], m[0]) {
			all[table] = append(all[table], m[0])
		}
	}
	return all
}

// statements in Go: a line of a list, or a string.
var inGo = regexp.MustCompile("(?m)^((?:SELECT|WITH) .*)$|[\"`]((?:SELECT|WITH) .*)[\"`], \"[a-z_ ]+\", [\"`]")

// quoted returns the statements of a Go file.
func quoted(t *testing.T, file string) (all []string) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range inGo.FindAllStringSubmatch(string(content), -1) {
		all = append(all, m[1]+strings.ReplaceAll(m[2], `\"`, `"`))
	}
	if len(all) < 50 {
		t.Fatalf("%s has %d statements", file, len(all))
	}
	return all
}

// tablesOf returns the columns of the tables that CREATE TABLE statements make.
func tablesOf(statements []string) map[string][]string {
	all := map[string][]string{}
	for _, s := range statements {
		name, rest, ok := strings.Cut(strings.TrimPrefix(s, "CREATE TABLE "), " (")
		if !ok || !strings.HasPrefix(s, "CREATE TABLE ") {
			continue
		}
		var columns []string
		depth, start := 0, 0
		for i := 0; i <= len(rest); i++ {
			switch {
			case i < len(rest) && rest[i] == '(':
				depth++
			case i < len(rest) && rest[i] == ')' && depth > 0:
				depth--
			case i == len(rest) || depth == 0 && (rest[i] == ',' || rest[i] == ')'):
				if word, _, ok := strings.Cut(strings.TrimSpace(rest[start:i]), " "); ok {
					columns = append(columns, strings.ToLower(strings.Trim(word, "\"`")))
				}
				start = i + 1
				if i < len(rest) && rest[i] == ')' {
					i = len(rest)
				}
			}
		}
		all[strings.ToLower(strings.Trim(name, "\"`"))] = columns
	}
	return all
}
