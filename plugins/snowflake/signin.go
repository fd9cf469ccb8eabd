package snowflake

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/snowflakedb/gosnowflake"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// signIn is a sign-in in a browser. The driver has one, too, but it opens the browser
// itself, ends the process when its listener fails, and keeps the token in a file.
// Source: authexternalbrowser.go and auth.go of gosnowflake.
type signIn struct {
	cfg  *config
	http *http.Client
}

// loginData is the part of requests and answers of a login that a sign-in needs.
type loginData struct {
	AppID         string         `json:"CLIENT_APP_ID,omitempty"`
	AppVersion    string         `json:"CLIENT_APP_VERSION,omitempty"`
	Account       string         `json:"ACCOUNT_NAME,omitempty"`
	Login         string         `json:"LOGIN_NAME,omitempty"`
	Authenticator string         `json:"AUTHENTICATOR,omitempty"`
	Port          string         `json:"BROWSER_MODE_REDIRECT_PORT,omitempty"`
	Token         string         `json:"TOKEN,omitempty"`
	Proof         string         `json:"PROOF_KEY,omitempty"`
	Parameters    map[string]any `json:"SESSION_PARAMETERS,omitempty"`

	Address  string `json:"ssoUrl,omitempty"`
	ProofKey string `json:"proofKey,omitempty"`
	IDToken  string `json:"idToken,omitempty"`
	Validity int64  `json:"idTokenValidityInSeconds,omitempty"`
	Session  string `json:"token,omitempty"`
	User     string `json:"displayUserName,omitempty"`
}

// authenticate implements sdk.Connector.Authenticate: the service names the address of
// the account's identity provider, which sends the browser back to a listener of this
// process.
func authenticate(ctx context.Context, req sdk.OpenRequest, prompt func(sdk.Prompt) error) (sdk.Credentials, error) {
	cfg, err := sqlkit.Decode(req.Config, (*config).problems)
	if err != nil {
		return sdk.Credentials{}, err
	}
	t := newTransport()
	defer t.base.(*http.Transport).CloseIdleConnections()
	s := &signIn{cfg: cfg, http: &http.Client{Transport: t}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return sdk.Credentials{}, sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "no port for the browser to come back to: %w", err)
	}
	tokens := make(chan string, 1)
	server := &http.Server{Handler: comeBack(tokens), ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	defer func() {
		_ = server.Close() // it also closes the listener
		<-served
	}()
	first, err := s.post(ctx, "/session/authenticator-request", "", &loginData{Port: strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)})
	if err != nil {
		return sdk.Credentials{}, err
	}
	if err := prompt(sdk.Prompt{URL: first.Address}); err != nil {
		return sdk.Credentials{}, err
	}
	select {
	case token := <-tokens:
		return s.credentials(ctx, token, first.ProofKey)
	case err := <-served:
		served <- err
		return sdk.Credentials{}, sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the browser cannot come back: %w", err)
	case <-ctx.Done():
		return sdk.Credentials{}, sqlkit.ContextError(ctx)
	}
}

// comeBack receives the browser with the token of the identity provider.
func comeBack(tokens chan<- string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := r.URL.Query().Get("token")
		if r.Method != http.MethodGet || r.URL.Path != "/" || token == "" {
			http.NotFound(w, r)
			return
		}
		select {
		case tokens <- token:
		default: // a browser may load a page twice
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!DOCTYPE html><title>Loam</title><p>You have signed in. You can close this window.")) // the browser's loss
	})
}

// credentials exchanges the token of the browser for one that opens sessions for hours.
func (s *signIn) credentials(ctx context.Context, token, proof string) (sdk.Credentials, error) {
	got, err := s.post(ctx, loginPath, "", &loginData{Token: token, Proof: proof, Parameters: map[string]any{"CLIENT_STORE_TEMPORARY_CREDENTIAL": true}})
	if err != nil {
		return sdk.Credentials{}, err
	}
	_, closing := s.post(ctx, "/session?delete=true", got.Session, &loginData{})
	if got.IDToken == "" {
		return sdk.Credentials{}, errors.Join(sdk.Errorf(sdk.KindUnsupported, sdk.SourceWarehouse, "the account gives no token that outlives the sign-in").
			WithHint("have the administrator allow it: ALTER ACCOUNT SET ALLOW_ID_TOKEN = TRUE; or use private_key or a programmatic token"), closing)
	}
	c := sdk.Credentials{Secrets: map[string]sdk.Secret{"id_token": sdk.NewSecret(got.IDToken)}, User: got.User}
	if got.Validity > 0 {
		c.Expires = time.Now().Add(time.Duration(got.Validity) * time.Second)
	}
	return c, nil // a session that was not closed ends by itself
}

// post sends a request of a login, in a session or without one.
func (s *signIn) post(ctx context.Context, path, session string, data *loginData) (*loginData, error) {
	data.AppID, data.AppVersion, data.Account, data.Login, data.Authenticator = "Go", gosnowflake.SnowflakeGoDriverVersion, s.cfg.account(), s.cfg.User, "EXTERNALBROWSER"
	body, err := json.Marshal(map[string]any{"data": data})
	if err != nil {
		return nil, err
	}
	to := url.URL{Scheme: s.cfg.Protocol, Host: net.JoinHostPort(s.cfg.host(), strconv.Itoa(s.cfg.Port))}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String()+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}
	if session != "" {
		req.Header.Set("Authorization", `Snowflake Token="`+session+`"`)
	}
	res, err := s.http.Do(req)
	if err != nil {
		if known, ok := errors.AsType[*sdk.Error](err); ok {
			return nil, known
		}
		return nil, network.WebError(err)
	}
	defer func() { _ = res.Body.Close() }()
	var answer struct {
		Success       bool
		Code, Message string
		Data          loginData
	}
	if res.StatusCode != http.StatusOK {
		return nil, noAccount.Error(strconv.Itoa(res.StatusCode), "the service has no account "+s.cfg.account()+" at "+s.cfg.host(), nil)
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return nil, sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "the service's answer to the sign-in cannot be read: %w", err).WithHint("try again")
	}
	if !answer.Success {
		number, _ := strconv.Atoi(answer.Code) // else an unlisted one
		known, ok := numbers[number]
		if !ok {
			known = logIn
		}
		return nil, known.Error(answer.Code, answer.Message, nil)
	}
	return &answer.Data, nil
}
