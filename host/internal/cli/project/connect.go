package project

import (
	"bufio"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/agents"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

// connectFlags are the flags of loam connect.
type connectFlags struct {
	name, variable string
	clients        []string
	noClients, yes bool
}

func (a *commands) connectCommand() *cobra.Command {
	var f connectFlags
	cmd := &cobra.Command{
		Use:   "connect [URL|FILE|FOLDER|CONNECTOR|-] [KEY=VALUE]...",
		Short: "Connect a warehouse: project, connection, scan and clients in one command",
		Long: `Connects a warehouse from nothing: makes the folder a project unless it is inside one, adds
the connection, tests it step by step, scans it, and sets up the MCP clients of this machine.
A test that fails says at which step, and nothing is written.

The scheme of the URL names the connector (see: loam connector list), a file is known by
its first bytes or its ending, and a folder is one of data files. Parameters of a URL that
the connector has no key for are refused by name. KEY=VALUE are further keys, as for loam
connection add. Without arguments the command asks, in a terminal.

A password is kept in your key ring. Without a key ring, or with --password-env, loam.yaml
refers to a variable that you set. It is in no file, and printed nowhere. An argument is in
the history of the shell, however: with - the URL is read from standard input, or asked for
without showing it; a URL without a password makes the command ask for one, in a terminal.

A second time the command updates the connection that leads to the same database and scans
it again; another database gets a connection of its own. In a terminal the command asks
before it sets up clients that were not named; --yes asks nothing.`,
		Example: `  loam connect SCHEME://reader@db.internal/analytics
  loam connect - --name warehouse
  loam connect SCHEME://reader@db.internal/analytics --password-env ANALYTICS_PASSWORD --yes --json
  loam connect data/shop.db --no-agents
  loam connect CONNECTOR host=db.internal database=analytics user=reader password=env:PGPASSWORD`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			add, err := a.connectArguments(cmd, args)
			if err != nil {
				return err
			}
			if add.location == "" && add.Connector == "" && !a.asks(f) {
				return command.Usage(cmd, "what to connect is not given").
					WithHint("write loam connect URL, loam connect FILE, loam connect FOLDER, loam connect CONNECTOR KEY=VALUE…, or loam connect - with the URL on standard input; see: loam connector list")
			}
			return a.open(cmd.Context(), func(services *Services) error {
				t := &attempt{commands: a, services: services, flags: f}
				t.typed = len(add.values) > 0 || add.location != "" && args[0] != "-"
				return t.run(cmd.Context(), add)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.name, "name", "", "id of the connection (default: from the database)")
	flags.StringVar(&f.variable, "password-env", "", "have loam.yaml refer to this variable for the password, instead of the key ring")
	flags.StringArrayVar(&f.clients, "client", nil, "MCP client to set up: "+strings.Join(agents.Names(), ", ")+" (repeatable; default: those found)")
	flags.BoolVar(&f.noClients, "no-agents", false, "set up no MCP client")
	flags.BoolVarP(&f.yes, "yes", "y", false, "ask nothing")
	cmd.MarkFlagsMutuallyExclusive("client", "no-agents")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("client", cobra.FixedCompletions(agents.Names(), cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func (f connectFlags) check(cmd *cobra.Command) error {
	if f.name != "" {
		if err := connection.ID(f.name).Validate(); err != nil {
			return err
		}
	}
	for _, name := range f.clients {
		if !slices.Contains(agents.Names(), name) {
			return command.Usage(cmd, "there is no client %q: %s", name, strings.Join(agents.Names(), ", "))
		}
	}
	if cmd.Flags().Changed("password-env") && !isVariable(f.variable) {
		return command.Usage(cmd, "--password-env needs the name of a variable: letters, digits and _")
	}
	return nil
}

func isVariable(name string) bool {
	odd := func(r rune) bool {
		return r != '_' && !('a' <= r && r <= 'z') && !('A' <= r && r <= 'Z') && !('0' <= r && r <= '9')
	}
	return name != "" && !strings.ContainsFunc(name, odd) && (name[0] < '0' || name[0] > '9')
}

// asks reports whether the command may ask questions.
func (a *commands) asks(f connectFlags) bool { return !f.yes && a.term.CanAsk() }

// connectArguments parses the arguments. Errors do not quote an argument that may contain a
// secret.
func (a *commands) connectArguments(cmd *cobra.Command, args []string) (add addition, err error) {
	if len(args) > 0 && (isLocation(args[0]) || !strings.Contains(args[0], "=")) {
		switch what := args[0]; {
		case what == "-":
			add.location, err = a.readURL(cmd)
		case isLocation(what), filepath.Ext(what) != "", strings.ContainsAny(what, `/\`), isFile(what), isFolder(what):
			add.location = what
		default:
			add.Connector = what
		}
		if err != nil {
			return add, err
		}
		args = args[1:]
	}
	if text := add.location; strings.ContainsAny(text, ":@") && !isLocation(text) && !isFile(text) && !isFolder(text) || strings.ContainsAny(add.Connector, ":@") {
		return add, command.Usage(cmd, "what to connect is neither a URL that can be read nor a file").
			WithHint("write SCHEME://USER:PASSWORD@HOST:PORT/DATABASE; in the password write / as %%2F, # as %%23, ? as %%3F, %% as %%25 and @ as %%40")
	}
	for _, arg := range args {
		if isLocation(arg) {
			return add, command.Usage(cmd, "more than one URL or file is given")
		}
	}
	add.values, err = command.KeyValues(cmd, args)
	return add, err
}

// maxURL bounds a URL that is read from standard input.
const maxURL = 64 << 10

// readURL reads a URL from standard input, or asks for it without showing it.
func (a *commands) readURL(cmd *cobra.Command) (string, error) {
	if a.term.CanAsk() {
		value, err := a.term.Questions().AskUnseen(cmd.Context(), "URL (not shown): ")
		if err != nil {
			return "", unwritten(err)
		}
		return strings.TrimSpace(value.Reveal()), nil
	}
	if terminal.IsTerminal(a.term.In) {
		return "", command.Usage(cmd, "the URL cannot be asked for with --json or --quiet: pipe it to the command")
	}
	lines := bufio.NewReader(io.LimitReader(a.term.In, maxURL))
	text, err := lines.ReadString('\n')
	rest, _ := io.ReadAll(lines)
	text = strings.TrimSpace(text)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return "", sdk.Errorf(sdk.KindUnavailable, sdk.SourceCaller, "the URL cannot be read from standard input: %w", err)
	case text == "":
		return "", command.Usage(cmd, "there is no URL on standard input")
	case strings.TrimSpace(string(rest)) != "":
		return "", command.Usage(cmd, "standard input has more than one line: it must have the URL alone")
	}
	return text, nil
}
