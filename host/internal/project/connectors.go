package project

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/install/policy"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// Connectors is what the project says of connectors that are not part of Loam.
type Connectors struct {
	// Versions are the constraints of the versions, by id.
	Versions map[string]string
	// Indexes are addresses, and absolute paths of files and folders, in the order in
	// which they are asked.
	Indexes []string
	Policy  policy.Policy
}

var (
	connectorID  = text.Pattern(`^[a-z0-9][a-z0-9_-]{0,63}/[a-z0-9][a-z0-9_-]{0,63}$`)
	keyPattern   = text.Pattern(`^[a-z0-9][a-z0-9_-]{0,63}/(\*|[a-z0-9][a-z0-9_-]{0,63})$`)
	publicKey    = text.Pattern(`^[A-Za-z0-9+/]{56}$`)
	indexAddress = text.Pattern(`^[a-z][a-z0-9+.-]*://`)
)

func (d *decoder) connectorVersions(n *yaml.Node, path string, into *Connectors) {
	into.Versions = map[string]string{}
	pairs, _ := d.pairs(n, path)
	for _, p := range pairs {
		at := join(path, p.name)
		d.positions[at] = position{p.key.Line, p.key.Column}
		if !connectorID().MatchString(p.name) {
			d.problem(p.key, at, "is no id of a connector, such as acme/foodb")
		}
		var constraint string
		d.text(p.value, at, &constraint)
		into.Versions[p.name] = constraint
	}
}

func (d *decoder) connectorIndexes(n *yaml.Node, path, dir string, into *Connectors) {
	d.names(n, path, &into.Indexes)
	for i, index := range into.Indexes {
		switch {
		case strings.HasPrefix(index, "https://"), strings.HasPrefix(index, "http://"), strings.HasPrefix(index, "oci://"):
		case strings.HasPrefix(index, "oci:"):
			if folder := strings.TrimPrefix(index, "oci:"); !filepath.IsAbs(folder) {
				into.Indexes[i] = "oci:" + filepath.Join(dir, folder)
			}
		case indexAddress().MatchString(index):
			d.problem(n, fmt.Sprintf("%s[%d]", path, i), "must begin with https:// or oci:, or be the path of a file or folder")
		case !filepath.IsAbs(index):
			into.Indexes[i] = filepath.Join(dir, index)
		}
	}
}

func (d *decoder) connectorPolicy(n *yaml.Node, path string, into *policy.Policy) {
	d.mapping(n, path, policyKeys(d, into), "")
}

// policyKeys are the keys of a policy, which in the machine's file are at the top.
func policyKeys(d *decoder, into *policy.Policy) []key {
	return []key{
		{"trust", false, func(n *yaml.Node, path string) { d.words(n, path, policy.Levels(), &into.Trust) }},
		{"keys", false, func(n *yaml.Node, path string) {
			into.Keys = map[string][]string{}
			pairs, _ := d.pairs(n, path)
			for _, p := range pairs {
				into.Keys[p.name] = d.publicKeys(p, join(path, p.name))
			}
		}},
		{"allow_path", false, func(n *yaml.Node, path string) {
			allowed := true
			d.bool(n, path, &allowed)
			into.NoPath = !allowed
		}},
	}
}

// publicKeys decodes the keys of one pattern: one, or a list.
func (d *decoder) publicKeys(p pair, path string) (keys []string) {
	if !keyPattern().MatchString(p.name) {
		d.problem(p.key, path, "is neither a namespace, such as acme/*, nor the id of a connector")
	}
	if p.value.Kind == yaml.SequenceNode {
		d.names(p.value, path, &keys)
	} else {
		var one string
		d.text(p.value, path, &one)
		keys = []string{one}
	}
	if slices.ContainsFunc(keys, func(k string) bool { return !publicKey().MatchString(k) }) {
		d.problem(p.value, path, "must be a public key of minisign: 56 characters that begin with RW")
	}
	return keys
}

// MachinePolicy reads the policy of an administrator; no file is no restriction.
// Errors: KindInvalid for a file with a problem, KindDenied for one that cannot be read:
// nothing is installed or started then.
func MachinePolicy(file string) (policy.Policy, error) {
	var p policy.Policy
	if _, err := os.Stat(file); os.IsNotExist(err) {
		return p, nil
	}
	text, err := read(file)
	if err != nil {
		return p, err
	}
	d := &decoder{positions: map[string]position{}}
	if root := d.document(text); root != nil {
		d.mapping(root, "", policyKeys(d, &p), "")
	}
	if err := d.problems.err(file); err != nil {
		return p, sdk.AsError(err, sdk.SourceHost).WithHint("ask whoever administers this machine")
	}
	return p, nil
}
