package network_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// echo returns the address of a server that sends back what it gets.
func echo(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	t.Cleanup(func() {
		_ = listener.Close()
		running.Wait()
	})
	running.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			context.AfterFunc(t.Context(), func() { _ = c.Close() })
			running.Go(func() {
				_, _ = io.Copy(c, c)
				_ = c.Close()
			})
		}
	})
	return listener.Addr().String()
}

// through returns the configuration of a tunnel that change may spoil.
func through(s *testserver.SSHServer, change func(*network.SSH)) *network.SSH {
	c := &network.SSH{Host: s.Host, Port: s.Port, User: testserver.SSHUser, Key: s.Key, KnownHosts: s.KnownHosts}
	if change != nil {
		change(c)
	}
	return c
}

func dialer(t testing.TB, c *network.SSH) *network.Dialer {
	t.Helper()
	d := network.NewDialer(c)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// ask sends a line and returns what comes back.
func ask(c net.Conn, text string) (string, error) {
	if _, err := io.WriteString(c, text); err != nil {
		return "", err
	}
	got := make([]byte, len(text))
	_, err := io.ReadFull(c, got)
	return string(got), err
}

func TestSSHLogin(t *testing.T) {
	t.Parallel()
	server, target := testserver.SSH(t), echo(t)
	stranger := testserver.SSH(t)
	secret := func(s string) sdk.Secret { return sdk.NewSecret(s) }
	_, port, err := net.SplitHostPort(target)
	if err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(t.TempDir(), "known_hosts")
	if err := os.WriteFile(empty, []byte("# nobody\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// The key of one server, under the name of another.
	changed := filepath.Join(t.TempDir(), "known_hosts")
	line, err := os.ReadFile(stranger.KnownHosts)
	if err != nil {
		t.Fatal(err)
	}
	_, key, _ := strings.Cut(string(line), " ")
	name, err := os.ReadFile(server.KnownHosts)
	if err != nil {
		t.Fatal(err)
	}
	mine, _, _ := strings.Cut(string(name), " ")
	if err := os.WriteFile(changed, []byte(mine+" "+key), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		change  func(*network.SSH)
		address string
		kind    sdk.Kind
		says    string // in message and hint
	}{
		{"key", nil, target, "", ""},
		{"name of the far side", nil, testserver.SSHInside + ":" + port, "", ""},
		{"locked key", func(c *network.SSH) { c.Key, c.Passphrase = server.LockedKey, secret(testserver.SSHPassphrase) }, target, "", ""},
		{"password", func(c *network.SSH) { c.Key, c.Password = "", secret(testserver.SSHPassword) }, target, "", ""},
		{"password when asked", func(c *network.SSH) {
			c.User, c.Key, c.Password = testserver.SSHKeyboard, "", secret(testserver.SSHPassword)
		}, target, "", ""},
		{"wrong key, right password", func(c *network.SSH) { c.Key, c.Password = server.StrangeKey, secret(testserver.SSHPassword) }, target, "", ""},

		{"wrong key", func(c *network.SSH) { c.Key = server.StrangeKey }, target, sdk.KindUnauthenticated, "check ssh.user and ssh.key"},
		{"wrong user", func(c *network.SSH) { c.User = "nobody" }, target, sdk.KindUnauthenticated, "refuses nobody"},
		{"wrong password", func(c *network.SSH) { c.Key, c.Password = "", secret("canary") }, target, sdk.KindUnauthenticated, "check ssh.user and ssh.password"},
		{"wrong answer", func(c *network.SSH) {
			c.User, c.Key, c.Password = testserver.SSHKeyboard, "", secret("canary")
		}, target, sdk.KindUnauthenticated, "check ssh.user and ssh.password"},
		{"no passphrase", func(c *network.SSH) { c.Key = server.LockedKey }, target, sdk.KindInvalid, "set ssh.passphrase"},
		{"wrong passphrase", func(c *network.SSH) { c.Key, c.Passphrase = server.LockedKey, secret("canary") }, target, sdk.KindInvalid, "ssh.passphrase does not open"},
		{"no key file", func(c *network.SSH) { c.Key = "/does/not/exist" }, target, sdk.KindInvalid, "set ssh.key"},
		{"no key in the file", func(c *network.SSH) { c.Key = server.KnownHosts }, target, sdk.KindInvalid, "set ssh.key"},
		{"unknown server", func(c *network.SSH) { c.KnownHosts = empty }, target, sdk.KindUnauthenticated, "ssh-keyscan -p "},
		{"no known servers", func(c *network.SSH) { c.KnownHosts = "/does/not/exist" }, target, sdk.KindUnauthenticated, ">> /does/not/exist"},
		{"another server's key", func(c *network.SSH) { c.KnownHosts = changed }, target, sdk.KindUnauthenticated, "SOMEBODY MAY BE LISTENING"},
		{"damaged known servers", func(c *network.SSH) { c.KnownHosts = server.Key }, target, sdk.KindInvalid, "ssh.known_hosts"},
		{"nothing listens", func(c *network.SSH) { c.Port, c.KnownHosts = 1, known(t, server, "[127.0.0.1]:1") }, target, sdk.KindUnavailable, "check ssh.host and ssh.port"},
		{"no SSH server", func(c *network.SSH) {
			c.Port, c.KnownHosts = portOf(t, target), known(t, server, "["+strings.Replace(target, ":", "]:", 1))
		}, target, sdk.KindUnavailable, "those of an SSH server"},
		{"closed port", nil, "127.0.0.1:1", sdk.KindUnavailable, "check host and port as the SSH server sees them"},
		{"forbidden", nil, testserver.SSHForbidden + ":1", sdk.KindDenied, "AllowTcpForwarding"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := dialer(t, through(server, c.change))
			conn, err := d.DialContext(t.Context(), "tcp", c.address)
			err = network.Error(t.Context(), err)
			if c.kind != "" {
				e, ok := errors.AsType[*sdk.Error](err)
				if !ok || e.Kind != c.kind {
					t.Fatalf("got %v, want %s", err, c.kind)
				}
				if text := e.Msg + " / " + e.Hint; e.Hint == "" || !strings.Contains(text, c.says) || strings.ContainsAny(text, "\n") {
					t.Errorf("%q does not say %q", text, c.says)
				}
				if strings.Contains(err.Error(), "canary") {
					t.Errorf("a secret shows: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, err := ask(conn, "hello"); err != nil || got != "hello" {
				t.Errorf("got %q, %v", got, err)
			}
			if got := conn.RemoteAddr(); got.Network() != "tcp" || got.String() != c.address {
				t.Errorf("the address is %s %s, want tcp %s", got.Network(), got, c.address)
			}
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// known returns a file in which the server's key is that of another address.
func known(t testing.TB, s *testserver.SSHServer, address string) string {
	t.Helper()
	line, err := os.ReadFile(s.KnownHosts)
	if err != nil {
		t.Fatal(err)
	}
	_, key, _ := strings.Cut(string(line), " ")
	path := filepath.Join(t.TempDir(), "known_hosts")
	if err := os.WriteFile(path, []byte(address+" "+key), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func portOf(t testing.TB, address string) int {
	t.Helper()
	a, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return a.Port
}

func TestFiftyDialsShareOneClient(t *testing.T) {
	t.Parallel()
	server, target := testserver.SSH(t), echo(t)
	d := dialer(t, through(server, nil))
	var running sync.WaitGroup
	for range 50 {
		running.Go(func() {
			c, err := d.DialContext(t.Context(), "tcp", target)
			if err != nil {
				t.Error(err)
				return
			}
			if got, err := ask(c, "hello"); err != nil || got != "hello" {
				t.Errorf("got %q, %v", got, err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	if logins, forwarded := server.Logins(), server.Forwarded(); logins != 1 || forwarded != 50 {
		t.Errorf("%d logins and %d connections, want 1 and 50", logins, forwarded)
	}
}

// A tunnel that breaks ends what goes through it with an error that says so, and
// the next connection is through a new one.
func TestTunnelBreaks(t *testing.T) {
	t.Parallel()
	server, target := testserver.SSH(t), echo(t)
	d := dialer(t, through(server, nil))
	for round := range 3 {
		c, err := d.DialContext(t.Context(), "tcp", target)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if _, err := ask(c, "hello"); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		server.Drop()
		_, err = c.Read(make([]byte, 1))
		e, ok := errors.AsType[*sdk.Error](err)
		if !ok || e.Kind != sdk.KindUnavailable || !e.Retry || !strings.Contains(e.Msg, "tunnel") {
			t.Errorf("round %d: reading gave %v", round, err)
		}
	}
	if got := server.Logins(); got != 3 {
		t.Errorf("%d logins, want 3", got)
	}
	server.Close()
	_, err := d.DialContext(t.Context(), "tcp", target)
	if sdk.KindOf(err) != sdk.KindUnavailable {
		t.Errorf("without the server: %v", err)
	}
}

// The far end's own farewell is no fault of the tunnel.
func TestFarEndCloses(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		if c, err := listener.Accept(); err == nil {
			_, _ = io.WriteString(c, "bye")
			_ = c.Close()
		}
	}()
	c, err := dialer(t, through(testserver.SSH(t), nil)).DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(c); err != nil || string(got) != "bye" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestTunnelKnowsDeadlines(t *testing.T) {
	t.Parallel()
	c, err := dialer(t, through(testserver.SSH(t), nil)).DialContext(t.Context(), "tcp", echo(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SetReadDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if err := c.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	if got, err := ask(c, "hello"); err != nil || got != "hello" {
		t.Errorf("after the deadline: %q, %v", got, err)
	}
}

func TestDialThroughTheTunnelEndsWithItsContext(t *testing.T) {
	t.Parallel()
	d := dialer(t, through(testserver.SSH(t), nil))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := d.DialContext(ctx, "tcp", testserver.SSHSilent+":1")
	if e, ok := errors.AsType[*sdk.Error](network.Error(ctx, err)); !ok || e.Kind != sdk.KindTimeout {
		t.Errorf("got %v", err)
	}
}

// A server that takes the connection and says nothing costs no more than the
// context allows.
func TestSilentSSHServer(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	server := testserver.SSH(t)
	address := listener.Addr().String()
	d := dialer(t, through(server, func(c *network.SSH) {
		c.Port, c.KnownHosts = portOf(t, address), known(t, server, "["+strings.Replace(address, ":", "]:", 1))
	}))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = d.DialContext(ctx, "tcp", "127.0.0.1:1")
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok || e.Kind != sdk.KindTimeout || !strings.Contains(e.Msg, "SSH server") {
		t.Errorf("got %v", err)
	}
}

func TestClosedDialer(t *testing.T) {
	t.Parallel()
	server, target := testserver.SSH(t), echo(t)
	d := network.NewDialer(through(server, nil))
	c, err := d.DialContext(t.Context(), "tcp", target)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("a connection outlives the tunnel")
	}
	if _, err := d.DialContext(t.Context(), "tcp", target); sdk.KindOf(err) != sdk.KindUnavailable {
		t.Errorf("dialling afterwards: %v", err)
	}
	if got := server.Logins(); got != 1 {
		t.Errorf("%d logins, want 1", got)
	}
}

func TestTunnelSteps(t *testing.T) {
	t.Parallel()
	server, target := testserver.SSH(t), echo(t)
	for _, c := range []struct {
		name   string
		change func(*network.SSH)
		port   int
		want   []string
	}{
		{"open", nil, portOf(t, target), []string{"ssh ok", "tcp ok"}},
		{"wrong key", func(c *network.SSH) { c.Key = server.StrangeKey }, portOf(t, target), []string{"ssh unauthenticated"}},
		{"closed port", nil, 1, []string{"ssh ok", "tcp unavailable"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			steps := sqlkit.NewSteps(func(s sdk.TestStep) {
				result := "ok"
				if s.Err != nil {
					result = string(s.Err.Kind)
				} else if s.Detail == "" {
					t.Errorf("step %s says nothing", s.Name)
				}
				got = append(got, s.Name+" "+result)
			})
			dialer(t, through(server, c.change)).Steps(t.Context(), steps, testserver.SSHInside, c.port)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestSSHProblems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, json string
		want       []string
	}{
		{"none", `{}`, nil},
		{"whole", `{"host": "h", "user": "u", "key": "k"}`, nil},
		{"no host", `{"user": "u"}`, []string{"ssh.host"}},
		{"no user, no key", `{"host": "h"}`, []string{"ssh.user", "ssh.key"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var ssh network.SSH
			if err := (sdk.Config{JSON: json.RawMessage(c.json)}).Decode(&ssh); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range ssh.Problems() {
				got = append(got, d.Path)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
