package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
)

func (a *app) connectionCommand() *cobra.Command {
	return a.group("connection", "The configured warehouses",
		a.connectionAddCommand(), a.connectionListCommand(), a.connectionTestCommand(), a.connectionRemoveCommand())
}

func (a *app) connectionAddCommand() *cobra.Command {
	var c connection.Connection
	cmd := &cobra.Command{
		Use:   "add ID CONNECTOR [KEY=VALUE]...",
		Short: "Add a connection to loam.yaml",
		Long: `Add a connection to loam.yaml. KEY=VALUE are the connector's configuration keys, dotted
where they nest (tls.cert=…); lists are separated by commas. A secret is given by
reference: env:NAME, file:path or cmd:program. The keys are checked against the
connector's schema before anything is written; the warehouse is not contacted.`,
		Example: `  loam connection add warehouse postgres host=db.internal database=analytics user=reader password=env:PGPASSWORD
  loam connection add shop sqlite path=data/shop.db`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usageError(cmd, "an id and a connector are needed")
			}
			values, err := keyValues(cmd, args[2:])
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

func (a *app) addConnection(ctx context.Context, c connection.Connection, values map[string]string) error {
	return a.withRooms(ctx, func(rooms *Rooms) error {
		current, err := rooms.Project.Current(ctx)
		if err != nil {
			return err
		}
		found, err := rooms.Connectors.Find(c.Connector, c.Path)
		if err != nil {
			return err
		}
		if c.Config, err = typedConfig(found.Description.ConfigSchema, values); err != nil {
			return err
		}
		c.Dir = current.Dir
		if err := a.checkConfig(ctx, rooms, c, found); err != nil {
			return err
		}
		if err := project.AddConnection(ctx, current.Dir, c); err != nil {
			return err
		}
		if a.json {
			return a.document(map[string]any{"added": c.ID})
		}
		a.say("added %s to %s", c.ID, current.File)
		a.say("next: loam connection test %s", c.ID)
		return nil
	})
}

func (a *app) connectionListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the connections and what is known of them",
		Long:    "Lists the connections of loam.yaml with the state they were last seen in. No connector is started.",
		Example: "  loam connection list --json",
		Args:    exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withRooms(cmd.Context(), func(rooms *Rooms) error {
				all, err := rooms.Status(cmd.Context())
				if err != nil {
					return err
				}
				if a.json {
					return a.document(map[string]any{"connections": connectionDocuments(all)})
				}
				if len(all) == 0 {
					a.say("no connections yet; add one: loam connection add ID CONNECTOR key=value…")
					return nil
				}
				rows := make([][]string, len(all))
				for i, s := range all {
					rows[i] = []string{string(s.Connection.ID), s.Connection.Connector, string(s.State), s.Connection.Name(), s.Connection.Description}
				}
				return a.table([]string{"ID", "CONNECTOR", "STATUS", "NAME", "DESCRIPTION"}, rows)
			})
		},
	}
}

func (a *app) connectionRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "remove ID",
		Short:   "Remove a connection from loam.yaml",
		Example: "  loam connection remove warehouse",
		Args:    exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, id := cmd.Context(), connection.ID(args[0])
			return a.withRooms(ctx, func(rooms *Rooms) error {
				current, err := rooms.Project.Current(ctx)
				if err != nil {
					return err
				}
				if _, err := current.Connections.Get(id); err != nil {
					return err
				}
				if err := project.RemoveConnection(ctx, current.Dir, id); err != nil {
					return err
				}
				if a.json {
					return a.document(map[string]any{"removed": id})
				}
				a.say("removed %s from %s", id, current.File)
				return nil
			})
		},
	}
}

type stepDocument struct {
	Name       string           `json:"name"`
	OK         bool             `json:"ok"`
	Warning    bool             `json:"warning,omitempty"`
	ElapsedMs  float64          `json:"elapsedMs"`
	Detail     string           `json:"detail,omitempty"`
	Error      *failureDocument `json:"error,omitempty"`
	Statements []string         `json:"statements,omitempty"`
}

func (a *app) connectionTestCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "test ID",
		Short: "Test a connection step by step",
		Long: `Tests a connection step by step: configuration, name resolution, TCP, TLS, login,
database, permission to read, inability to write, as far as they apply. Prints the
SQL with which an administrator makes a least-privilege reader where one is missing.`,
		Example: "  loam connection test warehouse",
		Args:    exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withRooms(cmd.Context(), func(rooms *Rooms) error {
				return a.testConnection(cmd.Context(), rooms, connection.ID(args[0]))
			})
		},
	}
}

func (a *app) testConnection(ctx context.Context, rooms *Rooms, id connection.ID) error {
	current, err := rooms.Project.Current(ctx)
	if err != nil {
		return err
	}
	c, err := current.Connections.Get(id)
	if err != nil {
		return err
	}
	target, err := rooms.Target(c)
	if err != nil {
		return err
	}
	var steps []stepDocument
	var failed *sdk.Error
	err = rooms.Supervisor.TestConnection(ctx, target, func(s sdk.TestStep) {
		steps = append(steps, newStepDocument(s))
		if s.Err != nil && failed == nil {
			failed = s.Err
		}
		if !a.json {
			a.printStep(s)
		}
	})
	if err != nil {
		return err
	}
	if a.json {
		if err := a.document(map[string]any{"connection": id, "ok": failed == nil, "steps": steps}); err != nil {
			return err
		}
	}
	if failed != nil {
		return failed
	}
	a.say("next: loam sql -c %s \"select 1\"", id)
	return nil
}

func newStepDocument(s sdk.TestStep) stepDocument {
	d := stepDocument{Name: s.Name, OK: s.Err == nil, Warning: s.Warning, ElapsedMs: float64(s.Elapsed.Microseconds()) / 1000, Detail: s.Detail, Statements: s.Statements}
	if s.Err != nil {
		doc := errorDocument(s.Err, s.Err.Error())
		d.Error = &doc
	}
	return d
}

func (a *app) printStep(s sdk.TestStep) {
	mark, detail := a.style(a.out, "32")("ok  "), s.Detail
	switch {
	case s.Err != nil:
		mark, detail = a.style(a.out, "31")("FAIL"), s.Err.Error()
	case s.Warning:
		mark = a.style(a.out, "33")("warn")
	}
	fmt.Fprintf(a.out, "%s  %-9s %6s  %s\n", mark, s.Name, s.Elapsed.Round(100*time.Microsecond), detail)
	for _, statement := range s.Statements {
		fmt.Fprintf(a.out, "        %s\n", statement)
	}
}

type connectionDocument struct {
	ID          connection.ID `json:"id"`
	Connector   string        `json:"connector"`
	DisplayName string        `json:"displayName"`
	Description string        `json:"description,omitempty"`
	Status      string        `json:"status"`
}

func connectionDocuments(all []connection.Status) []connectionDocument {
	docs := make([]connectionDocument, len(all))
	for i, s := range all {
		docs[i] = connectionDocument{ID: s.Connection.ID, Connector: s.Connection.Connector, DisplayName: s.Connection.Name(), Description: s.Connection.Description, Status: string(s.State)}
	}
	return docs
}

// typedConfig gives the texts of the command line the types that the connector's
// schema asks for. What the schema does not know is kept as text, for the
// check that follows to name.
func typedConfig(configSchema json.RawMessage, values map[string]string) (map[string]any, error) {
	type shape struct {
		Type       string                     `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	config := map[string]any{}
	for key, text := range values {
		at, raw := config, configSchema
		parts := strings.Split(key, ".")
		for i, part := range parts {
			var s shape
			if err := json.Unmarshal(raw, &s); err != nil {
				return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the connector's configuration schema is malformed: %w", err)
			}
			raw = s.Properties[part]
			if raw == nil {
				raw = json.RawMessage(`{"type":"string"}`)
			}
			if i < len(parts)-1 {
				inner, ok := at[part].(map[string]any)
				if !ok {
					inner = map[string]any{}
					at[part] = inner
				}
				at = inner
				continue
			}
			if err := json.Unmarshal(raw, &s); err != nil {
				return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the connector's configuration schema is malformed: %w", err)
			}
			at[part] = typedValue(s.Type, text)
		}
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

// missingSecrets reports references to environment variables that are not set:
// worth saying when a connection is added, no reason to refuse it.
func missingSecret(reference string) bool {
	name, ok := strings.CutPrefix(reference, "env:")
	if !ok {
		return false
	}
	_, set := os.LookupEnv(name)
	return !set
}
