package planner

import (
	"strings"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/text"
)

// plainName is a qualified name that YAML reads as that text.
var plainName = text.Pattern(`^[A-Za-z_][A-Za-z0-9_]*\.[A-Za-z_][A-Za-z0-9_.]*$`)

var notInFile = text.Pattern(`[^A-Za-z0-9_.-]+`)

// overlayPath is the file of what is learned about a source.
func (w *work) overlayPath(s *model.Source) string {
	path, known := w.paths[s.ID]
	if !known {
		path = OverlayPath(w.in.Connection, s, len(w.lexicon.sources(s.Name)) <= 1)
		w.paths[s.ID] = path
	}
	return path
}

// OverlayPath is the file of what is learned about a source of a connection. unique: no other source has its name.
func OverlayPath(connection string, s *model.Source, unique bool) string {
	name := s.Name
	switch {
	case s.ID == model.Metrics:
		name = "metrics"
	case !unique || strings.EqualFold(name, "metrics"):
		name = s.Identity
	}
	name = strings.TrimLeft(notInFile().ReplaceAllString(name, "_"), ".")
	return "semantic-layer/" + notInFile().ReplaceAllString(connection, "_") + "/_memory/" + shorten(name, 100) + ".yaml"
}

// target names a member of a source: "subscription.arr".
func (w *work) target(s *model.Source, name string) string {
	switch {
	case s.ID == model.Metrics:
		return name
	case len(w.lexicon.sources(s.Name)) > 1:
		return s.Identity + "." + name
	case name == "":
		return s.Name
	}
	return s.Name + "." + name
}

// overlayBlocks are the blocks of an overlay, which names its source.
func overlayBlocks(s *model.Source, blocks ...change.Block) []change.Block {
	if s.ID == model.Metrics {
		return blocks
	}
	return append([]change.Block{{Place: "name", After: encodedName(s.Identity)}}, blocks...)
}

// encodedName is a name as YAML, which is itself where nothing in it means anything there.
func encodedName(name string) string {
	if plainName().MatchString(name) {
		return name + "\n"
	}
	return encode(textNode(name))
}

func (w *work) content(path string) ([]byte, error) {
	if w.v.Content == nil {
		return nil, nil
	}
	return w.v.Content(path)
}

// fileOf is the file below the project's folder that says most of a source.
func (w *work) fileOf(s *model.Source) string {
	if s.File == "" {
		return ""
	}
	return "semantic-layer/" + w.in.Connection + "/" + s.File
}

// values are those that a column is known to have; whole = there are no others.
func (w *work) values(s *model.Source, d *model.Dimension) (known []string, whole bool) {
	if w.v.Values != nil && d.Column != "" {
		known, whole = w.v.Values(s.Identity, d.Column)
	}
	if declared := d.Details.Get().Values; len(known) == 0 && len(declared) > 0 {
		return declared, true
	}
	return known, whole
}

// synonym proposes another word for a member of a source, or for the source itself (section "").
func (w *work) synonym(s *model.Source, section, name, word string, at assertion.Span, why []string, note string) {
	place := form.Member("synonyms", word)
	if section != "" {
		place = form.Member(section, name, "synonyms", word)
	}
	path := w.overlayPath(s)
	w.propose(change.Proposal{
		Kind: change.Synonyms, Target: w.target(s, name), Path: path,
		Blocks: overlayBlocks(s, change.Block{Place: place, After: encode(textNode(word))}),
		Says:   word + " is another name for " + w.target(s, name), Value: strings.ToLower(word), Why: why, Note: note,
	}, at)
}

// propose adds a change about the connection, with its quote.
func (w *work) propose(p change.Proposal, at assertion.Span) {
	p.Connection, p.Quote, p.QuoteAt, p.Source = w.in.Connection, w.quote(at), at.From, w.source()
	if signature := p.Signature(); !w.seen[signature] {
		w.seen[signature] = true
		w.plan.Changes = append(w.plan.Changes, p)
	}
}
