package console

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/sdk"
)

const (
	// defaultIdle is how long a session may be unused, and longest how long it may last.
	defaultIdle, longest = 8 * time.Hour, 7 * 24 * time.Hour
	// mostSessions bounds the sessions: a further one ends the longest unused.
	mostSessions = 200
	secretBytes  = 32
)

// session is what a person who signed in has.
type session struct {
	// token is the field that every form of the session has.
	token string
	// origin is the scheme and host at which the session began. Cookies do not tell ports apart.
	origin string
	actor  change.Actor
	role   page.Role
	// byToken: the session began with a token, not with a code.
	byToken bool
	key     [sha256.Size]byte
	began   time.Time

	mu    sync.Mutex
	seen  time.Time
	flash *page.Flash
}

// sessions are those of a server, by the digest of their id. They end with the process.
type sessions struct {
	now func() time.Time

	mu  sync.Mutex
	all map[[sha256.Size]byte]*session
}

func newSessions(now func() time.Time) *sessions {
	return &sessions{now: now, all: map[[sha256.Size]byte]*session{}}
}

// secret returns 32 random bytes as text.
func secret() string {
	var raw [secretBytes]byte
	_, _ = rand.Read(raw[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(raw[:])
}

// begin opens a session and returns its id, which nobody keeps but the browser.
func (s *sessions) begin(of *session) (id string) {
	id = secret()
	of.key, of.token, of.began = sha256.Sum256([]byte(id)), secret(), s.now()
	of.seen = of.began
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) >= mostSessions {
		s.endOldest()
	}
	s.all[of.key] = of
	return id
}

// endOldest ends the session that was unused for the longest time. The caller has the lock.
func (s *sessions) endOldest() {
	var oldest *session
	for _, one := range s.all {
		if oldest == nil || one.lastSeen().Before(oldest.lastSeen()) {
			oldest = one
		}
	}
	delete(s.all, oldest.key)
}

func (s *session) lastSeen() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}

// end ends a session everywhere.
func (s *sessions) end(of *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, of.key)
}

// use returns the session with an id, which counts as used now; nil = there is none, or it is over.
func (s *sessions) use(id, origin string, idle time.Duration) *session {
	if idle <= 0 {
		idle = defaultIdle
	}
	key := sha256.Sum256([]byte(id)) // looked up by the digest: how long that takes tells nothing of an id
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.all[key]
	if found == nil {
		return nil
	}
	found.mu.Lock()
	defer found.mu.Unlock()
	if now.Sub(found.seen) > idle || now.Sub(found.began) > longest {
		delete(s.all, key)
		return nil
	}
	if found.origin != origin {
		return nil
	}
	found.seen = now
	return found
}

// show keeps a message for the session's next page.
func (s *session) show(f *page.Flash) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flash = f
}

// shown returns the message for this page, once.
func (s *session) shown() *page.Flash {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.flash
	s.flash = nil
	return f
}

// id names the session for others; it opens nothing.
func (s *session) id() string { return hex.EncodeToString(s.key[:8]) }

// caller is the session as a client of the project.
func (s *session) caller() *caller.Caller {
	return &caller.Caller{Transport: caller.Console, Principal: caller.Console + " " + s.actor.Name(), Client: s.id()}
}

// cookieName has the port, since cookies of all ports of a host are sent to each of them.
func cookieName(r *http.Request) string {
	port := "80"
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		if _, p, err := net.SplitHostPort(local.String()); err == nil {
			port = p
		}
	}
	return "loam_console_" + port
}

func (s *Server) setCookie(w http.ResponseWriter, r *http.Request, id string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r), Value: id, Path: strings.TrimSuffix(page.Root, "/"), MaxAge: age,
		HttpOnly: true, Secure: s.secure(r), SameSite: http.SameSiteStrictMode,
	})
}

// find returns the session of a request.
// Errors: KindUnauthenticated.
func (s *Server) find(r *http.Request, settings Settings) (*session, error) {
	for _, c := range r.CookiesNamed(cookieName(r)) {
		// Setting or removing console.token ends the sessions that began without or with one.
		if found := s.sessions.use(c.Value, s.origin(r), settings.Idle); found != nil && found.byToken == settings.Token {
			return found, nil
		}
	}
	return nil, sdk.Errorf(sdk.KindUnauthenticated, sdk.SourceCaller, "you are not signed in, or were not active for too long").WithHint("run loam console, or sign in again")
}
