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
	Wire      Mode = "wire"       // the same behind gRPC, in one process
	Binary    Mode = "binary"     // a built program behind go-plugin's handshake
)

// Target is a connector and what only its author knows of it.
type Target struct {
	// Connector is checked in process and over the wire; Binary is the path of a
	// built program. One of them may be missing.
	Connector *sdk.Connector
	Binary    string
	// Command is the command line where another program runs Binary: "python3",
	// "connector.py"; nil = Binary without arguments.
	Command []string
	// Manifest is the path of the program's connector.json; "" = the program has a
	// command that writes it.
	Manifest string
	// Environment are further variables of the program, as "name=value".
	Environment []string
	// Offline: there is no server to connect to. Checks that need one are NotRun.
	Offline bool
	// Server says what the configuration leads to: "real PostgreSQL 15.18",
	// "fixture: …", "embedded SQLite".
	Server string
	// Address is where the server listens, as "host:port", and Through returns Config
	// for a server at another address: the suite stands between the two to break
	// connections. Configurations with the keys host and port need neither, nor do
	// embedded engines.
	Address string
	Through func(address string) sdk.Config
	// Config opens the fixture.
	Config sdk.Config
	// WrongSecret is Config with secrets that are refused; nil = every secret of
	// Config replaced. Unreachable leads to a server that is not there.
	WrongSecret, Unreachable *sdk.Config
	// Writer is Config with an account that may write, for the attacks: what a
	// reader lacks the rights for says nothing of the connector. nil = the account
	// of Config may write.
	Writer  *sdk.Config
	Fixture Fixture
	// Cases are statements with their whole answers or their errors.
	Cases []Case
	// RowsSQL returns a statement of exactly n rows whose first column holds the
	// integers 1 to n in order; the engine should not need to keep them all.
	RowsSQL func(n int) string
	// TextSQL returns a statement of one row whose first column is a TEXT of n
	// times the letter x.
	TextSQL func(n int) string
	// SlowSQL is a statement that runs for a minute or longer.
	SlowSQL string
	// SessionSQL returns the settings of the session that a statement could
	// change; "" = the engine has none.
	SessionSQL string
	// Attacks must change nothing, whatever the host's guard thinks of them; the
	// harmless ones among them must run. Corpus returns them for a dialect.
	Attacks []Attack
	// Reach are objects that hide writes, and the statements that name them; an
	// engine without views and functions skips the group "reach".
	Reach *Reach
	// Skips are checks ("group/check") and groups ("group") that are left out because
	// the engine has no such thing, each with the reason; SkipsBy are those that
	// somebody else stands in the way of.
	Skips   map[string]string
	SkipsBy map[Class]map[string]string

	// Modes are the only ones that are run; nil = all that the target has.
	Modes []Mode
	// Pace replaces how fast the engine has to follow.
	Pace Pace
	// ServerOptions are the wire's.
	ServerOptions []grpc.ServerOption
	// Named returns how the author writes a field of this struct, for messages; nil =
	// in Go.
	Named func(field string) string
	// Unsaid are the harmless statements of the corpus that the dialect has no words
	// for, as Unsaid returns them.
	Unsaid []string

	nth int // of the attacks alone runs on the server; 0 = every one
}

// fewer is nth where the server has met all attacks, or will.
const fewer = 10

// Attack is a statement that tries to change something, or only looks so. Needs
// and MinVersion are not looked at: Corpus chooses by them.
type Attack = corpus.Case

// Fixture is what the configured connection holds, and the ways around the
// connector to look at it.
type Fixture struct {
	// Tables are all that a scan must show. An empty NativeType, Default,
	// Definition or key name, a zero precision and scale, and a nil Properties
	// are not compared; estimates and fingerprints never are.
	Tables []sdk.Table
	// Warned are the objects about which a scan must warn.
	Warned []string
	// Reread reads all data and structure through a connection of its own and
	// returns a fingerprint of it.
	Reread func(context.Context) (string, error)
	// Running looks for SlowSQL among what the engine runs, through a connection
	// of its own.
	Running func(context.Context) (bool, error)
	// End ends SlowSQL in the server, and Disconnect every connection of Config's
	// account, through a connection of their own. They may be called when there is
	// nothing to end. An embedded engine has none.
	End, Disconnect func(context.Context) error
}

// Case is a statement and its answer.
type Case struct {
	Name   string
	SQL    string
	Params []sdk.Value
	// Columns and Rows are the whole answer; see the package's documentation for
	// the form of a cell.
	Columns []Column
	Rows    [][]any
	// AnyOrder: the rows may come in any order.
	AnyOrder bool
	// Error is what the statement fails with instead.
	Error *Failure
}

// Column is an expected column.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"` // as sdk.Type prints it
	// Native is compared when it is set.
	Native string `json:"native,omitempty"`
	// Digits is sdk.Column.TimeDigits.
	Digits int `json:"digits,omitempty"`
}

// Failure is an expected error. Code, Line and Column are compared when they
// are set; a syntax error needs a position anyhow.
type Failure struct {
	Kind   sdk.Kind `json:"kind"`
	Code   string   `json:"code,omitempty"`
	Line   int      `json:"line,omitempty"`
	Column int      `json:"column,omitempty"`
}

// onServer returns the attacks that run on the server: all, or every nth of those that
// harm and of those that do not.
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

// command is the command line of the built program; nil = there is none.
func (t *Target) command() []string {
	if len(t.Command) > 0 || t.Binary == "" {
		return t.Command
	}
	return []string{t.Binary}
}

// field returns how the author writes a field of a Target.
func (t *Target) field(name string) string {
	if t.Named != nil {
		return t.Named(name)
	}
	return "Target." + name
}

// harmless reports whether a statement of the attacks is one of the harmless.
func (t *Target) harmless(name string) bool {
	return slices.ContainsFunc(t.Attacks, func(a Attack) bool { return a.Harmless && a.Name == name })
}

// wrongSecret returns a configuration whose secrets are refused, or false when
// there is no secret that could be wrong.
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

// minSecret is the length below which a secret may stand in a text by chance.
const minSecret = 6

// secrets returns every secret that no text may show.
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
