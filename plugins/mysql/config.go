package mysql

import (
	"net"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// config is the configuration of a connection.
type config struct {
	Host     string     `json:"host" doc:"Host name, IP address, or the path of the server's Unix socket" url:"host" default:"localhost"`
	Port     int        `json:"port" doc:"TCP port" url:"port" default:"3306" min:"1" max:"65535"`
	Database string     `json:"database" doc:"Database to connect to, whose tables need no database in front" url:"database" required:"true"`
	User     string     `json:"user" doc:"Account to log in as; one that can only read is best" url:"user" required:"true"`
	Password sdk.Secret `json:"password" doc:"Password of the account" url:"password"`
	network.TLS
	SSH              network.SSH   `json:"ssh" doc:"SSH server to reach the server through"`
	Schemas          []string      `json:"schemas" doc:"Databases of the server to scan; without it, the connection's own" harmless:"true"`
	AllowFunctions   []string      `json:"allow_functions" doc:"Functions, views and tables that statements may use although they can leave the read-only transaction: name, or database.name"`
	StatementTimeout time.Duration `json:"statement_timeout" doc:"Longest time for one statement in the server, such as 30s or 5m; requests may ask for less"`
	ConnectTimeout   time.Duration `json:"connect_timeout" doc:"Longest time to connect" default:"10s"`
}

// urlMeanings are the form and the parameters of the driver for Go, and the modes of TLS of
// the server's own clients and of the driver for Java.
// Source: go-sql-driver/mysql, README, "DSN (Data Source Name)"; MySQL Reference Manual,
// "--ssl-mode"; Connector/J, "sslMode".
var urlMeanings = append([]sdk.URLMeaning{
	{Scheme: "tcp()"}, {Scheme: "unix()"},
	{Parameter: "tls", Value: "true", Keys: map[string]string{"sslmode": network.VerifyFull}},
	{Parameter: "tls", Value: "skip-verify", Keys: map[string]string{"sslmode": network.Require}},
	{Parameter: "tls", Value: "preferred", Keys: map[string]string{"sslmode": network.Prefer}},
	{Parameter: "tls", Value: "false", Keys: map[string]string{"sslmode": network.Disable}},
}, sslModes("ssl-mode", "sslMode")...)

// sslModes gives parameters the server's own words for the modes of TLS.
func sslModes(parameters ...string) (meanings []sdk.URLMeaning) {
	for _, parameter := range parameters {
		for _, mode := range [][2]string{
			{"DISABLED", network.Disable}, {"PREFERRED", network.Prefer}, {"REQUIRED", network.Require}, {"VERIFY_CA", network.VerifyCA}, {"VERIFY_IDENTITY", network.VerifyFull},
		} {
			meanings = append(meanings, sdk.URLMeaning{Parameter: parameter, Value: mode[0], Keys: map[string]string{"sslmode": mode[1]}})
		}
	}
	return meanings
}

// maxPacket bounds what is sent to the server: a statement and its parameters.
const maxPacket = 64 << 20

// sslMode is the mode in effect. On this very machine TLS is taken where the
// server has it.
func (c *config) sslMode() string { return c.Mode(c.Host, network.Prefer) }

// problems finds what the schema cannot say.
func (c *config) problems() []sdk.Diagnostic {
	var found sqlkit.Problems
	found.Require("database", c.Database)
	found.Require("host", c.Host)
	found.Require("user", c.User)
	found.RequireNames("schemas", c.Schemas)
	found.RequireNames("allow_functions", c.AllowFunctions)
	found = append(found, c.Problems(c.Host, c.sslMode())...)
	return append(found, c.SSH.Problems()...)
}

// schemas are the databases to scan.
func (c *config) schemas() []string {
	if len(c.Schemas) > 0 {
		return c.Schemas
	}
	return []string{c.Database}
}

// driver returns the driver's configuration, without the ways of the connection
// that a dialer adds. It lets the server read no file of this machine, sends no
// password as it is without TLS, and takes one statement at a time.
func (c *config) driver() (*mysql.Config, error) {
	d := mysql.NewConfig()
	d.User, d.Passwd, d.DBName = c.User, c.Password.Reveal(), c.Database
	d.Net, d.Addr = "tcp", net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
	if network.Socket(c.Host) {
		d.Net, d.Addr = "unix", c.Host
	}
	d.MaxAllowedPacket = maxPacket
	d.Logger = &mysql.NopLogger{} // what it would print is in the errors
	d.ConnectionAttributes = "program_name:loam"
	var err error
	d.TLS, err = c.Config(c.Host, c.sslMode())
	d.AllowFallbackToPlaintext = c.sslMode() == network.Prefer
	return d, err
}
