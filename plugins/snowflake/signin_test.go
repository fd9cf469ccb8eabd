package snowflake_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	fixture "github.com/loam-data/loam/e2e/testserver/snowflake"
	"github.com/loam-data/loam/plugins/snowflake"
	"github.com/loam-data/loam/sdk"
)

// A person signs in in a browser, here one that follows the address at once: the token
// opens sessions until it expires, and nothing is kept by the driver.
func TestSignInInABrowser(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	server := fixture.Start(t, fixture.Users(
		fixture.User{Name: fixture.DefaultUser, Browser: true, Roles: []string{fixture.Reader}}, fixture.User{Name: "ELSE", Roles: []string{fixture.Reader}},
	))
	config := configOf(server, fixture.Reader, map[string]any{"authenticator": "external_browser"})
	config.Secrets = nil
	if e := wantKind(t, openError(t, config), sdk.KindUnauthenticated); !strings.Contains(e.Hint, "loam connection login") {
		t.Errorf("before the sign-in: %+v", e)
	}
	given, err := signIn(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	token := given.Secrets["id_token"]
	if given.User != fixture.DefaultUser || time.Until(given.Expires) < time.Hour || token.IsZero() || server.Sessions() != 0 {
		t.Errorf("%+v with %d sessions left open", given, server.Sessions())
	}
	config.Secrets = given.Secrets
	query(t, open(t, config), "SELECT 1 AS n")

	server.ExpireIDTokens()
	if e := wantKind(t, openError(t, config), sdk.KindUnauthenticated); e.Code != "390195" || !strings.Contains(e.Hint, "loam connection login") || strings.Contains(e.Error(), token.Reveal()) {
		t.Errorf("after the token expired: %+v", e)
	}
	config = configOf(server, fixture.Reader, map[string]any{"authenticator": "external_browser", "user": "ELSE"})
	config.Secrets = nil
	_, err = signIn(t.Context(), config)
	if e := wantKind(t, err, sdk.KindUnauthenticated); e.Code != "390191" {
		t.Errorf("another person: %+v", e)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = snowflake.Connector().Authenticate(ctx, sdk.OpenRequest{Config: config}, func(sdk.Prompt) error { cancel(); return nil })
	wantKind(t, err, sdk.KindCanceled)
}

// signIn signs in with a browser that follows the address.
func signIn(ctx context.Context, config sdk.Config) (sdk.Credentials, error) {
	return snowflake.Connector().Authenticate(ctx, sdk.OpenRequest{Config: config}, func(p sdk.Prompt) error {
		res, err := http.Get(p.URL)
		if err != nil {
			return err
		}
		defer func() { _ = res.Body.Close() }()
		_, err = io.Copy(io.Discard, res.Body)
		return err
	})
}
