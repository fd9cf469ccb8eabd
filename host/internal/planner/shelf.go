package planner

import (
	"cmp"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/wiki"
)

// shelf are the pages that a text is compared with, each read once.
type shelf struct {
	volumes []*volume // nil = not looked at yet
	byPath  map[string]*volume
	// words are the last words of the subjects of the text.
	words []string
}

// volume is one page.
type volume struct {
	page *wiki.Page
	// names are the keys of its title and aliases.
	names  []string
	opened bool
	// body, and the body in lower case, of a page that has a word of a subject of the text; those of others are not kept.
	body, folded string
	doc          *assertion.Document
	// subjects are the keys of the subjects of the document's statements.
	subjects []string
}

// volumes are the pages that there are.
func (w *work) volumes() []*volume {
	if w.shelf.byPath != nil {
		return w.shelf.volumes
	}
	w.shelf.byPath = map[string]*volume{}
	for i := range w.doc.Statements {
		if word := lastWord(w.doc.Statements[i].Subject); word != "" && !slices.Contains(w.shelf.words, word) {
			w.shelf.words = append(w.shelf.words, word)
		}
	}
	if w.v.Pages == nil {
		return nil
	}
	for p := range w.v.Pages.Pages() {
		v := &volume{page: p}
		for _, name := range append([]string{p.Title}, p.Aliases...) {
			v.names = append(v.names, assertion.Key(name, assertion.None))
		}
		w.shelf.volumes = append(w.shelf.volumes, v)
		w.shelf.byPath[p.Path] = v
	}
	return w.shelf.volumes
}

// volume is a page of the shelf.
func (w *work) volume(p *wiki.Page) *volume {
	w.volumes()
	v := w.shelf.byPath[p.Path]
	if v == nil {
		v = &volume{page: p}
		w.shelf.byPath[p.Path] = v
	}
	return v
}

// open reads the text of a page, if it has a word of a subject of the text.
func (w *work) open(v *volume) error {
	if v.opened || w.v.Body == nil {
		return nil
	}
	if !slices.ContainsFunc(w.shelf.words, v.page.MayHave) {
		v.opened = true
		return nil
	}
	body, err := w.v.Body(v.page)
	if err != nil {
		return err
	}
	folded := strings.ToLower(body)
	if slices.ContainsFunc(w.shelf.words, func(word string) bool { return strings.Contains(folded, word) }) {
		v.body, v.folded = body, folded
	}
	v.opened = true
	return nil
}

// lastWord is the last word of a subject without an ending of the plural, "" = it has none.
func lastWord(subject string) string {
	words := strings.Fields(strings.ToLower(trimCode(subject)))
	if len(words) == 0 {
		return ""
	}
	last := words[len(words)-1]
	return cmp.Or(strings.TrimRight(last, "sn"), last)
}

// read reads what a page states, of its text.
func (w *work) read(v *volume, body string) *assertion.Document {
	if v.doc == nil {
		v.doc = assertion.Read(body, assertion.Options{Asked: true, Known: w.lexicon.knows, Lexicon: w.names()})
		for i := range v.doc.Statements {
			v.subjects = append(v.subjects, v.doc.Statements[i].Key())
		}
	}
	return v.doc
}
