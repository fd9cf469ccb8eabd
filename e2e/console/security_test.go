package console

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// headers are those of every answer of the console.
var headers = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
		"frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'",
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "same-origin",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"X-Frame-Options":              "DENY",
}

// Every answer forbids frames, foreign contents and sniffing, and only the files that are named by their hash are kept.
func TestHeadersOfEveryAnswer(t *testing.T) {
	t.Parallel()
	s := open(t, project(t), "0")
	known := s.signIn(t, "Ada")
	asset := assetOf(known.get("/console/").body)
	for name, a := range map[string]answer{
		"login": s.stranger(t).get("/console/login"), "no session": s.stranger(t).get("/console/history"),
		"inbox": known.get("/console/"), "no page": known.get("/console/nothing/here"), "bad path": known.get("/console/change/..%2f..%2fx"),
		"asset": known.get(asset), "no asset": known.get("/console/asset/x.js"), "the folder": known.get("/console"),
		"refused post": known.send(http.MethodPost, "/console/", url.Values{"do": {"approve"}}),
		"other method": known.send(http.MethodDelete, "/console/", nil),
		"json":         known.send(http.MethodGet, "/console/", nil, func(r *http.Request) { r.Header.Set("Accept", "application/json") }),
	} {
		for header, want := range headers {
			if got := a.header.Get(header); got != want {
				t.Errorf("%s (%d): %s: %q, want %q", name, a.status, header, got, want)
			}
		}
		if kept, isAsset := a.header.Get("Cache-Control"), name == "asset"; strings.Contains(kept, "immutable") != isAsset || strings.Contains(kept, "no-store") == isAsset {
			t.Errorf("%s: Cache-Control: %q", name, kept)
		}
		if strings.Contains(a.body, "<script>") || strings.Contains(a.body, " style=") || strings.Contains(a.body, " onclick=") {
			t.Errorf("%s has an inline script or style", name)
		}
	}
}

// assetOf is the address of the script of a page.
func assetOf(page string) string {
	_, rest, _ := strings.Cut(page, `<script type="module" src="`)
	address, _, _ := strings.Cut(rest, `"`)
	return address
}

// A decision that is not sent from a page of the session is refused, and decides nothing.
func TestForgedDecisions(t *testing.T) {
	t.Parallel()
	dir := project(t)
	s := open(t, dir, "0")
	p := s.signIn(t, "Ada")
	waiting := changes(t, dir, "pending")
	if len(waiting) == 0 {
		t.Fatal("nothing waits")
	}
	page := "/console/change/" + waiting[0].ID
	form := func() url.Values {
		fields, err := p.get(page).fields("approve")
		if err != nil {
			t.Fatal(err)
		}
		return fields
	}
	other := s.signIn(t, "Bob").token()
	origin := func(o string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Origin", o); r.Header.Del("Sec-Fetch-Site") }
	}
	for name, c := range map[string]struct {
		token  string // "": the right one
		change func(*http.Request)
		status int
	}{
		"another origin":                {"", origin("https://evil.example"), http.StatusForbidden},
		"the origin null":               {"", origin("null"), http.StatusForbidden},
		"another port of the machine":   {"", origin("http://127.0.0.1:1"), http.StatusForbidden},
		"a browser that says cross":     {"", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, http.StatusForbidden},
		"a browser that says same-site": {"", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }, http.StatusForbidden},
		"no token":                      {"-", nil, http.StatusForbidden},
		"the token of another session":  {other, nil, http.StatusForbidden},
		"another host":                  {"", func(r *http.Request) { r.Host = "evil.example" }, http.StatusForbidden},
		"no session":                    {"", func(r *http.Request) { r.Header.Del("Cookie") }, http.StatusUnauthorized},
		"PUT":                           {"", func(r *http.Request) { r.Method = http.MethodPut }, http.StatusUnprocessableEntity},
	} {
		fields := form()
		switch c.token {
		case "":
		case "-":
			fields.Del("token")
		default:
			fields.Set("token", c.token)
		}
		var change []func(*http.Request)
		if c.change != nil {
			change = append(change, c.change)
		}
		if a := p.send(http.MethodPost, page, fields, change...); a.status != c.status {
			t.Errorf("%s: %d, want %d: %.300s", name, a.status, c.status, a.body)
		}
	}
	if a := p.send(http.MethodGet, "/console/", nil, func(r *http.Request) { r.Host = "evil.example" }); a.status != http.StatusForbidden {
		t.Errorf("GET with another host: %d", a.status)
	}
	if now := changes(t, dir, "pending"); len(now) != len(waiting) {
		t.Errorf("%d of %d wait after forged decisions", len(now), len(waiting))
	}
	if a := p.send(http.MethodPost, page, form()); a.status != http.StatusSeeOther {
		t.Errorf("the form of the page: %d %.300s", a.status, a.body)
	}
}

// A code opens one session, and an id is worth nothing after the logout and at another origin.
func TestCodesAndSessions(t *testing.T) {
	t.Parallel()
	s := open(t, project(t), "0")
	address := s.loginURL(t)
	p := s.stranger(t)
	if a := p.get(strings.TrimPrefix(address, s.root)); a.status != http.StatusOK || p.cookie != nil {
		t.Errorf("GET of the login opens a session: %d", a.status)
	}
	if a := p.login(address, "Ada"); a.status != http.StatusSeeOther || p.cookie == nil {
		t.Fatalf("the login: %d %s", a.status, a.body)
	}
	c := p.cookie
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/console" || c.Secure || !strings.HasPrefix(c.Name, "loam_console_") || len(c.Value) < 43 {
		t.Errorf("the cookie: %+v", c)
	}
	if a := s.stranger(t).login(address, "Eve"); a.status != http.StatusUnauthorized {
		t.Errorf("a code that was used: %d", a.status)
	}
	if strings.Contains(s.log(), c.Value) || strings.Contains(s.log(), address[strings.Index(address, "=")+1:]) {
		t.Error("the log has the code or the id of the session")
	}
	before := s.loginURL(t)
	if s.loginURL(t); s.stranger(t).login(before, "Eve").status != http.StatusUnauthorized {
		t.Error("a code is good after a later one was made")
	}
	localhost := strings.Replace(strings.TrimPrefix(s.root, "http://"), "127.0.0.1", "localhost", 1)
	if a := p.send(http.MethodGet, "/console/", nil, func(r *http.Request) { r.Host = localhost }); a.status == http.StatusOK {
		t.Error("a session is good at another origin")
	}
	thief := s.stranger(t)
	thief.cookie = c
	if a := thief.get("/console/logout"); a.status != http.StatusSeeOther || thief.get("/console/health").status == http.StatusSeeOther {
		t.Errorf("GET signs out: %d", a.status)
	}
	if a := p.send(http.MethodPost, "/console/logout", url.Values{"token": {p.token()}}); a.status != http.StatusSeeOther {
		t.Errorf("the logout: %d", a.status)
	}
	thief.cookie = c
	if a := thief.get("/console/"); a.status != http.StatusSeeOther || !strings.HasPrefix(a.where, "/console/login") {
		t.Errorf("an id after the logout: %d %s", a.status, a.where)
	}
	guesser := s.stranger(t)
	last := 0
	for range 8 {
		last = guesser.login(s.root+"/console/login?code=guess", "Eve").status
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("the eighth guess: %d", last)
	}
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"stranger","version":"1"}}}`

// The tokens of the MCP server do not open the console, and the console's cookie and token do not open the MCP server.
func TestTokensAreNotExchangeable(t *testing.T) {
	dir := project(t)
	const secret = "the-token-of-the-console-0123456789"
	t.Setenv("LOAM_CONSOLE_TOKEN", secret)
	s := open(t, dir, "0")
	known := s.signIn(t, "Ada")
	token := strings.TrimSpace(loam(t, dir, "token", "add", "agent"))
	mcp := func(change func(*http.Request)) int {
		return s.stranger(t).send(http.MethodPost, "/mcp", nil, func(r *http.Request) {
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Body = http.NoBody
			r.Body, r.ContentLength = body(initialize)
			change(r)
		}).status
	}
	eventually(t, "the first token closes the MCP server", func() bool { return mcp(func(*http.Request) {}) == http.StatusUnauthorized })
	bearer := func(of string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+of) }
	}
	if status := mcp(bearer(token)); status != http.StatusOK {
		t.Errorf("the token of the MCP server opens it not: %d", status)
	}
	for name, change := range map[string]func(*http.Request){
		"the cookie": func(r *http.Request) { r.AddCookie(known.cookie) }, "the id as token": bearer(known.cookie.Value), "the console's token": bearer(secret),
	} {
		if status := mcp(change); status != http.StatusUnauthorized {
			t.Errorf("%s at the MCP server: %d", name, status)
		}
	}
	if a := s.stranger(t).send(http.MethodGet, "/console/", nil, bearer(token)); a.status != http.StatusSeeOther {
		t.Errorf("the token of the MCP server at the console: %d", a.status)
	}

	write(t, dir, "loam.yaml", strings.Replace(read(t, dir, "loam.yaml"), "version: 1\n", "version: 1\nconsole: {token: 'env:LOAM_CONSOLE_TOKEN'}\n", 1))
	s.restart(t)
	for given, want := range map[string]int{token: http.StatusUnauthorized, "": http.StatusUnauthorized, secret: http.StatusSeeOther} {
		if a := s.stranger(t).send(http.MethodPost, "/console/login", url.Values{"secret": {given}, "name": {"Ada"}}); a.status != want {
			t.Errorf("a login with %.9s…: %d, want %d", given, a.status, want)
		}
	}
	if a := s.stranger(t).send(http.MethodPost, "/console/login", url.Values{"code": {"x"}, "secret": {token}}); a.status != http.StatusUnauthorized {
		t.Errorf("a code where a token is set: %d", a.status)
	}
}

// GET changes nothing, whatever its parameters say.
func TestGetChangesNothing(t *testing.T) {
	t.Parallel()
	dir := project(t)
	s := open(t, dir, "0")
	p := s.signIn(t, "Ada")
	before := stateOf(t, dir)
	for _, c := range changes(t, dir, "all") {
		fields, err := p.get("/console/change/" + c.ID).fields("approve")
		if err != nil {
			fields = url.Values{"token": {p.token()}, "do": {"approve"}}
		}
		for _, do := range []string{"approve", "reject", "revert", "save-approve"} {
			fields.Set("do", do)
			fields.Set("reason", "wrong")
			for _, path := range []string{"/console/change/" + c.ID, "/console/"} {
				fields.Set("pick", c.ID+"."+fields.Get("version"))
				if a := p.get(path + "?" + fields.Encode()); a.status >= http.StatusInternalServerError {
					t.Errorf("%s: %d %.300s", path, a.status, a.body)
				}
			}
		}
	}
	if after := stateOf(t, dir); after != before {
		t.Errorf("a GET changed the project:\n%s\nbefore:\n%s", after, before)
	}
}

// stateOf are the changes of a project with their states, and the events of them.
func stateOf(t testing.TB, dir string) string {
	t.Helper()
	return fmt.Sprint(changes(t, dir, "all"), loam(t, dir, "review", "log", "--json", "-n", "500"))
}
