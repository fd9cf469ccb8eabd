package corpus_test

import (
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/internal/engine"
	"github.com/loam-data/loam/sdk/readonly"
)

// The shared cases hold for every engine that is described, not only for those
// with cases of their own.
func TestSharedCasesOnEveryEngine(t *testing.T) {
	t.Parallel()
	for _, list := range engine.All() {
		for i := range list {
			d := &list[i]
			t.Run(d.Name+d.MinVersion, func(t *testing.T) {
				t.Parallel()
				for _, c := range corpus.For(d) {
					err := readonly.Check(c.SQL, d)
					switch {
					case c.Harmless && err != nil:
						t.Errorf("%s: %q is refused: %v", c.Name, c.SQL, err)
					case c.Guard && err == nil:
						t.Errorf("%s: %q is accepted", c.Name, c.SQL)
					}
				}
			})
		}
	}
}

func TestCasesAreWellMade(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres", "duckdb"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := engine.DuckDB()[0]
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

func TestStatementFillsPlaceholders(t *testing.T) {
	t.Parallel()
	c := corpus.Case{SQL: "COPY t TO '{tmp}'; SELECT dblink('{dsn}')"}
	if got, want := c.Statement("/x/y", "host=h"), "COPY t TO '/x/y'; SELECT dblink('host=h')"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFixture(t *testing.T) {
	t.Parallel()
	d := engine.MySQL()[0]
	setup := strings.Join(corpus.Setup(&d), ";\n")
	if !strings.Contains(setup, "CREATE TABLE accounts") || !strings.Contains(setup, "`update` VARCHAR(40)") {
		t.Errorf("the fixture is not quoted for the dialect:\n%s", setup)
	}
	for _, query := range corpus.Reread(&d) {
		if err := readonly.Check(query, &d); err != nil {
			t.Errorf("reread %q: %v", query, err)
		}
	}
}
