package reach_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/reach"
)

// shelf is a catalogue of views by their names, and counts the questions.
type shelf struct {
	views     map[string]string
	questions int
	names     int
}

func (s *shelf) look(names []reach.Ref) (map[reach.Ref][]reach.Entry, error) {
	s.questions++
	s.names += len(names)
	found := map[reach.Ref][]reach.Entry{}
	for _, name := range names {
		if definition, ok := s.views[name.Name]; ok && !name.Called {
			found[name] = []reach.Entry{{Object: reach.Object{Kind: reach.View, Schema: name.Schema, Name: name.Name}, Definition: definition}}
		}
	}
	return found, nil
}

func newExplorer(allowed ...string) *reach.Explorer {
	d := testDialect()
	return &reach.Explorer{
		Dialect: d, Builtins: dialect.Rules("opens another connection", "dblink*"), Exceptions: reach.NewExceptions(allowed),
		Names: func(sql string, tokens []dialect.Token, schema string, inner bool, each func(reach.Mention)) {
			for i, at := range reach.Tables(sql, tokens) {
				if name := d.Unquote(sql, tokens[i]); at && !tokens[i].Is(sql, "(") {
					each(reach.Mention{Ref: reach.Ref{Schema: schema, Name: name, Inner: inner}, Start: int(tokens[i].Start)})
				}
			}
		},
	}
}

func explore(t testing.TB, e *reach.Explorer, version, sql string, look reach.Lookup) string {
	t.Helper()
	tokens, err := testDialect().Tokens(sql, nil)
	if err != nil {
		t.Fatal(err)
	}
	path, err := e.Find(version, sql, tokens, "s", look)
	if err != nil {
		t.Fatal(err)
	}
	if path == nil {
		return ""
	}
	return path.String()
}

func TestExplorer(t *testing.T) {
	t.Parallel()
	s := &shelf{views: map[string]string{
		"v": "SELECT dblink_exec('x') FROM t", "w": "SELECT * FROM v, t", "harmless": "SELECT * FROM t", "torn": "SELECT 'x FROM t",
		"ping": "SELECT * FROM pong", "pong": "SELECT * FROM ping", "lost": "SELECT * FROM nowhere",
	}}
	e := newExplorer()
	for sql, want := range map[string]string{
		"SELECT * FROM v":                                "view s.v → dblink_exec",
		"SELECT * FROM t, (SELECT * FROM w) AS x":        "view s.w → view s.v → dblink_exec",
		"SELECT * FROM torn":                             "view s.torn",
		"SELECT v, w FROM harmless WHERE v IN (1, w, v)": "",
		"SELECT * FROM ping JOIN lost ON v = w":          "",
	} {
		if got := explore(t, e, "1", sql, s.look); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
	if got := explore(t, newExplorer("s.v"), "1", "SELECT * FROM w", s.look); got != "" {
		t.Errorf("an exception is not followed: %s", got)
	}
	// What is known is not asked for again, until the version is another.
	s.questions = 0
	for _, sql := range []string{"SELECT * FROM harmless, ping", "SELECT * FROM w"} {
		if explore(t, e, "1", sql, s.look); s.questions > 0 {
			t.Errorf("%s: %d questions about what is known", sql, s.questions)
		}
	}
	s.views["harmless"] = "SELECT * FROM w"
	if got := explore(t, e, "2", "SELECT * FROM harmless", s.look); got == "" {
		t.Error("a change of the catalogue is not seen")
	}
}

// A statement that was asked for one version of the catalogue learns nothing from
// what another statement finds in the next one, and leaves nothing there.
func TestExplorerWhileTheCatalogueChanges(t *testing.T) {
	t.Parallel()
	before := &shelf{views: map[string]string{"outer_v": "SELECT * FROM inner_v", "inner_v": "SELECT 1"}}
	after := &shelf{views: map[string]string{"outer_v": "SELECT * FROM inner_v", "inner_v": "SELECT dblink('x')"}}
	const sql, want = "SELECT * FROM outer_v", "view s.outer_v → view s.inner_v → dblink"
	for changes := range 2 { // while the first name is looked up, or the second
		e, looks := newExplorer(), 0
		got := explore(t, e, "1", sql, func(names []reach.Ref) (map[reach.Ref][]reach.Entry, error) {
			if looks == changes {
				if path := explore(t, e, "2", sql, after.look); path != want {
					t.Errorf("version 2 is read as %q", path)
				}
			}
			looks++
			return before.look(names)
		})
		if got != "" || looks != 2 {
			t.Errorf("version 1 is read as %q, in %d looks", got, looks)
		}
		if path := explore(t, e, "2", sql, after.look); path != want {
			t.Errorf("after version 1, version 2 is read as %q", path)
		}
	}
}

// A statement that names what is known to be harmless builds no graph.
func TestExplorerKnowsTheHarmless(t *testing.T) {
	s := &shelf{views: map[string]string{"v": "SELECT * FROM t, u, w"}}
	name := reach.Mention{Ref: reach.Ref{Schema: "s", Name: "v"}}
	e := newExplorer()
	e.Names = func(_ string, _ []dialect.Token, _ string, _ bool, each func(reach.Mention)) { each(name) }
	cost := func() {
		if p, err := e.Find("1", "", nil, "s", s.look); p != nil || err != nil {
			t.Fatal(p, err)
		}
	}
	cost()
	if got := testing.AllocsPerRun(100, cost); got > 2 {
		t.Errorf("%.0f allocations", got)
	}
}

// A statement may reach 20,000 names, and as many are kept.
func TestExplorerAtItsLimit(t *testing.T) {
	t.Parallel()
	for names, want := range map[int]string{20_000: "", 20_001: "table v"} {
		var tables []string
		for i := range names - 1 {
			tables = append(tables, fmt.Sprint("t", i))
		}
		e, s := newExplorer(), &shelf{views: map[string]string{"v": "SELECT * FROM " + strings.Join(tables, ", ")}}
		for range 2 {
			if got := explore(t, e, "1", "SELECT * FROM v", s.look); got != want {
				t.Errorf("%d names: %q, want %q", names, got, want)
			}
		}
		if want == "" && s.names != names {
			t.Errorf("%d names were looked up for %d", s.names, names)
		}
	}
}

func TestExplorerFailsWithItsLookup(t *testing.T) {
	t.Parallel()
	e, lost := newExplorer(), errors.New("lost")
	tokens, err := testDialect().Tokens("SELECT * FROM t", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Find("1", "SELECT * FROM t", tokens, "s", func([]reach.Ref) (map[reach.Ref][]reach.Entry, error) { return nil, lost }); !errors.Is(err, lost) {
		t.Errorf("got %v", err)
	}
	s := &shelf{views: map[string]string{"t": "SELECT dblink('x')"}}
	if explore(t, e, "1", "SELECT * FROM t", s.look) == "" {
		t.Error("a look that failed counts as one that found nothing")
	}
}

// A statement costs what it reaches, however large the catalogue is; and a chain
// of views costs one question per link.
func TestExplorerInALargeCatalogue(t *testing.T) {
	t.Parallel()
	const n = 10_000
	s := &shelf{views: map[string]string{}}
	for i := range n {
		s.views[fmt.Sprintf("v%d", i)] = fmt.Sprintf("SELECT a, b FROM v%d JOIN t ON a = b", i+1)
	}
	e := newExplorer()
	if got := explore(t, e, "1", fmt.Sprintf("SELECT * FROM v%d", n-3), s.look); got != "" || s.names > 6 {
		t.Errorf("%d names for three views: %s", s.names, got)
	}
	s.views[fmt.Sprintf("v%d", n)] = "SELECT dblink('x')"
	s.names, s.questions = 0, 0
	got := explore(t, e, "2", "SELECT * FROM v0", s.look)
	if !strings.HasSuffix(got, "dblink") || s.names > n+2 || s.questions > n+1 {
		t.Errorf("%d names, %d questions", s.names, s.questions)
	}
	delete(s.views, fmt.Sprintf("v%d", n))
	for i := range 3 * n { // more than is looked at
		s.views[fmt.Sprintf("v%d", i)] = fmt.Sprintf("SELECT * FROM v%d", i+1)
	}
	if got := explore(t, e, "3", "SELECT * FROM v0", s.look); got == "" {
		t.Error("what is too much to look at is let through")
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"SELECT a, b FROM t, u WHERE c IN (d, e)":                  "t u (",
		"SELECT f(a, b) FROM t JOIN u ON f(a, b), v GROUP BY a, b": "t u v",
		"SELECT * FROM (t, u) JOIN (SELECT a, b FROM w) AS x, y":   "( t u ( SELECT w y",
		"SELECT * FROM a AS where, b ORDER BY c, d":                "a b",
		"SELECT * FROM a USE INDEX FOR ORDER BY (i), b":            "a b",
		"SELECT 1 FROM a UNION SELECT b, c FROM d":                 "a d",
		") FROM a, b": "a b",
	} {
		tokens, err := testDialect().Tokens(sql, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, at := range reach.Tables(sql, tokens) {
			if at {
				got = append(got, tokens[i].Text(sql))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", sql, got, want)
		}
	}
}

// BenchmarkExplorer is what a statement pays whose names are known.
func BenchmarkExplorer(b *testing.B) {
	s := &shelf{views: map[string]string{"sales": "SELECT * FROM t"}}
	e := newExplorer()
	sql := "SELECT c.name, count(*), sum(x.total) FROM sales AS x JOIN customers c ON c.id = x.customer WHERE x.at > now() - 7 GROUP BY c.name"
	tokens, err := testDialect().Tokens(sql, nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if p, err := e.Find("1", sql, tokens, "s", s.look); p != nil || err != nil {
			b.Fatal(p, err)
		}
	}
	if s.questions > 2 {
		b.Errorf("%d questions", s.questions)
	}
}
