package bigquery_test

import (
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/e2e/testserver"
	fixture "github.com/loam-data/loam/e2e/testserver/bigquery"
	"github.com/loam-data/loam/plugins/bigquery"
	"github.com/loam-data/loam/sdk"
)

const (
	again  = "loam connection test shop"
	signIn = "gcloud auth application-default login"
)

// wrongInput is one fault, and what a person reads of it.
type wrongInput struct {
	name  string
	extra map[string]any // of the configuration
	key   string         // in the place of the account's
	plant *fixture.Error // what the service answers to each statement
	skew  time.Duration  // of the service's clock
	after func(*fixture.Server)
	sql   string // that meets the fault; "" = to open the connection does

	kind    sdk.Kind
	code    string
	cause   string // part of the message
	command string // part of the hint
}

func wrongInputs(t *testing.T, server *fixture.Server) []wrongInput {
	revoked := server.Account(t, "revoked")
	server.Revoke(revoked)
	server.Exec(t, "CREATE SCHEMA shut; CREATE TABLE shut.t (id INT64)")
	server.Close("shut", "")
	const reading = "SELECT id FROM accounts"
	return []wrongInput{
		{name: "project", extra: map[string]any{"project": "elsewhere"}, kind: sdk.KindNotFound, code: "notFound", cause: "elsewhere", command: again},
		{name: "database", extra: map[string]any{"dataset": "nowhere"}, kind: sdk.KindNotFound, code: "notFound", cause: "nowhere", command: again},
		{name: "region", extra: map[string]any{"location": "asia-east1"}, sql: reading, kind: sdk.KindNotFound, code: "notFound", cause: "asia-east1", command: "location"},
		{name: "endpoint", extra: map[string]any{"endpoint": "http://127.0.0.1:1"}, kind: sdk.KindUnavailable, cause: "refused", command: "check"},
		{name: "no key", key: "no JSON", kind: sdk.KindUnauthenticated, cause: "no service account key", command: "gcloud iam service-accounts keys create"},
		{name: "key of another kind", key: `{"type": "authorized_user", "client_id": "1"}`, kind: sdk.KindUnauthenticated, cause: "no service account key", command: "gcloud iam service-accounts keys create"},
		{name: "revoked key", key: string(revoked.Key), kind: sdk.KindUnauthenticated, cause: "account not found", command: "gcloud iam service-accounts keys"},
		{name: "clock", skew: 3 * time.Hour, kind: sdk.KindUnauthenticated, cause: "clock is", command: "timedatectl"},
		{name: "expired token", after: (*fixture.Server).Expire, sql: reading, kind: sdk.KindUnauthenticated, code: "authError", cause: "credentials", command: signIn},
		{
			name: "clock under way", after: func(s *fixture.Server) { s.Skew(3 * time.Hour); s.Expire() }, sql: reading,
			kind: sdk.KindUnauthenticated, code: "authError", cause: "clock is", command: "timedatectl",
		},
		{name: "permission", sql: "SELECT id FROM shut.t", kind: sdk.KindDenied, code: "accessDenied", cause: "shut", command: "roles/bigquery.dataViewer"},
		{name: "quota", plant: fixture.QuotaExceeded, sql: reading, kind: sdk.KindRateLimited, code: "quotaExceeded", cause: "Quota exceeded", command: "console.cloud.google.com/iam-admin/quotas"},
		{name: "too many at once", plant: fixture.RateLimited, sql: reading, kind: sdk.KindRateLimited, code: "rateLimitExceeded", cause: "concurrent", command: "try again"},
	}
}

// A fault is told by its code, its cause and the next command.
func TestWrongInput(t *testing.T) {
	t.Parallel()
	server := start(t)
	for _, c := range wrongInputs(t, server) {
		t.Run(c.name, func(t *testing.T) { c.run(t, server) })
	}
}

func (c *wrongInput) run(t *testing.T, server *fixture.Server) {
	server.Skew(c.skew)
	defer server.Skew(0)
	config := configOf(t, server, reader, c.extra)
	if c.key != "" {
		config.Secrets["credentials"] = sdk.NewSecret(c.key)
	}
	session, err := bigquery.Connector().Open(t.Context(), sdk.OpenRequest{ConnectionID: "shop", Config: config})
	if err == nil {
		defer func() { _ = session.Close(t.Context()) }()
	}
	if c.sql != "" && err == nil {
		if c.plant != nil {
			defer server.Plant(fixture.Plant{Match: "accounts", Error: c.plant})()
		}
		if c.after != nil {
			c.after(server)
		}
		_, err = execute(t.Context(), session, sdk.ExecuteRequest{SQL: c.sql})
	}
	e := wantKind(t, err, c.kind)
	if e.Code != c.code || !strings.Contains(e.Msg, c.cause) || !strings.Contains(e.Hint, c.command) {
		t.Errorf("code %q, cause %q, next %q; want %q, %q, %q", e.Code, e.Msg, e.Hint, c.code, c.cause, c.command)
	}
}

// Rows beyond a limit are told; TestProgressOfAJob has the digits that a type does not hold.
func TestWhatAnAnswerLeavesOut(t *testing.T) {
	t.Parallel()
	server := start(t)
	s := open(t, server, nil)
	r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT id FROM accounts", Limits: sdk.Limits{MaxRows: 1}})
	if err != nil || len(r.Rows) != 1 || r.Summary.TruncatedBy != sdk.TruncatedByRows {
		t.Errorf("%d rows, %+v, %v", len(r.Rows), r.Summary, err)
	}
}

func TestProxyThatAsksForAPassword(t *testing.T) {
	t.Parallel()
	proxy, inside := testserver.BehindProxy(t)
	if !inside {
		return
	}
	config := configOf(t, fixture.Start(t), reader, map[string]any{"endpoint": "https://bigquery.invalid"})
	_, err := bigquery.Connector().Open(t.Context(), sdk.OpenRequest{ConnectionID: "shop", Config: config})
	e := wantKind(t, err, sdk.KindUnavailable)
	if e.Code != "407" || e.Retry || !strings.Contains(e.Msg, "the proxy "+proxy) || !strings.Contains(e.Hint, "HTTPS_PROXY=http://USER:PASSWORD@"+proxy) {
		t.Errorf("%+v", e)
	}
}
