package note

import (
	"crypto/sha256"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/loam-data/loam/host/internal/text"
)

// A replacement is a part of a text that differs between two reports of one error.
type replacement struct {
	pattern func() *regexp.Regexp
	with    string
}

// replacements are applied in order. What they write has no digits, quotes and slashes, which others would replace.
var replacements = []replacement{
	{text.Pattern(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "<id>"},
	{text.Pattern(`\b\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?(?:z|[+-]\d\d:?\d\d)?`), "<time>"},
	{text.Pattern(`\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b`), "<time>"},
	{text.Pattern(`\b[a-z][a-z0-9+.-]*://[^\s"'<>]+`), "<address>"},
	{text.Pattern(`\b0x[0-9a-f]+\b`), "<address>"},
	{text.Pattern(`\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b`), "<address>"},
	{text.Pattern(`\b(?:[0-9a-f]{1,4}:){3,7}[0-9a-f:]*[0-9a-f]\b`), "<address>"},
	{text.Pattern("\"[^\"\\n]*\"|`[^`\\n]*`|“[^”\\n]*”|«[^»\\n]*»"), "<value>"},
	{text.Pattern(`(^|[^\pL\pN_])'[^'\n]*'`), "${1}<value>"}, // not the apostrophe of a word
	{text.Pattern(`(?:[a-z]:)?[\pL\pN_.@+~-]*(?:[\\/]+[\pL\pN_.@+~-]+)*[\\/]+([\pL\pN_.@+~-]+)`), "$1"},
	{text.Pattern(`\b(?:[a-z]+\d|\d+[a-z])[a-z0-9]{14,}\b`), "<id>"},
	{text.Pattern(`\b[0-9a-f]*\d[0-9a-f]{7,}\b|\b[0-9a-f]{7,}\d[0-9a-f]*\b`), "<id>"},
	{text.Pattern(`\d+(?:[.,_]\d+)*`), "<n>"},
}

// Normalize returns a text without what differs between two reports of one error: line numbers, addresses, times, UUIDs
// and other ids, quoted values and numbers; paths are reduced to their last element. Letters are lower case, white space
// and invisible characters are single blanks.
func Normalize(s string) string { return normalize(visibleText(s)) }

func normalize(s string) string {
	for _, r := range replacements {
		s = r.pattern().ReplaceAllString(s, r.with)
	}
	return strings.Join(strings.Fields(s), " ")
}

// Visible returns a text in which control and format characters, but line breaks, are blanks.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.IsSpace(r)) {
			return ' '
		}
		return r
	}, s)
}

func visibleText(s string) string { return strings.ToLower(Visible(s)) }

// maxFrames is how many frames of a stack trace count: the innermost of most languages are first or last, and traces
// repeat themselves.
const maxFrames = 64

var (
	// frameLine recognises a frame by its beginning, or by a place in a file.
	frameLine = text.Pattern(`^\s*(?:at |file "|#\d+ )|[\pL\pN_)\]]:\d+`)
	// quotedFile is how Python names a file.
	quotedFile = text.Pattern(`\bfile "([^"\n]*)"`)
)

// Frames returns the normalised frames of a stack trace; its lines, if no line looks like a frame.
func Frames(trace string) []string {
	var lines, frames []string
	for line := range strings.Lines(visibleText(trace)) {
		normal := normalize(quotedFile().ReplaceAllString(line, "file $1"))
		if normal == "" {
			continue
		}
		lines = append(lines, normal)
		if frameLine().MatchString(line) {
			frames = append(frames, normal)
		}
	}
	if len(frames) == 0 {
		frames = lines
	}
	return frames[:min(maxFrames, len(frames))]
}

// Signature identifies an error: its class and its normalised frames, or its normalised message if there is no stack
// trace. The class of a warehouse's error is its native code.
func Signature(class, message, trace string) []byte {
	parts := Frames(trace)
	if len(parts) == 0 {
		parts = []string{Normalize(message)}
	}
	return HashOf(append([]string{strings.ToLower(strings.TrimSpace(class))}, parts...)...)
}

// HashOf returns the SHA-256 of texts, of which none has a line break.
func HashOf(parts ...string) []byte {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return sum[:]
}

// sharesHalf reports whether two traces have half of their frames in common.
func sharesHalf(a, b []string) bool {
	a, b = distinct(a), distinct(b)
	shared := 0
	for _, frame := range a {
		if slices.Contains(b, frame) {
			shared++
		}
	}
	return shared > 0 && 2*shared >= max(len(a), len(b))
}

func distinct(frames []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(frames)))
}

// JoinFrames returns the normalised frames of a stack trace, one a line.
func JoinFrames(trace string) string { return strings.Join(Frames(trace), "\n") }
