package clickhouse_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/clickhouse"
	"github.com/loam-data/loam/sdk"
)

const changedSettings = "SELECT name, value FROM (SELECT name, value FROM system.settings WHERE changed AND name IN ('readonly', 'max_execution_time', 'max_memory_usage')) ORDER BY name"

// TestReadOnlyIsSentTogetherWithTheLimits: an account without a read-only
// profile gets readonly = 1 in the same request as the limits, which both hold.
func TestReadOnlyIsSentTogetherWithTheLimits(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		db := make(t)
		s := openWith(t, sdk.OpenRequest{Config: db.config(testserver.ClickHouseAdmin, map[string]any{"max_memory_mb": 700, "statement_timeout": "7s"})})
		want := [][]any{{"max_execution_time", "7"}, {"max_memory_usage", "734003200"}, {"readonly", "1"}}
		if diff := cmp.Diff(want, query(t, s, changedSettings).Rows); diff != "" {
			t.Errorf("settings (-want +got):\n%s", diff)
		}
		info := s.Server()
		if info.ReadOnly != sdk.ReadOnlySession || len(info.Warnings) == 0 {
			t.Errorf("an account that may write is %+v", info)
		}
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT 1 SETTINGS readonly = 0"})
		wantKind(t, err, sdk.KindNotReadOnly)
		_, err = execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT 1 SETTINGS max_execution_time = 0"})
		wantKind(t, err, sdk.KindNotReadOnly)
	})
}

// TestReadOnlyProfileGetsNoSettings: under a profile with readonly = 1 the
// server refuses a request that carries any setting.
func TestReadOnlyProfileGetsNoSettings(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		s := make(t).openAs(t, testserver.ClickHouseReader)
		info := s.Server()
		if info.ReadOnly != sdk.ReadOnlyEngine || !strings.Contains(info.ReadOnlyMechanism, "readonly = 1") {
			t.Errorf("got %+v", info)
		}
		if got := query(t, s, changedSettings).Rows; !slices.ContainsFunc(got, func(r []any) bool { return r[0] == "readonly" && r[1] == "1" }) {
			t.Errorf("settings %v", got)
		}
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT 1", Tags: map[string]string{"agent": "x"}, RequestID: "r"})
		if err != nil {
			t.Errorf("tags are refused: %v", err)
		}
	})
}

// TestReadOnly2IsRefused: it lets statements read files and other servers, and
// change settings.
func TestReadOnly2IsRefused(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		db := make(t)
		_, err := clickhouse.Connector().Open(t.Context(), sdk.OpenRequest{Config: db.config(testserver.ClickHouseSettings, nil)})
		e := wantKind(t, err, sdk.KindDenied)
		if !strings.Contains(e.Msg, "readonly = 2") || !strings.Contains(e.Hint, "readonly") {
			t.Errorf("got %+v", e)
		}
	})
}

// TestStatementsThatReadonlyLetsThroughAreRefused: KILL QUERY, USE, SET of an
// equal value and sleep run under readonly = 1, INTO OUTFILE in some servers,
// and FORMAT changes what comes over HTTP.
func TestStatementsThatReadonlyLetsThroughAreRefused(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		db := make(t)
		s := db.openAs(t, testserver.ClickHouseReader)
		for sql, kind := range map[string]sdk.Kind{
			"KILL QUERY WHERE query_id = 'x'":                             sdk.KindNotReadOnly,
			"USE system":                                                  sdk.KindNotReadOnly,
			"SET readonly = 1":                                            sdk.KindNotReadOnly,
			"SELECT sleep(0.1)":                                           sdk.KindNotReadOnly,
			"SELECT `sleepEachRow`(0.1)":                                  sdk.KindNotReadOnly,
			"SELECT 1 INTO OUTFILE '/tmp/loam_stolen'":                    sdk.KindNotReadOnly,
			"SELECT 1 FORMAT JSON":                                        sdk.KindInvalid,
			"SELECT (1) AS x, [2] FORMAT CSV SETTINGS a = 1":              sdk.KindNotReadOnly,
			"SHOW TABLES FORMAT Null":                                     sdk.KindInvalid,
			"OPTIMIZE TABLE x":                                            sdk.KindNotReadOnly,
			"WITH 1 AS x INSERT INTO t SELECT x":                          "",
			"SELECT * FROM url('http://127.0.0.1:1/', 'TSV', 'a String')": sdk.KindNotReadOnly,
		} {
			_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql})
			if err == nil || kind != "" && sdk.KindOf(err) != kind {
				t.Errorf("%s: %v, want %s", sql, err, kind)
			}
		}
		for _, sql := range []string{
			"SELECT format('{}', 'x')", "SELECT 1 AS format", "SELECT format FROM (SELECT 1 AS format)",
			"SELECT x format FROM (SELECT 1 AS x)", "SELECT 'SELECT 1 FORMAT JSON'",
		} {
			if _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql}); err != nil && sdk.KindOf(err) == sdk.KindInvalid {
				t.Errorf("%s: %v", sql, err)
			}
		}
	})
}

// recorder is a proxy in front of the server that keeps the requests.
type recorder struct {
	mu       sync.Mutex
	requests []*http.Request
}

func (r *recorder) in(t *testing.T, db *database) *database {
	t.Helper()
	target := &url.URL{Scheme: "http", Host: db.base["host"].(string) + ":" + strconv.Itoa(db.base["port"].(int))}
	proxy := httputil.NewSingleHostReverseProxy(target)
	// The default transport is everybody's: any test server that closes closes
	// connections of it.
	proxy.Transport = &http.Transport{DisableKeepAlives: true}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		// A server that answers before it has read the whole request ends its writer,
		// and with it the connection that the answer is still read from.
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		r.mu.Lock()
		r.requests = append(r.requests, req.Clone(context.Background()))
		r.mu.Unlock()
		proxy.ServeHTTP(w, req)
	}))
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(at.Port())
	if err != nil {
		t.Fatal(err)
	}
	copied := *db
	copied.base = map[string]any{"host": "127.0.0.1", "port": port, "protocol": "http", "database": db.name}
	return &copied
}

// TestHTTPPostsOnlyAndHasNoSession: GET would let old servers run table
// functions, and a session would carry state from one statement to the next.
func TestHTTPPostsOnlyAndHasNoSession(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(testing.TB, ...string) *database{"18.16": oldHTTP, "26.7": today} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seen recorder
			s := seen.in(t, make(t)).openAs(t, testserver.ClickHouseAdmin)
			query(t, s, "SELECT 1 AS x")
			seen.mu.Lock()
			defer seen.mu.Unlock()
			for _, r := range seen.requests {
				if r.Method != http.MethodPost || r.URL.Query().Has("session_id") || r.URL.Query().Has("password") {
					t.Errorf("%s %s", r.Method, r.URL.RawQuery)
				}
			}
			last := seen.requests[len(seen.requests)-1].URL.Query()
			if last.Get("readonly") != "1" || last.Get("max_execution_time") == "" || !strings.HasPrefix(last.Get("query_id"), "loam-") {
				t.Errorf("the request of the statement: %v", last)
			}
		})
	}
}

// TestExceptionInTheMiddleOfAnAnswer: over HTTP the status is 200 by then.
func TestExceptionInTheMiddleOfAnAnswer(t *testing.T) {
	everywhere(t, func(t *testing.T, make func(testing.TB, ...string) *database) {
		s := make(t).openAs(t, testserver.ClickHouseReader)
		r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT number, throwIf(number = 700000) FROM system.numbers LIMIT 1000000"})
		e := wantKind(t, err, sdk.KindInvalid)
		if e.Code != "395" {
			t.Errorf("got %+v after %d rows", e, len(r.Rows))
		}
		query(t, s, "SELECT 1")
	})
}

// TestTagsAreTheCommentOfTheLog: the old server has no such setting.
func TestTagsAreTheCommentOfTheLog(t *testing.T) {
	t.Parallel()
	s := today(t).openAs(t, testserver.ClickHouseAdmin)
	r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT getSetting('log_comment')", Tags: map[string]string{"principal": "a'\"da"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Rows[0][0]; got != `{"principal":"a'\"da"}` {
		t.Errorf("got %v", got)
	}
}
