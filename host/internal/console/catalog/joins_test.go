package catalog

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/console/consoletest"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/sdk"
)

// rows returns the joins of a page.
func rows(t *testing.T, b *consoletest.Browser, query string) (all []joinRow) {
	t.Helper()
	var data joinsPage
	if status := b.JSON("catalog/wh/joins"+query, &data); status != 200 {
		t.Fatalf("%s: %d", query, status)
	}
	return data.Joins
}

// bulk returns the form of the joins with rows marked.
func bulk(t *testing.T, p *consoletest.Page, do string, marked ...joinRow) (consoletest.Form, url.Values) {
	t.Helper()
	at := slices.IndexFunc(p.Forms, func(f consoletest.Form) bool { return f.Method == "post" && f.Fields.Get("back") != "" })
	if at < 0 {
		t.Fatalf("%s has no form for joins", p.Path)
	}
	fields := url.Values{"do": {do}, "note": {"seen by ada"}}
	for _, row := range marked {
		fields.Add("link", row.Value())
	}
	return p.Forms[at], fields
}

// undo returns the form of the flash message.
func undo(t *testing.T, p *consoletest.Page) consoletest.Form {
	t.Helper()
	form := p.Form("undo")
	if form == nil {
		t.Fatalf("nothing can be undone: %s", p.Text)
	}
	return *form
}

func TestJoins(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.shop(t)
	b := consoletest.Open(t, Pages(f.Services))
	p := b.Get("catalog/wh/joins")
	says(t, p, "3 joins wait for a person", "3 shown of 3 joins",
		"shop.orders ( agent_id ) shop.agents ( id ) n:1 92 % 92 % 97 % – 3 of 100 values missing some values are not in the table it would refer to Rows shop.staff ( id ) 75 %, contained 97 % undecided",
		"shop.log_2024 ( order_id ) and 3 like it shop.log_2024, shop.log_2023, shop.log_2022, shop.log_2021", "loam catalog relationships --status review -c wh")
	for query, want := range map[string]int{
		"?state=all": 4, "?state=inferred": 1, "?state=refuted": 0, "?confidence=high": 1, "?confidence=middle": 1, "?confidence=low": 1,
		"?table=LOG_2022": 1, "?table=shop.agents": 1, "?state=all&table=items": 1,
	} {
		if got := rows(t, b, query); len(got) != want {
			t.Errorf("%s: %d joins instead of %d", query, len(got), want)
		}
	}
	for _, bad := range []string{"state=x", "confidence=x"} {
		if p := b.Get("catalog/wh/joins?" + bad); p.Status != 422 {
			t.Errorf("%s: %d", bad, p.Status)
		}
	}
	says(t, b.Get("catalog/wh/joins?state=rejected"), "No join matches", "--status all", "loam catalog relationships --status rejected -c wh")
	reader := consoletest.As(t, consoletest.ReaderToken, Pages(f.Services))
	if got := reader.Post("catalog/wh/joins", url.Values{"do": {"accept"}, "link": {rows(t, b, "")[0].Value()}}); got.Status != 403 || strings.Contains(reader.Get("catalog/wh/joins").Body, "data-select") {
		t.Errorf("a reader decides: %d", got.Status)
	}
}

// Rows are decided in bulk, families whole; the flash takes all of it back, and can itself be taken back.
func TestDecide(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.shop(t)
	b := consoletest.Open(t, Pages(f.Services))
	waiting := rows(t, b, "")
	form, fields := bulk(t, b.Get("catalog/wh/joins?confidence="), "accept", waiting[0], waiting[2])
	p := b.Submit(form, fields)
	says(t, p, "Accepted 5 joins", "shop.log_2024(order_id) → shop.orders(id), and 3 like it", "No join waits for a person")
	if !strings.HasPrefix(p.Path, "catalog/wh/joins?confidence=") {
		t.Errorf("it leads to %s", p.Path)
	}
	done := rows(t, b, "?state=accepted")
	slices.SortFunc(done, func(a, b joinRow) int { return a.Count - b.Count })
	if len(done) != 2 || done[0].Note != "seen by ada" || done[1].Count != 4 || done[0].DecidedAt.IsZero() {
		t.Errorf("accepted: %+v", done)
	}
	form2, fields2 := bulk(t, b.Get("catalog/wh/joins?state=accepted"), "reject", done[0])
	p2 := b.Submit(form2, fields2)
	says(t, p2, "Rejected 1 join")
	back := b.Submit(undo(t, p2), nil)
	says(t, back, "Took back the decision about 1 join")
	if again := rows(t, b, "?state=accepted"); len(again) != 2 || again[0].Note != "seen by ada" {
		t.Errorf("the earlier decision is not back: %+v", again)
	}
	says(t, b.Submit(undo(t, back), nil), "Took back the decision about 1 join")
	if again := rows(t, b, "?state=rejected"); len(again) != 1 {
		t.Errorf("the rejection is not back: %+v", again)
	}
	form3, fields3 := bulk(t, b.Get("catalog/wh/joins?state=all"), "forget", rows(t, b, "?state=all")...)
	says(t, b.Submit(form3, fields3), "Forgot the decision about 5 joins; 2 of 4 rows not done", "Not done: nothing was decided on shop.items(order_id)")
}

// A decision about hundreds of copies is taken back with one click, and says who took it: a whole group, and links that
// became part of a group with others.
func TestUndoOfManyCopies(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	tables := []*sdk.Table{table("orders", "id")}
	var found []relationship.Relationship
	for i := range 900 {
		name := fmt.Sprintf("log_%d", 1000+i)
		tables = append(tables, table(name, "id", "order_id"))
		status := relationship.Review
		if i < 300 {
			status = relationship.Accepted
		}
		found = append(found, inferred(name, "order_id", "orders", status, .6))
	}
	f.scan(t, "s1", tables, nil, found...)
	b := consoletest.Open(t, Pages(f.Services))
	decide := func(do, of, said string) *consoletest.Page {
		t.Helper()
		form, fields := bulk(t, b.Get("catalog/wh/joins"+of), do, rows(t, b, of)...)
		p := b.Submit(form, fields)
		says(t, p, said)
		return p
	}
	waiting := func(want int) {
		t.Helper()
		if got := rows(t, b, ""); len(got) != 1 || got[0].Count != want {
			t.Fatalf("%d rows wait: %+v", len(got), got)
		}
	}
	p := decide("accept", "", "Accepted 600 joins")
	if again := undo(t, p); len(again.Fields["link"]) != 1 || again.Fields["link"][0] == "" {
		t.Errorf("%d rows are taken back", len(again.Fields["link"]))
	}
	says(t, b.Get("catalog/wh/joins?state=accepted"), "by ", "(console")
	says(t, b.Submit(undo(t, p), nil), "Took back the decision about 600 joins")
	waiting(600)

	decide("reject", "", "Rejected 600 joins")
	p = decide("accept", "?state=all", "Accepted 900 joins") // those that were rejected, and those that were inferred
	if again := undo(t, p); len(again.Fields["link"]) != 3 || len(p.Body) > 60<<10 {
		t.Errorf("%d parts are taken back, the page has %d bytes", len(again.Fields["link"]), len(p.Body))
	}
	says(t, b.Submit(undo(t, p), nil), "Took back the decision about 900 joins")
	if got := rows(t, b, "?state=rejected"); len(got) != 1 || got[0].Count != 600 {
		t.Errorf("%+v", got)
	}
}

// What is too much for the form of a flash is taken back in the list, and the button says so.
func TestUndoOfMoreThanFits(t *testing.T) {
	t.Parallel()
	var outcomes []review.Outcome
	for range 5 {
		outcomes = append(outcomes, review.Outcome{Back: []review.Choice{{ID: "a", More: []string{strings.Repeat("b", maxUndo/4)}, Version: "c"}}})
	}
	for n, want := range []string{"", "Undo", "Undo", "Undo", "Undo 3 of 4 parts", "Undo 3 of 5 parts"} {
		form := undoOf("wh", outcomes[:n], "")
		if form == nil {
			form = &page.Form{}
		}
		if form.Label != want || len(form.Fields["link"]) != min(n, 3) {
			t.Errorf("%d: %q with %d", n, form.Label, len(form.Fields["link"]))
		}
	}
}

// A decision about what changed since is refused, and the others are made.
func TestDecideOnWhatWasSeen(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.shop(t)
	b := consoletest.Open(t, Pages(f.Services))
	waiting := rows(t, b, "")
	p := b.Get("catalog/wh/joins")
	form, fields := bulk(t, p, "accept", waiting...)
	says(t, b.Submit(form, fields), "Accepted 4 joins; 2 of 3 rows not done", "is one of 2 chosen parents of the same columns. Accept one of them.")
	form, fields = bulk(t, p, "reject", waiting[1:]...)
	says(t, b.Submit(form, fields), "Rejected 1 join; 1 of 2 rows not done", "is no longer as it was seen: it was accepted 2026-01-02")
	for name, links := range map[string][]string{
		"nothing": nil, "too many": slices.Repeat([]string{waiting[0].Value()}, 201), "no version": {waiting[0].ID}, "another status": {waiting[0].Value() + ".other"}, "empty": {"."},
	} {
		if p := b.Post("catalog/wh/joins", url.Values{"do": {"accept"}, "link": links}); p.Status != 422 {
			t.Errorf("%s: %d", name, p.Status)
		}
	}
	if p := b.Post("catalog/wh/joins", url.Values{"do": {"accept"}, "link": {waiting[0].Value()}, "note": {strings.Repeat("x", 501)}}); p.Status != 422 {
		t.Errorf("a long note: %d", p.Status)
	}
}

// A family that is too large for the button of a flash is taken back in the list.
func TestDecideLargeFamily(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	tables := []*sdk.Table{table("orders", "id")}
	var found []relationship.Relationship
	for i := range 1000 {
		name := fmt.Sprintf("log_%d", 20250000+i)
		tables = append(tables, table(name, "id", "order_id"))
		found = append(found, inferred(name, "order_id", "orders", relationship.Review, .6))
	}
	f.scan(t, "s1", tables, nil, found...)
	b := consoletest.Open(t, Pages(f.Services))
	p := b.Get("catalog/wh/joins")
	row := rows(t, b, "")[0]
	says(t, p, "and 999 like it", fmt.Sprintf("and %d more", row.MoreMembers))
	if len(row.Members)+row.MoreMembers != 1000 || row.MoreMembers == 0 {
		t.Errorf("%d members and %d more", len(row.Members), row.MoreMembers)
	}
	form, fields := bulk(t, p, "accept", rows(t, b, "")...)
	says(t, b.Submit(form, fields), "Accepted 1000 joins")
	form, fields = bulk(t, b.Get("catalog/wh/joins?state=accepted"), "forget", rows(t, b, "?state=accepted")...)
	says(t, b.Submit(form, fields), "Forgot the decision about 1000 joins")
}

func TestSampleJoin(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.shop(t)
	b := consoletest.Open(t, Pages(f.Services))
	p := b.Get("catalog/wh/joins?state=all")
	row := rows(t, b, "?state=all")[0]
	if !strings.Contains(p.Body, "&amp;sample="+row.ID) && !strings.Contains(p.Body, "?sample="+row.ID) {
		t.Fatal("no button reads rows")
	}
	if len(f.samples) > 0 {
		t.Fatal("the warehouse is asked without a click")
	}
	shown := b.Post("catalog/wh/joins?sample="+row.ID, url.Values{"do": {"sample"}, "link": {row.Value()}, "note": {"half typed"}})
	says(t, shown, "Rows of shop.orders agent_id id customer_id email 7 NULL 7 7 Withheld by the privacy rules: email", "Rows of shop.agents to which they refer")
	if !strings.Contains(shown.Body, row.Value()+`" data-select checked`) || !strings.Contains(shown.Body, "half typed") {
		t.Error("what was marked and typed is gone")
	}
	if len(f.samples) != 2 || f.samples[0].Limit != sampleRows || len(f.samples[1].Where) != 1 || fmt.Sprint(f.samples[1].Where[0].Values) != "[7]" {
		t.Errorf("asked: %+v", f.samples)
	}
	if len(f.recorded) != 2 || f.recorded[0].Tool != toolSample || f.recorded[0].Rows != 1 || f.recorded[0].Actor.Channel != "console" || !strings.Contains(string(f.recorded[1].Arguments), "shop.agents") {
		t.Errorf("recorded: %+v", f.recorded)
	}
	f.denied = "shop.agents"
	says(t, b.Post("catalog/wh/joins?sample="+row.ID, url.Values{"do": {"sample"}}), "the catalog withholds the … values of all these columns . name other columns")
	if p := b.Post("catalog/wh/joins?sample=none", url.Values{"do": {"sample"}}); p.Status != 404 {
		t.Errorf("an unknown join: %d", p.Status)
	}
	says(t, b.Post("catalog/wh/table/shop.orders", url.Values{"do": {"sample"}}), "Some rows", "Rows of shop.orders id customer_id agent_id email")
}

// Without a history, nobody asks a warehouse; without a memory, nobody describes a table.
func TestWithoutRecord(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.shop(t)
	f.Record, f.Redact, f.Now, f.Memory, f.Source = nil, nil, nil, nil, nil
	b := consoletest.Open(t, Pages(f.Services))
	for _, path := range []string{"catalog/wh/joins", "catalog/wh/table/shop.orders"} {
		if p := b.Get(path); p.Status != 200 || strings.Contains(p.Body, `value="sample"`) || p.Form("describe") != nil {
			t.Errorf("%s: %d, with a form for what is not there", path, p.Status)
		}
		if p := b.Post(path, url.Values{"do": {"sample"}}); p.Status != 422 {
			t.Errorf("%s: %d", path, p.Status)
		}
	}
}

// Values of rows become values of a condition of the type of the column.
func TestFirstValues(t *testing.T) {
	t.Parallel()
	raw := func(cells ...string) (rows [][][]byte) {
		for _, c := range cells {
			rows = append(rows, [][]byte{[]byte(c)})
		}
		return append(rows, nil)
	}
	for _, tt := range []struct {
		cells []string
		with  sdk.Type
		want  string
	}{
		{[]string{`"1"`, `"1"`, `null`, `2`}, sdk.TypeInt64, `[json.Number("1") json.Number("2")]`},
		{[]string{`"a"`, `true`, `{"x":1}`, `[1]`, `broken`}, sdk.TypeText, `["a" true]`},
	} {
		var got []string
		for _, v := range firstValues(raw(tt.cells...), tt.with) {
			got = append(got, strings.Replace(fmt.Sprintf("%T(%q)", v, fmt.Sprint(v)), "string(", "(", 1))
		}
		if text := fmt.Sprint(got); strings.NewReplacer(`("a")`, `"a"`, `bool("true")`, "true").Replace(text) != tt.want {
			t.Errorf("%v: %s", tt.cells, text)
		}
	}
}

// Sixty joins take two pages, which the cursor walks through; when its join was decided, the first page is shown.
func TestJoinsPaging(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var columns []string
	var found []relationship.Relationship
	for i := range 60 {
		columns = append(columns, fmt.Sprintf("c%d_id", i))
		found = append(found, inferred("wide", columns[i], "parent", relationship.Review, .5+float64(i)/200))
	}
	f.scan(t, "s1", []*sdk.Table{table("wide", append([]string{"id"}, columns...)...), table("parent", "id")}, nil, found...)
	b := consoletest.Open(t, Pages(f.Services))
	var first, second joinsPage
	b.JSON("catalog/wh/joins", &first)
	b.JSON("catalog/wh/joins?cursor="+first.Pager.Next, &second)
	if len(first.Joins) != pageJoins || len(second.Joins) != pageJoins || second.Pager.Next != "" || first.Joins[0].Score < first.Joins[1].Score || second.Joins[0].Score > first.Joins[29].Score {
		t.Errorf("pages: %+v, %+v", first.Pager, second.Pager)
	}
	form, fields := bulk(t, b.Get("catalog/wh/joins?cursor="+first.Pager.Next), "accept", second.Joins...)
	says(t, b.Submit(form, fields), "Accepted 30 joins", "30 shown of 30 joins")
	says(t, b.Get("catalog/wh/joins?state=all&cursor=gone"), "30 shown of 60 joins")
}
