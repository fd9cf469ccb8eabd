package install

import (
	"fmt"
	"slices"

	"github.com/loam-data/loam/host/internal/install/lockfile"
	"github.com/loam-data/loam/host/internal/install/policy"
	"github.com/loam-data/loam/host/internal/publish/index"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/readonly"
	"github.com/loam-data/loam/sdk/wire"
)

// Offer is what a person approves.
type Offer struct {
	ID          string `json:"id"`
	Version     string `json:"version"`
	DisplayName string `json:"displayName"`
	Source      string `json:"source"`
	// Key is the publisher's, "" = the archive is not signed, and its checksum is confirmed.
	Key     string `json:"key,omitempty"`
	Archive string `json:"archive"`
	// Trusted: the key is known on this machine, or the checksum was confirmed before.
	Trusted bool         `json:"trusted"`
	Level   policy.Level `json:"level"`
	// Checked is the level of its check, by its author; "" = unknown.
	Checked  string `json:"checked,omitempty"`
	ReadOnly string `json:"readOnly"`
	// Environment are the variables of the host that it gets beside the usual ones, and
	// SQL the words that a statement may begin with beside the common ones.
	Environment []string `json:"environment"`
	SQL         []string `json:"sql"`
	Contract    string   `json:"contract"`
	// Interpreter runs it on this machine; "" = it needs none, or none is there.
	Interpreter string `json:"interpreter,omitempty"`
	// Was is the locked version, and Wider what this one gets beyond it.
	Was   string   `json:"was,omitempty"`
	Wider []string `json:"wider,omitempty"`
	// Changes are the differences between the two.
	Changes []Change `json:"changes,omitempty"`

	constraint string
	exact      bool // it is what the project locked
}

func (j *job) offer(found *release, parts []*part) *Offer {
	p := parts[0]
	d := p.manifest.Description
	o := &Offer{
		ID: d.ID, Version: d.Version, DisplayName: d.DisplayName, Source: found.source, Key: found.key, Archive: p.archive, Level: policy.Signed,
		Checked: found.level, ReadOnly: d.Capabilities.ReadOnly.String(), constraint: j.constraint(d.ID),
	}
	o.Contract, o.Environment, o.SQL = gets(p.manifest)
	if p.interpreter != nil {
		o.Interpreter = p.interpreter.Path
	}
	for _, other := range parts[1:] { // the same person approves them all
		_, environment, sql := gets(other.manifest)
		o.Environment, o.SQL = union(o.Environment, environment), union(o.SQL, sql)
	}
	o.Trusted = j.trusts(d.ID, found.key)
	if found.key == "" {
		o.Level = policy.Pinned
		record, known := j.records.Find(j.service.release(d.ID, d.Version))
		o.Trusted = known && record.Key == "" && record.Tree == p.tree
	}
	if was, locked := j.lock[d.ID]; locked {
		o.Was = was.Version
		o.exact = j.request.Locked && was.Version == d.Version && was.Platforms[p.platform].Tree == p.tree
		o.Changes, o.Wider = j.differences(was, o, d)
	}
	return o
}

// wider returns what goes beyond what was approved.
func wider(was lockfile.Connector, environment, sql []string) (more []string) {
	for _, name := range environment {
		if !slices.Contains(was.Environment, name) {
			more = append(more, "environment: "+name)
		}
	}
	for _, word := range sql {
		if !slices.Contains(was.SQL, word) {
			more = append(more, "SQL: "+word)
		}
	}
	return more
}

func union(some, more []string) []string {
	for _, one := range more {
		if !slices.Contains(some, one) {
			some = append(some, one)
		}
	}
	return some
}

// gets returns the contract of a connector, the variables that it gets beside the usual
// ones, and the words that its statements may begin with beside the common ones.
func gets(m wire.Manifest) (contract string, environment, sql []string) {
	d := m.Description
	return fmt.Sprintf("%d.%d", wire.ProtocolVersion, d.ContractMinor), append([]string{}, d.EnvPassthrough...),
		append([]string{}, readonly.Allowed(d.Dialects).Beyond...)
}

// trusts reports whether nobody has to be asked about a key.
func (j *job) trusts(id, key string) bool {
	return key != "" && (key == j.request.Key || j.rules.Grants(id, key) || trusted(&j.records, id, key) ||
		j.service.Everything && j.lock[id].Key == key)
}

// constraint is that of the request, or of the project.
func (j *job) constraint(id string) string {
	if j.request.Constraint != "" || j.request.User {
		return j.request.Constraint
	}
	return j.project.Connectors.Versions[id]
}

// mayInstall refuses what a policy or the lock does not allow, and what a person has to approve where
// none can be asked. It reports whether one has to.
func (j *job) mayInstall(o *Offer) (ask bool, err error) {
	if err := j.rules.Check(o.ID, o.Level, o.Key); err != nil {
		return false, err
	}
	if o.Key != "" && !o.Trusted {
		for _, known := range j.records.Keys {
			if policy.Matches(known.Pattern, o.ID) {
				return false, denied("connector %q is refused: it is signed by key %s, and this machine trusts %s for %s", o.ID, o.Key, known.Key, known.Pattern).
					WithHint("ask the publisher whether its key changed; then: loam connector trust add %s %s", o.Key, known.Pattern)
			}
		}
	}
	if o.Was != "" && index.Compare(o.Version, o.Was) < 0 && j.request.Constraint != o.Version {
		return false, denied("connector %q is refused: version %s is older than the locked %s", o.ID, o.Version, o.Was).
			WithHint("to go back, name the version: --version %s", o.Version)
	}
	wider := len(o.Wider) > 0 && !j.request.AcceptWider
	if o.Trusted && !wider && (j.request.Yes || o.exact) {
		return false, nil
	}
	if j.request.Approve != nil {
		return true, nil
	}
	switch {
	case o.Key == "":
		return false, denied("connector %q is not signed, and there is no terminal to confirm its checksum", o.ID).
			WithHint("install it in a terminal, or an archive that is signed")
	case !o.Trusted:
		return false, denied("connector %q is signed by key %s, which is not trusted on this machine", o.ID, o.Key).
			WithHint("ask its publisher whether that is its key; then: --key %s --yes", o.Key)
	case wider:
		return false, denied("connector %q %s gets more than %s: %v", o.ID, o.Version, o.Was, o.Wider).
			WithHint("approve it in a terminal, or with --accept-wider")
	}
	return false, sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "there is no terminal to approve connector %q", o.ID).WithHint("add --yes")
}
