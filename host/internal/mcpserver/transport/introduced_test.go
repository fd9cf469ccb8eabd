package transport

import (
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

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
