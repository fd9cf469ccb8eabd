package memory

import (
	"context"
	"strings"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// obstacle refuses to write a member of a source that is defined elsewhere: a file of a person or of an
// importer wins over what was learned, so that the entry would have no effect, and of two learned ones
// only one can be there.
// Errors: KindConflict, with what can be done.
func (s *Service) obstacle(ctx context.Context, c *change.Change) error {
	id, below, ok := overlay(c.Path)
	if !ok || c.Kind != change.Measure && c.Kind != change.Segment {
		return nil
	}
	state, err := s.layerOf(ctx, connection.ID(id))
	if err != nil {
		return err
	}
	source := state.Model.Source(model.Metrics)
	if home := homeOf(c.Target); home != "" {
		if source, err = state.Model.FindSource(home); err != nil {
			return nil // its table is gone: that is no reason to keep somebody from writing it
		}
	}
	for _, o := range state.Model.Origins(source) {
		if !defines(c, &o) {
			continue
		}
		file := "semantic-layer/" + id + "/" + o.File
		switch {
		case o.Layer != model.MemoryLayer && o.Layer != model.ScannedLayer:
			return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s line %d defines %s, and would win", file, o.Line, c.Target).
				WithHint("change it there as loam review show %[1]s has it and reject this one (loam review reject %[1]s), or only reject it", c.ID)
		case o.File == below:
			return s.taken(ctx, c)
		}
	}
	return nil
}

// defines reports whether something in a source is what a change would write there.
func defines(c *change.Change, o *model.Origin) bool {
	for _, b := range c.Blocks {
		if b.After != "" && strings.EqualFold(b.Place, form.Member(o.Kind, o.Name)) {
			return true
		}
	}
	return false
}

// homeOf returns the source of a target, "" of a metric.
func homeOf(target string) string {
	if at := strings.LastIndexByte(target, '.'); at >= 0 {
		return target[:at]
	}
	return ""
}

// taken refuses a change of an entry that an earlier change made otherwise.
// Errors: KindConflict, with the changes to take back first.
func (s *Service) taken(ctx context.Context, c *change.Change) error {
	if _, err := s.Engine.Preview(ctx, &c.Proposal); sdk.KindOf(err) != sdk.KindConflict {
		return err
	}
	before, err := s.Engine.List(ctx, change.Filter{States: []change.State{change.Applied, change.Draft}, Connection: c.Connection, Target: c.Target, Path: c.Path})
	if err != nil {
		return err
	}
	var ids []string
	for _, b := range before.Changes {
		if b.Undoes == "" {
			ids = append(ids, string(b.ID))
		}
	}
	e := sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "%s has another definition in %s", c.Target, c.Path)
	if len(ids) == 0 {
		return e.WithHint("take it out of the file, then run loam review approve %[1]s; or loam review reject %[1]s", c.ID)
	}
	return e.WithHint("to replace it: loam review revert %[1]s, then loam review approve %[2]s; to leave it: loam review reject %[2]s", strings.Join(ids, " "), c.ID)
}
