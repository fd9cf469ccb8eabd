package health

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/telemetry/otlp"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

const (
	// lately is what status and doctor look back to.
	lately = 24 * time.Hour
	// probeTimeout bounds the question whether a telemetry receiver is there.
	probeTimeout = 5 * time.Second
)

// Calls counts the tool calls of the last 24 hours.
type Calls struct {
	Off     bool `json:"off"`
	Calls   int  `json:"calls"`
	Failed  int  `json:"failed"`
	Missing int  `json:"missing"` // not recorded
	why     string
}

// Calls counts the calls of the last 24 hours.
func (s *Service) Calls(ctx context.Context, current *project.Project) (*Calls, error) {
	state, err := s.config.State.Get(ctx)
	if err != nil {
		return nil, err
	}
	since := time.Now().Add(-lately)
	count, err := state.CountCalls(ctx, since)
	if err != nil {
		return nil, err
	}
	gaps, err := state.CallGaps(ctx, since)
	if err != nil {
		return nil, err
	}
	d := &Calls{Off: current.History.Off, Calls: count.Calls, Failed: count.Failed}
	for _, g := range gaps {
		d.Missing, d.why = d.Missing+g.Calls, g.Reason
	}
	return d, nil
}

// Text summarises the calls.
func (d *Calls) Text() string {
	switch {
	case d == nil:
		return "unknown"
	case d.Off:
		return "off"
	}
	said := text.Count(d.Calls, "call") + " in the last 24 h"
	if d.Failed > 0 {
		said += fmt.Sprintf(", %d failed", d.Failed)
	}
	if d.Missing > 0 {
		said += fmt.Sprintf(", %d missing", d.Missing)
	}
	return said
}

// observed looks at the history of calls and at where telemetry goes.
func (k *check) observed(ctx context.Context, current *project.Project) {
	if h, err := k.service.Calls(ctx, current); err != nil {
		k.found("history", "", err)
	} else {
		k.history(current.History, h)
	}
	receiver, err := k.service.config.Trust.Endpoint(current)
	if err != nil {
		k.warn("telemetry", err.Error(), sdk.AsError(err, sdk.SourceHost).Hint)
	}
	settings := otlp.Settings{Endpoint: receiver, Getenv: os.Getenv}
	endpoint, setting := settings.Where()
	if endpoint == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	if err := otlp.Probe(ctx, settings); err != nil {
		k.warn("telemetry", err.Error(), sdk.AsError(err, sdk.SourceHost).Hint)
		return
	}
	k.found("telemetry", fmt.Sprintf("%s (%s) takes what is sent", endpoint, setting), nil)
}

func (k *check) history(set project.History, h *Calls) {
	keep := history.Set(set.Off, set.Keep, set.Rows, history.Arguments(set.Arguments))
	switch {
	case h.Missing > 0:
		k.warn("history", fmt.Sprintf("%s of the last 24 h were not recorded: %s", text.Count(h.Missing, "call"), h.why), "look for why: loam mcp logs; and make room on the disk of "+k.service.config.State.Path())
	case h.Off:
		k.found("history", "off", nil)
	default:
		k.found("history", fmt.Sprintf("%s; kept for %d days, at most %s", h.Text(), keep.Keep/lately, text.Count(keep.Rows, "call")), nil)
	}
}
