// Package consoletest tests groups of pages of the console in the frame that serves them: it signs in, follows links
// and sends forms as a browser without JavaScript does, and checks on every page what all pages must have.
package consoletest

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"context"
	"io"

	"golang.org/x/net/html"

	"github.com/loam-data/loam/host/internal/console"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/sdk"
)

// maxPage is the largest page, in bytes.
const maxPage = 60 << 10

// The tokens of the servers that Open starts.
const ReviewerToken, ReaderToken = "reviewer-token", "reader-token"

// Browser is a signed-in person.
type Browser struct {
	t      *testing.T
	client *http.Client
	// URL of the server, without the console's path.
	URL string
}

// Open serves groups of pages and signs in as a reviewer.
func Open(t *testing.T, groups ...page.Group) *Browser { return As(t, ReviewerToken, groups...) }

// As serves groups of pages and signs in with a token.
func As(t *testing.T, token string, groups ...page.Group) *Browser {
	t.Helper()
	server := console.New(console.Config{
		Groups: groups, Project: "shop", Version: "test", Local: true, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
		Settings: func(context.Context) (console.Settings, error) {
			return console.Settings{Enabled: true, Token: true}, nil
		},
		Tokens: func(context.Context) (console.Tokens, error) {
			return console.Tokens{Reviewer: sdk.NewSecret(ReviewerToken), Reader: sdk.NewSecret(ReaderToken)}, nil
		},
		Redact: func(text string) string { return text },
	})
	served := httptest.NewServer(server)
	t.Cleanup(served.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &Browser{t: t, URL: served.URL, client: &http.Client{Jar: jar}}
	b.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res := b.send(http.MethodPost, page.Root+"login", url.Values{"secret": {token}, "name": {"ada"}}, "")
	if res.StatusCode != http.StatusSeeOther {
		t.Fatalf("signing in: %s", res.Status)
	}
	_ = res.Body.Close() // read to its end
	return b
}

// Page is a page as it arrived.
type Page struct {
	Status int
	Header http.Header
	// Path is where the page is, after redirects, below /console/ and with its query.
	Path string
	Body string
	// Text is what a person reads: the text nodes of the page, with one space between them.
	Text  string
	Links []Link
	Forms []Form
}

// Link is an <a> with an address.
type Link struct{ To, Text string }

// Form is a form with its fields as they stand.
type Form struct {
	Method, To string
	Fields     url.Values
	// Buttons are the texts of its buttons.
	Buttons []string
}

// Get loads a page below /console/.
func (b *Browser) Get(path string) *Page {
	b.t.Helper()
	return b.page(b.send(http.MethodGet, page.Root+path, nil, ""))
}

// JSON loads the data of a page into v and returns the status.
func (b *Browser) JSON(path string, v any) int {
	b.t.Helper()
	res := b.send(http.MethodGet, page.Root+path, nil, "application/json")
	body := b.read(res)
	if err := json.Unmarshal([]byte(body), v); err != nil {
		b.t.Fatalf("%s as JSON: %v\n%s", path, err, body)
	}
	return res.StatusCode
}

// Post sends fields to a page, with the token of the session, and follows a redirect.
func (b *Browser) Post(path string, fields url.Values) *Page {
	b.t.Helper()
	with := url.Values{"token": {b.Token()}}
	for name, values := range fields {
		with[name] = values
	}
	res := b.send(http.MethodPost, page.Root+path, with, "")
	if to := res.Header.Get("Location"); res.StatusCode == http.StatusSeeOther {
		b.read(res)
		return b.page(b.send(http.MethodGet, to, nil, ""))
	}
	return b.page(res)
}

// Submit sends a form of a page with some fields replaced.
func (b *Browser) Submit(f Form, fields url.Values) *Page {
	b.t.Helper()
	all := url.Values{}
	for name, values := range f.Fields {
		all[name] = values
	}
	for name, values := range fields {
		all[name] = values
	}
	return b.Post(strings.TrimPrefix(f.To, page.Root), all)
}

// Token returns the token of the session's forms.
func (b *Browser) Token() string {
	b.t.Helper()
	res := b.send(http.MethodGet, page.Root+"no-such-page", nil, "")
	for _, f := range parse(b.t, b.read(res)).Forms {
		if token := f.Fields.Get("token"); token != "" {
			return token
		}
	}
	b.t.Fatal("no page has the token of the session")
	return ""
}

func (b *Browser) send(method, path string, fields url.Values, accept string) *http.Response {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.URL+path, strings.NewReader(fields.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	if fields != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", b.URL)
	}
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	res, err := b.client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	return res
}

func (b *Browser) read(res *http.Response) string {
	b.t.Helper()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	_ = res.Body.Close() // read to its end
	return string(body)
}

// page reads a page and checks it.
func (b *Browser) page(res *http.Response) *Page {
	b.t.Helper()
	body := b.read(res)
	p := &Page{Body: body}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		p = parse(b.t, body)
		if len(body) > maxPage {
			b.t.Errorf("%s has %d bytes, a page has at most %d", res.Request.URL, len(body), maxPage)
		}
	}
	p.Status, p.Header = res.StatusCode, res.Header
	p.Path = strings.TrimPrefix(res.Request.URL.RequestURI(), page.Root)
	return p
}

// Link returns the address of the first link with a text.
func (p *Page) Link(text string) string {
	for _, l := range p.Links {
		if strings.Contains(l.Text, text) {
			return strings.TrimPrefix(l.To, page.Root)
		}
	}
	return ""
}

// Form returns the first form whose field "do" is an action; nil = there is none.
func (p *Page) Form(do string) *Form {
	for i := range p.Forms {
		if p.Forms[i].Fields.Get("do") == do {
			return &p.Forms[i]
		}
	}
	return nil
}

// document parses a page.
func document(t *testing.T, body string) *html.Node {
	t.Helper()
	n, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
