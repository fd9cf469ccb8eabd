package request

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

// CheckText refuses a text that no engine could store, or that is too long.
func CheckText(where, text string) error {
	switch {
	case len(text) > expression.MaxTextBytes:
		return refusal.Invalid(where, "the text has %d bytes; the limit is %d", len(text), expression.MaxTextBytes).Advise("send a shorter text")
	case strings.IndexByte(text, 0) >= 0:
		return refusal.Invalid(where, "the text has a NUL character").Advise("send text without NUL characters")
	case !utf8.ValidString(text):
		return refusal.Invalid(where, "the text is not valid UTF-8").Advise("send valid UTF-8")
	}
	return nil
}

// ValueWords names a value in a sentence.
func ValueWords(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return "the text " + refusal.Quote(v)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		return "a list"
	case *object:
		return "an object"
	}
	return "the number " + ValueText(v)
}

// ValueText shows a value in a message.
func ValueText(v any) string { return refusal.Short(fmt.Sprint(v)) }
