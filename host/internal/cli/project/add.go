package project

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/cli/trust"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
)

// addition is the arguments that describe a new connection.
type addition struct {
	connection.Connection
	values map[string]string // by dotted key
	// location is a URL, a reference to one, a file or a folder; "" = the arguments name CONNECTOR
	// and KEY=VALUE.
	location string
}

func (a *commands) connectionAddCommand() *cobra.Command {
	var c connection.Connection
	cmd := &cobra.Command{
		Use:   "add ID CONNECTOR|URL|FILE|FOLDER [KEY=VALUE]...",
		Short: "Add a connection to loam.yaml",
		Long: `Add a connection to loam.yaml: by its URL, its database file or its folder of data
files, or by the name of its connector and the connector's configuration keys (see: loam
connector list).

A password in a URL is written to no file: your key ring keeps it, and loam.yaml refers to
it; without a key ring loam.yaml refers to a variable, which you set. env:NAME stands for
the URL in a variable. The id may be left out; the database then names the connection.

In a terminal and without arguments it asks: which connector, or a URL, a file or a folder;
a name for the connection; the keys that are usual, with their defaults. A secret is not shown
while it is typed, and goes where that of a URL does. What loam.yaml will have is shown, and
nothing is written before a yes.

KEY=VALUE are configuration keys, dotted where they nest (tls.cert=…); lists are separated
by commas, or JSON ('schemas=["a","b"]'). Beside a URL they come first. A secret is given by reference: env:NAME,
file:path, cmd:program or keyring:NAME (see: loam secret set). The keys are checked against
the connector's schema before anything is written. Files are opened at once; a server is
not contacted (see: loam connection test).`,
		Example: `  loam connection add
  loam connection add warehouse SCHEME://reader:secret@db.internal/analytics
  loam connection add warehouse env:DATABASE_URL
  loam connection add files data/shop.db
  loam connection add exports data/
  loam connection add warehouse CONNECTOR host=db.internal database=analytics user=reader password=env:PGPASSWORD`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && c.Path == "" && a.term.CanAsk() {
				return a.askConnection(cmd.Context(), c, a.term.Questions())
			}
			add, err := newAddition(cmd, c, args)
			if err != nil {
				return err
			}
			return a.addConnection(cmd.Context(), add)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&c.DisplayName, "display-name", "", "name shown to people")
	flags.StringVar(&c.Description, "description", "", "description of the warehouse, for agents")
	flags.StringVar(&c.Path, "path", "", "a connector binary of your own, with its manifest beside it")
	return cmd
}

// newAddition parses the arguments: [ID] URL, ID CONNECTOR, [ID] FILE, [ID] FOLDER, and KEY=VALUE.
func newAddition(cmd *cobra.Command, c connection.Connection, args []string) (addition, error) {
	add := addition{Connection: c}
	var words, pairs []string
	for _, arg := range args {
		switch {
		case isLocation(arg) && add.location == "":
			add.location = arg
		case isLocation(arg):
			return add, command.Usage(cmd, "more than one URL or file is given")
		case strings.Contains(arg, "="):
			pairs = append(pairs, arg)
		case strings.ContainsAny(arg, ":@"):
			return add, command.Usage(cmd, "an argument is neither an id, a connector, KEY=VALUE nor a URL that can be read")
		default:
			words = append(words, arg)
		}
	}
	const most = 2
	if len(words) > most {
		return add, command.Usage(cmd, "%q is not of the form key=value", words[most])
	}
	if len(words) == 1 && add.location == "" && isFolder(words[0]) {
		add.location, words = words[0], nil
	}
	if len(words) < most && add.location == "" {
		return add, command.Usage(cmd, "an id and a connector, a URL, a file or a folder are needed")
	}
	for i, word := range words {
		if i == 0 {
			add.ID = connection.ID(word)
		} else {
			add.Connector = word
		}
	}
	var err error
	add.values, err = command.KeyValues(cmd, pairs)
	return add, err
}

func (a *commands) addConnection(ctx context.Context, add addition) error {
	return a.open(ctx, func(services *Services) error {
		current, err := services.Project.Current(ctx)
		if err != nil {
			return err
		}
		c := add.Connection
		if c.Path != "" { // relative to the working folder
			if c.Path, err = filepath.Abs(c.Path); err != nil {
				return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "--path: %w", err)
			}
		}
		place, err := locate(ctx, services, current.Dir, add)
		if err != nil {
			return err
		}
		c.Connector = place.found.Name
		if c.ID == "" {
			c.ID = place.id()
		}
		return a.writeConnection(ctx, services, current, c, place, func(connection.Connection) error { return nil })
	})
}

// writeConnection adds a connection to loam.yaml, unless confirm returns an error for it.
func (a *commands) writeConnection(ctx context.Context, services *Services, current *project.Project, c connection.Connection, place place, confirm func(connection.Connection) error) error {
	if _, err := current.Connections.Get(c.ID); err == nil {
		return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "there is a connection %q already", c.ID).
			WithHint("choose another id, or remove it first: loam connection remove %s", c.ID)
	}
	var err error
	if c.Config, err = typedConfig(place.found.Description.ConfigSchema, place.values); err != nil {
		return err
	}
	c.Dir = current.Dir
	var secrets hiddenSecrets
	if err := secrets.hide(ctx, a, services, c.ID, c.Config, place.secrets); err != nil {
		return err
	}
	if err := confirm(c); err != nil {
		return err
	}
	if err := a.checkConfig(ctx, services, c, place.found); err != nil {
		return err
	}
	if connection.Local(place.found.Description.ConfigSchema) {
		trust.AcceptOwn(ctx, a.term, services.Trust, c, place.found)
		if err := a.openable(ctx, services, c); err != nil {
			return err
		}
	}
	if err := secrets.keep(ctx, a); err != nil {
		return unwritten(err)
	}
	written, err := project.Add(ctx, current.Dir, c)
	if err != nil {
		secrets.undo(context.WithoutCancel(ctx), a)
		return err
	}
	if c, err = written.Connections.Get(c.ID); err != nil {
		return err
	}
	trust.AcceptOwn(ctx, a.term, services.Trust, c, place.found)
	return a.added(current.File, c, secrets)
}

// openable tests a connection to files, which is fast, and returns the error of its first failed
// step. If it cannot be tested, it prints a warning.
func (a *commands) openable(ctx context.Context, services *Services, c connection.Connection) error {
	var failed *sdk.Error
	err := services.Test(ctx, c, func(s sdk.TestStep) {
		if s.Err != nil && failed == nil {
			failed = s.Err
		}
	})
	switch {
	case failed != nil:
		return unwritten(failed)
	case err != nil:
		a.term.Warn(err)
	}
	return nil
}

// unwritten adds to an error that loam.yaml was not changed.
func unwritten(err error) error {
	e := *sdk.AsError(err, sdk.SourceHost)
	const said = "nothing was written"
	if !strings.Contains(e.Hint, said) {
		e.Hint = strings.TrimSpace(e.Hint + "\n" + said + " to " + project.FileName)
	}
	return &e
}

// added reports a new connection.
func (a *commands) added(file string, c connection.Connection, secrets hiddenSecrets) error {
	if a.term.JSON {
		document := map[string]any{"added": c.ID, "connector": c.Connector}
		if len(secrets.references) > 0 {
			document["secrets"] = secrets.references
		}
		if len(secrets.variables) > 0 {
			document["unsetVariables"] = secrets.variables
		}
		return a.term.Document(document)
	}
	a.term.Infof("added %s to %s", c.ID, file)
	secrets.report(a.term)
	a.term.Infof("next: loam connection test %s", c.ID)
	return nil
}

// checkConfig checks a configuration without contacting the warehouse. A secret that cannot be
// resolved now is a warning, not an error: it may exist when it is needed.
func (a *commands) checkConfig(ctx context.Context, services *Services, c connection.Connection, found connector.Installed) error {
	if err := unknownKey(c.Connector, found.Description.ConfigSchema, c.Config); err != nil {
		return err
	}
	req, err := connection.OpenRequest(ctx, c, found.Description.ConfigSchema, unresolved{services.Secrets, a.term})
	if err != nil {
		return err
	}
	problems, err := services.Supervisor.ValidateConfig(ctx, found, req.Config)
	if err != nil {
		return err
	}
	var lines []string
	for _, p := range problems {
		if p.Severity == sdk.SeverityWarning {
			a.term.Infof("warning: %s: %s", p.Path, p.Summary)
			continue
		}
		lines = append(lines, p.Path+": "+p.Summary)
	}
	if len(lines) > 0 {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "connector %s does not take this configuration: %s", c.Connector, strings.Join(lines, "; ")).
			WithHint("correct the key=value arguments and try again; nothing was written")
	}
	return nil
}

// unresolved resolves references; for secrets that do not exist yet it returns a placeholder.
type unresolved struct {
	connection.Secrets
	term *terminal.Terminal
}

func (u unresolved) Resolve(ctx context.Context, reference string) (sdk.Secret, error) {
	value, err := u.Secrets.Resolve(ctx, reference)
	if err != nil {
		u.term.Infof("warning: %v", err)
		return sdk.NewSecret("not resolved yet"), nil
	}
	return value, nil
}
