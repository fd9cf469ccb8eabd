package conformance

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
)

// fixture writes check.yaml and further files and reads it.
func fixture(t *testing.T, yaml string, files map[string]string) (*Fixture, error) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "check.yaml")
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	return ReadFixture(path)
}

const schema = `{"type": "object", "properties": {
	"host": {"type": "string"}, "port": {"type": "integer"}, "file": {"type": "string", "format": "path"}, "password": {"type": "string", "x-secret": true}}}`

// target makes the kit's target of a fixture.
func target(t *testing.T, f *Fixture) (conform.Target, error) {
	t.Helper()
	req := Request{Fixture: f, Installed: connector.Installed{Binary: "/x", Description: sdk.Description{ID: "acme/foodb", ConfigSchema: []byte(schema)}}}
	return req.target(t.Context(), t.TempDir())
}

func TestTargetOfAFixture(t *testing.T) {
	t.Setenv("FOODB_PASSWORD", "correct horse")
	f, err := fixture(t, `
server: real FooDB 4.2
config: {host: 127.0.0.1, port: 3050, file: data.fdb}
secrets: {password: "env:FOODB_PASSWORD"}
wrong_secrets: {password: "file:wrong"}
unreachable: {port: 1}
admin: {run: [cat]}
setup: [data/setup.sql]
reread: [SELECT 1, SELECT 2]
running: "SELECT x WHERE sql = '{sql}'"
rows_sql: SELECT {n}
slow_sql: SELECT 'it'
tables: data/tables.json
cases: data
attacks: attacks.yaml
reach: {setup: [data/reach.sql], statements: data/reach.yaml, tables: [{schema: main, name: spent}], reread: [SELECT 3]}
skips: {profile: {reason: none, because: driver}, leak: {reason: later, because: todo}}
`, map[string]string{
		"wrong": "nonsense\n", "data/setup.sql": "CREATE TABLE t (a INT);", "attacks.yaml": "- {name: own, sql: PURGE, guard: true}\n",
		"data/reach.sql":  "CREATE VIEW spent AS SELECT spend();",
		"data/reach.yaml": "- {name: spends, sql: SELECT * FROM spent, behind: view, path: [view spent]}\n- {name: reads, sql: SELECT * FROM t, harmless: true}\n",
		"data/one.sql":    "SELECT 1", "data/one.json": `{"params": [1, 2.5, "x", null, true], "columns": [{"name": "a", "type": "int64"}], "rows": []}`,
		"data/tables.json": `[{"schema": "main", "name": "t", "kind": "table", "columns": [{"name": "a", "type": "int64", "native": "INT"}],
			"keys": [{"kind": "foreign", "columns": ["a"], "ref_table": "u", "ref_columns": ["b"]}]}]`,
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := target(t, f)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"file":"` + filepath.Join(f.dir(), "data.fdb") + `","host":"127.0.0.1","port":3050}`; string(got.Config.JSON) != want {
		t.Errorf("config %s, want %s", got.Config.JSON, want)
	}
	if got.Config.Secrets["password"].Reveal() != "correct horse" || got.WrongSecret.Secrets["password"].Reveal() != "nonsense" {
		t.Error("the secrets are not those of their references")
	}
	if !strings.Contains(string(got.Unreachable.JSON), `"port":1`) || !strings.Contains(string(got.Config.JSON), "3050") || got.Writer != nil {
		t.Errorf("unreachable %s, config %s, writer %v", got.Unreachable.JSON, got.Config.JSON, got.Writer)
	}
	wantTables := []sdk.Table{{
		TableRef: sdk.TableRef{Schema: "main", Name: "t"}, Kind: sdk.TableBase,
		Columns: []sdk.Column{{Name: "a", Type: sdk.TypeInt64, NativeType: "INT"}},
		Keys:    []sdk.Key{{Kind: sdk.KeyForeign, Columns: []string{"a"}, Ref: sdk.TableRef{Name: "u"}, RefColumns: []string{"b"}}},
	}}
	if diff := cmp.Diff(wantTables, got.Fixture.Tables); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
	if len(got.Cases) != 1 || !cmp.Equal(got.Cases[0].Params, []sdk.Value{int64(1), 2.5, "x", nil, true}) {
		t.Errorf("cases %+v", got.Cases)
	}
	if got.RowsSQL(7) != "SELECT 7" || got.TextSQL != nil || len(got.Attacks) != 1 || got.Attacks[0].Name != "own" {
		t.Errorf("statements %q, attacks %+v", got.RowsSQL(7), got.Attacks)
	}
	wantSkips := map[conform.Class]map[string]string{conform.ByDriver: {"profile": "none"}, conform.ToDo: {"leak": "later"}}
	if diff := cmp.Diff(wantSkips, got.SkipsBy); diff != "" {
		t.Errorf("skips (-want +got):\n%s", diff)
	}
	// The command of admin, cat, prints what it is asked.
	if seen, err := got.Fixture.Reread(t.Context()); err != nil || seen != "SELECT 1;\nSELECT 2;\n" {
		t.Errorf("reread %q, %v", seen, err)
	}
	if seen, err := f.admin(t.Context(), f.filled(f.Running)); err != nil || seen != "SELECT x WHERE sql = 'SELECT ''it''';\n" {
		t.Errorf("running %q, %v", seen, err)
	}
	if running, err := got.Fixture.Running(t.Context()); err != nil || !running {
		t.Errorf("running %t, %v", running, err)
	}
	wantReach := &conform.Reach{
		Statements: []conform.Hidden{{Name: "spends", SQL: "SELECT * FROM spent", Behind: "view", Path: []string{"view spent"}}, {Name: "reads", SQL: "SELECT * FROM t", Harmless: true}},
		Tables:     []sdk.TableRef{{Schema: "main", Name: "spent"}},
	}
	if diff := cmp.Diff(wantReach, got.Reach, cmpopts.IgnoreFields(conform.Reach{}, "Reread")); diff != "" {
		t.Errorf("reach (-want +got):\n%s", diff)
	}
	if seen, err := got.Reach.Reread(t.Context()); err != nil || seen != "SELECT 3;\n" {
		t.Errorf("reread of reach %q, %v", seen, err)
	}
	watched := Files(connector.Installed{Binary: "/x", Manifest: "/x.json", Files: map[string]string{"/lib": ""}}, f.path)
	for _, want := range []string{"/x", "/x.json", "/lib", f.path, f.file("data/reach.sql"), f.file("data/reach.yaml"), f.file("data/one.sql"), f.file("attacks.yaml")} {
		if !slices.Contains(watched, want) {
			t.Errorf("%s is not watched: %q", want, watched)
		}
	}
	if got.Fixture.End != nil || got.Fixture.Disconnect != nil {
		t.Error("the fixture ends what it has no statement for")
	}
}

func TestFixtureRefusals(t *testing.T) {
	t.Parallel()
	const server = "server: real FooDB\n"
	for name, tt := range map[string]struct {
		yaml string
		want string
	}{
		"no server":         {"config: {}", "server is missing"},
		"unknown key":       {server + "slowsql: x", `there is no key "slowsql"`},
		"no YAML":           {"server: [", "check.yaml"},
		"class":             {server + "skips: {leak: {reason: x, because: later}}", "engine, driver or todo"},
		"secret as a value": {server + "secrets: {password: hunter2}", "password"},
		"program for one":   {server + "secrets: {password: 'cmd:date'}", "cmd:date"},
		"no tables":         {server + "tables: none.json", "none.json"},
		"no cases":          {server + "cases: none", "cases"},
		"no admin":          {server + "reread: [SELECT 1]", "admin.run"},
		"admin fails":       {server + "admin: {run: ['false']}\nreread: [SELECT 1]", "reread"},
		"admin's variable":  {server + "admin: {run: [cat], env: [LOAM_NO_SUCH_VARIABLE]}\nreread: [SELECT 1]", "LOAM_NO_SUCH_VARIABLE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := fixture(t, tt.yaml, nil)
			if err == nil {
				_, err = target(t, f)
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("got %v, want something about %q", err, tt.want)
			}
		})
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	results := []conform.Result{
		{Group: "describe", Check: "a", Outcome: conform.OK},
		{Group: "types", Check: "b", Outcome: conform.Failed, Reason: "two\nlines <x>"},
		{Group: "types", Check: "c", Outcome: conform.Failed, Reason: "two\nlines <x>"},
		{Group: "types", Check: "d", Outcome: conform.Skipped, Class: conform.ByEngine, Reason: "none"},
		{Group: "leak", Check: "e", Outcome: conform.NotRun, Class: conform.NotSelected},
	}
	req := &Request{Fixture: &Fixture{Server: "real FooDB"}, Installed: connector.Installed{Description: sdk.Description{ID: "acme/foodb", Version: "1.0.0", ContractMinor: 1}}}
	r := newReport(req, &conform.Target{}, results, 0)
	if r.OK != 1 || r.Failed != 2 || r.Skipped != 1 || r.NotRun != 0 || len(r.Results) != 4 || len(r.Failures()) != 1 {
		t.Errorf("%+v", r)
	}
	if got := r.LevelLine(); got != `level: basic ("reads" needs types, 2 failed)` {
		t.Errorf("%s", got)
	}
	if r.Passed("") || r.Passed(conform.LevelBasic) {
		t.Error("a report with failures passes")
	}
	xml, err := r.JUnit()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<testsuites name="acme/foodb 1.0.0" tests="4" failures="2">`, `<testsuite name="types" tests="3" failures="2" skipped="1">`,
		`<failure message="two">two&#xA;lines &lt;x&gt;</failure>`, `<skipped message="engine: none">`,
	} {
		if !strings.Contains(string(xml), want) {
			t.Errorf("no %s in\n%s", want, xml)
		}
	}
	passed := newReport(req, &conform.Target{}, append(results[:1:1], conform.Result{Group: "semantic", Check: "a", Outcome: conform.OK}), 0)
	if !passed.Passed("") || !passed.Passed(conform.LevelFull) || passed.LevelLine() != "level: full" {
		t.Errorf("%+v", passed)
	}
}
