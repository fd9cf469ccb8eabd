package text

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// letters are the Latin letters that Unicode does not take apart.
var letters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'ł': "l",
	'ı': "i", 'þ': "th", 'ħ': "h", 'ŧ': "t", 'ŋ': "n", 'ĸ': "k", 'ё': "е",
}

// digraphs are the second spelling of letters that people without the key on
// their keyboard write as two.
var digraphs = map[rune]string{'ä': "ae", 'ö': "oe", 'ü': "ue", 'ø': "oe", 'å': "aa"}

// compose gives full-width, half-width and taken-apart letters their one form.
func compose(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return norm.NFKC.String(s) // returns s itself when nothing is to do
		}
	}
	return s
}

// fold appends the folded letters of a composed word: lower case, no accents.
// With wide, letters that have a digraph become it; hasWide reports that the
// word has such letters.
func fold(dst []byte, word string, wide bool) (out []byte, hasWide bool) {
	for i := 0; i < len(word); {
		c := word[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(word[i:])
		i += size
		if r == utf8.RuneError {
			continue
		}
		r = unicode.ToLower(r)
		if two, ok := digraphs[r]; ok {
			hasWide = true
			if wide {
				dst = append(dst, two...)
				continue
			}
		}
		dst = appendBase(dst, r)
	}
	return dst, hasWide
}

// appendBase appends a lower-case letter without its accents. Only Latin and
// Greek letters lose theirs: й is not и, and が is not か.
func appendBase(dst []byte, r rune) []byte {
	if s, ok := letters[r]; ok {
		return append(dst, s...)
	}
	if unicode.Is(unicode.Mn, r) {
		return dst
	}
	if !unicode.In(r, unicode.Latin, unicode.Greek) {
		return utf8.AppendRune(dst, r)
	}
	var in [utf8.UTFMax]byte
	n := utf8.EncodeRune(in[:], r)
	parts := norm.NFD.Properties(in[:n]).Decomposition()
	if parts == nil {
		return append(dst, in[:n]...)
	}
	for len(parts) > 0 {
		part, size := utf8.DecodeRune(parts)
		if !unicode.Is(unicode.Mn, part) {
			dst = append(dst, parts[:size]...)
		}
		parts = parts[size:]
	}
	return dst
}
