package bigquery_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/auth/credentials"
	"cloud.google.com/go/bigquery"
	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"

	fixture "github.com/loam-data/loam/e2e/testserver/bigquery"
)

// withKey returns Google's client, signed in with the key of a service account.
func withKey(t *testing.T, s *fixture.Server, key []byte) *bigquery.Client {
	t.Helper()
	found, err := credentials.NewCredentialsFromJSON(credentials.ServiceAccount, key, &credentials.DetectOptions{Scopes: []string{bigquery.Scope}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := bigquery.NewClient(t.Context(), s.Project, option.WithEndpoint(s.URL()), option.WithAuthCredentials(found))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestServiceAccount(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	a := s.Account(t, "loader")
	if got := one(t, withKey(t, s, a.Key), "SELECT SESSION_USER()"); got != a.Email {
		t.Errorf("the session is %v's", got)
	}
	if first := s.Requests()[0]; first.Kind != "token" {
		t.Errorf("the first request was %+v", first)
	}
	other := fixture.Start(t) // knows nothing of the account
	renamed := bytes.ReplaceAll(a.Key, []byte(s.URL()), []byte(other.URL()))
	for name, v := range map[string]struct {
		prepare func()
		s       *fixture.Server
		key     []byte
		want    string
	}{
		"an account that there is not": {func() {}, other, renamed, "account not found"},
		"another key":                  {func() {}, s, bytes.ReplaceAll(a.Key, []byte("key-of-loader"), []byte("old-key")), "Invalid JWT Signature"},
	} {
		v.prepare()
		if _, _, err := rows(t.Context(), withKey(t, v.s, v.key).Query("SELECT 1")); err == nil || !strings.Contains(err.Error(), v.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, ahead := range []time.Duration{2 * time.Hour, -time.Hour} {
		s.Skew(ahead)
		if _, _, err := rows(t.Context(), withKey(t, s, a.Key).Query("SELECT 1")); err == nil || !strings.Contains(err.Error(), "reasonable timeframe") {
			t.Errorf("a clock that is off by %s: %v", ahead, err)
		}
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	var told *googleapi.Error
	for name, token := range map[string]string{"a token of nobody": "ya29.none", "a text that is signed by nobody": "e30.e30.e30"} {
		c, err := bigquery.NewClient(t.Context(), s.Project, option.WithEndpoint(s.URL()), option.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token})))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := rows(t.Context(), c.Query("SELECT 1")); !errors.As(err, &told) || told.Code != 401 || !strings.Contains(told.Header.Get("WWW-Authenticate"), "invalid_token") {
			t.Errorf("%s: %v", name, err)
		}
		_ = c.Close()
	}
	c := client(t, s)
	if got := one(t, c, "SELECT 1"); got != int64(1) {
		t.Error(got)
	}
	s.Expire()
	if e := refused(t, c.Query("SELECT 1")); e.Code != 401 || e.Errors[0].Reason != "authError" {
		t.Errorf("a token that has expired: %v", e)
	}
	elsewhere, err := bigquery.NewClient(t.Context(), "other-project", option.WithEndpoint(s.URL()), option.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: s.Token(t, "again")})))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = elsewhere.Close() })
	if e := refused(t, elsewhere.Query("SELECT 1")); e.Code != 403 || !strings.Contains(e.Message, "bigquery.jobs.create permission in project other-project") {
		t.Errorf("another project: %v", e)
	}
}

func TestImpersonation(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	from, to := s.Account(t, "person"), s.Account(t, "robot")
	ask := func(token, scope string) (int, string) {
		body := strings.NewReader(`{"scope": ["` + scope + `"], "lifetime": "600s"}`)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+"/v1/projects/-/serviceAccounts/"+to.Email+":generateAccessToken", body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		var answer struct {
			AccessToken string `json:"accessToken"`
		}
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, answer.AccessToken
	}
	token := s.Token(t, "person")
	if code, _ := ask(token, bigquery.Scope); code != 403 {
		t.Errorf("an account that may not act as another gets %d", code)
	}
	from = s.Account(t, "person")
	s.ActAs(from, to)
	for scope, works := range map[string]bool{bigquery.Scope: true, "https://www.googleapis.com/auth/drive": false} {
		code, given := ask(token, scope)
		if code != 200 {
			t.Fatalf("the answer is %d", code)
		}
		c, err := bigquery.NewClient(t.Context(), s.Project, option.WithEndpoint(s.URL()), option.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: given})))
		if err != nil {
			t.Fatal(err)
		}
		if works {
			if got := one(t, c, "SELECT SESSION_USER()"); got != to.Email {
				t.Errorf("the session is %v's", got)
			}
		} else if e := refused(t, c.Query("SELECT 1")); e.Errors[0].Reason != "insufficientPermissions" {
			t.Errorf("a token of another scope: %v", e)
		}
		_ = c.Close()
	}
}
