package assertion

import markup "github.com/loam-data/loam/host/internal/text/markdown"

// plainMarkup blanks markup beyond the limits of the parser, and the stars of count(*), in the copy that the parser
// reads. Offsets do not change, and passages take their text from the original.
func plainMarkup(source []byte) {
	for i := 1; i+1 < len(source); i++ {
		if source[i-1] == '(' && source[i] == '*' && source[i+1] == ')' {
			source[i] = 'x' // else two count(*) would emphasise the text between them
		}
	}
	markup.Bound(source)
}
