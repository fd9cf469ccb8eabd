// Package serve turns a connector into a program. The whole main function is
//
//	func main() { serve.Main(connector) }
//
// Started by a host, the program serves the contract until the host ends it,
// closes its stdin or dies. Started by a person, it prints a help text and
// offers subcommands: check, manifest, query, scan, version and serve --debug. The
// conformance suite is not linked: check runs "loam connector check" on the
// program.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/loam-data/loam/sdk"
	_ "github.com/loam-data/loam/sdk/heap" // bounds the garbage
	"github.com/loam-data/loam/sdk/wire"
)

// Exit codes of the program.
const (
	exitOK     = 0
	exitFailed = 1 // what was asked for failed
	exitUsage  = 2 // the command line is wrong, or no host started the program
)

// Main serves c to the host that started the program, or runs the subcommand
// that a person typed. It does not return. A version as git describe prints it
// ("v1.2.0-3-gabc") becomes a semantic one.
func Main(c *sdk.Connector) {
	versioned := *c
	versioned.Version = semantic(c.Version)
	scrubber := &wire.Scrubber{}
	p := &program{
		connector: &versioned, name: filepath.Base(os.Args[0]), scrubber: scrubber,
		stdout: os.Stdout, stderr: &scrubbed{to: os.Stderr, scrubber: scrubber}, getenv: os.Getenv, executable: os.Executable,
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	os.Exit(p.run(context.Background(), os.Args[1:]))
}

// program is the connector's process as its commands see it.
type program struct {
	connector  *sdk.Connector
	name       string
	scrubber   *wire.Scrubber
	stdout     io.Writer
	stderr     io.Writer // scrubbed, and the process's own: see serve
	getenv     func(string) string
	executable func() (string, error)
}

// command is a subcommand. Its error is shown, unless it is errUsage, errHelp or errChecks.
type command struct {
	name, help, example string
	run                 func(*program, context.Context, []string) error
}

func commands() []command {
	return []command{
		{"check", "check that this program keeps the contract, with loam", "check --fixture check.yaml", (*program).check},
		{"manifest", "write connector.json for this binary", "manifest --output connector.json", (*program).manifest},
		{"query", "run one statement and print its rows as JSON lines", `query --config '{"password": "env:PASSWORD"}' "SELECT 1"`, (*program).query},
		{"scan", "print the tables of a warehouse as JSON lines", "scan --config config.json", (*program).scan},
		{"serve", "serve one developer's host, for a debugger", "serve --debug", (*program).debug},
		{"version", "print the version", "version", (*program).version},
	}
}

func (p *program) run(ctx context.Context, args []string) int {
	if len(args) == 0 {
		if p.getenv(wire.Handshake.MagicCookieKey) == wire.Handshake.MagicCookieValue {
			p.serve()
			return exitOK
		}
		p.explain()
		return exitUsage
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return p.report(c.run(p, ctx, args[1:]))
		}
	}
	p.explain()
	if help := strings.TrimLeft(args[0], "-"); help == "help" || help == "h" {
		return exitOK
	}
	p.complain("\n%s: unknown command %q\n", p.name, args[0])
	return exitUsage
}

// report shows an error with its hint and returns the exit code.
func (p *program) report(err error) int {
	switch {
	case err == nil, errors.Is(err, errHelp):
		return exitOK
	case errors.Is(err, errUsage):
		return exitUsage
	case errors.Is(err, errChecks):
		return exitFailed
	}
	e := sdk.AsError(err, sdk.SourceConnector)
	p.complain("%s: %v\n", p.name, e)
	if e.Hint != "" {
		p.complain("  %s\n", e.Hint)
	}
	return exitFailed
}

// complain writes to stderr, where there is nobody left to tell of a failure.
func (p *program) complain(format string, args ...any) {
	_, _ = fmt.Fprintf(p.stderr, format, args...)
}

func (p *program) explain() {
	c := p.connector
	name := c.DisplayName
	if name == "" {
		name = c.ID
	}
	p.complain("%s %s is the Loam connector for %s.\n\n", p.name, c.Version, name)
	p.complain("It is started by loam and has nothing to show by itself. To use it:\n\n")
	p.complain("  loam connection add <name> %s key=value ...\n\n", c.ID)
	p.complain("To try it without loam:\n\n")
	for _, c := range commands() {
		p.complain("  %-9s %s\n            %s %s\n", c.name, c.help, p.name, c.example)
	}
}

func (p *program) version(_ context.Context, args []string) error {
	if err := p.parse("version", nil, args, 0); err != nil {
		return err
	}
	d := p.connector.Describe()
	_, err := fmt.Fprintf(p.stdout, "%s %s (contract %d.%d, sdk %s)\n", d.ID, d.Version, wire.ProtocolVersion, d.ContractMinor, d.SDK)
	return err
}

var semver = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d+\.\d+\.\d+([-+].*)?$`) })

// semantic makes a semantic version of what a build put in: "v1.2.0" loses its
// v, and a bare commit or "dev" becomes a pre-release of nothing.
func semantic(version string) string {
	if bare := strings.TrimPrefix(version, "v"); semver().MatchString(bare) {
		return bare
	}
	word := regexp.MustCompile(`[^0-9A-Za-z.-]+`).ReplaceAllString(version, "-")
	if word = strings.Trim(word, "-."); word == "" {
		word = "dev"
	}
	return "0.0.0-" + word
}
