package planner

import (
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/text"
)

// kind says what a name of the model is.
type kind uint8

const (
	aSource kind = iota
	aDimension
	aMeasure
	aSegment
)

var kinds = map[string]kind{"dimension": aDimension, "measure": aMeasure, "segment": aSegment}

// thing is a source or a member of one.
type thing struct {
	kind
	source model.SourceID
	name   string // of the member, "" = the source itself
}

// lexicon finds what words of a text name in a model: a source by its name, with its
// schema or without, a member by its name, label or synonyms.
type lexicon struct {
	m *model.Model
	// byKey are the things by the text.Key of what they are called; they are shared by all texts. added are those of
	// the text.
	byKey, added map[string][]thing
	// synonyms are the sources by the text.Keys of their synonyms; they are shared too.
	synonyms map[string][]model.SourceID
	// heads are the identities of the sources by the keys of the last words of their names, "leg" of flight_leg; "" = several
	// end so.
	heads map[string]string
	// begins are how all these keys begin.
	begins map[opening]bool
	// longest is the length of the longest key.
	longest int
	// more are those of added.
	more map[opening]bool
	// grow adds what is added to the model.
	grow func()
	// asked are the words that were asked for.
	asked map[string]term
}

// term is the text.Key of words, and what of the model has it.
type term struct {
	key    string
	things []thing
}

// latest is the lexicon of the model that was asked about last: models never change, and texts
// come one after the other.
var latest atomic.Pointer[lexicon]

// lexiconOf returns the lexicon of a model for one text.
// Concurrency: one goroutine.
func lexiconOf(m *model.Model) *lexicon {
	l := latest.Load()
	if l == nil || l.m != m {
		l = newLexicon(m)
		latest.Store(l)
	}
	return &lexicon{m: m, byKey: l.byKey, synonyms: l.synonyms, heads: l.heads, begins: l.begins, longest: l.longest, asked: map[string]term{}}
}

func newLexicon(m *model.Model) *lexicon {
	l := &lexicon{m: m, byKey: map[string][]thing{}, synonyms: map[string][]model.SourceID{}, heads: map[string]string{}, begins: map[opening]bool{}}
	if m == nil {
		return l
	}
	for s := range m.Outlines() {
		it := thing{kind: aSource, source: s.ID}
		l.add(s.Identity, it)
		l.add(s.Name, it)
		l.head(s)
		for _, word := range s.Synonyms {
			if key := text.Key(word); key != "" && !slices.Contains(l.synonyms[key], s.ID) {
				l.synonyms[key] = append(l.synonyms[key], s.ID)
				l.begin(key)
			}
		}
		for c := range s.Called() {
			if c.Visibility != model.Public {
				continue
			}
			it := thing{kind: kinds[c.Kind], source: s.ID, name: c.Name}
			details := c.Details.Get()
			for _, name := range append([]string{c.Name, details.Label}, details.Synonyms...) {
				l.add(name, it)
			}
		}
	}
	for c := range m.Source(model.Metrics).Called() {
		l.add(c.Name, thing{kind: aMeasure, source: model.Metrics, name: c.Name})
	}
	return l
}

// head has the lexicon know a source by the last word of its name.
func (l *lexicon) head(s *model.Source) {
	at := strings.LastIndexByte(s.Name, '_')
	if at < 0 || at == len(s.Name)-1 || s.ID == model.Metrics || !usable(s) {
		return
	}
	key, identity := text.Key(s.Name[at+1:]), s.Identity
	if _, twice := l.heads[key]; twice {
		identity = ""
	}
	l.heads[key] = identity
	l.begin(key)
}

// include has the lexicon know one more thing. grow is called when it is found, and has the model be one with the thing.
func (l *lexicon) include(name string, it thing, grow func()) {
	if l.added == nil {
		l.added, l.more = map[string][]thing{}, map[opening]bool{}
	}
	key := l.key(name)
	note(l.more, key)
	l.longest = max(l.longest, len(key))
	l.added[key], l.grow = append(l.added[key], it), grow
}

// term looks words up, which many sentences repeat.
func (l *lexicon) term(words string) term {
	t, ok := l.asked[words]
	if !ok {
		t.key = text.Key(words)
		t.things = l.byKey[t.key]
		l.asked[words] = t
	}
	return t
}

// key is the text.Key of words.
func (l *lexicon) key(words string) string { return l.term(words).key }

// find returns what is called like some words, whether a query may use it or not. The model has it.
func (l *lexicon) find(words string) []thing {
	found, added := l.look(words)
	if added {
		l.grow()
	}
	return found
}

// look returns what is called like some words, and whether the model may lack some of it.
func (l *lexicon) look(words string) (found []thing, added bool) {
	if l.strange(words) {
		return nil, false
	}
	t := l.term(words)
	if more := l.added[t.key]; len(more) > 0 {
		return slices.Concat(t.things, more), true
	}
	return t.things, false
}

func (l *lexicon) add(name string, it thing) {
	if key := text.Key(name); key != "" && !slices.Contains(l.byKey[key], it) {
		l.byKey[key] = append(l.byKey[key], it)
		l.begin(key)
	}
}

// opening is how a key begins: two to four letters.
type opening [4]byte

// begin has keys that begin like this one be looked for.
func (l *lexicon) begin(key string) {
	l.longest = max(l.longest, len(key))
	note(l.begins, key)
}

func note(begins map[opening]bool, key string) {
	var first opening
	for i := range min(len(key), len(first)) {
		if first[i] = key[i]; i > 0 {
			begins[first] = true
		}
	}
}

// strange reports whether words begin like nothing that the lexicon has, so that their key need not be made: few words of a
// text name something.
func (l *lexicon) strange(words string) bool {
	letters := 0
	for letters < len(words) && (words[letters]|0x20) >= 'a' && (words[letters]|0x20) <= 'z' {
		letters++
	}
	if letters == len(words) {
		letters -= pluralEnding
	} else if words[letters] >= utf8.RuneSelf {
		letters-- // an accent may follow
	}
	var first opening
	if letters = min(letters, len(first)); letters < 2 {
		return false
	}
	for i := range letters {
		first[i] = words[i] | 0x20
	}
	return !l.begins[first] && !l.more[first] || len(words) > 2*l.longest+pluralEnding
}

// pluralEnding is the length of what the singular may change at the end of a word.
const pluralEnding = 3

// called returns what is called like some words as a whole.
func (l *lexicon) called(words string, kinds ...kind) []thing {
	return l.those(l.find(words), kinds)
}

// mentioned returns what is called like some words as a whole; the model may lack it.
func (l *lexicon) mentioned(words string, kinds ...kind) []thing {
	found, _ := l.look(words)
	return l.those(found, kinds)
}

func (l *lexicon) those(found []thing, kinds []kind) (all []thing) {
	for _, it := range found {
		if slices.Contains(kinds, it.kind) && l.usable(it) {
			all = append(all, it)
		}
	}
	return all
}

// usable reports whether a query may use it.
func (l *lexicon) usable(it thing) bool { return usable(l.m.Source(it.source)) }

// usable reports whether a query may use a source, or an outline.
func usable(s *model.Source) bool {
	return s.Broken == "" && (s.ID == model.Metrics || s.Visibility == model.Public)
}

// knows reports whether words name anything.
func (l *lexicon) knows(words string) bool {
	found, _ := l.look(words)
	return len(found) > 0 && l.key(words) != ""
}

// sources returns the sources that words name; a name as it is written goes before
// others of the same key.
func (l *lexicon) sources(words string) (all []*model.Source) {
	words = trimCode(words)
	if l.m == nil || words == "" || l.strange(words) {
		return nil
	}
	var exact []*model.Source
	for _, it := range l.find(words) {
		if it.kind != aSource || !l.usable(it) {
			continue
		}
		s := l.m.Source(it.source)
		if all = append(all, s); strings.EqualFold(s.Name, words) || strings.EqualFold(s.Identity, words) {
			exact = append(exact, s)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	if len(all) > 0 {
		return all
	}
	for _, id := range l.synonyms[l.key(words)] {
		if s := l.m.Source(id); usable(s) {
			all = append(all, s)
		}
	}
	return all
}

// dimension returns the public dimension of a source that a name in an expression
// means: as it is written, else in another case where there is one only.
func dimension(s *model.Source, name string) *model.Dimension {
	var found *model.Dimension
	for i := range s.Dimensions {
		switch d := &s.Dimensions[i]; {
		case d.Visibility != model.Public || d.Broken != "":
		case d.Name == name:
			return d
		case strings.EqualFold(d.Name, name):
			if found != nil {
				return nil
			}
			found = d
		}
	}
	return found
}

// measure returns the public measure of a source that a name means.
func measure(s *model.Source, name string) *model.Measure {
	for i := range s.Measures {
		if m := &s.Measures[i]; m.Name != "" && m.Visibility == model.Public && m.Broken == "" && strings.EqualFold(m.Name, name) {
			return m
		}
	}
	return nil
}

// dimensionsCalled returns the public dimensions of a source that a phrase names by name, label
// or synonym.
func (l *lexicon) dimensionsCalled(s *model.Source, phrase string) (all []*model.Dimension) {
	key := l.key(phrase)
	for i := range s.Dimensions {
		d := &s.Dimensions[i]
		if key == "" || d.Visibility != model.Public || d.Broken != "" {
			continue
		}
		called := func(name string) bool { return l.key(name) == key }
		if details := d.Details.Get(); called(d.Name) || called(details.Label) || slices.ContainsFunc(details.Synonyms, called) {
			all = append(all, d)
		}
	}
	return all
}

// member writes a member of a source as questions and answers have it.
func member(s *model.Source, name string) string { return s.Identity + "." + name }

// reference writes a member as a request to the semantic layer names it.
func reference(s *model.Source, name string) string {
	if s.ID == model.Metrics {
		return (&expression.Name{Parts: []string{name}}).String()
	}
	if n, err := expression.ParseName(s.Identity); err == nil {
		return (&expression.Name{Parts: append(slices.Clone(n.Parts), name)}).String()
	}
	return (&expression.Name{Parts: []string{s.Name, name}}).String()
}

// trimCode takes the quotes of code style and what ends a sentence off a name.
func trimCode(s string) string {
	return strings.TrimRight(strings.Trim(strings.TrimSpace(s), "`\"“”„ "), ".,;:")
}
