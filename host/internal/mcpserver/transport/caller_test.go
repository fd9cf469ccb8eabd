package transport

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/loam-data/loam/sdk"
)

func TestCallerOf(t *testing.T) {
	t.Parallel()
	open, err := newAccess(Access{})
	if err != nil {
		t.Fatal(err)
	}
	guarded, err := newAccess(Access{Token: sdk.NewSecret("hunter2")})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		ctx  context.Context
		want Caller
	}{
		{"a pipe", withClient(t.Context(), "a"), Caller{"stdio", "none", "ca978112"}},
		{"another pipe", withClient(t.Context(), "b"), Caller{"stdio", "none", "3e23e816"}},
		{"nobody", t.Context(), Caller{"stdio", "none", ""}},
		{"HTTP", open.withCaller(withClient(t.Context(), "a")), Caller{"http", "none", "ca978112"}},
		{"a token", withClient(guarded.withCaller(t.Context()), "a"), Caller{"http", "token", "ca978112"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, CallerOf(tt.ctx)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The client of a pipe is known from when it says who it is.
func TestPipeKnowsItsClient(t *testing.T) {
	t.Parallel()
	s := &stdioSession{}
	if s.GetClientInfo().Name != "" || s.GetClientCapabilities().Elicitation != nil {
		t.Errorf("before: %+v", s.GetClientInfo())
	}
	s.SetClientInfo(mcp.Implementation{Name: "agent", Version: "1"})
	s.SetClientCapabilities(mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{}})
	if got := s.GetClientInfo(); got.Name != "agent" || got.Version != "1" || s.GetClientCapabilities().Elicitation == nil {
		t.Errorf("after: %+v", got)
	}
}
