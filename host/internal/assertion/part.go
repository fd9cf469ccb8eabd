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
	rowsPart      // a noun for the rows of the table
	conditionPart // as has the comparison
	excludedPart  // as has the comparison of the rows that are left out
	numberPart
	dividePart
	entityPart // a noun for what a column refers to; as has the column
	signPart
	namePart
)

// part is a word, a sign, a quotation or an expression of a sentence.
type part struct {
	kind     partKind
	text     string
	low      string
	from, to int
	// as is what the part stands for: an aggregate, a column, a comparison.
	as string
	// where is, for a condition, its place in those of the sentence, counted from 1.
	where int
}

// partPattern matches parts: quotations, code, calls, names with dots, words, numbers, operators and signs.
var partPattern = text.Pattern("'[^']*'|\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|`[^`]*`|" +
	`(?i:(?:sum|avg|average|count|count_distinct|min|max|median)\s?\((?:[^()]|\([^()]*\))*\))|` +
	`[\pL_][\pL\d_]*(?:\.[\pL_][\pL\d_]*)+|[\pL_][\pL\d_]*(?:[-'’][\pL\d_]+)*|\d+(?:[.,]\d+)*|<>|!=|<=|>=|==|[=<>/*+]|[^\s]`)

// parted splits a sentence into parts; expressions around calls and columns are not joined yet.
func parted(s string) []part {
	found := partPattern().FindAllStringIndex(s, -1)
	all := make([]part, 0, len(found))
	for _, at := range found {
		p := part{text: s[at[0]:at[1]], from: at[0], to: at[1]}
		if inner := uncode(p.text); inner != p.text { // what is inside of code is read as without
			for _, in := range parted(inner) {
				in.from, in.to = p.from, p.to
				all = append(all, in)
			}
			continue
		}
		p.low = strings.ToLower(p.text)
		all = append(all, p)
	}
	return all
}

// quotation returns what is quoted by a part; "" = it is none.
func (p *part) quotation() string {
	r := []rune(p.text)
	if len(r) < 3 || !strings.ContainsRune("'\"“„«", r[0]) {
		return ""
	}
	return string(r[1 : len(r)-1])
}

// word reports whether a part is a word.
func (p *part) word() bool {
	return p.text != "" && (followsLetter(p.text) || follows(p.text)) && p.quotation() == ""
}

// number reports whether a part is a number.
func (p *part) number() bool { return p.text[0] >= '0' && p.text[0] <= '9' }
