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

// The service's own state is an answer, not a reason to wait.
func TestAnswersOfTheWay(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]struct {
		kind sdk.Kind
		hint string
	}{
		503: {sdk.KindUnavailable, "status page"}, 429: {sdk.KindRateLimited, "later"},
		407: {sdk.KindUnavailable, "HTTPS_PROXY=http://USER:PASSWORD@127.0.0.1:"},
		403: {sdk.KindNotFound, "with its region"}, // an account that the service does not know
	} {
		requests := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			requests++
			w.WriteHeader(status)
		}))
		t.Cleanup(server.Close)
		address := server.Listener.Addr().(*net.TCPAddr)
		config := configOf(&fixture.Server{Host: address.IP.String(), Port: address.Port}, fixture.Reader, nil)
		if e := wantKind(t, openError(t, config), want.kind); !strings.Contains(e.Hint, want.hint) {
			t.Errorf("%d: %+v", status, e)
		}
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

// Each way to log in reaches the service.
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
	}{
		{"", "private_key", text},
		{"", "token", "pat"},
		{"oauth", "token", "access"},
	} {
		extra := map[string]any{}
		if c.authenticator != "" {
			extra["authenticator"] = c.authenticator
		}
		config := configOf(server, fixture.Reader, extra)
		config.Secrets = map[string]sdk.Secret{c.secret: sdk.NewSecret(c.value)}
		open(t, config)
	}
	if slices.ContainsFunc(server.Requests(), func(r fixture.Request) bool { return r.Kind == "telemetry" }) {
		t.Error("the driver sends telemetry")
	}
}
