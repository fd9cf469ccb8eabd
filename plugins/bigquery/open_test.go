package bigquery_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

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
