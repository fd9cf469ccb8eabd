// Package usage is the use case that counts the recorded calls of the MCP tools: how many there were, how they ended, how
// long they took, and how much they returned. It reads the history of calls and estimates nothing that the history does
// not have: no time that somebody saved, no money.
package usage

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/store"
)

// Config is the configuration of a Service. All fields are required.
type Config struct {
	State *store.Lazy
	// Settings returns the current settings of the history.
	Settings func(context.Context) (history.Settings, error)
	Now      func() time.Time
}

// Service counts calls. Concurrency: any number of calls.
type Service struct{ config Config }

// New returns a Service.
func New(c Config) *Service { return &Service{config: c} }

// Tools whose argument name is what they reuse.
const (
	savedTool = "execute_approved_query"
	skillTool = "skill_apply"
)

// Report returns the statistics of the recorded calls. A caller who may use some connections alone gets the calls on these,
// and those on none. It creates no missing state store.
// Errors: KindInvalid for a request that cannot be; those of the store and of Config.Settings.
func (s *Service) Report(ctx context.Context, r Request) (*Report, error) {
	now := s.config.Now().UTC()
	set, err := s.config.Settings(ctx)
	if err != nil {
		return nil, err
	}
	w, err := r.window(now)
	if err != nil {
		return nil, err
	}
	out := &Report{Period: w.period, Recorded: !set.Off, Tools: []Tool{}, Periods: []Period{}}
	var state *store.Store
	if _, err := os.Stat(s.config.State.Path()); !errors.Is(err, fs.ErrNotExist) {
		if state, err = s.config.State.Get(ctx); err != nil {
			return nil, err
		}
		if err := w.begin(ctx, state); err != nil {
			return nil, err
		}
	}
	bounds, err := w.bounds()
	if err != nil {
		return nil, err
	}
	out.Start, out.End = clock(bounds[0]), clock(bounds[len(bounds)-1])
	if state != nil {
		if err := out.count(ctx, state, bounds, connectionsOf(ctx), set); err != nil {
			return nil, err
		}
	}
	if set.Off {
		out.Notes = append(out.Notes, "No calls are recorded now: loam.yaml has history: off.")
	}
	return out, nil
}

// connectionsOf returns the connections that the caller may use; nil = all.
func connectionsOf(ctx context.Context) []string {
	who := caller.Of(ctx)
	if !who.Narrows() {
		return nil
	}
	return slices.Clone(who.Connections)
}

// count fills the report from the store.
func (out *Report) count(ctx context.Context, state *store.Store, bounds []time.Time, connections []string, set history.Settings) error {
	filter := store.StatsFilter{Since: bounds[0], Until: bounds[len(bounds)-1], Connections: connections}
	tools, err := state.ToolStats(ctx, filter)
	if err != nil {
		return err
	}
	for _, t := range tools {
		out.add(t)
	}
	periods, err := state.PeriodStats(ctx, bounds, connections)
	if err != nil {
		return err
	}
	for i, p := range periods {
		out.Periods = append(out.Periods, Period{clock(bounds[i]), clock(bounds[i+1]), Counts{p.Calls, p.Failed, p.Bytes, tokensOf(p.Bytes)}})
	}
	gaps, err := state.CallGaps(ctx, filter.Since)
	if err != nil {
		return err
	}
	for _, g := range gaps {
		if g.From.Before(filter.Until) {
			out.Missing += g.Calls
		}
	}
	if err := out.reduction(ctx, state, filter); err != nil {
		return err
	}
	if set.Off || set.Arguments == history.None {
		return nil
	}
	if out.SavedQueries, err = reuse(ctx, state, savedTool, filter); err != nil {
		return err
	}
	if out.Skills, err = reuse(ctx, state, skillTool, filter); err == nil && out.Skills.Runs == 0 {
		out.Skills = nil
	}
	return err
}

// reduction sums what checkpoints reported, of those that the caller may see.
func (out *Report) reduction(ctx context.Context, state *store.Store, f store.StatsFilter) error {
	owner := ""
	if who := caller.Of(ctx); who.Named {
		owner = who.Principal
	}
	r, err := state.CheckpointTokens(ctx, f.Since, f.Until, owner)
	if err == nil && r.Checkpoints > 0 {
		out.TokenReduction = &Reduction{r.Checkpoints, r.Before, r.After}
	}
	return err
}

func reuse(ctx context.Context, state *store.Store, tool string, f store.StatsFilter) (*Reuse, error) {
	r, err := state.Reuse(ctx, tool, f)
	return &Reuse{Runs: r.Runs, Distinct: r.Names, Repeated: r.Named - r.Names}, err
}
