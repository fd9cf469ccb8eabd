package memory

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/planner"
	"github.com/loam-data/loam/sdk"
)

// part is one block of a change as a person edits it.
type part struct {
	Place string `yaml:"place"`
	Text  string `yaml:"text"`
}

// Pending returns a pending change for editing: its blocks as a YAML list of places and texts.
// Errors: KindNotFound; KindConflict for a change that is not pending.
func (s *Service) Pending(ctx context.Context, id string) (text string, version int64, err error) {
	c, err := s.change(ctx, id)
	if err != nil {
		return "", 0, err
	}
	if c.State != change.Pending {
		return "", 0, notPending(c)
	}
	parts := make([]part, len(c.Blocks))
	for i, b := range c.Blocks {
		parts[i] = part{b.Place, b.After}
	}
	content, err := yaml.Marshal(parts)
	return string(content), c.Version, err
}

func notPending(c *change.Change) error {
	return sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "change %s is %s and waits for nobody", c.ID, c.Shown()).WithHint("loam review list shows what waits")
}

// EditPending replaces the text of a pending change.
// Errors: KindInvalid for a text with other places, and for one that is not valid in the semantic
// layer; KindConflict for another version; KindDenied.
func (s *Service) EditPending(ctx context.Context, id, text string, version int64, by change.Actor) (*Detail, error) {
	var edited *change.Change
	err := s.decide(ctx, by, func(ctx context.Context) error {
		c, err := s.change(ctx, id)
		if err != nil {
			return err
		}
		if c.State != change.Pending {
			return notPending(c)
		}
		if sameClient(by, c.By) {
			return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s cannot decide of its own change", by.Name()).WithHint("ask a person to run loam review show %s", c.ID)
		}
		p := c.Proposal
		if p.Blocks, err = edit(c.Blocks, text); err != nil {
			return err
		}
		if p.Value, p.Says, err = s.valued(p); err != nil {
			return err
		}
		if err := s.verified(ctx, &p, by); err != nil {
			return err
		}
		edited, err = s.Engine.Edit(ctx, c.ID, p, change.Decision{By: by, Version: version})
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.detail(ctx, edited)
}

// edit returns blocks as a text has them.
func edit(blocks []change.Block, text string) ([]change.Block, error) {
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.KnownFields(true)
	var parts []part
	if err := decoder.Decode(&parts); err != nil && !errors.Is(err, io.EOF) {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the text is no YAML list of entries with place and text").WithHint("keep the keys place and text, and change what stands under text")
	}
	var out []change.Block
	for _, b := range blocks {
		for _, p := range parts {
			if p.Place == b.Place {
				b.After = p.Text
				out = append(out, b)
			}
		}
	}
	if len(out) != len(parts) || len(out) == 0 {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the text has other places than the change").WithHint("leave a place out, or change its text; each place stands there once")
	}
	return out, nil
}

// valued returns the new value of an edited proposal, and what it says in one line.
func (s *Service) valued(p change.Proposal) (value, says string, err error) {
	text := definition(&p)
	if err := s.clean(text); err != nil {
		return "", "", err
	}
	return hex.EncodeToString(hashOf(text)), saysOf(&p, text), nil
}

// saysOf returns what an edited proposal says in one line: of a member of the semantic layer its name and the entries
// that define it, else the first line of its text.
func saysOf(p *change.Proposal, text string) string {
	if p.Kind != change.Measure && p.Kind != change.Segment {
		return firstLine(text)
	}
	var entries []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		key, _, _ := strings.Cut(line, ":")
		if line != "" && !slices.Contains([]string{"label", "description", "learned", "verified"}, key) {
			entries = append(entries, line)
		}
	}
	name := p.Target[strings.LastIndexByte(p.Target, '.')+1:]
	return firstLine(name + ": " + strings.Join(entries, ", "))
}

// verified tries what an edited proposal says.
func (s *Service) verified(ctx context.Context, p *change.Proposal, by change.Actor) error {
	if p.Kind != change.Measure && p.Kind != change.Segment {
		return nil
	}
	state, err := s.Store.Get(ctx)
	if err != nil {
		return err
	}
	j := &job{service: s, state: state, connection: p.Connection, actor: by}
	if j.policy, err = s.policy(ctx); err != nil {
		return err
	}
	v, err := j.view(ctx)
	if err != nil {
		return err
	}
	plan := &planner.Plan{Changes: []change.Proposal{*p}}
	plan.Changes[0].Why, plan.Changes[0].Note, plan.Changes[0].Verified = nil, "", nil
	if err := j.verify(ctx, v, plan); err != nil {
		return err
	}
	*p = plan.Changes[0]
	if len(p.Why) == 0 {
		p.Why = []string{change.WhyPolicy}
	}
	return nil
}
