package semanticquery

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// ListRequest narrows a list of sources.
type ListRequest struct {
	// Text is part of a source's name, its description or a name of a member, without
	// regard to case; "" = any.
	Text string
	// Defined: only sources that a file defines or changes.
	Defined bool
	// Limit 0 = DefaultListed, negative = no limit.
	Limit, Offset int
}

// DefaultListed is the default limit of a list of sources.
const DefaultListed = 200

// ListAnswer is the list of a connection's sources, in the order of their identities.
// Shape: no list is nil. Total counts the selected sources.
type ListAnswer struct {
	Connection connection.ID  `json:"connectionId"`
	Sources    []SourceLine   `json:"sources"`
	Metrics    []SourceMetric `json:"metrics"`
	Total      int            `json:"total"`
	Truncated  bool           `json:"truncated"`
	Notes      []string       `json:"notes,omitempty"`
}

// SourceLine is a source in brief.
type SourceLine struct {
	Name        string  `json:"name"`
	Identity    string  `json:"identity"`
	Description *string `json:"description"`
	Table       string  `json:"table,omitempty"`
	// File below the project's folder; "" = it is only scanned.
	File string `json:"file,omitempty"`
	// Counts of the visible members.
	Dimensions int `json:"dimensions"`
	Measures   int `json:"measures"`
	Segments   int `json:"segments"`
	Joins      int `json:"joins"`
	// Broken is why it cannot be queried.
	Broken string `json:"broken,omitempty"`
	// Layer is that of File, "scanned" without one. Unreviewed counts the visible members that were learned and that no
	// person reviewed.
	Layer      string `json:"-"`
	Unreviewed int    `json:"-"`
}

// SourceMetric is a measure without a source.
type SourceMetric struct {
	Name        string  `json:"name"`
	Kind        string  `json:"kind"`
	Description *string `json:"description"`
	Broken      string  `json:"broken,omitempty"`
	// Unreviewed: it was learned, and no person reviewed it.
	Unreviewed bool `json:"-"`
}

// List returns the sources of a connection in brief. Hidden and internal sources are
// not listed. The same model gives the same order.
// Errors: those of Compile for the connection; those of the layer. No connector is
// needed.
func (s *Service) List(ctx context.Context, id connection.ID, r ListRequest) (*ListAnswer, error) {
	c, state, notes, err := s.state(ctx, id, scanned)
	if err != nil {
		return nil, err
	}
	a := &ListAnswer{Connection: c.ID, Sources: []SourceLine{}, Metrics: []SourceMetric{}, Notes: notes}
	limit := r.Limit
	if limit == 0 {
		limit = DefaultListed
	}
	for source := range state.Model.Outlines() {
		if source.Visibility != model.Public || r.Defined && source.File == "" || !mentions(source, r.Text) {
			continue
		}
		if a.Total++; a.Total <= r.Offset {
			continue
		}
		if limit > 0 && len(a.Sources) == limit {
			a.Truncated = true
			continue
		}
		a.Sources = append(a.Sources, line(c.ID, source))
		a.Notes = append(a.Notes, invalid(c.ID, state, source)...)
	}
	if a.Truncated {
		a.Notes = append(a.Notes, fmt.Sprintf("%d of %d sources are listed: narrow the list with a text.", len(a.Sources), a.Total))
	}
	metrics := state.Model.Source(model.Metrics)
	for i := range metrics.Measures {
		m := &metrics.Measures[i]
		if m.Visibility == model.Public && m.Name != "" && called(r.Text, m.Name, m.Label, m.Description, m.Synonyms) {
			a.Metrics = append(a.Metrics, SourceMetric{m.Name, string(m.Kind), known(m.Description), m.Broken, unreviewed(m.Details)})
		}
	}
	return a, nil
}

func line(id connection.ID, s *model.Source) SourceLine {
	out := SourceLine{
		Name: s.Name, Identity: s.Identity, Description: known(s.Description), Table: tableName(s), File: binding.File(id, s.File),
		Joins: len(s.Joins), Broken: s.Broken, Layer: model.ScannedLayer.String(),
	}
	if s.File != "" {
		out.Layer = (&model.File{Path: s.File}).Layer().String()
	}
	for c := range s.Called() {
		if c.Visibility == model.Public && unreviewed(c.Details) {
			out.Unreviewed++
		}
		switch {
		case c.Visibility != model.Public:
		case c.Kind == "dimension":
			out.Dimensions++
		case c.Kind == "measure":
			out.Measures++
		default:
			out.Segments++
		}
	}
	return out
}

// unreviewed reports whether something was learned and no person reviewed it.
func unreviewed(d *model.Details) bool { return d.Learned != nil && !d.Learned.Reviewed }

// mentions reports whether a source or one of its public members is called by a
// text.
func mentions(s *model.Source, text string) bool {
	if called(text, s.Identity, "", s.Description, s.Synonyms) {
		return true
	}
	for c := range s.Called() {
		if c.Visibility == model.Public && c.Kind != "segment" && called(text, c.Name, c.Label, "", c.Synonyms) {
			return true
		}
	}
	return false
}

func called(text, name, label, description string, synonyms []string) bool {
	if text == "" {
		return true
	}
	text = strings.ToLower(text)
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), text) }
	return has(name) || has(label) || has(description) || slices.ContainsFunc(synonyms, has)
}
