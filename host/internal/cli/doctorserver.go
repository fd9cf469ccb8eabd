package cli

import (
	"context"
	"fmt"

	"github.com/loam-data/loam/host/internal/agents"
	"github.com/loam-data/loam/host/internal/daemon"
)

// server looks at the MCP server of the project, and whether the clients that
// were set up find it.
func (d *doctor) server(ctx context.Context) {
	const subject = "mcp server"
	s, err := d.app.serverOf(ctx, d.rooms)
	if err != nil {
		d.found(subject, "", err)
		return
	}
	for _, p := range s.Problems {
		d.warn(subject, s.text()+": "+p.Problem, p.Mend)
	}
	if len(s.Problems) == 0 {
		d.found(subject, s.text(), nil)
	}
	clients, err := d.rooms.Agents()
	var all []agents.Status
	if err == nil {
		all, err = clients.Status()
	}
	if err != nil {
		d.found("mcp clients", "", err)
		return
	}
	for _, c := range all {
		d.client(c, s)
	}
}

// client warns of a client that was set up for another address than the one
// where the server listens.
func (d *doctor) client(c agents.Status, s *serverDocument) {
	if c.URL == "" || c.State != agents.Installed && c.State != agents.Outdated {
		return
	}
	subject := fmt.Sprintf("mcp client %s (%s)", c.Target, c.Scope)
	switch {
	case s.State == daemon.Stopped || s.State == daemon.Stale:
		d.warn(subject, fmt.Sprintf("%s sends it to %s, and no server of this project runs", c.File, c.URL), "loam mcp start")
	case s.servingDocument != nil && s.URL != c.URL:
		d.warn(subject, fmt.Sprintf("%s sends it to %s, and the server listens at %s", c.File, c.URL, s.URL), "loam agents setup")
	}
}
