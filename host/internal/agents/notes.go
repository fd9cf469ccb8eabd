package agents

import (
	"fmt"
	"slices"
	"strings"
)

// what names the server of a record, for messages.
func (r *record) what() string {
	if r.Project == "" {
		return "the server at " + r.Server.URL
	}
	return "the project " + r.Project
}

// lacks returns why a client cannot use a server over HTTP.
func (c client) lacks() string {
	if c.stdioOnly {
		return "(it reads no such entries)"
	}
	return "(it takes no token from a variable)"
}

// notes returns what a person must do or know before a client can use an entry.
func (c client) notes(scope Scope, s Server, variables []string) (notes []string) {
	if scope == Project && c.allow != "" {
		notes = append(notes, c.title+" reads a project's file once it was told to: "+c.allow)
	}
	if wanted := s.needs(variables); c.desktop && len(wanted) > 0 {
		notes = append(notes, fmt.Sprintf("%s, when it is started from the desktop, does not know %s of your shell: start it from a terminal, or keep the secret with loam secret set",
			c.title, strings.Join(wanted, ", ")))
	}
	return notes
}

// needs returns the variables that must be set where the client is started.
func (s Server) needs(variables []string) []string {
	switch {
	case s.Transport == Stdio:
		return slices.DeleteFunc(slices.Clone(variables), own)
	case s.Token:
		return []string{TokenVariable}
	}
	return nil
}

// own reports whether a variable names a location and not a secret.
func own(name string) bool {
	return strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "LOAM_") || strings.HasPrefix(name, "DBUS_")
}
