package memory

import (
	"slices"
	"strings"
	"unicode"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/wiki"
)

// chooses reports whether a fact has all words of a request.
func (r *FactsRequest) chooses(f *Fact) bool {
	said := strings.ToLower(f.Subject + " " + f.Says)
	return !slices.ContainsFunc(r.Words, func(w string) bool { return !strings.Contains(said, strings.ToLower(w)) })
}

// stated returns the chosen statements of pages, with the places that contradict them.
func (s *Service) stated(pages *wiki.View, catalogs []scannedTables, r *FactsRequest) ([]Fact, error) {
	var rest []*wiki.Page
	all, parts := []Fact{}, partsOf(r.Words)
	for p := range pages.Pages() {
		if !mayHaveAll(p, parts) {
			rest = append(rest, p)
			continue
		}
		of, err := s.factsOf(p, catalogs)
		if err != nil {
			return nil, err
		}
		all = append(all, of...)
	}
	others, err := s.opponents(all, rest, catalogs, r)
	if err != nil {
		return nil, err
	}
	all = append(all, others...)
	oppose(all)
	return slices.DeleteFunc(all, func(f Fact) bool { return !r.chooses(&f) }), nil
}

// opponents returns the statements of pages that may be about what the chosen facts are about.
func (s *Service) opponents(all []Fact, rest []*wiki.Page, catalogs []scannedTables, r *FactsRequest) (others []Fact, err error) {
	subjects := map[string][][]string{} // by their keys
	for i := range all {
		if st := all[i].statement; len(rest) > 0 && r.chooses(&all[i]) {
			subjects[st.Key()] = subjectForms(st)
		}
	}
	for _, p := range rest {
		for _, words := range subjects {
			if slices.ContainsFunc(words, func(forms []string) bool { return !slices.ContainsFunc(forms, p.MayHave) }) {
				continue
			}
			of, err := s.factsOf(p, catalogs)
			if err != nil {
				return nil, err
			}
			others = append(others, of...)
			break
		}
	}
	return others, nil
}

// partsOf returns the parts of words that a page must have, whatever its markup is between them.
func partsOf(words []string) (parts []string) {
	for _, w := range words {
		parts = append(parts, strings.FieldsFunc(strings.ToLower(w), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })...)
	}
	return parts
}

func mayHaveAll(p *wiki.Page, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !p.MayHave(w) })
}

// endings is the number of letters at the end of a stem that other forms of its word may lack: "compani" of "company".
const endings = 2

// subjectForms returns, for each word of a subject, beginnings of which every form of the word has one.
func subjectForms(st *assertion.Statement) (words [][]string) {
	umlauts := map[rune]rune{'a': 'ä', 'o': 'ö', 'u': 'ü'}
	for _, stem := range strings.Fields(st.Key()) {
		begin := []rune(stem)
		begin = begin[:max(len(begin)-endings, min(len(begin), endings))]
		if at := strings.Index(string(begin), "ss"); at >= 0 && st.Language == assertion.German {
			begin = []rune(string(begin)[:at]) // the stem of "groß" is "gross"
		}
		forms := []string{string(begin)}
		for i, r := range begin { // German: the plural of one vowel
			if umlaut := umlauts[r]; umlaut != 0 && st.Language == assertion.German {
				form := slices.Clone(begin)
				form[i] = umlaut
				forms = append(forms, string(form))
			}
		}
		words = append(words, forms)
	}
	return words
}
