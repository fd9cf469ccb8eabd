package snowflake

import (
	"cmp"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"strconv"
	"strings"
	"time"

	"github.com/snowflakedb/gosnowflake"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// config is the configuration of a connection.
type config struct {
	Account   string   `json:"account" doc:"Account identifier, such as myorg-myaccount" url:"host" required:"true"`
	User      string   `json:"user" doc:"User to log in as" url:"user"`
	Database  string   `json:"database" doc:"Database to connect to, whose tables need no database in front" url:"database" required:"true"`
	Schema    string   `json:"schema" doc:"Schema whose tables need no schema in front; without it, the user's default or PUBLIC" url:"schema"`
	Databases []string `json:"databases" doc:"Databases to scan; without it, the connection's own" harmless:"true"`
	Warehouse string   `json:"warehouse" doc:"Warehouse that runs the statements; without it, the user's default"`
	Role      string   `json:"role" doc:"Role whose rights the statements have; one that can only read is best; without it, the user's default"`

	Authenticator    string        `json:"authenticator" doc:"How to log in; without it, by the secret that is given" enum:"password|key_pair|programmatic_token|oauth|external_browser"`
	Password         sdk.Secret    `json:"password" doc:"Password of the user" url:"password"`
	PrivateKey       sdk.Secret    `json:"private_key" doc:"Private key of the user, RSA in PEM, not encrypted"`
	Token            sdk.Secret    `json:"token" doc:"Programmatic access token of the user, or with authenticator oauth an access token"`
	IDToken          sdk.Secret    `json:"id_token" doc:"Token of a sign-in in a browser, with authenticator external_browser; loam connection login fetches it"`
	Host             string        `json:"host" doc:"Host name, where it is not the account's, such as one of a private link"`
	Port             int           `json:"port" doc:"TCP port" default:"443" min:"1" max:"65535"`
	Protocol         string        `json:"protocol" doc:"http is for a server on this machine alone" enum:"https|http" default:"https"`
	StatementTimeout time.Duration `json:"statement_timeout" doc:"Longest time for one statement in the service, such as 30s or 5m; requests may ask for less"`
	ConnectTimeout   time.Duration `json:"connect_timeout" doc:"Longest time to connect" default:"30s"`
}

const domain = ".snowflakecomputing.com"

// The ways to log in.
const (
	byPassword = "password"
	byKey      = "key_pair"
	byToken    = "programmatic_token"
	byOAuth    = "oauth"
	byBrowser  = "external_browser"
)

// account is the identifier alone, where the configuration has the host's name.
func (c *config) account() string {
	before, _, _ := strings.Cut(strings.ToLower(c.Account), ".snowflakecomputing.")
	return c.Account[:len(before)]
}

// host is the name to connect to.
func (c *config) host() string {
	if strings.Contains(strings.ToLower(c.Account), ".snowflakecomputing.") {
		return cmp.Or(c.Host, c.Account)
	}
	return cmp.Or(c.Host, c.Account+domain)
}

// method is how to log in, by the secret if the configuration does not say.
func (c *config) method() string {
	switch {
	case c.Authenticator != "":
		return c.Authenticator
	case !c.PrivateKey.IsZero():
		return byKey
	case !c.Token.IsZero():
		return byToken
	case !c.IDToken.IsZero():
		return byBrowser
	default:
		return byPassword
	}
}

// problems finds what the schema cannot say.
func (c *config) problems() []sdk.Diagnostic {
	var found sqlkit.Problems
	found.Wrong(strings.TrimSpace(c.account()) == "" || strings.ContainsAny(c.Account, "/: @"), "account", "must be an account identifier, such as myorg-myaccount")
	found.Require("database", c.Database)
	found.RequireNames("databases", c.Databases)
	found.Wrong(c.User == "" && c.method() != byOAuth, "user", "is required")
	found.Wrong(c.Protocol == "http" && !network.Loopback(c.host()), "protocol", "http is for a server on this machine alone: what is sent could be read on the way")
	key, given := map[string]string{byPassword: "password", byKey: "private_key", byToken: "token", byOAuth: "token"}[c.method()], false
	for path, secret := range map[string]sdk.Secret{"password": c.Password, "private_key": c.PrivateKey, "token": c.Token} {
		given = given || path == key && !secret.IsZero()
	}
	// The sign-in in a browser gives its token.
	found.Wrong(!given && c.method() != byBrowser, key, "is required for authenticator "+c.method())
	if c.method() == byKey && given {
		_, err := c.key()
		found.Wrong(err != "", "private_key", err)
	}
	return found
}

// key reads the private key, or says what is wrong with it.
func (c *config) key() (*rsa.PrivateKey, string) {
	block, _ := pem.Decode([]byte(c.PrivateKey.Reveal()))
	switch {
	case block == nil:
		return nil, "must be a private key in PEM"
	case strings.Contains(block.Type, "ENCRYPTED"), block.Headers["DEK-Info"] != "":
		return nil, "is encrypted: take the passphrase away with openssl pkcs8 -topk8 -nocrypt, and keep the key where only its owner reads it"
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, ""
	}
	any, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, isRSA := any.(*rsa.PrivateKey)
	if err != nil || !isRSA {
		return nil, "must be a private RSA key in PKCS #8 or PKCS #1"
	}
	return key, ""
}

// databases are those to scan.
func (c *config) databases() []string {
	if len(c.Databases) > 0 {
		return c.Databases
	}
	return []string{c.Database}
}

// authenticators are the driver's names for the ways to log in.
var authenticators = map[string]gosnowflake.AuthType{
	byPassword: gosnowflake.AuthTypeSnowflake, byKey: gosnowflake.AuthTypeJwt,
	byToken: gosnowflake.AuthTypePat, byOAuth: gosnowflake.AuthTypeOAuth, byBrowser: gosnowflake.AuthTypeExternalBrowser,
}

// driver returns the driver's configuration. Nothing is tried twice: what a moment
// may change the caller tries again. limit is in seconds.
func (c *config) driver(t *transport, limit int64) (*gosnowflake.Config, error) {
	d := &gosnowflake.Config{
		Account: c.account(), Host: c.host(), Port: c.Port, Protocol: c.Protocol,
		User: c.User, Password: c.Password.Reveal(), Token: c.Token.Reveal(), Authenticator: authenticators[c.method()],
		Database: c.Database, Schema: c.Schema, Warehouse: c.Warehouse, Role: c.Role,
		Application: "Loam", Transporter: t, DisableTelemetry: true, DisableOCSPChecks: true, MaxRetryCount: -1,
		Params: settings(limit),
	}
	if c.method() == byBrowser {
		if c.IDToken.IsZero() { // with none the driver would open a browser
			return nil, sdk.Errorf(sdk.KindUnauthenticated, sdk.SourceHost, "nobody has signed in yet").WithHint(signInAgain)
		}
		d.IDToken, d.ClientStoreTemporaryCredential = c.IDToken.Reveal(), gosnowflake.ConfigBoolFalse
	}
	if c.method() == byKey {
		key, wrong := c.key()
		if wrong != "" {
			return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "private_key: %s", wrong).WithHint("correct the connection's configuration")
		}
		d.PrivateKey = key
	}
	return d, nil
}

// settings are what texts, limits and names of a session depend on, whatever the
// account, the user or the database have set.
func settings(limit int64) map[string]*string {
	list := map[string]*string{}
	for name, value := range map[string]string{
		"MULTI_STATEMENT_COUNT":        "1",
		"STATEMENT_TIMEOUT_IN_SECONDS": strconv.FormatInt(limit, 10),
		"ABORT_DETACHED_QUERY":         "true",
		"QUERY_TAG":                    "loam",
		quotedFolding:                  "false",
		"TIMEZONE":                     "UTC",
		"TIMESTAMP_TYPE_MAPPING":       "TIMESTAMP_NTZ",
		"BINARY_INPUT_FORMAT":          "HEX",
		"BINARY_OUTPUT_FORMAT":         "HEX",
		"DATE_INPUT_FORMAT":            "AUTO",
		"DATE_OUTPUT_FORMAT":           "YYYY-MM-DD",
		"TIME_INPUT_FORMAT":            "AUTO",
		"TIME_OUTPUT_FORMAT":           "HH24:MI:SS.FF9",
		"TIMESTAMP_INPUT_FORMAT":       "AUTO",
		"TIMESTAMP_OUTPUT_FORMAT":      "YYYY-MM-DD HH24:MI:SS.FF9 TZHTZM",
		"TIMESTAMP_NTZ_OUTPUT_FORMAT":  "YYYY-MM-DD HH24:MI:SS.FF9",
		"TIMESTAMP_LTZ_OUTPUT_FORMAT":  "YYYY-MM-DD HH24:MI:SS.FF9 TZHTZM",
		"TIMESTAMP_TZ_OUTPUT_FORMAT":   "YYYY-MM-DD HH24:MI:SS.FF9 TZHTZM",
		"GEOGRAPHY_OUTPUT_FORMAT":      "WKT",
		"GEOMETRY_OUTPUT_FORMAT":       "WKT",
		"JSON_INDENT":                  "0",
		"CLIENT_SESSION_KEEP_ALIVE":    "false",
	} {
		list[name] = &value
	}
	return list
}

// quotedFolding is the setting that makes names in quotes fold as others do.
const quotedFolding = "QUOTED_IDENTIFIERS_IGNORE_CASE"
