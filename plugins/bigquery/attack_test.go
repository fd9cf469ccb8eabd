package bigquery_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	rest "google.golang.org/api/bigquery/v2"

	fixture "github.com/loam-data/loam/e2e/testserver/bigquery"
	"github.com/loam-data/loam/plugins/bigquery"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform/corpus"
)

// TestAttacks runs the corpus past the host's guard, as an account that may write: none
// becomes a job, and each of the harmless ones becomes one job of the very same text.
func TestAttacks(t *testing.T) {
	t.Parallel()
	server := start(t)
	s := openWith(t, sdk.OpenRequest{ConnectionID: "attacks", Config: configOf(t, server, owner, nil)})
	ran, refused, unknown := 0, 0, 0
	for _, c := range corpus.For(&bigquery.Dialects()[0]) {
		before := len(server.Requests())
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: c.SQL, Limits: sdk.Limits{MaxRows: 10, Timeout: 20 * time.Second}})
		jobs := since(server, before, "query")
		for _, r := range since(server, before, "query", "dry_run") {
			if r.Statement != c.SQL {
				t.Errorf("%s: the text arrived changed: %q", c.Name, r.Statement)
			}
		}
		switch {
		case !c.Harmless && (err == nil || len(jobs) > 0):
			t.Errorf("%s: %d jobs ran, %v: %s", c.Name, len(jobs), err, c.SQL)
		case !c.Harmless:
			refused++
		case sdk.KindOf(err) == sdk.KindNotReadOnly:
			t.Errorf("%s: harmless and refused: %v: %s", c.Name, err, c.SQL)
		case err != nil: // GoogleSQL, or the fixture, has no such form
			unknown++
			if len(jobs) > 1 {
				t.Errorf("%s: %d jobs for one statement", c.Name, len(jobs))
			}
		default:
			ran++
			if len(jobs) != 1 {
				t.Errorf("%s: %d jobs for one statement", c.Name, len(jobs))
			}
		}
	}
	t.Logf("%d attacks stopped, %d harmless statements ran, %d are not GoogleSQL of the fixture", refused, ran, unknown)
	if ran < 200 || unknown > ran/4 {
		t.Errorf("too few harmless statements ran: %d, and %d failed", ran, unknown)
	}
	if r := query(t, s, "SELECT COUNT(*) AS n, SUM(balance) AS b FROM accounts"); fmt.Sprint(r.Rows) != "[[3 200]]" {
		t.Errorf("the accounts are %v", r.Rows)
	}
}

// TestAnotherTypeStopsAStatement has dry runs answer with every other type, and with none.
func TestAnotherTypeStopsAStatement(t *testing.T) {
	t.Parallel()
	server := start(t)
	s := open(t, server, nil)
	for _, kind := range []string{"INSERT", "SCRIPT", "CREATE_TABLE_AS_SELECT", "EXPORT_DATA", "select", "-", "CALL"} {
		forget := server.Plant(fixture.Plant{Match: "planted", DryRun: true, StatementType: kind})
		before := len(server.Requests())
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT 1 AS planted"})
		if e := wantKind(t, err, sdk.KindNotReadOnly); !strings.Contains(e.Msg, kind) {
			t.Errorf("%s: the error does not say it: %v", kind, e)
		}
		if jobs := since(server, before, "query"); len(jobs) > 0 {
			t.Errorf("%s: a job ran: %s", kind, describe(jobs[0]))
		}
		_, err = s.Explain(t.Context(), sdk.ExplainRequest{SQL: "SELECT 1 AS planted"})
		wantKind(t, err, sdk.KindNotReadOnly)
		_, err = s.Validate(t.Context(), sdk.ValidateRequest{SQL: "SELECT 1 AS planted"})
		wantKind(t, err, sdk.KindNotReadOnly)
		forget()
	}
	query(t, s, "SELECT 1 AS planted")
}

// TestNothingLeavesByAFunctionOrAView reads definitions behind a statement. The fixture has
// neither functions nor connections: what stands between adds them to its answers.
func TestNothingLeavesByAFunctionOrAView(t *testing.T) {
	t.Parallel()
	server := start(t)
	server.Exec(t, "CREATE VIEW lab.seen AS SELECT id FROM lab.accounts;")
	between := &adding{server: server, routines: map[string]*rest.Routine{
		"twice":    {Language: "SQL", DefinitionBody: "x * 2"},
		"script":   {Language: "JAVASCRIPT", DefinitionBody: "return x"},
		"remote":   {RemoteFunctionOptions: &rest.RemoteFunctionOptions{Endpoint: "https://elsewhere.example"}},
		"python":   {Language: "PYTHON", PythonOptions: &rest.PythonOptions{EntryPoint: "f"}},
		"indirect": {Language: "SQL", DefinitionBody: "(SELECT MAX(n) FROM EXTERNAL_QUERY('us.c', 'SELECT 1 AS n'))"},
	}}
	front := httptest.NewServer(between)
	t.Cleanup(front.Close)
	s := open(t, server, map[string]any{"endpoint": front.URL})
	for name, refused := range map[string]bool{"twice": false, "script": false, "remote": true, "python": true, "indirect": true, "unknown": true} {
		before := len(server.Requests())
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT id AS calls_" + name + " FROM seen"})
		jobs := since(server, before, "query")
		if kind := sdk.KindOf(err); refused && (kind != sdk.KindNotReadOnly && name != "unknown" || err == nil || len(jobs) > 0) || !refused && (err != nil || len(jobs) != 1) {
			t.Errorf("a function that is %s: %v, %d jobs", name, err, len(jobs))
		}
	}
	for definition, refused := range map[string]bool{
		"SELECT 1 AS id; ": false, "SELECT * FROM EXTERNAL_QUERY('us.c', 'SELECT 1 AS id')": true,
		"WITH x AS (SELECT * FROM `EXTERNAL_QUERY`('us.c', \"DELETE\")) SELECT * FROM x": true, "SELECT 'EXTERNAL_QUERY(' AS id": false,
	} {
		between.view.Store(&definition)
		before := len(server.Requests())
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT id FROM seen"})
		jobs := since(server, before, "query")
		if refused != (sdk.KindOf(err) == sdk.KindNotReadOnly) || refused != (len(jobs) == 0) {
			t.Errorf("a view of %s: %v, %d jobs", definition, err, len(jobs))
		}
	}
}

// adding stands before the fixture: a statement with calls_x calls the routine x, and a
// view has the definition that is set.
type adding struct {
	server   *fixture.Server
	routines map[string]*rest.Routine
	view     atomic.Pointer[string]
}

func (a *adding) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	base, name := path.Split(r.URL.Path)
	if strings.HasSuffix(base, "/routines/") && a.routines[name] != nil {
		_ = json.NewEncoder(w).Encode(a.routines[name]) // the client's loss
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	target, err := url.Parse(a.server.URL())
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(res *http.Response) error { return a.add(res, name, string(body)) }
	proxy.ServeHTTP(w, r)
}

// add changes the answer to a dry run, and the metadata of the view.
func (a *adding) add(res *http.Response, name, asked string) error {
	var answer map[string]any
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return err
	}
	if _, called, ok := strings.Cut(asked, "calls_"); ok && strings.Contains(asked, `"dryRun":true`) {
		called, _, _ = strings.Cut(called, " ")
		of := answer["statistics"].(map[string]any)["query"].(map[string]any)
		of["referencedRoutines"] = []any{map[string]any{"projectId": a.server.Project, "datasetId": lab, "routineId": called}}
	}
	if definition := a.view.Load(); definition != nil && name == "seen" {
		answer["view"] = map[string]any{"query": *definition, "useLegacySql": false}
	}
	text, err := json.Marshal(answer)
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	res.Header.Set("Content-Length", strconv.Itoa(len(text)))
	return err
}
