package history

import (
	"context"
	"slices"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/console/result"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// maxTools bounds the tools in the menu of the filter.
const maxTools = 150

// filters returns the filters of a list, with the chosen values.
func (s *Services) filters(ctx context.Context, opened *store.Store, r *page.Request, a *asked) ([]page.Filter, error) {
	all := []page.Filter{
		menu("show", "Show", a.show, "calls and reviews", onlyCalls, onlyReviews),
		menu("since", "Since", a.since, "any time", "1h", "24h", "7d", "30d"),
	}
	switch a.show {
	case onlyCalls:
		tools, err := opened.CallTools(ctx, maxTools)
		if err != nil {
			return nil, err
		}
		registry, err := s.Connections(ctx)
		if err != nil {
			return nil, err
		}
		var ids []string
		for _, c := range registry.All() {
			ids = append(ids, string(c.ID))
		}
		return append(all, menu("tool", "Tool", a.calls.Tool, "any", tools...), field("client", "Client", a.calls.Client), field("principal", "Principal", a.calls.Principal),
			menu("connection", "Connection", a.calls.Connection, "any", ids...), menu("outcome", "Outcome", a.calls.Outcome, "any", outcomes()...),
			field("incident", "Incident or id", r.Param("incident"))), nil
	case onlyReviews:
		return append(all, menu("verb", "Verb", a.events.Verb, "any", verbs()...), field("actor", "Actor", a.events.Actor), field("change", "Change", a.events.Change)), nil
	}
	return all, nil
}

// menu returns a filter with choices; a value that is none of them is added.
func menu(name, label, value, without string, values ...string) page.Filter {
	f := page.Filter{Name: name, Label: label, Value: value, Choices: []page.Choice{{Label: without, Count: -1, Now: value == ""}}}
	if value != "" && !slices.Contains(values, value) {
		values = append([]string{value}, values...)
	}
	for _, v := range values {
		f.Choices = append(f.Choices, page.Choice{Value: v, Label: result.Short(v, maxShown), Count: -1, Now: v == value})
	}
	return f
}

func field(name, label, value string) page.Filter {
	return page.Filter{Name: name, Label: label, Value: value}
}

// outcomes are the ways in which a call can end.
func outcomes() []string {
	all := []string{store.OutcomeOK, store.AnyFailure}
	for _, k := range sdk.Kinds() {
		all = append(all, string(k))
	}
	return all
}

func verbs() []string {
	return append([]string{
		change.VerbApplied, change.VerbApproved, change.VerbEdited, change.VerbRejected, change.VerbReverted, change.VerbSuperseded,
		change.VerbReopened, change.VerbOutrun, change.VerbRestored, change.VerbFailed, change.VerbMuted, change.VerbUnmuted, "retry",
	}, review.Verbs()...)
}
