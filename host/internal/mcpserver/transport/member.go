package transport

import (
	"bytes"
	"encoding/json"
)

// members visits the members of a JSON object, which is known to be valid JSON. Name
// and value are parts of it.
func members(object []byte, visit func(name, value []byte)) {
	at := bytes.IndexByte(object, '{') + 1
	for {
		at = skipSpace(object, at)
		if object[at] == '}' {
			return
		}
		if object[at] == ',' {
			at = skipSpace(object, at+1)
		}
		end := valueEnd(object, at)
		name := object[at+1 : end-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			name = []byte(Text(object[at:end]))
		}
		at = skipSpace(object, skipSpace(object, end)+1) // behind the colon
		end = valueEnd(object, at)
		visit(name, object[at:end:end])
		at = end
	}
}

// Text returns the text of a JSON string, "" for another value.
func Text(value []byte) (text string) {
	switch {
	case len(value) == 0 || value[0] != '"':
		return ""
	case bytes.IndexByte(value, '\\') < 0:
		return string(value[1 : len(value)-1])
	}
	_ = json.Unmarshal(value, &text) // which is valid
	return text
}

func skipSpace(text []byte, at int) int {
	for text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n' {
		at++
	}
	return at
}

// valueEnd returns the index behind the value of a valid document that begins at
// from.
func valueEnd(text []byte, from int) int {
	depth := 0
	for at := from; ; at++ {
		switch text[at] {
		case '"':
			for at++; text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth > 0 || at+1 < len(text) && !ends(text[at+1]) {
				continue
			}
		}
		if depth == 0 {
			return at + 1
		}
	}
}

// ends reports whether a byte is behind a number or a word.
func ends(c byte) bool {
	switch c {
	case ',', '}', ']', ' ', '\t', '\r', '\n':
		return true
	default:
		return false
	}
}
