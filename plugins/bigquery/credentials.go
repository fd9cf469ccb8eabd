package bigquery

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/auth/credentials"
	"cloud.google.com/go/auth/credentials/impersonate"
	"google.golang.org/api/googleapi"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// scopes of a token: BigQuery, and of the rest of the platform what lists an
// account's own rights.
var scopes = []string{"https://www.googleapis.com/auth/bigquery", "https://www.googleapis.com/auth/cloud-platform.read-only"}

// signer is the transport below the client. It signs requests in the name of the account.
type signer struct {
	cfg    *config
	tokens auth.TokenProvider
	next   http.RoundTripper
}

// newSigner finds the credentials; the first request asks for a token.
func newSigner(cfg *config) (*signer, error) {
	s := &signer{cfg: cfg, next: network.NewTransport()}
	wide := scopes
	if cfg.Impersonate != "" {
		wide = []string{"https://www.googleapis.com/auth/cloud-platform"} // which a token for another account takes
	}
	options := &credentials.DetectOptions{Scopes: wide, DisableAsyncRefresh: true, Client: &http.Client{Transport: s.next}}
	var found *auth.Credentials
	var err error
	if cfg.Credentials.IsZero() {
		found, err = credentials.DetectDefault(options)
	} else {
		if found, err = credentials.NewCredentialsFromJSON(credentials.ServiceAccount, []byte(cfg.Credentials.Reveal()), options); err != nil {
			return nil, sdk.Errorf(sdk.KindUnauthenticated, sdk.SourceHost, "credentials is no service account key: %w", err).
				WithHint("give the JSON that `gcloud iam service-accounts keys create` writes: credentials=file:key.json")
		}
	}
	if err == nil && cfg.Impersonate != "" {
		found, err = impersonate.NewCredentials(&impersonate.CredentialsOptions{TargetPrincipal: cfg.Impersonate, Scopes: scopes, Credentials: found})
	}
	if err != nil {
		return nil, signInError(cfg, err)
	}
	s.tokens = found
	return s, nil
}

// token returns the token of the next request.
func (s *signer) token(ctx context.Context) (*auth.Token, error) {
	t, err := sqlkit.Within(ctx, s.cfg.ConnectTimeout, s.tokens.Token)
	if err != nil {
		return nil, signInError(s.cfg, err)
	}
	return t, nil
}

// RoundTrip implements http.RoundTripper.
func (s *signer) RoundTrip(r *http.Request) (*http.Response, error) {
	t, err := s.token(r.Context())
	if err != nil {
		return nil, err
	}
	// Every request may be repeated when its connection was dead: a job has an id.
	if r, err = network.Repeatable(r, nil); err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+t.Value)
	r.Header.Set("User-Agent", "loam/"+version)
	if s.cfg.QuotaProject != "" {
		r.Header.Set("X-Goog-User-Project", s.cfg.QuotaProject)
	}
	res, err := s.next.RoundTrip(r)
	if err != nil {
		return nil, final{err}
	}
	if err := googleapi.CheckResponse(res); err != nil {
		return nil, final{errors.Join(err, res.Body.Close())}
	}
	body, err := network.Body(res) // as the client does
	if err != nil {
		return nil, final{err}
	}
	if hear, ok := r.Context().Value(hearing{}).(func([]byte) error); ok {
		if err := hear(body); err != nil {
			return nil, odd(err)
		}
	}
	return res, nil
}

// final is an error of the transport. The client repeats a request by the text of its
// error, and by what errors.Unwrap finds in it, as long as its context lasts: a caller
// would learn that the time is over, and nothing of the cause. Whether to try again is
// the caller's to decide, by Error.Retry.
type final struct{ error }

// Error names no cause: nativeError reads the error inside.
func (f final) Error() string { return "the request failed" }

// Unwrap is for errors.Is and errors.As, and not for errors.Unwrap.
func (f final) Unwrap() []error { return []error{f.error} }

// hearing is the key of what reads the answers to a context's requests.
type hearing struct{}

// heard returns a context whose answers hear reads before the client does, for what the
// client's types leave out.
func heard(ctx context.Context, hear func(body []byte) error) context.Context {
	return context.WithValue(ctx, hearing{}, hear)
}

// plain reports whether requests go without encryption.
func (c *config) plain() bool { return strings.HasPrefix(c.Endpoint, "http://") }
