// Package setting lists the effective settings of a project, and where each comes from. The configuration of connections
// is not among them: some of it is secret.
package setting

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/telemetry/otlp"
)

// The origins of a setting.
const (
	FromFlag    = "flag"
	FromEnv     = "env"
	FromFile    = "file"
	FromDefault = "default"
)

// Setting is the effective value of a key.
type Setting struct {
	Key   string `json:"key"`
	Value any    `json:"value"` // null = there is none
	From  string `json:"from"`
	// By is the flag or the variable, Line the line of loam.yaml.
	By   string `json:"by,omitempty"`
	Line int    `json:"line,omitempty"`
}

// Text returns the value for a table: a text as it is, another value as JSON, "" without a value.
// Errors: for a value that JSON does not have.
func (s *Setting) Text() (string, error) {
	switch v := s.Value.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	}
	raw, err := json.Marshal(s.Value)
	if err == nil && raw[0] == '"' { // a type of its own that is a text
		return fmt.Sprint(s.Value), nil
	}
	return string(raw), err
}

// Origin names From with By or Line.
func (s *Setting) Origin() string {
	switch {
	case s.By != "":
		return s.From + " " + s.By
	case s.Line > 0:
		return fmt.Sprintf("%s line %d", s.From, s.Line)
	}
	return s.From
}

// Of returns the effective settings of a project, in the order of loam.yaml. dirFlag is the flag that named the folder;
// "" = none.
// Errors: those of project.FindState.
func Of(p *project.Project, dirFlag string, getenv func(string) string) ([]Setting, error) {
	state, err := project.FindState(p.Dir, getenv)
	if err != nil {
		return nil, err
	}
	folder := Setting{Key: "project folder", Value: p.Dir, From: FromDefault}
	switch {
	case dirFlag != "":
		folder.From, folder.By = FromFlag, "--project-dir"
	case getenv(project.DirVariable) != "":
		folder.From, folder.By = FromEnv, project.DirVariable
	}
	place := Setting{Key: "state folder", Value: string(state), From: FromDefault}
	if getenv(project.StateVariable) != "" {
		place.From, place.By = FromEnv, project.StateVariable
	}
	all := []Setting{folder, place}
	for _, k := range slices.Concat(projectKeys(p), memoryKeys(&p.Memory), consoleKeys(&p.Console), connectionKeys(p)) {
		k.From = FromDefault
		if k.Line = p.Line(k.Key); k.Line > 0 {
			k.From = FromFile
		}
		all = append(all, k)
	}
	receiver := otlp.Settings{Endpoint: p.Telemetry.Endpoint, Getenv: getenv}
	if endpoint, by := receiver.Where(); endpoint != "" && by != "telemetry.endpoint" {
		at := slices.IndexFunc(all, func(s Setting) bool { return s.Key == "telemetry.endpoint" })
		all[at] = Setting{Key: all[at].Key, Value: withoutPassword(endpoint), From: FromEnv, By: by}
	}
	return all, nil
}

// withoutPassword hides the password of an address from the environment; that of a file cannot have one.
func withoutPassword(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.Redacted()
	}
	return address
}
