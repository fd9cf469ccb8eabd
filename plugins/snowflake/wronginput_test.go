package snowflake_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loam-data/loam/e2e/testserver"
	fixture "github.com/loam-data/loam/e2e/testserver/snowflake"
	"github.com/loam-data/loam/sdk"
)

// wrongInput is one fault, and what a person reads of it.
type wrongInput struct {
	name    string
	extra   map[string]any    // of the configuration
	secrets map[string]string // in the place of the password
	skew    time.Duration     // of the server's clock
	sql     string            // that meets the fault; "" = to open the connection does

	kind    sdk.Kind
	code    string
	cause   string // part of the message
	command string // part of the hint
}

const (
	again   = "loam connection test shop"
	reading = "SELECT COUNT(*) FROM accounts"
	token   = "canary token"
)

var wrongInputs = []wrongInput{
	{
		name: "password", secrets: map[string]string{"password": "canary"},
		kind: sdk.KindUnauthenticated, code: "390100", cause: "Incorrect username or password", command: again,
	},
	{name: "user", extra: map[string]any{"user": "NOBODY"}, kind: sdk.KindUnauthenticated, code: "390100", cause: "Incorrect username", command: again},
	{name: "role", extra: map[string]any{"role": "NOBODY"}, kind: sdk.KindNotFound, code: "390189", cause: "NOBODY", command: again},
	{name: "warehouse", extra: map[string]any{"warehouse": "NONE"}, kind: sdk.KindNotFound, code: "390201", cause: "warehouse NONE", command: again},
	{name: "database", extra: map[string]any{"database": "NOWHERE"}, kind: sdk.KindNotFound, code: "390201", cause: "database NOWHERE", command: again},
	{name: "schema", extra: map[string]any{"schema": "NOWHERE"}, kind: sdk.KindNotFound, code: "390201", cause: "schema NOWHERE", command: again},
	{name: "account or region", extra: map[string]any{"account": "another"}, kind: sdk.KindNotFound, code: "260008", cause: "the service has no account another", command: "with its region"},
	{name: "port", extra: map[string]any{"port": 1}, kind: sdk.KindUnavailable, cause: "refused", command: "check the port"},
	{
		name: "key of another user", secrets: map[string]string{"private_key": privateKey()}, extra: map[string]any{"user": "KEYLESS"},
		kind: sdk.KindUnauthenticated, code: "390144", cause: "JWT token is invalid", command: "DESCRIBE USER",
	},
	{
		name: "clock", secrets: map[string]string{"private_key": privateKey()}, extra: map[string]any{"user": "KEYED"}, skew: 3 * time.Hour,
		kind: sdk.KindUnauthenticated, code: "390144", cause: "behind the service's", command: "timedatectl",
	},
	{
		name: "invalid token", secrets: map[string]string{"token": token}, kind: sdk.KindUnauthenticated, code: "394400",
		cause: "invalid", command: "ROTATE PROGRAMMATIC ACCESS TOKEN",
	},
	{
		name: "expired token", extra: map[string]any{"authenticator": "oauth"}, secrets: map[string]string{"token": fixture.OAuthExpired},
		kind: sdk.KindUnauthenticated, code: "390318", cause: "expired", command: again,
	},
	{
		name: "suspended warehouse", extra: map[string]any{"warehouse": "SLEEPING"}, sql: reading,
		kind: sdk.KindUnavailable, code: "000606", cause: "warehouse", command: `ALTER WAREHOUSE "SLEEPING" RESUME`,
	},
	{
		name: "no warehouse", extra: map[string]any{"warehouse": nil}, sql: reading,
		kind: sdk.KindInvalid, code: "000606", cause: "warehouse", command: "set warehouse",
	},
	{
		name: "quota", extra: map[string]any{"warehouse": "SPENT"}, sql: reading,
		kind: sdk.KindRateLimited, code: "090073", cause: "quota", command: "resource monitor",
	},
}

var pair = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err) // the machine has no randomness
	}
	return key
})

func privateKey() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(pair())}))
}

// wrongServer is a server that meets each of wrongInputs.
func wrongServer(t *testing.T) *fixture.Server {
	roles := []string{fixture.Reader, fixture.Admin}
	server := fixture.Start(t, fixture.Users(
		fixture.User{Name: fixture.DefaultUser, Password: fixture.DefaultPassword, Roles: roles},
		fixture.User{Name: "KEYED", Key: &pair().PublicKey, Roles: roles}, fixture.User{Name: "KEYLESS", Roles: roles},
	))
	for _, name := range []string{"SLEEPING", "SPENT"} {
		server.AddWarehouse(name)
	}
	server.Suspend("SLEEPING", false)
	server.UseQuota("SPENT")
	server.Exec(t, "CREATE TABLE ACCOUNTS AS SELECT range::INTEGER AS ID FROM range(3)")
	server.Exec(t, "CREATE TABLE DOCS (V VARIANT)")
	return server
}

// A fault is told by its code, its cause and the next command, after one attempt and
// without a secret.
func TestWrongInput(t *testing.T) {
	t.Parallel()
	server := wrongServer(t)
	for _, c := range wrongInputs {
		t.Run(c.name, func(t *testing.T) {
			server.Skew(c.skew)
			before := len(server.Requests())
			config := configOf(server, fixture.Reader, c.extra)
			if c.secrets != nil {
				config.Secrets = map[string]sdk.Secret{}
			}
			for name, value := range c.secrets {
				config.Secrets[name] = sdk.NewSecret(value)
			}
			var err error
			if c.sql == "" {
				err = openError(t, config)
			} else {
				_, err = execute(t.Context(), open(t, config), sdk.ExecuteRequest{SQL: c.sql})
			}
			e := wantKind(t, err, c.kind)
			if e.Code != c.code || !strings.Contains(e.Msg, c.cause) || !strings.Contains(e.Hint, c.command) || c.sql == "" && e.Op != "connect" {
				t.Errorf("code %q, cause %q, next %q of %s; want %q, %q, %q", e.Code, e.Msg, e.Hint, e.Op, c.code, c.cause, c.command)
			}
			logins := 0
			for _, r := range server.Requests()[before:] {
				if r.Kind == fixture.KindLogin {
					logins++
				}
			}
			if logins > 1 && c.extra["authenticator"] != "oauth" || strings.Contains(e.Error()+e.Hint, "canary") { // the driver sends an access token twice
				t.Errorf("%d attempts to log in; %v", logins, e)
			}
		})
	}
	server.Skew(0)
	s := open(t, configOf(server, fixture.Reader, nil))
	t.Run("expired session", func(t *testing.T) { testExpiredSessions(t, server, s) })
	t.Run("limits and values", func(t *testing.T) { testWhatIsLeftOut(t, server, s) })
}

// testExpiredSessions: a session whose tokens have expired logs in again by itself.
func testExpiredSessions(t *testing.T, server *fixture.Server, s sdk.Session) {
	for name, expire := range map[string]func(){"session": server.ExpireSessions, "login": server.ExpireLogins} {
		expire()
		if r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT 1 AS n"}); err != nil || r.Texts[0][0] != "1" {
			t.Errorf("after the %s expired: %v", name, err)
		}
	}
}

// testWhatIsLeftOut: rows beyond a limit, and values that a type does not hold, are told.
func testWhatIsLeftOut(t *testing.T, server *fixture.Server, s sdk.Session) {
	r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT id FROM accounts", Limits: sdk.Limits{MaxRows: 1}})
	if err != nil || len(r.Texts) != 1 || r.Summary.TruncatedBy != sdk.TruncatedByRows {
		t.Errorf("%d rows, %+v, %v", len(r.Texts), r.Summary, err)
	}
	server.Plant(fixture.Plant{Contains: "FROM docs", Cell: "undefined"})
	r = query(t, s, "SELECT v FROM docs")
	if r.Texts[0][0] != `"undefined"` || len(r.Notices) != 1 || r.Notices[0].Object != "V" {
		t.Errorf("%v with the notices %+v", r.Texts, r.Notices)
	}
}

func TestProxyThatAsksForAPassword(t *testing.T) {
	t.Parallel()
	proxy, inside := testserver.BehindProxy(t)
	if !inside {
		return
	}
	config := configOf(&fixture.Server{Host: "account.invalid", Port: 443}, fixture.Reader, map[string]any{"protocol": "https"})
	e := wantKind(t, openError(t, config), sdk.KindUnavailable)
	if e.Code != "407" || e.Op != "connect" || e.Retry || !strings.Contains(e.Msg, "the proxy "+proxy) || !strings.Contains(e.Hint, "HTTPS_PROXY=http://USER:PASSWORD@"+proxy) {
		t.Errorf("%+v", e)
	}
}
