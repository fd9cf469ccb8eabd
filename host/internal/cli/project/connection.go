package project

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/cli/trust"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
)

func (a *commands) connectionCommand() *cobra.Command {
	return command.Group("connection", "The configured warehouses",
		a.connectionAddCommand(), a.connectionListCommand(), a.connectionTestCommand(), a.connectionRemoveCommand())
}

func (a *commands) connectionAddCommand() *cobra.Command {
	var c connection.Connection
	cmd := &cobra.Command{
		Use:   "add ID CONNECTOR [KEY=VALUE]...",
		Short: "Add a connection to loam.yaml",
		Long: `Add a connection to loam.yaml. KEY=VALUE are the connector's configuration keys, dotted
where they nest (tls.cert=…); lists are separated by commas. A secret is given by
reference: env:NAME, keyring:NAME (see loam secret set), file:path or cmd:program. The
keys are checked against the connector's schema before anything is written; the
warehouse is not contacted.`,
		Example: `  loam connection add warehouse CONNECTOR host=db.internal database=analytics user=reader password=env:PGPASSWORD
  loam connection add files CONNECTOR path=data/files`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return command.Usage(cmd, "an id and a connector are needed")
			}
			values, err := command.KeyValues(cmd, args[2:])
			if err != nil {
				return err
			}
			c.ID, c.Connector = connection.ID(args[0]), args[1]
			return a.addConnection(cmd.Context(), c, values)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&c.DisplayName, "display-name", "", "a name for people")
	flags.StringVar(&c.Description, "description", "", "what the warehouse holds, for agents")
	flags.StringVar(&c.Path, "path", "", "a connector binary of your own, with its manifest beside it")
	return cmd
}

func (a *commands) addConnection(ctx context.Context, c connection.Connection, values map[string]string) error {
	return a.open(ctx, func(services *Services) error {
		current, err := services.Project.Current(ctx)
		if err != nil {
			return err
		}
		if c.Path != "" { // relative to where the command was typed
			if c.Path, err = filepath.Abs(c.Path); err != nil {
				return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "--path: %w", err)
			}
		}
		found, err := services.Connectors.Find(c.Connector, c.Path)
		if err != nil {
			return err
		}
		if c.Config, err = typedConfig(found.Description.ConfigSchema, values); err != nil {
			return err
		}
		c.Dir = current.Dir
		if err := a.checkConfig(ctx, services, c, found); err != nil {
			return err
		}
		written, err := project.Add(ctx, current.Dir, c)
		if err != nil {
			return err
		}
		if c, err = written.Connections.Get(c.ID); err != nil {
			return err
		}
		trust.AcceptOwn(ctx, a.term, services.Trust, c, found)
		if a.term.JSON {
			return a.term.Document(map[string]any{"added": c.ID})
		}
		a.term.Infof("added %s to %s", c.ID, current.File)
		a.term.Infof("next: loam connection test %s", c.ID)
		return nil
	})
}

// checkConfig checks a configuration without contacting the warehouse. A secret
// that cannot be resolved now is worth a word, not a refusal: it may be there
// when it is needed.
func (a *commands) checkConfig(ctx context.Context, services *Services, c connection.Connection, found connector.Installed) error {
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

// unresolved stands in for secrets that are not there yet.
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

func (a *commands) connectionListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the connections and what is known of them",
		Long:    "Lists the connections of loam.yaml with the state they were last seen in. No connector is started.",
		Example: "  loam connection list --json",
		Args:    command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				_, all, err := a.known(cmd.Context(), services)
				if err != nil {
					return err
				}
				if a.term.JSON {
					return a.term.Document(map[string]any{"connections": all})
				}
				if len(all) == 0 {
					a.term.Infof("no connections yet; add one: loam connection add ID CONNECTOR key=value…")
					return nil
				}
				rows := make([][]string, len(all))
				for i, c := range all {
					rows[i] = []string{string(c.ID), c.Connector, string(c.Status), c.DisplayName, c.Description}
				}
				return a.term.Table([]string{"ID", "CONNECTOR", "STATUS", "NAME", "DESCRIPTION"}, rows)
			})
		},
	}
}

func (a *commands) connectionRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "remove ID",
		Short:   "Remove a connection from loam.yaml",
		Example: "  loam connection remove warehouse",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, id := cmd.Context(), connection.ID(args[0])
			return a.open(ctx, func(services *Services) error {
				current, err := services.Project.Current(ctx)
				if err != nil {
					return err
				}
				if _, err := current.Connections.Get(id); err != nil {
					return err
				}
				if err := project.Remove(ctx, current.Dir, id); err != nil {
					return err
				}
				return a.term.Done(map[string]any{"removed": id}, "removed %s from %s", id, current.File)
			})
		},
	}
}

type stepDocument struct {
	Name       string            `json:"name"`
	OK         bool              `json:"ok"`
	Warning    bool              `json:"warning,omitempty"`
	ElapsedMs  float64           `json:"elapsedMs"`
	Detail     string            `json:"detail,omitempty"`
	Error      *terminal.Failure `json:"error,omitempty"`
	Statements []string          `json:"statements,omitempty"`
}

func (a *commands) connectionTestCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "test ID",
		Short: "Test a connection step by step",
		Long: `Tests a connection step by step: configuration, name resolution, TCP, TLS, login,
database, permission to read, inability to write, as far as they apply. Prints the
SQL with which an administrator makes a least-privilege reader where one is missing.`,
		Example: "  loam connection test warehouse",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				return a.testConnection(cmd.Context(), services, connection.ID(args[0]))
			})
		},
	}
}

func (a *commands) testConnection(ctx context.Context, services *Services, id connection.ID) error {
	current, err := services.Project.Current(ctx)
	if err != nil {
		return err
	}
	c, err := current.Connections.Get(id)
	if err != nil {
		return err
	}
	var steps []stepDocument
	var failed *sdk.Error
	err = services.Test(ctx, c, func(s sdk.TestStep) {
		steps = append(steps, newStepDocument(s))
		if s.Err != nil && failed == nil {
			failed = s.Err
		}
		if !a.term.JSON {
			a.printStep(s)
		}
	})
	if err != nil {
		return err
	}
	if a.term.JSON {
		if err := a.term.Document(map[string]any{"connection": id, "ok": failed == nil, "steps": steps}); err != nil {
			return err
		}
	}
	if failed != nil {
		return failed
	}
	a.term.Infof("next: loam sql -c %s \"select 1\"", id)
	return nil
}

func newStepDocument(s sdk.TestStep) stepDocument {
	d := stepDocument{Name: s.Name, OK: s.Err == nil, Warning: s.Warning, ElapsedMs: float64(s.Elapsed.Microseconds()) / 1000, Detail: s.Detail, Statements: s.Statements}
	if s.Err != nil {
		d.Error = terminal.NewFailure(s.Err)
	}
	return d
}

func (a *commands) printStep(s sdk.TestStep) {
	mark, detail := a.term.Style(a.term.Out, "32")("ok  "), s.Detail
	switch {
	case s.Err != nil:
		mark, detail = a.term.Style(a.term.Out, "31")("FAIL"), s.Err.Error()
	case s.Warning:
		mark = a.term.Style(a.term.Out, "33")("warn")
	}
	fmt.Fprintf(a.term.Out, "%s  %-9s %6s  %s\n", mark, s.Name, s.Elapsed.Round(100*time.Microsecond), detail)
	for _, statement := range s.Statements {
		fmt.Fprintf(a.term.Out, "        %s\n", statement)
	}
}

// configShape is the part of a connector's configuration schema that gives the
// texts of a command line their types.
type configShape struct {
	Type       string                 `json:"type"`
	Properties map[string]configShape `json:"properties"`
}

// typedConfig makes a configuration of dotted keys and texts. A key that the
// schema does not know is kept as text, for the check that follows to name.
func typedConfig(configSchema json.RawMessage, values map[string]string) (map[string]any, error) {
	var root configShape
	if err := json.Unmarshal(configSchema, &root); err != nil {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the connector's configuration schema is malformed: %w", err)
	}
	config := map[string]any{}
	for key, text := range values {
		at, shape := config, root
		parts := strings.Split(key, ".")
		for _, part := range parts[:len(parts)-1] {
			inner, ok := at[part].(map[string]any)
			if !ok {
				inner = map[string]any{}
				at[part] = inner
			}
			at, shape = inner, shape.Properties[part]
		}
		last := parts[len(parts)-1]
		at[last] = typedValue(shape.Properties[last].Type, text)
	}
	return config, nil
}

func typedValue(typ, text string) any {
	switch typ {
	case "array":
		if text == "" {
			return []any{}
		}
		var list []any
		for _, item := range strings.Split(text, ",") {
			list = append(list, strings.TrimSpace(item))
		}
		return list
	case "integer", "number", "boolean":
		var v any
		if json.Unmarshal([]byte(text), &v) == nil {
			return v
		}
	}
	return text
}
