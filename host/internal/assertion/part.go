package assertion

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/text"
)

// partKind is what a part of a sentence is in a calculation.
type partKind uint8

const (
	unknownPart partKind = iota
	gluePart             // it says nothing about the number
	tablePart
	columnPart
	callPart      // "sum(amount) / count(*)"
	aggregatePart // a word for an aggregate other than a count; as has it
	countPart
	distinctPart
	sharePart
	rowsPart // a noun for the rows of the table
	conditionPart
	numberPart
	dividePart
	entityPart // a noun for what a column refers to; as has the column
	signPart
	namePart
)

// part is a word, a sign, a quotation or an expression of a sentence.
type part struct {
	kind  partKind
	class class
	// code says that the text was marked as code, isWord that it is a word, hyphen that one stands before it, glossed that a
	// name in parentheses explains it, or that it is a part of such parentheses.
	code, isWord, hyphen, glossed bool
	text, low                     string
	from, to                      int
	// as is what the part stands for: an aggregate, a column.
	as string
	// where is, for a condition, its place in those of the sentence, counted from 1.
	where int
	// names is what the part, or the phrase that begins with it, names in the table.
	names
}

// names is what a phrase names in a table; length is the number of its parts.
type names struct {
	length         int
	column, flag   string
	valueOf, value string
	rows           bool
}

// compounding are nouns at the end of German compounds with a name: "amount-Werte", "subscription-Zeilen".
var compounding = text.Words("summe durchschnitt werte wert beträge betrag zeilen zeile datensätze einträge spalte feld tabelle status values value rows records entries column table")

// parted splits a sentence into parts; expressions around calls and columns are not joined yet.
func parted(s string) []part { return appendParts(make([]part, 0, len(s)/5+4), s) }

// parts are those of a text, in memory that the next sentence uses again.
func (r *reader) parts(s string) []part {
	used := len(r.scratch)
	r.scratch = appendParts(r.scratch, s)
	return r.scratch[used:len(r.scratch):len(r.scratch)]
}

func appendParts(all []part, s string) []part {
	for from, to := 0, 0; from < len(s); from = to {
		if to = from + partLength(s[from:]); s[from] == ' ' || s[from] == '\t' || s[from] == '\n' {
			continue
		}
		p := part{text: s[from:to], from: from, to: to}
		if inner := uncode(p.text); inner != p.text { // what is inside of code is read as without
			for _, in := range parted(inner) {
				in.from, in.to, in.code = p.from, p.to, true
				all = append(all, in)
			}
			continue
		}
		p.isWord = p.quotation() == "" && (followsLetter(p.text) || follows(p.text))
		p.low = strings.ToLower(p.text)
		if cut := strings.LastIndexByte(p.text, '-'); cut > 0 && cut < len(p.text)-1 && p.isWord && (compounding(p.low[cut+1:]) || germanNoun(p.low[cut+1:]) != nil) {
			head, tail := p, p
			head.text, head.low, head.to = p.text[:cut], p.low[:cut], p.from+cut
			tail.text, tail.low, tail.from = p.text[cut+1:], p.low[cut+1:], p.from+cut+1
			if head.class = 0; len(head.low) > 1 { // "A-Kunden"
				head.class = classes()[head.low]
			}
			tail.hyphen = true
			all, p = append(all, head), tail
		}
		if p.class = classes()[p.low]; p.is(pronounWord|speakerWord) && p.text == strings.ToUpper(p.text) && len(p.text) > 1 {
			p.class = 0 // "IT", "US"
		}
		all = append(all, p)
	}
	return all
}

// partLength returns the length of the part that a text begins with: a quotation, code, a call, a name with dots, a word, a
// number, an operator, or a sign.
func partLength(s string) int {
	r, size := utf8.DecodeRuneInString(s)
	for _, pair := range [...]string{"''", `""`, "“”", "„“", "„”", "«»", "``"} {
		open, width := utf8.DecodeRuneInString(pair)
		if r == open {
			if end := strings.Index(s[size:], pair[width:]); end >= 0 {
				return size + end + len(pair) - width
			}
		}
	}
	switch {
	case unicode.IsLetter(r) || r == '_':
		return wordLength(s)
	case r >= '0' && r <= '9':
		for size < len(s) && (digit(s[size]) || (s[size] == '.' || s[size] == ',') && size+1 < len(s) && digit(s[size+1])) {
			size++
		}
	case len(s) > 1 && (s[:2] == "<>" || s[:2] == "!=" || s[:2] == "<=" || s[:2] == ">=" || s[:2] == "==" || s[:2] == "->" || s[:2] == "=>" || s[:2] == ":="):
		return 2
	}
	return size
}

func digit(b byte) bool { return b >= '0' && b <= '9' }

// nameLength returns the length of the letters, digits and underscores that a text begins with.
func nameLength(s string) int {
	for i, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' {
			return i
		}
	}
	return len(s)
}

// wordLength returns the length of the word, the name with dots or the call that a text begins with.
func wordLength(s string) int {
	n := nameLength(s)
	if end := callLength(s, n); end > 0 {
		return end
	}
	dotted := n
	for dotted < len(s) && s[dotted] == '.' && follows(s[dotted+1:]) && !digit(s[dotted+1]) {
		dotted += 1 + nameLength(s[dotted+1:])
	}
	if dotted > n {
		return dotted
	}
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if r != '-' && r != '\'' && r != '’' {
			break
		}
		more := nameLength(s[n+size:])
		if more == 0 {
			break
		}
		n += size + more
	}
	return n
}

// calledFunctions reports whether a word is an aggregate of SQL.
func calledFunctions(w string) bool {
	switch w {
	case "sum", "avg", "average", "count", "count_distinct", "min", "max", "median":
		return true
	}
	return false
}

// callLength returns the length of the call that begins with a name; 0 = it is none. Parentheses nest once.
func callLength(s string, name int) int {
	at := name
	if at < len(s) && s[at] == ' ' {
		at++
	}
	if at >= len(s) || s[at] != '(' || !calledFunctions(strings.ToLower(s[:name])) {
		return 0
	}
	depth := 0
	for ; at < len(s); at++ {
		switch s[at] {
		case '(':
			if depth++; depth > 2 {
				return 0
			}
		case ')':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return 0
}

// quotation returns what is quoted by a part; "" = it is none.
func (p *part) quotation() string {
	if p.text == "" || p.text[0] < 0x80 && p.text[0] != '\'' && p.text[0] != '"' {
		return ""
	}
	r := []rune(p.text)
	if len(r) < 3 || !strings.ContainsRune("'\"“„«", r[0]) {
		return ""
	}
	return string(r[1 : len(r)-1])
}

// is reports whether a word has one of some classes.
func (p *part) is(c class) bool { return p.class&c != 0 }

// number reports whether a part is a number.
func (p *part) number() bool { return p.text[0] >= '0' && p.text[0] <= '9' }

// sign reports whether a part ends a clause.
func (p *part) sign() bool {
	return !p.isWord && (strings.Contains(",;:()–—", p.text) || p.text == "->" || p.text == "=>" || p.text == ":=" || p.text == "→")
}

// compares reports whether a part is a comparison, or may be the value of one.
func compares(p part) bool { return strings.ContainsAny(p.text, "=<>") || p.quotation() != "" }

// ours reports whether a word says that something is ours.
func (p *part) ours() bool {
	return p.low == "our" || p.low == "my" || strings.HasPrefix(p.low, "unser") && len(p.low) <= len("unserem")
}
