package usage

import (
	"time"

	"github.com/loam-data/loam/host/internal/store"
)

// Report is the statistics of the recorded calls from Start to End.
// Shape: no list is nil.
type Report struct {
	Period   string `json:"period"`
	Start    string `json:"start"` // RFC 3339, UTC
	End      string `json:"end"`   // RFC 3339, UTC; not in it
	Recorded bool   `json:"recorded"`
	// Missing counts the calls that ended and were not recorded.
	Missing int    `json:"missing"`
	Total   Counts `json:"total"`
	Tools   []Tool `json:"tools"`
	// Periods are the days, weeks or months, without a gap; one for period all.
	Periods []Period `json:"periods"`
	// SavedQueries and Skills are null while no arguments are recorded, Skills also without any call.
	SavedQueries *Reuse `json:"savedQueries"`
	Skills       *Reuse `json:"skills"`
	// TokenReduction is null unless checkpoints reported their tokens before and after.
	TokenReduction *Reduction `json:"tokenReduction"`
	Notes          []string   `json:"notes,omitempty"`
}

// Counts sums calls. EstimatedTokens are those of the answers, by their bytes.
type Counts struct {
	Calls           int   `json:"calls"`
	Failed          int   `json:"failed"`
	Bytes           int64 `json:"bytes"`
	EstimatedTokens int64 `json:"estimatedTokens"`
}

// Tool is the calls of one tool, or of a method of the protocol such as prompts/get.
type Tool struct {
	Tool string `json:"tool"`
	Counts
	// Outcomes counts calls by "ok" or the code of the error.
	Outcomes map[string]int `json:"outcomes"`
	// P50Ms and P95Ms are how long half of the calls and 95 % of them took at most.
	P50Ms float64 `json:"p50Ms"`
	P95Ms float64 `json:"p95Ms"`
}

// Period is the calls of one day, week or month.
type Period struct {
	Start string `json:"start"`
	End   string `json:"end"`
	Counts
}

// Reuse is how often things with a name were used: Distinct ones in Runs calls, of which Repeated used one again that an
// earlier call of the period had used. Calls whose name was not recorded are only in Runs.
type Reuse struct {
	Runs     int `json:"runs"`
	Distinct int `json:"distinct"`
	Repeated int `json:"repeated"`
}

// Reduction is the tokens of a conversation before and after its checkpoints, as agents reported them.
type Reduction struct {
	Checkpoints int   `json:"checkpoints"`
	Before      int64 `json:"tokensBefore"`
	After       int64 `json:"tokensAfter"`
}

// bytesPerToken is that of answers: tables of numbers and names as JSON. Prose has more.
const bytesPerToken = 3

func tokensOf(bytes int64) int64 { return (bytes + bytesPerToken - 1) / bytesPerToken }

func (out *Report) add(t store.ToolStats) {
	c := Counts{t.Calls, t.Calls - t.Outcomes[store.OutcomeOK], t.Bytes, tokensOf(t.Bytes)}
	out.Tools = append(out.Tools, Tool{Tool: t.Tool, Counts: c, Outcomes: t.Outcomes, P50Ms: millis(t.P50), P95Ms: millis(t.P95)})
	out.Total.Calls += c.Calls
	out.Total.Failed += c.Failed
	out.Total.Bytes += c.Bytes
	out.Total.EstimatedTokens = tokensOf(out.Total.Bytes)
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func clock(t time.Time) string { return t.UTC().Format(time.RFC3339) }
