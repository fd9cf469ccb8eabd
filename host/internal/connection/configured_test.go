package connection

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/sdk"
)

func TestID(t *testing.T) {
	t.Parallel()
	for id, valid := range map[ID]bool{
		"a": true, "warehouse": true, "wh-2_b": true, ID(strings.Repeat("a", 63)): true,
		"": false, "A": false, "1a": false, "-a": false, "a b": false, "a/b": false, "..": false, "ä": false, "a\n": false, ID(strings.Repeat("a", 64)): false,
	} {
		err := id.Validate()
		if (err == nil) != valid || err != nil && (sdk.KindOf(err) != sdk.KindInvalid || sdk.AsError(err, sdk.SourceHost).Hint == "") {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestRegistry(t *testing.T) {
	t.Parallel()
	given := []Connection{{ID: "warehouse", Connector: "x"}, {ID: "crm", Connector: "y"}}
	r, err := New(given)
	if err != nil {
		t.Fatal(err)
	}
	given[0].Connector = "changed"
	r.All()[1].Connector = "changed"
	if diff := cmp.Diff([]Connection{{ID: "warehouse", Connector: "x"}, {ID: "crm", Connector: "y"}}, r.All(), cmpopts.IgnoreUnexported(Connection{})); diff != "" || r.Len() != 2 {
		t.Errorf("the snapshot changed (-want +got):\n%s", diff)
	}
	if c, err := r.Get("crm"); err != nil || c.Connector != "y" {
		t.Errorf("crm: %+v, %v", c, err)
	}
	tests := []struct {
		id         ID
		candidates []string
	}{{"warehose", []string{"warehouse"}}, {"rcm", []string{"crm"}}, {"sales", nil}, {"", nil}}
	for _, tt := range tests {
		_, err := r.Get(tt.id)
		e := sdk.AsError(err, sdk.SourceHost)
		if e == nil || e.Kind != sdk.KindNotFound || e.Source != sdk.SourceCaller || !strings.HasSuffix(e.Hint, "crm, warehouse") || !strings.Contains(e.Hint, "loam connection list") {
			t.Fatalf("%q: %+v", tt.id, e)
		}
		if diff := cmp.Diff(tt.candidates, e.Candidates); diff != "" {
			t.Errorf("candidates for %q (-want +got):\n%s", tt.id, diff)
		}
	}
}

func TestRegistryRefusals(t *testing.T) {
	t.Parallel()
	if _, err := New([]Connection{{ID: "a"}, {ID: "a"}}); sdk.KindOf(err) != sdk.KindConflict {
		t.Errorf("an id twice: %v", err)
	}
	if _, err := New([]Connection{{ID: "A"}}); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("a bad id: %v", err)
	}
	empty, err := New(nil)
	if err != nil || empty.Len() != 0 {
		t.Fatal(err)
	}
	if _, err := empty.Get("a"); !strings.Contains(sdk.AsError(err, sdk.SourceHost).Hint, "loam connection add") {
		t.Errorf("an empty project: %v", err)
	}
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	base := Connection{ID: "a", Connector: "x", Config: map[string]any{"host": "h", "tls": map[string]any{"on": true}}, Dir: "/p"}
	tests := []struct {
		name   string
		change func(*Connection)
		same   bool
	}{
		{"nothing", func(*Connection) {}, true},
		{"display name", func(c *Connection) { c.DisplayName = "A" }, true},
		{"description", func(c *Connection) { c.Description = "A" }, true},
		{"row limit", func(c *Connection) { c.Limits.MaxRows = 5 }, true},
		{"defaults spelled out", func(c *Connection) { c.Limits = Limits{Timeout: time.Minute, Concurrency: 4, Memory: 512 << 20} }, true},
		{"isolation spelled out", func(c *Connection) { c.Isolation = IsolationShared }, true},
		{"scan", func(c *Connection) { c.Scan = Scan{Mode: ScanStructural, Include: []string{"a"}} }, true},
		{"connector", func(c *Connection) { c.Connector = "y" }, false},
		{"binary", func(c *Connection) { c.Path = "/bin/x" }, false},
		{"config", func(c *Connection) { c.Config = map[string]any{"host": "g", "tls": map[string]any{"on": true}} }, false},
		{"nested config", func(c *Connection) { c.Config = map[string]any{"host": "h", "tls": map[string]any{"on": false}} }, false},
		{"isolation", func(c *Connection) { c.Isolation = IsolationConnection }, false},
		{"folder", func(c *Connection) { c.Dir = "/q" }, false},
		{"timeout", func(c *Connection) { c.Limits.Timeout = time.Second }, false},
		{"memory", func(c *Connection) { c.Limits.Memory = 1 << 30 }, false},
		{"concurrency", func(c *Connection) { c.Limits.Concurrency = 1 }, false},
	}
	for _, tt := range tests {
		c := base
		tt.change(&c)
		if same := c.Fingerprint() == base.Fingerprint(); same != tt.same || len(c.Fingerprint()) != 32 {
			t.Errorf("%s: same fingerprint: %t, want %t", tt.name, same, tt.same)
		}
	}
}

func TestSource(t *testing.T) {
	t.Parallel()
	base := Connection{ID: "a", Connector: "x", Config: map[string]any{"host": "h"}, Dir: "/p"}
	for name, tt := range map[string]struct {
		change func(*Connection)
		same   bool
	}{
		"limits":    {func(c *Connection) { c.Limits.Timeout = time.Second }, true},
		"scan":      {func(c *Connection) { c.Scan.Include = []string{"a"} }, true},
		"folder":    {func(c *Connection) { c.Dir = "/q" }, true}, // moved, with its snapshots
		"connector": {func(c *Connection) { c.Connector = "y" }, false},
		"config":    {func(c *Connection) { c.Config = map[string]any{"host": "g"} }, false},
	} {
		c := base
		tt.change(&c)
		if same := c.Source() == base.Source(); same != tt.same || len(c.Source()) != 32 {
			t.Errorf("%s: same source: %t, want %t", name, same, tt.same)
		}
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	if got := (Connection{ID: "a"}).Name(); got != "a" {
		t.Errorf("name %q", got)
	}
	if got := (Connection{ID: "a", DisplayName: "The A"}).Name(); got != "The A" {
		t.Errorf("name %q", got)
	}
}
