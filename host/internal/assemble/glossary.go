package assemble

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/wiki"
)

const (
	glossaryList = "glossary"
	// glossaryPage is the key of the page with the abbreviations.
	glossaryPage = "glossary"
	// maxTerms is more than there are; the frame keeps room for the number.
	maxTerms = 99_999
)

// vouched reports whether a person wrote or reviewed a page.
func vouched(p *wiki.Page) bool { return p.Trust() == "person" || p.Trust() == "reviewed" }

// sortedPages returns the pages that the answer may use: those that the query found first, then those that a person
// vouches for, then by key.
func (v *view) sortedPages(wanted func(*wiki.Page) bool) (all []*wiki.Page) {
	for p := range v.state.Pages.Pages() {
		if wanted(p) && v.mayShow(p) {
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b *wiki.Page) int {
		return cmp.Or(cmp.Compare(v.rankOf(a), v.rankOf(b)), text.CompareBool(vouched(b), vouched(a)))
	})
	return all
}

// rankOf returns the rank of a page among those that the query found.
func (v *view) rankOf(p *wiki.Page) int {
	if rank, ok := v.pages[p.Key]; ok {
		return rank
	}
	return len(v.pages)
}

// terms returns the words of the project: abbreviations that the query has, pages that it finds, all other
// abbreviations, all other pages with a summary.
func (v *view) terms() []Term {
	asked := map[string]bool{}
	for _, word := range strings.FieldsFunc(v.request.Query, func(r rune) bool { return strings.ContainsRune(" ,.;:?!()\"'", r) }) {
		asked[text.Key(word)] = true
	}
	var first, second, third, fourth []Term
	trust := v.glossaryTrust()
	meanings := v.state.Pages.Glossary()
	if trust == nil {
		meanings = nil // it is about other connections
	}
	for _, short := range slices.Sorted(maps.Keys(meanings)) {
		t := Term{Term: short, Definition: clip(strings.Join(meanings[short], "; "), maxText), Ref: glossaryPage, Trust: *trust}
		if asked[text.Key(short)] {
			first = append(first, t)
		} else {
			third = append(third, t)
		}
	}
	for _, p := range v.sortedPages(func(p *wiki.Page) bool {
		return p.Summary != "" && factOf(p) == "" && path.Base(p.Key) != glossaryPage
	}) {
		t := Term{Term: p.Title, Definition: clip(p.Summary, maxText), Ref: p.Key, Trust: string(model.Trust(p.Trust()).Shown())}
		if _, found := v.pages[p.Key]; found {
			second = append(second, t)
		} else {
			fourth = append(fourth, t)
		}
	}
	return slices.Concat(first, second, third, fourth)
}

// glossaryTrust returns the trust of the page with the abbreviations; nil when the answer may not use it.
func (v *view) glossaryTrust() *string {
	p, err := v.state.Pages.Page(glossaryPage)
	if err != nil || !v.mayShow(p) {
		return nil
	}
	trust := string(model.Trust(p.Trust()).Shown())
	return &trust
}
