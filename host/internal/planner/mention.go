package planner

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/text"
)

// commonWords name a column only with its table, in code style, or under their table.
var commonWords = []string{
	"status", "type", "name", "date", "id", "amount", "state", "country", "segment", "plan", "value", "count", "number", "total", "code", "time", "day", "month", "year",
	"customer", "user", "order", "product", "category", "price", "cost", "description", "title", "email", "region", "city", "key", "label", "note", "comment", "active", "level", "group", "unit",
}

// mention is a part of a text that could name something.
type mention struct {
	word string
	code bool
}

// mentions are the words of a text, and the runs of words up to four.
func mentions(text string) (all []mention) {
	found := namesIn(text)
	all = make([]mention, 0, 4*len(found))
	for i, at := range found {
		word := text[at.From:at.To]
		all = append(all, mention{strings.Trim(word, "`"), word[0] == '`' || strings.ContainsAny(word, "._")})
		for n := 1; n < 4 && i+n < len(found); n++ {
			if between := text[found[i+n-1].To:found[i+n].From]; between != " " && between != "-" {
				break
			}
			all = append(all, mention{text[at.From:found[i+n].To], false})
		}
	}
	return all
}

const maxNames = 10_000

// namesIn are the places of the words of a text, of names with dots and of code in backquotes.
func namesIn(text string) (all []assertion.Span) {
	for at := 0; at < len(text) && len(all) < maxNames; {
		length := max(codeLength(text[at:]), nameLength(text[at:]))
		if length > 0 {
			all = append(all, assertion.Span{From: at, To: at + length})
			at += length
			continue
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return all
}

// codeLength is the length of the code in backquotes that a text begins with, 0 = it begins with none.
func codeLength(text string) int {
	if text[0] != '`' {
		return 0
	}
	if end := strings.IndexAny(text[1:], "`\n"); end > 0 && text[1+end] == '`' {
		return end + 2
	}
	return 0
}

// nameLength is the length of the name that a text begins with: words of letters, digits and _ with dots between them.
func nameLength(text string) (length int) {
	begins := true
	for i, r := range text {
		switch {
		case r == '_' || unicode.IsLetter(r) || !begins && unicode.IsNumber(r):
			length, begins = i+utf8.RuneLen(r), false
		case r == '.' && !begins:
			begins = true
		default:
			return length
		}
	}
	return length
}

// mentions are those of a part of the text, which several rules look at.
func (w *work) mentions(text string) []mention {
	all, known := w.found.mentions[text]
	if !known {
		all = mentions(text)
		w.found.mentions[text] = all
	}
	return all
}

// sourcesIn are the sources that a text names, in the order in which it does, as the model has them now.
func (w *work) sourcesIn(text string) (all []*model.Source) {
	ids, known := w.found.sources[text]
	if !known {
		ids = w.findSources(text)
		w.found.sources[text] = ids
	}
	for _, id := range ids {
		all = append(all, w.v.Model.Source(id))
	}
	return all
}

// findSources are the sources that a text names, each once. Measures of the text add no source.
func (w *work) findSources(text string) (all []model.SourceID) {
	add := func(s *model.Source) {
		if !slices.Contains(all, s.ID) {
			all = append(all, s.ID)
		}
	}
	for _, m := range w.mentions(text) {
		names := []string{m.word}
		if at := strings.LastIndexByte(m.word, '.'); at > 0 {
			names = append(names, m.word[:at])
		}
		for _, name := range names {
			found := w.lexicon.mentioned(name, aSource)
			if len(found) != 1 {
				continue
			}
			if s := w.v.Model.Source(found[0].source); m.code || strings.Contains(name, ".") || !slices.Contains(commonWords, strings.ToLower(name)) {
				add(s)
			}
		}
	}
	return all
}

// mentioned are the sources that the text names anywhere.
func (w *work) mentioned() []*model.Source {
	if w.v.Model == nil {
		return nil
	}
	return w.sourcesIn(w.doc.Text)
}

// scope are the sources that a statement may be about: those that its sentence names, else
// its headings, else its page.
func (w *work) scope(at assertion.Span, section int) []*model.Source {
	if w.v.Model == nil {
		return nil
	}
	return w.scopeOf(w.doc.Text[at.From:at.To], at.From, section)
}

// scopeOf are the sources that a sentence at a place of a section may be about.
func (w *work) scopeOf(sentence string, at, section int) []*model.Source {
	if found := w.sourcesIn(sentence); len(found) > 0 {
		return found
	}
	if from := w.doc.Sections[section].From; from < at {
		above := w.doc.Text[from:at]
		above = above[strings.LastIndex(above, "\n\n")+1:]
		if found := w.sourcesIn(above); len(found) == 1 && numbersOf().MatchString(above) {
			return found
		}
	}
	path := w.doc.Sections[section].Path
	for i := range slices.Backward(path) {
		if found := w.sourcesIn(path[i]); len(found) > 0 {
			return found
		}
	}
	return nil
}

// numbersOf matches the beginning of a paragraph about numbers of one table: "Two numbers, both from sales.orders. Buyers: …"
var numbersOf = text.Pattern(`(?i)(?:^|[^\pL])(?:numbers|figures|metrics|kpis|measures|zahlen|kennzahlen|werte)(?: [^.:\n]*|, [^.:\n]*)? (?:from|of|on|in|aus|von|auf) (?:the |der )?(?:table |tabelle )?[\pL_]`)

// refs are what a text is about: tables and columns by their names in full, and the measures and
// sources of the semantic layer.
func (w *work) refs(text string) (tables, semantic []string) {
	if w.v.Model == nil {
		return nil, nil
	}
	add := func(to *[]string, name string) {
		if !slices.Contains(*to, name) && len(*to) < maxRefs {
			*to = append(*to, name)
		}
	}
	near := w.sourcesIn(text)
	for _, s := range near {
		add(&tables, s.Identity)
	}
	for _, m := range w.mentions(text) {
		name, owners := m.word, near
		if at := strings.LastIndexByte(m.word, '.'); at > 0 {
			name, owners = m.word[at+1:], w.lexicon.sources(m.word[:at])
		}
		for _, it := range w.lexicon.mentioned(name, aDimension, aMeasure) {
			s := w.v.Model.Source(it.source)
			under := among(owners, s)
			switch {
			case !under && (!m.code || strings.Contains(m.word, ".") || len(w.lexicon.mentioned(name, it.kind)) > 1):
			case it.kind == aMeasure:
				add(&semantic, w.target(s, it.name))
			default:
				add(&tables, member(s, it.name))
			}
		}
	}
	return tables, semantic
}

const maxRefs = 30
