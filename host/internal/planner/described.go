package planner

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/text"
)

// described proposes what an item says of a table.
func (p *pasted) described(s *model.Source) {
	if text := p.item.Description; text != "" && s.Description == "" {
		p.work.propose(change.Proposal{
			Kind: change.Description, Target: p.work.target(s, ""), Path: p.work.overlayPath(s),
			Blocks: overlayBlocks(s, change.Block{Place: form.Member("description"), After: encode(textNode(text))}), Says: shorten(text, maxQuote), Value: text,
		}, p.span())
	}
	for _, word := range p.item.Synonyms {
		if !slices.ContainsFunc(s.Synonyms, func(w string) bool { return strings.EqualFold(w, word) }) && !strings.EqualFold(word, s.Name) {
			p.work.synonym(s, "", "", word, p.span(), nil, "")
		}
	}
}

// column proposes what an item says of a column, where nothing else says it.
func (p *pasted) column(s *model.Source) {
	d := dimension(s, p.item.Name)
	if d == nil {
		p.work.ask(ask(UnknownName, p.quote, "%s has no column %s. Which one is meant?", s.Identity, p.item.Name).with(p.work.suggest(s.ID, p.item.Name)...))
		return
	}
	known := d.Details.Get()
	if text := p.item.Description; text != "" && d.Description == "" {
		p.work.columnKey(s, d, "description", textNode(text), change.Proposal{Kind: change.Description, Says: shorten(text, maxQuote), Value: text}, p.span())
	}
	if text := p.item.Label; text != "" && known.Label == "" && !strings.EqualFold(text, d.Name) {
		p.work.columnKey(s, d, "label", textNode(text), change.Proposal{Kind: change.Description, Says: member(s, d.Name) + " is called " + text, Value: "label " + text}, p.span())
	}
	if text := p.item.Unit; text != "" && known.Unit == "" {
		p.work.columnKey(s, d, "unit", textNode(text), change.Proposal{Kind: change.Unit, Says: member(s, d.Name) + " is in " + text, Value: strings.ToLower(text)}, p.span())
	}
	if values := p.item.Values; len(values) > 0 && !slices.Equal(values, known.Values) {
		var nodes []*yaml.Node
		for _, v := range values {
			nodes = append(nodes, textNode(v))
		}
		p.work.columnKey(s, d, "values", list(nodes...), change.Proposal{
			Kind: change.Values, Says: member(s, d.Name) + " has the values " + strings.Join(values, ", "), Value: strings.Join(values, "\x00"), Why: []string{change.WhyPolicy},
		}, p.span())
	}
	for _, word := range p.item.Synonyms {
		if !slices.ContainsFunc(known.Synonyms, func(w string) bool { return strings.EqualFold(w, word) }) && !strings.EqualFold(word, d.Name) {
			p.work.synonym(s, "columns", d.Name, word, p.span(), nil, "")
		}
	}
}

// labels are the rules of statements that are a name and its meaning: in a table, in a list, after a colon.
var labels = text.Words("table_definition bold_lead colon dash")

// columnMeaning proposes the meaning of a column as its description, where a dictionary of one table has it: the heading, or
// the name of the column, says which table.
func (w *work) columnMeaning(st *assertion.Statement) {
	if w.unready("") != nil || !labels(st.Rule) || len(st.Qualifiers) > 0 {
		return
	}
	name := trimCode(st.Subject)
	var s *model.Source
	if at := strings.LastIndexByte(name, '.'); at > 0 {
		if found := w.lexicon.sources(name[:at]); len(found) == 1 {
			s, name = found[0], name[at+1:]
		}
	} else if scope := w.scope(assertion.Span{}, st.Section); len(scope) == 1 {
		s = scope[0]
	}
	if s == nil {
		return
	}
	if d := dimension(s, name); d != nil && d.Name == name && d.Description == "" {
		w.columnKey(s, d, "description", textNode(st.Value), change.Proposal{Kind: change.Description, Says: shorten(st.Value, maxQuote), Value: st.Value}, st.Span)
	}
}

// flow writes a list of texts on one line.
func flow(words []string) string {
	var nodes []*yaml.Node
	for _, word := range words {
		nodes = append(nodes, textNode(word))
	}
	n := list(nodes...)
	n.Style = yaml.FlowStyle
	return strings.TrimSpace(encode(n))
}
