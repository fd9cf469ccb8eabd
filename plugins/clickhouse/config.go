package clickhouse

import (
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// config is the configuration of a connection.
type config struct {
	Host        string      `json:"host" doc:"Host name or IP address" url:"host" default:"localhost"`
	Protocol    string      `json:"protocol" doc:"native is ClickHouse's own protocol, with progress; http goes through proxies" enum:"native|http" default:"native"`
	Port        int         `json:"port" doc:"TCP port; without it, the one of the protocol: 9000 or with TLS 9440 for native, 8123 or with TLS 8443 for http" url:"port" min:"1" max:"65535"`
	Database    string      `json:"database" doc:"Database whose tables need no database in front" url:"database" default:"default"`
	User        string      `json:"user" doc:"Account to log in as; one that can only read is best" url:"user" default:"default"`
	Password    sdk.Secret  `json:"password" doc:"Password of the account" url:"password"`
	network.TLS             // sslmode and the files
	SSH         network.SSH `json:"ssh" doc:"SSH server to reach the server through"`

	Schemas          []string      `json:"schemas" doc:"Databases to scan; without it, all but the system's" harmless:"true"`
	AllowFunctions   []string      `json:"allow_functions" doc:"Functions, views, tables and dictionaries that statements may use although they can leave the server: name, or database.name"`
	Compression      string        `json:"compression" doc:"Compression of results on their way" enum:"lz4|none" default:"lz4" harmless:"true"`
	MaxMemory        int           `json:"max_memory_mb" doc:"Most memory that one statement may take in the server, in MiB; without it, the account's own limit" min:"1" harmless:"true"`
	StatementTimeout time.Duration `json:"statement_timeout" doc:"Longest time for one statement in the server, such as 30s or 5m; requests may ask for less"`
	ConnectTimeout   time.Duration `json:"connect_timeout" doc:"Longest time to connect" default:"10s"`
}

// urlMeanings are the schemes of the server's HTTP interface, and the parameters of its
// drivers for TLS.
var urlMeanings = []sdk.URLMeaning{
	{Scheme: "https", Keys: map[string]string{"protocol": protocolHTTP, "sslmode": network.VerifyFull}},
	{Scheme: "http", Keys: map[string]string{"protocol": protocolHTTP, "sslmode": network.Disable}},
	{Parameter: "secure", Value: "true", Keys: map[string]string{"sslmode": network.VerifyFull}},
	{Parameter: "secure", Value: "false", Keys: map[string]string{"sslmode": network.Disable}},
	{Parameter: "skip_verify", Value: "true", Keys: map[string]string{"sslmode": network.Require}},
	{Parameter: "skip_verify", Value: "false"},
}

const (
	protocolHTTP   = "http"
	compressionLZ4 = "lz4"
)

// sslMode returns the mode in effect; a server has TLS on a port of its own.
func (c *config) sslMode() string { return c.Mode(c.Host, network.Disable) }

func (c *config) http() bool { return c.Protocol == protocolHTTP }

// port returns the configured port, or the one that servers have by default.
func (c *config) port() int {
	secure := c.sslMode() != network.Disable
	switch {
	case c.Port != 0:
		return c.Port
	case c.http() && secure:
		return 8443
	case c.http():
		return 8123
	case secure:
		return 9440
	default:
		return 9000
	}
}

// problems finds what the schema cannot say.
func (c *config) problems() []sdk.Diagnostic {
	var found sqlkit.Problems
	found.Require("host", c.Host)
	found.Require("database", c.Database)
	found.Require("user", c.User)
	found.Wrong(network.Socket(c.Host), "host", "must be a name or an address: the server has no Unix socket for clients")
	found.RequireNames("schemas", c.Schemas)
	found.RequireNames("allow_functions", c.AllowFunctions)
	found.Wrong(c.SSLMode == network.Prefer, "sslmode", "prefer is not possible: a server has TLS on a port of its own. Choose require, verify-ca or verify-full")
	found = append(found, c.TLS.Problems(c.Host, c.sslMode())...)
	return append(found, c.SSH.Problems()...)
}
