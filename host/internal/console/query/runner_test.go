package query

import (
	"encoding/csv"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/console/consoletest"
	"github.com/loam-data/loam/host/internal/console/result"
	"github.com/loam-data/loam/host/internal/console/shown"
	"github.com/loam-data/loam/sdk"
)

// open serves the runner.
func open(t *testing.T, f *fixture) *consoletest.Browser {
	t.Helper()
	return consoletest.Open(t, Pages(f.Services), result.Group(), shown.Group())
}

// has reports the texts that are missing.
func has(t *testing.T, in string, all ...string) {
	t.Helper()
	for _, want := range all {
		if !strings.Contains(in, want) {
			t.Errorf("no %q in\n%s", want, in)
		}
	}
}

func typed(statement string, more ...string) url.Values {
	v := url.Values{"do": {"run"}, "tab": {"sql"}, "connection": {"shop"}, "sql": {statement}, "rows": {"1000"}}
	for i := 0; i+1 < len(more); i += 2 {
		v.Set(more[i], more[i+1])
	}
	return v
}

func TestGetRunsNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.away = errors.New("the warehouse is asked")
	p := open(t, f).Get("query?connection=shop&sql=select+1")
	has(t, p.Text, "shop (sqlite)", "select 1", "loam sql -c shop --max-rows 1000 'select 1'")
	has(t, open(t, f).Get("query?tab=measures&connection=shop&m=orders.revenue&d=orders.day&g=month&range=last+12+months").Text,
		"SQL for the warehouse", "SELECT", "loam sl query -c shop -m orders.revenue -b orders.day.month --date-range 'last 12 months' --limit 1000")
	if len(f.recorded()) != 0 {
		t.Error("a call was recorded")
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := open(t, f)
	p := b.Post("query", typed("select status, sum(amount) as total from orders group by 1 order by 2 desc", "chart", "1"))
	has(t, p.Text, "All 2 rows.", "<b>back</b>", "30", "Bars of total by status. 2 bars.")
	has(t, p.Body, `<svg class="chart chart-bar"`, `<caption>Result of the statement</caption>`, "select status, sum(amount) as total")
	if at, end := strings.Index(p.Body, `value="cancel"`), strings.Index(p.Body, `id="answer-title"`); at < 0 || at > end {
		t.Error("the form to cancel is not sent before the result")
	}
	calls := f.recorded()
	if len(calls) != 1 {
		t.Fatalf("%d calls", len(calls))
	}
	c := calls[0]
	got := fmt.Sprintln(c.Tool, c.Connection, c.Outcome, c.Rows, c.Bytes, string(c.Arguments), c.Actor.Channel)
	if diff := cmp.Diff("console query shop ok 2 23 {\"sql\":\"select status, sum(amount) as total from orders group by 1 order by 2 desc\"} console\n", got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	has(t, b.Get("query").Text, "Recent queries of this login (1)", "select status, sum(amount) as total")
	has(t, b.Get("query?recent=1").Body, "select status, sum(amount) as total from orders group by 1 order by 2 desc</textarea>")
}

func TestRunMeasures(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := open(t, f)
	form := url.Values{"do": {"run"}, "tab": {"measures"}, "connection": {"shop"}, "m": {"", "orders.revenue"}, "d": {"orders.day", ""}, "g": {"month", ""}, "rows": {"10"}, "chart": {"1"}}
	p := b.Post("query", form)
	has(t, p.Text, "SQL for the warehouse", "2026-02-01", "50", "A line of revenue over day_month. 2 times", "EUR")
	has(t, p.Body, `value="orders.revenue"`)
	form.Set("do", "compile")
	has(t, b.Post("query", form).Body, `<option value="orders.revenue">`, `<option value="orders.status">`)
	if p = b.Post("query", form); strings.Contains(p.Text, "2026-02-01") {
		t.Error("it was run")
	}
	has(t, p.Text, "SQL for the warehouse")
	form["m"] = []string{"orders.revenu"}
	form.Set("do", "run")
	p = b.Post("query", form)
	has(t, p.Text, "Not answered", "Did you mean", "orders.revenue")
	has(t, p.Body, `value="orders.revenu"`, `value="orders.day"`)
	var outcomes []string
	for _, c := range f.recorded() {
		outcomes = append(outcomes, c.Tool+" "+c.Outcome)
	}
	if diff := cmp.Diff([]string{"console sl_query ok", "console sl_query not_found"}, outcomes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A statement that is not answered stays in the field, whatever is wrong with it.
func TestFaults(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := open(t, f)
	for _, tt := range []struct {
		name string
		form url.Values
		want []string
	}{
		{"a write", typed("delete from orders"), []string{"Not answered: not_read_only"}},
		{"a typing error", typed("select\n  nothing frm orders"), []string{"Not answered"}},
		{"another table", typed("select * from ordrs"), []string{"Not answered", "Did you mean: orders , <i>other</i>"}},
		{"no statement", typed("  "), []string{"there is no statement"}},
		{"no connection", typed("select 1", "connection", ""), []string{"no connection is chosen"}},
		{"another connection", typed("select 1", "connection", "<x>"), []string{"Not answered: not_found"}},
		{"a row limit", typed("select 2", "rows", "10001"), []string{`the row limit "10001" is no number from 1 to 10000`}},
		{"a secret", typed("select * from hunter2"), []string{"Not answered", "[secret]"}},
		{"no measure", url.Values{"do": {"run"}, "tab": {"measures"}, "connection": {"shop"}, "f": {"<f>"}}, []string{"no measure and no dimension"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := b.Post("query", tt.form)
			has(t, p.Text, tt.want...)
			if kept := tt.form.Get("sql") + tt.form.Get("f"); !strings.Contains(p.Text+fmt.Sprint(p.Forms), strings.TrimSpace(kept)) {
				t.Error("the text is lost")
			}
		})
	}
	for _, c := range f.recorded() {
		if strings.Contains(string(c.Arguments), "hunter2") {
			t.Error("a secret is recorded")
		}
	}
}

func TestLongStatement(t *testing.T) {
	t.Parallel()
	s := &service{Services: newFixture(t).Services}
	out, err := s.run(t.Context(), request("one", typed(strings.Repeat("ä", maxSQL+1))))
	if err != nil {
		t.Fatal(err)
	}
	d := out.View.Data.(*data)
	if out.View.Then != nil || len(d.Form.SQL) != 2*(maxSQL+1) || !strings.Contains(d.Fault.Message, "more than 100000 characters") {
		t.Errorf("%+v", d.Fault)
	}
}

func TestNoRows(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	has(t, open(t, f).Post("query", typed("select * from orders where status = 'lost'", "chart", "1")).Text,
		"Note: No row has the status lost. Seen <b>5</b> rows.", "The statement returned no row.", "No chart: There are no rows.")
}

// A page stays small, and says what was cut.
func TestLimits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := open(t, f)
	for i := range maxRecent {
		b.Post("query", typed(fmt.Sprint("select ", i, " -- ", strings.Repeat("<", 1000))))
	}
	long := "with recursive c(n) as (select 1 union all select n + 1 from c where n < 5000) select 'category ' || n as name, n, -n as m, 'x' as x from c"
	p := b.Post("query", typed(long, "rows", "400", "chart", "1"))
	has(t, p.Text, "The result was cut at 400 rows", "Bars of n by name", "category 1 ")
	if p = b.Post("query", typed(long, "rows", "10000")); !strings.Contains(p.Text, "because the next one would exceed the size limit") {
		t.Error("the answer has no size limit")
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := open(t, f)
	p := b.Post("query", typed("select status, amount from orders order by id", "do", "csv", "rows", "2"))
	if got := p.Header.Get("Content-Disposition"); got != "attachment; filename=result.csv" {
		t.Errorf("disposition %s", got)
	}
	r := csv.NewReader(strings.NewReader(p.Body))
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"status", "amount"}, {"paid", "10"}, {"paid", "20"}, {"truncated: the statement has more than these 2 rows"}}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if p = b.Post("query", typed("delete from orders -- a long text that is shown again", "do", "csv")); !strings.Contains(p.Text, "shown again") {
		t.Error("the text is lost")
	}
	if calls := f.recorded(); len(calls) != 2 || calls[0].Rows != 2 || calls[1].Outcome != "not_read_only" {
		t.Errorf("%+v", calls)
	}
}

func TestSave(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := open(t, f)
	form := typed("select 1", "do", "save", "name", "one", "title", "One", "about", "Gives <one>.")
	p := b.Post("query", form)
	has(t, p.Text, "Proposed", "queued", "Review it", "<script>shop")
	has(t, p.Body, `href="/console/change/ab12"`, "select 1</textarea>")
	if len(f.proposed) != 1 || f.proposed[0].Name != "one" || f.proposed[0].Query.SQL != "select 1" || f.proposed[0].Query.Description != "Gives <one>." {
		t.Errorf("%+v", f.proposed)
	}
	f.refuse = sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "there is a query one already").WithHint("choose another name")
	p = b.Post("query", form)
	has(t, p.Text, "there is a query one already", "choose another name", "Gives <one>.")
	reader := consoletest.As(t, consoletest.ReaderToken, Pages(f.Services), result.Group(), shown.Group())
	if p = reader.Post("query", form); p.Status != 403 {
		t.Errorf("a reader saves: %d", p.Status)
	}
	if p = reader.Post("query", typed("select 1")); p.Status != 403 {
		t.Errorf("a reader runs a query: %d", p.Status)
	}
	form = url.Values{"do": {"compile"}, "connection": {"shop"}, "m": {"orders.revenue"}}
	has(t, reader.Post("query", form).Text, "SQL for the warehouse")
}
