package mcpserver

import (
	"context"
	_ "embed" // for the schemas
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

type connectionEntry struct {
	ID           connection.ID     `json:"id"`
	Connector    string            `json:"connector"`
	Dialect      string            `json:"dialect"`
	DisplayName  string            `json:"displayName"`
	Description  *string           `json:"description"`
	Status       connection.Status `json:"status"`
	Problem      string            `json:"problem,omitempty"`
	Capabilities []string          `json:"capabilities"`
	LastScan     *scanEntry        `json:"lastScan"` // null: no catalog was scanned
	ReadOnly     readOnlyEntry     `json:"readOnly"`
}

// scanEntry is the last snapshot of a connection.
type scanEntry struct {
	SyncID      string       `json:"syncId"`
	ExtractedAt time.Time    `json:"extractedAt"`
	Mode        catalog.Mode `json:"mode"`
	Tables      int          `json:"tables"`
	Columns     int          `json:"columns"`
}

type readOnlyEntry struct {
	Mechanism string   `json:"mechanism"`
	Proven    bool     `json:"proven"`
	Warnings  []string `json:"warnings"`
}

// connectionList answers from the configuration and what was last known; it
// starts no connector.
func connectionList(c Config) tool.Definition[struct{}, connectionListAnswer] {
	return tool.Definition[struct{}, connectionListAnswer]{
		Name: "connection_list", Title: "Connection List", Toolset: toolsetResearch,
		Description: "List the configured data warehouses: the id that other tools take as connectionId, the SQL dialect to write, " +
			"what it holds, whether it can be used, what keeps it read-only. Call this first. Nothing is started.",
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
	e := connectionEntry{
		ID: c.ID, Connector: c.Connector, DisplayName: c.Name(), Status: state.Status(false),
		Capabilities: capabilityNames(d.Capabilities), ReadOnly: newReadOnlyEntry(d.Capabilities.ReadOnly, state),
	}
	if c.Description != "" {
		e.Description = &c.Description
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
	e.LastScan = &scanEntry{
		SyncID: last.SyncID, ExtractedAt: last.ExtractedAt.UTC().Truncate(time.Second), Mode: last.Mode,
		Tables: last.Counts.Tables, Columns: last.Counts.Columns,
	}
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

// newReadOnlyEntry reports what the last open connection reached, or else what
// the connector promises.
func newReadOnlyEntry(promised sdk.ReadOnlyLevel, state connection.State) readOnlyEntry {
	if state.OpenedAt.IsZero() {
		return readOnlyEntry{Mechanism: promised.String(), Warnings: []string{}}
	}
	e := readOnlyEntry{
		Mechanism: state.Server.ReadOnlyMechanism, Warnings: []string{},
		Proven: state.Server.ReadOnly == sdk.ReadOnlySession || state.Server.ReadOnly == sdk.ReadOnlyEngine,
	}
	if e.Mechanism == "" {
		e.Mechanism = state.Server.ReadOnly.String()
	}
	for _, w := range state.Server.Warnings {
		e.Warnings = append(e.Warnings, w.Summary)
	}
	return e
}

func capabilityNames(c sdk.Capabilities) []string {
	names := []string{}
	for _, ability := range []struct {
		name string
		has  bool
	}{
		{"explain", c.Explain},
		{"validate", c.Validate},
		{"profile", c.Profile},
		{"query_log", c.QueryLog},
		{"cost_estimate", c.CostEstimate},
		{"server_cancel", c.ServerCancel},
		{"incremental_scan", c.IncrementalScan},
		{"params", c.Params},
	} {
		if ability.has {
			names = append(names, ability.name)
		}
	}
	return append(names, c.Features...)
}
