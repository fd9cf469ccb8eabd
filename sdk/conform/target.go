package conform

import (
	"context"
	"maps"
	"slices"

	"google.golang.org/grpc"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform/corpus"
)

// Mode is a way to reach a connector.
type Mode string

const (
	InProcess Mode = "in_process" // the *sdk.Connector, called directly
	Wire      Mode = "wire"       // the same over gRPC, in one process
	Binary    Mode = "binary"     // a built program, started with go-plugin's handshake
)

// Target is a connector, and what only its author knows about it. A missing field
// fails the checks that need it, unless they are skipped.
type Target struct {
	// Connector is checked in process and over the wire, Binary is the path of a
	// built program. At least one of Connector, Binary and Command is needed.
	Connector *sdk.Connector
	Binary    string
	// Command is the command line if another program runs the connector: "python3",
	// "connector.py"; nil = Binary without arguments.
	Command []string
	// Manifest is the path of the program's connector.json; "" = the program prints
	// it with the command manifest.
	Manifest string
	// Environment are additional variables of the program, as "name=value".
	Environment []string
	// Offline says that there is no server. Checks that need one are NotRun.
	Offline bool
	// Server describes the server of Config. It begins with real, fixture (a test
	// server) or embedded: "real PostgreSQL 15.18".
	Server string
	// Address is the address of the server, as "host:port". Through returns Config
	// for another address, so that the suite can put a relay between them and break
	// connections. They are not needed for configurations with the keys host and
	// port, and for embedded engines.
	Address string
	Through func(address string) sdk.Config
	// Config is the configuration of the fixture.
	Config sdk.Config
	// WrongSecret is Config with secrets that the server refuses; nil = the suite
	// replaces every secret. Unreachable is valid, but names a server that does not
	// exist.
	WrongSecret, Unreachable *sdk.Config
	// Writer is Config with an account that may write, for the attacks: an attack that
	// fails for want of rights proves nothing about the connector. nil = the account of
	// Config may write.
	Writer  *sdk.Config
	Fixture Fixture
	// Cases are statements with their complete results or their errors.
	Cases []Case
	// RowsSQL returns a statement with exactly n rows whose first column is the
	// integers 1 to n in order, n from 0 to 500,000. The engine should stream them.
	RowsSQL func(n int) string
	// TextSQL returns a statement with one row whose first column is a TEXT of n
	// letters x.
	TextSQL func(n int) string
	// SlowSQL is a statement that runs for at least a minute.
	SlowSQL string
	// SessionSQL is a query that returns the settings of the session that a statement
	// could change; "" = the engine has none.
	SessionSQL string
	// Attacks are statements that must change nothing, even without the host's guard;
	// the harmless ones among them must run. Corpus returns them for a dialect.
	Attacks []Attack
	// Reach has objects that hide writes, and statements that name them. An engine
	// without views and functions skips the group "reach".
	Reach *Reach
	// Request runs one of Requests random requests of a host's semantic layer; nil = there is no
	// host and no group "semantic", which LevelFull requires.
	Request  Request
	Requests int
	// Skips are checks ("group/check") and groups ("group") to skip because the engine
	// does not have what they check, with the reason. SkipsBy are those to skip for
	// another Class of cause.
	Skips   map[string]string
	SkipsBy map[Class]map[string]string

	// Modes are the modes to run; nil = all that the target allows.
	Modes []Mode
	// Pace replaces the standard times.
	Pace Pace
	// ServerOptions are options of the gRPC server in mode Wire.
	ServerOptions []grpc.ServerOption
	// Named returns the author's name of a field of this struct, for messages; nil =
	// the Go name.
	Named func(field string) string
	// Unsaid are the names of the harmless statements of the corpus that the dialect
	// cannot express, as the function Unsaid returns them.
	Unsaid []string

	nth int // every nth attack runs on the server; 0 = all
}

// fewer is nth in a mode that does not have to run all attacks.
const fewer = 10

// Attack is a statement that tries to change something, or a harmless look-alike.
// The suite ignores Needs and MinVersion; Corpus selects by them.
type Attack = corpus.Case

// Fixture describes the content of the configured database, and gives access to the
// engine without the connector.
type Fixture struct {
	// Tables are all tables that a scan must return. An empty NativeType, Default,
	// Definition or key name, a zero precision and scale, and a nil Properties are not
	// compared; estimates and fingerprints never are.
	Tables []sdk.Table
	// Warned are the objects for which a scan must return a warning.
	Warned []string
	// Reread reads all data and structure through a connection of its own, and returns
	// a fingerprint: equal for equal content.
	Reread func(context.Context) (string, error)
	// Running reports whether the engine is running SlowSQL, through a connection of its
	// own.
	Running func(context.Context) (bool, error)
	// End ends SlowSQL in the server, Disconnect closes every connection of Config's
	// account, both through a connection of their own. They may be called when there is
	// nothing to end. nil for an embedded engine.
	End, Disconnect func(context.Context) error
}

// Case is a statement and its expected result or error.
type Case struct {
	Name   string
	SQL    string
	Params []sdk.Value
	// Columns and Rows are the complete result; see the package documentation for the
	// form of a cell.
	Columns []Column
	Rows    [][]any
	// AnyOrder compares the rows without their order.
	AnyOrder bool
	// Error is the expected error, instead of a result; nil = none.
	Error *Failure
}

// Column is an expected column.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"` // as sdk.Type prints it
	// Native is compared when it is set.
	Native string `json:"native,omitempty"`
	// Digits is compared with sdk.Column.TimeDigits, also if it is 0.
	Digits int `json:"digits,omitempty"`
}

// Failure is an expected error. Code, Line and Column are compared if they are set. A
// syntax error must have a position in any case.
type Failure struct {
	Kind   sdk.Kind `json:"kind"`
	Code   string   `json:"code,omitempty"`
	Line   int      `json:"line,omitempty"`
	Column int      `json:"column,omitempty"`
}

// onServer returns the attacks that run on the server: all, or every nth of the harmful and every
// nth of the harmless ones.
func (t *Target) onServer() []Attack {
	var some []Attack
	var seen [2]int
	for _, a := range t.Attacks {
		kind := 0
		if a.Harmless {
			kind = 1
		}
		if seen[kind]%max(t.nth, 1) == 0 {
			some = append(some, a)
		}
		seen[kind]++
	}
	return some
}

func (t *Target) modes() []Mode {
	if t.Modes != nil {
		return t.Modes
	}
	var modes []Mode
	if t.Connector != nil {
		modes = append(modes, InProcess, Wire)
	}
	if len(t.command()) > 0 {
		modes = append(modes, Binary)
	}
	return modes
}

// command returns the command line of the built program; nil = there is none.
func (t *Target) command() []string {
	if len(t.Command) > 0 || t.Binary == "" {
		return t.Command
	}
	return []string{t.Binary}
}

// field returns the author's name of a field, see Named.
func (t *Target) field(name string) string {
	if t.Named != nil {
		return t.Named(name)
	}
	return "Target." + name
}

// harmless reports whether the attack with a name is harmless.
func (t *Target) harmless(name string) bool {
	return slices.ContainsFunc(t.Attacks, func(a Attack) bool { return a.Harmless && a.Name == name })
}

// wrongSecret returns a configuration with wrong secrets; false when Config has no secret.
func (t *Target) wrongSecret() (sdk.Config, bool) {
	if t.WrongSecret != nil {
		return *t.WrongSecret, true
	}
	if len(t.Config.Secrets) == 0 {
		return sdk.Config{}, false
	}
	wrong := sdk.Config{JSON: t.Config.JSON, Secrets: map[string]sdk.Secret{}}
	for path := range t.Config.Secrets {
		wrong.Secrets[path] = sdk.NewSecret("canary-7f3a91c0-" + path)
	}
	return wrong, true
}

// minSecret is the shortest secret that is searched for: a shorter one can occur by chance.
const minSecret = 6

// secrets returns every secret that no text may contain.
func (t *Target) secrets() []string {
	found := map[string]bool{}
	add := func(c sdk.Config) {
		for _, s := range c.Secrets {
			if len(s.Reveal()) >= minSecret {
				found[s.Reveal()] = true
			}
		}
	}
	add(t.Config)
	if wrong, ok := t.wrongSecret(); ok {
		add(wrong)
	}
	for _, config := range []*sdk.Config{t.Unreachable, t.Writer} {
		if config != nil {
			add(*config)
		}
	}
	return slices.Sorted(maps.Keys(found))
}
