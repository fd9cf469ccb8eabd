package assertion

import (
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// lacks are words that say directly behind a column that it has a value, or has none: "reserved_for leer".
var lacks = text.Words("fehlt fehlen leer gefüllt ausgefüllt befüllt vorhanden gesetzt eingetragen null empty missing blank")

// present are words that say that there is a value.
var present = text.Words("set gesetzt filled gefüllt ausgefüllt befüllt vorhanden present eingetragen")

// empty returns how a condition writes a word for no value; a word for a value has it turned round.
func (a *anatomy) empty(low string) string {
	if present(low) || strings.HasPrefix(low, "fehl") {
		return "null"
	}
	return low
}

// nulled takes "(null)" behind a word for no value to a condition: "leer (null)".
func (a *anatomy) nulled(c found, low string) found {
	if c.to+2 < len(a.all) && a.all[c.to].text == "(" && a.all[c.to+1].low == "null" && a.all[c.to+2].text == ")" {
		c.text, c.to = strings.Replace(c.text, a.empty(low), "null", 1), c.to+3
	}
	return c
}

// had reads a column that the rows have, or have not: "without a closed_on", "have a filed_on date but no issued_on date".
// Shape: only for columns whose values say that something was done, or are keys: zero is no value of them.
func (a *anatomy) had(i int) (c found, ok bool) {
	p := &a.all[i]
	before, last := cutLastWord(p.column)
	done := before != "" && (doneEndings(last) || keyEndings(last)) || i+1 < len(a.all) && valueNouns(a.all[i+1].low)
	_, null := a.bracketed(i + p.length)
	if p.text != p.column || !done && null == 0 {
		return c, false
	}
	from := i - 1
	for from >= 0 && (a.all[from].is(articleWord) || haveBetween(a.all[from].low)) {
		from--
	}
	if from < 0 || a.all[from].kind == conditionPart {
		return c, false
	}
	c = found{from: from, to: i + p.length, column: p.column, whole: true, null: true}
	if a.all[from].text == "," && from+1 < i && a.all[from+1].is(jointWord) && c.to < len(a.all) && (a.all[c.to].low == "haben" || a.all[c.to].low == "hat") {
		c.text, c.from, c.to = p.column+" is not null", from+1, c.to+1 // "Posten, die schon eine lager_nr haben"
		return c, true
	}
	bracket, null := a.bracketed(c.to)
	c.to += null
	switch low := a.all[from].low; {
	case bracket != "" && strings.Contains(bracket, "not") != (low == "with" || low == "mit" || low == "have" || low == "has" || low == "having" || low == "haben" || low == "hat"):
		return c, false
	case low == "without" || low == "ohne" || low == "no" || low == "kein" || low == "keine" || low == "keinen" || low == "lack" || low == "lacking":
		c.text = p.column + " is null"
	case low == "with" || low == "mit" || low == "have" || low == "has" || low == "having" || low == "haben" || low == "hat":
		c.text = p.column + " is not null"
	default:
		return c, false
	}
	if c.to < len(a.all) && (valueNouns(a.all[c.to].low) || a.all[c.to].low == "yet") { // "no shipped_on yet"
		c.to++
	}
	return c, true
}

// bracketed returns what parentheses at a part say of a column: "(null)", "(not null)"; their length is 0 = they say something else.
func (a *anatomy) bracketed(i int) (says string, length int) {
	for _, says := range [...]string{"( null )", "( is null )", "( not null )", "( is not null )"} {
		length = 0
		for word := range strings.FieldsSeq(says) {
			if i+length >= len(a.all) || a.all[i+length].low != word {
				length = 0
				break
			}
			length++
		}
		if length > 0 {
			return says, length
		}
	}
	return "", 0
}

var (
	// doneEndings are what a column ends with whose value says that something was done, and when or by whom.
	doneEndings = text.Words("at on by date time ts dt id am um von dat datum zeit")
	haveBetween = text.Words("a an any yet noch ein eine einen bereits schon already")
	valueNouns  = text.Words("date time timestamp value entry datum wert eintrag zeitpunkt")
)
