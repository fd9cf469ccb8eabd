package console

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// site is the console of a project whose server runs.
type site struct {
	t    testing.TB
	dir  string
	root string // http://127.0.0.1:PORT
	pid  int
}

// opened is what loam console --json prints.
type opened struct {
	URL     string `json:"url"`
	PID     int    `json:"pid"`
	Started bool   `json:"started"`
}

// open starts the server of a project; port "0" is any. It ends with the test.
func open(t testing.TB, dir, port string) *site {
	t.Helper()
	var o opened
	if err := json.Unmarshal([]byte(loam(t, dir, "console", "--json", "--port", port)), &o); err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(o.URL)
	if err != nil || !o.Started {
		t.Fatalf("%+v: %v", o, err)
	}
	s := &site{t: t, dir: dir, root: "http://" + address.Host, pid: o.PID}
	t.Cleanup(s.stop)
	return s
}

// stop ends the server, by its process id where the command does not.
func (s *site) stop() {
	if s.pid == 0 {
		return
	}
	r, err := command(context.Background(), s.dir, "mcp", "stop")
	if err != nil || r.code != 0 {
		s.t.Errorf("loam mcp stop: exit %d, %v: %s%s", r.code, err, r.stdout, r.stderr)
		if p, err := os.FindProcess(s.pid); err == nil {
			_ = p.Signal(syscall.SIGKILL)
		}
	}
	s.pid = 0
}

// restart ends the server and starts another one at the same address.
func (s *site) restart(t testing.TB) {
	t.Helper()
	_, port, err := net.SplitHostPort(strings.TrimPrefix(s.root, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	s.stop()
	loam(t, s.dir, "mcp", "start", "--port", port)
	s.pid = pidOf(t, s.dir)
}

func pidOf(t testing.TB, dir string) int {
	t.Helper()
	var status struct {
		PID int `json:"pid"`
	}
	if err := json.Unmarshal([]byte(loam(t, dir, "mcp", "status", "--json")), &status); err != nil || status.PID == 0 {
		t.Fatalf("%+v: %v", status, err)
	}
	return status.PID
}

// loginURL is a new address with a code.
func (s *site) loginURL(t testing.TB) string {
	t.Helper()
	printed := strings.TrimSpace(loam(t, s.dir, "console", "--print"))
	if !strings.HasPrefix(printed, s.root+"/console/login?code=") {
		t.Fatalf("loam console --print: %q", printed)
	}
	return printed
}

// log is what the server logged.
func (s *site) log() string {
	files, _ := filepath.Glob(filepath.Join(s.dir, ".loam", "logs", "*"))
	var all strings.Builder
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil {
			all.Write(text)
		}
	}
	return all.String()
}

// person is a client of a site without a browser.
type person struct {
	t      testing.TB
	site   *site
	client *http.Client
	cookie *http.Cookie
}

// addresses numbers the clients: an address may try to sign in five times.
var addresses atomic.Int32

// stranger returns a client that did not sign in.
func (s *site) stranger(t testing.TB) *person {
	t.Helper()
	n := addresses.Add(1)
	from := &net.TCPAddr{IP: net.IPv4(127, 0, byte(1+n/200), byte(1+n%200))}
	transport := &http.Transport{DialContext: (&net.Dialer{LocalAddr: from}).DialContext}
	t.Cleanup(transport.CloseIdleConnections)
	return &person{t: t, site: s, client: &http.Client{
		Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// signIn returns a client with a session.
func (s *site) signIn(t testing.TB, name string) *person {
	t.Helper()
	p := s.stranger(t)
	a := p.login(p.site.loginURL(t), name)
	if a.status != http.StatusSeeOther || p.cookie == nil {
		t.Fatalf("the login: %d %s", a.status, a.body)
	}
	return p
}

// login sends the form of the login page.
func (p *person) login(address, name string) answer {
	p.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		p.t.Fatal(err)
	}
	return p.send(http.MethodPost, "/console/login", url.Values{"code": {u.Query().Get("code")}, "name": {name}})
}

// answer is what the server answered.
type answer struct {
	status int
	header http.Header
	body   string
	where  string // it led to
}

// get asks for a page below the root of the site.
func (p *person) get(path string) answer { p.t.Helper(); return p.send(http.MethodGet, path, nil) }

// send sends a request with the session's cookie. change alters it before.
func (p *person) send(method, path string, form url.Values, change ...func(*http.Request)) answer {
	p.t.Helper()
	a, err := p.try(method, path, form, change...)
	if err != nil {
		p.t.Fatal(err)
	}
	return a
}

func (p *person) try(method, path string, form url.Values, change ...func(*http.Request)) (answer, error) {
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(context.WithoutCancel(p.t.Context()), method, p.site.root+path, body)
	if err != nil {
		return answer{}, err
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", p.site.root)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	if p.cookie != nil {
		r.AddCookie(p.cookie)
	}
	for _, f := range change {
		f(r)
	}
	resp, err := p.client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	for _, c := range resp.Cookies() {
		p.cookie = c
	}
	return answer{resp.StatusCode, resp.Header, string(text), resp.Header.Get("Location")}, err
}

// document asks for the data of a page.
func (p *person) document(path string, into any) {
	p.t.Helper()
	a := p.send(http.MethodGet, path, nil, func(r *http.Request) { r.Header.Set("Accept", "application/json") })
	if err := json.Unmarshal([]byte(a.body), into); err != nil || a.status != http.StatusOK {
		p.t.Fatalf("%s: %d, %v: %.500s", path, a.status, err, a.body)
	}
}

var tokenInput = regexp.MustCompile(`name="token" value="([^"]+)"`)

// token returns the token of the session's forms.
func (p *person) token() string {
	p.t.Helper()
	a := p.get("/console/")
	found := tokenInput.FindStringSubmatch(a.body)
	if found == nil {
		p.t.Fatalf("no form of the inbox has a token: %d %.500s", a.status, a.body)
	}
	return found[1]
}

// change is a change that loam review lists.
type change struct {
	ID     string `json:"id"`
	State  string `json:"state"`
	Kind   string `json:"kind"`
	Target string `json:"target"`
}

// changes lists the changes of a project in a state; "all" for each.
func changes(t testing.TB, dir, state string) []change {
	t.Helper()
	var list struct{ Changes []change }
	if err := json.Unmarshal([]byte(loam(t, dir, "review", "--state", state, "--json", "-n", "0")), &list); err != nil {
		t.Fatal(err)
	}
	return list.Changes
}

// one returns the change of a target.
func one(t testing.TB, dir, target string) change {
	t.Helper()
	for _, c := range changes(t, dir, "all") {
		if c.Target == target {
			return c
		}
	}
	t.Fatalf("there is no change of %s", target)
	return change{}
}

var inputs = regexp.MustCompile(`<input type="hidden" name="([a-z]+)" value="([^"]*)"`)

// fields returns the hidden fields of the form that has an action.
func (a answer) fields(do string) (url.Values, error) {
	for form := range strings.SplitSeq(a.body, "<form") {
		form, _, _ = strings.Cut(form, "</form>")
		if !strings.Contains(form, fmt.Sprintf(`name="do" value=%q`, do)) {
			continue
		}
		out := url.Values{}
		for _, m := range inputs.FindAllStringSubmatch(form, -1) {
			out.Add(m[1], m[2])
		}
		return out, nil
	}
	return nil, fmt.Errorf("no form does %s: %d %.300s", do, a.status, a.body)
}

// body is a text as the body of a request.
func body(text string) (io.ReadCloser, int64) {
	return io.NopCloser(strings.NewReader(text)), int64(len(text))
}

// pickInput is the box that selects a change of a list.
var pickInput = regexp.MustCompile(`name="pick" value="([^"]+)"`)
