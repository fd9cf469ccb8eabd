package console_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/loam-data/loam/host/internal/console"
	"github.com/loam-data/loam/host/internal/console/asset"
	"github.com/loam-data/loam/host/internal/console/consoletest"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/sdk"
)

// pages is a group with one page that shows who asks and one that does things.
func pages(did *atomic.Int64) page.Group {
	type data struct {
		Said string `json:"said"`
	}
	return page.Group{
		Templates: fstest.MapFS{"a.html": {Data: []byte(
			`{{define "test.page"}}<p>{{.Data.Said}}</p><form method="post" action="{{.Here.Path}}">{{template "token" .}}<input type="hidden" name="do" value="decide"><button>Decide</button></form>{{end}}` +
				`{{define "test.more"}}<p>more: {{.Data}}</p>{{end}}`)}},
		Pages: []page.Page{{
			Template: "test.page", Section: "inbox",
			Show: func(_ context.Context, r *page.Request) (*page.View, error) {
				return &page.View{Title: "Inbox", Command: "loam review list", Data: data{"you are " + r.Actor.Name() + " by " + string(r.Actor.Channel)}}, nil
			},
			Actions: map[string]page.Action{
				"decide": {Do: func(context.Context, *page.Request) (*page.Outcome, error) {
					did.Add(1)
					return &page.Outcome{Flash: &page.Flash{Text: "done it", Undo: &page.Form{Do: "decide", Label: "Undo"}}}, nil
				}},
				"fail": {Do: func(context.Context, *page.Request) (*page.Outcome, error) {
					return nil, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "somebody was faster").WithHint("look again")
				}},
				"break": {Do: func(context.Context, *page.Request) (*page.Outcome, error) {
					return nil, errors.New("the disk is called Bob")
				}},
				"look": {Reader: true, Do: func(context.Context, *page.Request) (*page.Outcome, error) { return nil, nil }},
			},
		}, {
			Path: "slow/{id}", Template: "test.page",
			Show: func(_ context.Context, r *page.Request) (*page.View, error) {
				return &page.View{Title: "Slow", Data: data{r.Path("id")}, ThenTemplate: "test.more", Then: func(context.Context) (any, error) {
					if r.Path("id") == "bad" {
						return nil, sdk.Errorf(sdk.KindSyntax, sdk.SourceWarehouse, "near <b>").WithHint("mend it")
					}
					return "rest", nil
				}}, nil
			},
		}},
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	var did atomic.Int64
	b := consoletest.Open(t, pages(&did))
	start := b.Get("")
	if start.Status != 200 || !strings.Contains(start.Text, "you are ada (console, token) by console") || !strings.Contains(start.Text, "loam review list") {
		t.Errorf("the start page: %d\n%s", start.Status, start.Text)
	}
	var twin struct{ Said string }
	if b.JSON("", &twin); !strings.HasPrefix(twin.Said, "you are ada") {
		t.Errorf("as JSON: %+v", twin)
	}
	done := b.Submit(*start.Form("decide"), nil)
	if did.Load() != 1 || !strings.Contains(done.Text, "done it") || done.Form("decide") == nil {
		t.Errorf("after a form: did %d\n%s", did.Load(), done.Text)
	}
	if again := b.Get(""); strings.Contains(again.Text, "done it") {
		t.Error("a message is shown twice")
	}
	if p := b.Get("slow/good"); !strings.Contains(p.Text, "more: rest") || strings.Index(p.Body, "more: rest") > strings.Index(p.Body, "</main>") {
		t.Errorf("a page in two parts:\n%s", p.Body)
	}
	if p := b.Get("slow/bad"); !strings.Contains(p.Text, "near <b> mend it") {
		t.Errorf("a failure in the second part:\n%s", p.Text)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	var did atomic.Int64
	b := consoletest.Open(t, pages(&did))
	long := strings.Repeat("what I wrote ", 5)
	for _, tt := range []struct {
		name, path string
		fields     url.Values
		status     int
		want       string
	}{
		{"no such action", "", url.Values{"do": {"fly"}}, 422, `this page cannot do "fly"`},
		{"no token", "", url.Values{"do": {"decide"}, "token": {""}}, 403, "the form is not of this session"},
		{"another token", "", url.Values{"do": {"decide"}, "token": {"x"}}, 403, "the form is not of this session"},
		{"a conflict keeps what was typed", "", url.Values{"do": {"fail"}, "text": {long}}, 409, strings.TrimSpace(long)},
		{"a failure of the program", "", url.Values{"do": {"break"}}, 500, "look for incident"},
		{"no page", "nowhere", url.Values{"do": {"decide"}}, 404, "there is no page /console/nowhere"},
	} {
		p := b.Post(tt.path, tt.fields)
		if p.Status != tt.status || !strings.Contains(p.Text, tt.want) || strings.Contains(p.Text, "Bob") {
			t.Errorf("%s: %d\n%s", tt.name, p.Status, p.Text)
		}
	}
	if did.Load() != 0 {
		t.Error("something was done")
	}
	reader := consoletest.As(t, consoletest.ReaderToken, pages(&did))
	if p := reader.Post("", url.Values{"do": {"decide"}}); p.Status != 403 || did.Load() != 0 {
		t.Errorf("a reader decides: %d\n%s", p.Status, p.Text)
	}
	if p := reader.Post("", url.Values{"do": {"look"}}); p.Status != 200 {
		t.Errorf("a reader looks: %d\n%s", p.Status, p.Text)
	}
}

// bench is a server with codes and a clock that tests move.
type bench struct {
	*httptest.Server
	now  atomic.Int64
	code atomic.Value
}

func serve(t *testing.T, change func(*console.Config)) *bench {
	t.Helper()
	b := &bench{}
	b.now.Store(time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC).Unix())
	b.code.Store("good")
	var did atomic.Int64
	c := console.Config{
		Groups: []page.Group{pages(&did)}, Project: "shop", Version: "test", Local: true, User: "ada", Logger: slog.New(slog.DiscardHandler),
		Now:      func() time.Time { return time.Unix(b.now.Load(), 0) },
		Settings: func(context.Context) (console.Settings, error) { return console.Settings{Enabled: true}, nil },
		Tokens:   func(context.Context) (console.Tokens, error) { return console.Tokens{}, nil },
		Take: func(code string) (string, error) {
			if code != b.code.Load() || code == "" {
				return "", sdk.Errorf(sdk.KindUnauthenticated, sdk.SourceCaller, "this code is not good any more").WithHint("loam console")
			}
			b.code.Store("")
			return "root", nil
		},
		Redact: func(text string) string { return text },
	}
	if change != nil {
		change(&c)
	}
	b.Server = httptest.NewServer(console.New(c))
	t.Cleanup(b.Close)
	return b
}

// ask sends a request; headers are given as name, value.
func (b *bench) ask(t *testing.T, method, path string, fields url.Values, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, b.URL+path, strings.NewReader(fields.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close() // read to its end
	return res, string(body)
}

// signIn returns the cookie of a session.
func (b *bench) signIn(t *testing.T) string {
	t.Helper()
	res, body := b.ask(t, "POST", "/console/login", url.Values{"code": {"good"}, "name": {"ada"}})
	if res.StatusCode != 303 || len(res.Cookies()) != 1 {
		t.Fatalf("signing in: %s\n%s", res.Status, body)
	}
	c := res.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/console" || c.Secure {
		t.Errorf("the cookie: %+v", c)
	}
	return c.Name + "=" + c.Value
}

func TestLogin(t *testing.T) {
	t.Parallel()
	b := serve(t, nil)
	if res, _ := b.ask(t, "GET", "/console/", nil); res.StatusCode != 303 || res.Header.Get("Location") != "/console/login" {
		t.Errorf("without a session: %s to %s", res.Status, res.Header.Get("Location"))
	}
	if res, _ := b.ask(t, "GET", "/console/slow/1?a=b", nil); res.Header.Get("Location") != "/console/login?back=%2Fconsole%2Fslow%2F1%3Fa%3Db" {
		t.Errorf("a deep link leads to %s", res.Header.Get("Location"))
	}
	if res, body := b.ask(t, "GET", "/console/login?code=good", nil); res.StatusCode != 200 || len(res.Cookies()) != 0 || !strings.Contains(body, `value="good"`) {
		t.Errorf("GET signs in, or does not ask: %s", res.Status)
	}
	session := b.signIn(t)
	if res, body := b.ask(t, "GET", "/console/", nil, "Cookie", session); res.StatusCode != 200 || !strings.Contains(body, "ada (console, root)") {
		t.Errorf("with a session: %s\n%s", res.Status, body)
	}
	if res, _ := b.ask(t, "POST", "/console/login", url.Values{"code": {"good"}}); res.StatusCode != 401 {
		t.Errorf("a code twice: %s", res.Status)
	}
	for _, to := range []string{"https://elsewhere.test/", "//elsewhere.test", "/mcp", "/console/../mcp", "javascript:alert(1)", "/console/\\elsewhere"} {
		b.code.Store("good")
		if res, _ := b.ask(t, "POST", "/console/login", url.Values{"code": {"good"}, "back": {to}}); res.Header.Get("Location") != "/console/" {
			t.Errorf("back %s leads to %s", to, res.Header.Get("Location"))
		}
		b.now.Add(60)
	}
}

func TestStolenAndForged(t *testing.T) {
	t.Parallel()
	b := serve(t, nil)
	session := b.signIn(t)
	_, body := b.ask(t, "GET", "/console/", nil, "Cookie", session)
	_, token, _ := strings.Cut(body, `name="token" value="`)
	token, _, _ = strings.Cut(token, `"`)
	decide := url.Values{"do": {"decide"}, "token": {token}}
	for _, tt := range []struct {
		name    string
		headers []string
		status  int
	}{
		{"own origin", []string{"Origin", b.URL, "Sec-Fetch-Site", "same-origin"}, 303},
		{"forged origin", []string{"Origin", "https://evil.test"}, 403},
		{"another site", []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.test"}, 403},
		{"a sandboxed frame", []string{"Origin", "null"}, 403},
		{"the same machine, another port", []string{"Sec-Fetch-Site", "same-site", "Origin", "http://127.0.0.1:1"}, 403},
	} {
		if res, _ := b.ask(t, "POST", "/console/", decide, append(tt.headers, "Cookie", session)...); res.StatusCode != tt.status {
			t.Errorf("%s: %s", tt.name, res.Status)
		}
	}
	if res, _ := b.ask(t, "GET", "/console/", nil, "Cookie", strings.Replace(session, "=", "=x", 1)); res.StatusCode != 303 {
		t.Errorf("another id: %s", res.Status)
	}
	if res, _ := b.ask(t, "PUT", "/console/", decide, "Cookie", session); res.StatusCode != 422 {
		t.Errorf("PUT: %s", res.Status)
	}
	if res, _ := b.ask(t, "GET", "/console/logout", nil, "Cookie", session); res.StatusCode != 303 {
		t.Errorf("GET logout: %s", res.Status)
	}
	if res, _ := b.ask(t, "GET", "/console/", nil, "Cookie", session); res.StatusCode != 200 {
		t.Error("a link signs out")
	}
	if res, _ := b.ask(t, "POST", "/console/logout", url.Values{"token": {token}}, "Cookie", session); res.StatusCode != 303 || res.Header.Get("Location") != "/console/login" {
		t.Errorf("signing out: %s", res.Status)
	}
	if res, _ := b.ask(t, "GET", "/console/", nil, "Cookie", session); res.StatusCode != 303 {
		t.Error("a stolen id is good after the logout")
	}
}

func TestSessionEnds(t *testing.T) {
	t.Parallel()
	b := serve(t, nil)
	session := b.signIn(t)
	alive := func() bool {
		res, _ := b.ask(t, "GET", "/console/", nil, "Cookie", session)
		return res.StatusCode == 200
	}
	for range 20 { // 7 days in steps that each are shorter than 8 hours
		b.now.Add(7 * 3600)
		if !alive() {
			t.Fatal("a session ended while it was used")
		}
	}
	b.now.Add(30 * 3600)
	if alive() {
		t.Error("a session does not end")
	}
	b.code.Store("good")
	session = b.signIn(t)
	for range 23 {
		b.now.Add(7 * 3600)
		alive()
	}
	b.now.Add(8 * 3600)
	if alive() {
		t.Error("a session lasts longer than 7 days")
	}
}

// A form that is sent after the session ended is answered with what was typed; another site learns nothing so.
func TestTypedTextOutlivesTheSession(t *testing.T) {
	t.Parallel()
	b := serve(t, nil)
	form := url.Values{"text": {"what a person typed for an <hour>"}}
	if res, body := b.ask(t, "POST", "/console/", form); res.StatusCode != 401 || !strings.Contains(body, "typed for an &lt;hour&gt;") {
		t.Errorf("%s: %s", res.Status, body)
	}
	if res, body := b.ask(t, "POST", "/console/", form, "Sec-Fetch-Site", "cross-site"); res.StatusCode != 401 || strings.Contains(body, "typed for an") {
		t.Errorf("from another site: %s: %s", res.Status, body)
	}
}

func TestTries(t *testing.T) {
	t.Parallel()
	b := serve(t, nil)
	try := func() int {
		res, _ := b.ask(t, "POST", "/console/login", url.Values{"code": {"bad"}})
		return res.StatusCode
	}
	for i := range 7 {
		want := 401
		if i >= 5 {
			want = 429
		}
		if got := try(); got != want {
			t.Errorf("try %d: %d, want %d", i+1, got, want)
		}
	}
	b.now.Add(60)
	if first, second := try(), try(); first != 401 || second != 429 {
		t.Errorf("a minute later: %d, %d", first, second)
	}
}

func TestWhereItIsOff(t *testing.T) {
	t.Parallel()
	off := serve(t, func(c *console.Config) {
		c.Settings = func(context.Context) (console.Settings, error) { return console.Settings{}, nil }
	})
	if res, body := off.ask(t, "GET", "/console/", nil); res.StatusCode != 404 || !strings.Contains(body, "console.enabled") {
		t.Errorf("switched off: %s", res.Status)
	}
	open := serve(t, func(c *console.Config) { c.Local = false })
	if res, body := open.ask(t, "GET", "/console/login", nil); res.StatusCode != 404 || !strings.Contains(body, "console.token") {
		t.Errorf("for other machines without a token: %s", res.Status)
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	b := serve(t, nil)
	for _, path := range []string{"/console/login", "/console/nowhere", asset.Address(asset.Style)} {
		res, _ := b.ask(t, "GET", path, nil)
		csp := res.Header.Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "frame-ancestors 'none'") || !strings.Contains(csp, "require-trusted-types-for 'script'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: %s", path, csp)
		}
		if res.Header.Get("X-Content-Type-Options") != "nosniff" || res.Header.Get("Referrer-Policy") != "same-origin" {
			t.Errorf("%s: %v", path, res.Header)
		}
		if kept := strings.Contains(res.Header.Get("Cache-Control"), "immutable"); kept != strings.Contains(path, "asset") {
			t.Errorf("%s: Cache-Control %s", path, res.Header.Get("Cache-Control"))
		}
	}
	if res, _ := b.ask(t, "GET", asset.Root+"0000/console.css", nil); res.StatusCode != 200 || strings.Contains(res.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("an old address of the style: %s %s", res.Status, res.Header.Get("Cache-Control"))
	}
	if res, _ := b.ask(t, "GET", asset.Root+"x/serve.go", nil); res.StatusCode != 404 {
		t.Errorf("another file: %s", res.Status)
	}
}

// The files that browsers load fit into the bounds of docs/console.md.
func TestAssetSizes(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]int64{"asset/console.css": 20 << 10, "asset/console.js": 12 << 10} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > most {
			t.Errorf("%s has %d bytes, at most %d", name, info.Size(), most)
		}
	}
}

// A project that begins to ask for a token ends the sessions that began without one.
func TestTokenEndsSessionsByCode(t *testing.T) {
	t.Parallel()
	var token atomic.Bool
	b := serve(t, func(c *console.Config) {
		c.Settings = func(context.Context) (console.Settings, error) {
			return console.Settings{Enabled: true, Token: token.Load()}, nil
		}
	})
	session := b.signIn(t)
	token.Store(true)
	if res, _ := b.ask(t, "GET", "/console/", nil, "Cookie", session); res.StatusCode != 303 {
		t.Errorf("with a code, when a token is asked for: %s", res.Status)
	}
}
