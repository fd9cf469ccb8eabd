package mcpserver

import (
	"context"
	_ "embed" // for the schemas
	"fmt"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/sdk"
)

var (
	//go:embed schema/connection_list.input.json
	connectionListInput string
	//go:embed schema/connection_list.output.json
	connectionListOutput string
)

// listTime bounds a call that only looks things up.
const listTime = 10 * time.Second

type connectionListAnswer struct {
	Connections []connectionEntry `json:"connections"`
}

// connectionEntry is what an agent needs of a connection; loam connection show has the rest.
type connectionEntry struct {
	ID connection.ID `json:"id"`
	// Name is that for people, where it is another one than the id.
	Name        string            `json:"name,omitempty"`
	Description string            `json:"description,omitempty"`
	Dialect     string            `json:"dialect,omitempty"`
	Status      connection.Status `json:"status"`
	Problem     string            `json:"problem,omitempty"`
	// Tables are those of the last snapshot, which was made at ScannedAt, in RFC 3339.
	Tables    int    `json:"tables,omitempty"`
	ScannedAt string `json:"scannedAt,omitempty"`
}

// Text implements tool.Texter.
func (a connectionListAnswer) Text() string {
	if len(a.Connections) == 0 {
		return "no connections: a person adds one with loam connection add"
	}
	lines := make([]string, len(a.Connections))
	for i, c := range a.Connections {
		facts := []string{string(c.ID)}
		if c.Dialect != "" {
			facts = append(facts, c.Dialect)
		}
		facts = append(facts, string(c.Status))
		if c.ScannedAt != "" {
			facts = append(facts, fmt.Sprintf("%d tables as of %s", c.Tables, c.ScannedAt))
		}
		lines[i] = strings.Join(facts, "; ")
		for _, about := range []string{c.Name, c.Description} {
			if about != "" {
				lines[i] += " -- " + strings.Join(strings.Fields(about), " ")
			}
		}
		if c.Problem != "" {
			lines[i] += "\n  problem: " + c.Problem
		}
	}
	return strings.Join(lines, "\n")
}

// connectionList answers from the configuration and what was last known; it
// starts no connector.
func connectionList(c Config) tool.Definition[struct{}, connectionListAnswer] {
	return tool.Definition[struct{}, connectionListAnswer]{
		Name: "connection_list", Title: "Connection List", Toolset: toolsetResearch, Command: "loam connection list",
		Description: "List the configured data warehouses: the id that other tools take as connectionId, the SQL dialect to write, " +
			"what it holds, whether it can be used. Call this first. Nothing is started.",
		Hints: tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input: connectionListInput, Output: connectionListOutput,
		Example:  `{}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, _ struct{}) (connectionListAnswer, error) {
			registry, err := c.Warehouses.Connections(ctx)
			if err != nil {
				return connectionListAnswer{}, err
			}
			entries := []connectionEntry{}
			for _, configured := range registry.All() {
				w := c.Warehouses.Of(configured)
				scanned, damaged := c.Discover.Scanned(configured.ID) // a catalog that cannot be read is the entry's problem
				description, missing := w.Description()
				entry := newConnectionEntry(configured, description, missing, w.LastKnown(ctx))
				entry.scanned(scanned, damaged)
				entries = append(entries, entry)
			}
			return connectionListAnswer{entries}, nil
		},
	}
}

// newConnectionEntry describes a connection; missing is why its connector
// cannot be described.
func newConnectionEntry(c connection.Connection, d sdk.Description, missing error, state connection.State) connectionEntry {
	e := connectionEntry{ID: c.ID, Description: c.Description, Status: state.Status(false)}
	if name := c.Name(); name != string(c.ID) {
		e.Name = name
	}
	if n := len(d.Dialects); n > 0 {
		e.Dialect = d.Dialects[n-1].Name // the one that fits every server
	}
	switch {
	case missing != nil:
		e.Status, e.Problem = connection.StatusUnavailable, problemText(sdk.AsError(missing, sdk.SourceHost))
	case state.Failure != nil:
		e.Problem = problemText(state.Failure)
	}
	return e
}

// scanned adds the last snapshot; damaged is why it cannot be told.
func (e *connectionEntry) scanned(last *catalog.Identity, damaged error) {
	if damaged != nil && e.Problem == "" {
		e.Problem = problemText(sdk.AsError(damaged, sdk.SourceHost))
	}
	if last == nil {
		return
	}
	e.Tables, e.ScannedAt = last.Counts.Tables, last.ExtractedAt.UTC().Format(time.RFC3339)
	if e.Status == connection.StatusNotScanned {
		e.Status = connection.StatusReady
	}
}

func problemText(err *sdk.Error) string {
	if err.Hint == "" {
		return err.Error()
	}
	return err.Error() + ": " + err.Hint
}
