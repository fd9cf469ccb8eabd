package agents

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/agents/edit"
	"github.com/loam-data/loam/sdk"
)

// manifest lists what setups wrote and have not taken back. What concerns a
// project's own files is kept in the project, everything else with the person.
type manifest struct {
	Version int      `json:"version"`
	Records []record `json:"records"`
}

const manifestVersion = 1

// record is one client in one scope.
type record struct {
	Target  Target `json:"target"`
	Scope   Scope  `json:"scope"`
	Project string `json:"project"`
	Server  Server `json:"server"`
	Entry   *entry `json:"entry,omitempty"`
	Skill   *owned `json:"skill,omitempty"`
}

// entry is the key that was written.
type entry struct {
	File  string      `json:"file"`
	Path  []string    `json:"path"`
	Value any         `json:"value"`
	Undo  edit.Undo   `json:"undo"`
	Form  edit.Format `json:"format"`
	// Created: the file did not exist. Dirs are the folders made for it.
	Created bool     `json:"created,omitempty"`
	Dirs    []string `json:"dirs,omitempty"`
}

// owned is a file that is Loam's alone.
type owned struct {
	File string   `json:"file"`
	Sum  string   `json:"sha256"`
	Dirs []string `json:"dirs,omitempty"`
	// Old is what somebody's file held that was replaced; it comes back.
	Old *string `json:"old,omitempty"`
}

func parseManifest(path string, text []byte) (*manifest, error) {
	m := &manifest{Version: manifestVersion}
	if len(text) == 0 {
		return m, nil
	}
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.UseNumber()
	if err := dec.Decode(m); err != nil || m.Version != manifestVersion {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s is no list of set-up clients that this Loam knows", path).
			WithHint("move it away, then run `loam agents setup --force`, or upgrade loam")
	}
	return m, nil
}

func (m *manifest) text() ([]byte, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	return append(text, '\n'), err
}

// find returns the record of a client, or nil. A global one is of any project.
func (m *manifest) find(target Target, scope Scope, project string) *record {
	for i := range m.Records {
		r := &m.Records[i]
		if r.Target == target && r.Scope == scope && (scope != Local || r.Project == project) {
			return r
		}
	}
	return nil
}

// put replaces the record of the same client, or adds one.
func (m *manifest) put(r record) {
	if old := m.find(r.Target, r.Scope, r.Project); old != nil {
		*old = r
		return
	}
	m.Records = append(m.Records, r)
}

func (m *manifest) remove(r *record) {
	m.Records = slices.DeleteFunc(m.Records, func(o record) bool {
		return o.Target == r.Target && o.Scope == r.Scope && o.Project == r.Project
	})
}
