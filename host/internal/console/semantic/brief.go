package semantic

import (
	"strings"
	"unicode/utf8"
)

// The room of texts in lists and of whole ones, in bytes of HTML.
const (
	roomName   = 200
	roomLine   = 300
	roomText   = 4_000
	roomList   = 30_000 // the rows of one list
	linkedName = 300    // the longest name that becomes an address, in bytes
)

// brief cuts a text to so many bytes of HTML, with "…" where something is missing.
func brief(s string, room int) string {
	for i, r := range s {
		size := utf8.RuneLen(r)
		switch r {
		case '<', '>', '&', '"', '\'', '+', 0:
			size = 5
		}
		if room -= max(size, 1); room < 0 {
			return strings.ToValidUTF8(s[:i], "") + "…"
		}
	}
	return s
}

// briefAll cuts each text of a list, and the list.
func briefAll(all []string, most, room int) (out []string, more int) {
	for _, s := range all[:min(len(all), most)] {
		out = append(out, brief(s, room))
	}
	return out, len(all) - len(out)
}
