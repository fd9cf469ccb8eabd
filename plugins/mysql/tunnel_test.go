package mysql_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/mysql"
	"github.com/loam-data/loam/sdk"
)

// tunnelled returns the configuration of a connection that goes to the host
// name through the SSH server.
func tunnelled(db *testserver.MariaDBDatabase, ssh *testserver.SSHServer, host string, extra map[string]any) sdk.Config {
	keys := map[string]any{"host": host, "ssh": ssh.Options()}
	for key, value := range extra {
		keys[key] = value
	}
	return configOf(db, testserver.MariaDBReader, keys)
}

// Names are resolved on the far side, the certificate is that of the warehouse,
// and parallel statements and cancel requests share one client.
func TestTunnel(t *testing.T) {
	t.Parallel()
	db, ssh := testserver.MariaDB(t).Database(t, "CREATE TABLE t (id int)"), testserver.SSH(t)
	s := openWith(t, sdk.OpenRequest{Config: tunnelled(db, ssh, testserver.SSHInside, map[string]any{"sslmode": "disable"})})
	if got := query(t, s, "SELECT count(*) FROM t").Rows[0][0]; got != int64(0) {
		t.Errorf("got %v", got)
	}
	if found, _ := scanAll(t, s, sdk.ScanRequest{}); len(found.Tables) != 1 {
		t.Errorf("scanned %v", found.names())
	}
	before := ssh.Forwarded()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := execute(ctx, s, sdk.ExecuteRequest{SQL: slow("tunnel")})
		done <- err
	}()
	seen := running(t, db, "tunnel")
	eventually(t, 2*time.Minute, "the statement shows up", func() bool { return is(t, seen) })
	cancel()
	wantKind(t, <-done, sdk.KindCanceled)
	if is(t, seen) {
		t.Error("the statement still runs in the server")
	}
	query(t, s, "SELECT 1")
	if ssh.Logins() != 1 || ssh.Forwarded() == before {
		t.Errorf("%d logins, %d connections before and %d after the cancel", ssh.Logins(), before, ssh.Forwarded())
	}

	socket := openWith(t, sdk.OpenRequest{Config: tunnelled(db, testserver.SSH(t), db.Socket, nil)})
	if got := query(t, socket, "SELECT USER() LIKE '%@localhost'").Rows[0][0]; got != int64(1) {
		t.Errorf("a socket on the far side: %v", got)
	}
	secure := openWith(t, sdk.OpenRequest{Config: tunnelled(db, ssh, "localhost", map[string]any{"sslmode": "verify-full", "sslrootcert": db.CAFile})})
	if got := query(t, secure, "SHOW SESSION STATUS LIKE 'Ssl_cipher'").Rows[0][1]; got == "" {
		t.Errorf("TLS is %v", got)
	}
	_, err := mysql.Connector().Open(t.Context(), sdk.OpenRequest{
		Config: tunnelled(db, ssh, testserver.SSHInside, map[string]any{"sslmode": "verify-full", "sslrootcert": db.CAFile}),
	})
	if e := wantKind(t, err, sdk.KindUnavailable); !strings.Contains(e.Hint, "set host to a name in the server's certificate") {
		t.Errorf("another name: %v, hint %q", err, e.Hint)
	}
}

// A tunnel that dies under a statement says so, and the next statement gets
// another.
func TestTunnelDiesUnderAStatement(t *testing.T) {
	t.Parallel()
	db, ssh := testserver.MariaDB(t).Database(t, ""), testserver.SSH(t)
	s := openWith(t, sdk.OpenRequest{Config: tunnelled(db, ssh, testserver.SSHInside, map[string]any{"sslmode": "disable"})})
	done := make(chan error, 1)
	go func() {
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: slow("broken tunnel")})
		done <- err
	}()
	seen := running(t, db, "broken tunnel")
	eventually(t, 2*time.Minute, "the statement shows up", func() bool { return is(t, seen) })
	ssh.Drop()
	if e := wantKind(t, <-done, sdk.KindUnavailable); !e.Retry || !strings.Contains(e.Msg, "SSH tunnel") || e.Hint == "" {
		t.Errorf("got %v, hint %q", e, e.Hint)
	}
	eventually(t, 2*time.Minute, "the tunnel is made again", func() bool {
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT 1"})
		return err == nil
	})
	ssh.Drop() // while the connection is idle: nobody needs to know
	query(t, s, "SELECT 1")
	if got := ssh.Logins(); got != 3 {
		t.Errorf("%d logins, want 3", got)
	}
}

func TestTunnelRefused(t *testing.T) {
	t.Parallel()
	db, ssh := testserver.MariaDB(t).Database(t, ""), testserver.SSH(t)
	for _, c := range []struct {
		name  string
		extra map[string]any
		ssh   map[string]any
		kind  sdk.Kind
		hint  string
		steps []string
	}{
		{"good", nil, nil, "", "", []string{"config", "ssh", "tcp", "tls", "login", "database", "read", "no_write"}},
		{"wrong key", nil, map[string]any{"key": ssh.StrangeKey}, sdk.KindUnauthenticated, "check ssh.user and ssh.key", []string{"config", "ssh"}},
		{"unknown server", nil, map[string]any{"known_hosts": "/does/not/exist"}, sdk.KindUnauthenticated, "ssh-keyscan", []string{"config", "ssh"}},
		{"wrong port", map[string]any{"port": 1}, nil, sdk.KindUnavailable, "as the SSH server sees them", []string{"config", "ssh", "tcp"}},
		{"silent host", map[string]any{"host": testserver.SSHSilent, "connect_timeout": "200ms"}, nil, sdk.KindTimeout, "connect_timeout", nil},
		{"no user", nil, map[string]any{"user": ""}, sdk.KindInvalid, "configuration", []string{"config"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			options := ssh.Options()
			for key, value := range c.ssh {
				options[key] = value
			}
			extra := map[string]any{"sslmode": "disable", "ssh": options}
			for key, value := range c.extra {
				extra[key] = value
			}
			req := sdk.OpenRequest{Config: tunnelled(db, ssh, testserver.SSHInside, extra)}
			session, err := mysql.Connector().Open(t.Context(), req)
			if c.kind == "" {
				err = errors.Join(err, session.Close(t.Context()))
				if err != nil {
					t.Error(err)
				}
			} else if e := wantKind(t, err, c.kind); !strings.Contains(e.Hint, c.hint) {
				t.Errorf("%v: the hint is %q", e, e.Hint)
			}
			if c.steps == nil {
				return
			}
			var steps []string
			if err := mysql.Connector().Test(t.Context(), req, func(s sdk.TestStep) { steps = append(steps, s.Name) }); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(c.steps, steps); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
		})
	}
}
