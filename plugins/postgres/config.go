package postgres

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loam-data/loam/sdk"
)

// config is the configuration of a connection.
type config struct {
	Host             string     `json:"host" doc:"Host name, IP address, or the folder of the server's Unix socket" default:"localhost"`
	Port             int        `json:"port" doc:"TCP port, or the number in the socket's name" default:"5432" min:"1" max:"65535"`
	Database         string     `json:"database" doc:"Database to connect to" required:"true"`
	User             string     `json:"user" doc:"Role to log in as; a role that can only read is best" required:"true"`
	Password         sdk.Secret `json:"password" doc:"Password of the role"`
	SSLMode          string     `json:"sslmode" doc:"verify-full checks certificate and host name, verify-ca the certificate, require nothing; prefer uses TLS if the server offers it. Without a value: verify-full, but prefer for this very machine and disable for a socket" enum:"verify-full|verify-ca|require|prefer|disable"`
	SSLRootCert      string     `json:"sslrootcert" doc:"PEM file of the authorities to trust; without it, those of the system" format:"path"`
	SSLCert          string     `json:"sslcert" doc:"PEM file of the client's certificate" format:"path"`
	SSLKey           string     `json:"sslkey" doc:"PEM file of the client certificate's key" format:"path"`
	Schemas          []string   `json:"schemas" doc:"Schemas to scan; without it, all but the system's"`
	ApplicationName  string     `json:"application_name" doc:"Name that the server shows in pg_stat_activity" default:"loam"`
	StatementTimeout string     `json:"statement_timeout" doc:"Longest time for one statement in the server, such as 30s or 5m; requests may ask for less"`
	ConnectTimeout   string     `json:"connect_timeout" doc:"Longest time to connect" default:"10s"`
}

const (
	sslDisable    = "disable"
	sslPrefer     = "prefer"
	sslRequire    = "require"
	sslVerifyCA   = "verify-ca"
	sslVerifyFull = "verify-full"
)

// socket reports whether the host is the folder of a Unix socket.
func (c *config) socket() bool { return strings.HasPrefix(c.Host, "/") }

// loopback reports whether the host is this machine by its very name or address.
func (c *config) loopback() bool {
	if c.Host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(c.Host)
	return err == nil && ip.IsLoopback()
}

func (c *config) sslMode() string {
	switch {
	case c.socket():
		return sslDisable // the server offers no TLS there
	case c.SSLMode != "":
		return c.SSLMode
	case c.loopback():
		return sslPrefer
	default:
		return sslVerifyFull
	}
}

// duration reads an optional duration of the configuration; it was validated.
func duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0
	}
	return d
}

// decodeConfig reads and checks a whole configuration.
// Errors: KindInvalid that lists every problem.
func decodeConfig(c sdk.Config) (*config, error) {
	const hint = "correct the connection's configuration"
	cfg := &config{}
	if err := c.Decode(cfg); err != nil {
		return nil, sdk.AsError(err, sdk.SourceHost).WithHint(hint)
	}
	var problems []string
	for _, d := range cfg.problems() {
		if d.Severity == sdk.SeverityError {
			problems = append(problems, d.Path+": "+d.Summary)
		}
	}
	if len(problems) > 0 {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s", strings.Join(problems, "; ")).
			WithHint(hint)
	}
	return cfg, nil
}

func validateConfig(c sdk.Config) []sdk.Diagnostic {
	cfg := &config{}
	if err := c.Decode(cfg); err != nil {
		return []sdk.Diagnostic{{Severity: sdk.SeverityError, Summary: err.Error()}}
	}
	return cfg.problems()
}

// problems finds what the schema cannot say.
func (c *config) problems() []sdk.Diagnostic {
	var found []sdk.Diagnostic
	wrong := func(path, format string, args ...any) {
		found = append(found, sdk.Diagnostic{Severity: sdk.SeverityError, Path: path, Summary: fmt.Sprintf(format, args...)})
	}
	for _, t := range []struct{ path, text string }{
		{"connect_timeout", c.ConnectTimeout}, {"statement_timeout", c.StatementTimeout},
	} {
		if d, err := time.ParseDuration(t.text); t.text != "" && (err != nil || d < time.Millisecond) {
			wrong(t.path, "%q is no duration of a millisecond or more: write 30s or 5m", t.text)
		}
	}
	for path, value := range map[string]string{"host": c.Host, "database": c.Database, "user": c.User} {
		if strings.TrimSpace(value) == "" {
			wrong(path, "must not be empty")
		}
	}
	if slices.Contains(c.Schemas, "") {
		wrong("schemas", "has an empty name")
	}
	if c.SSLCert != "" && c.SSLKey == "" {
		wrong("sslkey", "is required with sslcert")
	}
	if c.SSLKey != "" && c.SSLCert == "" {
		wrong("sslcert", "is required with sslkey")
	}
	if c.socket() && c.SSLMode != "" && c.SSLMode != sslDisable && c.SSLMode != sslPrefer {
		wrong("sslmode", "%s is not possible over a Unix socket", c.SSLMode)
	}
	if !c.socket() && !c.loopback() && c.sslMode() != sslVerifyFull && c.sslMode() != sslVerifyCA {
		found = append(found, sdk.Diagnostic{
			Severity: sdk.SeverityWarning, Path: "sslmode",
			Summary: fmt.Sprintf("with %s nobody checks that %s is the real server", c.sslMode(), c.Host),
			Detail:  "Set sslmode to verify-full, and sslrootcert to the authority's PEM file if the system does not know it.",
		})
	}
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
	d.ConnectTimeout = duration(c.ConnectTimeout)
	d.Fallbacks, d.ValidateConnect, d.KerberosSpn, d.KerberosSrvName = nil, nil, "", ""
	d.RuntimeParams = c.parameters()
	d.MaxProtocolMessageBodyLen = maxMessageBytes
	tlsConfig, err := c.tls()
	if err != nil {
		return nil, err
	}
	d.TLSConfig = tlsConfig
	if c.sslMode() == sslPrefer && tlsConfig != nil {
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
