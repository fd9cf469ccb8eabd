package caller

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOf(t *testing.T) {
	t.Parallel()
	if c := Of(t.Context()); c.Principal != None || c.Transport != "" || c.Session() != "" || c.Shared() || c.Narrows() {
		t.Errorf("a context that nobody has touched is of %+v", c)
	}
	who := &Caller{Transport: HTTP, Principal: "ada", Named: true, Client: "a"}
	ctx, cancel := context.WithCancel(With(t.Context(), who))
	defer cancel()
	if c := Of(ctx); c != who || !c.Shared() {
		t.Errorf("of %+v", c)
	}
	if (&Caller{Transport: Stdio}).Shared() {
		t.Error("a pipe is shared")
	}
}

// The id of a session is not told; two are not taken for one.
func TestSession(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, client := range []string{"", "a", "b"} {
		got[client] = (&Caller{Client: client}).Session()
	}
	if diff := cmp.Diff(map[string]string{"": "", "a": "ca978112", "b": "3e23e816"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGrant(t *testing.T) {
	t.Parallel()
	some := Grant{Toolsets: []string{"research"}, Connections: []string{"shop", "crm"}}
	for _, tt := range []struct {
		name                string
		grant               Grant
		toolset, connection string
		tool, data, narrows bool
	}{
		{"everything", Grant{}, "research", "shop", true, true, false},
		{"what is named", some, "research", "crm", true, true, true},
		{"what is not", some, "memory", "hr", false, false, true},
		{"a part of a name", some, "res", "sho", false, false, true},
		{"no name", some, "", "", false, false, true},
		{"toolsets alone", Grant{Toolsets: []string{"research"}}, "memory", "hr", false, true, false},
		{"connections alone", Grant{Connections: []string{"shop"}}, "memory", "hr", true, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.grant.AllowsToolset(tt.toolset); got != tt.tool {
				t.Errorf("toolset %q: %v", tt.toolset, got)
			}
			if got := tt.grant.AllowsConnection(tt.connection); got != tt.data {
				t.Errorf("connection %q: %v", tt.connection, got)
			}
			if got := tt.grant.Narrows(); got != tt.narrows {
				t.Errorf("narrows: %v", got)
			}
		})
	}
}
