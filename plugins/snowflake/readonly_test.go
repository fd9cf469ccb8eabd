package snowflake_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fixture "github.com/loam-data/loam/e2e/testserver/snowflake"
	"github.com/loam-data/loam/plugins/snowflake"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform/corpus"
)

// prepared returns a server with the fixture of the attacks.
func prepared(t testing.TB, options ...fixture.Option) *fixture.Server {
	t.Helper()
	server := fixture.Start(t, options...)
	for _, statement := range corpus.Setup(&snowflake.Dialects()[0]) {
		server.Exec(t, statement)
	}
	return server
}

// ran returns the statements that a client had the server run from a request on, but
// for those that it only described.
func ran(server *fixture.Server, from int) []string {
	var texts []string
	for _, r := range server.Requests()[from:] {
		if r.Kind == "query" {
			texts = append(texts, r.Text)
		}
	}
	return texts
}

// Of a caller's statements nothing arrives to be run but what was described before, as
// a SELECT; with a role that may do everything.
func TestNothingButWhatWasExaminedArrives(t *testing.T) {
	t.Parallel()
	server := prepared(t)
	s := open(t, configOf(server, fixture.Admin, nil))
	for _, c := range corpus.For(&snowflake.Dialects()[0]) {
		from := len(server.Requests())
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: c.SQL})
		texts := ran(server, from)
		switch {
		case !c.Harmless && (err == nil || len(texts) > 0):
			t.Errorf("%s: %q: %v, and the server ran %q", c.Name, c.SQL, err, texts)
		case c.Harmless && sdk.KindOf(err) == sdk.KindNotReadOnly:
			t.Errorf("%s: %q is refused: %v", c.Name, c.SQL, err)
		case c.Harmless && err == nil && len(texts) != 1:
			t.Errorf("%s: %q ran %q", c.Name, c.SQL, texts)
		}
		described := map[string]bool{}
		for _, r := range server.Statements() {
			if r.Describe && r.TypeID == 0x1000 {
				described[r.Text] = true
			}
		}
		for _, text := range texts {
			if !described[text] {
				t.Errorf("%s: %q ran and was not examined", c.Name, text)
			}
		}
	}
}

// An answer of another type stops a statement, whatever the statement looks like.
func TestAnotherTypeStopsAStatement(t *testing.T) {
	t.Parallel()
	server := prepared(t)
	s := open(t, configOf(server, fixture.Reader, nil))
	for _, id := range []int64{0x3000, 0x3100, 0x3600, 0x4000, 0x4400, 0x6000, 0xA000, 0x1001, -1} {
		sql := fmt.Sprintf("SELECT id, %d AS type FROM accounts", id)
		server.Plant(fixture.Plant{Contains: sql, Describe: true, TypeID: id})
		from := len(server.Requests())
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql})
		wantKind(t, err, sdk.KindNotReadOnly)
		_, err = s.Validate(t.Context(), sdk.ValidateRequest{SQL: sql})
		wantKind(t, err, sdk.KindNotReadOnly)
		_, err = s.Explain(t.Context(), sdk.ExplainRequest{SQL: sql})
		wantKind(t, err, sdk.KindNotReadOnly)
		if texts := ran(server, from); len(texts) > 0 {
			t.Errorf("type %#x: the server ran %q", id, texts)
		}
	}
}

// Every request has one statement alone, and the tags of its caller.
func TestParametersOfRequests(t *testing.T) {
	t.Parallel()
	server := prepared(t)
	s := open(t, configOf(server, fixture.Reader, nil))
	_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT id FROM accounts", Tags: map[string]string{"tool": "sql", "project": "a&b"}})
	if err != nil {
		t.Fatal(err)
	}
	requests := server.Requests()
	last := requests[len(requests)-1]
	want := map[string]string{"MULTI_STATEMENT_COUNT": "1", "QUERY_TAG": "loam&project=a%26b&tool=sql"}
	got := map[string]string{}
	for name := range want {
		got[name] = fmt.Sprint(last.Parameters[name])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, r := range requests {
		if r.Kind == "query" && fmt.Sprint(r.Parameters["MULTI_STATEMENT_COUNT"]) != "1" {
			t.Errorf("%q may be several statements", r.Text)
		}
	}
}

// A session has the rights of its role alone, and tells what the role may do beyond
// reading.
func TestRights(t *testing.T) {
	t.Parallel()
	server := prepared(t)
	for role, level := range map[string]sdk.ReadOnlyLevel{fixture.Reader: sdk.ReadOnlyEngine, fixture.Admin: sdk.ReadOnlySession} {
		s := open(t, configOf(server, role, nil))
		info := s.Server()
		if info.ReadOnly != level || (level == sdk.ReadOnlySession) != (len(info.Warnings) > 0) {
			t.Errorf("%s: %s, %v", role, info.ReadOnly, info.Warnings)
		}
		for _, w := range info.Warnings {
			if !strings.Contains(w.Summary, "OWNERSHIP") {
				t.Errorf("%s: %+v", role, w)
			}
		}
		if !slices.ContainsFunc(server.Requests(), func(r fixture.Request) bool { return r.Text == "USE SECONDARY ROLES NONE" }) {
			t.Error("the session has secondary roles")
		}
	}
}
