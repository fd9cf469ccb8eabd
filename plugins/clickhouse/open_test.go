package clickhouse_test

import (
	"maps"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/clickhouse"
	"github.com/loam-data/loam/sdk"
)

func TestConfigProblems(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		json string
		want []string // paths of the problems
	}{
		"nothing":            {`{}`, nil},
		"prefer":             {`{"sslmode": "prefer"}`, []string{"sslmode"}},
		"unverified":         {`{"host": "db.example", "sslmode": "require"}`, []string{"sslmode"}},
		"half a pair":        {`{"sslmode": "require", "sslcert": "x.pem"}`, []string{"sslkey"}},
		"empty names":        {`{"host": " ", "database": "", "user": "", "sslmode": "verify-full"}`, []string{"host", "database", "user"}},
		"socket":             {`{"host": "/var/run"}`, []string{"host"}},
		"empty schema":       {`{"schemas": ["a", ""]}`, []string{"schemas"}},
		"half a tunnel":      {`{"ssh": {"host": "bastion"}}`, []string{"ssh.user", "ssh.key"}},
		"unknown protocol":   {`{"protocol": "mysql"}`, []string{"protocol"}},
		"memory of nothing":  {`{"max_memory_mb": 0}`, []string{"max_memory_mb"}},
		"no time to connect": {`{"connect_timeout": "0s"}`, []string{"connect_timeout"}},
	} {
		var got []string
		for _, d := range clickhouse.Connector().Diagnose(sdk.Config{JSON: []byte(c.json)}) {
			got = append(got, d.Path)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// connection is a way to fail to connect.
type connection struct {
	name   string
	config map[string]any
	secret string
	kind   sdk.Kind
	code   string
	hint   string // part of the hint
}

func (c connection) test(t *testing.T, db *database) {
	t.Helper()
	config := db.config(testserver.ClickHouseReader, c.config)
	if c.secret != "" {
		config.Secrets["password"] = sdk.NewSecret(c.secret)
	}
	_, err := clickhouse.Connector().Open(t.Context(), sdk.OpenRequest{Config: config})
	e := wantKind(t, err, c.kind)
	if e.Code != c.code || !strings.Contains(e.Hint, c.hint) {
		t.Errorf("got %v (code %q, hint %q), want code %q, hint %q", e, e.Code, e.Hint, c.code, c.hint)
	}
	if c.secret != "" && strings.Contains(e.Error(), c.secret) {
		t.Error("the error tells the password")
	}
}

func TestFailuresToConnect(t *testing.T) {
	t.Parallel()
	server := testserver.ClickHouse18(t)
	db := old(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0") // accepts and says nothing
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	silent := listener.Addr().(*net.TCPAddr).Port
	other := testserver.ClickHouse(t).CAFile // signed nothing of this server
	http := map[string]any{"protocol": "http", "port": server.HTTPPort}
	with := func(base map[string]any, more map[string]any) map[string]any {
		all := maps.Clone(base)
		maps.Copy(all, more)
		return all
	}
	native := map[string]any{}
	secure := map[string]any{"port": server.SecurePort}
	https := map[string]any{"protocol": "http", "port": server.HTTPSPort}
	for _, c := range []connection{
		{"wrong password", native, "wrong horse", sdk.KindUnauthenticated, "193", "password"},
		{"wrong password, http", http, "wrong horse", sdk.KindUnauthenticated, "193", "password"},
		{"wrong user", map[string]any{"user": "nobody"}, "", sdk.KindUnauthenticated, "192", "user"},
		{"wrong user, http", with(http, map[string]any{"user": "nobody"}), "", sdk.KindUnauthenticated, "192", "user"},
		{"wrong database", map[string]any{"database": "no_such_database"}, "", sdk.KindNotFound, "81", "SHOW DATABASES"},
		{"wrong database, http", with(http, map[string]any{"database": "no_such_database"}), "", sdk.KindNotFound, "81", "SHOW DATABASES"},
		{"hidden database", map[string]any{"user": testserver.ClickHouseLimited}, "", sdk.KindUnavailable, "", "allowed the database"},
		{"wrong host", map[string]any{"host": "no-such-host.invalid", "sslmode": "disable"}, "", sdk.KindUnavailable, "", "host name"},
		{"wrong port", map[string]any{"port": 1}, "", sdk.KindUnavailable, "", "port"},
		{"wrong port, http", with(http, map[string]any{"port": 1}), "", sdk.KindUnavailable, "", "port"},
		{"native against the port of HTTP", map[string]any{"port": server.HTTPPort, "connect_timeout": "500ms"}, "", sdk.KindTimeout, "", "set protocol to http"},
		{"HTTP against the native port", map[string]any{"protocol": "http", "port": server.Port}, "", sdk.KindUnavailable, "", "set protocol to native"},
		{"native without TLS against the port of TLS", map[string]any{"port": server.SecurePort}, "", sdk.KindUnavailable, "", "sslmode to verify-full"},
		{"TLS against a port without", map[string]any{"sslmode": "verify-full", "sslrootcert": server.CAFile}, "", sdk.KindUnavailable, "", "port to the one that has TLS (9440"},
		{"HTTPS against a port without TLS", with(http, map[string]any{"sslmode": "verify-full", "sslrootcert": server.CAFile}), "", sdk.KindUnavailable, "", "port to the one that has TLS (8443"},
		{"unknown authority", with(secure, map[string]any{"sslmode": "verify-full"}), "", sdk.KindUnavailable, "", "sslrootcert"},
		{"another authority", with(https, map[string]any{"sslmode": "verify-full", "sslrootcert": other}), "", sdk.KindUnavailable, "", "sslrootcert"},
		{"file that is not there", with(secure, map[string]any{"sslmode": "verify-full", "sslrootcert": other + ".x"}), "", sdk.KindInvalid, "", "sslrootcert"},
		{"server that says nothing", map[string]any{"port": silent, "connect_timeout": "200ms"}, "", sdk.KindTimeout, "", "connect_timeout"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, db)
		})
	}
}

func TestTLSIsVerified(t *testing.T) {
	t.Parallel()
	server := testserver.ClickHouse18(t)
	db := old(t)
	for name, c := range map[string]map[string]any{
		"native": {"port": server.SecurePort, "sslmode": "verify-full", "sslrootcert": server.CAFile},
		"http":   {"port": server.HTTPSPort, "sslmode": "verify-full", "sslrootcert": server.CAFile, "protocol": "http"},
		"any":    {"port": server.SecurePort, "sslmode": "require"},
	} {
		s := openWith(t, sdk.OpenRequest{Config: db.config(testserver.ClickHouseReader, c)})
		if got := query(t, s, "SELECT 'secret' AS x").Rows; len(got) != 1 {
			t.Errorf("%s: %v", name, got)
		}
	}
	front := testserver.ClickHouse(t)
	s := openWith(t, sdk.OpenRequest{Config: today(t).config(testserver.ClickHouseReader,
		map[string]any{"port": front.TLSPort, "sslmode": "verify-full", "sslrootcert": front.CAFile})})
	query(t, s, "SELECT 1")
}

func TestCompressionIsOptional(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		db := make(t)
		for _, compression := range []string{"lz4", "none"} {
			s := openWith(t, sdk.OpenRequest{Config: db.config(testserver.ClickHouseReader, map[string]any{"compression": compression})})
			r := query(t, s, "SELECT sum(number) AS s, max(length(toString(number))) AS l FROM (SELECT number FROM system.numbers LIMIT 100000)")
			if diff := cmp.Diff([][]any{{"4999950000", "5"}}, r.Rows); diff != "" {
				t.Errorf("%s (-want +got):\n%s", compression, diff)
			}
		}
	})
}

// steps runs the staged checks of a connection.
func steps(t *testing.T, config sdk.Config) map[string]sdk.TestStep {
	t.Helper()
	found := map[string]sdk.TestStep{}
	err := clickhouse.Connector().Test(t.Context(), sdk.OpenRequest{Config: config}, func(s sdk.TestStep) { found[s.Name] = s })
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestStagedChecks(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		db := make(t, "CREATE TABLE t (x Int8) ENGINE = Memory")
		reader := steps(t, db.config(testserver.ClickHouseReader, nil))
		for _, name := range []string{"config", "dns", "tcp", "tls", "login", "database", "read", "no_write"} {
			if s, ok := reader[name]; !ok || s.Err != nil {
				t.Errorf("step %s: %+v", name, s)
			}
		}
		admin := steps(t, db.config(testserver.ClickHouseAdmin, nil))["no_write"]
		if admin.Err != nil || !admin.Warning || len(admin.Statements) == 0 {
			t.Errorf("an account that may write: %+v", admin)
		}
		config := db.config(testserver.ClickHouseReader, nil)
		config.Secrets["password"] = sdk.NewSecret("wrong horse")
		if login := steps(t, config)["login"]; sdk.KindOf(login.Err) != sdk.KindUnauthenticated {
			t.Errorf("a wrong password: %+v", login)
		}
		missing := steps(t, db.config(testserver.ClickHouseReader, map[string]any{"database": "no_such_database"}))
		if missing["login"].Err != nil || sdk.KindOf(missing["database"].Err) != sdk.KindNotFound {
			t.Errorf("a missing database: %+v", missing)
		}
	})
}
