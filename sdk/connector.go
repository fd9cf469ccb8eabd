package sdk

import (
	"context"
	"time"

	"github.com/loam-data/loam/sdk/dialect"
)

// Connector is one kind of warehouse: everything about it that needs no
// connection, and the way to open one. It is the value that sdk/serve serves.
type Connector struct {
	// ID is "postgres" for a bundled connector, "acme/foodb" for others.
	ID string
	// Version is a semantic version without "v".
	Version     string
	DisplayName string
	License     string // SPDX expression
	// EnvPassthrough names environment variables of the host that the connector needs
	// beyond the allow-list (those of a cloud SDK, say). The user sees the list.
	EnvPassthrough []string
	Capabilities   Capabilities
	// Dialects, most specific first: the first whose product and version range
	// fit an open connection is its dialect; the last one must fit all.
	Dialects []dialect.Dialect
	// Config is the configuration's shape, made with ConfigOf.
	Config ConfigSpec
	// ValidateConfig checks rules that the schema cannot express, without any network.
	// Optional.
	ValidateConfig func(Config) []Diagnostic
	// Open opens a connection and proves that it works: when it returns, the
	// account and the server are known. It must not retry on its own.
	// Errors: KindInvalid, KindUnauthenticated, KindDenied, KindNotFound (a
	// database, a file), KindUnavailable, KindTimeout.
	Open func(context.Context, OpenRequest) (Session, error)
	// Test reports the staged checks of `connection test`, each step as it is
	// done. Optional: without it the steps are "config" and "open".
	Test func(context.Context, OpenRequest, func(TestStep)) error
	// Authenticate signs a person in, in a browser: it sends a Prompt for each action of
	// the person, waits for it and returns the credentials for the configuration. It
	// stores nothing. Optional.
	// Errors: KindUnauthenticated when the person declined, KindTimeout.
	Authenticate func(context.Context, OpenRequest, func(Prompt) error) (Credentials, error)
}

// Session is an open connection to a warehouse, with a pool of its own inside
// where the driver needs one.
// Concurrency: all methods may be called from several goroutines. Cancelling a context
// ends the work in the engine. The method returns after the engine confirmed that, or
// after 3 s without confirmation: the host waits for 5 s.
type Session interface {
	// Server returns the server's description as of the opening of the session. It does no
	// I/O.
	Server() ServerInfo
	// Ping proves with one round trip that the warehouse still answers. It never resumes a
	// suspended warehouse, and costs nothing.
	Ping(context.Context) error
	// Execute runs one read-only statement and writes its result to w: Columns
	// once, then rows. When w returns ErrLimit it stops reading, cancels the
	// rest in the engine and returns nil.
	// Errors: KindNotReadOnly from the engine's own refusal, whatever the text.
	Execute(ctx context.Context, req ExecuteRequest, w *RowWriter) error
	// Scan writes every table that the request selects, in any order. A schema or table
	// that cannot be read is a Warning, never a failure.
	Scan(ctx context.Context, req ScanRequest, w ScanWriter) (ScanSummary, error)
	// Close ends running calls and frees everything. Idempotent.
	Close(context.Context) error
}

// Explainer is a Session whose engine can show a plan without running it.
type Explainer interface {
	Explain(ctx context.Context, req ExplainRequest) (Explanation, error)
}

// Validator is a Session whose engine can check a statement without running
// it: plan or prepare only.
type Validator interface {
	Validate(ctx context.Context, req ValidateRequest) (Validation, error)
}

// Profiler is a Session that can sample a table and count its values.
type Profiler interface {
	Profile(ctx context.Context, req ProfileRequest, w ProfileWriter) error
}

// QueryLogger is a Session whose engine keeps a log of the queries it ran.
type QueryLogger interface {
	QueryLog(ctx context.Context, req QueryLogRequest, w QueryLogWriter) error
}

// QueryCanceler is a Session that can end a statement by the warehouse's id for it,
// whoever started it: statements of some warehouses outlive a crashed connector.
type QueryCanceler interface {
	// CancelQuery returns when the engine confirmed that the statement has ended, and
	// reports whether it was running. A statement that had ended before, or is unknown, is
	// no error.
	CancelQuery(ctx context.Context, queryID string) (wasRunning bool, err error)
}

// StateReporter is a Session whose warehouse may be suspended. State returns its state
// with one round trip that resumes nothing.
type StateReporter interface {
	State(ctx context.Context) (State, error)
}

// ReadOnlyLevel is the mechanism that stops a write without the host's guard.
type ReadOnlyLevel uint8

const (
	ReadOnlyUnspecified ReadOnlyLevel = iota
	ReadOnlyParser                    // only a check of the text
	ReadOnlySession                   // a session or transaction mode of the engine
	ReadOnlyEngine                    // the engine cannot write on this connection
)

func (l ReadOnlyLevel) String() string {
	switch l {
	case ReadOnlyParser:
		return "parser"
	case ReadOnlySession:
		return "session"
	case ReadOnlyEngine:
		return "engine"
	default:
		return "unspecified"
	}
}

// Capabilities are the abilities of a connector. Each optional ability is true exactly
// when its sessions implement the interface; conformance checks both.
type Capabilities struct {
	ReadOnly     ReadOnlyLevel // what keeps a statement from writing
	Explain      bool          // Explainer
	Validate     bool          // Validator
	Profile      bool          // Profiler
	QueryLog     bool          // QueryLogger
	CostEstimate bool          // Explanation carries bytes or money
	// ServerCancel: a cancelled context ends the statement in the engine.
	ServerCancel    bool
	IncrementalScan bool // ScanRequest.Since is honoured
	Params          bool // ExecuteRequest.Params is honoured
	// MaxStreams bounds the calls that run at once on one session; 0 = 8.
	MaxStreams int
	// MemoryBytes is set by a connector with an engine inside: the default of
	// OpenRequest.MemoryBytes for its connections. The host runs a process of such a
	// connector for each connection, unless its user shares one. 0 = no engine inside; a
	// connection gets 512 MiB.
	MemoryBytes int64
	// Features names additions of a later minor version of the contract.
	Features []string
	// Billing is the unit by which statements are charged.
	Billing     Billing
	CancelQuery bool // QueryCanceler
	// Authenticate: Connector.Authenticate is set.
	Authenticate bool
	// Tags are the rules for ExecuteRequest.Tags.
	Tags TagRules
}

// TagRules are an engine's rules for the tags of a statement. The host shortens tags and
// replaces characters to fit, and leaves out tags that cannot fit.
type TagRules struct {
	// MaxTags bounds the number of tags; 0 = the connector passes none on.
	MaxTags int
	// MaxKeyChars and MaxValueChars bound each, MaxBytes all together; 0 = no limit.
	MaxKeyChars, MaxValueChars, MaxBytes int
	// Characters are those beyond a to z, 0 to 9 and, unless LowerCase, A to Z; "*" = any.
	Characters string
	LowerCase  bool
}

// Billing is the unit by which a warehouse charges statements; "" = none or unknown.
type Billing string

const (
	BillingBytes Billing = "bytes"
	BillingTime  Billing = "time"
)

// OpenRequest asks for a session.
type OpenRequest struct {
	// ConnectionID is the host's; opening an open id again is a no-op.
	ConnectionID string
	Config       Config
	// MaxOpen bounds the physical connections; 0 = 4.
	MaxOpen int
	// IdleTimeout closes unused physical connections; 0 = 5 minutes.
	IdleTimeout time.Duration
	// StatementTimeout bounds each statement in the engine where a request
	// gives no limit of its own; 0 = 60 s.
	StatementTimeout time.Duration
	// MemoryBytes bounds the memory of the connection in the connector; 0 = 512 MiB. A
	// connector with the engine inside passes the bound to the engine. Where the system
	// can, the host limits the process to a quarter more than its connections' bounds and
	// 320 MiB (twice and 512 MiB without an engine inside): an allocation beyond that
	// fails and ends the call with an error or ends the process, which is KindLimit to the
	// call. The host also ends a process that uses twice its bounds.
	MemoryBytes int64
	// Resume: opening or testing may resume a suspended warehouse, which may be billed.
	Resume bool
}

// ServerInfo describes the server and the account of a session.
type ServerInfo struct {
	Product     string // "PostgreSQL", "MariaDB"
	Version     string // dotted numbers first: "15.18", "10.11.19-MariaDB"
	CurrentUser string
	Database    string
	// ReadOnly is the level this very connection reaches, with its mechanism in
	// the engine's words ("mode=ro, authorizer").
	ReadOnly          ReadOnlyLevel
	ReadOnlyMechanism string
	// Warnings name privileges of the account that a reader should not have.
	Warnings []Diagnostic
	// DefaultCatalog and DefaultSchema are searched first for a name without a qualifier;
	// "" = unknown.
	DefaultCatalog, DefaultSchema string
	// State is the state of the warehouse's compute.
	State State
	// Dialect is the session's dialect, where settings of the session, the account or the
	// database make it differ from the description's dialect for Product and Version.
	Dialect *dialect.Dialect
}

// DialectOf returns the session's own dialect, else the first described one that fits; nil
// when there are none.
func (i *ServerInfo) DialectOf(described []dialect.Dialect) *dialect.Dialect {
	if i.Dialect != nil {
		return i.Dialect
	}
	return dialect.Pick(described, i.Product, i.Version)
}

// State is whether a warehouse runs or has to be resumed; "" = unknown.
type State string

const (
	StateRunning   State = "running"
	StateSuspended State = "suspended"
	StateResuming  State = "resuming"
)

// TestStep is one staged check of a connection.
type TestStep struct {
	Name    string // "config", "dns", "ssh", "tcp", "tls", "login", "database", "compute", "read", "no_write"
	Elapsed time.Duration
	// Err is nil when the step passed; Detail then has the finding.
	Err    *Error
	Detail string
	// Warning marks a passed step that a person should look at.
	Warning bool
	// Statements mend the finding, in the warehouse's SQL, for its administrator to run:
	// they create a least-privilege reader or add a missing grant.
	Statements []string
}

// Prompt asks a person to sign in: open the URL and, where there is a code, enter it
// there.
type Prompt struct {
	URL, Code string
	Expires   time.Time // zero = unknown
}

// Credentials are the result of a sign-in.
type Credentials struct {
	// Secrets by dotted path of the configuration, as in Config.Secrets.
	Secrets map[string]Secret
	User    string
	Expires time.Time // zero = unknown
}

// Severity of a Diagnostic.
type Severity uint8

const (
	SeverityError Severity = iota + 1
	SeverityWarning
)

// Diagnostic is one finding about a configuration or an account.
type Diagnostic struct {
	Severity Severity
	Summary  string // one line
	Detail   string // what to do about it
	Path     string // the configuration key ("password"), or ""
}

// Progress is a best-effort report of a long call.
// Units: Done and Total count Unit ("tables", "rows", "bytes"); Total 0 is
// unknown; Done never falls.
type Progress struct {
	Phase   string
	Done    int64
	Total   int64
	Unit    string
	Message string
}

// Warning is a finding that did not stop the call.
type Warning struct {
	Object  string // the schema, table or column, or ""
	Code    string // native or one of the SDK's words
	Message string
}
