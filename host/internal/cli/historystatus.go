package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/telemetry/otlp"
)

const (
	// lately is what status and doctor look back to.
	lately = 24 * time.Hour
	// probeTimeout bounds the question whether a telemetry receiver is there.
	probeTimeout = 5 * time.Second
)

// historySummary is the history of tool calls in numbers, of the last 24 hours.
type historySummary struct {
	Off     bool `json:"off"`
	Calls   int  `json:"calls"`
	Failed  int  `json:"failed"`
	Missing int  `json:"missing"` // not recorded
	why     string
}

func historyOf(ctx context.Context, rooms *Rooms, current *project.Project) (*historySummary, error) {
	state, err := rooms.State.Get(ctx)
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
	d := &historySummary{Off: current.History.Off, Calls: count.Calls, Failed: count.Failed}
	for _, g := range gaps {
		d.Missing, d.why = d.Missing+g.Calls, g.Reason
	}
	return d, nil
}

// text is the history in a few words.
func (d *historySummary) text() string {
	switch {
	case d == nil:
		return "unknown"
	case d.Off:
		return "off"
	}
	text := plural(d.Calls, "call") + " in the last 24 h"
	if d.Failed > 0 {
		text += fmt.Sprintf(", %d failed", d.Failed)
	}
	if d.Missing > 0 {
		text += fmt.Sprintf(", %d missing", d.Missing)
	}
	return text
}

// observed looks at the history of calls and at where telemetry goes.
func (d *doctor) observed(ctx context.Context, current *project.Project) {
	if h, err := historyOf(ctx, d.rooms, current); err != nil {
		d.found("history", "", err)
	} else {
		d.history(current.History, h)
	}
	receiver, err := d.rooms.Trust.Endpoint(current)
	if err != nil {
		e := failureOf(err)
		d.warn("telemetry", e.Message, e.Hint)
	}
	settings := otlp.Settings{Endpoint: receiver, Getenv: os.Getenv}
	endpoint, setting := settings.Where()
	if endpoint == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	if err := otlp.Probe(ctx, settings); err != nil {
		e := failureOf(err)
		d.warn("telemetry", e.Message, e.Hint)
		return
	}
	d.found("telemetry", fmt.Sprintf("%s (%s) takes what is sent", endpoint, setting), nil)
}

func (d *doctor) history(set project.History, h *historySummary) {
	keep := history.Set(set.Off, set.Keep, set.Rows, history.Arguments(set.Arguments))
	switch {
	case h.Missing > 0:
		d.warn("history", fmt.Sprintf("%s of the last 24 h were not recorded: %s", plural(h.Missing, "call"), h.why), "look for why: loam mcp logs; and make room on the disk of "+project.StatePath("."))
	case h.Off:
		d.found("history", "off", nil)
	default:
		d.found("history", fmt.Sprintf("%s; kept for %d days, at most %s", h.text(), keep.Keep/lately, plural(keep.Rows, "call")), nil)
	}
}
