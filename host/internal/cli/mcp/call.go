package mcp

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/history"
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
		return a.term.Document(history.NewDocument(&c))
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
	Off   bool               `json:"off"`
	Calls []history.Document `json:"calls"`
	Gaps  []gapDocument      `json:"gaps"`
}

// gapDocument is a period of calls that are not recorded.
type gapDocument struct {
	From   time.Time `json:"from"`
	Until  time.Time `json:"until"`
	Calls  int       `json:"calls"`
	Reason string    `json:"reason"`
}

func newHistoryDocument(current *project.Project, calls []store.Call, gaps []store.CallGap) historyDocument {
	d := historyDocument{Off: current.History.Off, Calls: make([]history.Document, len(calls)), Gaps: make([]gapDocument, len(gaps))}
	for i := range calls {
		d.Calls[i] = history.NewDocument(&calls[i])
	}
	for i, g := range gaps {
		d.Gaps[i] = gapDocument(g)
	}
	return d
}
