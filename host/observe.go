package host

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/mcpserver"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/telemetry"
	"github.com/loam-data/loam/host/internal/telemetry/otlp"
	"github.com/loam-data/loam/host/internal/usage"
	"github.com/loam-data/loam/sdk/dialect"
)

// observe makes the history of calls. Nothing runs before the first of them.
func (a *application) observe() {
	a.history = history.New(history.Config{
		Store: func(ctx context.Context) (history.Store, error) {
			s, err := a.state.Get(ctx)
			if err != nil {
				return nil, err
			}
			return s, nil
		},
		Settings: a.historySettings, Dialects: a.dialects, Now: time.Now, Logger: a.log,
	})
	a.usage = usage.New(usage.Config{State: a.state, Settings: a.historySettings, Now: time.Now})
}

// historySettings returns the settings of the history of calls.
func (a *application) historySettings(ctx context.Context) (history.Settings, error) {
	current, err := a.project.Current(ctx)
	if err != nil {
		return history.Settings{}, err
	}
	return history.Set(current.History.Off, current.History.Keep, current.History.Rows, history.Arguments(current.History.Arguments)), nil
}

// uses returns what calls have used. A project without a state store has no calls, and is
// given none for this.
func (a *application) uses(ctx context.Context) ([]history.Use, error) {
	if _, err := os.Stat(a.state.Path()); err != nil {
		return nil, nil
	}
	return a.history.Uses(ctx)
}

// savedUsage returns the recorded runs of the saved queries. A project without a state store has no calls, and is given
// none for this.
func (a *application) savedUsage(ctx context.Context, queries []history.SavedQuery) (map[history.SavedQuery]history.Usage, bool, error) {
	if _, err := os.Stat(a.state.Path()); err != nil {
		current, err := a.project.Current(ctx)
		return nil, err == nil && !current.History.Off && current.History.Arguments != string(history.None), err
	}
	return a.history.SavedQueryRuns(ctx, queries)
}

// dialects returns those of a connection, or of the only one when none is named.
func (a *application) dialects(id string) []dialect.Dialect {
	registry, err := a.project.Connections(context.Background())
	if err != nil {
		return nil
	}
	c, err := registry.Choose(connection.ID(id))
	if err != nil {
		return nil
	}
	description, err := a.Describe(c)
	if err != nil {
		return nil
	}
	return description.Dialects
}

// watch connects a server with the history and, where the project or the
// environment names a receiver, with telemetry.
func (a *application) watch(ctx context.Context, current *project.Project, c *mcpserver.Config) (err error) {
	a.otlp, err = otlp.Start(ctx, otlp.Config{
		Settings: otlp.Settings{Endpoint: a.endpoint(current), Prometheus: current.Telemetry.Prometheus, Getenv: os.Getenv},
		Version:  a.version, Logger: a.log, Gauges: a.gauges(),
	})
	if err != nil {
		return err
	}
	c.Tracer, c.Audit = a.otlp.Tracer(), a.audit
	return nil
}

// audit records every answered tool call in the history and counts it.
func (a *application) audit(ctx context.Context, r tool.Record) {
	rows, ok := r.Call.Rows()
	if !ok {
		rows = store.NoRows
	}
	a.history.Record(history.Call{
		Request: r.Call.ID(), Started: r.Started, Elapsed: r.Elapsed, Tool: r.Tool, Connection: r.Call.Connection(),
		Arguments: r.Arguments, Outcome: r.Outcome, Incident: r.Incident, Rows: rows, Bytes: r.Bytes,
		Caller: r.Caller,
	})
	a.otlp.Count(ctx, otlp.Call{Tool: r.Tool, Outcome: r.Outcome, Failed: r.Outcome != store.OutcomeOK, Rows: max(rows, 0), Elapsed: r.Elapsed})
}

// flush writes and sends what is left of the calls, all of which have ended;
// wait returns when that is done.
func (a *application) flush(ctx context.Context) (wait func()) {
	var both sync.WaitGroup
	both.Go(func() { a.history.Close(ctx) })
	both.Go(func() { a.otlp.Close(ctx) })
	return both.Wait
}

func (a *application) gauges() otlp.Gauges {
	return otlp.Gauges{
		Sessions: func() int {
			if s := a.server.Load(); s != nil {
				return s.Sessions()
			}
			return 0
		},
		Connectors: func() (all []otlp.Connector) {
			for _, p := range a.supervisor.State() {
				all = append(all, otlp.Connector{Name: p.Connector, State: string(p.State), Starts: p.Starts, Crashes: p.Crashes})
			}
			return all
		},
		Index:   func() (int, int64) { return sizeOf(a.own.Index()) },
		History: func() (int64, int64) { s := a.history.Stats(); return s.Recorded, s.Lost },
	}
}

// sizeOf counts the files of a folder; of one that is not there, none.
func sizeOf(folder string) (files int, bytes int64) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return 0, 0
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files++
			bytes += info.Size()
		}
	}
	return files, bytes
}

// lease is the span of the wait for a session, from which a start of its
// connector cannot be told but by its length.
func lease(ctx context.Context, c connection.Connection) (context.Context, telemetry.Span) {
	return telemetry.Start(ctx, "connector lease", telemetry.Internal,
		telemetry.With("loam.connection", string(c.ID)), telemetry.With("loam.connector", c.Connector))
}
