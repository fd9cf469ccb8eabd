package snowflake_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	fixture "github.com/loam-data/loam/e2e/testserver/snowflake"
	"github.com/loam-data/loam/plugins/snowflake"
	"github.com/loam-data/loam/sdk"
)

func openError(t testing.TB, config sdk.Config) error {
	t.Helper()
	s, err := snowflake.Connector().Open(t.Context(), sdk.OpenRequest{ConnectionID: "shop", Config: config})
	if err == nil {
		t.Error("it opens")
		_ = s.Close(context.Background())
	}
	return err
}

// What is wrong with a configuration is told by what has to be changed, at once and
// without a second attempt.
func TestWrongConfigurations(t *testing.T) {
	t.Parallel()
	server := fixture.Start(t)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := closed.Addr().(*net.TCPAddr).Port
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		extra map[string]any
		kind  sdk.Kind
		hint  string
	}{
		{"role", map[string]any{"role": "NOBODY"}, sdk.KindNotFound, "role"},
		{"database", map[string]any{"database": "NOWHERE"}, sdk.KindNotFound, "database"},
		{"warehouse", map[string]any{"warehouse": "NONE"}, sdk.KindNotFound, "warehouse"},
		{"user", map[string]any{"user": "NOBODY"}, sdk.KindUnauthenticated, "user"},
		{"port", map[string]any{"port": port}, sdk.KindUnavailable, "port"},
	} {
		e := wantKind(t, openError(t, configOf(server, fixture.Reader, c.extra)), c.kind)
		if !strings.Contains(e.Hint, c.hint) || e.Op != "connect" {
			t.Errorf("%s: %+v", c.name, e)
		}
	}
	config := configOf(server, fixture.Reader, nil)
	config.Secrets = map[string]sdk.Secret{"password": sdk.NewSecret("canary-password")}
	if e := wantKind(t, openError(t, config), sdk.KindUnauthenticated); strings.Contains(e.Error(), "canary") {
		t.Errorf("the password is in %v", e)
	}
}

// The service's own state is an answer, not a reason to wait.
func TestAnswersOfTheWay(t *testing.T) {
	t.Parallel()
	for status, kind := range map[int]sdk.Kind{503: sdk.KindUnavailable, 429: sdk.KindRateLimited, 407: sdk.KindUnavailable, 403: sdk.KindNotFound} {
		requests := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			requests++
			w.WriteHeader(status)
		}))
		t.Cleanup(server.Close)
		address := server.Listener.Addr().(*net.TCPAddr)
		config := configOf(&fixture.Server{Host: address.IP.String(), Port: address.Port}, fixture.Reader, nil)
		wantKind(t, openError(t, config), kind)
		if requests != 1 {
			t.Errorf("%d: %d requests", status, requests)
		}
	}
}

func TestProblemsOfConfigurations(t *testing.T) {
	t.Parallel()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	good := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}))
	for _, c := range []struct {
		name    string
		extra   map[string]any
		secrets map[string]string
		paths   []string
	}{
		{"key", nil, map[string]string{"private_key": good}, nil},
		{"no key", nil, map[string]string{"private_key": "x"}, []string{"private_key"}},
		{"encrypted key", nil, map[string]string{"private_key": strings.ReplaceAll(good, "PRIVATE", "ENCRYPTED PRIVATE")}, []string{"private_key"}},
		{"nothing", nil, nil, []string{"password"}},
		{"no token", map[string]any{"authenticator": "oauth", "user": nil}, nil, []string{"token"}},
		{"token", map[string]any{"authenticator": "oauth", "user": nil}, map[string]string{"token": "t"}, nil},
		{"no user", map[string]any{"user": nil}, map[string]string{"token": "t"}, []string{"user"}},
		{"http", map[string]any{"host": "example.com"}, map[string]string{"password": "p"}, []string{"protocol"}},
		{"account", map[string]any{"account": "https://x"}, map[string]string{"password": "p"}, []string{"account"}},
		{"database", map[string]any{"database": " ", "databases": []string{""}}, map[string]string{"password": "p"}, []string{"database", "databases"}},
	} {
		config := configOf(&fixture.Server{Host: "127.0.0.1", Port: 1}, "", c.extra)
		config.Secrets = map[string]sdk.Secret{}
		for name, secret := range c.secrets {
			config.Secrets[name] = sdk.NewSecret(secret)
		}
		var paths []string
		for _, d := range snowflake.Connector().ValidateConfig(config) {
			paths = append(paths, d.Path)
		}
		slices.Sort(paths)
		if !slices.Equal(paths, c.paths) {
			t.Errorf("%s: %q, want %q", c.name, paths, c.paths)
		}
	}
}

// Each way to log in reaches the service. Of a token that has expired the error says
// that a new one is needed, and names no command: the connector has no sign-in.
func TestWaysToLogIn(t *testing.T) {
	t.Parallel()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	text := string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	server := fixture.Start(t, fixture.Users(fixture.User{
		Name: fixture.DefaultUser, Roles: []string{fixture.Reader}, Key: &key.PublicKey, Access: "pat", OAuth: "access",
	}))
	for _, c := range []struct {
		authenticator, secret, value string
		kind                         sdk.Kind
	}{
		{"", "private_key", text, ""},
		{"", "token", "pat", ""},
		{"oauth", "token", "access", ""},
		{"", "token", "no such token", sdk.KindUnauthenticated},
		{"oauth", "token", fixture.OAuthExpired, sdk.KindUnauthenticated},
	} {
		extra := map[string]any{}
		if c.authenticator != "" {
			extra["authenticator"] = c.authenticator
		}
		config := configOf(server, fixture.Reader, extra)
		config.Secrets = map[string]sdk.Secret{c.secret: sdk.NewSecret(c.value)}
		if c.kind == "" {
			open(t, config)
			continue
		}
		e := wantKind(t, openError(t, config), c.kind)
		if c.value == fixture.OAuthExpired && (!strings.Contains(e.Hint, "has expired: put a new token") || strings.Contains(e.Hint, "connection login")) {
			t.Errorf("the hint is %q", e.Hint)
		}
	}
	if slices.ContainsFunc(server.Requests(), func(r fixture.Request) bool { return r.Kind == "telemetry" }) {
		t.Error("the driver sends telemetry")
	}
}
