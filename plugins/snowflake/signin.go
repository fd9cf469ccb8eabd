package snowflake

import (
	"context"
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
	over http.RoundTripper
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
	browser, err := network.NewBrowser(func(came url.Values) bool { return came.Get("token") != "" })
	if err != nil {
		return sdk.Credentials{}, err
	}
	defer browser.Close()
	s := &signIn{cfg: cfg, over: t}
	first, err := s.post(ctx, "/session/authenticator-request", "", &loginData{Port: strconv.Itoa(browser.Port())})
	if err == nil {
		err = prompt(sdk.Prompt{URL: first.Address})
	}
	if err != nil {
		return sdk.Credentials{}, err
	}
	came, err := browser.Wait(ctx)
	if err != nil {
		return sdk.Credentials{}, err
	}
	return s.credentials(ctx, came.Get("token"), first.ProofKey)
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
	to := url.URL{Scheme: s.cfg.Protocol, Host: net.JoinHostPort(s.cfg.host(), strconv.Itoa(s.cfg.Port))}
	header := http.Header{"Accept": {"application/json"}}
	if session != "" {
		header.Set("Authorization", `Snowflake Token="`+session+`"`)
	}
	var answer struct {
		Success       bool
		Code, Message string
		Data          loginData
	}
	switch status, err := network.PostJSON(ctx, s.over, to.String()+path, header, map[string]any{"data": data}, &answer); {
	case status == 0:
		return nil, network.WebError(err)
	case status != http.StatusOK:
		return nil, noAccount.Error(strconv.Itoa(status), "the service has no account "+s.cfg.account()+" at "+s.cfg.host(), nil)
	case err != nil:
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
