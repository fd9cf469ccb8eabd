package host

import "github.com/loam-data/loam/host/internal/mcpserver"

// admin returns the use cases that look after the project.
func (a *application) admin() mcpserver.Admin {
	return mcpserver.Admin{Health: a.health, Usage: a.usage, Sources: a.semanticQuery}
}
