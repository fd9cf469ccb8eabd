package trust

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/trust"
	"github.com/loam-data/loam/sdk"
)

// trustFlags are those of `loam trust`; at most one of show, list and revoke.
type trustFlags struct {
	connection             string
	yes                    bool
	show, listAll, revoked bool
}

func (a *commands) trustCommand() *cobra.Command {
	var f trustFlags
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Show what a project would run or send, and allow it",
		Long: `Shows what the project would run or send, and asks once whether it may: programs that it
brings or names, servers that connections go to, the variables, files and programs that
secrets come from, files outside the project folder, the receiver of telemetry, the
language model of memory. Until a person has allowed them, the connections that need them
are refused; everything else of the project works. The command asks again about later
changes.

Permissions are stored on this machine, outside the project folder. Connections that loam
init, loam connection add and loam demo wrote on this machine need none. Without a person,
such as in CI, LOAM_TRUST=1 allows every project.`,
		Example: `  loam trust --show
  loam trust
  loam trust --connection warehouse --yes
  loam trust --revoke`,
		Args: command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.yes && (f.show || f.listAll || f.revoked) {
				return command.Usage(cmd, "--yes belongs to none of --show, --list and --revoke")
			}
			return a.open(cmd.Context(), func(services *Services) error { return a.trust(cmd, services, f) })
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.connection, "connection", "c", "", "only the requests of this connection")
	flags.BoolVarP(&f.yes, "yes", "y", false, "allow it without a question")
	flags.BoolVar(&f.show, "show", false, "only show the requests of the project")
	flags.BoolVar(&f.listAll, "list", false, "list the projects that are trusted on this machine")
	flags.BoolVar(&f.revoked, "revoke", false, "remove the permissions of this project")
	cmd.MarkFlagsMutuallyExclusive("show", "list", "revoke")
	return cmd
}

func (a *commands) trust(cmd *cobra.Command, services *Services, f trustFlags) error {
	ctx := cmd.Context()
	switch {
	case f.listAll:
		return a.trustList(services)
	case f.revoked:
		return a.trustRevoke(ctx, services)
	}
	current, err := services.Project.Current(ctx)
	if err != nil {
		return err
	}
	if f.connection != "" {
		if _, err := current.Connections.Get(connection.ID(f.connection)); err != nil {
			return err
		}
	}
	asked, err := ask(a.term, services, current, connection.ID(f.connection))
	if err != nil {
		return err
	}
	open := things(asked.items)
	if open == "" || f.show {
		return a.showTrust(services, current, asked)
	}
	if !f.yes || !a.term.JSON {
		if err := a.showTrust(services, current, asked); err != nil {
			return err
		}
	}
	if !f.yes {
		if yes, err := a.confirm(ctx, open); err != nil || !yes {
			a.term.Infof("nothing was allowed")
			return err
		}
	}
	return a.allow(ctx, services, current, asked, f)
}

// allow keeps what was shown, and nothing that the file says by now.
func (a *commands) allow(ctx context.Context, services *Services, current *project.Project, asked request, f trustFlags) error {
	if err := services.Trust.Accept(ctx, asksOf(asked.items), f.connection != ""); err != nil {
		return err
	}
	a.term.Infof("allowed %s; loam trust --revoke forgets it", things(asked.items))
	if !a.term.JSON {
		return nil
	}
	for i := range asked.items {
		asked.items[i].State, asked.items[i].Was = trust.StateTrusted, ""
	}
	return a.showTrust(services, current, asked)
}

func asksOf(items []trust.Item) []trust.Ask {
	asks := make([]trust.Ask, len(items))
	for i, item := range items {
		asks[i] = item.Ask
	}
	return asks
}

// confirm asks for a yes.
func (a *commands) confirm(ctx context.Context, open string) (bool, error) {
	if !a.term.CanAsk() {
		return false, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s would have to be allowed, and there is no terminal to ask on", open).
			WithHint("read what the project asks for, then allow it: loam trust --yes")
	}
	return a.term.Questions().Confirm(ctx, "Allow "+open+"?", false)
}

// things counts what is not allowed yet, "" = nothing.
func things(items []trust.Item) string {
	n := 0
	for _, i := range items {
		if i.State != trust.StateTrusted {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return text.Count(n, "thing")
}

func (a *commands) showTrust(services *Services, current *project.Project, asked request) error {
	if a.term.JSON {
		return a.term.Document(map[string]any{
			"project": current.Dir, "trusted": things(asked.items) == "" && len(asked.unknown) == 0,
			"everything": services.Trust.Everything, "asks": append([]trust.Item{}, asked.items...), "unknown": append([]connection.ID{}, asked.unknown...),
		})
	}
	if services.Trust.Everything {
		a.term.Infof("%s=1 is set: every project is allowed everything", trust.Variable)
	}
	if len(asked.items) == 0 {
		nothing := "nothing"
		if len(asked.unknown) > 0 {
			nothing = "nothing else"
		}
		a.term.Infof("%s asks for %s that has to be allowed", current.File, nothing)
		return nil
	}
	var rows [][]string
	for _, i := range asked.items {
		where := i.Where
		if i.Line > 0 {
			where = fmt.Sprintf("%s (line %d)", where, i.Line)
		}
		rows = append(rows, []string{string(i.State), where, i.What, i.Why})
		if i.Was != "" {
			rows = append(rows, []string{"  was", "", i.Was, ""})
		}
	}
	return a.term.Table([]string{"STATE", "WHERE", "WHAT", "WHY IT IS ASKED"}, rows)
}

func (a *commands) trustList(services *Services) error {
	all, err := services.Trust.List()
	if err != nil {
		return err
	}
	if a.term.JSON {
		return a.term.Document(map[string]any{"file": services.Trust.File, "projects": all})
	}
	if len(all) == 0 {
		a.term.Infof("no project is trusted with anything on this machine")
		return nil
	}
	var rows [][]string
	for _, f := range all {
		for _, r := range f.Allowed {
			rows = append(rows, []string{f.Project, r.Where, r.What, text.Clock(r.At)})
		}
	}
	return a.term.Table([]string{"PROJECT", "WHERE", "WHAT", "SINCE"}, rows)
}

func (a *commands) trustRevoke(ctx context.Context, services *Services) error {
	n, err := services.Trust.Revoke(ctx)
	if err != nil {
		return err
	}
	return a.term.Done(map[string]any{"revoked": n}, "%s forgotten; a running server refuses from its next call on", text.Count(n, "allowed thing"))
}

// request is what a project, or one connection of it, asks for.
type request struct {
	items []trust.Item
	// unknown are the connections whose connector is not found.
	unknown []connection.ID
}

// ask returns the request of the project, or of one connection, and prints why that of a
// connection is not known.
func ask(term *terminal.Terminal, services *Services, current *project.Project, only connection.ID) (request, error) {
	items, missing, err := services.Trust.Items(current, func(c connection.Connection) (connector.Installed, error) {
		return services.Connectors.Find(c.Connector, c.Path)
	})
	if err != nil {
		return request{}, err
	}
	if only != "" {
		items = slices.DeleteFunc(items, func(i trust.Item) bool { return i.Connection != only })
		maps.DeleteFunc(missing, func(id connection.ID, _ error) bool { return id != only })
	}
	asked := request{items: items, unknown: slices.Sorted(maps.Keys(missing))}
	for _, id := range asked.unknown {
		term.Infof("connection %s cannot be used, and what it asks for is not known: %s", id, terminal.EscapeText(missing[id].Error()))
	}
	return asked, nil
}

// Remind prints that the server of this project will refuse something.
func Remind(ctx context.Context, term *terminal.Terminal, services *Services) {
	current, err := services.Project.Current(ctx)
	if err != nil {
		return // nothing is served either, and whoever serves says why
	}
	asked, err := ask(term, services, current, "")
	if err != nil {
		term.Warn(err)
		return
	}
	if open := things(asked.items); open != "" {
		term.Infof("the project asks for %s that you have not allowed; the server refuses them until then: loam trust", open)
	}
}

// AcceptOwn keeps that the person wrote a connection. That it cannot be kept is worth a
// warning: loam trust asks then.
func AcceptOwn(ctx context.Context, term *terminal.Terminal, services *Services, c connection.Connection, with connector.Installed) {
	if err := services.Trust.AcceptOwn(ctx, c, with); err != nil {
		term.Warn(err)
	}
}

// AcceptAll keeps that this command wrote the whole project just now.
func AcceptAll(ctx context.Context, term *terminal.Terminal, services *Services) error {
	current, err := services.Project.Current(ctx)
	if err != nil {
		return err
	}
	asked, err := ask(term, services, current, "")
	if err != nil || things(asked.items) == "" {
		return err
	}
	return services.Trust.Accept(ctx, asksOf(asked.items), true)
}
