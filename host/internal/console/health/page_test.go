package health

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/consoletest"
	"github.com/loam-data/loam/host/internal/daemon"
	"github.com/loam-data/loam/host/internal/failure"
	check "github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/project/setting"
	"github.com/loam-data/loam/host/internal/trust"
	"github.com/loam-data/loam/sdk"
)

// project is a service whose answers a test sets.
type project struct {
	status   check.Status
	err      error
	tested   []connection.ID
	steps    []sdk.TestStep
	testErr  error
	settings []setting.Setting
	items    []trust.Item
	free     *int64
	hint     string
}

func (p *project) Status(context.Context) (*check.Status, error) {
	s := p.status
	return &s, p.err
}

func (p *project) Disk(context.Context) (*check.Disk, error) {
	return &check.Disk{Path: "/shop/.loam", Bytes: 3 << 20, Files: 7, Partial: true, Free: p.free, Hint: p.hint}, nil
}

func (p *project) TestConnection(_ context.Context, id connection.ID, resume bool, report func(sdk.TestStep)) (*check.Tested, error) {
	if p.tested = append(p.tested, id); resume {
		return nil, errors.New("what is suspended must stay so")
	}
	if id != "shop" {
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no connection %s", id)
	}
	out := &check.Tested{Connection: id, OK: true, Steps: check.NewSteps(p.steps)}
	for _, s := range p.steps {
		report(s)
		out.OK = out.OK && s.Err == nil
	}
	return out, p.testErr
}

func (p *project) open(t *testing.T, token string) *consoletest.Browser {
	t.Helper()
	return consoletest.As(t, token, Pages(Services{
		Health: p, Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") },
		Settings: func(context.Context) ([]setting.Setting, error) { return p.settings, nil },
		Trust:    func(context.Context) ([]trust.Item, error) { return p.items, nil },
		Recorded: func() history.Stats {
			return history.Stats{Recorded: 12, Lost: 3, Failure: sdk.Errorf(sdk.KindLimit, sdk.SourceHost, "the disk is full").WithHint("make room")}
		},
	}))
}

func whole() *project {
	return &project{
		status: check.Status{
			Status: check.Degraded, Version: "1.2", Project: "/shop/loam.yaml", Versions: check.Versions{Loam: "1.2", ContractMinor: 7, Connectors: map[string]string{"foodb": "0.9"}},
			Components: []check.Component{{Name: "index", Status: check.Degraded, Detail: "2 segments", Hint: "the next search makes them"}, {Name: "connection shop", Status: check.Unhealthy, Detail: "beside its own table"}},
			Store:      &check.StoreState{Path: "/shop/.loam/state.db", Schema: 12, Bytes: 4096}, Runs: &check.RunCounts{Queued: 1, Running: 2, Failed: 3}, History: &check.Calls{Calls: 5, Missing: 4},
			Server: &check.Server{State: daemon.Running, Serving: &check.Serving{
				Live:  []daemon.Connector{{Name: "foodb", State: "ready", Open: []string{"shop"}, PID: 4242}, {Name: "bar", State: "failed", Failure: "password hunter2 is wrong", NextStart: time.Now()}},
				Calls: map[string]daemon.Calls{"shop": {Running: 6, Waiting: 8}},
			}},
			Connections: []check.Connection{
				{ID: "shop", Connector: "foodb", Status: "failed", Server: "Foo 9", User: "reader", ReadOnly: "SET TRANSACTION READ ONLY", OpenedAt: "2026-11-28T10:00:00Z", Failure: &failure.Failure{Message: "no route, hunter2", Hint: "start the server"}, LastScan: &catalog.Summary{}},
				{ID: "crm", Connector: "bar", Status: "unknown"},
			},
			Problems: []error{errors.New("the file of crm is broken: hunter2")},
		},
		steps:    []sdk.TestStep{{Name: "open", Detail: "Foo 9"}, {Name: "read-only", Err: sdk.Errorf(sdk.KindDenied, sdk.SourceWarehouse, "role hunter2 may write").WithHint("use another role"), Statements: []string{"REVOKE x"}}},
		settings: []setting.Setting{{Key: "mcp.ask", Value: "off", From: setting.FromFile, Line: 2}, {Key: "history.rows", Value: 100000, From: setting.FromDefault}},
		items:    []trust.Item{{Ask: trust.Ask{Kind: trust.KindCommand, Where: "connections.shop.config.password", What: "run vault hunter2"}, State: trust.StateNew}},
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	p := whole()
	b := p.open(t, consoletest.ReviewerToken)
	got := b.Get("health")
	for _, want := range []string{
		"degraded /shop/loam.yaml, Loam 1.2", "Foo 9 as reader", "SET TRANSACTION READ ONLY", "not proved yet", "no route, *** (start the server)", "the file of crm is broken: ***",
		"foodb several ready shop 4242 6 8", "password *** is wrong", "2 segments", "Runs that failed 3", "4 missing", "Lost by this process 3", "the disk is full: make room",
		"schema 12, 4096 bytes", "3.0 MiB at least in 7 files", "Contract 1.7", "Connector foodb 0.9", "1 permission not given", "connections.shop.config.password", "mcp.ask off file line 2", "history.rows 100000 default",
		"loam status --json",
	} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("no %q in %s", want, got.Text)
		}
	}
	for _, bad := range []string{"hunter2", "vault", "beside its own table"} {
		if strings.Contains(got.Body, bad) {
			t.Errorf("%q is shown", bad)
		}
	}
	if got.Link("shop") != "catalog/shop" || len(p.tested) != 0 {
		t.Errorf("links %v, tested %v", got.Links, p.tested)
	}
	var twin Status
	if b.JSON("health", &twin); twin.Recording.Lost != 3 || len(twin.Connectors) != 2 || twin.Status.Status != check.Degraded {
		t.Errorf("JSON: %+v", twin)
	}
}

func TestFreeSpace(t *testing.T) {
	t.Parallel()
	p := whole()
	b := p.open(t, consoletest.ReviewerToken)
	if got := b.Get("health"); !strings.Contains(got.Text, "Free on its file system unknown") {
		t.Errorf("not known: %s", got.Text)
	}
	free := int64(300 << 20)
	p.free, p.hint = &free, "loam connector gc"
	if got := b.Get("health"); !strings.Contains(got.Text, "Free on its file system 300 MiB Little space is left: loam connector gc") {
		t.Errorf("little: %s", got.Text)
	}
}

func TestTest(t *testing.T) {
	t.Parallel()
	p := whole()
	b := p.open(t, consoletest.ReviewerToken)
	got := b.Submit(*b.Get("health").Form("test"), nil)
	for _, want := range []string{"Test of shop", "The test failed", "read-only failed role *** may write (use another role) REVOKE x", "open ok Foo 9", "loam connection test shop --json"} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("no %q in %s", want, got.Text)
		}
	}
	if strings.Contains(got.Body, "hunter2") || len(p.tested) != 1 {
		t.Errorf("%v: %s", p.tested, got.Text)
	}
	p.steps, p.testErr = p.steps[:1], sdk.Errorf(sdk.KindUnavailable, sdk.SourceConnector, "it ended, hunter2")
	if got = b.Post("health", url.Values{"do": {"test"}, "connection": {"shop"}}); !strings.Contains(got.Text, "it ended, ***") || !strings.Contains(got.Text, "open ok") {
		t.Errorf("a test that breaks off: %s", got.Text)
	}
	p.testErr = nil
	if got = b.Post("health", url.Values{"do": {"test"}, "connection": {"shop"}}); !strings.Contains(got.Text, "All steps passed") {
		t.Errorf("a test that passes: %s", got.Text)
	}
	if got = b.Post("health", url.Values{"do": {"test"}, "connection": {"x; rm"}}); !strings.Contains(got.Text, "there is no connection x; rm") || !strings.Contains(got.Text, "loam connection test 'x; rm'") {
		t.Errorf("an unknown connection: %s", got.Text)
	}
	if got = b.Post("health", url.Values{"do": {"test"}}); got.Status != http.StatusUnprocessableEntity {
		t.Errorf("no connection: %d", got.Status)
	}
}

func TestReaderTestsNothing(t *testing.T) {
	t.Parallel()
	p := whole()
	b := p.open(t, consoletest.ReaderToken)
	if got := b.Get("health"); got.Form("test") != nil {
		t.Error("a reader sees the button")
	}
	if got := b.Post("health", url.Values{"do": {"test"}, "connection": {"shop"}}); got.Status != http.StatusForbidden || len(p.tested) != 0 {
		t.Errorf("a reader tests: %d", got.Status)
	}
}

func TestEmptyProject(t *testing.T) {
	t.Parallel()
	p := &project{status: check.Status{Status: check.Unknown}}
	got := p.open(t, consoletest.ReviewerToken).Get("health")
	for _, want := range []string{"loam connection add", "No connector process runs", "Runs unknown", "Last 24 hours unknown", "asks for nothing"} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("no %q in %s", want, got.Text)
		}
	}
	p.err = sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "loam.yaml is broken").WithHint("mend line 3")
	if got = p.open(t, consoletest.ReviewerToken).Get("health"); !strings.Contains(got.Text, "loam.yaml is broken") || !strings.Contains(got.Text, "mend line 3") {
		t.Errorf("a broken project: %s", got.Text)
	}
}

// Texts of warehouses and connectors run nothing, and many connections make no large page.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	p := whole()
	bad := `<script>alert(1)</script>"><img src=x onerror=alert(1)>` + "\u202e" + strings.Repeat("w", 10_000)
	p.steps = []sdk.TestStep{{Name: bad[:100], Detail: bad, Statements: []string{bad}}, {Name: "x", Err: sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "%s", bad)}}
	p.status.Components = []check.Component{{Name: "index", Detail: bad, Hint: bad}}
	for i := range p.status.Connections {
		c := &p.status.Connections[i]
		c.Server, c.User, c.ReadOnly, c.Failure = bad, bad, bad, &failure.Failure{Message: bad, Hint: bad}
	}
	p.status.Server.Live[0].Failure = bad
	for range 100 {
		p.status.Connections = append(p.status.Connections, check.Connection{ID: "another", Connector: "foodb"})
		p.settings = append(p.settings, setting.Setting{Key: "connections.another.limits.timeout", Value: "1m0s", From: setting.FromDefault})
		p.items = append(p.items, p.items[0])
	}
	b := p.open(t, consoletest.ReviewerToken)
	for _, got := range []*consoletest.Page{b.Get("health"), b.Post("health", url.Values{"do": {"test"}, "connection": {"shop"}})} {
		if strings.Contains(got.Body, "<script>alert") || strings.Contains(got.Body, "<img") { // scripts, headings and sizes are checked by the browser
			t.Errorf("%s", got.Body)
		}
	}
	if got := b.Get("health"); !strings.Contains(got.Text, "52 more connections") {
		t.Errorf("%.2000s", got.Text)
	}
}
