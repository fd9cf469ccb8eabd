package console

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/time/rate"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/sdk"
)

const (
	loginPath, logoutPath = page.Root + "login", page.Root + "logout"
	// burst tries to sign in are allowed to an address at once, then one each minute.
	burst = 5
	// mostAddresses bounds the addresses whose tries are counted.
	mostAddresses = 4096
	// maxName bounds the name that a person types at login, in characters.
	maxName = 60
)

// loginData is what the login page shows.
type loginData struct {
	Token   bool   `json:"token"` // console.token is asked for
	Code    string `json:"-"`
	Back    string `json:"-"`
	Name    string `json:"-"`
	Problem string `json:"problem,omitempty"`
	Hint    string `json:"hint,omitempty"`
}

// login shows the page on which people sign in, and takes its form.
func (s *Server) login(w http.ResponseWriter, r *http.Request, settings Settings) {
	data := loginData{Token: settings.Token, Code: r.URL.Query().Get("code"), Back: r.URL.Query().Get("back"), Name: s.User}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		s.showLogin(w, r, http.StatusOK, &data)
		return
	case http.MethodPost:
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		s.fail(w, r, nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the login takes GET and POST").WithHint("use the form"))
		return
	}
	err := s.sameSite(r)
	if err == nil {
		err = readForm(w, r)
	}
	if err != nil {
		s.fail(w, r, nil, err)
		return
	}
	data.Back, data.Name, data.Code = r.PostForm.Get("back"), nameOf(r.PostForm.Get("name")), r.PostForm.Get("code")
	who, err := s.authenticate(r, settings)
	if err != nil {
		e := sdk.AsError(err, sdk.SourceHost)
		s.Logger.Warn("console login refused", "remote", r.RemoteAddr, "reason", e.Msg)
		data.Problem, data.Hint, data.Code = e.Msg, e.Hint, ""
		s.showLogin(w, r, statusOf(e.Kind), &data)
		return
	}
	if old, err := s.find(r, settings); err == nil {
		s.sessions.end(old) // an id that was there before the login is worth nothing after it
	}
	who.origin, who.actor.Label, who.actor.Address = s.origin(r), data.Name, addressOf(r)
	s.setCookie(w, r, s.sessions.begin(who), 0)
	s.Logger.Info("console login", "remote", r.RemoteAddr, "role", string(who.role), "name", who.actor.Name())
	to, ok := page.Local(data.Back)
	if !ok {
		to = page.Root
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// authenticate returns a session for who has a code, or a token where the settings have one.
// Errors: KindUnauthenticated, KindRateLimited.
func (s *Server) authenticate(r *http.Request, settings Settings) (*session, error) {
	if !s.attempts.allow(addressOf(r)) {
		return nil, sdk.Errorf(sdk.KindRateLimited, sdk.SourceCaller, "too many tries to sign in from this address").WithHint("wait a minute")
	}
	if !settings.Token {
		user, err := s.Take(r.PostForm.Get("code"))
		if err != nil {
			return nil, err
		}
		return &session{role: page.Reviewer, actor: change.Actor{Channel: change.Console, User: user}}, nil
	}
	tokens, err := s.Tokens(r.Context())
	if err != nil {
		return nil, err
	}
	given := sha256.Sum256([]byte(strings.TrimSpace(r.PostForm.Get("secret"))))
	reviewer, reader := matches(given, tokens.Reviewer), matches(given, tokens.Reader) // both, always
	who := &session{byToken: true, actor: change.Actor{Channel: change.Console, Principal: "token"}}
	switch {
	case reviewer:
		who.role = page.Reviewer
	case reader:
		who.role = page.Reader
	default:
		return nil, sdk.Errorf(sdk.KindUnauthenticated, sdk.SourceCaller, "this is not the token of the console").WithHint("ask whoever runs the server for console.token; the tokens of the MCP server do not open the console")
	}
	return who, nil
}

// matches compares the digest of a given token with a token in constant time.
func matches(given [sha256.Size]byte, token sdk.Secret) bool {
	sum := sha256.Sum256([]byte(token.Reveal()))
	return subtle.ConstantTimeCompare(given[:], sum[:]) == 1 && !token.IsZero()
}

// nameOf returns a typed name without what would disturb a line of the log.
func nameOf(typed string) string {
	name := strings.Join(strings.FieldsFunc(typed, func(c rune) bool {
		return unicode.IsSpace(c) || !unicode.IsPrint(c)
	}), " ")
	if runes := []rune(name); len(runes) > maxName {
		return string(runes[:maxName])
	}
	return name
}

func (s *Server) logout(w http.ResponseWriter, r *http.Request, who *session) {
	if r.Method != http.MethodPost {
		http.Redirect(w, r, page.Root, http.StatusSeeOther)
		return
	}
	s.sessions.end(who)
	s.setCookie(w, r, "", -1)
	http.Redirect(w, r, loginPath, http.StatusSeeOther)
}

func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// attempts counts the tries to sign in, by address.
type attempts struct {
	now func() time.Time

	mu  sync.Mutex
	all map[string]*rate.Limiter
}

// allow reports whether an address may try now.
func (a *attempts) allow(address string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	limiter := a.all[address]
	if limiter == nil {
		if len(a.all) >= mostAddresses || a.all == nil {
			a.forget(now)
		}
		limiter = rate.NewLimiter(rate.Every(time.Minute), burst)
		a.all[address] = limiter
	}
	return limiter.AllowN(now, 1)
}

// forget drops the addresses that may try as often as a new one. Where all of them are waiting, an attacker has
// them all, and the count begins anew. The caller has the lock.
func (a *attempts) forget(now time.Time) {
	for address, limiter := range a.all {
		if limiter.TokensAt(now) >= burst {
			delete(a.all, address)
		}
	}
	if len(a.all) >= mostAddresses || a.all == nil {
		a.all = map[string]*rate.Limiter{}
	}
}
