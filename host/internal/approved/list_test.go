package approved_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/approved"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/savedquery"
	"github.com/loam-data/loam/sdk"
)

// listed returns the names of a page.
func (f *fixture) listed(r approved.ListRequest) (names []string) {
	f.t.Helper()
	l, err := f.List(f.t.Context(), r)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, q := range l.Queries {
		names = append(names, string(q.ConnectionID)+"/"+q.Name)
	}
	return names
}

// Every input of a list changes its answer.
func TestList(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put("shop/orders", orders+"\ntags: [Finance, weekly]\nconstraints: Without taxes.\nexamples: [{since: 2024-01-01}, {since: 2024-01-02}, {since: 2024-01-03}]", ordersSQL)
	f.put("shop/hosts", "title: Top hosts by revenue\ntags: [finance]\nreviewed: true", "SELECT 1")
	f.put("crm/tickets", "description: Tickets of the customers who pay.\nreviewed: true", "SELECT 1")
	f.put("crm/draft", "title: Revenue\ntags: [finance]", "SELECT 1")
	f.put("crm/broken", "titel: x\nreviewed: true", "SELECT 1")
	f.put("gone/secret", "reviewed: true", "SELECT 1")
	for _, tt := range []struct {
		name string
		r    approved.ListRequest
		want []string
	}{
		{"all", approved.ListRequest{}, []string{"crm/tickets", "shop/hosts", "shop/orders"}},
		{"of a connection", approved.ListRequest{Connection: "crm"}, []string{"crm/tickets"}},
		{"also unreviewed ones", approved.ListRequest{All: true, Connection: "crm"}, []string{"crm/draft", "crm/tickets"}},
		{"a tag in any case", approved.ListRequest{Tags: []string{"FINANCE"}}, []string{"shop/hosts", "shop/orders"}},
		{"two tags", approved.ListRequest{Tags: []string{"finance", "weekly"}}, []string{"shop/orders"}},
		{"words", approved.ListRequest{Query: "the revenue of customers"}, []string{"shop/hosts", "crm/tickets"}},
		{"a singular", approved.ListRequest{Query: "host"}, []string{"shop/hosts"}},
		{"the name of a parameter", approved.ListRequest{Query: "since"}, []string{"shop/orders"}},
		{"nothing", approved.ListRequest{Query: "weather"}, nil},
		{"a limit", approved.ListRequest{Limit: 1}, []string{"crm/tickets"}},
	} {
		if got := f.listed(tt.r); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	last := time.Date(2026, 5, 1, 12, 0, 0, 0, time.FixedZone("", 7200))
	f.uses = map[history.SavedQuery]history.Usage{{Connection: "shop", Name: "orders"}: {Runs: 3, Last: last, Outcome: "timeout"}}
	l, err := f.List(t.Context(), approved.ListRequest{Query: "orders"})
	if err != nil {
		t.Fatal(err)
	}
	at, outcome, caveat := "2026-05-01T10:00:00Z", "timeout", "Without taxes."
	want := approved.Listed{
		Name: "orders", ConnectionID: "shop", Title: "Orders", Output: []savedquery.Column{{Name: "id", Type: "integer"}, {Name: "status", Type: "string"}},
		Parameters: []savedquery.Parameter{
			{Name: "since", Type: savedquery.Date, Required: true}, {Name: "status", Type: savedquery.Strings}, {Name: "top", Type: savedquery.Integer, Default: 10, Maximum: 100},
		},
		Constraints: &caveat, Examples: l.Queries[0].Examples, Tags: []string{"Finance", "weekly"}, Usage: &approved.Usage{Runs: 3, LastRunAt: &at, LastOutcome: &outcome},
	}
	if diff := cmp.Diff(want, l.Queries[0]); diff != "" || len(want.Examples) != 2 || l.Total != 1 || l.NextCursor != nil {
		t.Errorf("%+v (-want +got):\n%s", l, diff)
	}
	if len(l.Notes) != 1 || !strings.Contains(l.Notes[0], "1 file") {
		t.Errorf("the broken file: %v", l.Notes)
	}
	if diff := cmp.Diff([]history.SavedQuery{{Connection: "shop", Name: "orders"}}, f.used); diff != "" {
		t.Errorf("the usage of other queries than those of the page (-want +got):\n%s", diff)
	}
	f.recorded = false
	if l, err := f.List(t.Context(), approved.ListRequest{}); err != nil || l.Queries[0].Usage != nil {
		t.Errorf("without a history: %v, %+v", err, l.Queries[0].Usage)
	}
	f.usageErr = errors.New("the disk is full")
	if l, err := f.List(t.Context(), approved.ListRequest{}); err != nil || len(l.Notes) != 2 {
		t.Errorf("a history that cannot be read: %v, %v", err, l)
	}
}

func TestListRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put("shop/a", "reviewed: true", "SELECT 1")
	for name, tt := range map[string]struct {
		r    approved.ListRequest
		kind sdk.Kind
	}{
		"too many":              {approved.ListRequest{Limit: 201}, sdk.KindInvalid},
		"fewer than none":       {approved.ListRequest{Limit: -1}, sdk.KindInvalid},
		"too long":              {approved.ListRequest{Query: strings.Repeat("x", 501)}, sdk.KindInvalid},
		"too many tags":         {approved.ListRequest{Tags: make([]string, 21)}, sdk.KindInvalid},
		"no cursor":             {approved.ListRequest{Cursor: "x"}, sdk.KindInvalid},
		"an unknown connection": {approved.ListRequest{Connection: "nowhere"}, sdk.KindNotFound},
	} {
		if _, err := f.List(t.Context(), tt.r); sdk.KindOf(err) != tt.kind || sdk.AsError(err, "").Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Pages have every query once; a cursor is good for its arguments and for the files as they were.
func TestPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 7 {
		f.put(fmt.Sprintf("shop/q%d", i), "title: A query\nreviewed: true", "SELECT 1")
	}
	var names []string
	r := approved.ListRequest{Limit: 3, Query: "query"}
	for {
		l, err := f.List(t.Context(), r)
		if err != nil || l.Total != 7 {
			t.Fatalf("%v, %+v", err, l)
		}
		for _, q := range l.Queries {
			names = append(names, q.Name)
		}
		if l.NextCursor == nil {
			break
		}
		r.Cursor = *l.NextCursor
	}
	if diff := cmp.Diff([]string{"q0", "q1", "q2", "q3", "q4", "q5", "q6"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	other := r
	other.Query = "a query"
	if _, err := f.List(t.Context(), other); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("other words: %v", err)
	}
	f.put("shop/q9", "title: A query\nreviewed: true", "SELECT 1")
	if _, err := f.List(t.Context(), r); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("another file: %v", err)
	}
}

// What a stranger puts into the folder is refused in a sentence, and keeps nothing else from working.
func TestStrangersFolder(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put("shop/good", "reviewed: true", "SELECT 1 AS n")
	outside := filepath.Join(t.TempDir(), "outside.sql")
	if err := os.WriteFile(outside, []byte("/* loam\nreviewed: true\n*/\nSELECT 'outside'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	shop := filepath.Join(f.dir, "queries", "shop")
	for name, to := range map[string]string{"link.sql": outside, "loop.sql": "loop.sql", "device.sql": "/dev/zero"} {
		if err := os.Symlink(to, filepath.Join(shop, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(f.dir, "queries", "crm")); err != nil {
		t.Fatal(err)
	}
	f.file("shop/huge.sql", "/* loam\nreviewed: true\n*/\nSELECT '"+strings.Repeat("x", 10<<20)+"'")
	f.file("shop/bomb.sql", "/* loam\ntags: &a [x]\nexamples: [{a: [*a, *a]}]\nreviewed: true\n*/\nSELECT 1")
	f.file("shop/deep.sql", "/* loam\nexamples: [{a: "+strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)+"}]\n*/\nSELECT 1")
	f.file("shop/latin.sql", "/* loam\nreviewed: true\n*/\nSELECT '\xe9'")
	f.file("shop/nul.sql", "/* loam\nreviewed: true\n*/\nSELECT '\x00'")
	f.file("shop/Upper Case.sql", "/* loam\nreviewed: true\n*/\nSELECT 1")
	f.file("lost.sql", "/* loam\nreviewed: true\n*/\nSELECT 1")
	if got := f.listed(approved.ListRequest{}); !slices.Equal(got, []string{"shop/good"}) {
		t.Errorf("listed: %v", got)
	}
	for _, name := range []string{"huge", "bomb", "deep", "latin", "nul"} {
		f.refused(approved.Run{Name: name}, sdk.KindInvalid, "queries/shop/"+name+".sql")
	}
	for _, name := range []string{"link", "loop", "device", "outside"} {
		var s sink
		if _, err := f.Execute(t.Context(), approved.Run{Name: name}, &s); err == nil {
			t.Errorf("%s ran: %v", name, s.rows)
		}
	}
	all, err := f.Check(t.Context(), "", "", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.OK != (c.Name == "good") || !c.OK && (c.Checks[0].Check != approved.CheckFile || len(c.Checks[0].Message) < 20) {
			t.Errorf("%+v", c)
		}
	}
	if _, rows := f.run(approved.Run{Name: "good"}); len(rows) != 1 {
		t.Errorf("%v", rows)
	}
}
