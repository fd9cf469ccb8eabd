package history

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"
)

// savedTool is the tool whose calls the store counts.
const savedTool = "execute_approved_query"

// The usage of a saved query is that of its name on its connection; a failed run is one too.
func TestSavedQueryRuns(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "state.db"))
	settings := Default()
	r := newRig(func(c *Config) {
		c.Store = func(context.Context) (Store, error) { return s, nil }
		c.Settings = func(context.Context) (Settings, error) { return settings, nil }
	})
	at := time.Now().Add(-time.Hour).Truncate(time.Millisecond)
	for i, sent := range []struct{ tool, connection, name, outcome string }{
		{savedTool, "shop", "top-hosts", "ok"}, {savedTool, "shop", "top-hosts", "timeout"}, {savedTool, "crm", "top-hosts", "ok"},
		{savedTool, "shop", "no such name as this", "not_found"}, {statementTool, "shop", "top-hosts", "ok"},
	} {
		c := call("x")
		arguments, err := json.Marshal(map[string]any{"name": sent.name, "parameters": map[string]string{"name": "Smith"}})
		if err != nil {
			t.Fatal(err)
		}
		c.Tool, c.Connection, c.Arguments, c.Outcome, c.Started = sent.tool, sent.connection, arguments, sent.outcome, at.Add(time.Duration(i)*time.Minute)
		r.Record(c)
	}
	r.Close(t.Context())
	asked := []SavedQuery{{Connection: "shop", Name: "top-hosts"}, {Connection: "crm", Name: "top-hosts"}}
	uses, ok, err := r.SavedQueryRuns(t.Context(), asked)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if u := uses[asked[0]]; u.Runs != 2 || u.Outcome != "timeout" || !u.Last.Equal(at.Add(time.Minute)) {
		t.Errorf("%+v", u)
	}
	if u := uses[asked[1]]; u.Runs != 1 || u.Outcome != "ok" {
		t.Errorf("%+v", u)
	}
	settings = Set(false, 0, 0, None)
	if uses, ok, err := r.SavedQueryRuns(t.Context(), asked); ok || err != nil || uses != nil {
		t.Errorf("without arguments: %v, %v", uses, err)
	}
}
