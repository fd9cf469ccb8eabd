package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// maxTokenBytes bounds the answer of a token server.
const maxTokenBytes = 1 << 20

// parameter is a parameter of a challenge.
var parameter = text.Pattern(`([A-Za-z]+)=(?:"([^"]*)"|([^",\s]+))`)

// authorize gets the token for anybody that a challenge of the registry names.
// Errors: KindUnauthenticated where only an account gets one, KindUnavailable, KindDenied for an
// address that is not fetched.
// Source: distribution project, "Token Authentication Specification".
func (m *remote) authorize(ctx context.Context, challenges []string, method string) error {
	for _, challenge := range challenges {
		scheme, rest, _ := strings.Cut(strings.TrimSpace(challenge), " ")
		if !strings.EqualFold(scheme, "Bearer") {
			continue
		}
		named := map[string]string{}
		for _, found := range parameter().FindAllStringSubmatch(rest, -1) {
			named[strings.ToLower(found[1])] = found[2] + found[3]
		}
		realm, err := url.Parse(named["realm"])
		if err != nil || realm.Host == "" {
			return m.of.unreached(errors.New("the registry names no server of tokens"))
		}
		if err := m.follows(realm); err != nil {
			return err
		}
		query := realm.Query()
		query.Set("scope", m.scope(named["scope"], method))
		if named["service"] != "" {
			query.Set("service", named["service"])
		}
		realm.RawQuery = query.Encode()
		return m.token(ctx, realm)
	}
	return m.of.credentials()
}

// scope is the one that the registry asks for, or the one of the method.
func (m *remote) scope(asked, method string) string {
	switch {
	case asked != "":
		return asked
	case method == http.MethodGet || method == http.MethodHead:
		return "repository:" + m.of.Repository + ":pull"
	}
	return "repository:" + m.of.Repository + ":pull,push"
}

func (m *remote) token(ctx context.Context, at *url.URL) (err error) {
	m.authorization = ""
	answer, err := m.send(ctx, call{method: http.MethodGet, address: at})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	if answer.StatusCode != http.StatusOK {
		return m.of.answered(answer.StatusCode)
	}
	var got struct {
		Token       string `json:"token"`
		AccessToken string `json:"access_token"`
	}
	err = json.NewDecoder(io.LimitReader(answer.Body, maxTokenBytes)).Decode(&got)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return m.of.unreached(fmt.Errorf("the token cannot be read: %w", err))
	}
	if got.Token == "" {
		got.Token = got.AccessToken
	}
	if got.Token == "" {
		return m.of.credentials()
	}
	m.authorization = "Bearer " + got.Token
	return nil
}
