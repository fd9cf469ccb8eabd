package sqlserver

import (
	"context"
	"net"
	"strconv"
	"strings"
	"time"

	mssql "github.com/microsoft/go-mssqldb"
	"github.com/microsoft/go-mssqldb/msdsn"

	_ "github.com/microsoft/go-mssqldb/integratedauth/krb5" // the authenticator "krb5"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// The ways to log in.
const (
	authPassword = "password"
	authKerberos = "kerberos"
	authToken    = "token"
)

// config is the configuration of a connection.
type config struct {
	Host     string     `json:"host" doc:"Host name or IP address; of a named instance, with the port of the instance" url:"host" default:"localhost"`
	Port     int        `json:"port" doc:"TCP port" url:"port" default:"1433" min:"1" max:"65535"`
	Database string     `json:"database" doc:"Database to connect to, whose tables are scanned" url:"database" required:"true"`
	Auth     string     `json:"auth" doc:"password: login and password of SQL Server; kerberos: a ticket, a keytab or user@REALM with its password; token: a token of Microsoft Entra ID" enum:"password|kerberos|token" default:"password"`
	User     string     `json:"user" doc:"Account to log in as; one that can only read is best" url:"user"`
	Password sdk.Secret `json:"password" doc:"Password of the account" url:"password"`
	Token    sdk.Secret `json:"token" doc:"Access token of Microsoft Entra ID for https://database.windows.net, with auth: token"`
	Krb5     krb5       `json:"krb5" doc:"Kerberos, with auth: kerberos"`
	network.TLS
	Strict            bool          `json:"strict" doc:"Begin TLS before anything else, as TDS 8.0 has it (encrypt=strict); SQL Server 2022 and later"`
	ApplicationIntent string        `json:"application_intent" doc:"ReadOnly lets a listener choose a readable secondary, where the server refuses writes" enum:"ReadOnly|ReadWrite" default:"ReadOnly"`
	SSH               network.SSH   `json:"ssh" doc:"SSH server to reach the server through"`
	StatementTimeout  time.Duration `json:"statement_timeout" doc:"Longest time for one statement, such as 30s or 5m; requests may ask for less"`
	ConnectTimeout    time.Duration `json:"connect_timeout" doc:"Longest time to connect" default:"15s"`
}

type krb5 struct {
	Config string `json:"config" doc:"Configuration file; without it, KRB5_CONFIG or /etc/krb5.conf" format:"path"`
	Keytab string `json:"keytab" doc:"Keytab with the key of the user" format:"path"`
	Cache  string `json:"cache" doc:"File with a ticket; without it, KRB5CCNAME" format:"path"`
	SPN    string `json:"spn" doc:"Service principal of the server; without it, MSSQLSvc/host:port"`
}

// urlMeanings are the parameters of the drivers.
// Source: go-mssqldb, README, "Common parameters".
var urlMeanings = []sdk.URLMeaning{
	{Parameter: "encrypt", Value: "true", Keys: map[string]string{"sslmode": network.VerifyFull}},
	{Parameter: "encrypt", Value: "strict", Keys: map[string]string{"sslmode": network.VerifyFull, "strict": "true"}},
	{Parameter: "encrypt", Value: "false", Keys: map[string]string{"sslmode": network.Prefer}},
	{Parameter: "encrypt", Value: "disable", Keys: map[string]string{"sslmode": network.Disable}},
	{Parameter: "TrustServerCertificate", Value: "true", Keys: map[string]string{"sslmode": network.Require}},
	{Parameter: "trustservercertificate", Value: "true", Keys: map[string]string{"sslmode": network.Require}},
}

// sslMode is the mode in effect. On this very machine TLS is taken where the
// server has it.
func (c *config) sslMode() string { return c.Mode(c.Host, network.Prefer) }

// problems finds what the schema cannot say.
func (c *config) problems() []sdk.Diagnostic {
	var found sqlkit.Problems
	found.Require("host", c.Host)
	found.Require("database", c.Database)
	wrong := found.Wrong
	wrong(network.Socket(c.Host), "host", "must be a host name or an IP address")
	wrong(strings.Contains(c.Host, `\`), "host", "must not name an instance: set port to the port of the instance")
	wrong(c.Auth == authPassword && c.User == "", "user", "is required with auth: password")
	wrong(c.Auth == authToken && c.Token.Reveal() == "", "token", "is required with auth: token")
	wrong(c.Auth != authToken && c.Token.Reveal() != "", "token", "needs auth: token")
	wrong(c.Auth == authToken && c.sslMode() == network.Disable, "sslmode", "must not be disable with auth: token")
	wrong(c.Strict && c.sslMode() == network.Disable, "strict", "needs TLS: sslmode must not be disable")
	wrong(c.Auth != authKerberos && c.Krb5 != krb5{}, "krb5", "needs auth: kerberos")
	found = append(found, c.Problems(c.Host, c.sslMode())...)
	return append(found, c.SSH.Problems()...)
}

// driver returns the driver's connector for one attempt to connect: it goes where
// the dialer of the attempt goes, and resolves no names itself.
func (c *config) driver(at *stages, encryption msdsn.Encryption) (*mssql.Connector, error) {
	d := msdsn.Config{
		Host: c.Host, Port: uint64(c.Port), Database: c.Database, User: c.User, Password: c.Password.Reveal(),
		Encryption: encryption, Protocols: []string{"tcp"}, DialTimeout: -1, DisableRetry: true, AppName: "loam",
		ReadOnlyIntent: c.ApplicationIntent == "ReadOnly", Parameters: map[string]string{},
		Encoding: msdsn.EncodeParameters{GuidConversion: true, Timezone: time.UTC},
	}
	if encryption != msdsn.EncryptionDisabled {
		t, err := c.Config(c.Host, c.sslMode())
		if err != nil {
			return nil, err
		}
		d.TLSConfig = at.Watch(t)
		d.TLSConfig.DynamicRecordSizingDisabled = true
	}
	switch c.Auth {
	case authToken:
		return mssql.NewSecurityTokenConnector(d, func(context.Context) (string, error) { return c.Token.Reveal(), nil })
	case authKerberos:
		d.ServerSPN = c.Krb5.SPN
		if d.ServerSPN == "" {
			d.ServerSPN = "MSSQLSvc/" + net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
		}
		for key, value := range map[string]string{
			"authenticator": "krb5", "krb5-configfile": c.Krb5.Config, "krb5-keytabfile": c.Krb5.Keytab, "krb5-credcachefile": c.Krb5.Cache,
		} {
			d.Parameters[key] = value
		}
	}
	return mssql.NewConnectorConfig(d), nil
}
