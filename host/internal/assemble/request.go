package assemble

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
)

const (
	// maxQuestion is the longest query. Units: characters.
	maxQuestion = 500
	maxNamed    = 50 // tables that a request names
	// The bounds of ContextRequest.Budget.
	leastBudget, mostBudget = 200, 20_000
	// glossaryBudget is that of Glossary.
	glossaryBudget = 4000
)

// depths are all of them, from the least detail to the most.
var depths = []Depth{Domain, Entities, Tables, Columns}

// budgets are those of requests that name none.
var budgets = map[Depth]int{Domain: 500, Entities: 2000, Tables: 4000, Columns: 8000}

// checked returns the request with its defaults.
// Errors: KindInvalid for a value out of its bounds.
func (r ContextRequest) checked() (ContextRequest, error) {
	if r.Depth == "" {
		r.Depth = Entities
	}
	if r.Budget == 0 {
		r.Budget = budgets[r.Depth]
	}
	r.Query = strings.TrimSpace(r.Query)
	characters := utf8.RuneCountInString(r.Query)
	switch {
	case !slices.Contains(depths, r.Depth):
		err := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no depth %q", clip(string(r.Depth), maxName))
		for _, d := range depths {
			err.Candidates = append(err.Candidates, string(d))
		}
		return r, err.WithHint("choose from %s", strings.Join(err.Candidates, ", "))
	case r.Budget < leastBudget || r.Budget > mostBudget:
		return r, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "a budget of %d tokens is not possible", r.Budget).
			WithHint("choose from %d to %d, or leave it out for %d", leastBudget, mostBudget, budgets[r.Depth])
	case characters > maxQuestion:
		return r, tooLong("the query", characters, maxQuestion)
	case len(r.Tables) > maxNamed:
		return r, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%d tables are named; the limit is %d", len(r.Tables), maxNamed).
			WithHint("name fewer tables, or none and follow nextCursor")
	case len(r.Tables) > 0 && r.Depth == Domain:
		return r, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "tables are named, and depth domain lists none").
			WithHint("choose depth entities, tables or columns, or leave tables out")
	case r.Cursor != "" && r.Depth == Domain:
		return r, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "depth domain has one answer and no cursor").WithHint("leave the cursor out")
	}
	return r, nil
}
