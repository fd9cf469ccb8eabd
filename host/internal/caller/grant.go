package caller

import "slices"

// Grant is what is open to a caller, within what the server offers. The zero
// value is all of it.
type Grant struct {
	// Toolsets and Connections that may be used; none = all.
	Toolsets, Connections []string
}

// AllowsToolset reports whether the tools of a toolset exist for the caller.
func (g Grant) AllowsToolset(name string) bool {
	return len(g.Toolsets) == 0 || slices.Contains(g.Toolsets, name)
}

// AllowsConnection reports whether a connection exists for the caller.
func (g Grant) AllowsConnection(id string) bool {
	return !g.Narrows() || slices.Contains(g.Connections, id)
}

// Narrows reports whether there may be connections that do not exist for the
// caller.
func (g Grant) Narrows() bool { return len(g.Connections) > 0 }
