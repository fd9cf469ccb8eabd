package semanticquery

import "github.com/loam-data/loam/host/internal/semantic/refusal"

// Refusal is what a refusal says besides its message and its hint, as every edge
// shows it.
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

// NewRefusal describes a refusal of the compiler.
func NewRefusal(e *refusal.Error) *Refusal {
	return &Refusal{e.Code, e.Member, e.Measure, e.Excerpt, e.Position, e.DidYouMean, e.Candidates, e.Paths}
}
