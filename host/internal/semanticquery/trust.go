package semanticquery

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// Standing is who vouches for a member, and how far it was tested.
// Shape: Trust is agent, imported or reviewed (an agent's, approved by a person); "" = a person wrote it, or
// it was scanned. Flags are conflict and stale.
type Standing struct {
	Trust model.Trust `json:"trust,omitempty"`
	Flags []string    `json:"flags,omitempty"`
	// Learned is who stated it, when, and in what text; Verified is how far it was tested.
	Learned  *model.Learned  `json:"learned,omitempty"`
	Verified *model.Verified `json:"verified,omitempty"`
}

// The flags of a Standing.
const (
	flagConflict = "conflict" // a pending statement contradicts it
	flagStale    = "stale"    // nobody tried it for long, its source does not say it any more, or a column of it is gone
)

func (s *Service) disputes(ctx context.Context) (*change.Disputes, error) {
	if s.Memory == nil {
		return nil, nil
	}
	return s.Memory.Disputes(ctx)
}

// told is what is known of who told the members of a source, and of what contradicts them.
type told struct {
	connection connection.ID
	layers     map[[2]string]model.Layer // by kind and name, as of model.Origin
	disputes   *change.Disputes
	now        time.Time
	against    []change.Dispute // of all members so far
}

func (s *Service) told(ctx context.Context, id connection.ID, m *model.Model, source *model.Source) (*told, error) {
	t := &told{connection: id, layers: map[[2]string]model.Layer{}, now: s.Now()}
	for _, o := range m.Origins(source) {
		t.layers[[2]string{o.Kind, o.Name}] = o.Layer
	}
	var err error
	t.disputes, err = s.disputes(ctx)
	return t, err
}

// stand returns the standing of a member of a kind of model.Origin.
// Shape: a learned member that cannot be computed any more, such as after its column went, is stale.
func (t *told) stand(source *model.Source, kind, name string, d *model.Details, broken string) Standing {
	s := Standing{Trust: t.layers[[2]string{kind, name}].Trust(d.Learned).Shown(), Learned: d.Learned, Verified: d.Verified}
	against := t.disputes.OfMember(string(t.connection), targets(source, name)...)
	if t.against = append(t.against, against...); len(against) > 0 {
		s.Flags = append(s.Flags, flagConflict)
	}
	if d.Learned != nil && broken != "" || d.Verified.Stale(t.now) || len(t.disputes.Unsaid().OfMember(string(t.connection), targets(source, name)...)) > 0 {
		s.Flags = append(s.Flags, flagStale)
	}
	return s
}

// targets are the names that changes have for a member of a source.
func targets(s *model.Source, member string) []string {
	if s.ID == model.Metrics {
		return []string{member}
	}
	return []string{s.Name + "." + member, s.Identity + "." + member}
}

// drafts are notes on the measures of a query that were told and that no person approved, or that a pending
// statement contradicts.
func (s *Service) drafts(ctx context.Context, id connection.ID, state *layer.State, q *compile.Query) (notes []string, err error) {
	disputes, err := s.disputes(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range q.Measures {
		m, source := state.Model.Measure(one), state.Model.Source(one.Source())
		if m.Name == "" { // a part of one
			continue
		}
		known := targets(source, m.Name)
		if l := m.Learned; l != nil && !l.Reviewed {
			review, err := s.howToReview(ctx, id, state, source, m, known)
			if err != nil {
				return nil, err
			}
			notes = append(notes, fmt.Sprintf("unreviewed: %s, %s; %s. %s", known[0], learnedWords(l), triedWords(m.Verified, s.Now()), review))
		}
		for _, d := range change.Shown(disputes.Unsaid().OfMember(string(id), known...)).Conflicts {
			notes = append(notes, fmt.Sprintf("stale: %s: %s does not say it any more since %s. Removing it waits for a person: loam review show %s", known[0], d.By, d.At.Format(time.DateOnly), d.Change))
		}
		for _, d := range change.Shown(disputes.OfMember(string(id), known...)).Conflicts {
			notes = append(notes, fmt.Sprintf("disputed: %s: %s said on %s: %q. It waits for a person: loam review show %s", known[0], d.By, d.At.Format(time.DateOnly), d.Says, d.Change))
		}
	}
	return notes, nil
}

// learnedWords says who told something, and when.
func learnedWords(l *model.Learned) string {
	words := "learned from " + l.By
	if l.Source != "" && l.Source != l.By {
		words += " (" + l.Source + ")"
	}
	return words + " on " + day(l.At)
}

// triedWords says whether something is known to work.
func triedWords(v *model.Verified, now time.Time) string {
	if v == nil {
		return "it was never tried"
	}
	words := "it was not run"
	switch v.Level {
	case "runs":
		words = "it ran on " + day(v.At)
	case "equal":
		words = fmt.Sprintf("it gave the numbers of %s on %s", v.Of, day(v.At))
	case "empty":
		words = fmt.Sprintf("it ran on %s and found no rows", day(v.At))
	}
	if v.Reason != "" {
		words += " (" + strings.TrimSuffix(v.Reason, ".") + ")"
	}
	if v.Stale(now) {
		words += ", long ago"
	}
	return words
}

// day is the date of a time as files write it.
func day(at string) string {
	if t, err := time.Parse(time.RFC3339, at); err == nil {
		return t.UTC().Format(time.DateOnly)
	}
	return "an unknown day"
}

// howToReview says how a person reviews a measure: by its change, else in its file, where what was remembered
// of the change is gone.
func (s *Service) howToReview(ctx context.Context, id connection.ID, state *layer.State, source *model.Source, m *model.Measure, targets []string) (string, error) {
	if s.Memory != nil {
		for _, target := range targets {
			c, err := s.Memory.DraftOf(ctx, string(id), target)
			if err != nil {
				return "", err
			}
			if c != nil {
				return fmt.Sprintf("Review it: loam review show %s", c.ID), nil
			}
		}
	}
	for _, o := range state.Model.Origins(source) {
		if o.Name == m.Name && (o.Kind == "measures" || o.Kind == "metrics") {
			return fmt.Sprintf("Review it: write learned: {reviewed: true} to it in %s", binding.File(id, o.File)), nil
		}
	}
	return "Its file is gone", nil
}
