package history

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/consoletest"
	calls "github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/store"
)

// fixture is a state store with the page of its history.
type fixture struct {
	t     *testing.T
	state *store.Store
	now   time.Time
	off   bool
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return &fixture{t: t, state: s, now: time.Now()}
}

func (f *fixture) Get(context.Context) (*store.Store, error) { return f.state, nil }

func (f *fixture) services() Services {
	return Services{
		State: f,
		Connections: func(context.Context) (*connection.Registry, error) {
			return connection.New(nil)
		},
		Settings: func(context.Context) (calls.Settings, error) { return calls.Set(f.off, 0, 0, ""), nil },
	}
}

// call records a call that ended so many minutes ago.
func (f *fixture) call(minutes int, c store.Call) {
	f.t.Helper()
	c.Started, c.Duration = f.now.Add(-time.Duration(minutes)*time.Minute), 12*time.Millisecond
	if c.Outcome == "" {
		c.Outcome = store.OutcomeOK
	}
	if err := f.state.PutCalls(f.t.Context(), []store.Call{c}, nil); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) event(minutes int, e store.MemoryEvent) {
	f.t.Helper()
	e.At = f.now.Add(-time.Duration(minutes) * time.Minute)
	if err := f.state.PutMemory(f.t.Context(), &store.MemoryBatch{Events: []store.MemoryEvent{e}}); err != nil {
		f.t.Fatal(err)
	}
}

const byChat, byAda = `{"channel":"mcp","client":"chat"}`, `{"channel":"cli","user":"ada","terminal":true}`

func (f *fixture) filled() *consoletest.Browser {
	f.call(50, store.Call{Request: "AAA", Tool: "sql_execution", Connection: "shop", Client: "chat", ClientVersion: "1.2", Principal: "none", Transport: "http", Rows: 7, Arguments: `{"sql":"select ?"}`})
	f.event(40, store.MemoryEvent{Actor: byChat, Verb: "applied", Change: "ab12", Run: "r1"})
	f.call(30, store.Call{Request: "BBB", Tool: "sl_query", Client: "desk", Principal: "ada", Transport: "http", Rows: store.NoRows, Outcome: "timeout", Incident: "INC7"})
	f.event(20, store.MemoryEvent{Actor: byAda, Verb: "rejected", Change: "cd34", Detail: "duplicate"})
	f.call(10, store.Call{Request: "CCC", Tool: "sql_execution", Connection: "shop", Client: "desk", Principal: "ada", Transport: "http", Rows: 0})
	return consoletest.Open(f.t, Pages(f.services()))
}

// whats lists the tools and verbs of a page in their order.
func whats(b *consoletest.Browser, address string) (string, List) {
	var l List
	b.JSON(address, &l)
	var all []string
	for _, r := range l.Rows {
		all = append(all, r.What)
	}
	return strings.Join(all, " "), l
}

// form returns the fields of the filters as they stand.
func form(p *consoletest.Page) url.Values {
	for _, f := range p.Forms {
		if f.Method == "get" && f.To == "/console/history" {
			return f.Fields
		}
	}
	return nil
}

func TestFilters(t *testing.T) {
	t.Parallel()
	b := newFixture(t).filled()
	for _, tt := range []struct {
		query, want, of string
		total           int
	}{
		{"", "sql_execution rejected sl_query applied sql_execution", "row", 5},
		{"?show=calls", "sql_execution sl_query sql_execution", "call", 3},
		{"?show=reviews", "rejected applied", "event", 2},
		{"?tool=sl_query", "sl_query", "call", 1},
		{"?client=desk", "sql_execution sl_query", "call", -1},
		{"?principal=ada&tool=sql_execution", "sql_execution", "call", -1},
		{"?connection=shop", "sql_execution sql_execution", "call", 2},
		{"?outcome=error", "sl_query", "call", 1},
		{"?outcome=ok&connection=shop", "sql_execution sql_execution", "call", 2},
		{"?incident=inc7", "sl_query", "call", -1},
		{"?incident=AAA", "sql_execution", "call", -1},
		{"?since=25m", "sql_execution rejected", "row", -1},
		{"?since=1h&show=calls", "sql_execution sl_query sql_execution", "call", 3},
		{"?verb=applied", "applied", "event", -1},
		{"?actor=ada", "rejected", "event", -1},
		{"?actor=chat", "applied", "event", -1},
		{"?change=cd34", "rejected", "event", 1},
		{"?show=calls&verb=applied", "sql_execution sl_query sql_execution", "call", 3},
	} {
		got, l := whats(b, "history"+tt.query)
		if got != tt.want || l.Of() != tt.of || l.Pager.Total != tt.total || l.Pager.Next != "" {
			t.Errorf("%s: %q, %d %s, next %q; want %q, %d %s", tt.query, got, l.Pager.Total, l.Of(), l.Pager.Next, tt.want, tt.total, tt.of)
		}
		p := b.Get("history" + tt.query)
		for _, f := range l.Filters { // what is chosen stays chosen when the form is sent again
			if form(p).Get(f.Name) != f.Value {
				t.Errorf("%s: the form forgets %s=%s", tt.query, f.Name, f.Value)
			}
		}
	}
	for _, bad := range []string{"?since=-1h", "?since=x", "?show=x", "?cursor=x", "?cursor=-1.2", "?tool=a&verb=applied", "?export=csv", "?export=xml&show=calls", "?call=x", "?tool=" + strings.Repeat("a", 300)} {
		if p := b.Get("history" + bad); p.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", bad, p.Status)
		}
	}
	if p := b.Get("history?call=99"); p.Status != http.StatusNotFound {
		t.Errorf("a call that is gone: %d", p.Status)
	}
}

func TestPageOfList(t *testing.T) {
	t.Parallel()
	b := newFixture(t).filled()
	p := b.Get("history")
	for _, want := range []string{"chat 1.2", "timeout", "INC7", "duplicate", "12ms", "5 shown of 5 rows", "loam history --json", "Save all rows"} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("no %q in %s", want, p.Text)
		}
	}
	if p.Link("cd34") != "change/cd34" || p.Link("Follow") != "history?follow=1" || strings.Contains(p.Body, "http-equiv") {
		t.Errorf("links %v", p.Links)
	}
	if p = b.Get(p.Link("Follow")); !strings.Contains(p.Text, "Loaded again every 30 seconds") || p.Link("Stop following") != "history" {
		t.Error("it is not followed")
	}
	if p = b.Get("history?actor=chat"); p.Link("Undo all of this actor") != "revert?actor=chat" || !strings.Contains(p.Text, "loam review log") {
		t.Errorf("links %v", p.Links)
	}
	if p = b.Get("history?tool=sql_execution&since=7d"); !strings.Contains(p.Text, "loam history --tool sql_execution --since 7d --json") {
		t.Error("the command does not have the filters")
	}
	p = b.Get("history?call=1")
	for _, want := range []string{"Call AAA", "select ?", "chat 1.2", "loam history show AAA"} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("no %q in %s", want, p.Text)
		}
	}
	if got, _ := whats(b, p.Link("of the same client")); got != "sql_execution" {
		t.Errorf("calls alike: %s", got)
	}
	f := newFixture(t)
	f.off = true
	p = consoletest.As(t, consoletest.ReaderToken, Pages(f.services())).Get("history?actor=")
	if !strings.Contains(p.Text, "loam agents setup") || !strings.Contains(p.Text, "history: off") {
		t.Errorf("an empty history: %s", p.Text)
	}
}

// The pages of both logs together have each row once, in the order of time, while rows arrive.
func TestPagesOfBoth(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var want []string
	for i := range 130 {
		name := fmt.Sprint("row", i)
		if i%3 == 0 {
			f.event(1000-i, store.MemoryEvent{Actor: byAda, Verb: name})
		} else {
			f.call(1000-i, store.Call{Request: name, Tool: name})
		}
		want = append([]string{name}, want...)
	}
	f.call(2000, store.Call{Request: "late", Tool: "late"}) // it began long ago, and ended last
	b := consoletest.Open(t, Pages(f.services()))
	var got []string
	address := "history"
	for {
		names, l := whats(b, address)
		got = append(got, strings.Fields(names)...)
		f.call(0, store.Call{Request: "new", Tool: "new"})
		f.event(0, store.MemoryEvent{Actor: byAda, Verb: "new"})
		if l.Pager.Next == "" {
			break
		}
		address = "history?cursor=" + l.Pager.Next
	}
	kept := map[string]int{}
	for _, name := range got {
		kept[name]++
	}
	for _, name := range append(want, "late") {
		if kept[name] != 1 {
			t.Errorf("%s is there %d times", name, kept[name])
		}
	}
	if len(got) != len(want)+1 || kept["new"] != 0 {
		t.Errorf("%d rows: %v", len(got), got)
	}
}

func TestExport(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var batch []store.Call
	for i := range exportRows + 5 {
		batch = append(batch, store.Call{Request: fmt.Sprint("R", i), Started: f.now, Tool: "t", Outcome: store.OutcomeOK, Rows: store.NoRows, Client: "=cmd|' /C calc'!A0", Arguments: `{"limit":5}`})
	}
	if err := f.state.PutCalls(t.Context(), batch, nil); err != nil {
		t.Fatal(err)
	}
	f.event(1, store.MemoryEvent{Actor: byAda, Verb: "rejected", Change: "cd34", Detail: "@x"})
	b := consoletest.Open(t, Pages(f.services()))
	p := b.Get(b.Get("history").Link("calls as csv"))
	rows, err := csv.NewReader(strings.NewReader(p.Body)).ReadAll()
	if err != nil || len(rows) != exportRows+6 || rows[0][0] != "id" || rows[1][0] != fmt.Sprint("R", exportRows+4) || rows[1][9] != "'=cmd|' /C calc'!A0" {
		t.Fatalf("%v, %d rows: %q", err, len(rows), rows[:min(2, len(rows))])
	}
	if got := p.Header.Get("Content-Disposition"); !strings.Contains(got, "attachment; filename=loam-calls-") {
		t.Errorf("sent as %s", got)
	}
	var documents []calls.Document
	if status := b.JSON("history?export=json&show=calls&tool=t", &documents); status != http.StatusOK || len(documents) != exportRows+5 || string(documents[0].Arguments) != `{"limit":5}` {
		t.Errorf("%d, %d documents", status, len(documents))
	}
	var events []event
	if b.JSON("history?export=json&show=reviews", &events); len(events) != 1 || events[0].Verb != "rejected" {
		t.Errorf("events %+v", events)
	}
	if p = b.Get("history?export=csv&show=reviews"); !strings.Contains(p.Body, ",rejected,cd34,,ada,cli,'@x\r\n") {
		t.Errorf("events %s", p.Body)
	}
	if p = b.Get("history?export=json&show=calls&tool=none"); !json.Valid([]byte(p.Body)) {
		t.Errorf("no call: %s", p.Body)
	}
}

// Texts of agents run nothing and stay in their cells.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i, bad := range []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, "a\u202egpj.exe", strings.Repeat("w", 4000), `</table><h1>x</h1>`} {
		f.call(i, store.Call{Request: bad, Tool: bad, Connection: bad, Client: bad, ClientVersion: bad, Principal: bad, Session: bad, Incident: "I", Outcome: "internal", Arguments: bad})
		actor, err := json.Marshal(map[string]string{"channel": "mcp", "client": bad})
		if err != nil {
			t.Fatal(err)
		}
		f.event(i, store.MemoryEvent{Actor: string(actor), Verb: "applied", Change: bad, Detail: bad})
	}
	b := consoletest.Open(t, Pages(f.services()))
	for _, address := range []string{"history", "history?show=calls", "history?show=reviews", "history?call=1", "history?call=4", "history?call=5", "history?actor=" + url.QueryEscape(`<script>alert(1)</script>`)} {
		p := b.Get(address) // it fails the test for scripts, a second heading and large pages
		if p.Status != http.StatusOK || strings.Contains(p.Body, "<img") || strings.Contains(p.Body, "<script>alert") {
			t.Errorf("%s: %d", address, p.Status)
		}
	}
}

// The log of reviews may be in a store of its own.
func TestTwoStores(t *testing.T) {
	t.Parallel()
	calls, log := newFixture(t), newFixture(t)
	calls.call(1, store.Call{Request: "A", Tool: "t"})
	log.event(2, store.MemoryEvent{Actor: byAda, Verb: "rejected"})
	services := calls.services()
	services.Log = log
	if got, l := whats(consoletest.Open(t, Pages(services)), "history"); got != "t rejected" || l.Pager.Total != 2 {
		t.Errorf("%s of %d", got, l.Pager.Total)
	}
}

// Missing calls are said where they are missing.
func TestGaps(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.call(50, store.Call{Request: "A", Tool: "t"})
	for i := 7; i >= 0; i-- {
		at := f.now.Add(-time.Duration(i*10) * time.Minute)
		if err := f.state.PutCalls(t.Context(), nil, []store.CallGap{{From: at, Until: at, Calls: i + 2, Reason: "<full>"}}); err != nil {
			t.Fatal(err)
		}
	}
	b := consoletest.Open(t, Pages(f.services()))
	p := b.Get("history")
	if !strings.Contains(p.Text, "2 calls between") || strings.Contains(p.Text, "7 calls between") || strings.Contains(p.Text, "9 calls between") || strings.Count(p.Text, "are missing") != maxGaps {
		t.Errorf("%s", p.Text)
	}
	if p = b.Get("history?show=reviews"); strings.Contains(p.Text, "are missing") {
		t.Error("reviews miss no calls")
	}
}

// A page of the longest texts is small enough, and one of 100,000 calls reads a part of them.
func TestLongLists(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	long := strings.Repeat("<", 100)
	var batch []store.Call
	for i := range 15_000 {
		batch = append(batch, store.Call{Request: fmt.Sprint("R", i), Started: f.now, Tool: "sql_execution", Outcome: "unauthenticated", Client: long, Connection: long, Principal: long, Incident: "4ZQ5LJ2XH7KWM"})
	}
	if err := f.state.PutCalls(t.Context(), batch, nil); err != nil {
		t.Fatal(err)
	}
	b := consoletest.Open(t, Pages(f.services()))
	for _, address := range []string{"history", "history?since=7d&outcome=error"} {
		if p := b.Get(address); !strings.Contains(p.Text, "50 shown") { // it fails the test for a large page
			t.Errorf("%s: %s", address, p.Text)
		}
	}
	if p := b.Get("history?outcome=error"); !strings.Contains(p.Text, "More than 10,000 fit") {
		t.Errorf("%s", p.Text)
	}
	p := b.Get("history?client=nobody")
	if !strings.Contains(p.Text, "10,000 rows were searched") || !strings.Contains(p.Text, "None of the searched rows fits") {
		t.Errorf("%s", p.Text)
	}
	if p = b.Get(p.Link("Next page")); strings.Contains(p.Text, "were searched") || !strings.Contains(p.Text, "Nothing fits") {
		t.Errorf("%s", p.Text)
	}
}
