package review

import (
	"context"

	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/memory"
)

// numbers are the values of a measure without and with a change.
type numbers struct {
	Period string `json:"period,omitempty"`
	Now    string `json:"now"`
	Then   string `json:"then"`
	// NowReason and ThenReason say why there is no value.
	NowReason  string `json:"nowReason,omitempty"`
	ThenReason string `json:"thenReason,omitempty"`
	// Same: both have a value, and it is the same.
	Same bool `json:"same,omitempty"`
}

// compareNumbers asks the warehouse for the measure as it is and as the change would have it.
func (s Services) compareNumbers(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	d, err := s.Memory.Change(ctx, r.Path("id"))
	if err != nil {
		return nil, err
	}
	of, err := s.Memory.Numbers(ctx, string(d.ID))
	if err != nil {
		return nil, err
	}
	data, err := s.changeOf(ctx, r, d)
	if err != nil {
		return nil, err
	}
	data.Numbers = numbersOf(of)
	return &page.Outcome{View: s.view(data)}, nil
}

func numbersOf(of *memory.Numbers) *numbers {
	return &numbers{
		Period: of.Period, Now: shown(string(of.Now.Value), maxName), Then: shown(string(of.Then.Value), maxName),
		NowReason: shown(of.Now.Reason, maxFault), ThenReason: shown(of.Then.Reason, maxFault),
		Same: len(of.Now.Value) > 0 && string(of.Now.Value) == string(of.Then.Value),
	}
}
