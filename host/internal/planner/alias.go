package planner

import (
	"slices"
	"strings"
	"unicode"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/change"
)

// aliases proposes the other names of a page: what a short form stands for, what it is also called.
func (d *draft) aliases() {
	for _, p := range d.t.pieces {
		for _, i := range p.statements {
			st := &d.work.doc.Statements[i]
			if d.work.silent[i] || st.Polarity == assertion.Negative || d.t.instruction {
				continue
			}
			subject, value := trimCode(st.Subject), trimCode(st.Value)
			switch {
			case st.Attribute == assertion.Synonym, st.Attribute == assertion.Expansion, st.Attribute == assertion.Definition && isShortFor(subject, value):
				if other := otherName(d.t.title, subject, value); other != "" {
					d.alias(other, st)
				}
			}
		}
	}
}

// otherName is the one of two names that is not the title.
func otherName(title, a, b string) string {
	switch assertion.Slug(title) {
	case assertion.Slug(a):
		return b
	case assertion.Slug(b):
		return a
	}
	return ""
}

func (d *draft) alias(name string, st *assertion.Statement) {
	name = strings.TrimSpace(strings.TrimRight(name, "."))
	switch {
	case name == "" || strings.Contains(name, ".") || len([]rune(name)) > maxTitle || len(strings.Fields(name)) > 6 || assertion.Slug(name) == d.key:
		return
	case len(d.work.lexicon.mentioned(name, aSource)) > 0:
		d.work.ask(ask(TwoReadings, d.work.quote(st.Span), "%s is a table. Is it another name for %s?", name, d.t.title).with(identities(d.work.lexicon.sources(name))...))
		return
	}
	if d.work.v.Pages != nil {
		if page, err := d.work.v.Pages.Page(assertion.Slug(name)); err == nil && page.Key != d.key {
			d.work.ask(ask(TwoReadings, d.work.quote(st.Span), "There is a page %s already. Are %s and %s the same?", page.Key, name, d.t.title).with(page.Key))
			return
		}
	}
	p := change.Proposal{
		Kind: change.Alias, Target: d.key, Path: d.path, Blocks: []change.Block{entryOf("aliases", name)},
		Says: name + " is another name for " + d.t.title, Value: strings.ToLower(name),
	}
	if !d.own {
		p.Why = []string{change.WhyPersonsPage}
	}
	if d.page != nil && slices.ContainsFunc(append([]string{d.page.Title}, d.page.Aliases...), func(a string) bool { return strings.EqualFold(a, name) }) {
		return
	}
	d.work.propose(p, st.Span)
}

// isShortFor reports whether a word consists of the initials of others.
func isShortFor(short, long string) bool {
	var initials strings.Builder
	for _, word := range strings.FieldsFunc(long, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		for _, r := range word {
			initials.WriteRune(unicode.ToLower(r))
			break
		}
	}
	return len([]rune(short)) > 1 && strings.EqualFold(short, initials.String())
}
