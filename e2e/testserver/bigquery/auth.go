package bigquery

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// identity is who may sign in, and what each may do.
type identity struct {
	mu       sync.Mutex
	accounts map[string]*Account
	tokens   map[string]grant
	skew     time.Duration
}

// grant is a token that was given out.
type grant struct {
	account string
	expires time.Time
	scopes  []string
}

// Account is a service account.
type Account struct {
	Email string
	// Key is the JSON of a service account key, whose token_uri is the server's.
	Key []byte

	keyID       string
	public      *rsa.PublicKey
	permissions []string
	actsAs      []string
}

// reader are the permissions of roles/bigquery.jobUser and roles/bigquery.dataViewer.
var reader = []string{"bigquery.jobs.create", "bigquery.datasets.get", "bigquery.tables.get", "bigquery.tables.list", "bigquery.tables.getData"}

func (i *identity) begin() {
	i.accounts, i.tokens = map[string]*Account{}, map[string]grant{}
}

// pair is one key for all accounts of a process: making one takes long.
var pair = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err) // the machine has no randomness
	}
	return key
})

// Account makes a service account with the rights of a reader, and the permissions given.
func (s *Server) Account(t testing.TB, name string, permissions ...string) *Account {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(pair())
	if err != nil {
		t.Fatal(err)
	}
	a := &Account{
		Email: name + "@" + s.Project + ".iam.gserviceaccount.com", keyID: "key-of-" + name, public: &pair().PublicKey,
		permissions: append(slices.Clone(reader), permissions...),
	}
	a.Key, err = json.MarshalIndent(map[string]string{
		"type": "service_account", "project_id": s.Project, "private_key_id": a.keyID, "client_email": a.Email, "client_id": "1",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})),
		"auth_uri":    s.URL() + "/auth", "token_uri": s.URL() + "/token", "universe_domain": "googleapis.com",
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	s.identity.mu.Lock()
	defer s.identity.mu.Unlock()
	s.identity.accounts[a.Email] = a
	return a
}

// Token returns an access token of a reader by that name, without the exchange of a key.
func (s *Server) Token(t testing.TB, name string, permissions ...string) string {
	t.Helper()
	a := s.Account(t, name, permissions...)
	return s.issue(a.Email, time.Hour, []string{"https://www.googleapis.com/auth/cloud-platform"})
}

// ActAs lets an account have tokens of another one.
func (s *Server) ActAs(account, other *Account) {
	s.identity.mu.Lock()
	defer s.identity.mu.Unlock()
	account.actsAs = append(account.actsAs, other.Email)
}

// Expire ends every token that was given out.
func (s *Server) Expire() {
	s.identity.mu.Lock()
	defer s.identity.mu.Unlock()
	for t, g := range s.identity.tokens {
		g.expires = time.Time{}
		s.identity.tokens[t] = g
	}
}

// Revoke deletes an account: its key is no longer good, nor are its tokens.
func (s *Server) Revoke(a *Account) {
	s.identity.mu.Lock()
	defer s.identity.mu.Unlock()
	delete(s.identity.accounts, a.Email)
}

// Skew sets the server's clock ahead of the machine's: in the header Date of its answers,
// and as signatures are checked.
func (s *Server) Skew(ahead time.Duration) {
	s.identity.mu.Lock()
	defer s.identity.mu.Unlock()
	s.identity.skew = ahead
}

// date writes the header Date by the server's clock.
func (i *identity) date(w http.ResponseWriter) {
	i.mu.Lock()
	defer i.mu.Unlock()
	w.Header().Set("Date", time.Now().Add(i.skew).UTC().Format(http.TimeFormat))
}

func (s *Server) issue(account string, life time.Duration, scopes []string) string {
	token := "ya29." + rand.Text()
	s.identity.mu.Lock()
	defer s.identity.mu.Unlock()
	s.identity.tokens[token] = grant{account, time.Now().Add(s.identity.skew + life), scopes}
	return token
}

// account returns whose request it is.
func (s *Server) account(r *http.Request) (string, *Error) {
	bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		e := *Unauthorized
		e.Reason, e.Challenge = "required", `Bearer realm="https://accounts.google.com/"`
		e.Message = "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid authentication credential."
		return "", &e
	}
	if strings.Count(bearer, ".") == 2 { // a token that the client signed itself
		claims, problem := s.verify(bearer)
		if problem != "" || claims.Subject != claims.Issuer || !strings.Contains(claims.Scope, "auth/bigquery") && !strings.Contains(claims.Scope, "auth/cloud-platform") && !strings.Contains(claims.Audience, "bigquery") {
			return claims.Issuer, Unauthorized
		}
		return claims.Issuer, nil
	}
	s.identity.mu.Lock()
	defer s.identity.mu.Unlock()
	g, ok := s.identity.tokens[bearer]
	if !ok || time.Now().Add(s.identity.skew).After(g.expires) || s.identity.accounts[g.account] == nil {
		return g.account, Unauthorized
	}
	if !slices.ContainsFunc(g.scopes, func(s string) bool {
		return strings.Contains(s, "auth/bigquery") || strings.Contains(s, "auth/cloud-platform")
	}) {
		return g.account, &Error{
			Status: 403, Reason: "insufficientPermissions", Message: "Request had insufficient authentication scopes.",
			Challenge: `Bearer realm="https://accounts.google.com/", error="insufficient_scope", scope="https://www.googleapis.com/auth/bigquery"`,
		}
	}
	return g.account, nil
}

// allowed is whether an account has a permission.
func (s *Server) allowed(account, permission string) bool {
	s.identity.mu.Lock()
	defer s.identity.mu.Unlock()
	a := s.identity.accounts[account]
	return a != nil && slices.Contains(a.permissions, permission)
}

// claims of a JWT.
type claims struct {
	Issuer   string `json:"iss"`
	Subject  string `json:"sub"`
	Audience string `json:"aud"`
	Scope    string `json:"scope"`
	IssuedAt int64  `json:"iat"`
	Expires  int64  `json:"exp"`
}

// verify checks a JWT's signature and its times; the problem is Google's text for it.
// Source: RFC 7523 and the answers of oauth2.googleapis.com/token.
func (s *Server) verify(token string) (c claims, problem string) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return c, "Invalid JWT: it must have three parts"
	}
	var header struct {
		Alg string `json:"alg"`
		Kid string `json:"kid"`
	}
	for i, into := range []any{&header, &c} {
		raw, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil || json.Unmarshal(raw, into) != nil {
			return c, "Invalid JWT: Failed JWS decoding"
		}
	}
	s.identity.mu.Lock()
	a, now := s.identity.accounts[c.Issuer], time.Now().Add(s.identity.skew)
	s.identity.mu.Unlock()
	if a == nil {
		return c, "Invalid grant: account not found"
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err != nil || header.Alg != "RS256" || header.Kid != "" && header.Kid != a.keyID || rsa.VerifyPKCS1v15(a.public, crypto.SHA256, sum[:], signature) != nil {
		return c, "Invalid JWT Signature."
	}
	const tolerance = 5 * time.Minute
	issued, expires := time.Unix(c.IssuedAt, 0), time.Unix(c.Expires, 0)
	if issued.After(now.Add(tolerance)) || expires.Before(now.Add(-tolerance)) || expires.Sub(issued) > time.Hour+tolerance {
		return c, "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim."
	}
	return c, ""
}

// token is the OAuth endpoint: it exchanges a signed claim for an access token.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	s.record(Request{Method: r.Method, Path: r.URL.Path, Kind: "token"})
	s.identity.date(w)
	if r.FormValue("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" {
		oauthError(w, "unsupported_grant_type", "Invalid grant_type: "+r.FormValue("grant_type"))
		return
	}
	c, problem := s.verify(r.FormValue("assertion"))
	if problem == "" && c.Audience != s.URL()+"/token" {
		problem = "Invalid JWT: the audience is " + c.Audience
	}
	if problem != "" {
		oauthError(w, "invalid_grant", problem)
		return
	}
	if c.Scope == "" {
		oauthError(w, "invalid_scope", "Empty or missing scope not allowed.")
		return
	}
	reply(w, map[string]any{"access_token": s.issue(c.Issuer, time.Hour, strings.Fields(c.Scope)), "expires_in": 3599, "token_type": "Bearer"})
}

func oauthError(w http.ResponseWriter, code, description string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(http.StatusBadRequest)
	send(w, map[string]string{"error": code, "error_description": description})
}

// impersonate is generateAccessToken of iamcredentials.
func (s *Server) impersonate(w http.ResponseWriter, r *http.Request) {
	account, err := s.account(r)
	s.record(Request{Method: r.Method, Path: r.URL.Path, Account: account, Kind: "token"})
	email, generates := strings.CutSuffix(r.PathValue("account"), ":generateAccessToken")
	var b struct {
		Scope    []string `json:"scope"`
		Lifetime string   `json:"lifetime"`
	}
	if err == nil && (!generates || json.NewDecoder(r.Body).Decode(&b) != nil) {
		err = lacking("%s", r.URL.Path)
	}
	s.identity.mu.Lock()
	from, to := s.identity.accounts[account], s.identity.accounts[email]
	s.identity.mu.Unlock()
	if err == nil && (to == nil || from == nil || !slices.Contains(from.actsAs, email)) {
		err = &Error{Status: 403, Reason: "forbidden", Message: fmt.Sprintf("Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist).")}
	}
	if err != nil {
		err.write(w)
		return
	}
	life := time.Hour
	if d, err := time.ParseDuration(b.Lifetime); err == nil && d > 0 && d < life {
		life = d
	}
	reply(w, map[string]any{"accessToken": s.issue(email, life, b.Scope), "expireTime": time.Now().Add(life).UTC().Format(time.RFC3339)})
}
