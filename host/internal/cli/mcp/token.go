package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/mcpserver"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/token"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

func (a *commands) tokenCommand() *cobra.Command {
	return command.Group("token", "Manage the tokens of the MCP server", a.tokenAddCommand(), a.tokenListCommand(), a.tokenRevokeCommand())
}

type tokenFlags struct {
	expires               string
	toolsets, connections []string
}

func (a *commands) tokenAddCommand() *cobra.Command {
	var f tokenFlags
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Make a token for a person or a program",
		Long: `Makes a token with which a client may use the MCP server of the project over HTTP, and
prints it once: only a digest is stored, in .loam/tokens.json. The name is the
caller in the history, in the log and in the tags of statements.

As soon as there is a token, the server requires one. With a restricted token, other tools
and connections are neither listed nor found. A running server accepts a new token at once.`,
		Example: `  loam token add ada
  loam token add ci --expires 90d --connections warehouse,crm --toolsets research
  export LOAM_MCP_TOKEN="$(loam token add laptop --expires 2026-12-31 --quiet)"`,
		Args: command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			expires, err := expiry(cmd, f.expires, time.Now())
			if err != nil {
				return err
			}
			t := token.Token{Name: args[0], Expires: expires, Grant: caller.Grant{Toolsets: f.toolsets, Connections: f.connections}}
			return a.open(cmd.Context(), func(services *Services) error { return a.addToken(cmd.Context(), services, t) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.expires, "expires", "", "time of expiry: 90d, 12h, 2026-12-31 (to its end, UTC) or 2026-12-31T12:00:00Z; default: until it is revoked")
	flags.StringSliceVar(&f.toolsets, "toolsets", nil, "restrict the token to these toolsets of the server")
	flags.StringSliceVar(&f.connections, "connections", nil, "restrict the token to these connections")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("connections", a.complete(connectionNames)))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("toolsets", a.complete(func(context.Context, *Services) ([]string, error) { return mcpserver.Toolsets() })))
	return cmd
}

// expiry reads --expires; "" is never.
func expiry(cmd *cobra.Command, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.DateOnly, text); err == nil {
		return at.AddDate(0, 0, 1), nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.UTC(), nil
	}
	if length, ok := project.ParseAge(text); ok && length > 0 {
		return now.Add(length).UTC().Truncate(time.Second), nil
	}
	return time.Time{}, command.Usage(cmd, "--expires %q is no time to come: write 90d, 12h, 2026-12-31 or 2026-12-31T12:00:00Z", text)
}

func connectionNames(ctx context.Context, services *Services) ([]string, error) {
	current, err := services.Project.Current(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, c := range current.Connections.All() {
		names = append(names, string(c.ID))
	}
	return names, nil
}

// tokenDocument is a token as --json prints it.
type tokenDocument struct {
	Name string `json:"name"`
	// Token is the secret, of one that was just made.
	Token       string     `json:"token,omitempty"`
	CreatedAt   time.Time  `json:"createdAt"`
	ExpiresAt   *time.Time `json:"expiresAt"`   // null = never
	Toolsets    []string   `json:"toolsets"`    // none = all
	Connections []string   `json:"connections"` // none = all
	Expired     bool       `json:"expired"`
	// Unknown are connections of it that are not configured by now.
	Unknown []string `json:"unknownConnections,omitempty"`
}

func newTokenDocument(t *token.Token) tokenDocument {
	d := tokenDocument{
		Name: t.Name, CreatedAt: t.Created, Toolsets: append([]string{}, t.Toolsets...), Connections: append([]string{}, t.Connections...),
		Expired: t.Expired(time.Now()),
	}
	if !t.Expires.IsZero() {
		d.ExpiresAt = &t.Expires
	}
	return d
}

func (a *commands) addToken(ctx context.Context, services *Services, t token.Token) error {
	known, err := connectionNames(ctx, services)
	if err != nil {
		return err
	}
	toolsets, err := mcpserver.Toolsets()
	if err != nil {
		return err
	}
	for _, asked := range []struct {
		what         string
		names, known []string
	}{{"connection", t.Connections, known}, {"toolset", t.Toolsets, toolsets}} {
		for _, name := range asked.names {
			if err := oneOf(asked.what, name, asked.known); err != nil {
				return err
			}
		}
	}
	secret, err := services.Tokens.Add(ctx, t)
	if err != nil {
		return err
	}
	set, err := services.Tokens.Current()
	if err != nil {
		return err
	}
	made := set.Find(token.Digest(secret.Reveal()))
	if made == nil {
		return sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "token %q was revoked in this moment", t.Name)
	}
	if a.term.JSON {
		d := newTokenDocument(made)
		d.Token = secret.Reveal()
		return a.term.Document(d)
	}
	if _, err := fmt.Fprintln(a.term.Out, secret.Reveal()); err != nil {
		return err
	}
	a.term.Infof("token %s%s: it is not shown again", t.Name, until(t.Expires))
	a.term.Infof("hand it to a client as %s in its environment, to which its configuration refers: loam agents setup, or", tokenVariable)
	a.term.Infof("  %s", clientConfig("http://HOST:PORT/mcp", true))
	return nil
}

// oneOf refuses a name that is none of those that are known.
func oneOf(what, name string, known []string) error {
	if slices.Contains(known, name) {
		return nil
	}
	err := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no %s %q", what, name)
	if len(known) == 0 {
		return err
	}
	err.Candidates = sqlkit.Nearest(name, known)
	return err.WithHint("choose from: %s", strings.Join(known, ", "))
}

func until(expires time.Time) string {
	if expires.IsZero() {
		return ", good until it is revoked"
	}
	return ", good until " + text.Clock(expires)
}

func (a *commands) tokenListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the tokens, without their secrets",
		Example: "  loam token list\n  loam token list --json",
		Args:    command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.open(cmd.Context(), func(services *Services) error { return a.listTokens(cmd.Context(), services) })
		},
	}
}

func (a *commands) listTokens(ctx context.Context, services *Services) error {
	current, err := services.Project.Current(ctx)
	if err != nil {
		return err
	}
	set, err := services.Tokens.Current()
	if err != nil {
		return err
	}
	all := []tokenDocument{}
	for _, t := range set.Tokens {
		d := newTokenDocument(t)
		for _, id := range t.Connections {
			if _, err := current.Connections.Get(connection.ID(id)); err != nil {
				d.Unknown = append(d.Unknown, id)
			}
		}
		all = append(all, d)
	}
	if a.term.JSON {
		return a.term.Document(map[string]any{"tokens": all})
	}
	if len(all) == 0 {
		a.term.Infof("there are no tokens: loam token add NAME makes one")
		if set.Kept {
			a.term.Infof("the server lets nobody in without one, as there was one; to undo that: loam mcp stop, remove %s, loam mcp start", services.Tokens.Path())
		}
		return nil
	}
	return a.printTokens(all)
}

func (a *commands) printTokens(all []tokenDocument) error {
	rows := make([][]string, len(all))
	for i, d := range all {
		expires := "never"
		switch {
		case d.Expired:
			expires = "expired " + text.Clock(*d.ExpiresAt)
		case d.ExpiresAt != nil:
			expires = text.Clock(*d.ExpiresAt)
		}
		rows[i] = []string{d.Name, text.Clock(d.CreatedAt), expires, allOr(d.Toolsets), allOr(d.Connections)}
	}
	if err := a.term.Table([]string{"NAME", "CREATED", "EXPIRES", "TOOLSETS", "CONNECTIONS"}, rows); err != nil {
		return err
	}
	for _, d := range all {
		if len(d.Unknown) > 0 {
			a.term.Infof("%s is for %s, which is not configured", d.Name, strings.Join(terminal.EscapeAll(d.Unknown), ", "))
		}
	}
	return nil
}

func allOr(names []string) string {
	if len(names) == 0 {
		return "all"
	}
	return strings.Join(names, ", ")
}

func (a *commands) tokenRevokeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke NAME…",
		Short: "Revoke tokens, and end what runs with them",
		Long: `Revokes the named tokens, all or none of them. A running server refuses further requests
with them, and ends their sessions, streams and calls within a second.`,
		Example:           "  loam token revoke ci",
		ValidArgsFunction: a.complete(tokenNames),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return command.Usage(cmd, "no token is named: %s", cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				if _, err := services.Project.Current(cmd.Context()); err != nil {
					return err
				}
				if err := services.Tokens.Revoke(cmd.Context(), args...); err != nil {
					return err
				}
				return a.term.Done(map[string]any{"revoked": args}, "revoked: %s", strings.Join(args, ", "))
			})
		},
	}
}

func tokenNames(_ context.Context, services *Services) ([]string, error) {
	set, err := services.Tokens.Current()
	return set.Names(), err
}

// complete completes words by names of the project; of one that cannot be read there
// are none.
func (a *commands) complete(names func(context.Context, *Services) ([]string, error)) cobra.CompletionFunc {
	return func(cmd *cobra.Command, given []string, begun string) (found []string, _ cobra.ShellCompDirective) {
		before := ""
		if i := strings.LastIndexByte(begun, ','); i >= 0 {
			before, begun = begun[:i+1], begun[i+1:]
		}
		_ = a.open(cmd.Context(), func(services *Services) error {
			all, err := names(cmd.Context(), services)
			for _, name := range all {
				if strings.HasPrefix(name, begun) && !slices.Contains(given, name) {
					found = append(found, before+name)
				}
			}
			return err
		})
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}
