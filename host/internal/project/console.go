package project

import (
	"time"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/secret"
	"github.com/loam-data/loam/sdk"
)

// Console is the settings of the console in the browser; a zero field is the default.
type Console struct {
	// Off: the server has no console.
	Off bool
	// Token and ReaderToken are references to the secrets with which reviewers and readers sign in; "" = none. Nobody
	// has to trust them: the secrets are compared with what is typed and sent nowhere. "cmd:" is refused, because it
	// would run a program.
	Token, ReaderToken string
	// ReaderQuery: readers may run queries, too.
	ReaderQuery bool
	// Idle is the time after which an unused session ends; 0 = DefaultConsoleIdle.
	Idle time.Duration
}

const (
	// DefaultConsoleIdle is the time after which an unused session of the console ends.
	DefaultConsoleIdle = 8 * time.Hour
	minConsoleIdle     = 5 * time.Minute
	maxConsoleIdle     = 7 * 24 * time.Hour
)

// ConsoleLogin says how reviewers sign in to the console.
type ConsoleLogin string

// The logins.
const (
	// ConsoleClosed: the console is not served.
	ConsoleClosed ConsoleLogin = ""
	// ConsoleCode is by a code of `loam console`.
	ConsoleCode ConsoleLogin = "code"
	// ConsoleToken is by the token, and not by a code. Readers sign in with theirs.
	ConsoleToken ConsoleLogin = "token"
)

// LoginAt returns how reviewers sign in to the console of a server that listens on host. To other machines the console
// is served only with a token.
func (c *Console) LoginAt(host string) ConsoleLogin {
	switch {
	case c.Off:
		return ConsoleClosed
	case c.Token != "":
		return ConsoleToken
	case isLoopback(host):
		return ConsoleCode
	}
	return ConsoleClosed
}

// minConsoleToken is the least length of a token, in bytes: of hexadecimal digits, 16 are 64 bits.
const minConsoleToken = 16

// CheckConsoleTokens returns why the secrets of reviewers and readers would let in others than they should. server is the
// token of the MCP server; a zero secret is none.
// Errors: KindInvalid. They quote no secret.
func CheckConsoleTokens(reviewer, reader, server sdk.Secret) error {
	invalid := func(format string, args ...any) error {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, format, args...).WithHint("make another one where the server starts: openssl rand -hex 32")
	}
	for _, t := range []struct {
		key   string
		value sdk.Secret
	}{{"console.token", reviewer}, {"console.reader_token", reader}} {
		switch {
		case t.value.IsZero():
		case len(t.value.Reveal()) < minConsoleToken:
			return invalid("the secret of %s is shorter than %d characters", t.key, minConsoleToken)
		case t.value == server:
			return invalid("the secret of %s is the token of the MCP server, which its clients know", t.key)
		}
	}
	if !reader.IsZero() && reader == reviewer {
		return invalid("the secrets of console.token and console.reader_token are the same, so that readers would be reviewers")
	}
	return nil
}

func (d *decoder) console(n *yaml.Node, path string, into *Console) {
	enabled := true
	d.mapping(n, path, []key{
		{"enabled", false, func(n *yaml.Node, path string) { d.bool(n, path, &enabled) }},
		{"token", false, func(n *yaml.Node, path string) { d.consoleToken(n, path, &into.Token) }},
		{"reader_token", false, func(n *yaml.Node, path string) { d.consoleToken(n, path, &into.ReaderToken) }},
		{"reader_query", false, func(n *yaml.Node, path string) { d.bool(n, path, &into.ReaderQuery) }},
		{"idle", false, func(n *yaml.Node, path string) {
			d.age(n, path, maxConsoleIdle, &into.Idle)
			if 0 < into.Idle && into.Idle < minConsoleIdle {
				d.problem(n, path, "must be at least 5m, not %s", kindName(n))
			}
		}},
	}, "")
	into.Off = !enabled
	switch _, given := d.positions[join(path, "token")]; {
	case into.ReaderToken != "" && !given:
		d.problem(n, join(path, "reader_token"), "needs token beside it: without that, people sign in with a code of loam console, as reviewers")
	case into.ReaderToken != "" && into.Token == into.ReaderToken:
		d.problem(n, join(path, "reader_token"), "must refer to another secret than token: who knows it would be a reviewer")
	}
}

// consoleToken decodes a reference. No problem quotes the value: it may be the token itself.
func (d *decoder) consoleToken(n *yaml.Node, path string, into *string) {
	ref, ok := secret.Parse(n.Value)
	switch {
	case n.Kind != yaml.ScalarNode || !ok:
		d.problem(n, path, "must be a reference to a secret, such as env:NAME, keyring:NAME or file:path, never the token itself")
	case ref.Scheme == secret.Command:
		d.problem(n, path, "must be env:NAME, keyring:NAME or file:path: cmd: would run a program before anybody allowed it")
	default:
		*into = n.Value
	}
}
