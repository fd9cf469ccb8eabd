package sqlserver_test

import (
	"context"
	"crypto/tls"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/testserver/tds"
	"github.com/loam-data/loam/plugins/sqlserver"
	"github.com/loam-data/loam/sdk"
)

// What is wrong with a connection is told by what has to be changed, after one attempt.
func TestWrongConfigurations(t *testing.T) {
	t.Parallel()
	web := httptest.NewTLSServer(nil) // has a certificate
	t.Cleanup(web.Close)
	for _, c := range []struct {
		name  string
		said  tds.Error
		extra map[string]any
		kind  sdk.Kind
		hint  string
	}{
		{"password", tds.Error{Number: 18456, Class: 14, Message: "Login failed for user 'reader'."}, nil, sdk.KindUnauthenticated, "user and password"},
		{"old password", tds.Error{Number: 18487, Class: 14, Message: "The password of the account has expired."}, nil, sdk.KindUnauthenticated, "expired"},
		{"locked", tds.Error{Number: 18486, Class: 14, Message: "The account is locked out."}, nil, sdk.KindUnauthenticated, "unlocked"},
		{"database", tds.Error{Number: 4060, Class: 11, Message: "Cannot open database \"shop\"."}, nil, sdk.KindNotFound, "database"},
		{"firewall", tds.Error{Number: 40615, Class: 14, Message: "Client is not allowed to access the server."}, nil, sdk.KindDenied, "firewall"},
		{"paused", tds.Error{Number: 40613, Class: 17, Message: "Database 'shop' is not currently available."}, nil, sdk.KindUnavailable, ""},
		{"quota", tds.Error{Number: 10928, Class: 16, Message: "The request limit for the database is 60 and has been reached."}, nil, sdk.KindRateLimited, "later"},
		{"expired token", tds.Error{Number: 18456, Class: 14, Message: "Login failed for user '<token-identified principal>'. Token is expired."},
			map[string]any{"auth": "token", "user": nil, "sslmode": "require"}, sdk.KindUnauthenticated, "az account get-access-token"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			backend := &server{login: func(tds.Login) error { return &c.said }}
			fixture := tds.Start(t, tds.Config{Backend: backend, TLS: &tls.Config{Certificates: web.TLS.Certificates}})
			config := configOf(fixture, c.extra)
			if c.extra == nil {
				config = configOf(fixture, map[string]any{"sslmode": "disable"})
			} else {
				config.Secrets = map[string]sdk.Secret{"token": sdk.NewSecret("canary-token")}
			}
			s, err := sqlserver.Connector().Open(t.Context(), sdk.OpenRequest{ConnectionID: "shop", Config: config})
			if err == nil {
				_ = s.Close(context.Background())
			}
			e := wantKind(t, err, c.kind)
			if !strings.Contains(e.Hint, c.hint) || e.Op != "connect" || strings.Contains(e.Error(), "canary") {
				t.Errorf("%+v", e)
			}
			if len(backend.logins) != 1 {
				t.Errorf("%d attempts to log in", len(backend.logins))
			}
		})
	}
}
