package semanticquery

import "github.com/loam-data/loam/host/internal/semantic/refusal"

// Refusal is the details of a refused request besides its message and hint, for
// MCP and the command line.
type Refusal struct {
	Code       refusal.Code      `json:"code"`
	Member     string            `json:"member,omitempty"`
	Measure    string            `json:"measure,omitempty"`
	Excerpt    string            `json:"excerpt,omitempty"`
	Position   *refusal.Position `json:"position,omitempty"`
	DidYouMean []string          `json:"didYouMean,omitempty"`
	Candidates []string          `json:"candidates,omitempty"`
	Paths      []string          `json:"paths,omitempty"`
}

// NewRefusal returns the details of a compiler's refusal.
func NewRefusal(e *refusal.Error) *Refusal {
	return &Refusal{e.Code, e.Member, e.Measure, e.Excerpt, e.Position, e.DidYouMean, e.Candidates, e.Paths}
}
