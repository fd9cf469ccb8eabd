package project

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/connection"
)

// What is shown of a configuration has references in the place of secrets, and no secret
// that somebody wrote as a value.
func TestShownConfig(t *testing.T) {
	t.Parallel()
	schema := []byte(`{"type":"object","properties":{"host":{"type":"string"},"password":{"type":"string","x-secret":true},
		"ssh":{"type":"object","properties":{"user":{"type":"string"},"key":{"type":"string","x-secret":true},"pass":{"type":"string","x-secret":true}}}}}`)
	c := connection.Connection{ID: "w", Config: map[string]any{
		"host": "db", "password": "hunter2", "ssh": map[string]any{"user": "ada", "key": "file:~/.ssh/id", "pass": "hunter3"},
	}}
	got, err := shownConfig(c, schema)
	if err != nil {
		t.Fatal(err)
	}
	const hidden = "(a value: replace it by a reference)"
	want := [][2]string{
		{"config.host", "db"}, {"config.password", hidden},
		{"config.ssh.key", "file:~/.ssh/id"}, {"config.ssh.pass", hidden}, {"config.ssh.user", "ada"},
	}
	if diff := cmp.Diff(want, configLines("config.", got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
