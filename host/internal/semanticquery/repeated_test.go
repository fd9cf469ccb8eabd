package semanticquery_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semanticquery/validation"
)

// A join that is said to lead to one row, while the scan saw the key repeat, is told
// where it counts rows several times: in answers that join by it, and when the files
// are looked at.
func TestJoinsThatRepeat(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "states.yaml", `
name: states
sql: SELECT 'paid' AS state, 1 AS weight UNION ALL SELECT 'pending', 2
dimensions: [{name: state, type: string}]
measures: [{name: weight, agg: sum, expr: weight}]
joins:
  - {to: orders, join_on: states.state = orders.status, relationship: many_to_one}
`)
	want := "orders.status has 3 different values in 5 rows"
	told := func(request string) bool {
		t.Helper()
		c, _, err := f.Run(t.Context(), body(request), &answer{})
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(c.Notes, func(n string) bool {
			return strings.Contains(n, want) && strings.Contains(n, "states is joined to orders")
		})
	}
	if !told(`{"measures": ["states.weight"], "dimensions": ["orders.email"]}`) {
		t.Error("an answer that counts rows several times does not say so")
	}
	if told(`{"measures": ["states.weight"], "dimensions": ["states.state"]}`) {
		t.Error("an answer without the join tells of it")
	}
	a, c, _ := f.ask(t, `{"measures": ["states.weight"], "filters": ["orders.email in ('a@x', 'd@x')"]}`)
	if once := "a row of states counts once"; len(a.rows) != 1 || a.rows[0] != "1" || !strings.Contains(strings.Join(c.Notes, "\n"), once) || strings.Contains(strings.Join(c.Notes, "\n"), want) {
		t.Errorf("a join that is only filtered on: %q, %q", a.rows, c.Notes)
	}
	r := f.validate(t, validation.Request{Sources: []string{"states"}})
	all := r.Connections[0].Problems
	if len(all) != 1 || all[0].Severity != binding.SeverityWarning || all[0].File != "semantic-layer/shop/states.yaml" || all[0].Line != 7 || !strings.Contains(all[0].Message, want) {
		t.Errorf("%+v", all)
	}
	if r.Errors != 0 {
		t.Errorf("%d errors", r.Errors)
	}
}

// A calendar that lists a day several times is told where a request goes by its
// periods; the data is asked whether the rows of a day agree.
func TestCalendarsThatRepeat(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.load(t, `CREATE TABLE weeks (day DATE, week INTEGER);
		INSERT INTO weeks VALUES ('2026-01-05', 1), ('2026-02-05', 2), ('2026-02-05', 2), ('2026-02-06', 2), ('2026-02-06', 3)`)
	f.scan(t)
	f.write(t, "weeks.yaml", "name: weeks\ntable: weeks\ncalendar:\n  date: day\n  periods: {retail_week: week}\nmeasures: [{name: days, agg: count}]\n")
	told := func(request string) bool {
		t.Helper()
		c, _, err := f.Run(t.Context(), body(request), &answer{})
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(c.Notes, func(n string) bool {
			return strings.Contains(n, "The calendar weeks lists days several times: weeks.day has 3 different values in 5 rows")
		})
	}
	if !told(`{"measures": ["orders.revenue"], "dimensions": ["orders.day.retail_week"]}`) {
		t.Error("an answer by weeks of which a day has two does not say so")
	}
	if told(`{"measures": ["weeks.days"], "dimensions": []}`) {
		t.Error("an answer without periods of the calendar tells of them")
	}
	r := f.validate(t, validation.Request{Sources: []string{"weeks"}, Data: true})
	at := slices.IndexFunc(r.Connections[0].Checks, func(c validation.Check) bool { return c.Kind == validation.CheckCalendar })
	if at < 0 {
		t.Fatalf("the calendar was not checked: %+v", r.Connections[0].Checks)
	}
	c := r.Connections[0].Checks[at]
	if c.Status != validation.CheckViolated || c.Severity != binding.SeverityError || c.Rows != 5 || c.Violations != 1 || c.MaxMatches != 2 || !slices.Equal(c.Columns, []string{"day"}) || !slices.Equal(c.Examples, []string{"2026-02-06"}) {
		t.Errorf("%+v", c)
	}
	if r.Errors != 1 {
		t.Errorf("%d errors", r.Errors)
	}
}
