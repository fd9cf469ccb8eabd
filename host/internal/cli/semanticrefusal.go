package cli

import "github.com/loam-data/loam/host/internal/semantic/compile"

// refusalDocument is what a refusal of the semantic layer says besides its message
// and its hint: the same fields as the MCP tool's.
type refusalDocument struct {
	Code       compile.Code      `json:"code"`
	Member     string            `json:"member,omitempty"`
	Measure    string            `json:"measure,omitempty"`
	Excerpt    string            `json:"excerpt,omitempty"`
	Position   *compile.Position `json:"position,omitempty"`
	DidYouMean []string          `json:"didYouMean,omitempty"`
	Candidates []string          `json:"candidates,omitempty"`
	Paths      []string          `json:"paths,omitempty"`
}

func newRefusalDocument(e *compile.Error) *refusalDocument {
	return &refusalDocument{e.Code, e.Member, e.Measure, e.Excerpt, e.Position, e.DidYouMean, e.Candidates, e.Paths}
}
