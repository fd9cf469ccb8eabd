package privacy

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Placeholder stands where something was taken out.
const Placeholder = "…"

// Scrub returns a table as a catalog keeps it, and whether that is another than t,
// which stays as it is: the SQL of views and defaults without literals and
// comments, and what people wrote without what nobody should read.
func Scrub(t *sdk.Table, d *dialect.Dialect) (scrubbed *sdk.Table, changed bool) {
	s := *t
	s.Definition, s.Comment, s.Properties = SQL(t.Definition, d), Text(t.Comment), properties(t.Properties)
	changed = s.Definition != t.Definition || s.Comment != t.Comment || !maps.Equal(s.Properties, t.Properties)
	s.Columns = slices.Clone(t.Columns)
	for i := range s.Columns {
		was, c := &t.Columns[i], &s.Columns[i]
		c.Default, c.Comment, c.NativeType, c.Properties = defaultOf(was, d), Text(was.Comment), Forms(was.NativeType), properties(was.Properties)
		changed = changed || c.Default != was.Default || c.Comment != was.Comment || c.NativeType != was.NativeType || !maps.Equal(c.Properties, was.Properties)
	}
	if !changed {
		return t, false
	}
	return &s, true
}

func properties(all map[string]string) map[string]string {
	scrubbed := maps.Clone(all)
	for name, value := range all {
		scrubbed[name] = Forms(value)
	}
	return scrubbed
}

// hidden is a literal that was taken out of SQL.
const hidden = "'" + Placeholder + "'"

// maxNumber is how many characters a number has at most that stays: a longer one
// may be that of a person or an account.
const maxNumber = 6

// SQL returns a text of SQL without its literals and comments: strings, and
// numbers that are long, are replaced. Of a text that cannot be read nothing stays.
func SQL(text string, d *dialect.Dialect) string {
	if text == "" {
		return ""
	}
	tokens, err := d.Tokens(text, nil)
	if err != nil {
		return hidden
	}
	var b strings.Builder
	last := 0
	for _, t := range tokens {
		between(&b, text[last:t.Start])
		last = int(t.End)
		switch word := t.Text(text); {
		case t.Kind == dialect.TokenString:
			if d.Unquote(text, t) == "" {
				b.WriteString(word)
			} else {
				b.WriteString(hidden)
			}
		case t.Kind == dialect.TokenNumber && len(word) > maxNumber:
			b.WriteString(hidden)
		case t.Kind == dialect.TokenQuoted && Sensitive(d.Unquote(text, t)) != "":
			b.WriteString(`"` + Placeholder + `"`)
		default:
			b.WriteString(word)
		}
	}
	between(&b, text[last:])
	return b.String()
}

// between writes what stands between two tokens, of comments nothing.
func between(b *strings.Builder, blank string) {
	if strings.TrimSpace(blank) == "" {
		b.WriteString(blank)
		return
	}
	if strings.Contains(blank, "\n") {
		b.WriteByte('\n')
		return
	}
	b.WriteByte(' ')
}

// expressions are words that a default may be without being a literal.
const expressions = " null true false current_timestamp current_date current_time localtime localtimestamp current_user session_user user now today "

// defaultOf returns a column's default without literals. Some engines give the
// text of one without quotes, so that words of a text column that are neither an
// expression nor a call are one.
func defaultOf(c *sdk.Column, d *dialect.Dialect) string {
	scrubbed := SQL(c.Default, d)
	if scrubbed == "" || c.Generated || c.Type != sdk.TypeText && c.Type != sdk.TypeJSON && c.Type != sdk.TypeUnspecified && Forms(scrubbed) == scrubbed {
		return scrubbed
	}
	tokens, err := d.Tokens(scrubbed, nil)
	if err != nil || len(tokens) == 0 {
		return hidden
	}
	literal := func(t dialect.Token) bool { return t.Kind == dialect.TokenString }
	call := len(tokens) >= 3 && tokens[len(tokens)-1].Is(scrubbed, ")") && slices.ContainsFunc(tokens, func(t dialect.Token) bool { return t.Is(scrubbed, "(") })
	if slices.ContainsFunc(tokens, literal) || call {
		return scrubbed
	}
	number := len(tokens) == 1 && tokens[0].Kind == dialect.TokenNumber
	if number || strings.Contains(expressions, " "+strings.ToLower(tokens[0].Text(scrubbed))+" ") {
		return scrubbed
	}
	return hidden
}

// Patterns of what is taken out of running text.
var (
	ibanInText   = text.Pattern(`\b[A-Z]{2}\d{2}( ?[A-Z0-9]{4}){2,7}( ?[A-Z0-9]{1,4})?\b`)
	paperInText  = text.Pattern(`\b([A-Z]{2} ?\d\d ?\d\d ?\d\d ?[A-D]|[XYZ]?\d{7,8}-?[A-Z]|\d{3}-\d{2}-\d{4}|\d{2} ?\d{6} ?[A-Z] ?\d{3}|[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z])\b`)
	numberInText = text.Pattern(`[+(]?\d[\d ()/.\-]{5,24}\d`)
	titledInText = text.Pattern(`\b(Herrn?|Frau|Mr|Mrs|Ms|Mme|Monsieur|Madame|Sra?|Señora?|Don|Doña)\.? (\p{Lu}[\p{L}\-]+)( \p{Lu}[\p{L}\-]+)?`)
)

// Forms returns a text without the values in it that have a form of their own.
func Forms(text string) string {
	if len(text) < 5 || !strings.ContainsAny(text, "@0123456789:=%") {
		return text
	}
	text = urlPattern().ReplaceAllStringFunc(text, func(found string) string { return found[:strings.Index(found, "://")+3] + Placeholder + "@" })
	text = emailPattern().ReplaceAllString(text, Placeholder)
	if assigns(text) {
		text = assignPattern().ReplaceAllStringFunc(text, func(found string) string {
			groups := assignPattern().FindStringSubmatchIndex(found)
			const value = 2 * 5 // where the pattern's fifth group begins
			return found[:groups[value]] + Placeholder
		})
	}
	text = replaceWhere(ibanInText(), text, func(found string) bool { _, valid := iban(found); return valid })
	text = replaceWhere(paperInText(), text, func(found string) bool { _, valid, strong := paper(found); return valid && strong })
	text = replaceWhere(numberInText(), text, func(found string) bool {
		f, valid := formOf(found)
		return valid && (f == card || f == phone || f == papers || f == device)
	})
	for word := range strings.FieldsSeq(text) {
		bare := strings.Trim(word, `.,;:()[]{}"'<>`)
		if f, _ := formOf(bare); f == secret || f == code {
			text = strings.ReplaceAll(text, bare, Placeholder)
		}
	}
	return tokenPattern().ReplaceAllString(text, Placeholder)
}

func replaceWhere(pattern *regexp.Regexp, text string, wanted func(string) bool) string {
	return pattern.ReplaceAllStringFunc(text, func(found string) string {
		if wanted(strings.TrimSpace(found)) {
			return Placeholder
		}
		return found
	})
}

// Text returns what people wrote of a table or column without the values in it
// that have a form of their own, and without names of persons: behind a title, or
// a first name with a family name that are known.
func Text(text string) string {
	if text == "" {
		return ""
	}
	text = titledInText().ReplaceAllString(Forms(text), "$1 "+Placeholder)
	var buffer []byte
	fields := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '\'' })
	for i := 0; i+1 < len(fields); i++ {
		first, second := fields[i], fields[i+1]
		if !capital(first, given, &buffer) || !capital(second, surname, &buffer) || !strings.Contains(text, first+" "+second) {
			continue
		}
		text = strings.ReplaceAll(text, first+" "+second, Placeholder)
		i++
	}
	return text
}

// capital reports whether a word begins with a capital and has a sense.
func capital(word string, s sense, buffer *[]byte) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r) && senseOf(word, buffer)&s != 0
}
