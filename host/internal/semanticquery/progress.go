package semanticquery

import "github.com/loam-data/loam/host/internal/query"

// The stages of a query, as fractions of it.
const (
	fractionCompiling  = 0
	fractionGenerating = 0.3
	fractionExecuting  = 0.6
	fractionDone       = 1
)

// ofExecution receives the progress of the statement and reports what is done of its
// execution, but for its end; nil when nobody asked.
func ofExecution(p *query.Progress) func(fraction float64, message string) {
	if !p.Asked() {
		return nil
	}
	return func(fraction float64, message string) {
		if done := query.Executed(fraction); done > 0 && done < 1 {
			p.Send(fractionExecuting+(fractionDone-fractionExecuting)*done, message)
		}
	}
}
