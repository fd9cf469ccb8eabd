package text

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Vocabulary is the terms of an index, against which a question is expanded.
// Shape: the sequences yield terms in no set order, each with how many
// documents have it. A yielded term is copied before it is kept.
type Vocabulary interface {
	Count(term string) int
	// Prefix and Suffix yield the terms that begin and end with a string.
	Prefix(string) iter.Seq2[string, int]
	Suffix(string) iter.Seq2[string, int]
	// Words yields the terms of a prefix, which is of the letters a to z, that are of such letters alone: not the many
	// numbered names of an index.
	Words(prefix string) iter.Seq2[string, int]
	// Skeletons yields the terms without vowels after the first letter, which
	// is given.
	Skeletons(first rune) iter.Seq2[string, int]
}

// nothing is a vocabulary without terms.
type nothing struct{}

func (nothing) Count(string) int                      { return 0 }
func (nothing) Prefix(string) iter.Seq2[string, int]  { return none }
func (nothing) Suffix(string) iter.Seq2[string, int]  { return none }
func (nothing) Words(string) iter.Seq2[string, int]   { return none }
func (nothing) Skeletons(rune) iter.Seq2[string, int] { return none }

func none(func(string, int) bool) {}

// Alternative is one way to match a word: by all of Terms. Weight is relative to a match of
// the word itself.
type Alternative struct {
	Terms  []string
	Weight float64
	// Other: the terms are synonyms. However rare they are, they count no more than the
	// word itself.
	Other bool
}

// Group is a word of a question with its alternatives, best first.
type Group struct {
	Word         string
	Alternatives []Alternative
}

// Query is an expanded question.
type Query struct {
	Groups []Group
	// Names are the keys (see Key) under which the whole question is the name of one thing.
	Names []string
	// Parts is the number of words in that name.
	Parts int
	// Unknown are the words without a match in the vocabulary.
	Unknown []string
}

// Alternatives counts the alternatives of all groups.
func (q Query) Alternatives() (n int) {
	for _, g := range q.Groups {
		n += len(g.Alternatives)
	}
	return n
}

// How much a way to match a word is worth against the word itself.
const (
	weightVariant        = 0.95 // ä as ae
	weightJoined         = 0.9  // two words that a name writes as one
	weightMeaning        = 0.85 // what an abbreviation stands for
	weightInitials       = 0.85 // clv for customer lifetime value
	weightInflection     = 0.8  // kunde for kunden
	weightTranslation    = 0.75 // rechnung for invoice
	weightDerived        = 0.75 // redemption for redeemed
	weightSynonym        = 0.65 // freight for delivery
	weightTranslatedPart = 0.6  // rechnungsnummer for invoice
	weightPrefix         = 0.7  // a word that goes on
	weightTypo           = 0.6
	weightSkeleton       = 0.6 // cstmr for customer
	weightShort          = 0.5 // trans for transaction
	weightCompound       = 0.5 // adresse in lieferadresse
)

// Bounds of what one question may cost.
const (
	maxQuestion     = 1024 // bytes of a question that are read
	maxGroups       = 24
	maxAlternatives = 16
	maxCompletions  = 12
	maxTypos        = 4
)

// Expand turns a question into groups of alternatives.
// Shape: words that nothing matches have no group; stop words are left out
// unless nothing else is asked.
func (a *Analyzer) Expand(question string, v Vocabulary) Query { return a.expand(question, v, false) }

// Broaden is Expand with other words for those of the question: of the same root, of
// the same meaning, in other languages. It is for questions whose own words do not find
// enough.
func (a *Analyzer) Broaden(question string, v Vocabulary) Query { return a.expand(question, v, true) }

func (a *Analyzer) expand(question string, v Vocabulary, broad bool) Query {
	e := expansion{analyzer: a, vocabulary: v, broad: broad}
	names := e.read(compose(cut(question, maxQuestion)))
	var q Query
	for i := range e.words {
		if g := e.group(&e.words[i]); len(g.Alternatives) > 0 {
			q.Groups = append(q.Groups, g)
		} else {
			q.Unknown = append(q.Unknown, g.Word)
		}
	}
	q.Names, q.Parts = append(names, e.corrected(&q)...), len(e.words)
	return q
}

// corrected returns the key of the name that the question is with its typos
// put right, and lets it stand for every word.
func (e *expansion) corrected(q *Query) []string {
	var name strings.Builder
	typos := false
	for _, w := range e.words {
		if w.meant != "" {
			typos = true
			name.WriteString(w.meant)
		} else {
			name.WriteString(w.term)
		}
	}
	if !typos || e.vocabulary.Count(name.String()) == 0 {
		return nil
	}
	for i := range q.Groups {
		e.offer(&q.Groups[i], weightTypo, name.String())
	}
	return []string{name.String()}
}

type word struct {
	term, variant string
	whole         []Alternative // names that several words of the question make
	written       [][]string    // what the project writes for it and words beside it
	related       []related     // what it is also called
	meant         string        // the likeliest word that this is a typo of
}

type expansion struct {
	analyzer   *Analyzer
	vocabulary Vocabulary
	words      []word
	dropped    []string // words that were left out
	broad      bool     // with other words for those of the question
	longer     longer
	tokens     Tokens
}

// read cuts the question into words and returns the keys of the name it may be.
func (e *expansion) read(question string) []string {
	all := strings.FieldsFunc(question, isSeparator)
	var kept []string
	for i, chunk := range all {
		if w := foldWord(chunk); !stopWords[w] && !((commandWords[w] || counts(w, all[i+1:])) && !e.named(all, i)) {
			kept = append(kept, chunk)
		} else {
			e.dropped = append(e.dropped, w)
		}
	}
	if len(kept) == 0 {
		kept = all
	}
	ends := make([]int, len(kept)) // how many words there are after each chunk
	for i, chunk := range kept {
		e.chunk(chunk, len(kept) > 1)
		ends[i] = len(e.words)
	}
	for size := 2; size <= 3; size++ {
		for i := 0; i+size <= len(kept); i++ {
			from := 0
			if i > 0 {
				from = ends[i-1]
			}
			e.whole(Key(strings.Join(kept[i:i+size], " ")), weightJoined, from, ends[i+size-1])
		}
	}
	names := []string{Key(strings.Join(all, " "))}
	if key := Key(strings.Join(kept, " ")); key != names[0] {
		names = append(names, key)
	}
	for _, key := range names {
		e.whole(key, 1, 0, len(e.words))
	}
	e.phrases()
	if e.broad {
		e.relate()
	}
	e.initialisms(all)
	return names
}

// An initialism has so many letters: of two there are too many that mean something else.
const leastInitials, mostInitials = 3, 5

// initialisms lets the first letters of words that follow each other stand for them, unless
// they are a word themselves or something else is known to be written so.
func (e *expansion) initialisms(words []string) {
	folded := make([]string, len(words))
	for i, w := range words {
		folded[i] = foldWord(w)
	}
	var initials []byte
	for from, first := range folded {
		if first == "" || stopWords[first] {
			continue
		}
		initials = initials[:0]
		for to := from; to < min(len(words), from+mostInitials) && folded[to] != "" && ascii(folded[to][:1]); to++ {
			initials = append(initials, folded[to][0])
			if len(initials) < leastInitials || stopWords[folded[to]] || stopWords[string(initials)] || len(e.analyzer.long[string(initials)]) > 0 ||
				e.vocabulary.Count(string(initials)) == 0 {
				continue
			}
			for _, w := range folded[from : to+1] {
				e.stand(w, Alternative{Terms: []string{string(initials)}, Weight: weightInitials})
			}
		}
	}
}

// stand lets an alternative stand for a word of the question.
func (e *expansion) stand(term string, a Alternative) {
	for i := range e.words {
		if e.words[i].term == term {
			e.words[i].whole = append(e.words[i].whole, a)
		}
	}
}

// phrases lets what the project writes for words of the question stand for each
// of them.
func (e *expansion) phrases() {
	missing := func(term string) bool { return !e.has(term) && !slices.Contains(e.dropped, term) }
	for _, p := range e.analyzer.phrases {
		if slices.ContainsFunc(p.asked, missing) {
			continue
		}
		for i := range e.words {
			if slices.Contains(p.asked, e.words[i].term) {
				e.words[i].written = append(e.words[i].written, p.written)
			}
		}
	}
}

func isSeparator(r rune) bool { return classify(r) == separator }

// counts reports whether a word before others asks how many there are.
func counts(w string, rest []string) bool {
	return (w == "number" || w == "count") && len(rest) > 0 && foldWord(rest[0]) == "of"
}

// named reports whether a word makes a known name with one beside it.
func (e *expansion) named(all []string, i int) bool {
	return i > 0 && e.vocabulary.Count(Key(all[i-1]+" "+all[i])) > 0 ||
		i+1 < len(all) && e.vocabulary.Count(Key(all[i]+" "+all[i+1])) > 0
}

// chunk adds the words of one name. Single letters of a longer name say
// nothing; the name as a whole does.
func (e *expansion) chunk(s string, others bool) {
	e.tokens.Reset()
	e.tokens.split(s, Prose)
	e.tokens.join()
	first, joined := len(e.words), ""
	for i := range e.tokens.Len() {
		term, form := e.tokens.At(i)
		switch {
		case form == Variant:
			if n := len(e.words); n > first {
				e.words[n-1].variant = string(term)
			}
		case form == Joined:
			joined = string(term)
		case stopWords[string(term)] && (others || e.tokens.Len() > 1):
		case e.has(string(term)):
		default:
			e.add(string(term))
		}
	}
	if joined == "" {
		return
	}
	long := slices.DeleteFunc(slices.Clone(e.words[first:]), func(w word) bool { return len(w.term) == 1 })
	e.words = append(e.words[:first], long...)
	if len(long) == 0 && !e.has(joined) {
		e.add(joined)
		return
	}
	e.whole(joined, 1, first, len(e.words))
}

func (e *expansion) has(term string) bool {
	return slices.ContainsFunc(e.words, func(w word) bool { return w.term == term })
}

func (e *expansion) add(term string) {
	if len(e.words) < maxGroups {
		e.words = append(e.words, word{term: term})
	}
}

// whole lets a joined name stand for each of the words it is made of.
func (e *expansion) whole(name string, weight float64, from, to int) {
	if e.vocabulary.Count(name) == 0 {
		return
	}
	for i := from; i < to; i++ {
		e.words[i].whole = append(e.words[i].whole, Alternative{Terms: []string{name}, Weight: weight})
	}
}

// group finds the ways to match a word.
func (e *expansion) group(w *word) Group {
	g := Group{Word: w.term}
	known := e.offer(&g, 1, w.term)
	if w.variant != "" {
		known = e.offer(&g, weightVariant, w.variant) || known
	}
	for _, meaning := range e.analyzer.long[w.term] {
		known = e.offer(&g, weightMeaning, meaning...) || known
	}
	for _, written := range w.written {
		known = e.offer(&g, weightMeaning, written...) || known
	}
	for _, alternative := range w.whole {
		e.offer(&g, alternative.Weight, alternative.Terms...)
	}
	if !alphabetic(w.term) {
		e.offerRelated(&g, w)
	} else {
		e.inflections(&g, w.term)
		e.shortForms(&g, w.term)
		before := len(g.Alternatives)
		if e.broad || !known {
			e.derivations(&g, w.term)
		}
		e.offerRelated(&g, w)
		if isWord := len(g.Alternatives) > before; !known {
			e.completions(&g, w.term)
			if !isWord {
				w.meant = e.typos(&g, w.term, 0)
			}
		} else if n := e.vocabulary.Count(w.term); n > 0 && n <= rare {
			e.typos(&g, w.term, rare*common)
		}
		if len(g.Alternatives) == 0 {
			e.compounds(&g, w.term)
		}
	}
	slices.SortStableFunc(g.Alternatives, func(a, b Alternative) int { return cmp.Compare(b.Weight, a.Weight) })
	g.Alternatives = g.Alternatives[:min(len(g.Alternatives), maxAlternatives)]
	return g
}

// A word in at most rare documents may be a typo that someone else made too,
// when a word beside it is common times as frequent.
const (
	rare   = 2
	common = 20
)

// offer adds an alternative whose terms all occur, once and at its best weight.
func (e *expansion) offer(g *Group, weight float64, terms ...string) bool {
	return e.propose(g, Alternative{Terms: terms, Weight: weight})
}

// offerOther is offer for other words that mean the same.
func (e *expansion) offerOther(g *Group, weight float64, terms ...string) bool {
	return e.propose(g, Alternative{Terms: terms, Weight: weight, Other: true})
}

func (e *expansion) propose(g *Group, a Alternative) bool {
	for _, t := range a.Terms {
		if e.vocabulary.Count(t) == 0 {
			return false
		}
	}
	for i, have := range g.Alternatives {
		if slices.Equal(have.Terms, a.Terms) {
			if a.Weight > have.Weight {
				g.Alternatives[i] = a
			}
			return true
		}
	}
	g.Alternatives = append(g.Alternatives, a)
	return true
}

// endings are what German and kindred languages put behind a word to inflect it.
var endings = []string{"e", "n", "en", "es", "s", "nen"}

func (e *expansion) inflections(g *Group, term string) {
	if utf8.RuneCountInString(term) < leastInflected {
		return
	}
	for _, ending := range endings {
		e.offer(g, weightInflection, term+ending)
	}
	for stem := range stems(term) {
		e.offer(g, weightInflection, stem)
	}
}

// leastInflected and leastStem are from how long on words are inflected.
const leastInflected, leastStem = 5, 4

// stems yields what a word may be without an ending.
func stems(term string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if utf8.RuneCountInString(term) < leastInflected {
			return
		}
		for _, ending := range endings {
			if stem, ok := strings.CutSuffix(term, ending); ok && len(stem) >= leastStem && !yield(stem) {
				return
			}
		}
	}
}

// shortForms lets a shortened word in the index stand for a long one in the
// question: its first letters, or its consonants.
func (e *expansion) shortForms(g *Group, term string) {
	const leastPrefix, leastLeft, longPrefix, longSkeleton = 4, 2, 7, 5
	runes := []rune(term)
	if len(runes) >= longPrefix {
		for n := leastPrefix; n+leastLeft <= len(runes); n++ {
			e.offer(g, weightShort, string(runes[:n]))
		}
	}
	if len(runes) < longSkeleton {
		return
	}
	for short := range e.vocabulary.Skeletons(runes[0]) {
		if len(short) >= 3 && len(short) < len(term) && subsequence(short, term) && e.mayShorten(short, term) {
			e.offer(g, weightSkeleton, strings.Clone(short))
		}
	}
}

// mayShorten reports whether nothing else is known to be written so short.
func (e *expansion) mayShorten(short, term string) bool {
	meanings := e.analyzer.long[short]
	return len(meanings) == 0 || slices.ContainsFunc(meanings, func(words []string) bool { return slices.Contains(words, term) })
}

func (e *expansion) completions(g *Group, term string) {
	if utf8.RuneCountInString(term) < 3 {
		return
	}
	for _, t := range best(e.vocabulary.Prefix(term), maxCompletions, func(string) bool { return true }) {
		e.offer(g, weightPrefix, t)
	}
}

func (e *expansion) compounds(g *Group, term string) {
	if utf8.RuneCountInString(term) < 5 {
		return
	}
	for _, t := range best(e.vocabulary.Suffix(term), maxCompletions, func(string) bool { return true }) {
		e.offer(g, weightCompound, t)
	}
}

// best returns the most frequent terms that are wanted. Of equally frequent ones the first in the alphabet come first. It
// copies only terms that are among the best so far: an index of many near-equal names has 100,000 with one beginning.
func best(terms iter.Seq2[string, int], limit int, wanted func(string) bool) []string {
	type counted struct {
		term  string
		count int
	}
	found := make([]counted, 0, limit)
	for t, n := range terms {
		at := len(found)
		for at > 0 && (found[at-1].count < n || found[at-1].count == n && found[at-1].term > t) {
			at--
		}
		if at == limit || !wanted(t) {
			continue
		}
		found = slices.Insert(found[:min(len(found), limit-1)], at, counted{strings.Clone(t), n})
	}
	var out []string
	for _, c := range found {
		out = append(out, c.term)
	}
	return out
}

// alphabetic reports whether a term is a word of an alphabet: not a number and
// not of a script without spaces.
func alphabetic(term string) bool {
	for _, r := range term {
		if unicode.IsDigit(r) || classify(r).unspaced() {
			return false
		}
	}
	return true
}
