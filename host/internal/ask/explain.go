package ask

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/finding"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/sdk"
)

// Plan is how the engine would run a statement. Nothing was run.
type Plan struct {
	// Format is that of Plan: "text", "json", "xml".
	Format string `json:"format"`
	Plan   string `json:"plan"`
	// The estimates are the engine's; nil = it gives none.
	EstimatedRows    *int64            `json:"estimatedRows"`
	EstimatedBytes   *int64            `json:"estimatedBytes"`
	EstimatedCostUSD *float64          `json:"estimatedCostUsd"`
	Findings         []finding.Finding `json:"findings"`
	// Executed is false, always.
	Executed bool     `json:"executed"`
	Notes    []string `json:"notes,omitempty"`
}

// Explain returns the engine's plan of a statement, which is not run. maxChars bounds the text of the plan, in
// characters; negative = no limit.
// Errors: those of query.Service.Explain; KindInvalid for parameters that cannot be bound.
func (s *Service) Explain(ctx context.Context, in Statement, maxChars int) (*Plan, error) {
	params, err := bound(in.Parameters)
	if err != nil {
		return nil, err
	}
	e, d, err := s.Query.Explain(ctx, query.Request{Connection: in.Connection, SQL: in.SQL, Params: params})
	if counted := checkCount(&in, d); counted != nil && sdk.KindOf(err) != sdk.KindNotReadOnly && sdk.KindOf(err) != sdk.KindSyntax {
		return nil, counted
	}
	if err != nil {
		return nil, s.Offer(ctx, in.Connection, in.SQL, err)
	}
	p := &Plan{Format: e.Format, Plan: e.Text, Findings: s.findings(ctx, &in, d)}
	if e.EstimatedRows >= 0 {
		p.EstimatedRows = &e.EstimatedRows
	}
	if e.EstimatedBytes >= 0 {
		p.EstimatedBytes = &e.EstimatedBytes
	}
	if e.EstimatedCostUSD >= 0 {
		p.EstimatedCostUSD = &e.EstimatedCostUSD
	}
	if n := utf8.RuneCountInString(p.Plan); maxChars >= 0 && n > maxChars {
		p.Plan = wholeLines(p.Plan, maxChars)
		p.Notes = append(p.Notes, fmt.Sprintf("The plan has %d characters and is cut: loam sql --explain prints all of it.", n))
	}
	return p, nil
}

// wholeLines returns the first lines of a text that have at most so many characters; of a longer line its beginning.
func wholeLines(text string, most int) string {
	cut := string([]rune(text)[:most])
	if end := strings.LastIndexByte(cut, '\n'); end > 0 {
		cut = cut[:end]
	}
	return cut
}
