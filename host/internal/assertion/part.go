package assertion

import (
	"strings"

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
	// code says that the text was marked as code, isWord that it is a word.
	code, isWord bool
	text, low    string
	from, to     int
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

// partPattern matches parts: quotations, code, calls, names with dots, words, numbers, operators and signs.
var partPattern = text.Pattern("'[^']*'|\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|`[^`]*`|" +
	`(?i:(?:sum|avg|average|count|count_distinct|min|max|median)\s?\((?:[^()]|\([^()]*\))*\))|` +
	`[\pL_][\pL\d_]*(?:\.[\pL_][\pL\d_]*)+|[\pL_][\pL\d_]*(?:[-'’][\pL\d_]+)*|\d+(?:[.,]\d+)*|<>|!=|<=|>=|==|[=<>/*+]|[^\s]`)

// compounding are nouns at the end of German compounds with a name: "amount-Werte", "subscription-Zeilen".
var compounding = text.Words("summe durchschnitt werte wert beträge betrag zeilen zeile datensätze einträge spalte feld tabelle status values value rows records entries column table")

// parted splits a sentence into parts; expressions around calls and columns are not joined yet.
func parted(s string) []part {
	found := partPattern().FindAllStringIndex(s, -1)
	all := make([]part, 0, len(found)+4)
	for _, at := range found {
		p := part{text: s[at[0]:at[1]], from: at[0], to: at[1]}
		if inner := uncode(p.text); inner != p.text { // what is inside of code is read as without
			for _, in := range parted(inner) {
				in.from, in.to, in.code = p.from, p.to, true
				all = append(all, in)
			}
			continue
		}
		p.isWord = p.quotation() == "" && (followsLetter(p.text) || follows(p.text))
		p.low = strings.ToLower(p.text)
		if cut := strings.LastIndexByte(p.text, '-'); cut > 0 && cut < len(p.text)-1 && p.isWord && compounding(p.low[cut+1:]) {
			head, tail := p, p
			head.text, head.low, head.to = p.text[:cut], p.low[:cut], p.from+cut
			tail.text, tail.low, tail.from = p.text[cut+1:], p.low[cut+1:], p.from+cut+1
			head.class = classes()[head.low]
			all, p = append(all, head), tail
		}
		if p.class = classes()[p.low]; p.is(pronounWord|speakerWord) && p.text == strings.ToUpper(p.text) && len(p.text) > 1 {
			p.class = 0 // "IT", "US"
		}
		all = append(all, p)
	}
	return all
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
	return !p.isWord && strings.Contains(",;:()–—", p.text)
}

// ours reports whether a word says that something is ours.
func (p *part) ours() bool {
	return p.low == "our" || p.low == "my" || strings.HasPrefix(p.low, "unser") && len(p.low) <= len("unserem")
}
