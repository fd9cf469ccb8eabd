package savedquery

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

// Placeholder is a {{name}} in a text.
type Placeholder struct {
	Name string
	// Pos is its position in the text.
	Pos sdk.Position
	// Listed says that it stands alone inside IN ( ).
	Listed bool
	// Optional says that it is in an optional part, [[ ]].
	Optional bool
}

// Template is a text split at its placeholders and optional parts. Write omits an optional part unless all its
// parameters are given.
type Template struct {
	text         string
	marks        []mark
	Placeholders []Placeholder
	// normal is the text without comments, with single spaces and words in lower case.
	normal string
}

// mark is a placeholder, or the beginning or end of an optional part. from and to are byte offsets.
type mark struct {
	from, to int
	kind     byte // '{', '[' or ']'
	name     string
}

// Read splits a text with the lexer of a dialect.
// Errors: KindInvalid with the position, for a mark in a comment, a literal or a quoted name, for a nested optional part,
// for one without a placeholder or an end, and for a placeholder of the engine; those of the lexer.
func Read(sql string, d *dialect.Dialect) (*Template, error) {
	marks, err := find(sql)
	if err != nil {
		return nil, err
	}
	masked := []byte(sql)
	for _, m := range marks {
		copy(masked[m.from:m.to], m.mask())
	}
	text := string(masked)
	tokens, err := d.Tokens(text, nil)
	if err != nil {
		return nil, readonly.LexError(text, err)
	}
	if err := noMarkers(sql, text, tokens, d); err != nil {
		return nil, err
	}
	t := &Template{text: sql, marks: marks}
	if err := t.place(tokens, text); err != nil {
		return nil, err
	}
	t.normal = normalized(sql, text, tokens, marks)
	return t, nil
}

// place finds the placeholders among the tokens of the masked text.
// Errors: KindInvalid for a mark that is no token of its own.
func (t *Template) place(tokens []dialect.Token, text string) error {
	optional := false
	next := 0
	for _, m := range t.marks {
		at := slices.IndexFunc(tokens[next:], func(k dialect.Token) bool { return int(k.End) > m.from })
		if at < 0 || !m.is(tokens[next+at], text) {
			return misplaced(t.text, m.from, "%s stands in a comment, a literal, a quoted name, or beside a word", t.text[m.from:m.to]).
				WithHint("put it where a value stands, without quotes around it")
		}
		at += next
		next = at
		switch m.kind {
		case '[':
			optional = true
		case ']':
			optional = false
		default:
			t.Placeholders = append(t.Placeholders, Placeholder{m.name, sdk.PositionAtByte(t.text, m.from), listed(tokens, at, text), optional})
		}
	}
	return nil
}

// noMarkers refuses the engine's own placeholders, which would shift the values.
func noMarkers(sql, masked string, tokens []dialect.Token, d *dialect.Dialect) error {
	for _, k := range tokens {
		own, _ := marker(d, 1)
		rest, is := strings.CutPrefix(k.Text(masked), strings.TrimSuffix(own, "1"))
		if k.Kind == dialect.TokenParameter && is && strings.Trim(rest, "0123456789") == "" {
			return misplaced(sql, int(k.Start), "%s is a placeholder of the engine", k.Text(masked)).WithHint("write {{name}} and declare the parameter")
		}
	}
	return nil
}

// normalized returns Template.normal.
func normalized(sql, text string, tokens []dialect.Token, marks []mark) string {
	var normal strings.Builder
	written := 0
	for _, k := range tokens {
		word := k.Text(text)
		if written < len(marks) && marks[written].from == int(k.Start) {
			word = sql[marks[written].from:marks[written].to]
			written++
		} else if written > 0 && int(k.Start) < marks[written-1].to {
			continue // the second bracket of an end
		}
		if k.Kind == dialect.TokenWord {
			word = strings.ToLower(word)
		}
		normal.WriteString(word + " ")
	}
	return strings.TrimSuffix(strings.TrimSpace(normal.String()), " ;")
}

// find returns the marks of a text in order.
func find(sql string) (all []mark, err error) {
	open, filled := -1, false
	for i := 0; i+1 < len(sql); i++ {
		switch sql[i : i+2] {
		case "{{":
			end := strings.Index(sql[i:], "}}")
			if end < 0 {
				return nil, misplaced(sql, i, "the placeholder has no end").WithHint("end it with }}")
			}
			name := strings.TrimSpace(sql[i+2 : i+end])
			if !parameterName().MatchString(name) {
				return nil, misplaced(sql, i, "%q is no name of a parameter", name).WithHint("write {{name}}, of letters, digits and underscores")
			}
			all = append(all, mark{i, i + end + 2, '{', name})
			filled = true
			i += end + 1
		case "[[":
			if open >= 0 {
				return nil, misplaced(sql, i, "an optional part stands in another one").WithHint("end the first part with ]] before the next one")
			}
			all, open, filled = append(all, mark{from: i, to: i + 2, kind: '['}), i, false
			i++
		case "]]":
			switch {
			case open < 0:
				return nil, misplaced(sql, i, "an optional part ends that did not begin").WithHint("begin it with [[, or put a space between the brackets")
			case !filled:
				return nil, misplaced(sql, open, "an optional part has no placeholder").WithHint("put a placeholder into it, or a space between the brackets")
			}
			all, open = append(all, mark{from: i, to: i + 2, kind: ']'}), -1
			i++
		}
	}
	if open >= 0 {
		return nil, misplaced(sql, open, "the optional part has no end").WithHint("end it with ]]")
	}
	return all, nil
}

// mask returns a text of the same length as the mark that every dialect reads as separate tokens.
func (m mark) mask() string {
	switch m.kind {
	case '[':
		return "(("
	case ']':
		return "))"
	}
	return "p" + strings.Repeat("x", m.to-m.from-1)
}

// is reports whether a token of the masked text is the mark or its beginning.
func (m mark) is(k dialect.Token, masked string) bool {
	if int(k.Start) != m.from {
		return false
	}
	if m.kind == '{' {
		return k.Kind == dialect.TokenWord && int(k.End) == m.to
	}
	return k.Kind == dialect.TokenOperator && int(k.End) <= m.to && strings.HasPrefix(m.mask(), k.Text(masked))
}

// listed reports whether a token stands alone inside IN ( ).
func listed(tokens []dialect.Token, at int, text string) bool {
	return at >= 2 && at+1 < len(tokens) && tokens[at-1].Is(text, "(") && tokens[at-2].IsWord(text, "IN") && tokens[at+1].Is(text, ")")
}

// Names returns the distinct parameters of the placeholders, in the order of the text.
func (t *Template) Names() (all []string) {
	for _, p := range t.Placeholders {
		if !slices.Contains(all, p.Name) {
			all = append(all, p.Name)
		}
	}
	return all
}

// Same reports whether two texts are equal apart from white space, comments, the case of unquoted words and a semicolon
// at the end.
func (t *Template) Same(o *Template) bool { return t.normal == o.normal }

// Write returns the statement: each placeholder is replaced by the result of value, and optional parts are kept if given
// reports true for all their parameters.
// Errors: those of value.
func (t *Template) Write(given func(name string) bool, value func(name string) (string, error)) (string, error) {
	var b strings.Builder
	at := 0
	for i := 0; i < len(t.marks); i++ {
		m := t.marks[i]
		b.WriteString(t.text[at:m.from])
		at = m.to
		switch m.kind {
		case '[':
			end := i + slices.IndexFunc(t.marks[i:], func(m mark) bool { return m.kind == ']' })
			if slices.ContainsFunc(t.marks[i+1:end], func(m mark) bool { return !given(m.name) }) {
				i, at = end, t.marks[end].to
			}
		case '{':
			text, err := value(m.name)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
		}
	}
	b.WriteString(t.text[at:])
	return b.String(), nil
}

// misplaced returns an error with a position.
func misplaced(sql string, offset int, format string, args ...any) *sdk.Error {
	e := invalid(format, args...)
	e.Pos = sdk.PositionAtByte(sql, offset)
	return e
}
