package mysql_test

import (
	"context"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/mysql"
	"github.com/loam-data/loam/sdk"
)

func TestOpenKnowsServerAndAccount(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "CREATE TABLE t (id int)")
	for _, c := range []struct {
		account string
		level   sdk.ReadOnlyLevel
		about   []string // words of the warnings
	}{
		{testserver.MariaDBReader, sdk.ReadOnlyEngine, nil},
		{testserver.MariaDBWriter, sdk.ReadOnlySession, []string{"change rows of", "run the functions and procedures"}},
		{testserver.MariaDBOwner, sdk.ReadOnlySession, []string{"do everything on"}},
		{testserver.MariaDBAdmin, sdk.ReadOnlySession, []string{"do everything on *.*", "give its rights", "PROXY"}},
	} {
		t.Run(c.account, func(t *testing.T) {
			info := openAs(t, db, c.account).Server()
			if info.Product != "MariaDB" || !strings.HasPrefix(info.Version, db.Version) || info.CurrentUser != c.account+"@%" || info.Database != db.Name {
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

// A right may come by a role, by a pattern, by a column or by another account.
func TestOpenWarnsAboutRights(t *testing.T) {
	t.Parallel()
	db := testserver.NewMariaDB(t).Database(t, "CREATE TABLE t (id INT)")
	pattern := strings.ReplaceAll(db.Name, "_", `\_`)
	db.Exec(t, testserver.MariaDBAdmin, `CREATE ROLE writes; GRANT INSERT ON `+"`"+pattern+"`"+`.* TO writes; GRANT writes TO loam_reader; SET DEFAULT ROLE writes FOR loam_reader;
		GRANT UPDATE (id) ON t TO loam_reader; GRANT CREATE TEMPORARY TABLES, LOCK TABLES ON `+"`other\\_%`"+`.* TO loam_reader;
		GRANT FILE, RELOAD, SUPER ON *.* TO loam_reader; GRANT PROXY ON loam_owner TO loam_reader;
		CREATE FUNCTION f() RETURNS INT RETURN 1; GRANT EXECUTE ON FUNCTION f TO loam_reader; GRANT SELECT ON t TO loam_reader WITH GRANT OPTION`)
	info := openAs(t, db, testserver.MariaDBReader).Server()
	var all []string
	for _, w := range info.Warnings {
		all = append(all, w.Summary+": "+w.Detail)
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{
		"administer the server", "read and write files", "`{db}`.`t` to others", "PROXY", "INSERT ON `{pattern}`.* FROM `writes`", "REVOKE UPDATE ON `{db}`.`t` FROM `loam_reader`@`%`",
		"`other\\_%`.*", "run the functions and procedures of FUNCTION `{db}`.`f`", "REVOKE PROXY ON `loam_owner`@`%` FROM `loam_reader`@`%`",
	} {
		want = strings.NewReplacer("{db}", db.Name, "{pattern}", pattern).Replace(want)
		if !strings.Contains(text, want) {
			t.Errorf("no warning about %s in:\n%s", want, text)
		}
	}
	if info.ReadOnly != sdk.ReadOnlySession {
		t.Errorf("the level is %s", info.ReadOnly)
	}
}

// A server that takes no writes of the account is read-only by itself.
func TestReadOnlyServer(t *testing.T) {
	t.Parallel()
	server := testserver.NewMariaDB(t)
	db := server.Database(t, "CREATE TABLE t (id INT)")
	db.Exec(t, testserver.MariaDBAdmin, "SET GLOBAL read_only = ON")
	for account, want := range map[string]sdk.ReadOnlyLevel{
		testserver.MariaDBReader: sdk.ReadOnlyEngine, testserver.MariaDBOwner: sdk.ReadOnlyEngine, testserver.MariaDBAdmin: sdk.ReadOnlySession,
	} {
		if info := openAs(t, db, account).Server(); info.ReadOnly != want {
			t.Errorf("%s: %s by %s, want %s", account, info.ReadOnly, info.ReadOnlyMechanism, want)
		}
	}
}

// The statements that make a reader make one that the check has nothing against.
func TestReaderStatementsWork(t *testing.T) {
	t.Parallel()
	server := testserver.NewMariaDB(t)
	db := server.Database(t, "CREATE TABLE t (id INT); CREATE DATABASE `{db}_Odd ``one%`; CREATE TABLE `{db}_Odd ``one%`.u (id INT)")
	db.Exec(t, testserver.MariaDBAdmin, "DROP USER loam_reader")
	odd := db.Name + "_Odd `one%"
	config := configOf(db, testserver.MariaDBOwner, map[string]any{"schemas": []string{db.Name, odd}})
	var statements []string
	report(t, config, func(step sdk.TestStep) {
		if step.Name == "no_write" {
			statements = step.Statements
		}
	})
	db.Exec(t, testserver.MariaDBAdmin, strings.ReplaceAll(strings.Join(statements, ";\n"), "<choose one>", testserver.MariaDBPassword))
	for _, step := range report(t, configOf(db, "loam_reader", map[string]any{"schemas": []string{db.Name, odd}}), nil) {
		if step.Err != nil || step.Warning {
			t.Errorf("%+v", step)
		}
	}
	s := openAs(t, db, "loam_reader")
	query(t, s, "SELECT * FROM t, `"+strings.ReplaceAll(odd, "`", "``")+"`.u")
}

// report runs the staged checks.
func report(t testing.TB, config sdk.Config, each func(sdk.TestStep)) []sdk.TestStep {
	t.Helper()
	var steps []sdk.TestStep
	err := mysql.Connector().TestConnection(t.Context(), sdk.OpenRequest{Config: config}, func(step sdk.TestStep) {
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
	server := testserver.NewMariaDB(t) // it gets accounts of its own
	db := server.Database(t, "CREATE TABLE t (id int)")
	empty := server.Database(t, "")
	db.Exec(t, testserver.MariaDBAdmin, `CREATE USER outsider IDENTIFIED BY 'x'; CREATE USER encrypted IDENTIFIED BY 'x' REQUIRE SSL;
		GRANT SELECT ON `+db.Name+`.* TO encrypted; CREATE USER locked IDENTIFIED BY 'x' ACCOUNT LOCK`)
	closed := listener(t)
	all := []string{"config", "dns", "tcp", "tls", "login", "database", "read", "no_write"}
	for _, c := range []struct {
		name   string
		config sdk.Config
		passed int // how many of all pass; the next one fails
		kind   sdk.Kind
		code   string
		warned []string
	}{
		{"a reader", configOf(db, testserver.MariaDBReader, nil), 8, "", "", nil},
		{"an owner", configOf(db, testserver.MariaDBOwner, nil), 8, "", "", []string{"no_write"}},
		{"nothing to read", configOf(empty, testserver.MariaDBReader, nil), 8, "", "", []string{"read"}},
		{"unknown key", configOf(db, testserver.MariaDBReader, map[string]any{"hots": 1}), 0, sdk.KindInvalid, "", nil},
		{"no such host", configOf(db, testserver.MariaDBReader, map[string]any{"host": "no-such-host.invalid"}), 1, sdk.KindUnavailable, "", nil},
		{"nobody listens", configOf(db, testserver.MariaDBReader, map[string]any{"port": closed}), 2, sdk.KindUnavailable, "", nil},
		{"unknown authority", configOf(db, testserver.MariaDBReader, map[string]any{"sslmode": "verify-full"}), 3, sdk.KindUnavailable, "", nil},
		{"wrong password", withPassword(configOf(db, testserver.MariaDBReader, nil), "wrong one"), 4, sdk.KindUnauthenticated, "1045", nil},
		{"no such account", configOf(db, "nobody", nil), 4, sdk.KindUnauthenticated, "1045", nil},
		{"a locked account", withPassword(configOf(db, "locked", nil), "x"), 4, sdk.KindUnauthenticated, "4151", nil},
		{"TLS required and disabled", withPassword(configOf(db, "encrypted", map[string]any{"sslmode": "disable"}), "x"), 4, sdk.KindUnauthenticated, "1045", nil},
		{"no such database", configOf(db, testserver.MariaDBAdmin, map[string]any{"database": "nothing"}), 5, sdk.KindNotFound, "1049", nil},
		{"no right on the database", withPassword(configOf(db, "outsider", nil), "x"), 5, sdk.KindDenied, "1044", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
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
				if failed && step.Err != nil && (step.Err.Kind != c.kind || step.Err.Code != c.code || step.Err.Hint == "") {
					t.Errorf("%s fails with %s, want %s %s: %v (hint %q)", step.Name, step.Err.Kind, c.kind, c.code, step.Err, step.Err.Hint)
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
	db := testserver.MariaDB(t).Database(t, "")
	other := testserver.OtherAuthority(t)
	plain := testserver.NewMariaDB(t, "--skip-ssl").Database(t, "")
	client := map[string]any{"sslmode": "verify-full", "sslrootcert": db.CAFile, "sslcert": db.ClientCert, "sslkey": db.ClientKey, "user": testserver.MariaDBCertified, "password": nil}
	for _, c := range []struct {
		name  string
		db    *testserver.MariaDBDatabase
		extra map[string]any
		tls   bool
		kind  sdk.Kind // when the connection is refused
	}{
		{"by default", db, nil, true, ""},
		{"disable", db, map[string]any{"sslmode": "disable"}, false, ""},
		{"prefer", db, map[string]any{"sslmode": "prefer"}, true, ""},
		{"require", db, map[string]any{"sslmode": "require"}, true, ""},
		{"verify-ca", db, map[string]any{"sslmode": "verify-ca", "sslrootcert": db.CAFile}, true, ""},
		{"verify-full by address", db, map[string]any{"sslmode": "verify-full", "sslrootcert": db.CAFile}, true, ""},
		{"verify-full by name", db, map[string]any{"sslmode": "verify-full", "sslrootcert": db.CAFile, "host": "localhost"}, true, ""},
		{"socket", db, map[string]any{"host": db.Socket}, false, ""},
		{"client certificate", db, client, true, ""},
		{"client certificate that is missing", db, map[string]any{"sslmode": "require", "user": testserver.MariaDBCertified, "password": nil}, true, sdk.KindUnauthenticated},
		{"the system's authorities", db, map[string]any{"sslmode": "verify-full"}, false, sdk.KindUnavailable},
		{"another authority", db, map[string]any{"sslmode": "verify-full", "sslrootcert": other}, false, sdk.KindUnavailable},
		{"another authority, any name", db, map[string]any{"sslmode": "verify-ca", "sslrootcert": other}, false, sdk.KindUnavailable},
		{"prefer without TLS", plain, map[string]any{"sslmode": "prefer"}, false, ""},
		{"require without TLS", plain, map[string]any{"sslmode": "require"}, false, sdk.KindUnavailable},
		{"verify-full without TLS", plain, map[string]any{"sslmode": "verify-full"}, false, sdk.KindUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			config := configOf(c.db, testserver.MariaDBReader, c.extra)
			session, err := mysql.Connector().Open(t.Context(), sdk.OpenRequest{Config: config})
			if c.kind != "" {
				if e := wantKind(t, err, c.kind); e.Hint == "" {
					t.Error("there is no hint")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close(context.WithoutCancel(t.Context()))
			r := query(t, session, "SHOW SESSION STATUS LIKE 'Ssl_cipher'")
			if got := r.Rows[0][1] != ""; got != c.tls {
				t.Errorf("the cipher is %q", r.Rows[0][1])
			}
		})
	}
}

// The ways of logging in that the driver has, and those it must not use.
func TestLoginPlugins(t *testing.T) {
	t.Parallel()
	server := testserver.NewMariaDB(t)
	db := server.Database(t, "")
	db.Exec(t, testserver.MariaDBAdmin, "CREATE USER edwards IDENTIFIED VIA ed25519 USING PASSWORD('x'); GRANT SELECT ON "+db.Name+".* TO edwards; CREATE USER system IDENTIFIED VIA unix_socket")
	query(t, openWith(t, sdk.OpenRequest{Config: withPassword(configOf(db, "edwards", nil), "x")}), "SELECT 1")
	_, err := mysql.Connector().Open(t.Context(), sdk.OpenRequest{Config: withPassword(configOf(db, "edwards", nil), "y")})
	wantKind(t, err, sdk.KindUnauthenticated)
	_, err = mysql.Connector().Open(t.Context(), sdk.OpenRequest{Config: withPassword(configOf(db, "system", nil), "x")})
	if e := wantKind(t, err, sdk.KindUnauthenticated); e.Code != "1698" {
		t.Errorf("code %s: %v", e.Code, e)
	}
}

// What an ed25519 account is to sign may end in a NUL, which the driver does not read:
// the login is tried again.
func TestLoginIsTriedAgain(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	const greeting = "\x0a10.11.0-MariaDB\x00\x01\x00\x00\x00abcdefgh\x00\x00\xa2\x21\x02\x00\x08\x00\x15\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00ijklmnopqrst\x00mysql_native_password\x00"
	packet := func(c net.Conn, seq byte, body string) {
		_, _ = c.Write(append([]byte{byte(len(body)), byte(len(body) >> 8), 0, seq}, body...))
	}
	var logins atomic.Int32
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			packet(c, 0, greeting)
			_, _ = c.Read(make([]byte, 4096))
			last := "\x00"
			if logins.Add(1) > 1 {
				last = "x"
			}
			packet(c, 2, "\xfeclient_ed25519\x00"+strings.Repeat("n", 31)+last)
			if n, _ := c.Read(make([]byte, 4096)); n > 0 {
				packet(c, 4, "\xff\x15\x04#28000Access denied")
			}
			c.Close()
		}
	}()
	raw := `{"host": "127.0.0.1", "port": ` + strconv.Itoa(l.Addr().(*net.TCPAddr).Port) + `, "database": "d", "user": "edwards", "sslmode": "disable"}`
	_, err = mysql.Connector().Open(t.Context(), sdk.OpenRequest{Config: withPassword(sdk.Config{JSON: []byte(raw)}, "x")})
	if wantKind(t, err, sdk.KindUnauthenticated); logins.Load() != 2 {
		t.Errorf("%d logins, want 2", logins.Load())
	}
}

// A server that speaks no MySQL, or nothing at all, is no surprise; one that asks
// for the password as it is, or for a file of this machine, gets neither.
func TestStrangeServers(t *testing.T) {
	t.Parallel()
	greeting := "\x0a8.0.36\x00\x01\x00\x00\x00abcdefgh\x00\x00\xa2\x21\x02\x00\x08\x00\x15\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00ijklmnopqrst\x00mysql_native_password\x00"
	packet := func(c net.Conn, seq byte, body string) {
		_, _ = c.Write(append([]byte{byte(len(body)), byte(len(body) >> 8), 0, seq}, body...))
	}
	for _, c := range []struct {
		name    string
		sslmode string
		answer  func(net.Conn)
		kind    sdk.Kind
	}{
		{"hangs up", "disable", func(c net.Conn) { c.Close() }, sdk.KindUnavailable},
		{"talks HTTP", "disable", func(c net.Conn) { c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")); c.Close() }, sdk.KindUnavailable},
		{"says nothing", "disable", listen, sdk.KindTimeout},
		{"says nothing to TLS", "require", func(c net.Conn) { packet(c, 0, greeting); listen(c) }, sdk.KindUnavailable},
		{"has no TLS", "require", func(c net.Conn) { packet(c, 0, greeting); listen(c) }, sdk.KindUnavailable},
		{"has no room", "disable", func(c net.Conn) { packet(c, 0, "\xff\x10\x04#08004Too many connections"); c.Close() }, sdk.KindRateLimited},
		{"wants the password as it is", "disable", func(c net.Conn) {
			packet(c, 0, greeting)
			_, _ = c.Read(make([]byte, 4096))
			packet(c, 2, "\xfemysql_clear_password\x00")
			reply := make([]byte, 4096)
			if n, _ := c.Read(reply); strings.Contains(string(reply[:n]), "hunter2") {
				panic("the password was sent as it is")
			}
			c.Close()
		}, sdk.KindUnsupported},
		{"wants a file", "disable", func(c net.Conn) {
			packet(c, 0, greeting)
			_, _ = c.Read(make([]byte, 4096))
			packet(c, 2, "\x00\x00\x00\x02\x00\x00\x00")
			_, _ = c.Read(make([]byte, 4096))
			packet(c, 1, "\xfb/etc/passwd")
			reply := make([]byte, 4096)
			if n, _ := c.Read(reply); strings.Contains(string(reply[:n]), "root:") {
				panic("a file was sent")
			}
			c.Close()
		}, sdk.KindUnavailable},
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
			raw := `{"host": "127.0.0.1", "port": ` + strconv.Itoa(l.Addr().(*net.TCPAddr).Port) + `, "database": "d", "user": "u", "connect_timeout": "2s", "sslmode": "` + c.sslmode + `"}`
			config := withPassword(sdk.Config{JSON: []byte(raw)}, "hunter2 is long enough")
			_, err = mysql.Connector().Open(t.Context(), sdk.OpenRequest{Config: config})
			if e := wantKind(t, err, c.kind); e.Hint == "" {
				t.Error("there is no hint")
			}
		})
	}
}

// listen reads until the other side has enough.
func listen(c net.Conn) {
	_, _ = io.Copy(io.Discard, c)
	c.Close()
}

// Sessions leave no connection behind, idle ones are closed, and no more are
// open than were asked for.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "")
	const counted = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND USER = 'loam_reader' AND COMMAND <> 'Sleep' AND INFO LIKE '%counted%'"
	count := func() int {
		rows := db.Rows(t, testserver.MariaDBAdmin, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND USER = 'loam_reader'")
		n, err := strconv.Atoi(rows[0][0])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	s := openWith(t, sdk.OpenRequest{Config: configOf(db, testserver.MariaDBReader, nil), MaxOpen: 3, IdleTimeout: 200 * time.Millisecond})
	most := make(chan int, 20)
	done := make(chan error, 20)
	for range 20 {
		go func() {
			r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: counted})
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
	var all []int
	for n := range most {
		all = append(all, n)
	}
	if n := slices.Max(all); n > 3 {
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
