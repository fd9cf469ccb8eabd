package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

func (a *commands) historyShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show <id>",
		Short: "Show all that is recorded of one call",
		Long:  "Shows all that is recorded of one call, by its id or by the incident that an error named.",
		Example: `  loam history show 4ZQ5LJ2XH7KWM
  loam history show --json 4ZQ5LJ2XH7KWM`,
		Args: command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withHistory(cmd.Context(), func(_ *project.Project, s *store.Store) error {
				return a.showCall(cmd.Context(), s, strings.ToUpper(args[0]))
			})
		},
	}
}

func (a *commands) showCall(ctx context.Context, s *store.Store, id string) error {
	calls, err := s.Calls(ctx, store.CallFilter{Key: id, Limit: 1})
	if err != nil {
		return err
	}
	if len(calls) == 0 {
		return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "no call %s is recorded", id).
			WithHint("see the calls: loam history --limit 0; old ones are forgotten")
	}
	c := calls[0]
	if a.term.JSON {
		return a.term.Document(newCallDocument(&c))
	}
	arguments := cmp.Or(c.Arguments, "not kept")
	for _, line := range [][2]string{
		{"id", c.Request},
		{"incident", c.Incident},
		{"time", c.Started.Format(time.RFC3339Nano)},
		{"tool", c.Tool},
		{"connection", c.Connection},
		{"outcome", c.Outcome},
		{"rows", rowsText(c)},
		{"bytes", strconv.Itoa(c.Bytes)},
		{"duration", c.Duration.String()},
		{"client", strings.TrimSpace(c.Client + " " + c.ClientVersion)},
		{"transport", c.Transport},
		{"principal", c.Principal},
		{"session", c.Session},
		{"arguments", fmt.Sprintf("%s (%s as sent)", arguments, text.Count(c.ArgumentsBytes, "byte"))},
	} {
		if line[1] == "" {
			continue
		}
		if _, err := fmt.Fprintf(a.term.Out, "%-11s %s\n", line[0], terminal.Escape(line[1])); err != nil {
			return err
		}
	}
	if c.Transport == "http" { // the log of others is their client's
		a.term.Infof("the log of this call: loam mcp logs -n 100000 | grep %s", c.Request)
	}
	return nil
}

// historyDocument is what history prints with --json.
type historyDocument struct {
	Off   bool           `json:"off"`
	Calls []callDocument `json:"calls"`
	Gaps  []gapDocument  `json:"gaps"`
}

type callDocument struct {
	ID             string          `json:"id"`
	Incident       string          `json:"incident,omitempty"`
	StartedAt      time.Time       `json:"startedAt"`
	ElapsedMs      float64         `json:"elapsedMs"`
	Tool           string          `json:"tool"`
	Connection     string          `json:"connection,omitempty"`
	Outcome        string          `json:"outcome"`
	Rows           *int            `json:"rows"` // null: no statement ran to its end
	Bytes          int             `json:"bytes"`
	Client         string          `json:"client,omitempty"`
	ClientVersion  string          `json:"clientVersion,omitempty"`
	Transport      string          `json:"transport"`
	Principal      string          `json:"principal"`
	Session        string          `json:"session,omitempty"`
	Arguments      json.RawMessage `json:"arguments"` // a string when it was cut; null: not kept
	ArgumentsBytes int             `json:"argumentsBytes"`
}

// gapDocument is a period of calls that are not recorded.
type gapDocument struct {
	From   time.Time `json:"from"`
	Until  time.Time `json:"until"`
	Calls  int       `json:"calls"`
	Reason string    `json:"reason"`
}

func newHistoryDocument(current *project.Project, calls []store.Call, gaps []store.CallGap) historyDocument {
	d := historyDocument{Off: current.History.Off, Calls: make([]callDocument, len(calls)), Gaps: make([]gapDocument, len(gaps))}
	for i := range calls {
		d.Calls[i] = newCallDocument(&calls[i])
	}
	for i, g := range gaps {
		d.Gaps[i] = gapDocument(g)
	}
	return d
}

func newCallDocument(c *store.Call) callDocument {
	d := callDocument{
		ID: c.Request, Incident: c.Incident, StartedAt: c.Started, ElapsedMs: float64(c.Duration.Microseconds()) / 1000, Tool: c.Tool,
		Connection: c.Connection, Outcome: c.Outcome, Bytes: c.Bytes, Client: c.Client, ClientVersion: c.ClientVersion,
		Transport: c.Transport, Principal: c.Principal, Session: c.Session, ArgumentsBytes: c.ArgumentsBytes,
	}
	if c.Rows != store.NoRows {
		d.Rows = &c.Rows
	}
	switch {
	case json.Valid([]byte(c.Arguments)):
		d.Arguments = json.RawMessage(c.Arguments)
	case c.Arguments != "":
		d.Arguments, _ = json.Marshal(c.Arguments) // a text is always JSON
	}
	return d
}
