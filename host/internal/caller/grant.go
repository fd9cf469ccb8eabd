package caller

import "slices"

// Grant restricts a caller to some of the server's toolsets and connections.
// The zero value allows all.
type Grant struct {
	// Toolsets and Connections that the caller may use; none = all.
	Toolsets, Connections []string
}

// AllowsToolset reports whether the caller may see and use the tools of a
// toolset.
func (g Grant) AllowsToolset(name string) bool {
	return len(g.Toolsets) == 0 || slices.Contains(g.Toolsets, name)
}

// AllowsConnection reports whether the caller may see and use a connection.
func (g Grant) AllowsConnection(id string) bool {
	return !g.Narrows() || slices.Contains(g.Connections, id)
}

// Narrows reports whether the grant may hide connections from the caller.
func (g Grant) Narrows() bool { return len(g.Connections) > 0 }
