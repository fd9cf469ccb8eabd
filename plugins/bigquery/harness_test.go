package bigquery_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	fixture "github.com/loam-data/loam/e2e/testserver/bigquery"
	"github.com/loam-data/loam/plugins/bigquery"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/conform/corpus"
)

// lab is the dataset of the tests, with the corpus' tables.
const lab = "lab"

// The accounts of the tests: one with the roles that docs name, and one that may write.
const (
	reader = "reader"
	owner  = "owner"
)

var rights = map[string][]string{owner: {
	"bigquery.tables.updateData", "bigquery.tables.update", "bigquery.tables.delete", "bigquery.tables.create", "bigquery.datasets.create",
	"bigquery.datasets.delete", "bigquery.routines.create", "bigquery.jobs.listAll", "bigquery.routines.get",
}, reader: {"bigquery.routines.get"}}

// key returns the service account key of an account.
func key(t testing.TB, s *fixture.Server, account string) string {
	t.Helper()
	return string(s.Account(t, account, rights[account]...).Key)
}

// start returns a fixture with the dataset.
func start(t testing.TB, options ...fixture.Option) *fixture.Server {
	t.Helper()
	s := fixture.Start(t, options...)
	script := "CREATE SCHEMA lab;\n" + strings.Join(corpus.Setup(&bigquery.Dialects()[0]), ";\n")
	s.Exec(t, strings.NewReplacer("CREATE TABLE ", "CREATE TABLE lab.", "INSERT INTO ", "INSERT INTO lab.").Replace(script))
	return s
}

// configOf returns the configuration of an account; extra overrides single keys.
func configOf(t testing.TB, s *fixture.Server, account string, extra map[string]any) sdk.Config {
	t.Helper()
	object := map[string]any{"project": s.Project, "dataset": lab, "endpoint": s.URL()}
	maps.Copy(object, extra)
	raw, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return sdk.Config{JSON: raw, Secrets: map[string]sdk.Secret{"credentials": sdk.NewSecret(key(t, s, account))}}
}

// open opens a session that ends with the test.
func open(t testing.TB, s *fixture.Server, extra map[string]any) *bigquery.Session {
	t.Helper()
	return openWith(t, sdk.OpenRequest{ConnectionID: "test", Config: configOf(t, s, reader, extra)})
}

func openWith(t testing.TB, req sdk.OpenRequest) *bigquery.Session {
	t.Helper()
	session, err := bigquery.Connector().Open(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return session.(*bigquery.Session)
}

// result is what a statement gave.
type result = conform.Answer

var execute, query, wantKind = conform.Execute, conform.Query, conform.WantKind

// since returns the requests of some kinds that arrived behind the first n.
func since(s *fixture.Server, n int, kinds ...string) (found []fixture.Request) {
	for _, r := range s.Requests()[n:] {
		if slices.Contains(kinds, r.Kind) {
			found = append(found, r)
		}
	}
	return found
}

// running waits until a job runs.
func running(t testing.TB, s *fixture.Server) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		for _, id := range s.Running() {
			if strings.HasPrefix(id, "loam_") { // no dry run
				return id
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("no job runs")
		}
	}
}

// tables is the writer of a scan.
type tables struct {
	found    map[string]*sdk.Table
	warnings []sdk.Warning
}

func (w *tables) Table(t *sdk.Table) error { w.found[t.Schema+"."+t.Name] = t; return nil }

func (w *tables) Warning(of sdk.Warning) error { w.warnings = append(w.warnings, of); return nil }

func (w *tables) Progress(sdk.Progress) {}

func scan(t testing.TB, s sdk.Session, req sdk.ScanRequest) (*tables, sdk.ScanSummary) {
	t.Helper()
	w := &tables{found: map[string]*sdk.Table{}}
	sum, err := s.Scan(t.Context(), req, w)
	if err != nil {
		t.Fatal(err)
	}
	return w, sum
}

func describe(r fixture.Request) string {
	return fmt.Sprintf("%s %s %.200s", r.Kind, r.Path, r.Statement)
}
