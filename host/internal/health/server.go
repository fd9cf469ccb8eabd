package health

import (
	"context"
	"fmt"
	"time"

	"github.com/loam-data/loam/host/internal/agents"
	"github.com/loam-data/loam/host/internal/daemon"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/text"
)

// server looks at the MCP server of the project, and whether the clients that
// were set up find it.
func (k *check) server(ctx context.Context) {
	const subject = "mcp server"
	s, err := k.service.Server(ctx)
	if err != nil {
		k.found(subject, "", err)
		return
	}
	for _, p := range s.Problems {
		k.warn(subject, s.Text()+": "+p.Problem, p.Mend)
	}
	if len(s.Problems) == 0 {
		k.found(subject, s.Text(), nil)
	}
	clients, err := k.service.config.Agents()
	var all []agents.Status
	if err == nil {
		all, err = clients.Status()
	}
	if err != nil {
		k.found("mcp clients", "", err)
		return
	}
	for _, c := range all {
		k.client(c, s)
	}
}

// client warns of a client that was set up for another address than the one
// where the server listens.
func (k *check) client(c agents.Status, s *Server) {
	if c.URL == "" || c.Other || c.State != agents.Installed && c.State != agents.Outdated {
		return
	}
	subject := fmt.Sprintf("mcp client %s (%s)", c.Target, c.Scope)
	switch {
	case s.State == daemon.Stopped || s.State == daemon.Stale:
		k.warn(subject, fmt.Sprintf("%s sends it to %s, and no server of this project runs", c.File, c.URL), "loam mcp start")
	case s.Serving != nil && s.URL != c.URL:
		k.warn(subject, fmt.Sprintf("%s sends it to %s, and the server listens at %s", c.File, c.URL, s.URL), "loam agents setup")
	}
}

// Server is the MCP server of a project; Serving is set when it runs.
type Server struct {
	State daemon.Phase `json:"state"`
	*Serving
	// Problems of the server, with remedies.
	Problems []Problem `json:"problems,omitempty"`
}

type Problem struct {
	Problem string `json:"problem"`
	Mend    string `json:"mend"`
}

type Serving struct {
	// Answers: it answers health checks.
	Answers       bool      `json:"answers"`
	PID           int       `json:"pid"`
	Host          string    `json:"host"`
	Port          int       `json:"port"`
	URL           string    `json:"url"`
	Console       string    `json:"console,omitempty"` // its URL; "" = it is not served
	StartedAt     time.Time `json:"startedAt"`
	UptimeSeconds int64     `json:"uptimeSeconds"`
	Version       string    `json:"version"`
	Foreground    bool      `json:"foreground"`
	Token         bool      `json:"token"`
	Flags         []string  `json:"flags"`
	Toolsets      []string  `json:"toolsets"`
	Sessions      int       `json:"sessions"`
	// Live are the running connectors, and Calls the running calls of each
	// connection.
	Live  []daemon.Connector      `json:"-"`
	Calls map[string]daemon.Calls `json:"-"`
}

// Server returns the state of the project's MCP server, with a health check.
func (s *Service) Server(ctx context.Context) (*Server, error) {
	phase, state, err := s.config.Daemon.Status(ctx)
	if err != nil {
		return nil, err
	}
	d := &Server{State: phase}
	switch phase {
	case daemon.Stale:
		d.problem("loam mcp start, or loam mcp stop to forget it", "its process is gone")
	case daemon.Unknown:
		d.problem("look again: loam mcp status", "another process has its lock: it is just starting or ending, or runs in another container")
	}
	if phase != daemon.Running {
		return d, nil
	}
	_, failed := daemon.Probe(ctx, state.Host, state.Port)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	d.Serving = &Serving{
		Answers: failed == nil, PID: state.PID, Host: state.Host, Port: state.Port, URL: state.URL(s.config.Endpoint), Console: s.consoleURL(ctx, state), StartedAt: state.StartedAt,
		UptimeSeconds: int64(time.Since(state.StartedAt).Seconds()), Version: state.Version, Foreground: state.Foreground, Token: state.Token,
		Flags: state.Flags, Toolsets: state.Toolsets, Sessions: state.Sessions, Live: state.Connectors, Calls: state.Calls,
	}
	const restart = "loam mcp stop, then loam mcp start"
	if failed != nil {
		d.problem(restart, "it does not answer: %v", failed)
	}
	if state.Version != s.config.Version {
		d.problem(restart, "it has version %s, this is %s", state.Version, s.config.Version)
	}
	return d, nil
}

// consoleURL returns the URL of the console, "" when the settings do not allow it or cannot be read.
func (s *Service) consoleURL(ctx context.Context, state *daemon.State) string {
	current, err := s.config.Project.Current(ctx)
	if err != nil || current.Console.LoginAt(state.Host) == project.ConsoleClosed {
		return ""
	}
	return state.ConsoleURL()
}

func (d *Server) problem(mend, format string, args ...any) {
	d.Problems = append(d.Problems, Problem{fmt.Sprintf(format, args...), mend})
}

// Text summarises the server.
func (d *Server) Text() string {
	if d.Serving == nil {
		return string(d.State)
	}
	return fmt.Sprintf("%s at %s for %s", d.State, d.URL, text.Elapsed(time.Since(d.StartedAt)))
}
