package postgres_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/sdk"
)

func TestOpenKnowsServerAndAccount(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "CREATE TABLE t (id int)")
	for _, c := range []struct {
		role  string
		level sdk.ReadOnlyLevel
		about []string // words of the warnings
	}{
		{testserver.PostgresReader, sdk.ReadOnlyEngine, nil},
		{testserver.PostgresWriter, sdk.ReadOnlySession, []string{"public.t"}},
		{testserver.PostgresOwner, sdk.ReadOnlySession, []string{"create schemas", "create objects in public", "public.t"}},
		{testserver.PostgresAdmin, sdk.ReadOnlySession, []string{"superuser"}},
	} {
		t.Run(c.role, func(t *testing.T) {
			info := openAs(t, db, c.role).Server()
			if info.Product != "PostgreSQL" || info.Version != db.Version || info.CurrentUser != c.role || info.Database != db.Name {
				t.Errorf("got %+v", info)
			}
			if info.ReadOnly != c.level || info.ReadOnlyMechanism == "" {
				t.Errorf("level %s by %q, want %s", info.ReadOnly, info.ReadOnlyMechanism, c.level)
			}
			if len(info.Warnings) != len(c.about) {
				t.Fatalf("%d warnings, want %d: %+v", len(info.Warnings), len(c.about), info.Warnings)
			}
			for i, w := range info.Warnings {
				if w.Severity != sdk.SeverityWarning || !strings.Contains(w.Summary, c.about[i]) || !strings.Contains(w.Detail, "GRANT SELECT") {
					t.Errorf("warning %+v, want one about %s", w, c.about[i])
				}
			}
		})
	}
}

func TestOpenWarnsAboutRights(t *testing.T) {
	t.Parallel()
	server := testserver.NewPostgres(t)
	db := server.Database(t, "SELECT")
	db.Exec(t, testserver.PostgresAdmin, `CREATE EXTENSION dblink;
		ALTER ROLE loam_reader CREATEROLE REPLICATION BYPASSRLS; GRANT pg_write_all_data, pg_execute_server_program, pg_read_all_data TO loam_reader`)
	info := openAs(t, db, testserver.PostgresReader).Server()
	var all []string
	for _, w := range info.Warnings {
		all = append(all, w.Summary)
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{"create and change roles", "replicate", "row security", "pg_execute_server_program, pg_write_all_data", "extension dblink", "pg_authid"} {
		if !strings.Contains(text, want) {
			t.Errorf("no warning about %s in:\n%s", want, text)
		}
	}
}

// The statements that make a reader make one that the check has nothing against.
func TestReaderStatementsWork(t *testing.T) {
	t.Parallel()
	server := testserver.NewPostgres(t)
	db := server.Database(t, `CREATE TABLE t (id int); CREATE SCHEMA "Odd ""one"; CREATE TABLE "Odd ""one".u (id int)`)
	db.Exec(t, testserver.PostgresAdmin, "DROP OWNED BY loam_reader; DROP ROLE loam_reader; REVOKE CREATE ON SCHEMA public FROM PUBLIC")
	config := configOf(db, testserver.PostgresOwner, map[string]any{"schemas": []string{"public", `Odd "one`}})
	var statements []string
	report(t, config, func(step sdk.TestStep) {
		if step.Name == "no_write" {
			statements = step.Statements
		}
	})
	db.Exec(t, testserver.PostgresAdmin, strings.ReplaceAll(strings.Join(statements, ";\n"), "<choose one>", testserver.PostgresPassword))
	for _, step := range report(t, configOf(db, "loam_reader", nil), nil) {
		if step.Err != nil || step.Warning {
			t.Errorf("%+v", step)
		}
	}
	s := openAs(t, db, "loam_reader")
	query(t, s, `SELECT * FROM t, "Odd ""one".u`)
}

// report runs the staged checks.
func report(t testing.TB, config sdk.Config, each func(sdk.TestStep)) []sdk.TestStep {
	t.Helper()
	var steps []sdk.TestStep
	err := postgres.Connector().TestConnection(t.Context(), sdk.OpenRequest{Config: config}, func(step sdk.TestStep) {
		steps = append(steps, step)
		if each != nil {
			each(step)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

func TestStagedChecks(t *testing.T) {
	t.Parallel()
	server := testserver.NewPostgres(t) // it gets a role of its own
	db := server.Database(t, "CREATE TABLE t (id int)")
	empty := server.Database(t, "SELECT")
	closed := listener(t)
	all := []string{"config", "dns", "tcp", "tls", "login", "database", "read", "no_write"}
	for _, c := range []struct {
		name   string
		config sdk.Config
		passed int // how many of all pass; the next one fails
		kind   sdk.Kind
		warned []string
	}{
		{"a reader", configOf(db, testserver.PostgresReader, nil), 8, "", nil},
		{"an owner", configOf(db, testserver.PostgresOwner, nil), 8, "", []string{"no_write"}},
		{"nothing to read", configOf(empty, testserver.PostgresReader, nil), 8, "", []string{"read"}},
		{"unknown key", configOf(db, testserver.PostgresReader, map[string]any{"hots": 1}), 0, sdk.KindInvalid, nil},
		{"no such host", configOf(db, testserver.PostgresReader, map[string]any{"host": "no-such-host.invalid"}), 1, sdk.KindUnavailable, nil},
		{"nobody listens", configOf(db, testserver.PostgresReader, map[string]any{"port": closed}), 2, sdk.KindUnavailable, nil},
		{"unknown authority", configOf(db, testserver.PostgresReader, map[string]any{"sslmode": "verify-full"}), 3, sdk.KindUnavailable, nil},
		{"wrong password", withPassword(configOf(db, testserver.PostgresReader, nil), "wrong one"), 4, sdk.KindUnauthenticated, nil},
		{"no such role", configOf(db, "nobody", nil), 4, sdk.KindUnauthenticated, nil},
		{"no such database", configOf(db, testserver.PostgresReader, map[string]any{"database": "nothing"}), 5, sdk.KindNotFound, nil},
		{"no right to connect", configOf(db, "loam_outsider", nil), 5, sdk.KindDenied, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "no right to connect" {
				db.Exec(t, testserver.PostgresAdmin, "CREATE ROLE loam_outsider LOGIN PASSWORD '"+testserver.PostgresPassword+"'")
			}
			steps := report(t, c.config, nil)
			var names, warned []string
			for i, step := range steps {
				names = append(names, step.Name)
				if step.Warning {
					warned = append(warned, step.Name)
					if step.Name != "tls" && len(step.Statements) == 0 {
						t.Errorf("%s warns without a statement to mend it", step.Name)
					}
				}
				failed := i == c.passed
				if (step.Err != nil) != failed {
					t.Errorf("%s: %v", step.Name, step.Err)
				}
				if failed && (step.Err.Kind != c.kind || step.Err.Hint == "") {
					t.Errorf("%s fails with %s, want %s: %v (hint %q)", step.Name, step.Err.Kind, c.kind, step.Err, step.Err.Hint)
				}
			}
			if diff := cmp.Diff(all[:min(c.passed+1, len(all))], names); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.warned, warned); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// What an agent reads when a connection cannot be made: the kind, what is wrong,
// and what to do about it.
func TestConnectErrorTexts(t *testing.T) {
	t.Parallel()
	server := testserver.NewPostgres(t)
	db := server.Database(t, "SELECT")
	dead := testserver.NewPostgres(t)
	gone := dead.Database(t, "SELECT")
	dead.Kill()
	closed := listener(t)
	for _, c := range []struct {
		name   string
		config sdk.Config
		kind   sdk.Kind
		code   string
		msg    string // how it begins
		hint   string
	}{
		{
			"wrong password", withPassword(configOf(db, testserver.PostgresReader, nil), "wrong one"), sdk.KindUnauthenticated, "28P01",
			`password authentication failed for user "loam_reader"`, "check user and password of the connection",
		},
		{
			"wrong user", configOf(db, "nobody", nil), sdk.KindUnauthenticated, "28P01",
			`password authentication failed for user "nobody"`, "check user and password of the connection",
		},
		{
			"wrong database", configOf(db, testserver.PostgresReader, map[string]any{"database": "nothing"}), sdk.KindNotFound, "3D000",
			`database "nothing" does not exist`, "correct the connection's database",
		},
		{
			"wrong host", configOf(db, testserver.PostgresReader, map[string]any{"host": "no-such-host.invalid"}), sdk.KindUnavailable, "",
			"no such host: no-such-host.invalid", "correct the host name of the connection",
		},
		{
			"wrong port", configOf(db, testserver.PostgresReader, map[string]any{"port": closed}), sdk.KindUnavailable, "",
			fmt.Sprintf("dial tcp 127.0.0.1:%d: connect: connection refused", closed), "nothing listens there: check the port, and that the server runs and accepts TCP connections",
		},
		{
			"wrong certificate", configOf(db, testserver.PostgresReader, map[string]any{"sslmode": "verify-full"}), sdk.KindUnavailable, "",
			"TLS: x509: certificate signed by unknown authority", "set sslrootcert to the PEM file of the authority that signed the server's certificate",
		},
		{
			"wrong folder of the socket", configOf(db, testserver.PostgresReader, map[string]any{"host": "/does/not/exist"}), sdk.KindUnavailable, "",
			"there is no folder /does/not/exist", "set host to the folder of the server's Unix socket, or to its name",
		},
		{
			"the server is gone", configOf(gone, testserver.PostgresReader, nil), sdk.KindUnavailable, "",
			"dial tcp 127.0.0.1:", "nothing listens there: check the port, and that the server runs and accepts TCP connections",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := postgres.Connector().Open(t.Context(), sdk.OpenRequest{Config: c.config})
			e := wantKind(t, err, c.kind)
			if e.Code != c.code || !strings.HasPrefix(e.Msg, c.msg) || !strings.HasPrefix(e.Hint, c.hint) {
				t.Errorf("code %q, message %q, hint %q\nwant %q, %q, %q", e.Code, e.Msg, e.Hint, c.code, c.msg, c.hint)
			}
		})
	}
}

// listener returns a port at which nobody listens.
func listener(t testing.TB) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func withPassword(c sdk.Config, password string) sdk.Config {
	c.Secrets = map[string]sdk.Secret{"password": sdk.NewSecret(password)}
	return c
}

func TestTLS(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "SELECT")
	other := testserver.OtherAuthority(t)
	for _, c := range []struct {
		name  string
		extra map[string]any
		ssl   string // as pg_stat_ssl says it, or "" when the connection is refused
	}{
		{"by default", nil, "t"},
		{"disable", map[string]any{"sslmode": "disable"}, "f"},
		{"prefer", map[string]any{"sslmode": "prefer"}, "t"},
		{"require", map[string]any{"sslmode": "require"}, "t"},
		{"verify-ca", map[string]any{"sslmode": "verify-ca", "sslrootcert": db.CAFile}, "t"},
		{"verify-full by address", map[string]any{"sslmode": "verify-full", "sslrootcert": db.CAFile}, "t"},
		{"verify-full by name", map[string]any{"sslmode": "verify-full", "sslrootcert": db.CAFile, "host": "localhost"}, "t"},
		{"socket", map[string]any{"host": db.SocketDir}, "f"},
		{"bound to the channel", map[string]any{"channel_binding": "require"}, "t"},
		{"bound, without a channel", map[string]any{"channel_binding": "require", "sslmode": "disable"}, ""},
		{"the system's authorities", map[string]any{"sslmode": "verify-full"}, ""},
		{"another authority", map[string]any{"sslmode": "verify-full", "sslrootcert": other}, ""},
		{"another authority, any name", map[string]any{"sslmode": "verify-ca", "sslrootcert": other}, ""},
		{"another name", map[string]any{"sslmode": "verify-full", "sslrootcert": db.CAFile, "host": "127.0.0.1.nip.invalid"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			session, err := postgres.Connector().Open(t.Context(), sdk.OpenRequest{Config: configOf(db, testserver.PostgresReader, c.extra)})
			if c.ssl == "" {
				if e := wantKind(t, err, sdk.KindUnavailable); e.Hint == "" {
					t.Error("there is no hint")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close(context.WithoutCancel(t.Context()))
			r := query(t, session, "SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
			if got := r.Rows[0][0].(string)[:1]; got != c.ssl {
				t.Errorf("ssl is %s, want %s", got, c.ssl)
			}
		})
	}
}

// A server that speaks no PostgreSQL, or nothing at all, is no surprise.
func TestStrangeServers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		sslmode string
		answer  func(net.Conn)
		kind    sdk.Kind
	}{
		{"no TLS there", "require", func(c net.Conn) { c.Read(make([]byte, 8)); c.Write([]byte("N")); c.Close() }, sdk.KindUnavailable},
		{"hangs up", "disable", func(c net.Conn) { c.Close() }, sdk.KindUnavailable},
		{"talks HTTP", "disable", func(c net.Conn) { c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")); c.Close() }, sdk.KindUnavailable},
		{"says nothing", "disable", listen, sdk.KindTimeout},
		{"says nothing to TLS", "require", listen, sdk.KindTimeout},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					c.answer(conn)
				}
			}()
			raw := `{"host": "127.0.0.1", "port": ` + strconv.Itoa(l.Addr().(*net.TCPAddr).Port) + `, "database": "d", "user": "u", "connect_timeout": "300ms", "sslmode": "` + c.sslmode + `"}`
			started := time.Now()
			_, err = postgres.Connector().Open(t.Context(), sdk.OpenRequest{Config: sdk.Config{JSON: []byte(raw)}})
			if e := wantKind(t, err, c.kind); e.Hint == "" {
				t.Error("there is no hint")
			}
			if took := time.Since(started); took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// listen reads until the other side has enough.
func listen(c net.Conn) {
	io.Copy(io.Discard, c)
	c.Close()
}

// Sessions leave no connection behind, idle ones are closed, and no more are
// open than were asked for.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "SELECT")
	count := func() int {
		rows := db.Rows(t, testserver.PostgresAdmin, "SELECT count(*) FROM pg_stat_activity WHERE usename = 'loam_reader' AND datname = current_database()")
		n, err := strconv.Atoi(rows[0][0])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	s := openWith(t, sdk.OpenRequest{Config: configOf(db, testserver.PostgresReader, nil), MaxOpen: 3, IdleTimeout: 200 * time.Millisecond})
	most := make(chan int, 20)
	done := make(chan error, 20)
	for range 20 {
		go func() {
			r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT count(*) FROM pg_stat_activity WHERE usename = 'loam_reader' AND datname = current_database()"})
			if err == nil {
				most <- int(r.Rows[0][0].(int64))
			}
			done <- err
		}()
	}
	for range 20 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	close(most)
	if n := slices.Max(slices.Collect(drain(most))); n > 3 {
		t.Errorf("%d connections at once, 3 are allowed", n)
	}
	eventually(t, 2*time.Minute, "idle connections are closed", func() bool { return count() == 0 })
	query(t, s, "SELECT 1")
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, 2*time.Minute, "closing leaves nothing", func() bool { return count() == 0 })
	wantKind(t, s.Ping(t.Context()), sdk.KindUnavailable)
}

func drain(c <-chan int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for n := range c {
			if !yield(n) {
				return
			}
		}
	}
}
