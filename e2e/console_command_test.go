package e2e

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// opened is what `loam console --json` prints.
type opened struct {
	URL       string    `json:"url"`
	Login     string    `json:"login"`
	ExpiresAt time.Time `json:"expiresAt"`
	PID       int       `json:"pid"`
	Started   bool      `json:"started"`
	Restart   []string  `json:"restart"`
}

func openConsole(t *testing.T, dir string, args ...string) opened {
	t.Helper()
	r := loam(t, dir, append([]string{"console", "--json"}, args...)...)
	if r.code != 0 {
		t.Fatalf("loam console: exit %d: %s%s", r.code, r.stderr, logged(dir))
	}
	var o opened
	unmarshal(t, []byte(r.stdout), &o)
	return o
}

// fetchPage requests a page of the console and returns its status and text.
func fetchPage(t *testing.T, address string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// loam console starts the server if need be, and prints an address with a code that no file has.
func TestConsoleCommand(t *testing.T) {
	t.Parallel()
	dir := demoProject(t)
	settings := filepath.Join(dir, "loam.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(settings, []byte("version: 1\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("")
	wantOutput(t, dir, 8, "for this machine alone", "console", "--host", "0.0.0.0", "--port", "0")
	write("console: {enabled: false}\n")
	wantOutput(t, dir, 9, "switched off by console.enabled in "+settings+" (line 2)", "console", "--port", "0")
	wantOutput(t, dir, 0, "stopped", "mcp", "status")
	write("")

	endDaemon(t, dir)
	first := openConsole(t, dir, "--port", "0")
	address, err := url.Parse(first.URL)
	if err != nil || address.Hostname() != "127.0.0.1" || address.Path != "/console/login" || len(address.Query().Get("code")) != 43 ||
		first.Login != "code" || !first.Started || first.ExpiresAt.Before(time.Now()) || len(first.Restart) > 0 {
		t.Errorf("%+v, %v", first, err)
	}
	kept, err := os.ReadFile(filepath.Join(dir, ".loam/console.code"))
	if err != nil || strings.Contains(string(kept)+logged(dir), address.Query().Get("code")) {
		t.Errorf("a file has the code, or none: %s, %v", kept, err)
	}
	root := "http://" + address.Host + "/console/"
	wantOutput(t, dir, 0, "console   "+root, "mcp", "status")
	wantOutput(t, dir, 0, "console  "+root, "status")
	wantOutput(t, dir, 0, `"console": "`+root+`"`, "mcp", "status", "--json")

	printed := loam(t, dir, "console", "--print")
	if second := strings.TrimSpace(printed.stdout); printed.code != 0 || printed.stderr != "" || !strings.HasPrefix(second, root+"login?code=") || second == first.URL {
		t.Errorf("--print: exit %d: %q, %q", printed.code, printed.stdout, printed.stderr)
	}
	wantOutput(t, dir, 0, "no browser was opened", "console")

	// The settings are those of now.
	if status, body := fetchPage(t, first.URL); status != http.StatusOK || strings.Contains(body, "Token of the console") {
		t.Errorf("the login with a code: %d %s", status, body)
	}
	write("console: {token: 'env:LOAM_CONSOLE_TOKEN'}\n")
	if status, body := fetchPage(t, root+"login"); status != http.StatusOK || !strings.Contains(body, "Token of the console") {
		t.Errorf("the login with a token: %d %s", status, body)
	}
	if again := openConsole(t, dir); again.Started || again.Login != "token" || again.URL != root+"login" || again.PID != first.PID || len(again.Restart) != 1 || !strings.Contains(again.Restart[0], "env:LOAM_CONSOLE_TOKEN") {
		t.Errorf("after the token was set: %+v", again)
	}
	write("console: {enabled: false}\n")
	if status, body := fetchPage(t, root+"login"); status != http.StatusNotFound {
		t.Errorf("a console that is off: %d %s", status, body)
	}
	wantOutput(t, dir, 9, "switched off", "console")
	if r := loam(t, dir, "mcp", "status"); strings.Contains(r.stdout, root) {
		t.Errorf("status names a console that is off: %s", r.stdout)
	}
}

// Reviewers and readers sign in with the tokens that loam.yaml refers to, and nobody does while the two are the same.
func TestConsoleTokens(t *testing.T) {
	t.Parallel()
	dir := demoProject(t)
	secrets := map[string]string{"loam.yaml": "version: 1\nconsole: {token: 'file:reviewers', reader_token: 'file:readers'}\n", "reviewers": strings.Repeat("a", 32) + "\n", "readers": strings.Repeat("b", 32)}
	for name, text := range secrets {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	endDaemon(t, dir)
	login := openConsole(t, dir, "--port", "0")
	if login.Login != "token" || strings.Contains(login.URL, "code") || !login.ExpiresAt.IsZero() {
		t.Errorf("%+v", login)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, tt := range []struct {
		secret, reader string
		status         int
	}{
		{"wrong", "", http.StatusUnauthorized},
		{strings.Repeat("a", 32), "", http.StatusSeeOther},
		{strings.Repeat("b", 32), "", http.StatusSeeOther},
		{strings.Repeat("a", 32), secrets["reviewers"], http.StatusUnprocessableEntity},
	} {
		if tt.reader != "" {
			if err := os.WriteFile(filepath.Join(dir, "readers"), []byte(tt.reader), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		form := url.Values{"secret": {tt.secret}, "name": {"Ann"}}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, login.URL, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", strings.TrimSuffix(login.URL, "/console/login"))
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != tt.status || strings.Contains(string(body), "aaaa") {
			t.Errorf("%.4s: %d of %d bytes, %v", tt.secret, resp.StatusCode, len(body), err)
		}
	}
}
