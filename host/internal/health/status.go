package health

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/daemon"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// Level says how well a component does.
type Level string

// The levels of components.
const (
	Healthy   Level = "healthy"
	Degraded  Level = "degraded" // it works in part, or something waits for a person
	Unhealthy Level = "unhealthy"
	Unknown   Level = "unknown" // nothing is known of it yet, or it could not be looked at
)

// Component is a part of the project and how well it does.
type Component struct {
	Name   string `json:"name"`
	Status Level  `json:"status"`
	Detail string `json:"detail"`
	// Hint is what to do; "" = nothing.
	Hint string `json:"hint,omitempty"`
}

// Status is a project and the last known state of its parts. No connector is started and no warehouse asked for it.
// Shape: no list is nil but Behind.
type Status struct {
	// Status is unhealthy when a part of Loam is, degraded when a connection is unhealthy or anything degraded.
	Status      Level        `json:"status"`
	Version     string       `json:"version"`
	Versions    Versions     `json:"versions"`
	Project     string       `json:"project"`
	Components  []Component  `json:"components"`
	Store       *StoreState  `json:"store"` // null when the state cannot be read
	Index       *IndexState  `json:"index"` // null when the project cannot be looked at
	Runs        *RunCounts   `json:"runs"`  // null when the state cannot be read
	Server      *Server      `json:"server"`
	History     *Calls       `json:"history"`    // null when the state cannot be read
	Remembered  *Remembered  `json:"remembered"` // waiting texts and changes of the memory; null when the state cannot be read
	Connections []Connection `json:"connections"`

	// Problems are the parts that could not be read, each once.
	Problems []error `json:"-"`
}

// Versions are those of the parts.
type Versions struct {
	Loam          string `json:"loam"`
	ContractMinor int    `json:"contractMinor"`
	// Connectors are the versions of the installed connectors that connections use, by name.
	Connectors map[string]string `json:"connectors"`
}

// StoreState is the state store.
type StoreState struct {
	Path   string `json:"path"`
	Schema int64  `json:"schema"`
	Bytes  int64  `json:"bytes"`
}

// IndexState is the search index. Current: it has all that there is.
type IndexState struct {
	Current bool         `json:"current"`
	Behind  []BehindPart `json:"behind,omitempty"`
	Notes   []string     `json:"notes,omitempty"`
	missing int
}

// BehindPart is a part of the project whose segments are not all made.
type BehindPart struct {
	Kind       string        `json:"kind"`
	Connection connection.ID `json:"connectionId,omitempty"`
	Missing    int           `json:"missing"`
	Segments   int           `json:"segments"`
}

// RunCounts counts runs of all kinds.
type RunCounts struct {
	Queued  int `json:"queued"`
	Running int `json:"running"`
	Failed  int `json:"failed"`
}

// Status returns the state of the project, with the connections that are open to the caller.
// Errors: those of the project's file and of ctx; everything else is a component that is unhealthy or unknown.
func (s *Service) Status(ctx context.Context) (*Status, error) {
	current, err := s.config.Project.Current(ctx)
	if err != nil {
		return nil, err
	}
	open, err := s.config.Connections(ctx)
	if err != nil {
		return nil, err
	}
	out := &Status{
		Version: s.config.Version, Project: current.File, Connections: []Connection{},
		Versions: Versions{s.config.Version, sdk.ContractMinor, map[string]string{}},
	}
	out.store(ctx, s)
	space := &Disk{Path: filepath.Dir(s.config.State.Path())}
	space.free(s.config.Free)
	out.disk(space)
	out.observed(ctx, s, current)
	out.index(ctx, s, open)
	out.server(ctx, s)
	for _, c := range open.All() {
		out.connection(ctx, s, c)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	out.Status = out.worst()
	return out, nil
}

// add adds a component; err = why it is what it is, nil = it is as detail says.
func (out *Status) add(name string, level Level, detail, hint string, err error) {
	if err != nil {
		e := sdk.AsError(err, sdk.SourceHost)
		detail, hint = err.Error(), e.Hint
		out.problem(err)
	}
	out.Components = append(out.Components, Component{name, level, detail, hint})
}

// problem keeps an error, and an equal one once: several parts fail for the same reason.
func (out *Status) problem(err error) {
	if !slices.ContainsFunc(out.Problems, func(known error) bool { return known.Error() == err.Error() }) {
		out.Problems = append(out.Problems, err)
	}
}

// ofConnection is the prefix of the names of connections among the components.
const ofConnection = "connection "

func (out *Status) worst() Level {
	level := Healthy
	for _, c := range out.Components {
		one := len(c.Name) > len(ofConnection) && c.Name[:len(ofConnection)] == ofConnection
		switch {
		case c.Status == Unhealthy && !one:
			return Unhealthy
		case c.Status == Unhealthy, c.Status == Degraded:
			level = Degraded
		}
	}
	return level
}

// store looks at the state store and the runs in it.
func (out *Status) store(ctx context.Context, s *Service) {
	state, err := s.config.State.Get(ctx)
	var schema int64
	var counts map[store.RunState]int
	if err == nil {
		schema, err = state.SchemaVersion(ctx)
	}
	if err == nil {
		counts, err = state.RunStates(ctx)
	}
	if err != nil {
		out.add("state store", Unhealthy, "", "", err)
		return
	}
	out.Store = &StoreState{Path: s.config.State.Path(), Schema: schema}
	if info, err := os.Stat(out.Store.Path); err == nil {
		out.Store.Bytes = info.Size()
	}
	out.add("state store", Healthy, fmt.Sprintf("schema %d, %s", schema, text.Count(int(out.Store.Bytes), "byte")), "", nil)
	out.Runs = &RunCounts{counts[store.RunQueued], counts[store.RunRunning], counts[store.RunFailed]}
}

// observed looks at the history of calls and the memory.
func (out *Status) observed(ctx context.Context, s *Service, current *project.Project) {
	var err error
	switch out.History, err = s.Calls(ctx, current); {
	case err != nil:
		out.add("history", Unknown, "", "", err)
	case out.History.Missing > 0:
		out.add("history", Degraded, out.History.Text(), "look for why: loam mcp logs", nil)
	default:
		out.add("history", Healthy, out.History.Text(), "", nil)
	}
	switch out.Remembered, err = s.Remembered(ctx); {
	case err != nil:
		out.add("memory", Unknown, "", "", err)
	case out.Remembered.Failed > 0:
		out.add("memory", Degraded, out.Remembered.Text(time.Now()), "loam runs list names the texts that failed", nil)
	case out.Remembered.Text(time.Now()) == "":
		out.add("memory", Healthy, "nothing waits", "", nil)
	default:
		out.add("memory", Healthy, out.Remembered.Text(time.Now()), "", nil)
	}
}

// index looks at what is not indexed yet.
func (out *Status) index(ctx context.Context, s *Service, open *connection.Registry) {
	behind, err := s.config.Index.Behind(ctx)
	if err != nil {
		out.add("index", Unknown, "", "", err)
		return
	}
	out.Index = &IndexState{}
	for _, b := range behind {
		_, err := open.Get(b.Connection)
		switch {
		case b.Connection != "" && err != nil: // another caller's
		case b.Note != "":
			out.Index.Notes = append(out.Index.Notes, b.Note)
		default:
			out.Index.Behind = append(out.Index.Behind, BehindPart{b.Kind, b.Connection, b.Missing, b.Segments})
			out.Index.missing += b.Missing
		}
	}
	out.Index.Current = out.Index.missing == 0
	switch {
	case len(out.Index.Notes) > 0:
		out.add("index", Degraded, out.Index.Notes[0], "loam doctor", nil)
	case out.Index.missing > 0:
		out.add("index", Degraded, fmt.Sprintf("%s of what changed are not made", text.Count(out.Index.missing, "segment")), "the next search makes them", nil)
	default:
		out.add("index", Healthy, "up to date", "", nil)
	}
}

// disk is a component where little space is left.
func (out *Status) disk(d *Disk) {
	if d.Hint != "" {
		out.add("disk", Degraded, fmt.Sprintf("%d MiB are left on the file system of %s", *d.Free>>20, d.Path), d.Hint, nil)
	}
}

// server looks at the MCP server.
func (out *Status) server(ctx context.Context, s *Service) {
	server, err := s.Server(ctx)
	if err != nil {
		out.Server = &Server{State: daemon.Unknown}
		out.add("server", Unknown, "", "", err)
		return
	}
	out.Server = server
	level, hint := Healthy, ""
	if len(server.Problems) > 0 {
		level, hint = Degraded, server.Problems[0].Mend
	}
	switch {
	case server.State == daemon.Unknown:
		level = Unknown
	case server.Serving != nil && !server.Answers:
		level = Unhealthy
	}
	out.add("server", level, server.Text(), hint, nil)
}

// connection looks at what is last known of a connection.
func (out *Status) connection(ctx context.Context, s *Service, c connection.Connection) {
	d, _, problems := s.Connection(ctx, c)
	out.Connections = append(out.Connections, d)
	description, missing := s.config.Describe(c)
	if missing == nil {
		out.Versions.Connectors[c.Connector] = description.Version
	}
	name := ofConnection + string(c.ID)
	switch {
	case len(problems) > 0:
		for _, p := range problems {
			out.problem(p)
		}
		out.add(name, Unknown, "", "", problems[0])
	case missing != nil:
		e := sdk.AsError(missing, sdk.SourceHost)
		out.add(name, Unhealthy, missing.Error(), e.Hint, nil)
	case d.Failure != nil:
		out.add(name, Unhealthy, d.Failure.Message, d.Failure.Hint, nil)
	case d.SemanticLayer != nil && d.SemanticLayer.Problems > 0:
		out.add(name, Degraded, "files of the semantic layer have "+text.Count(d.SemanticLayer.Problems, "problem"), "loam sl validate -c "+string(c.ID), nil)
	case d.LastScan == nil && d.OpenedAt == "":
		out.add(name, Unknown, "it was never opened", "loam connection test "+string(c.ID), nil)
	case d.LastScan == nil:
		out.add(name, Degraded, "never scanned: agents find nothing of it", "loam scan "+string(c.ID), nil)
	default:
		out.add(name, Healthy, "scanned "+d.LastScan.Text(), "", nil)
	}
}
