package bigquery

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

type kind int

const (
	word   kind = iota // SELECT, a, a$b
	name               // `a b`, decoded
	text               // 'a' or "a", decoded
	octets             // b'a', decoded
	number             // 1, 0x1F, 1.5e3
	named              // @a
	system             // @@a
	sign               // + <= ( …
)

// token is a lexical element of GoogleSQL; at is its byte offset in the statement.
type token struct {
	kind kind
	text string
	at   int
	end  int
}

func (t token) is(words ...string) bool {
	if t.kind != word && t.kind != sign {
		return false
	}
	for _, w := range words {
		if strings.EqualFold(t.text, w) {
			return true
		}
	}
	return false
}

// signs of more than one character, the longer ones first.
var signs = []string{"<=", ">=", "<>", "!=", "||", "|>", "=>", "->", "<<", ">>"}

// lex cuts a statement into tokens.
// Errors: *Error invalidQuery, with the position.
func lex(sql string) ([]token, error) {
	if !utf8.ValidString(sql) {
		return nil, syntaxError(sql, 0, "Query text is not valid UTF-8")
	}
	var tokens []token
	for at := 0; at < len(sql); {
		next, err := skip(sql, at)
		if err != nil {
			return nil, err
		}
		if at = next; at >= len(sql) {
			break
		}
		t, err := lexOne(sql, at)
		if err != nil {
			return nil, err
		}
		t.at = at
		at = t.end
		tokens = append(tokens, t)
	}
	return tokens, nil
}

// skip passes over white space and comments.
func skip(sql string, at int) (int, error) {
	for at < len(sql) {
		rest := sql[at:]
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '\f' || r == '\v' || r == 0xA0 || r >= 0x2000 && r <= 0x200A || r == 0x3000:
			at += size
		case r == '#' || strings.HasPrefix(rest, "--"):
			n := strings.IndexAny(rest, "\r\n")
			if n < 0 {
				return len(sql), nil
			}
			at += n
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				return 0, syntaxError(sql, at, "Syntax error: Unclosed comment")
			}
			at += n + 4
		default:
			return at, nil
		}
	}
	return at, nil
}

func lexOne(sql string, at int) (token, error) {
	rest := sql[at:]
	if t, ok, err := lexText(sql, at); ok || err != nil {
		return t, err
	}
	c := rest[0]
	switch {
	case c == '`':
		return lexName(sql, at)
	case digit(c) || c == '.' && len(rest) > 1 && digit(rest[1]):
		n := len(numeral.FindString(rest))
		if n < len(rest) && wordStart(rest[n]) {
			return token{}, syntaxError(sql, at+n, "Syntax error: Missing whitespace between literal and alias")
		}
		return token{kind: number, text: rest[:n], end: at + n}, nil
	case wordStart(c):
		n := 1
		for n < len(rest) && (wordStart(rest[n]) || digit(rest[n])) {
			n++
		}
		return token{kind: word, text: rest[:n], end: at + n}, nil
	case c == '@':
		k, n := named, 1
		if strings.HasPrefix(rest, "@@") {
			k, n = system, 2
		}
		from := n
		for n < len(rest) && (wordStart(rest[n]) || digit(rest[n]) || k == system && rest[n] == '.') {
			n++
		}
		return token{kind: k, text: rest[from:n], end: at + n}, nil
	}
	for _, s := range signs {
		if strings.HasPrefix(rest, s) {
			return token{kind: sign, text: s, end: at + len(s)}, nil
		}
	}
	if strings.IndexByte("+-*/=<>(),.;[]?|&^~!%:{}", c) >= 0 {
		return token{kind: sign, text: rest[:1], end: at + 1}, nil
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return token{}, syntaxError(sql, at, fmt.Sprintf("Syntax error: Illegal input character %q", string(r)))
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func wordStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}

// numeral is a number without a sign, or nothing.
var numeral = regexp.MustCompile(`^(?:0[xX][0-9a-fA-F]+|[0-9]*(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)`)

// lexText reads a literal of text or bytes: any of r and b before one or three quotes.
func lexText(sql string, at int) (token, bool, error) {
	n, raw, octet := at, false, false
	for n < len(sql) && n-at < 2 {
		if c := sql[n] | 0x20; c == 'r' && !raw {
			raw = true
		} else if c == 'b' && !octet {
			octet = true
		} else {
			break
		}
		n++
	}
	if n >= len(sql) || sql[n] != '\'' && sql[n] != '"' {
		return token{}, false, nil
	}
	quote := sql[n : n+1]
	if strings.HasPrefix(sql[n:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	from := n + len(quote)
	for n = from; n < len(sql); n++ {
		switch {
		case sql[n] == '\\':
			n++
		case strings.HasPrefix(sql[n:], quote):
			value := sql[from:n]
			if !raw {
				var err error
				if value, err = unescape(value, octet); err != nil {
					return token{}, true, syntaxError(sql, at, "Syntax error: "+err.Error())
				}
			}
			k := text
			if octet {
				k = octets
			}
			return token{kind: k, text: value, end: n + len(quote)}, true, nil
		case sql[n] == '\n' && len(quote) == 1:
			return token{}, true, syntaxError(sql, at, "Syntax error: Unclosed string literal")
		}
	}
	return token{}, true, syntaxError(sql, at, "Syntax error: Unclosed string literal")
}

func lexName(sql string, at int) (token, error) {
	for n := at + 1; n < len(sql); n++ {
		switch sql[n] {
		case '\\':
			n++
		case '`':
			value, err := unescape(sql[at+1:n], false)
			if err == nil && value == "" {
				err = fmt.Errorf("Invalid empty identifier")
			}
			if err != nil {
				return token{}, syntaxError(sql, at, "Syntax error: "+err.Error())
			}
			return token{kind: name, text: value, end: n + 1}, nil
		}
	}
	return token{}, syntaxError(sql, at, "Syntax error: Unclosed identifier literal")
}

// plain are the escapes of one character.
var plain = map[byte]string{
	'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
	'\\': "\\", '?': "?", '"': "\"", '\'': "'", '`': "`",
}

// unescape decodes the escapes of a literal; \x is a byte in octets, else a character.
func unescape(s string, octet bool) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if p, ok := plain[s[i]]; ok {
			b.WriteString(p)
			continue
		}
		digits, base := 0, 16
		switch s[i] {
		case 'x', 'X':
			digits = 2
		case 'u':
			digits = 4
		case 'U':
			digits = 8
		case '0', '1', '2', '3':
			digits, base, i = 3, 8, i-1
		}
		if digits == 0 || i+digits >= len(s) || octet && digits > 3 {
			return "", fmt.Errorf("Illegal escape sequence: \\%c", s[i])
		}
		v, err := strconv.ParseUint(s[i+1:i+1+digits], base, 32)
		if err != nil || v > utf8.MaxRune {
			return "", fmt.Errorf("Illegal escape sequence: \\%s", s[i:i+1+digits])
		}
		i += digits
		if octet {
			b.WriteByte(byte(v))
		} else {
			b.WriteRune(rune(v))
		}
	}
	return b.String(), nil
}

// node is a token, or a group in parentheses or brackets with what stands inside.
type node struct {
	token
	group bool
	kids  []node
	until int // where a group ends
}

// tree nests the groups of a statement.
func tree(sql string, tokens []token) ([]node, error) {
	type open struct {
		nodes []node
		by    token
	}
	stack := []open{{}}
	pairs := map[string]string{")": "(", "]": "["}
	for _, t := range tokens {
		top := &stack[len(stack)-1]
		switch {
		case t.kind == sign && (t.text == "(" || t.text == "["):
			stack = append(stack, open{by: t})
		case t.kind == sign && pairs[t.text] != "":
			if len(stack) == 1 || top.by.text != pairs[t.text] {
				return nil, syntaxError(sql, t.at, fmt.Sprintf("Syntax error: Unexpected %q", t.text))
			}
			group := node{token: top.by, group: true, kids: top.nodes, until: t.end}
			stack = stack[:len(stack)-1]
			top = &stack[len(stack)-1]
			top.nodes = append(top.nodes, group)
		default:
			top.nodes = append(top.nodes, node{token: t})
		}
	}
	if len(stack) > 1 {
		return nil, syntaxError(sql, len(sql), fmt.Sprintf("Syntax error: Expected %q but got end of script", map[string]string{"(": ")", "[": "]"}[stack[len(stack)-1].by.text]))
	}
	return stack[0].nodes, nil
}
