package semantic

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/consoletest"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/console/result"
	"github.com/loam-data/loam/host/internal/console/shown"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// open serves the pages.
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

func (f *fixture) outcomes() (all []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.calls {
		all = append(all, fmt.Sprint(c.Tool, " ", c.Outcome, " ", c.Rows, " ", string(c.Arguments)))
	}
	return all
}

// No page asks the warehouse before a click.
func TestPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.away = errors.New("the warehouse is asked")
	b := open(t, f)
	for path, want := range map[string][]string{
		"semantic":                 {"shop", "sqlite", "2 2 1 4"},
		"semantic/shop":            {"per_order", "Money per order.", "What was <i>ordered</i>.", "semantic-layer/shop/orders.yaml", "Problems", "nowhere", "person", "1 unreviewed", "loam sl list -c shop --json"},
		"semantic/shop?q=turnover": {"1 shown of 1 source"},
		"semantic/shop?q=nothing":  {"No source fits.", "loam scan shop"},
		"semantic/shop/orders": {"semantic-layer/shop/orders.yaml:2", "One row per", "revenue", "sum of amount", "EUR", "also: turnover", "agent", "broken", "Check now",
			"each row leads to at most one row of customers", "loam sl show -c shop orders --json"},
		"semantic/shop/orders?part=dimensions": {"string: paid, back", "day"},
		"semantic/shop/orders?part=joins":      {"many to one on orders.customer_id = customers.id"},
		"semantic/shop/orders?part=origins":    {"measures revenue", "person", "semantic-layer/shop/orders.yaml:13"},
		"semantic/shop/metrics":                {"per_order"},
		"measure/shop/orders.revenue": {"person", "Money <script>alert(1)</script>", "sum of amount", "semantic-layer/shop/orders.yaml:13", "SELECT", "orders.mean", "per_order", "orders.sales",
			"primary key", "status string", "Also by those of customers", "Probe now", "Query this"},
		"measure/shop/orders.sales": {"agent", "Learned from agent", "No person reviewed it yet.", "equal to orders.revenue", "The change that made it", "memory"},
		"measure/shop/orders.wrong": {"broken", "There is no statement"},
		"measure/shop/per_order":    {"orders.revenue , orders.order_count", "orders: id tells the rows apart", "asks the warehouse about orders"},
	} {
		p := b.Get(path)
		if p.Status != 200 {
			t.Errorf("%s: %d", path, p.Status)
		}
		t.Run(path, func(t *testing.T) { has(t, p.Text, want...) })
	}
	for path, want := range map[string]int{"semantic/none": 404, "semantic/shop/none": 404, "measure/shop/orders.none": 404, "measure/none/x": 404, "semantic/shop?cursor=x": 422, "semantic?cursor=99": 422, "semantic/shop/orders?cursor=-1": 422} {
		if p := b.Get(path); p.Status != want {
			t.Errorf("%s: %d", path, p.Status)
		}
	}
	if got := f.outcomes(); got != nil {
		t.Errorf("calls: %v", got)
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	b := open(t, newFixture(t))
	var m measureData
	b.JSON("measure/shop/orders.revenue", &m)
	if m.Name != "orders.revenue" || m.Trust != "person" || !strings.Contains(m.SQL, "SELECT") || len(m.Dimensions) != 4 || fmt.Sprint(m.UsedBy) != "[{orders.mean  } {per_order  }]" {
		t.Errorf("%+v", m)
	}
	var s sourceData
	b.JSON("semantic/shop/orders?part=segments", &s)
	if s.Part != "segments" || len(s.Lines) != 1 || s.Lines[0].Is != "status = 'paid'" {
		t.Errorf("%+v", s)
	}
}

func TestProbe(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := open(t, f)
	has(t, b.Post("measure/shop/orders.revenue", url.Values{"do": {"probe"}}).Text, "2026-02 52 EUR", "in all 62 EUR")
	has(t, b.Post("measure/shop/per_order", url.Values{"do": {"probe"}}).Text, "2026-02 26", "in all 20.6")
	has(t, b.Post("measure/shop/orders.wrong", url.Values{"do": {"probe"}}).Text, "nowhere")
	want := []string{
		`console sl_query ok 1 {"measures":["orders.revenue"],"date_ranges":[{"from":"2026-02-01","to":"2026-02-28"}]}`, `console sl_query ok 1 {"measures":["orders.revenue"]}`,
	}
	if diff := cmp.Diff(want, f.outcomes()[:2]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	f.away = sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "no answer to hunter2").WithHint("start it")
	has(t, b.Post("measure/shop/orders.revenue", url.Values{"do": {"probe"}}).Text, "no answer to [secret]", "Next: start it")
	reader := consoletest.As(t, consoletest.ReaderToken, Pages(f.Services), result.Group(), shown.Group())
	for _, do := range []string{"probe", "chart", "check"} {
		if p := reader.Post("measure/shop/orders.revenue", url.Values{"do": {do}}); p.Status != 403 {
			t.Errorf("a reader may %s: %d", do, p.Status)
		}
	}
}

// The history of probes is read from the state store, under the name that a change has for the measure.
func TestProbesOfStore(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	lazy := store.NewLazy(filepath.Join(f.dir, "state.db"))
	t.Cleanup(func() {
		if err := lazy.Close(); err != nil {
			t.Error(err)
		}
	})
	state, err := lazy.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	put := func(day int, definition, period, value, fault string) {
		t.Helper()
		p := store.Probe{Connection: "shop", Member: "orders.sales", Definition: []byte(definition), At: now.AddDate(0, 0, day), Period: period, Value: value, Rows: 4, Error: fault}
		if err := state.PutProbe(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	put(-1, "new", "2026-02", `"52.50"`, "")
	put(-2, "new", "", "null", "")
	put(-3, "old", "2026-02", "", "hunter2 is no column")
	put(-4, "older", "2026-02", "", "")
	f.Probes = memory.New(memory.Config{Store: lazy}).Probes
	b := open(t, f)
	has(t, b.Get("measure/shop/orders.sales").Text, "Test runs, the latest first", "2026-03-14", "ran 2026-02 52.50 4", "empty all rows 4", "failed of another definition [secret] is no column 2026-02 4", "withheld")
	var d measureData
	b.JSON("measure/shop/orders.sales", &d)
	if len(d.Probes) != 4 || d.Probes[0].Value != "52.50" || !d.Probes[3].Superseded {
		t.Errorf("%+v", d.Probes)
	}
	if text := b.Get("measure/shop/orders.revenue").Text; strings.Contains(text, "Test runs") {
		t.Error("a measure without test runs has some")
	}
}

func TestChart(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := open(t, f)
	p := b.Post("measure/shop/orders.revenue", url.Values{"do": {"chart"}})
	has(t, p.Text, "The measure by month", "52", "A line of revenue over metric_time_month", "2025-11-01", "All 2 rows.")
	has(t, p.Body, `<svg class="chart chart-line"`)
	has(t, b.Post("measure/shop/orders.wrong", url.Values{"do": {"chart"}}).Text, "Not answered")
}

func TestCheck(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := open(t, f)
	for _, path := range []string{"measure/shop/orders.revenue", "measure/shop/per_order", "semantic/shop/orders"} {
		has(t, b.Post(path, url.Values{"do": {"check"}}).Text, "What the data says of the claims", "primary key ok", "to one violated", "loam sl validate -c shop --data")
	}
	if got := f.outcomes(); len(got) != 3 || !strings.HasPrefix(got[0], `console sl_validate ok -1 {"connectionId":"shop"`) {
		t.Errorf("%v", got)
	}
}

// remembered is the memory with one change; texts are what it was taught.
type remembered struct {
	detail memory.Detail
	err    error
	texts  []memory.Input
}

func (r *remembered) Accept(_ context.Context, in memory.Input) (memory.Accepted, error) {
	if r.err != nil {
		return memory.Accepted{}, r.err
	}
	r.texts = append(r.texts, in)
	return memory.Accepted{RunID: "r1", Duplicate: len(r.texts) > 1}, nil
}

func TestTeach(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	known := &remembered{}
	f.Memory = known
	b := open(t, f)
	has(t, b.Get("measure/shop/orders.revenue").Body, "orders.revenue is sum of amount.</textarea>")
	form := url.Values{"do": {"teach"}, "text": {"orders.revenue is the sum of amount / 100.\r\n<b>"}}
	if p := b.Post("measure/shop/orders.revenue", form); p.Path != "run/r1" {
		t.Errorf("leads to %s", p.Path)
	}
	if got := known.texts; len(got) != 1 || got[0].Content != "orders.revenue is the sum of amount / 100.\n<b>" || got[0].Connection != "shop" || got[0].Actor.Channel != change.Console {
		t.Errorf("%+v", got)
	}
	known.err = sdk.Errorf(sdk.KindRateLimited, sdk.SourceHost, "too many texts").WithHint("wait a minute")
	p := b.Post("measure/shop/orders.revenue", form)
	has(t, p.Text, "too many texts", "Next: wait a minute", "sum of amount / 100. <b>")
	reader := consoletest.As(t, consoletest.ReaderToken, Pages(f.Services), result.Group(), shown.Group())
	if p := reader.Post("measure/shop/orders.revenue", form); p.Status != 403 {
		t.Errorf("a reader teaches: %d", p.Status)
	}
	if p := reader.Get("measure/shop/orders.revenue"); strings.Contains(p.Body, `id="teach"`) {
		t.Error("a reader sees the form")
	}
}

func (r *remembered) Change(context.Context, string) (*memory.Detail, error) { return &r.detail, r.err }

func TestReview(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	known := &remembered{detail: memory.Detail{ChangeLine: memory.ChangeLine{State: "applied", DecidedBy: "<b>ada</b>", DecidedAt: now, Reason: "as asked"}, Quote: "Sales are <i>money</i>."}}
	f.Memory = known
	b := open(t, f)
	p := b.Get("measure/shop/orders.sales")
	has(t, p.Text, "The change that made it : applied by <b>ada</b> , 2026-03-15", "(as asked)", "What it was learned from Sales are <i>money</i>.")
	has(t, p.Body, `href="/console/change/ab12"`)
	if p.Form("approve") != nil {
		t.Error("a reviewed change is approved again")
	}
	known.detail.ChangeLine, known.detail.Version = memory.ChangeLine{ID: "ab12", State: "draft"}, 3
	if form := b.Get("measure/shop/orders.sales").Form("approve"); form == nil || form.Fields.Get("pick") != "ab12.3" || form.Fields.Get("back") != "/console/measure/shop/orders.sales" {
		t.Errorf("%+v", form)
	}
	known.detail.Disputed = true
	if b.Get("measure/shop/orders.sales").Form("approve") != nil {
		t.Error("a contradiction is approved without a look")
	}
	known.err = sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "it is gone")
	if p = b.Get("measure/shop/orders.sales"); p.Status != 200 || !strings.Contains(p.Text, "The change that made it") {
		t.Errorf("%d", p.Status)
	}
	known.err = sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the store cannot be read")
	if p = b.Get("measure/shop/orders.sales"); p.Status != 403 {
		t.Errorf("%d", p.Status)
	}
}

func (r *remembered) DraftOf(_ context.Context, connection, target string) (*change.Change, error) {
	if connection != "shop" || target != "orders.sales" {
		return nil, nil
	}
	return &change.Change{ID: "cd34"}, nil
}

// A file names no change: the draft of its measure is found by its name.
func TestReviewOfDraft(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "_memory/orders.yaml", strings.Replace(learned, ", change: ab12", "", 1))
	known := &remembered{detail: memory.Detail{ChangeLine: memory.ChangeLine{ID: "cd34", State: "draft"}, Version: 2}}
	f.Memory = known
	p := open(t, f).Get("measure/shop/orders.sales")
	has(t, p.Body, `href="/console/change/cd34"`)
	if form := p.Form("approve"); form == nil || form.Fields.Get("pick") != "cd34.2" {
		t.Errorf("%+v", form)
	}
	f.write(t, "_memory/orders.yaml", strings.Replace(learned, "change: ab12", "reviewed: true", 1))
	if p := open(t, f).Get("measure/shop/orders.sales"); p.Form("approve") != nil || strings.Contains(p.Text, "The change that made it") {
		t.Error("a reviewed measure has a draft")
	}
}

// A name that an address has to escape leads to its page, and its forms post there.
func TestEscapedNames(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "odd.yaml", "name: \"odd/na me?\"\ntable: orders\nprimary_key: [id]\ndimensions:\n  - {name: id, type: number}\nmeasures:\n  - {name: total, agg: sum, expr: amount}\n")
	b, probed := open(t, f), false
	for _, l := range b.Get("semantic/shop").Links {
		if !strings.Contains(l.Text, "odd/na") {
			continue
		}
		p := b.Get(strings.TrimPrefix(l.To, page.Root))
		for _, to := range p.Links {
			if to.Text == "total" {
				m := b.Get(strings.TrimPrefix(to.To, page.Root))
				has(t, m.Text, `"odd/na me?".total`, "SELECT")
				for _, form := range m.Forms {
					if form.Fields.Get("do") == "probe" {
						has(t, b.Submit(form, nil).Text, "in all 62")
						probed = true
					}
				}
			}
		}
		for _, form := range p.Forms {
			if form.Fields.Get("do") == "check" {
				has(t, b.Submit(form, nil).Text, "primary key ok")
				if !probed {
					t.Error("its measure was not probed")
				}
				return
			}
		}
	}
	t.Error("there is no link to it, or no form")
}

// hostile are texts that a warehouse, an importer or an agent can write.
func hostile() []string {
	return []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `{{template "token"}}`, "abc\u202egpj.exe", strings.Repeat("w", 19_000), strings.Repeat("<", 19_000), `javascript:alert(1)`, `</table><h1>x</h1>`}
}

func quoted(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }

// Whatever files, agents and warehouses say, pages stay small and nothing of it becomes an element.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var dimensions, members strings.Builder
	for i, h := range hostile() {
		fmt.Fprintf(&dimensions, "  - {name: d%d, type: string, expr: status, description: %s, label: %s, unit: %s, values: [%s]}\n", i, quoted(h), quoted(h), quoted(h[:min(len(h), 50)]), quoted(h))
		fmt.Fprintf(&members, "  - {name: m%d, agg: sum, expr: amount, description: %s, label: %s, synonyms: [%s], unit: %s, filter: %s}\n", i, quoted(h), quoted(h), quoted(h), quoted(h[:min(len(h), 50)]), quoted("status = '"+strings.ReplaceAll(h[:min(len(h), 500)], "'", "")+"'"))
	}
	f.write(t, "bad.yaml", "name: bad\ntable: orders\nprimary_key: [id]\ndescription: "+quoted(hostile()[0])+"\ndefault_time_dimension: day\nai_context: {instructions: "+quoted(hostile()[5])+", examples: ["+quoted(hostile()[1])+
		"]}\ndimensions:\n  - {name: id, type: number}\n  - {name: day, type: time, column_type: date}\n"+dimensions.String()+"measures:\n"+members.String())
	f.write(t, "ugly.yaml", "name: "+quoted(hostile()[1])+"\ntable: "+quoted(hostile()[0])+"\n")
	f.Probes = func(context.Context, connection.ID, []string, int) (all []memory.Tried, err error) {
		for _, h := range hostile() {
			all = append(all, memory.Tried{Probe: store.Probe{At: time.Unix(0, 0), Period: h, Value: quoted(h)}}, memory.Tried{Probe: store.Probe{Error: h}})
		}
		return all, nil
	}
	f.Mentions = func(context.Context, connection.ID, string) (all []Mention, err error) {
		for _, h := range hostile() {
			all = append(all, Mention{Kind: "page", Name: h, Link: "/console/wiki/x"})
		}
		return all, nil
	}
	b := open(t, f) // it checks the size and the elements of each page
	plain := b.Get("semantic/shop/customers")
	pages := []string{"semantic/shop", "semantic/shop?q=%3Cscript%3E", "semantic/shop/bad", "semantic/shop/bad?part=dimensions", "semantic/shop/bad?part=origins"}
	for i := range hostile() {
		pages = append(pages, fmt.Sprintf("measure/shop/bad.m%d", i))
	}
	for _, path := range pages {
		p := b.Get(path)
		if p.Status != 200 {
			t.Errorf("%s: %d\n%s", path, p.Status, p.Text)
		}
		for _, element := range []string{"<script", "<img", "<h1"} {
			if strings.Count(p.Body, element) != strings.Count(plain.Body, element) {
				t.Errorf("%s has another %s", path, element)
			}
		}
		for _, l := range p.Links {
			if strings.HasPrefix(l.To, "javascript:") {
				t.Errorf("%s leads to %s", path, l.To)
			}
		}
	}
	p := b.Post("measure/shop/bad.m0", url.Values{"do": {"probe"}})
	has(t, p.Text, "in all NULL <script>alert(1)</script>")
}

// A source with thousands of members is paged, and each page is small.
func TestLargeSource(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var content strings.Builder
	content.WriteString("name: wide\ntable: orders\nprimary_key: [id]\ndimensions:\n  - {name: id, type: number}\n")
	for i := range 300 {
		fmt.Fprintf(&content, "  - {name: d%03d, type: string, expr: status, description: %q}\n", i, strings.Repeat("about ", 60))
	}
	content.WriteString("measures:\n")
	for i := range 300 {
		fmt.Fprintf(&content, "  - {name: m%03d, agg: sum, expr: amount, description: %q}\n", i, strings.Repeat("about ", 60))
	}
	f.write(t, "wide.yaml", content.String())
	b := open(t, f)
	seen := map[string]bool{}
	path := "semantic/shop/wide?part=dimensions"
	for range 100 {
		var d sourceData
		b.JSON(path, &d)
		for _, l := range d.Lines {
			if seen[l.Name] {
				t.Fatalf("%s is there twice", l.Name)
			}
			seen[l.Name] = true
		}
		b.Get(path)
		if d.Pager.Next == "" {
			break
		}
		path = "semantic/shop/wide?part=dimensions&cursor=" + d.Pager.Next
	}
	if len(seen) != 301 {
		t.Errorf("%d dimensions", len(seen))
	}
	has(t, b.Get("measure/shop/wide.m250").Text, "and 241 more", "wide.m000")
}

func TestBrief(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		room int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"<<", 9, "<…"}, {"äö", 3, "ä…"}, {"", 0, ""}, {"a", 0, "…"}} {
		if got := brief(tt.text, tt.room); got != tt.want {
			t.Errorf("%q in %d: %q", tt.text, tt.room, got)
		}
	}
}

// A measure without a time of its own is charted by one that its rows lead to.
func TestChartByAnotherTime(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "lines.yaml", `
name: lines
table: orders
primary_key: [id]
dimensions:
  - {name: id, type: number}
measures:
  - {name: quantity, agg: sum, expr: amount}
joins:
  - {to: orders, "on": "lines.id = orders.id", relationship: many_to_one}
`)
	b := open(t, f)
	p := b.Get("measure/shop/lines.quantity")
	form := p.Form("chart")
	if form == nil || form.Fields.Get("time") != "orders.day" {
		t.Fatalf("the form of the chart: %+v", form)
	}
	if got := b.Submit(*form, nil); !strings.Contains(got.Body, `<svg class="chart`) {
		t.Errorf("no chart:\n%s", got.Text)
	}
	if form := b.Get("measure/shop/orders.revenue").Form("chart"); form == nil || form.Fields.Has("time") {
		t.Errorf("a measure with a time asks for one: %+v", form)
	}
}

// disputed says that a statement about revenue waits, which contradicts it.
type disputed struct{}

func (disputed) DraftOf(context.Context, string, string) (*change.Change, error) { return nil, nil }

func (disputed) Disputes(context.Context) (*change.Disputes, error) {
	return change.DisputesOf([]change.Change{{ID: "0da5536519", State: change.Pending, Proposal: change.Proposal{
		Kind: change.Measure, Connection: "shop", Target: "orders.revenue", Says: "Revenue is net.", Conflicts: []change.Conflict{{Says: "Revenue is gross."}},
	}}}), nil
}

// The page of a measure lists the contradictions of that measure, the page of its source those of all its members.
func TestContradicted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Semantic.(*semanticquery.Service).Memory = disputed{}
	b := open(t, f)
	for path, want := range map[string]bool{"measure/shop/orders.revenue": true, "measure/shop/orders.order_count": false, "measure/shop/per_order": false, "semantic/shop/orders": true} {
		if p := b.Get(path); p.Status != 200 || strings.Contains(p.Text, "Contradicted") != want || want && !strings.Contains(p.Text, "Revenue is net.") {
			t.Errorf("%s: %d\n%s", path, p.Status, p.Text)
		}
	}
}
