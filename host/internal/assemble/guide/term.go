package guide

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/text/markdown"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// glossaryPage is the key of the page with the abbreviations.
const glossaryPage = "glossary"

// maxParagraphs is how many paragraphs with a term a prompt takes of one page.
const maxParagraphs = 3

// Term writes the prompt define: the pages, the abbreviations and the members that explain a term, and where they
// are disputed. The words of a disputing statement have no part in it: nobody approved them.
// Errors: KindInvalid for no term, KindNotFound with near terms; those of the wiki and of the semantic layer.
func (g *Guide) Term(ctx context.Context, term string) (string, error) {
	term = clip(term)
	if term == "" {
		return "", sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "no term is named").WithHint("name a term: completion lists them")
	}
	pages, err := g.pages(ctx)
	if err != nil {
		return "", err
	}
	all, err := g.definitions(ctx)
	if err != nil {
		return "", err
	}
	disputes, err := g.disputes(ctx)
	if err != nil {
		return "", err
	}
	var out sheet
	out.end("\nAnswer with what these say. Name the page or the measure that you used. Where they differ, say so.\n")
	out.section("", "# Define "+markdown.Code(term), "", "This is what people wrote and reviewed.")
	found := false
	var mentions, disputed []string
	for _, p := range pages {
		body, err := g.Wiki.Body(p)
		if err != nil { // it changed since: the next call reads it
			continue
		}
		paragraphs := explaining(p, body, term)
		if len(paragraphs) == 0 {
			if hasFold(p.Title, term) || hasFold(p.Summary, term) || slices.ContainsFunc(p.Tags, func(t string) bool { return strings.EqualFold(t, term) }) {
				mentions = append(mentions, pageLine(p))
			}
			continue
		}
		found = true
		head := fmt.Sprintf("Page %s (%s, updated %s)", markdown.Code(p.Key), vouchedBy(p), p.Updated.UTC().Format(time.DateOnly))
		out.section(head, paragraphs...)
		disputed = append(disputed, disputeLines("page "+markdown.Code(p.Key), disputes.OfPage("wiki/"+p.Path))...)
	}
	var members []string
	for _, d := range all {
		for _, m := range d.members() {
			if m.means(term) {
				members = append(members, m.line())
				disputed = append(disputed, disputeLines(markdown.Code(m.name()), disputes.OfMember(string(d.connection), d.Targets(d.id, m.Member.Name)...))...)
			}
		}
	}
	out.section("In the semantic layer", members...)
	out.section("Disputed", disputed...)
	out.section("Pages that mention it", mentions...)
	if !found && len(members)+len(mentions) == 0 {
		missing := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "nobody wrote about the term %q", term)
		missing.Candidates = sqlkit.Nearest(term, termsOf(pages, all, g.glossary(pages)))
		return "", missing.WithHint("complete the argument, or search with discover_data")
	}
	return out.String(), nil
}

// Terms completes a term: titles, aliases, abbreviations, and names and synonyms of members.
// Errors: those of Term.
func (g *Guide) Terms(ctx context.Context, prefix string) ([]string, error) {
	pages, err := g.pages(ctx)
	if err != nil {
		return nil, err
	}
	all, err := g.definitions(ctx)
	if err != nil {
		return nil, err
	}
	return begin([]choice[bool]{{names: termsOf(pages, all, g.glossary(pages))}}, prefix), nil
}

func termsOf(pages []*wiki.Page, all []*definition, abbreviations []string) (terms []string) {
	for _, p := range pages {
		terms = append(append(terms, p.Title), p.Aliases...)
	}
	terms = append(terms, abbreviations...)
	for _, d := range all {
		for _, m := range d.members() {
			terms = append(append(terms, m.Member.Name), m.Synonyms...)
		}
	}
	return terms
}

// glossary returns the abbreviations of the glossary among the pages.
func (g *Guide) glossary(pages []*wiki.Page) (short []string) {
	for _, p := range pages {
		if path.Base(p.Key) != glossaryPage {
			continue
		}
		body, err := g.Wiki.Body(p)
		if err != nil {
			continue
		}
		for s := range wiki.Abbreviations(body) {
			short = append(short, s)
		}
	}
	slices.Sort(short)
	return short
}

// members are the measures, segments and dimensions of a definition.
func (d *definition) members() (all []*member) {
	for i := range d.Measures {
		all = append(all, &member{d, &d.Measures[i]})
	}
	for i := range d.Segments {
		all = append(all, &member{d, &d.Segments[i]})
	}
	for i := range d.Dimensions {
		all = append(all, &member{d, &d.Dimensions[i]})
	}
	return all
}

// means reports whether a term is a name of the member.
func (m *member) means(term string) bool {
	same := func(s string) bool {
		return strings.EqualFold(strings.ReplaceAll(s, "_", " "), strings.ReplaceAll(term, "_", " "))
	}
	return same(unquoted(m.Member.Name)) || same(m.name()) || same(m.Label) || slices.ContainsFunc(m.Synonyms, same)
}

// explaining returns the paragraphs of a page that explain a term: the first ones of a page of that name, else those
// that have the term.
func explaining(p *wiki.Page, body, term string) (paragraphs []string) {
	same := func(s string) bool { return strings.EqualFold(s, term) }
	own := same(p.Title) || same(p.Key) || same(path.Base(p.Key)) || slices.ContainsFunc(p.Aliases, same)
	if own && p.Summary != "" {
		paragraphs = append(paragraphs, clip(p.Summary))
	}
	for paragraph := range strings.SplitSeq(strings.ReplaceAll(body, "\r\n", "\n"), "\n\n") {
		if path.Base(p.Key) == glossaryPage && !own {
			for line := range strings.Lines(paragraph) {
				if hasFold(line, term) && len(paragraphs) < maxParagraphs {
					paragraphs = append(paragraphs, clip(line))
				}
			}
			continue
		}
		text := clip(paragraph)
		if text == "" || strings.HasPrefix(text, "#") && !strings.Contains(strings.TrimSpace(paragraph), "\n") {
			continue
		}
		if (own || hasFold(paragraph, term)) && len(paragraphs) < maxParagraphs {
			paragraphs = append(paragraphs, text)
		}
	}
	return paragraphs
}

// hasFold reports whether a text has a term as words, without case.
func hasFold(text, term string) bool { return hasWord(strings.ToLower(text), strings.ToLower(term)) }

func vouchedBy(p *wiki.Page) string {
	if p.Reviewed {
		return "reviewed"
	}
	return "written by a person"
}

func (g *Guide) disputes(ctx context.Context) (*change.Disputes, error) {
	if g.Disputes == nil {
		return nil, nil
	}
	return g.Disputes(ctx)
}

// disputeLines says that something is disputed, and where a person finds the statement.
func disputeLines(what string, all []change.Dispute) (lines []string) {
	for _, d := range all {
		lines = append(lines, fmt.Sprintf("- %s is contradicted by a statement of %s that waits for a person: loam review show %s", what, d.At.UTC().Format(time.DateOnly), d.Change))
	}
	return lines
}
