//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/loam-data/loam/sdk"
)

// signedInToken is what the sign-in gives, and what opens a connection.
const signedInToken = "tok-of-the-sign-in"

// account is what a connection with a sign-in can be given.
type account struct {
	Mode  string `json:"mode" doc:"How the sign-in ends." enum:"well|decline|expire|late|wait|nothing|foreign|file|unfit" default:"well"`
	OAuth struct {
		Token sdk.Secret `json:"token" doc:"What the sign-in gives."`
	} `json:"oauth" doc:"The sign-in."`
}

// signin is a connector that opens a connection by the token of its sign-in alone.
func signin() *sdk.Connector {
	c := chaos()
	c.ID, c.DisplayName, c.Config = "signin", "Sign-in", sdk.ConfigOf[account]()
	c.Capabilities.Authenticate = true
	c.Authenticate = authenticate
	c.ValidateConfig = func(config sdk.Config) (found []sdk.Diagnostic) {
		var a account
		if err := config.Decode(&a); err == nil && a.Mode == "unfit" && !a.OAuth.Token.IsZero() {
			found = append(found, sdk.Diagnostic{Severity: sdk.SeverityError, Path: "oauth.token", Summary: "does not fit"})
		}
		return found
	}
	c.Open = func(_ context.Context, req sdk.OpenRequest) (sdk.Session, error) {
		var a account
		if err := req.Config.Decode(&a); err != nil {
			return nil, err
		}
		if a.OAuth.Token.Reveal() != signedInToken {
			return nil, sdk.Errorf(sdk.KindUnauthenticated, sdk.SourceWarehouse, "the token is none").WithHint("sign in: loam connection login")
		}
		fmt.Fprintln(os.Stderr, "opened with "+signedInToken) // a careless connector's log
		return &session{}, nil
	}
	return c
}

func authenticate(ctx context.Context, req sdk.OpenRequest, say func(sdk.Prompt) error) (sdk.Credentials, error) {
	var a account
	if err := req.Config.Decode(&a); err != nil {
		return sdk.Credentials{}, err
	}
	if token := a.OAuth.Token; !token.IsZero() && token.Reveal() != signedInToken {
		return sdk.Credentials{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "a secret came that nobody has set")
	}
	p := sdk.Prompt{URL: "https://login.example/device", Code: "WDJB-MJHT", Expires: time.Date(2099, 1, 2, 3, 4, 5, 0, time.UTC)}
	switch a.Mode {
	case "late":
		p.Expires = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	case "file":
		p.URL = "file:///etc/passwd"
	}
	if err := say(p); err != nil {
		return sdk.Credentials{}, err
	}
	given := sdk.Credentials{User: "ada", Expires: time.Date(2099, 2, 3, 4, 5, 0, 0, time.UTC), Secrets: map[string]sdk.Secret{"oauth.token": sdk.NewSecret(signedInToken)}}
	switch a.Mode {
	case "decline":
		return sdk.Credentials{}, sdk.Errorf(sdk.KindUnauthenticated, sdk.SourceWarehouse, "the person declined")
	case "expire":
		return sdk.Credentials{}, sdk.Errorf(sdk.KindTimeout, sdk.SourceWarehouse, "the code has expired")
	case "late", "wait":
		<-ctx.Done()
		return sdk.Credentials{}, ctx.Err()
	case "nothing":
		given.Secrets = nil
	case "foreign":
		given.Secrets = map[string]sdk.Secret{"mode": sdk.NewSecret(signedInToken)}
	}
	return given, nil
}
