// Package value finds the columns that contain a literal: it stores every sampled value once, folded, with its
// columns and its spellings there.
//
// The values of a dictionary are one text. The first search scans it; the second builds a suffix array beside it,
// which finds rare values. Several dictionaries are searched as one.
package value

import (
	"unicode"
	"unicode/utf8"
)

// separator stands between the values. It occurs in no UTF-8 text, so that
// nothing can be found across it; values have NULs and everything else.
const separator = 0xff

// Column is where values were seen.
type Column struct {
	Connection string
	Source     string // the table or semantic source
	Name       string
	// Cardinality is the number of distinct values the column has; -1 = not known.
	Cardinality int64
}

// Match is a value in a column that holds what was asked for.
type Match struct {
	Column
	Value string // as it is spelled in the column
}

// class is how well a value matches; less is better.
type class uint8

const (
	equal class = iota
	prefix
	wordStart
	inside
)

// Fold returns the form in which values are compared: Unicode simple case
// folding, character by character, and nothing else; accents count. Bytes that
// are not UTF-8 become U+FFFD.
func Fold(s string) string { return string(appendFold(make([]byte, 0, len(s)), s)) }

func appendFold(dst []byte, s string) []byte {
	for _, r := range s {
		if r < utf8.RuneSelf {
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			dst = append(dst, byte(r))
			continue
		}
		dst = utf8.AppendRune(dst, foldRune(r))
	}
	return dst
}

// foldRune returns the one character that stands for all that fold to each
// other: the ASCII small letter if there is one, else the first in the code.
func foldRune(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	if 'A' <= least && least <= 'Z' {
		least += 'a' - 'A'
	}
	return least
}
