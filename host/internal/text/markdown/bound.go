package markdown

// Limits of markup beyond which a parser's time would be quadratic: markers of quotes and lists at the beginning of a
// line, and brackets of one paragraph.
const (
	maxMarkers  = 16
	maxBrackets = 256
)

// Bound blanks markup beyond the limits in the copy of a text that a parser reads. Offsets do not change: the words
// are taken from the original.
func Bound(source []byte) {
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
		found, blank := boundLine(source[at:end])
		brackets += found
		if blank {
			flush(end)
		}
		at = end + 1
	}
	flush(len(source))
}

// boundLine blanks the markers of a line beyond the limit. It returns the number of brackets, and whether the line is
// blank.
func boundLine(line []byte) (brackets int, blank bool) {
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
