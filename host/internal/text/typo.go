package text

import (
	"unicode/utf8"
)

// Skeleton reports whether a term may be a name shortened by its vowels
// ("cstmr"): three to six ASCII letters, none after the first a vowel.
func Skeleton(term string) bool {
	if len(term) < 3 || len(term) > 6 {
		return false
	}
	for i := range len(term) {
		switch c := term[i]; {
		case c < 'a' || c > 'z':
			return false
		case i > 0 && (c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'):
			return false
		}
	}
	return true
}

// subsequence reports whether the letters of short occur in long in that order,
// the first one first.
func subsequence(short, long string) bool {
	if short[0] != long[0] {
		return false
	}
	i := 0
	for j := 0; i < len(short) && j < len(long); j++ {
		if short[i] == long[j] {
			i++
		}
	}
	return i == len(short)
}

// typos offers the terms that are one typo away and in at least least documents,
// and returns the most frequent of them.
// One typo leaves one half of a word as it was, or swaps the two letters where
// the halves meet: terms with the same half are all there is to look at.
func (e *expansion) typos(g *Group, term string, least int) (likeliest string) {
	word := []rune(term)
	if len(word) < 4 {
		return ""
	}
	half := len(word) / 2
	candidates := func(yield func(string, int) bool) {
		for t, n := range e.vocabulary.Prefix(string(word[:half])) {
			if n >= least && !yield(t, n) {
				return
			}
		}
		for t, n := range e.vocabulary.Suffix(string(word[half:])) {
			// The first loop has those that begin alike.
			if n >= least && !hasPrefix(t, word[:half]) && !yield(t, n) {
				return
			}
		}
		swapped := append([]rune(nil), word...)
		swapped[half-1], swapped[half] = swapped[half], swapped[half-1]
		if t := string(swapped); t != term {
			if n := e.vocabulary.Count(t); n > 0 && n >= least {
				yield(t, n)
			}
		}
	}
	for i, t := range best(candidates, maxTypos, func(t string) bool { return oneTypo(word, t) }) {
		e.offer(g, weightTypo, t)
		if i == 0 {
			likeliest = t
		}
	}
	return likeliest
}

func hasPrefix(t string, prefix []rune) bool {
	for _, r := range prefix {
		have, size := utf8.DecodeRuneInString(t)
		if have != r || size == 0 {
			return false
		}
		t = t[size:]
	}
	return true
}

// oneTypo reports whether one letter too many, missing or wrong, or one swap of
// neighbours, is all that is between two words.
func oneTypo(word []rune, t string) bool {
	n := utf8.RuneCountInString(t)
	if n < len(word)-1 || n > len(word)+1 {
		return false
	}
	for len(word) > 0 && t != "" {
		r, size := utf8.DecodeRuneInString(t)
		if r != word[0] {
			break
		}
		word, t = word[1:], t[size:]
	}
	for len(word) > 0 && t != "" {
		r, size := utf8.DecodeLastRuneInString(t)
		if r != word[len(word)-1] {
			break
		}
		word, t = word[:len(word)-1], t[:len(t)-size]
	}
	switch rest := utf8.RuneCountInString(t); {
	case len(word)+rest == 1, len(word) == 1 && rest == 1:
		return true
	case len(word) == 2 && rest == 2:
		first, size := utf8.DecodeRuneInString(t)
		second, _ := utf8.DecodeRuneInString(t[size:])
		return first == word[1] && second == word[0]
	}
	return false
}
