package mcp

import (
	"context"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/agents"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/cli/trust"
	"github.com/loam-data/loam/host/internal/daemon"
)

// DefaultURL is where loam mcp start serves unless told otherwise.
const DefaultURL = "http://127.0.0.1:7878/mcp"

type setupFlags struct {
	targets        []string
	scope, name    string
	transport, url string
	shared         string
	token          bool
	tokenGiven     bool
	write, print   bool
	force, dry     bool
}

func (a *commands) agentsSetupCommand() *cobra.Command {
	var f setupFlags
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Write the entry and the skill into MCP clients",
		Long: `Writes the entry of this project's MCP server, and the skill loam-analytics, into the
files where clients look; docs/clients.md lists them. Only the key loam is touched:
comments, order, indentation and everything else of the file stay as they are. All of
it is written, or nothing; a copy of each changed file is kept. A second time changes
nothing.

By default the clients that are found on this machine are set up, in the scope project; a
client without that scope in the one it has. With http an entry names the server that
loam mcp start runs, which many clients share; with stdio a client starts a server of
its own. The default is http while the server of the project runs, else stdio.

A server elsewhere is set up with --url alone, without a project here: for you, in every
folder. With --name a client can have several servers.

The token of the server is never written, only the name of its variable, LOAM_MCP_TOKEN.
An entry of opencode is shown, and written with --write; --print only shows every entry.`,
		Example: `  loam agents setup --dry-run
  loam agents setup --target vscode --print
  loam agents setup --target claude-code --url https://loam.example.com/mcp --token
  loam agents setup --target claude-code --scope local
  loam agents setup --target cursor --target codex --transport http`,
		Args: command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.agentsSetup(cmd, f) },
	}
	clients := agents.Names()
	flags := cmd.Flags()
	flags.StringArrayVar(&f.targets, "target", nil, "client: "+strings.Join(clients, ", ")+" (repeatable; default: those found)")
	flags.StringVar(&f.scope, "scope", "", "project (all who work in the folder), local (you, in the folder) or global (you, everywhere); default: project, where the client has it")
	flags.StringVar(&f.transport, "transport", "", "http or stdio (default: http while the server runs, else stdio)")
	flags.StringVar(&f.url, "url", "", "address of the server (default: that of the running server, else "+DefaultURL+")")
	flags.BoolVar(&f.token, "token", false, "have http entries send the token in LOAM_MCP_TOKEN (default: when that is set, or the running server asks for one)")
	flags.StringVar(&f.shared, "shared", "ask", "a project's file that names LOAM_MCP_TOKEN: ask, write or skip; without a terminal, ask writes it")
	flags.StringVar(&f.name, "name", agents.DefaultName, "name of the server in the client")
	flags.BoolVar(&f.print, "print", false, "show the entries, for editing by hand; write nothing")
	flags.BoolVar(&f.write, "write", false, "also write entries that are only shown by default")
	flags.BoolVar(&f.force, "force", false, "replace what somebody else wrote or edited; remove brings it back")
	flags.BoolVar(&f.dry, "dry-run", false, "show what would change as a diff; write nothing")
	cmd.MarkFlagsMutuallyExclusive("print", "write")
	cmd.MarkFlagsMutuallyExclusive("print", "dry-run")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("target", cobra.FixedCompletions(clients, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func (a *commands) agentsSetup(cmd *cobra.Command, f setupFlags) error {
	switch {
	case f.transport != "" && f.transport != string(agents.HTTP) && f.transport != string(agents.Stdio):
		return command.Usage(cmd, "--transport must be http or stdio")
	case f.shared != "ask" && f.shared != "write" && f.shared != "skip":
		return command.Usage(cmd, "--shared must be ask, write or skip")
	case f.transport == string(agents.Stdio) && (f.url != "" || f.token):
		return command.Usage(cmd, "--url and --token belong to --transport http")
	}
	if f.url != "" {
		var err error
		if f.url, err = serverURL(cmd, f.url); err != nil {
			return err
		}
	}
	f.tokenGiven = cmd.Flags().Changed("token")
	ctx := cmd.Context()
	return a.withAgents(ctx, f.url != "", func(services *Services, clients *agents.Agents) error {
		if len(f.targets) == 0 {
			for _, found := range clients.Found() {
				a.term.Infof("found %s: %s", found.Target, terminal.Escape(found.Why))
			}
		}
		done, err := a.setUp(ctx, services, clients, f)
		if err != nil {
			return err
		}
		if a.term.JSON {
			return a.term.Document(done)
		}
		return nil
	})
}

// Setup is what setting up clients did.
type Setup struct {
	Transport agents.Transport `json:"transport"`
	Found     []agents.Found   `json:"found"`
	reportDocument
	Next string `json:"next"`
}

// SetUp sets up the named clients, or without names those that are found, for the
// project of services, as loam agents setup does, and prints what it did.
// Errors: those of agents.Setup.
func SetUp(ctx context.Context, term *terminal.Terminal, services *Services, names []string) (*Setup, error) {
	clients, err := services.Agents()
	if err != nil {
		return nil, err
	}
	a := &commands{term: term}
	return a.setUp(ctx, services, clients, setupFlags{targets: names, name: agents.DefaultName, shared: "ask"})
}

func (a *commands) setUp(ctx context.Context, services *Services, clients *agents.Agents, f setupFlags) (*Setup, error) {
	server, running, err := serverFor(ctx, services, f)
	if err != nil {
		return nil, err
	}
	report, err := clients.Setup(ctx, agents.SetupRequest{
		Targets: targets(f.targets), Scope: agents.Scope(f.scope), Name: f.name, Server: server, Shared: a.sharedDecision(ctx, f.shared),
		Write: f.write, Print: f.print, Force: f.force, Dry: f.dry,
	})
	if err != nil {
		return nil, err
	}
	done := &Setup{server.Transport, append([]agents.Found{}, clients.Found()...), newReportDocument(report, f.dry), nextStep(server, running, f.url)}
	if a.term.JSON {
		return done, nil
	}
	or := ", or run the command with --write"
	if f.print {
		or = ""
	}
	if err := a.agentsReport(report, f.dry, or); err != nil {
		return nil, err
	}
	a.term.Infof("next: %s", done.Next)
	trust.Remind(ctx, a.term, services.Trust)
	return done, nil
}

// serverFor decides what entries say of the server.
func serverFor(ctx context.Context, services *Services, f setupFlags) (server agents.Server, running bool, err error) {
	phase, state, err := services.Daemon.Status(ctx)
	if err != nil {
		return server, false, err
	}
	running = phase == daemon.Running
	server.Transport = agents.Transport(f.transport)
	if f.transport == "" {
		server.Transport = agents.Stdio
		if running || f.url != "" {
			server.Transport = agents.HTTP
		}
	}
	if server.Transport == agents.Stdio {
		return server, running, nil
	}
	server.URL, server.Token = DefaultURL, os.Getenv(agents.TokenVariable) != ""
	if running {
		server.URL, server.Token = state.URL("/mcp"), state.Token
	}
	if f.url != "" {
		server.URL = f.url
	}
	if f.tokenGiven {
		server.Token = f.token
	}
	return server, running, nil
}

// serverURL checks an address that goes into files: a secret in it would too.
func serverURL(cmd *cobra.Command, text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "", command.Usage(cmd, "--url must be an address such as %s", DefaultURL)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", command.Usage(cmd, "--url must hold no user, password or parameters: it is written into files")
	}
	return u.String(), nil
}

// nextStep says how the server of the entries is started; setup does not.
func nextStep(s agents.Server, running bool, elsewhere string) string {
	switch {
	case elsewhere != "" && s.Token:
		return "start the client with " + agents.TokenVariable + " set: whoever runs the server makes a token with loam token add"
	case elsewhere != "":
		return "start the client"
	case s.Transport == agents.Stdio:
		return "start the client: it runs loam mcp stdio by itself, no server needs to be started"
	case running:
		return "start the client: the server runs already"
	case s.Token:
		return "start the server with loam mcp start, and start the client, with the same " + agents.TokenVariable + " set"
	}
	return "start the server with loam mcp start"
}

// sharedDecision decides about files that others will use.
func (a *commands) sharedDecision(ctx context.Context, how string) func(agents.Target, string) (bool, error) {
	if how != "ask" || !terminal.IsTerminal(a.term.In) || a.term.JSON || a.term.Quiet {
		return func(agents.Target, string) (bool, error) { return how != "skip", nil }
	}
	questions := a.term.Questions()
	return func(target agents.Target, file string) (bool, error) {
		questions.Sayf("%s is for everybody in the project, and names %s, which each of them must then set.", terminal.Escape(file), agents.TokenVariable)
		return questions.Confirm(ctx, "Write it for "+string(target)+"?", true)
	}
}
