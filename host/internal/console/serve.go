// Package console serves the web side of a project: pages on which people read what Loam knows and decide on it. It has
// the frame: sessions and login, headers, the layout, answers in JSON, errors. The pages are groups of package page,
// which call the use cases that the command line and the MCP server call.
package console

import (
	"context"
	"embed"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/console/asset"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/telemetry"
	"github.com/loam-data/loam/sdk"
)

// Settings are those of the project now.
type Settings struct {
	Enabled bool
	// Token: console.token is set, so that one-time codes are not accepted.
	Token bool
	// ReaderQuery: the role reader may run queries.
	ReaderQuery bool
	// Idle is how long a session may be unused; 0 = 8 hours.
	Idle time.Duration
}

// Tokens are the resolved tokens of the settings; a zero one lets nobody in.
type Tokens struct{ Reviewer, Reader sdk.Secret }

// Config is the configuration of a Server. Fields are required unless noted.
type Config struct {
	Groups []page.Group
	// Settings returns the current settings, and Tokens resolves the tokens of console.token and console.reader_token.
	Settings func(context.Context) (Settings, error)
	Tokens   func(context.Context) (Tokens, error)
	// Take accepts a one-time code and returns the user of the operating system who made it.
	// Errors: KindUnauthenticated.
	Take func(code string) (user string, err error)
	// Project is the name that the pages show, Version that of the program.
	Project, Version string
	// User is shown at login as the name of who signs in; may be "".
	User string
	// Local: the server listens on this machine only.
	Local bool
	// TrustedProxy: X-Forwarded-Proto of a request is believed.
	TrustedProxy bool
	Redact       func(string) string
	Now          func() time.Time
	Logger       *slog.Logger
}

// Server serves the console. It parses no template and keeps nothing before the first request.
// Concurrency: any goroutine.
type Server struct {
	Config
	sessions *sessions
	attempts attempts
	routes   func() (*routes, error)
	cross    *http.CrossOriginProtection
}

// routes are the parsed pages.
type routes struct {
	mux       *http.ServeMux
	templates *template.Template
}

//go:embed template/*.html
var layout embed.FS

// New makes a Server.
func New(c Config) *Server {
	s := &Server{Config: c, sessions: newSessions(c.Now), attempts: attempts{now: c.Now}, cross: http.NewCrossOriginProtection()}
	s.routes = sync.OnceValues(s.parse)
	return s
}

func (s *Server) parse() (*routes, error) {
	t, err := page.Parse(layout, s.Groups...)
	if err != nil {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "the pages of the console: %w", err)
	}
	all := &routes{mux: http.NewServeMux(), templates: t}
	for _, g := range s.Groups {
		for i := range g.Pages {
			p := &g.Pages[i]
			pattern := page.Root + p.Path
			if p.Path == "" {
				pattern += "{$}"
			}
			all.mux.Handle(pattern, pageHandler{s, p})
		}
	}
	return all, nil
}

// ServeHTTP answers one request below /console.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, _ := telemetry.Begin(r.Context(), nil)
	r = r.WithContext(ctx)
	setHeaders(w.Header())
	settings, err := s.Settings(ctx)
	switch {
	case err != nil:
		s.fail(w, r, nil, err)
	case !settings.Enabled:
		s.fail(w, r, nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "the console of this project is switched off").WithHint("set console.enabled: true in loam.yaml"))
	case !s.Local && !settings.Token:
		s.fail(w, r, nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "the server listens for other machines, and the console has no token").
			WithHint("set console.token in loam.yaml, or listen on 127.0.0.1"))
	case strings.HasPrefix(r.URL.Path, asset.Root):
		asset.Serve(w, r)
	case r.URL.Path == strings.TrimSuffix(page.Root, "/"):
		http.Redirect(w, r, page.Root, http.StatusSeeOther)
	case r.URL.Path == loginPath:
		s.login(w, r, settings)
	default:
		s.signedIn(w, r, settings)
	}
}

// signedIn serves who has a session, and leads everybody else to the login.
func (s *Server) signedIn(w http.ResponseWriter, r *http.Request, settings Settings) {
	who, err := s.find(r, settings)
	if err != nil {
		s.askForLogin(w, r, err)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", "GET, HEAD, POST")
			s.fail(w, r, who, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the console takes GET and POST, not %.20s", r.Method).WithHint("use a link or a form"))
			return
		}
		if err := s.checkPost(w, r, who); err != nil {
			s.fail(w, r, who, err)
			return
		}
	}
	if r.URL.Path == logoutPath {
		s.logout(w, r, who)
		return
	}
	all, err := s.routes()
	if err != nil {
		s.fail(w, r, who, err)
		return
	}
	ctx := context.WithValue(caller.With(r.Context(), who.caller()), visitKey{}, visit{who, settings})
	handler, pattern := all.mux.Handler(r)
	if pattern == "" {
		s.fail(w, r, who, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no page %.200s", r.URL.Path).WithHint("choose a page of the navigation, or search"))
		return
	}
	if _, ours := handler.(pageHandler); !ours { // the mux redirects to the clean form of a path
		handler.ServeHTTP(w, r)
		return
	}
	all.mux.ServeHTTP(w, r.WithContext(ctx))
}

// visit is a request of a session.
type visit struct {
	who      *session
	settings Settings
}

type visitKey struct{}

// askForLogin answers a request without a session.
func (s *Server) askForLogin(w http.ResponseWriter, r *http.Request, err error) {
	if r.Method != http.MethodGet || wantsJSON(r) {
		if s.sameSite(r) == nil {
			_ = readForm(w, r) // so that the answer shows what was typed
		}
		s.fail(w, r, nil, err)
		return
	}
	to := loginPath
	if back := r.URL.RequestURI(); back != page.Root && path.Clean(back) != path.Clean(page.Root) {
		to += "?" + url.Values{"back": {back}}.Encode()
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}
