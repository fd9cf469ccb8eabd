package assertion

// Limits of markup, beyond which the parser's time would grow with the square of a text:
// markers of quotes and lists before the text of a line, and brackets of one paragraph.
const (
	maxMarkers  = 16
	maxBrackets = 256
)

// plainMarkup blanks markup beyond the limits, and the stars of count(*), in the copy that the parser reads. Offsets stay, and
// the text that is blanked is still that of its passage.
func plainMarkup(source []byte) {
	for i := 1; i+1 < len(source); i++ {
		if source[i-1] == '(' && source[i] == '*' && source[i+1] == ')' {
			source[i] = 'x' // two count(*) are no emphasis of what is between them
		}
	}
	brackets, from := 0, 0 // of the paragraph that began at from
	flush := func(to int) {
		for i := from; brackets > maxBrackets && i < to; i++ {
			if source[i] == '[' {
				source[i] = '('
			}
		}
		brackets, from = 0, to
	}
	for at := 0; at < len(source); {
		end := at
		for end < len(source) && source[end] != '\n' {
			end++
		}
		found, blank := line(source[at:end])
		brackets += found
		if blank {
			flush(end)
		}
		at = end + 1
	}
	flush(len(source))
}

// line blanks the markers beyond the limit before a line's text, and returns how many brackets the
// line has and whether it has no text.
func line(line []byte) (brackets int, blank bool) {
	markers, text := 0, false
	for i, c := range line {
		switch c {
		case '>', '-', '*', '+', '.', ')':
			if !text {
				if markers++; markers > maxMarkers {
					line[i] = ' '
				}
			}
		case '[':
			brackets++
			text = true
		case ' ', '\t', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		default:
			text = true
		}
	}
	return brackets, !text
}
