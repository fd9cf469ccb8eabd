package text

import (
	"unicode"
	"unicode/utf8"
)

// Mode is the kind of a text.
type Mode uint8

const (
	// Identifier is one name ("Order Details", "cust_addr"): its words are also
	// kept joined, and abbreviations are spelled out.
	Identifier Mode = iota
	// Prose is running text: only names within it are kept joined.
	Prose
)

// Form is how a term was derived from a text.
type Form uint8

const (
	Word     Form = iota // a word as it stands, folded, in the singular
	Variant              // a second spelling of the word before it (ae for ä)
	Joined               // the words of one name without what separates them
	Expanded             // a word of an abbreviation's meaning
)

const (
	maxTerm  = 64   // bytes of one term; the rest of a longer word is cut off
	maxName  = 1024 // bytes of a name's joined words
	maxWords = 4096 // words taken from one text
)

// Tokens is a reusable list of terms. The zero value is empty. Concurrency: one
// goroutine.
type Tokens struct {
	data  []byte
	terms []span
	chunk []byte // the words of the name at hand, joined
	parts int    // how many they are
	words int
	mode  Mode
}

type span struct {
	from, to uint32
	form     Form
}

// Reset empties the list and keeps its memory.
func (t *Tokens) Reset() {
	t.data, t.terms, t.chunk, t.parts, t.words = t.data[:0], t.terms[:0], t.chunk[:0], 0, 0
}

// Len returns how many terms there are.
func (t *Tokens) Len() int { return len(t.terms) }

// At returns a term and its form. The bytes are valid until Reset.
func (t *Tokens) At(i int) ([]byte, Form) {
	s := t.terms[i]
	return t.data[s.from:s.to], s.form
}

// Append adds the terms that a document with this text is indexed under.
func (a *Analyzer) Append(t *Tokens, s string, mode Mode) {
	first := len(t.terms)
	t.words = 0
	t.split(s, mode)
	t.join()
	if mode != Identifier {
		return
	}
	for i, end := first, len(t.terms); i < end; i++ {
		span := t.terms[i]
		if span.form != Word && span.form != Joined {
			continue
		}
		for _, words := range a.long[string(t.data[span.from:span.to])] {
			for _, w := range words {
				t.expand(first, w)
			}
		}
	}
}

// expand adds a word of a meaning unless the name has it already.
func (t *Tokens) expand(first int, word string) {
	for i := first; i < len(t.terms); i++ {
		if have, _ := t.At(i); string(have) == word {
			return
		}
	}
	from := uint32(len(t.data))
	t.data = append(t.data, word...)
	to := uint32(len(t.data))
	t.terms = append(t.terms, span{from: from, to: to, form: Expanded})
}

// class is what splitting needs to know of a character.
type class uint8

const (
	separator class = iota
	connector       // separates words of one name, in prose too
	lower           // a letter that is not upper case
	upper
	digit
	mark // belongs to the letter before it
	han
	hiragana
	katakana
	hangul
)

func (c class) unspaced() bool { return c >= han }

func classify(r rune) class {
	if r < utf8.RuneSelf {
		switch {
		case 'a' <= r && r <= 'z':
			return lower
		case 'A' <= r && r <= 'Z':
			return upper
		case '0' <= r && r <= '9':
			return digit
		case r == '_' || r == '-':
			return connector
		}
		return separator
	}
	switch {
	case unicode.Is(unicode.Han, r):
		return han
	case unicode.Is(unicode.Katakana, r), r == 'ー':
		return katakana
	case unicode.Is(unicode.Hiragana, r):
		return hiragana
	case unicode.Is(unicode.Hangul, r):
		return hangul
	case unicode.IsUpper(r), unicode.IsTitle(r):
		return upper
	case unicode.IsLetter(r):
		return lower
	case unicode.IsMark(r):
		return mark
	case unicode.IsDigit(r):
		return digit
	}
	return separator
}

// split cuts a text into words before anything is folded: after lower case
// before upper, before the last capital of a run that goes on in lower case,
// between letters and digits, and where the script changes.
func (t *Tokens) split(s string, mode Mode) {
	s, t.mode = compose(s), mode
	start, last, before := 0, separator, separator // the open word's start, the class before, and the one before that
	lastAt := 0
	for i, r := range s {
		c := classify(r)
		if c == mark {
			if last != separator && last != connector {
				continue
			}
			c = separator
		}
		if cut, at := boundary(before, last, c, s[i:], i, lastAt); cut {
			t.word(s[start:at], last)
			start = at
		}
		if c == separator || c == connector {
			start = i + runeSize(s[i:])
			if c == separator && mode == Prose {
				t.join()
			}
		}
		before, last, lastAt = last, c, i
		if t.words >= maxWords {
			break
		}
	}
	if t.words < maxWords && last != separator && last != connector {
		t.word(s[start:], last)
	}
}

func runeSize(s string) int {
	_, size := utf8.DecodeRuneInString(s)
	return size
}

// boundary reports whether a word ends before the character c at byte i, and
// where: ABc ends it one character earlier.
func boundary(before, last, c class, rest string, i, lastAt int) (bool, int) {
	switch {
	case last == separator || last == connector:
		return false, 0
	case c == last:
		return false, 0
	case c == lower && last == upper:
		// The plural of an acronym stays one word: IDs, SKUs.
		return before == upper && !pluralEnd(rest), lastAt
	}
	return true, i
}

// pluralEnd reports whether the text goes on with the s of a plural alone.
func pluralEnd(rest string) bool {
	if rest[0] != 's' {
		return false
	}
	next, _ := utf8.DecodeRuneInString(rest[1:])
	return len(rest) == 1 || classify(next) != lower
}

// word adds a word that was cut out.
func (t *Tokens) word(w string, c class) {
	if w == "" || t.words >= maxWords {
		return
	}
	if c.unspaced() {
		if t.mode == Identifier {
			t.keep([]byte(w))
		}
		t.bigrams(w)
		return
	}
	from := len(t.data)
	var wide bool
	t.data, wide = fold(t.data, cut(w, maxTerm), false)
	t.keep(t.data[from:])
	if !t.push(from, Word) {
		return
	}
	t.words++
	if wide {
		from = len(t.data)
		t.data, _ = fold(t.data, cut(w, maxTerm), true)
		t.push(from, Variant)
	}
}

// keep adds a word to the joined name before its plural is folded, so that
// orderitems and order_items are one.
func (t *Tokens) keep(word []byte) {
	if len(t.chunk)+len(word) <= maxName {
		t.chunk = append(t.chunk, word...)
		t.parts++
	}
}

// push closes the term that begins at from, in the singular.
func (t *Tokens) push(from int, form Form) bool {
	if len(t.data) == from {
		return false
	}
	to := from + len(singular(t.data[from:]))
	t.terms = append(t.terms, span{from: uint32(from), to: uint32(to), form: form})
	return true
}

// bigrams adds the pairs of neighbours of a run without spaces, or the one
// character it is.
func (t *Tokens) bigrams(run string) {
	prev, prevSize := -1, 0
	for i, r := range run {
		size := utf8.RuneLen(r)
		if prev >= 0 {
			t.pair(run[prev : i+size])
		}
		prev, prevSize = i, size
		if t.words >= maxWords {
			return
		}
	}
	if prev == 0 {
		t.pair(run[:prevSize])
	}
}

func (t *Tokens) pair(s string) {
	from := uint32(len(t.data))
	t.data = append(t.data, s...)
	to := uint32(len(t.data))
	t.terms = append(t.terms, span{from: from, to: to, form: Word})
	t.words++
}

// join ends a name: several words are kept joined as well.
func (t *Tokens) join() {
	if t.parts > 1 && len(t.chunk) <= maxTerm {
		from := len(t.data)
		t.data = append(t.data, t.chunk...)
		t.push(from, Joined)
	}
	t.chunk, t.parts = t.chunk[:0], 0
}

// cut shortens a text to a number of bytes, between two characters.
func cut(w string, limit int) string {
	if len(w) <= limit {
		return w
	}
	for limit > 0 && !utf8.RuneStart(w[limit]) {
		limit--
	}
	return w[:limit]
}
