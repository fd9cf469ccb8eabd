package postgres

import (
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

// A server, or a pooler in between, that does not know the optional parameters
// is connected to without them, and is not asked again.
func TestOptionalParameters(t *testing.T) {
	t.Parallel()
	server := testserver.Postgres(t)
	cfg := &config{
		Host: server.Host, Port: server.Port, Database: "postgres", User: testserver.PostgresReader,
		Password: sdk.NewSecret(testserver.PostgresPassword), ConnectTimeout: 10 * time.Second,
	}
	for name, c := range map[string]struct {
		optional map[string]string
		plain    bool
	}{
		"known":                 {map[string]string{"extra_float_digits": "1"}, false},
		"unknown":               {map[string]string{"no_such_parameter": "1"}, true},
		"impossible":            {map[string]string{"client_connection_check_interval": "soon"}, true},
		"those of every server": {optional, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := newDialer(cfg)
			if err != nil {
				t.Fatal(err)
			}
			d.optional = c.optional
			for range 2 {
				conn, err := d.connect(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				conn.close(t.Context())
				if d.plain.Load() != c.plain {
					t.Errorf("plain is %t, want %t", d.plain.Load(), c.plain)
				}
			}
		})
	}
}

// The error of a refused login shows neither the password nor the driver's
// own wording over several lines.
func TestConnectErrorsAreShort(t *testing.T) {
	t.Parallel()
	server := testserver.Postgres(t)
	for name, c := range map[string]config{
		"password":  {Host: server.Host, Port: server.Port, Password: sdk.NewSecret("s3cret-canary")},
		"port":      {Host: server.Host, Port: 1, Password: sdk.NewSecret("s3cret-canary")},
		"socket":    {Host: "/does/not/exist", Port: server.Port, Password: sdk.NewSecret("s3cret-canary")},
		"no server": {Host: server.SocketDir, Port: 1, Password: sdk.NewSecret("s3cret-canary")},
		"host":      {Host: "no-such-host.invalid", Port: server.Port, Password: sdk.NewSecret("s3cret-canary")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.Database, c.User, c.ConnectTimeout = "postgres", testserver.PostgresReader, 5*time.Second
			d, err := newDialer(&c)
			if err != nil {
				t.Fatal(err)
			}
			_, err = d.connect(t.Context())
			e := sdk.AsError(err, sdk.SourceConnector)
			if e == nil || e.Hint == "" || strings.ContainsAny(e.Msg, "\n\t`") || strings.Contains(err.Error(), "canary") {
				t.Errorf("got %q, hint %q", err, e.Hint)
			}
		})
	}
}
