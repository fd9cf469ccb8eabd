package postgres

import (
	"cmp"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// config is the configuration of a connection.
type config struct {
	Host     string     `json:"host" doc:"Host name, IP address, or the folder of the server's Unix socket" url:"host" default:"localhost"`
	Port     int        `json:"port" doc:"TCP port, or the number in the socket's name" url:"port" default:"5432" min:"1" max:"65535"`
	Database string     `json:"database" doc:"Database to connect to" url:"database" required:"true"`
	User     string     `json:"user" doc:"Role to log in as; a role that can only read is best" url:"user" required:"true"`
	Password sdk.Secret `json:"password" doc:"Password of the role" url:"password"`
	network.TLS
	ChannelBinding      string        `json:"channel_binding" doc:"Whether the login is bound to the TLS channel, so that nobody in between can pass it on: require refuses servers without it" enum:"prefer|require|disable" default:"prefer"`
	SSH                 network.SSH   `json:"ssh" doc:"SSH tunnel to the server; host and port are then those that the SSH server sees"`
	Schemas             []string      `json:"schemas" doc:"Schemas to scan; without it, all but the system's" harmless:"true"`
	AllowFunctions      []string      `json:"allow_functions" doc:"Functions and views that may be reached although they can leave the read-only transaction: bare, with their schema, or all of a prefix with * at its end"`
	AllowForeignServers []string      `json:"allow_foreign_servers" doc:"Foreign servers whose tables may be read although they are not known to be read-only"`
	ApplicationName     string        `json:"application_name" doc:"Name that the server shows in pg_stat_activity" default:"loam" harmless:"true"`
	StatementTimeout    time.Duration `json:"statement_timeout" doc:"Longest time for one statement in the server, such as 30s or 5m; requests may ask for less"`
	ConnectTimeout      time.Duration `json:"connect_timeout" doc:"Longest time to connect" default:"10s"`
}

// socket reports whether the host is the folder of a Unix socket.
func (c *config) socket() bool { return network.Socket(c.Host) }

// sslMode returns the mode of TLS in effect.
func (c *config) sslMode() string { return c.Mode(c.Host, network.Prefer) }

// problems finds what the schema cannot say.
func (c *config) problems() []sdk.Diagnostic {
	var found sqlkit.Problems
	found.Require("host", c.Host)
	found.Require("database", c.Database)
	found.Require("user", c.User)
	found.RequireNames("schemas", c.Schemas)
	found.RequireNames("allow_functions", c.AllowFunctions)
	found.RequireNames("allow_foreign_servers", c.AllowForeignServers)
	found = append(found, c.TLS.Problems(c.Host, c.sslMode())...)
	found = append(found, c.SSH.Problems()...)
	slices.SortStableFunc(found, func(a, b sdk.Diagnostic) int { return cmp.Compare(a.Path, b.Path) })
	return found
}

// driver returns the driver's configuration. Nothing of it comes from the
// environment or from files of the user that runs the program.
func (c *config) driver() (*pgconn.Config, error) {
	// The driver wants a configuration that it parsed; all that it may have found
	// in the environment is replaced.
	d, err := pgconn.ParseConfig("host=localhost port=5432 user=x password=x dbname=x sslmode=disable")
	if err != nil {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "preparing the driver: %w", err)
	}
	d.Host, d.Port, d.Database, d.User = c.Host, uint16(c.Port), c.Database, c.User
	d.Password = c.Password.Reveal()
	d.ConnectTimeout, d.ChannelBinding = c.ConnectTimeout, c.ChannelBinding
	d.Fallbacks, d.ValidateConnect, d.KerberosSpn, d.KerberosSrvName = nil, nil, "", ""
	d.RuntimeParams = c.parameters()
	d.MaxProtocolMessageBodyLen = maxMessageBytes
	tlsConfig, err := c.TLS.Config(c.Host, c.sslMode())
	if err != nil {
		return nil, err
	}
	d.TLSConfig = tlsConfig
	if c.sslMode() == network.Prefer && tlsConfig != nil {
		d.Fallbacks = []*pgconn.FallbackConfig{{Host: d.Host, Port: d.Port}}
	}
	return d, nil
}

// parameters fix, for the whole session, what the text form of values depends
// on, whatever the role's own settings are.
func (c *config) parameters() map[string]string {
	return map[string]string{
		"application_name":            c.ApplicationName,
		"client_encoding":             "UTF8",
		"DateStyle":                   "ISO, YMD",
		"IntervalStyle":               "postgres",
		"TimeZone":                    "UTC",
		"standard_conforming_strings": "on",
	}
}
