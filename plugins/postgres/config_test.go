package postgres

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

func TestConfigDiagnostics(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		json     string
		secrets  map[string]sdk.Secret
		errors   []string // paths
		warnings []string
	}{
		{"least", `{"database": "d", "user": "u"}`, nil, nil, nil},
		{"nothing", ``, nil, []string{"database", "user"}, nil},
		{"unknown key", `{"database": "d", "user": "u", "hots": "x"}`, nil, []string{"hots"}, nil},
		{"password in the open", `{"database": "d", "user": "u", "password": "x"}`, nil, []string{"password"}, nil},
		{"mode", `{"database": "d", "user": "u", "sslmode": "yes"}`, nil, []string{"sslmode"}, nil},
		{"port", `{"database": "d", "user": "u", "port": 70000}`, nil, []string{"port"}, nil},
		{"durations", `{"database": "d", "user": "u", "connect_timeout": "10", "statement_timeout": "-1s"}`, nil, []string{"statement_timeout", "connect_timeout"}, nil},
		{"empty", `{"database": " ", "user": "", "host": "", "schemas": [""], "allow_functions": [""], "allow_foreign_servers": ["a", ""]}`, nil, []string{"allow_foreign_servers", "allow_functions", "database", "host", "schemas", "user"}, nil},
		{"half a certificate", `{"database": "d", "user": "u", "sslkey": "k"}`, nil, []string{"sslcert"}, nil},
		{"the other half", `{"database": "d", "user": "u", "sslcert": "c"}`, nil, []string{"sslkey"}, nil},
		{"TLS over a socket", `{"database": "d", "user": "u", "host": "/run", "sslmode": "require"}`, nil, []string{"sslmode"}, nil},
		{"open to the world", `{"database": "d", "user": "u", "host": "db.example.com", "sslmode": "disable"}`, nil, nil, []string{"sslmode"}},
		{"trust anyone", `{"database": "d", "user": "u", "host": "db.example.com", "sslmode": "require"}`, nil, nil, []string{"sslmode"}},
		{"loopback", `{"database": "d", "user": "u", "host": "::1", "sslmode": "disable"}`, nil, nil, nil},
		{"far away, by default", `{"database": "d", "user": "u", "host": "db.example.com"}`, map[string]sdk.Secret{"password": sdk.NewSecret("x")}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var failed, warned []string
			for _, d := range Connector().Diagnose(sdk.Config{JSON: []byte(c.json), Secrets: c.secrets}) {
				if d.Summary == "" {
					t.Errorf("the finding at %q says nothing", d.Path)
				}
				if d.Severity == sdk.SeverityError {
					failed = append(failed, d.Path)
				} else {
					warned = append(warned, d.Path)
				}
			}
			if diff := cmp.Diff(c.errors, failed); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.warnings, warned); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSSLModeByDefault(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"localhost": network.Prefer, "127.0.0.1": network.Prefer, "::1": network.Prefer, "/var/run/postgresql": network.Disable,
		"db.example.com": network.VerifyFull, "10.0.0.1": network.VerifyFull, "localhost.example.com": network.VerifyFull,
	} {
		if got := (&config{Host: host}).sslMode(); got != want {
			t.Errorf("%s: %s, want %s", host, got, want)
		}
	}
}

// Nothing of the driver's configuration comes from the environment.
func TestDriverIgnoresTheEnvironment(t *testing.T) {
	for name, value := range map[string]string{
		"PGHOST": "elsewhere", "PGPORT": "1", "PGUSER": "somebody", "PGPASSWORD": "leaked", "PGDATABASE": "other", "PGSSLMODE": "require",
		"PGAPPNAME": "x", "PGOPTIONS": "-c statement_timeout=1", "PGTARGETSESSIONATTRS": "read-write", "PGCONNECT_TIMEOUT": "1", "PGCHANNELBINDING": "require",
	} {
		t.Setenv(name, value)
	}
	cfg, err := sqlkit.Decode(sdk.Config{JSON: []byte(`{"host": "/run", "port": 5433, "database": "d", "user": "u"}`)}, (*config).problems)
	if err != nil {
		t.Fatal(err)
	}
	d, err := cfg.driver()
	if err != nil {
		t.Fatal(err)
	}
	got := []any{d.Host, d.Port, d.User, d.Password, d.Database, d.TLSConfig == nil, d.ConnectTimeout, len(d.Fallbacks), d.ValidateConnect == nil, d.ChannelBinding}
	if diff := cmp.Diff([]any{"/run", uint16(5433), "u", "", "d", true, 10 * time.Second, 0, true, "prefer"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	want := map[string]string{
		"application_name": "loam", "client_encoding": "UTF8", "DateStyle": "ISO, YMD", "IntervalStyle": "postgres",
		"TimeZone": "UTC", "standard_conforming_strings": "on",
	}
	if diff := cmp.Diff(want, d.RuntimeParams); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
}

func TestOpenRefusesAWrongConfiguration(t *testing.T) {
	t.Parallel()
	for name, json := range map[string]string{
		"missing":      `{}`,
		"duration":     `{"database": "d", "user": "u", "connect_timeout": "soon"}`,
		"authority":    `{"database": "d", "user": "u", "sslrootcert": "/does/not/exist"}`,
		"no authority": `{"database": "d", "user": "u", "sslrootcert": "config_test.go"}`,
		"certificate":  `{"database": "d", "user": "u", "sslcert": "/does/not/exist", "sslkey": "/does/not/exist"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Connector().Open(t.Context(), sdk.OpenRequest{Config: sdk.Config{JSON: []byte(json)}})
			e, ok := errors.AsType[*sdk.Error](err)
			if !ok || e.Kind != sdk.KindInvalid || strings.Contains(e.Msg, "\n") {
				t.Errorf("got %v", err)
			}
		})
	}
}
