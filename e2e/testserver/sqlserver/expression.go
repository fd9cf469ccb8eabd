//go:build cgo

package sqlserver

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

// startsOperand tells whether the token at i begins a value.
func (t *translator) startsOperand(i int) bool {
	one := t.at(i)
	switch one.kind {
	case quoted, text, number, variable:
		return true
	case symbol:
		if one.is("(") {
			return true
		}
		return one.is("-", "+", "~") && i+1 < len(t.tokens) && t.startsOperand(i+1)
	}
	switch one.text {
	case "NULL", "CASE", "CONVERT", "TRY_CONVERT", "COALESCE", "NULLIF", "CURRENT_TIMESTAMP", "CURRENT_USER", "SESSION_USER", "SYSTEM_USER", "USER":
		return true
	case "LEFT", "RIGHT", "CAST", "TRY_CAST":
		return t.at(i + 1).is("(")
	}
	return !reserved[one.text] && !t.isKeyword(i)
}

// arithmetic translates operands with + and - between them.
func (t *translator) arithmetic(end int) (string, error) {
	left, err := t.product(end)
	if err != nil {
		return "", err
	}
	for t.i < end && t.at(t.i).is("+", "-", "&", "|", "^") {
		op := t.at(t.i)
		t.i++
		right, err := t.product(end)
		if err != nil {
			return "", err
		}
		switch op.text {
		case "+": // of numbers or of texts
			lead, rest := cutLead(left)
			left = lead + plus(rest, right)
		case "^":
			return "", missing(op.line, "operator ^")
		default:
			left += op.lead + op.raw + right
		}
	}
	return left, nil
}

// plus adds numbers or joins texts. DuckDB does not choose among the overloads of a
// macro by the type of an aggregate: then a literal says whether it is of texts.
func plus(left, right string) string {
	switch {
	case !aggregated(left) && !aggregated(right):
		return "ms_plus(" + left + "," + right + ")"
	case strings.HasSuffix(left, "'") || strings.HasPrefix(strings.TrimSpace(right), "'"):
		return "(" + left + " ||" + right + ")"
	}
	return "(" + left + " +" + right + ")"
}

// aggregates are how calls of aggregates and windows look when they are translated.
var aggregates = []string{" OVER (", "count(", "sum(", "min(", "max(", "avg(", "string_agg(", "stddev_samp(", "stddev_pop(", "var_samp(", "var_pop(", "approx_count_distinct(", "quantile_cont(", "quantile_disc("}

func aggregated(x string) bool {
	return slices.ContainsFunc(aggregates, func(a string) bool { return strings.Contains(x, a) })
}

// moment writes an expression as a time for the functions of dates.
func moment(x string) string {
	if aggregated(x) {
		return "CAST(" + x + " AS TIMESTAMP)"
	}
	return "ms_moment(" + x + ")"
}

func (t *translator) product(end int) (string, error) {
	left, err := t.unary(end)
	if err != nil {
		return "", err
	}
	for t.i < end && t.at(t.i).is("*", "/", "%") && t.startsOperand(t.i+1) {
		op := t.at(t.i)
		t.i++
		right, err := t.unary(end)
		if err != nil {
			return "", err
		}
		lead, rest := cutLead(left)
		switch op.text {
		case "/":
			left = lead + "ms_divide(" + rest + "," + right + ")"
		case "%":
			left = lead + "ms_modulo(" + rest + "," + right + ")"
		default:
			left += op.lead + op.raw + right
		}
	}
	return left, nil
}

// cutLead takes the spaces before an expression from it.
func cutLead(x string) (lead, rest string) {
	rest = strings.TrimLeft(x, " \n")
	return x[:len(x)-len(rest)], rest
}

func (t *translator) unary(end int) (string, error) {
	one := t.at(t.i)
	if t.i >= end {
		return "", syntaxError(t.at(end - 1))
	}
	if one.is("-", "+", "~") {
		t.i++
		x, err := t.unary(end)
		if strings.HasPrefix(x, "-") {
			x = " " + x
		}
		return one.lead + one.raw + x, err
	}
	x, err := t.primary(end)
	if err != nil {
		return "", err
	}
	for t.i < end {
		switch {
		case t.at(t.i).is("AT") && t.at(t.i+1).is("TIME") && t.at(t.i+2).is("ZONE"):
			zone, err := t.zone(t.i + 3)
			if err != nil {
				return "", err
			}
			lead, rest := cutLead(x)
			x = lead + "ms_zone(" + rest + ", " + zone + ")"
			t.i += 4
		case t.at(t.i).is("COLLATE") && t.at(t.i+1).kind == word:
			collation, ok := collations[t.at(t.i+1).text]
			if !ok {
				return "", missing(t.at(t.i).line, "collation %s", t.at(t.i+1).raw)
			}
			x += " COLLATE " + collation
			t.i += 2
		default:
			return x, nil
		}
	}
	return x, nil
}

var collations = map[string]string{
	"DATABASE_DEFAULT": "NOCASE", "CATALOG_DEFAULT": "NOCASE", "SQL_LATIN1_GENERAL_CP1_CI_AS": "NOCASE", "LATIN1_GENERAL_CI_AS": "NOCASE",
	"LATIN1_GENERAL_BIN2": "C", "LATIN1_GENERAL_BIN": "C", "LATIN1_GENERAL_100_BIN2": "C",
}

// zone returns the zone of AT TIME ZONE as DuckDB knows it.
func (t *translator) zone(i int) (string, error) {
	one := t.at(i)
	name := one.text
	if one.kind == variable {
		name, _ = t.parameters[strings.TrimPrefix(one.raw, "@")].(string)
	} else if one.kind != text {
		return "", missing(one.line, "time zone that is no text")
	}
	iana, ok := zones[name]
	if !ok {
		return "", &tds.Error{Number: 9820, Class: 16, Line: uint32(one.line), Message: "The time zone parameter '" + name + "' provided to AT TIME ZONE clause is invalid."}
	}
	return literal(iana), nil
}

// primary translates a literal, a name, a call, a group or a CASE.
func (t *translator) primary(end int) (string, error) {
	one := t.at(t.i)
	switch {
	case one.kind == text:
		t.i++
		return one.lead + literal(one.text), nil
	case one.kind == number:
		t.i++
		return one.lead + numeral(one.raw), nil
	case one.kind == variable:
		t.i++
		x, err := t.variable(one)
		return one.lead + x, err
	case one.is("("):
		close, err := t.closing(t.i)
		if err != nil {
			return "", err
		}
		if close >= end {
			return "", syntaxError(t.at(end - 1))
		}
		t.i++
		x, err := t.sequence(close, true)
		if err != nil {
			return "", err
		}
		t.i = close + 1
		return one.lead + "(" + x + t.at(close).lead + ")", nil
	case one.is("CASE"):
		return t.caseOf(end)
	case one.is("NULL"):
		t.i++
		return one.lead + "NULL", nil
	case one.name():
		return t.named(end)
	}
	return "", syntaxError(one)
}

// numeral: a literal with an exponent is a float, hexadecimal digits are bytes.
func numeral(raw string) string {
	if strings.HasPrefix(strings.ToLower(raw), "0x") {
		digits := raw[2:]
		if len(digits)%2 == 1 {
			digits = "0" + digits
		}
		b, _ := hex.DecodeString(digits) // the lexer lets nothing else in
		return blob(b)
	}
	if strings.ContainsAny(raw, "eE") {
		return "CAST(" + raw + " AS DOUBLE)"
	}
	if len(raw) > 18 && !strings.Contains(raw, ".") { // no bigint, but a decimal
		return "CAST(" + raw + " AS DECIMAL(" + strconv.Itoa(min(len(raw), 38)) + ",0))"
	}
	return strings.TrimSuffix(raw, ".")
}

func blob(b []byte) string {
	var out strings.Builder
	for _, c := range b {
		fmt.Fprintf(&out, `\x%02X`, c)
	}
	return "CAST('" + out.String() + "' AS BLOB)"
}

// caseOf translates CASE … END.
func (t *translator) caseOf(end int) (string, error) {
	depth, stop := 0, -1
	for i := t.i; i < end && stop < 0; i++ {
		switch one := t.at(i); {
		case one.is("CASE"):
			depth++
		case one.is("END"):
			if depth--; depth == 0 {
				stop = i
			}
		}
	}
	if stop < 0 {
		return "", syntaxError(t.at(t.i))
	}
	one := t.at(t.i)
	t.i++
	body, err := t.items(stop)
	if err != nil {
		return "", err
	}
	last := t.at(stop)
	t.i = stop + 1
	return one.lead + "CASE" + body + spaced(last.lead) + "END", nil
}

// named translates a name, with its parts, or a call.
func (t *translator) named(end int) (string, error) {
	lead := t.at(t.i).lead
	var parts []string
	first := t.i
	for {
		one := t.at(t.i)
		switch {
		case one.name() && len(parts) > 0 || one.kind == quoted:
			parts = append(parts, one.text)
			if one.kind == word {
				parts[len(parts)-1] = one.raw
			}
			t.i++
		case one.name():
			parts = append(parts, one.raw)
			t.i++
		case one.is("."): // db..table
			parts = append(parts, "")
		case one.is("*"):
			t.i++
			return lead + qualified(parts) + ".*", nil
		default:
			return "", syntaxError(one)
		}
		if !t.at(t.i).is(".") || t.i >= end {
			break
		}
		t.i++
	}
	if len(parts) > 4 || len(parts) == 4 && parts[0] != "" {
		return "", missing(t.at(first).line, "linked server")
	}
	if t.at(t.i).is("(") && t.i < end {
		return t.call(lead, first, parts, end)
	}
	if len(parts) == 1 && t.at(first).kind == word {
		if x, ok := t.session.niladic(strings.ToUpper(parts[0])); ok {
			return lead + x, nil
		}
	}
	return lead + qualified(parts), nil
}

// qualified writes a name; the schema that is left out is dbo.
func qualified(parts []string) string {
	var out []string
	for i, p := range parts {
		if p == "" && i > 0 {
			p = "dbo"
		}
		if p == "" {
			continue
		}
		if strings.EqualFold(p, "INFORMATION_SCHEMA") && i < len(parts)-1 {
			p = informationSchema
		}
		out = append(out, quote(p))
	}
	return strings.Join(out, ".")
}
