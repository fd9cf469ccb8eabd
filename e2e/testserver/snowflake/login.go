package snowflake

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// User is somebody who may log in by each of the ways that has a value.
type User struct {
	Name     string // in upper case
	Password string
	Key      *rsa.PublicKey // of a key pair
	OAuth    string         // an access token; OAuthExpired = one that has expired
	Access   string         // a programmatic access token
	Browser  bool           // may log in by a browser, where the fixture asks nothing
	Roles    []string       // the first is the default
}

// OAuthExpired is an access token whose time is over, whoever sends it.
const OAuthExpired = "expired-access-token"

type loginRequest struct {
	Data struct {
		Account       string         `json:"ACCOUNT_NAME"`
		Login         string         `json:"LOGIN_NAME"`
		Password      string         `json:"PASSWORD"`
		Authenticator string         `json:"AUTHENTICATOR"`
		Token         string         `json:"TOKEN"`
		ProofKey      string         `json:"PROOF_KEY"`
		RedirectPort  string         `json:"BROWSER_MODE_REDIRECT_PORT"`
		Parameters    map[string]any `json:"SESSION_PARAMETERS"`
	} `json:"data"`
}

func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	var q loginRequest
	if err := read(r, &q); err != nil {
		replyFailure(w, fail("390000", "08001", "the fixture cannot read the request: %s", err), nil)
		return
	}
	s.record(Request{Kind: KindLogin, Text: q.Data.Authenticator, Parameters: q.Data.Parameters})
	s.mu.Lock()
	w.Header().Set("Date", s.now().UTC().Format(http.TimeFormat))
	s.mu.Unlock()
	if !strings.EqualFold(q.Data.Account, s.account) { // the service has no host for it
		w.WriteHeader(http.StatusForbidden)
		return
	}
	user, failed := s.authenticate(q)
	if failed != nil {
		replyFailure(w, failed, nil)
		return
	}
	session, failed := s.open(user, r.URL.Query().Get, q.Data.Parameters)
	if failed != nil {
		replyFailure(w, failed, nil)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	idToken := ""
	if q.Data.Parameters["CLIENT_STORE_TEMPORARY_CREDENTIAL"] == true && strings.EqualFold(q.Data.Authenticator, "EXTERNALBROWSER") {
		idToken = rand.Text()
		s.idTokens[idToken] = user.Name
	}
	reply(w, object{
		"idToken": idToken, "idTokenValidityInSeconds": 14400,
		"token": session.token, "validityInSeconds": 3600, "masterToken": session.master, "masterValidityInSeconds": 14400,
		"displayUserName": user.Name, "serverVersion": version, "sessionId": session.id, "healthCheckInterval": 45,
		"parameters":  session.parameterList(),
		"sessionInfo": object{"databaseName": session.database, "schemaName": session.schema, "warehouseName": session.warehouse, "roleName": session.role},
	})
}

const version = "9.36.1"

var (
	errIncorrect = fail("390100", "08004", "Incorrect username or password was specified.")
	errExpired   = fail("390112", "08001", "Your session has expired. Please login again.")
	errNoSession = fail("390104", "08001", "Session token is invalid or has been removed. Please login again.")
)

// authenticate returns who logs in.
func (s *Server) authenticate(q loginRequest) (User, *failure) {
	d := q.Data
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.users, func(u User) bool { return strings.EqualFold(u.Name, d.Login) })
	user := User{}
	if at >= 0 {
		user = s.users[at]
	}
	switch strings.ToUpper(d.Authenticator) {
	case "", "SNOWFLAKE":
		if user.Password == "" || user.Password != d.Password {
			return user, errIncorrect
		}
	case "SNOWFLAKE_JWT":
		return s.byKey(d.Token)
	case "OAUTH":
		switch at := slices.IndexFunc(s.users, func(u User) bool { return u.OAuth != "" && u.OAuth == d.Token }); {
		case d.Token == OAuthExpired:
			return user, fail("390318", "08001", "OAuth access token expired. [fixture]")
		case at < 0:
			return user, fail("390303", "08001", "Invalid OAuth access token. [fixture]")
		case d.Login != "" && !strings.EqualFold(d.Login, s.users[at].Name):
			return user, fail("390309", "08001", "The user you were trying to authenticate as differs from the user tied to the access token.")
		default:
			return s.users[at], nil
		}
	case "PROGRAMMATIC_ACCESS_TOKEN":
		if user.Access == "" || user.Access != d.Token {
			return user, fail("394400", "08001", "Programmatic access token is invalid.")
		}
	case "EXTERNALBROWSER":
		if d.Token == "" || d.ProofKey == "" || s.proofs[d.Token] != d.ProofKey || !user.Browser {
			return user, fail("390191", "08001", "The user you were trying to authenticate as differs from the user currently logged in at the IDP.")
		}
		delete(s.proofs, d.Token)
	case "ID_TOKEN":
		if name := s.idTokens[d.Token]; name != "" && name == user.Name {
			return user, nil
		}
		return user, fail("390195", "08001", "ID Token is invalid.")
	default:
		return user, refused("the authenticator %s", d.Authenticator)
	}
	return user, nil
}

// byKey checks a token that a client signed with its private key: the signature,
// the fingerprint in its issuer, and its time. The lock is held.
func (s *Server) byKey(signed string) (User, *failure) {
	invalid := fail("390144", "08001", "JWT token is invalid. [fixture]")
	claims := jwt.RegisteredClaims{}
	if _, _, err := jwt.NewParser().ParseUnverified(signed, &claims); err != nil {
		return User{}, invalid
	}
	account, name, _ := strings.Cut(claims.Subject, ".")
	at := slices.IndexFunc(s.users, func(u User) bool { return u.Name == name })
	if at < 0 || !strings.EqualFold(account, s.account) || s.users[at].Key == nil {
		return User{}, invalid
	}
	key := s.users[at].Key
	public, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return User{}, invalid
	}
	hash := sha256.Sum256(public)
	print := "SHA256:" + base64.StdEncoding.EncodeToString(hash[:])
	_, err = jwt.NewParser(jwt.WithValidMethods([]string{"RS256"}), jwt.WithIssuer(claims.Subject+"."+print), jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithTimeFunc(s.now)).
		ParseWithClaims(signed, &claims, func(*jwt.Token) (any, error) { return key, nil })
	if err != nil {
		return User{}, invalid
	}
	return s.users[at], nil
}

// authenticator answers the first step of a login by browser: where the browser goes,
// which the fixture makes the place that it would come back to.
func (s *Server) authenticator(w http.ResponseWriter, r *http.Request) {
	var q loginRequest
	if err := read(r, &q); err != nil {
		replyFailure(w, fail("390000", "08001", "the fixture cannot read the request: %s", err), nil)
		return
	}
	s.record(Request{Kind: KindBrowser, Text: q.Data.Login})
	token, proof := rand.Text(), rand.Text()
	s.mu.Lock()
	s.proofs[token] = proof
	s.mu.Unlock()
	reply(w, object{"ssoUrl": "http://localhost:" + q.Data.RedirectPort + "/?token=" + token, "proofKey": proof})
}

// Skew sets the server's clock ahead of the machine's: in the header Date of its answers,
// and as signatures are checked.
func (s *Server) Skew(ahead time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skew = ahead
}

// now is the server's clock. The lock is held.
func (s *Server) now() time.Time { return time.Now().Add(s.skew) }

func (s *Server) renew(w http.ResponseWriter, r *http.Request) {
	s.record(Request{Kind: KindRenew})
	s.mu.Lock()
	defer s.mu.Unlock()
	session := s.masters[tokenOf(r)]
	if session == nil || session.over {
		replyFailure(w, fail("390114", "08001", "Authentication token has expired.  The user must authenticate again."), nil)
		return
	}
	delete(s.sessions, session.token)
	session.token, session.expired = rand.Text(), false
	s.sessions[session.token] = session
	reply(w, object{"sessionToken": session.token, "validityInSecondsST": 3600, "masterToken": session.master, "validityInSecondsMT": 14400, "sessionId": session.id})
}

// sessionOf returns the session of a request.
func (s *Server) sessionOf(r *http.Request) (*session, *failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	session := s.sessions[tokenOf(r)]
	switch {
	case session == nil:
		return nil, errNoSession
	case session.expired || session.over:
		return nil, errExpired
	}
	return session, nil
}

func (s *Server) heartbeat(w http.ResponseWriter, r *http.Request) {
	session, failed := s.sessionOf(r)
	if failed != nil {
		replyFailure(w, failed, nil)
		return
	}
	s.record(Request{Kind: KindHeartbeat, Session: session.id})
	reply(w, nil)
}

func (s *Server) closeSession(w http.ResponseWriter, r *http.Request) {
	session, failed := s.sessionOf(r)
	if failed != nil {
		replyFailure(w, failed, nil)
		return
	}
	s.record(Request{Kind: KindClose, Session: session.id})
	s.mu.Lock()
	delete(s.sessions, session.token)
	delete(s.masters, session.master)
	s.mu.Unlock()
	reply(w, nil)
}

// ExpireSessions makes every session's token expire; the master tokens renew them.
func (s *Server) ExpireSessions() { s.expire(func(x *session) { x.expired = true }) }

// ExpireLogins makes the master tokens expire, too: users must log in again.
func (s *Server) ExpireLogins() { s.expire(func(x *session) { x.over = true }) }

// ExpireIDTokens makes the tokens of sign-ins in a browser expire.
func (s *Server) ExpireIDTokens() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.idTokens)
}

func (s *Server) expire(change func(*session)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.sessions {
		change(x)
	}
}

// Sessions returns how many sessions are open.
func (s *Server) Sessions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions)
}

var now = time.Now
