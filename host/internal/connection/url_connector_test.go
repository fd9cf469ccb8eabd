package connection_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

// recordedSchema is the configuration schema of a connector; see plugins/record_test.go.
func recordedSchema(t testing.TB, connector string) json.RawMessage {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "schema", connector+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestURLsOfConnectors: each connector's URLs, as people copy them, under its own keys.
func TestURLsOfConnectors(t *testing.T) {
	t.Parallel()
	type values = map[string]string
	for _, c := range []struct {
		connector, url  string
		values, secrets values
		ignored         []string
	}{
		{"postgres", "postgres://u:p%40%2F%3F@h:5433/d?sslmode=verify-full&connect_timeout=5",
			values{"host": "h", "port": "5433", "database": "d", "user": "u", "sslmode": "verify-full", "connect_timeout": "5s"}, values{"password": "p@/?"}, nil},
		{"postgres", "postgresql://u@[::1]:5433/d", values{"host": "::1", "port": "5433", "database": "d", "user": "u"}, nil, nil},
		{"postgres", "postgresql://u@%2Frun%2Fpostgresql/d", values{"host": "/run/postgresql", "database": "d", "user": "u"}, nil, nil},
		{"postgres", "postgresql:///d?host=/run/postgresql&user=u", values{"host": "/run/postgresql", "database": "d", "user": "u"}, nil, nil},
		{"postgres", "jdbc:postgresql://h/d?user=u&password=p", values{"host": "h", "database": "d", "user": "u"}, values{"password": "p"}, nil},
		{"postgres", "postgresql+psycopg2://u@h/d?channel_binding=require&options=-c%20role%3Dx",
			values{"host": "h", "database": "d", "user": "u", "channel_binding": "require"}, nil, []string{"options"}},
		{"mysql", "mysql://u:p@h/d?tls=skip-verify", values{"host": "h", "database": "d", "user": "u", "sslmode": "require"}, values{"password": "p"}, nil},
		{"mysql", "mariadb://u@h:3307/d?ssl-mode=REQUIRED", values{"host": "h", "port": "3307", "database": "d", "user": "u", "sslmode": "require"}, nil, nil},
		{"mysql", "jdbc:mysql://h/d?user=u&sslMode=VERIFY_IDENTITY", values{"host": "h", "database": "d", "user": "u", "sslmode": "verify-full"}, nil, nil},
		{"mysql", "u:p@/x@unix(/run/mysqld.sock)/d", values{"host": "/run/mysqld.sock", "database": "d", "user": "u"}, values{"password": "p@/x"}, nil},
		{"clickhouse", "clickhouse://u:p@h:9440/d?secure=true", values{"host": "h", "port": "9440", "database": "d", "user": "u", "sslmode": "verify-full"}, values{"password": "p"}, nil},
		{"clickhouse", "https://u:p@h:8443/d", values{"host": "h", "port": "8443", "database": "d", "user": "u", "protocol": "http", "sslmode": "verify-full"}, values{"password": "p"}, nil},
		{"clickhouse", "http://localhost:8123", values{"host": "localhost", "port": "8123", "protocol": "http", "sslmode": "disable"}, nil, nil},
		{"clickhouse", "clickhouse://h/d?dial_timeout=200ms", values{"host": "h", "database": "d"}, nil, []string{"dial_timeout"}},
		{"snowflake", "snowflake://u:p@org-acct/DB/PUBLIC?warehouse=W&role=R",
			values{"account": "org-acct", "user": "u", "database": "DB", "schema": "PUBLIC", "warehouse": "W", "role": "R"}, values{"password": "p"}, nil},
		{"snowflake", "snowflake://u@org-acct/DB?authenticator=programmatic_token&token=t",
			values{"account": "org-acct", "user": "u", "database": "DB", "authenticator": "programmatic_token"}, values{"token": "t"}, nil},
		{"bigquery", "bigquery://my-project/sales?location=EU", values{"project": "my-project", "dataset": "sales", "location": "EU"}, nil, nil},
		{"bigquery", "bigquery://my-project", values{"project": "my-project"}, nil, nil},
		{"sqlserver", "sqlserver://u:p@h:1433?database=d&encrypt=true", values{"host": "h", "port": "1433", "database": "d", "user": "u", "sslmode": "verify-full"}, values{"password": "p"}, nil},
		{"sqlserver", "mssql://u@h/d?TrustServerCertificate=true", values{"host": "h", "database": "d", "user": "u", "sslmode": "require"}, nil, nil},
		{"sqlite", "sqlite:///var/lib/a%20b.db", values{"path": "/var/lib/a b.db"}, nil, nil},
		{"duckdb", "duckdb://data/x.duckdb?access_mode=read_only", values{"path": "data/x.duckdb"}, nil, []string{"access_mode"}},
	} {
		schema := recordedSchema(t, c.connector)
		u, ok := connection.ParseURL(c.url)
		if !ok {
			t.Errorf("%s is no URL", c.url)
			continue
		}
		got, err := u.Config(schema)
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		secrets := values{}
		for key, secret := range got.Secrets {
			secrets[key] = secret.Reveal()
		}
		for _, diff := range []string{
			cmp.Diff(c.values, got.Values), cmp.Diff(c.secrets, secrets, cmpopts.EquateEmpty()), cmp.Diff(c.ignored, got.Ignored),
		} {
			if diff != "" {
				t.Errorf("%s: -want +got:\n%s", c.url, diff)
			}
		}
		if !strings.HasSuffix(u.Scheme(), "()") && !slices.Contains(connection.Schemes(schema), u.Scheme()) {
			t.Errorf("%s: connector %s does not declare the scheme", c.url, c.connector)
		}
	}
}

// No scheme belongs to two connectors: the URL alone names one.
func TestSchemesOfConnectors(t *testing.T) {
	t.Parallel()
	of := map[string]string{}
	files, err := filepath.Glob(filepath.Join("testdata", "schema", "*.json"))
	if err != nil || len(files) < 8 {
		t.Fatalf("%d schemas, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		for _, scheme := range connection.Schemes(recordedSchema(t, name)) {
			if of[scheme] != "" {
				t.Errorf("%s is a scheme of %s and %s", scheme, of[scheme], name)
			}
			of[scheme] = name
		}
	}
}

func TestFilesOfConnectors(t *testing.T) {
	t.Parallel()
	for connector, first := range map[string]string{"sqlite": "SQLite format 3\x00", "duckdb": "12345678DUCK@"} {
		schema := recordedSchema(t, connector)
		if !connection.Recognizes(schema, []byte(first)) || connection.Recognizes(schema, []byte("x"+first)) || connection.Recognizes(schema, nil) || !connection.Local(schema) {
			t.Errorf("%s does not know its files", connector)
		}
	}
	if connection.Recognizes(recordedSchema(t, "postgres"), []byte("SQLite format 3\x00")) {
		t.Error("a server's connector knows a file")
	}
	if endings, key := connection.Folders(recordedSchema(t, "duckdb")); key != "folders" || !slices.Contains(endings, ".csv") {
		t.Errorf("folders: %s %v", key, endings)
	}
}

func TestSamePlace(t *testing.T) {
	t.Parallel()
	server, file := recordedSchema(t, "postgres"), recordedSchema(t, "sqlite")
	of := func(config map[string]any) connection.Connection {
		return connection.Connection{Config: config, Dir: "/p"}
	}
	for _, c := range []struct {
		schema json.RawMessage
		a, b   map[string]any
		same   bool
	}{
		{server, map[string]any{"host": "h", "port": int64(5432), "database": "d", "user": "u"}, map[string]any{"host": "h", "database": "d", "password": "env:P"}, true},
		{server, map[string]any{"database": "d"}, map[string]any{"host": "localhost", "port": 5432.0, "database": "d"}, true},
		{server, map[string]any{"host": "h", "database": "d"}, map[string]any{"host": "i", "database": "d"}, false},
		{server, map[string]any{"host": "h", "database": "d"}, map[string]any{"host": "h", "database": "e"}, false},
		{file, map[string]any{"path": "a.db"}, map[string]any{"path": "/p/a.db"}, true},
		{file, map[string]any{"path": "a.db"}, map[string]any{"path": "/a.db"}, false},
	} {
		if got := connection.SamePlace(c.schema, of(c.a), of(c.b)); got != c.same {
			t.Errorf("%v and %v: %v", c.a, c.b, got)
		}
	}
}

// FuzzURLKeepsTheSecret puts any text into the place of a password: whatever becomes of the
// URL, no part of the text is in an error, among the ignored parameters, or in a key that
// is no secret.
func FuzzURLKeepsTheSecret(f *testing.F) {
	for _, seed := range [][2]string{{"", ""}, {"/", "?"}, {"1?", "=x"}, {"?", "&"}, {"#", "%"}, {"%zz", ""}, {"@tcp(x)/", ""}, {"1/", "?x"}, {":", "]"}, {"[", "@"}, {"\x00", "\n"}, {"1;a=", ";"}} {
		f.Add(seed[0], seed[1])
	}
	const marker = "hush7hush"
	schemas := map[string]json.RawMessage{}
	for scheme, connector := range map[string]string{"postgres": "postgres", "mysql": "mysql", "https": "clickhouse", "snowflake": "snowflake", "bigquery": "bigquery", "sqlserver": "sqlserver"} {
		schemas[scheme] = recordedSchema(f, connector)
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		for scheme, schema := range schemas {
			u, ok := connection.ParseURL(scheme + "://user:" + before + marker + after + "@host/db")
			if !ok || u.Scheme() != scheme {
				t.Fatalf("%s: it is no URL of its scheme", scheme)
			}
			got, err := u.Config(schema)
			shown := strings.Join(got.Ignored, " ")
			if err != nil {
				e := sdk.AsError(err, sdk.SourceHost)
				shown = e.Error() + e.Hint
			} else {
				for _, value := range got.Values {
					shown += " " + value
				}
			}
			if strings.Contains(shown, marker) {
				t.Errorf("%s, %q %q: %s", scheme, before, after, shown)
			}
		}
	})
}
