package bigquery_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	fixture "github.com/loam-data/loam/e2e/testserver/bigquery"
	"github.com/loam-data/loam/plugins/bigquery"
	"github.com/loam-data/loam/sdk"
)

func TestServerOfASession(t *testing.T) {
	t.Parallel()
	server := start(t, fixture.InLocation("europe-west3"))
	for account, want := range map[string]sdk.ReadOnlyLevel{reader: sdk.ReadOnlyEngine, owner: sdk.ReadOnlySession} {
		before := len(server.Requests())
		info := openWith(t, sdk.OpenRequest{Config: configOf(t, server, account, nil)}).Server()
		if info.ReadOnly != want || info.Product != "BigQuery" || !strings.HasPrefix(info.CurrentUser, account+"@") || info.DefaultCatalog != server.Project || info.DefaultSchema != lab {
			t.Errorf("%s: %+v", account, info)
		}
		if warned := len(info.Warnings) > 0; warned != (account == owner) {
			t.Errorf("%s: warnings %v", account, info.Warnings)
		}
		if jobs := since(server, before, "query"); len(jobs) > 0 {
			t.Errorf("%s: opening is billed: %s", account, describe(jobs[0]))
		}
		for _, dry := range since(server, before, "dry_run") {
			if dry.Location != "europe-west3" {
				t.Errorf("a dry run asks in %q", dry.Location)
			}
		}
	}
}

// TestWhatIsWrong opens with a configuration that has one fault.
func TestWhatIsWrong(t *testing.T) {
	t.Parallel()
	server := start(t)
	revoked := server.Account(t, "revoked")
	server.Revoke(revoked)
	var skewed *fixture.Server
	for _, c := range []struct {
		name   string
		config func() sdk.Config
		kind   sdk.Kind
		says   string
	}{
		{"another project", func() sdk.Config { return configOf(t, server, reader, map[string]any{"project": "elsewhere"}) }, sdk.KindNotFound, "elsewhere"},
		{"no such dataset", func() sdk.Config { return configOf(t, server, reader, map[string]any{"dataset": "nowhere"}) }, sdk.KindNotFound, "nowhere"},
		{"another location", func() sdk.Config {
			return configOf(t, server, reader, map[string]any{"location": "asia-east1"})
		}, "", ""},
		{"no server", func() sdk.Config {
			return configOf(t, server, reader, map[string]any{"endpoint": "http://127.0.0.1:1"})
		}, sdk.KindUnavailable, "refused"},
		{"a key that is none", func() sdk.Config {
			c := configOf(t, server, reader, nil)
			c.Secrets["credentials"] = sdk.NewSecret("no JSON")
			return c
		}, sdk.KindUnauthenticated, "connection test"},
		{"a key of another kind", func() sdk.Config {
			c := configOf(t, server, reader, nil)
			c.Secrets["credentials"] = sdk.NewSecret(`{"type": "authorized_user", "client_id": "1", "client_secret": "2", "refresh_token": "3"}`)
			return c
		}, sdk.KindUnauthenticated, "connection test"},
		{"a revoked key", func() sdk.Config {
			c := configOf(t, server, reader, nil)
			c.Secrets["credentials"] = sdk.NewSecret(string(revoked.Key))
			return c
		}, sdk.KindUnauthenticated, "connection test"},
		{"a clock that is off", func() sdk.Config {
			skewed = start(t)
			skewed.Skew(3 * time.Hour)
			return configOf(t, skewed, reader, nil)
		}, sdk.KindUnauthenticated, "clock"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := bigquery.Connector().Open(t.Context(), sdk.OpenRequest{Config: c.config()})
			if c.kind == "" {
				if err != nil {
					t.Skip("the fixture minds the location: " + err.Error())
				}
				return
			}
			if e := wantKind(t, err, c.kind); !strings.Contains(e.Error()+e.Hint, c.says) {
				t.Errorf("%v (%s) does not say %q", e, e.Hint, c.says)
			}
		})
	}
}

// TestATokenThatExpires is told with the command that mends it.
func TestATokenThatExpires(t *testing.T) {
	t.Parallel()
	server := start(t)
	s := open(t, server, nil)
	query(t, s, "SELECT 1 AS n")
	server.Expire()
	_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT 1 AS n"})
	if e := wantKind(t, err, sdk.KindUnauthenticated); !strings.Contains(e.Hint, "gcloud auth application-default login") || !strings.Contains(e.Hint, "loam connection test") {
		t.Errorf("the hint names no command: %s", e.Hint)
	}
}

func TestStagedChecks(t *testing.T) {
	t.Parallel()
	server := start(t)
	for account, warned := range map[string]bool{reader: false, owner: true} {
		before := len(server.Requests())
		var names []string
		err := bigquery.Connector().TestConnection(t.Context(), sdk.OpenRequest{Config: configOf(t, server, account, nil)}, func(step sdk.TestStep) {
			names = append(names, step.Name)
			if step.Err != nil {
				t.Errorf("%s: %s: %v", account, step.Name, step.Err)
			}
			if step.Name == "no_write" && (step.Warning != warned || warned != (len(step.Statements) > 0)) {
				t.Errorf("%s: no_write says %+v", account, step)
			}
		})
		if want := []string{"config", "credentials", "tls", "login", "database", "compute", "read", "no_write"}; err != nil || !slices.Equal(names, want) {
			t.Errorf("%s: steps %v, %v", account, names, err)
		}
		if jobs := since(server, before, "query"); len(jobs) > 0 {
			t.Errorf("%s: the test is billed: %s", account, describe(jobs[0]))
		}
	}
}

func TestTheKeyIsInNoText(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(bigquery.Connector().Describe())
	if err != nil || !strings.Contains(string(text), "credentials") || !strings.Contains(string(text), `"x-secret":true`) {
		t.Errorf("%s, %v", text, err)
	}
}
