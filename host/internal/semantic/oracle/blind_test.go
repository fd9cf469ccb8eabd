package oracle_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/oracle"
)

// Statements with the usual faults in them are told from right ones: the random
// cases have the orphans, the fan-outs and the NULLs that show each of them.
func TestFaultsAreSeen(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: whether random cases show faults that are planted")
	}
	t.Parallel()
	mutations := []struct{ name, from, to string }{
		{"joins that lose orphans", " LEFT JOIN ", " JOIN "},
		{"rows that count twice", "(SELECT DISTINCT \"", "(SELECT \""},
		{"parts that lose groups", "UNION ALL SELECT", "EXCEPT SELECT"},
		{"averages for sums", "SUM(", "AVG("},
		{"counts of groups for counts of rows", "COUNT(1", "COUNT(DISTINCT 1"},
		{"counts that are missing", "coalesce(MAX(", "nullif(MAX("},
		{"OR for AND", " AND ", " OR "},
		{"NULL that is equal to everything", " IS NULL", " IS NOT NULL"},
		{"NULL at the other end", "NULLS LAST", "NULLS FIRST"},
		{"months for quarters", "% 3)", "% 1)"},
		{"the last day left out", " < datetime(", " > datetime("},
		{"another time zone", "'-05:30'", "'+09:00'"},
		{"a source in another time zone", "|| '+02:00'", "|| '+09:00'"},
		{"seconds for milliseconds", " / 1000.0", " / 1.0"},
		{"seconds of another epoch", ", 'unixepoch')", ", 'unixepoch', '+1 day')"},
		{"days for times of day", "datetime(\"", "date(\""},
		{"another row left out of a query", "id <> 2", "id <> 1"},
		{"the end of a range that depends on the day", "date('2024-05-1", "date('2024-01-1"},
		{"related rows that need not be there", "EXISTS (", "NOT EXISTS ("},
	}
	db := sqlite(t)
	d := db.dialect
	seen, tried := make([]int, len(mutations)), make([]int, len(mutations))
	// So many worlds, and more while there is a fault that nobody saw.
	worlds, most := uint64(300), uint64(2000)
	for n := range most {
		if n >= worlds && !slices.Contains(seen, 0) {
			break
		}
		g := oracle.NewGenerator(*seed+2, n)
		c := g.World()
		m := c.Model(d)
		if len(problemsOf(m)) > 0 {
			continue
		}
		for range requests {
			c.Request = g.Request()
			query, err := compile.Compile(m, d, c.Request, compile.Options{Now: oracle.Now})
			if err != nil {
				continue
			}
			wrong := make([]string, len(mutations)) // those that are to be tried
			for i, mutation := range mutations {
				if text := strings.ReplaceAll(query.SQL, mutation.from, mutation.to); text != query.SQL && seen[i] < 5 {
					wrong[i] = text
				}
			}
			if !slices.ContainsFunc(wrong, func(text string) bool { return text != "" }) {
				continue
			}
			want, err := oracle.Answer(m, c.Data, c.Request)
			if err != nil {
				continue
			}
			if err := db.load(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			for i, text := range wrong {
				if text == "" {
					continue
				}
				tried[i]++
				if got, err := db.ask(t.Context(), text); err == nil && oracle.Difference(want, got) != "" {
					seen[i]++
				}
			}
		}
	}
	for i, mutation := range mutations {
		t.Logf("%s: seen in %d of %d statements", mutation.name, seen[i], tried[i])
		if tried[i] > 0 && seen[i] == 0 {
			t.Errorf("nobody sees %s (%q for %q)", mutation.name, mutation.to, mutation.from)
		}
		if tried[i] == 0 {
			t.Errorf("no statement has %q", mutation.from)
		}
	}
}
