package text

import "unicode"

// Unseen reports whether a character is invisible or changes the direction of text. Tabs, line ends and the joiners of
// scripts and emoji are not.
func Unseen(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d'
}
