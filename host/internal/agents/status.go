package agents

import (
	"reflect"
	"strings"

	"github.com/loam-data/loam/host/internal/agents/edit"
	"github.com/loam-data/loam/sdk"
)

// State is the state of a client's entry and skill in one scope.
type State string

const (
	Installed State = "installed"
	Outdated  State = "outdated"  // as Setup wrote it, but this version would write something else
	Edited    State = "edited"    // not as Setup wrote it
	ByHand    State = "by hand"   // exists, but Setup did not write it
	Absent    State = "absent"    // the client is installed, the entry does not exist
	NoClient  State = "no client" // neither the client nor the entry exists
	Broken    State = "broken"    // the file does not parse or cannot be read
)

// Status is a client in one scope.
type Status struct {
	Target Target `json:"target"`
	Scope  Scope  `json:"scope"`
	State  State  `json:"state"`
	File   string `json:"file"`
	Key    string `json:"key"`
	Skill  string `json:"skill"`
	// Transport is the transport of the entry; "" = Setup did not write it.
	Transport Transport `json:"transport,omitempty"`
	// URL is the endpoint of the entry; "" = stdio. Other says that a global entry is for another project.
	URL   string `json:"url,omitempty"`
	Other bool   `json:"other,omitempty"`
	// Why explains the State; "" = nothing to explain.
	Why string `json:"why,omitempty"`
	// Check tells how to see that it works; set when State is Installed.
	Check string `json:"check,omitempty"`
}

// Status returns the state of every client in every scope. It writes nothing.
// Errors: KindDenied and KindInvalid for a manifest that cannot be read. A broken file of a
// client is not an error but the State Broken.
func (a *Agents) Status() ([]Status, error) {
	d, err := a.draft()
	if err != nil {
		return nil, err
	}
	var all []Status
	for _, c := range clients {
		for _, scope := range c.scopes {
			if d.a.c.Project == "" && scope != Global {
				continue
			}
			for _, name := range d.names(c, scope) {
				all = append(all, d.status(c, scope, name))
			}
		}
	}
	return all, nil
}

// names returns the names of the server in a client: DefaultName, and those that Setup recorded.
func (d *draft) names(c client, scope Scope) []string {
	all := []string{DefaultName}
	m, _ := d.of(scope)
	for i := range m.Records {
		if r := &m.Records[i]; r.Target == c.target && r.Scope == scope && r.Name != "" && (scope != Local || r.Project == d.a.c.Project) {
			all = append(all, r.Name)
		}
	}
	return all
}

func (d *draft) status(c client, scope Scope, name string) Status {
	m, _ := d.of(scope)
	p := c.named(d.a.c.Machine, scope, d.a.c.Project, name)
	s := Status{Target: c.target, Scope: scope, File: p.config, Key: strings.Join(p.path, "."), Skill: p.skill}
	rec := m.find(record{Target: c.target, Scope: scope, Project: d.a.c.Project, Name: name})
	if rec != nil {
		s.Transport, s.URL, s.Other = rec.Server.Transport, rec.Server.URL, scope == Global && rec.Project != d.a.c.Project
	}
	var err error
	if s.State, s.Why, err = d.entryState(c, p, rec); err != nil {
		e := sdk.AsError(at(p.config, err, ""), sdk.SourceHost)
		s.State, s.Why = Broken, e.Msg
		return s
	}
	if rec != nil && rec.Skill != nil && s.State == Installed {
		if state, why := d.skillState(c, rec.Skill); state != Installed {
			s.State, s.Why = state, why
		}
	}
	if s.State == Installed {
		s.Check = c.check
	}
	return s
}

func (d *draft) entryState(c client, p place, rec *record) (State, string, error) {
	f, err := d.plan.open(p.config)
	if err != nil {
		return "", "", err
	}
	value, found, err := edit.Find(p.format, f.after, p.path)
	if err != nil {
		return "", "", err
	}
	switch {
	case rec == nil && found:
		return ByHand, "", nil
	case rec == nil && d.a.shows(c) == "":
		return NoClient, "", nil
	case rec == nil:
		return Absent, "", nil
	case !found && rec.Entry == nil:
		return Absent, "the entry was shown, not written", nil
	case !found:
		return Absent, "somebody removed the entry", nil
	}
	server := rec.Server
	if server.Transport == Stdio {
		server.Command = d.a.c.Command
		if c.fewVariables && rec.Project == d.a.c.Project {
			server.Variables = d.a.c.Variables
		}
	}
	if rec.Scope == Project {
		server = d.a.server(c, server)
	}
	switch {
	case edit.Same(c.entry(server), value):
		if rec.Project != d.a.c.Project && rec.Scope == Global {
			return Installed, "for " + rec.what(), nil
		}
		return Installed, "", nil
	case rec.Entry != nil && reflect.DeepEqual(value, rec.Entry.Value):
		return Outdated, "this loam would write another entry", nil
	}
	return Edited, "the entry is not as loam wrote it", nil
}

func (d *draft) skillState(c client, s *owned) (State, string) {
	f, err := d.plan.open(s.File)
	if err != nil {
		return Broken, err.Error()
	}
	want, err := skillFile(c)
	switch {
	case err != nil:
		return Broken, err.Error()
	case f.gone:
		return Outdated, "the skill is gone"
	case sum(f.after) == sum(want):
		return Installed, ""
	case sum(f.after) == s.Sum:
		return Outdated, "the skill is of another version"
	}
	return Edited, "the skill is not as loam wrote it"
}
