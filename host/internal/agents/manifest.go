package agents

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/agents/edit"
	"github.com/loam-data/loam/sdk"
)

// manifest lists what Setup wrote and Remove has not removed. Entries in a project's files are
// in the project's manifest, all others in the person's.
type manifest struct {
	Version int      `json:"version"`
	Records []record `json:"records"`
	// Exports are the files of exported skills.
	Exports []owned `json:"exports,omitempty"`
}

const manifestVersion = 1

// record is a server entry and a skill that Setup wrote for one client in one scope.
type record struct {
	Target  Target `json:"target"`
	Scope   Scope  `json:"scope"`
	Project string `json:"project"`
	// Name is the server's name in the client; "" = DefaultName.
	Name   string `json:"name,omitempty"`
	Server Server `json:"server"`
	Entry  *entry `json:"entry,omitempty"`
	Skill  *owned `json:"skill,omitempty"`
}

// entry is the key that Setup wrote.
type entry struct {
	File  string      `json:"file"`
	Path  []string    `json:"path"`
	Value any         `json:"value"`
	Undo  edit.Undo   `json:"undo"`
	Form  edit.Format `json:"format"`
	// Created says that the file did not exist. Dirs are the folders that were made for it.
	Created bool     `json:"created,omitempty"`
	Dirs    []string `json:"dirs,omitempty"`
}

// owned is a file that only Loam writes.
type owned struct {
	File string   `json:"file"`
	Sum  string   `json:"sha256"`
	Dirs []string `json:"dirs,omitempty"`
	// Old is the content of the file that was replaced. Remove restores it.
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

// name returns the server's name in the client.
func (r *record) name() string { return cmp.Or(r.Name, DefaultName) }

// same reports whether two records describe the same entry. Only for the scope Local does that
// depend on the project.
func (r *record) same(o record) bool {
	return r.Target == o.Target && r.Scope == o.Scope && r.name() == o.name() && (r.Scope != Local || r.Project == o.Project)
}

// find returns the record of the same entry; nil = none.
func (m *manifest) find(o record) *record {
	i := slices.IndexFunc(m.Records, func(r record) bool { return r.same(o) })
	if i < 0 {
		return nil
	}
	return &m.Records[i]
}

// put replaces the record of the same entry, or adds one.
func (m *manifest) put(r record) {
	if old := m.find(r); old != nil {
		*old = r
		return
	}
	m.Records = append(m.Records, r)
}

func (m *manifest) remove(r *record) {
	m.Records = slices.DeleteFunc(m.Records, func(o record) bool { return o.same(*r) && o.Project == r.Project })
}
