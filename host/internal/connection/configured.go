// Package connection has the connections that loam.yaml configures: their settings,
// and the state in which each was last seen, which is known without asking a
// warehouse.
package connection

import (
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
)

// ID names a connection: the key in loam.yaml, the folder under
// semantic-layer/, the connectionId of every tool.
type ID string

// Validate reports an id that cannot be a folder name on every file system.
// Errors: KindInvalid.
func (id ID) Validate() error {
	if id.valid() {
		return nil
	}
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q is no connection id", string(id)).
		WithHint("use lower-case letters, digits, - and _, a letter first, at most 63 characters")
}

func (id ID) valid() bool {
	const longest = 63
	for i, c := range id {
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789_-", c)) {
			return false
		}
	}
	return 0 < len(id) && len(id) <= longest
}

// Isolation says whether connections of one connector share its process. ""
// leaves it to the connector: one with an engine inside runs a process for each.
type Isolation string

const (
	IsolationShared     Isolation = "shared"
	IsolationConnection Isolation = "connection" // a process of its own
)

// Defaults and bounds of the settings of loam.yaml.
const (
	DefaultTimeout     = 60 * time.Second
	DefaultConcurrency = 4
	MaxTimeout         = 24 * time.Hour
	MaxConcurrency     = 64
	DefaultMemory      = 512 << 20
	MinMemory          = 64 << 20
	MaxMemory          = 1 << 40
)

// Limits bound the statements of one connection. A zero field is not set.
type Limits struct {
	// Timeout of one statement, the wait for its session included.
	Timeout time.Duration
	// MaxRows bounds the rows of every result; 0 = the request decides.
	MaxRows int
	// Concurrency is how many statements run at once.
	Concurrency int
	// Memory is how many bytes the connection may use in its connector, for an engine
	// inside the connector.
	Memory int64
}

// OrDefault returns the limits with all but MaxRows filled in.
func (l Limits) OrDefault() Limits {
	if l.Timeout == 0 {
		l.Timeout = DefaultTimeout
	}
	if l.Concurrency == 0 {
		l.Concurrency = DefaultConcurrency
	}
	if l.Memory == 0 {
		l.Memory = DefaultMemory
	}
	return l
}

// Connection is one configured warehouse. A value is read-only once it is in a
// Registry.
type Connection struct {
	ID ID
	// Connector is the id of the connector program: "acme/foodb", or the bare
	// name of a bundled one.
	Connector string
	// Path is the connector's binary where the file names one, absolute.
	Path        string
	DisplayName string
	Description string
	// Config is the connector's configuration as written: strings, bools,
	// int64, uint64, float64, nil, lists and maps. Secrets in it are references.
	Config    map[string]any
	Limits    Limits
	Scan      Scan
	Isolation Isolation
	// Dir is the project folder, to which relative paths in Config relate.
	Dir string

	fingerprint func() string // of one in a Registry, which works it out once
}

// Name returns the display name, or the id where there is none.
func (c Connection) Name() string {
	if c.DisplayName != "" {
		return c.DisplayName
	}
	return string(c.ID)
}

// Isolated reports whether the connection asks for a connector process of its own.
func (c Connection) Isolated() bool { return c.Isolation == IsolationConnection }

// WithConfig returns the connection with another configuration.
func (c Connection) WithConfig(config map[string]any) Connection {
	c.Config, c.fingerprint = config, nil
	return c
}

// Fingerprint identifies the configuration that a session is opened with: it changes
// exactly when a session must be opened anew. State under another fingerprint is void.
// Shape: 32 hexadecimal digits. A secret's value has no part in it.
func (c Connection) Fingerprint() string {
	if c.fingerprint != nil {
		return c.fingerprint()
	}
	limits := c.Limits.OrDefault()
	return c.digest(c.Connector, c.Path, c.Config, c.Isolated(), c.Dir, limits.Timeout, limits.Concurrency, limits.Memory)
}
