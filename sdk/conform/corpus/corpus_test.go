package corpus_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

// The guard alone decides every case, for every engine and version that is
// described: the shared cases hold for those without cases of their own too.
func TestGuardDecidesEveryCase(t *testing.T) {
	t.Parallel()
	for _, list := range engines() {
		for i := range list {
			d := &list[i]
			t.Run(d.Name+d.Product+d.MinVersion, func(t *testing.T) {
				t.Parallel()
				for _, c := range corpus.For(d) {
					err := readonly.Check(c.SQL, d)
					switch {
					case c.Harmless && err != nil && forDialect(c, list, d):
						t.Errorf("%s: %q is refused: %v", c.Name, c.SQL, err)
					case c.Guard && err == nil:
						t.Errorf("%s: %q is accepted", c.Name, c.SQL)
					}
				}
			})
		}
	}
}

// forDialect reports whether the server of a case may be one of this dialect.
func forDialect(c corpus.Case, list []dialect.Dialect, d *dialect.Dialect) bool {
	return c.MinVersion == "" || dialect.Pick(list, d.Product, c.MinVersion) == d
}

func TestCasesAreWellMade(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres", "duckdb", "mysql", "clickhouse", "snowflake", "bigquery"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := engines()[0][0]
			d.Name = name
			names := map[string]bool{}
			attacks, harmless, disguised := 0, 0, 0
			for _, c := range corpus.For(&d) {
				if c.Name == "" || c.SQL == "" || names[c.Name] {
					t.Errorf("case %q is empty or not unique", c.Name)
				}
				names[c.Name] = true
				if c.Harmless && (c.Guard || c.Needs != "") {
					t.Errorf("case %q is harmless and an attack", c.Name)
				}
				switch {
				case !c.Harmless:
					attacks++
				case strings.Contains(c.Name, " in a string"), strings.HasSuffix(c.Name, "comments"), strings.HasSuffix(c.Name, " in a comment"):
					disguised++
				default:
					harmless++
				}
			}
			if attacks < 50 || harmless < 50 || harmless+disguised < 2*attacks {
				t.Errorf("%d attacks, %d harmless, %d disguised attacks", attacks, harmless, disguised)
			}
		})
	}
}

// What a family adds to the shared cases by name must be there.
func TestNewerSharedCases(t *testing.T) {
	t.Parallel()
	for _, list := range engines() {
		if list[0].Name != "clickhouse" {
			continue
		}
		newer := map[string]string{}
		for _, c := range corpus.For(&list[0]) {
			if c.MinVersion != "" {
				newer[c.Name] = c.MinVersion
			}
		}
		for name, version := range map[string]string{"with": "20.10", "recursive with": "24.4", "cast": "20.5"} {
			if newer[name] != version {
				t.Errorf("the shared case %q needs version %q", name, newer[name])
			}
		}
	}
}

func TestStatementFillsPlaceholders(t *testing.T) {
	t.Parallel()
	c := corpus.Case{SQL: "COPY t TO '{tmp}'; SELECT dblink('{dsn}')"}
	if got, want := c.Statement("/x/y", "host=h"), "COPY t TO '/x/y'; SELECT dblink('host=h')"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFixture(t *testing.T) {
	t.Parallel()
	for i, want := range map[int][]string{
		0: {"CREATE TABLE accounts (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(40) NOT NULL", `"update" VARCHAR(40), "delete" INTEGER`},
		1: {"CREATE TABLE accounts (id INTEGER NOT NULL PRIMARY KEY", "`update` VARCHAR(40)", "INSERT INTO `drop` VALUES (1, 'update')"},
		2: {
			"CREATE TABLE accounts (id Int32, name String, balance Int32, `update` Nullable(String)", ") ENGINE = MergeTree ORDER BY id",
			"CREATE TABLE `drop` (id Nullable(Int32), `for` Nullable(String)) ENGINE = MergeTree ORDER BY tuple()",
			"INSERT INTO ledger SELECT 2, 2, 100, 'deposit'",
		},
	} {
		d := &engines()[i][0]
		setup := strings.Join(corpus.Setup(d), ";\n")
		for _, part := range want {
			if !strings.Contains(setup, part) {
				t.Errorf("%s: no %q in\n%s", d.Name, part, setup)
			}
		}
		for _, query := range corpus.Reread(d) {
			if err := readonly.Check(query, d); err != nil {
				t.Errorf("reread %q: %v", query, err)
			}
		}
	}
}

// An engine that the package does not know gets the shared tables and cases.
func TestUnknownFamily(t *testing.T) {
	t.Parallel()
	d := recorded("mysql")[0]
	d.Name = "someother"
	if setup := corpus.Setup(&d); !strings.HasPrefix(setup[0], "CREATE TABLE accounts") {
		t.Errorf("setup %q", setup)
	}
	if reread := corpus.Reread(&d); len(reread) != 3 {
		t.Errorf("reread %q", reread)
	}
	for _, c := range corpus.For(&d) {
		if c.Guard && readonly.Check(c.SQL, &d) == nil {
			t.Errorf("%q is accepted", c.Name)
		}
	}
}

// An engine whose SELECT needs a table, and whose names are short: no harmless statement
// is without a table or has a long name, and those that cannot be written are counted.
func TestHarmlessCasesInTheWordsOfADialect(t *testing.T) {
	t.Parallel()
	d := recorded("postgres")[0]
	d.Name, d.MaxIdentifierBytes, d.TopLevelWith = "firebirdlike", 31, true
	d.Forms = maps.Clone(d.Forms)
	d.Forms[dialect.EmptyFrom] = "FROM rdb$database"
	harmless := 0
	for _, c := range corpus.For(&d) {
		if !c.Harmless {
			continue
		}
		harmless++
		tokens, err := d.Tokens(c.SQL, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		selects, froms := 0, 0
		for _, token := range tokens {
			switch {
			case token.IsWord(c.SQL, "SELECT"):
				selects++
			case token.IsWord(c.SQL, "FROM"):
				froms++
			case token.Text(c.SQL)[0] == '"' && token.End-token.Start > 31+2:
				t.Errorf("%s has the name %s", c.Name, token.Text(c.SQL))
			}
		}
		if selects != froms {
			t.Errorf("%s has %d SELECT and %d FROM: %s", c.Name, selects, froms, c.SQL)
		}
	}
	unsaid := corpus.Unsaid(&d)
	if harmless < 200 || len(unsaid) < 3 || !slices.Contains(unsaid, "with in a sub-select") {
		t.Errorf("%d harmless statements, %d unsaid: %q", harmless, len(unsaid), unsaid)
	}
	d.Lexis.LineComments = nil
	for _, c := range corpus.For(&d) {
		if c.Harmless && strings.HasSuffix(c.Name, "in line comments") {
			t.Errorf("%s, without such comments", c.Name)
		}
	}
	for _, list := range engines() {
		if unsaid := corpus.Unsaid(&list[0]); len(unsaid) > 5 {
			t.Errorf("%s has no words for %q", list[0].Name, unsaid)
		}
	}
}
