package assertion

import (
	"strconv"
	"strings"
)

// operation reads an expression over the columns of one row, or over calls: operands with operators between them, in signs or
// in words, and parentheses.
type operation struct {
	a *anatomy
	// at is the next part, last the last one of the expression.
	at, last int
	// joined says that there is an operator, called that an operand is a call.
	joined, called bool
	// adds and multiplies say that an operator of that kind is in words.
	adds, multiplies bool
	// subtracts says that there is a sum or a difference outside of parentheses.
	subtracts bool
}

// operators returns how an expression writes a sign or a word between operands; "" = it is none.
func operators(low string) string {
	switch low {
	case "+", "plus", "zuzüglich":
		return "+"
	case "-", "−", "minus", "abzüglich", "less":
		return "-"
	case "*", "×", "·", "times", "mal", "x":
		return "*"
	case "/", "÷":
		return "/"
	}
	return ""
}

// operator returns the operator that begins at a part, and its number of parts; "" = there is none.
func (a *anatomy) operatorAt(i int) (sign string, length int) {
	if i >= len(a.all) || a.all[i].kind == conditionPart || a.all[i].kind == namePart {
		return "", 0
	}
	if i+1 < len(a.all) {
		switch a.all[i].low + " " + a.all[i+1].low {
		case "multiplied by", "multipliziert mit":
			return "*", 2
		case ", less", ", minus", ", plus", ", abzüglich", ", zuzüglich":
			if i+2 < len(a.all) && a.all[i+2].kind == columnPart {
				return operators(a.all[i+1].low), 2 // "quantity × price, less discount, summed"
			}
		}
	}
	if i > 2 && a.all[i].is(andWord) && i+1 < len(a.all) && a.all[i-3].is(sumWord) && (a.all[i-2].low == "of" || a.all[i-2].low == "von" || a.all[i-2].low == "aus") && a.addend(i-1) && a.addend(i+1) {
		return "+", 1 // "the sum of fare and surcharge"
	}
	if i > 1 && a.all[i].is(andWord) && i+1 < len(a.all) && addingUp(a.all[i-2].low) && a.addend(i-1) && a.addend(i+1) {
		return "+", 1 // "adds fare and surcharge"
	}
	if i > 1 && a.all[i].low == "from" && strings.HasPrefix(a.all[i-2].low, "subtract") {
		return "-", 1 // "subtracts discount from price", the other way round
	}
	if i > 1 && (a.all[i].low == "by" || a.all[i].low == "mit") && (multiplies(a.all[i-2].low) || i+2 < len(a.all) && multiplies(a.all[i+2].low)) {
		return "*", 1 // "multiply quantity by price", "wenn man menge mit preis malnimmt"
	}
	return operators(a.all[i].low), 1
}

// addingUp reports whether a word is a verb of a sum of what stands behind it.
func addingUp(w string) bool {
	switch w {
	case "add", "adds", "adding", "addiert", "addieren":
		return true
	}
	return false
}

// multiplies reports whether a word is a verb of multiplying.
func multiplies(low string) bool {
	return strings.HasPrefix(low, "multipl") || low == "malnimmt" || low == "malnehmen"
}

// addend reports whether a part is a column that may be added to another one, and no key.
func (a *anatomy) addend(i int) bool {
	return a.all[i].kind == columnPart && a.all[i].length < 2 && !keyEndings(lastWord(a.all[i].column))
}

// keyEndings reports whether the name of a key ends with a word.
func keyEndings(w string) bool {
	switch w {
	case "id", "ids", "key", "nr", "no", "number", "ref", "code":
		return true
	}
	return false
}

// expressions joins the operands of each expression to one part: "tons times (sell_price minus buy_price)".
func (a *anatomy) expressions() {
	for i := range a.all {
		o := operation{a: a, at: i}
		if p := &a.all[i]; p.kind != columnPart && p.kind != callPart && p.kind != numberPart && p.text != "(" {
			continue
		}
		written, ok := o.terms("+-", 0)
		if !ok || !o.joined || o.adds && o.multiplies || o.subtracts && a.belongs(o.last+1) {
			continue
		}
		kind := columnPart
		if o.called {
			kind = callPart
		}
		for j := i; j <= o.last; j++ {
			a.all[j].kind = gluePart
		}
		a.all[o.last].kind, a.all[o.last].as = kind, written
	}
}

// belongs reports whether the part behind a sum or a difference may restrict its last operand alone: "a minus b of paid
// orders".
func (a *anatomy) belongs(i int) bool {
	if i >= len(a.all) {
		return false
	}
	switch a.all[i].low {
	case "of", "der", "des", "von", "with", "mit", "that", "whose":
	default:
		return false
	}
	for ; i < len(a.all) && !a.all[i].sign(); i++ {
		if a.all[i].kind == conditionPart {
			return true
		}
	}
	return false
}

// terms reads operands with signs between them: terms with + and -, or the factors of one with * and /.
func (o *operation) terms(signs string, depth int) (string, bool) {
	next := func() (string, bool) {
		if signs == "+-" {
			return o.terms("*/", depth)
		}
		return o.operand(depth)
	}
	written, ok := next()
	for ok {
		sign, length := o.a.operatorAt(o.at)
		if sign == "" || !strings.Contains(signs, sign) {
			break
		}
		before := *o
		if at := o.at + length; sign == "/" && depth == 0 && at < len(o.a.all) && o.a.all[at].kind == columnPart && !o.called {
			break // of sums, or of each row: an aggregate has to say so
		}
		from := o.a.all[o.at].low == "from"
		if worded := o.a.all[o.at].isWord && depth == 0; signs == "+-" {
			o.adds, o.subtracts = o.adds || worded, o.subtracts || depth == 0
		} else {
			o.multiplies = o.multiplies || worded
		}
		o.at += length
		term, more := next()
		if !more {
			*o = before
			break
		}
		if from {
			written, term = term, written
		}
		written, o.joined = written+" "+sign+" "+term, true
	}
	return written, ok
}

// deepest is how deep parentheses may nest.
const deepest = 3

// operand reads a column, a call, a number, or an expression in parentheses.
func (o *operation) operand(depth int) (string, bool) {
	all := o.a.all
	for o.joined && o.at < len(all) && all[o.at].is(articleWord) && all[o.at].kind == gluePart || o.at > 0 && o.at < len(all) && o.articled() {
		o.at++
	}
	if o.at >= len(all) {
		return "", false
	}
	p := &all[o.at]
	switch {
	case p.text == "(" && p.kind == signPart && depth < deepest:
		inner := operation{a: o.a, at: o.at + 1}
		written, ok := inner.terms("+-", depth+1)
		if !ok || !inner.joined || inner.adds && inner.multiplies || inner.at >= len(all) || all[inner.at].text != ")" {
			return "", false
		}
		o.called, o.last, o.at = o.called || inner.called, inner.at, inner.at+1
		return "(" + written + ")", true
	case p.kind == columnPart, p.kind == callPart, p.kind == numberPart:
		written := p.as
		if written == "" {
			written = p.text
		}
		o.called = o.called || p.kind == callPart
		if p.kind == numberPart && !o.began() {
			return "", false
		}
		o.last = o.at + max(1, p.length) - 1
		for o.last+1 < len(all) && all[o.last+1].kind == gluePart && all[o.last+1].glossed {
			o.last++
		}
		o.at = o.last + 1
		return written, true
	}
	return "", false
}

// articled reports whether the next part is an article behind an operator.
func (o *operation) articled() bool {
	p := &o.a.all[o.at]
	return p.is(articleWord) && p.kind == gluePart && operators(o.a.all[o.at-1].low) != ""
}

// began reports whether something stands before the next operand: a number alone begins no expression, unless a product does.
func (o *operation) began() bool {
	if o.at > 0 && operators(o.a.all[o.at-1].low) != "" {
		return true
	}
	sign, _ := o.a.operatorAt(o.at + 1)
	return sign == "*" || sign == "-" || sign == "+"
}

// arithmetic reports whether a text has an operator, so that it is no name of a column.
func arithmetic(of string) bool { return strings.ContainsAny(of, "+-*/ ") }

// numeral writes a number as SQL has it; "" = it has two readings.
func numeral(written string, l Language) string {
	if !strings.ContainsAny(written, ".,") {
		return written
	}
	all := readings(written, l)
	if len(all) != 1 {
		return ""
	}
	return strconv.FormatFloat(all[0], 'f', -1, 64)
}
