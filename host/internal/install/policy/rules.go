// Package policy decides which connectors may be installed and started: by how their
// origin is known, and by whose key they are signed. The policy of the machine and that
// of a project both apply, so a project can only narrow the machine's.
package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// MachineFile is the policy of an administrator.
const MachineFile = "/etc/loam/policy.yaml"

// Level says how the origin of a connector is known.
type Level string

const (
	// Bundled: this build of the host has the checksum compiled in.
	Bundled Level = "bundled"
	// Signed: by a key that a policy, a person or an index named.
	Signed Level = "signed"
	// Pinned: unsigned; a person confirmed its checksum once.
	Pinned Level = "pinned"
	// Path: a project names the program by its path.
	Path Level = "path"
	// Local: found in a folder of the machine, without a record of where it is from.
	Local Level = "local"
)

// Levels are the levels that a policy can allow or refuse. What is bundled is part of
// the host and needs no permission.
func Levels() []string { return []string{string(Signed), string(Pinned), string(Path), string(Local)} }

// Policy is one policy: that of the machine or that of a project.
type Policy struct {
	// Trust are the levels that are allowed; nil = all.
	Trust []string
	// Keys are the only keys that may sign the connectors of a pattern ("acme/*");
	// empty = any key.
	Keys map[string][]string
	// NoPath refuses connectors that a project names by path.
	NoPath bool
}

// Rules are the policies that apply in a project.
type Rules struct{ Machine, Project Policy }

// Check refuses a connector that a policy does not allow. key is that of its
// publisher, "" for what is not signed.
// Errors: KindDenied, with the policy and what it allows.
func (r Rules) Check(id string, level Level, key string) error {
	if level == Bundled {
		return nil
	}
	for _, p := range []struct {
		Policy
		name string
	}{{r.Machine, MachineFile}, {r.Project, "connector_policy of loam.yaml"}} {
		switch {
		case p.NoPath && level == Path:
			return denied(id, "%s allows no connector by path", p.name)
		case p.Trust != nil && !slices.Contains(p.Trust, string(level)):
			return denied(id, "its trust is %q and %s allows only: %s", level, p.name, strings.Join(p.Trust, ", "))
		case level == Signed && !p.allows(id, key):
			return denied(id, "%s does not allow key %s to sign it", p.name, key)
		}
	}
	return nil
}

// allows reports whether a key may sign a connector.
func (p Policy) allows(id, key string) bool {
	return len(p.Keys) == 0 || p.names(id, key)
}

func (p Policy) names(id, key string) bool {
	for pattern, keys := range p.Keys {
		if Matches(pattern, id) && slices.Contains(keys, key) {
			return true
		}
	}
	return false
}

// Grants reports whether the machine's policy names this key for a connector, so that
// nobody has to be asked. A project grants nothing: it can come from anybody.
func (r Rules) Grants(id, key string) bool { return r.Machine.names(id, key) }

// Matches reports whether a pattern ("acme/*", "acme/foodb") is about a connector.
func Matches(pattern, id string) bool {
	ok, err := path.Match(pattern, id)
	return ok && err == nil
}

// Namespace is the pattern of all connectors of a publisher: "acme/*" for acme/foodb.
func Namespace(id string) string {
	namespace, _, _ := strings.Cut(id, "/")
	return namespace + "/*"
}

func denied(id, format string, args ...any) error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "connector %q is refused: %s", id, fmt.Sprintf(format, args...)).
		WithHint("ask whoever administers this machine or project, or use a connector that is allowed")
}
