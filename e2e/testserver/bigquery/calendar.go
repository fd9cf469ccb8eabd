package bigquery

import (
	"fmt"
	"strings"
)

// units are the parts of a date or a time, as DuckDB names them.
var units = map[string]string{
	"MICROSECOND": "microsecond", "MILLISECOND": "millisecond", "SECOND": "second", "MINUTE": "minute", "HOUR": "hour", "DAY": "day",
	"WEEK": "week", "ISOWEEK": "week", "MONTH": "month", "QUARTER": "quarter", "YEAR": "year", "ISOYEAR": "isoyear",
}

// weekdays and how many days after a Monday they are.
var weekdays = map[string]int{"MONDAY": 0, "TUESDAY": 1, "WEDNESDAY": 2, "THURSDAY": 3, "FRIDAY": 4, "SATURDAY": 5, "SUNDAY": 6}

// part reads MONTH, or WEEK(MONDAY); shift is the days by which its weeks are before
// those that begin on a Monday.
func (t *translation) part(nodes []node) (unit string, shift int) {
	if len(nodes) == 0 || nodes[0].group {
		t.fail(invalid("A valid date part name is required at %s", position(t.source, len(t.source))))
		return "day", 0
	}
	n := nodes[0]
	unit = units[strings.ToUpper(n.text)]
	days, known := 6, true
	if n.is("WEEK") && len(nodes) == 2 && nodes[1].open("(") && len(nodes[1].kids) == 1 {
		days, known = weekdays[strings.ToUpper(nodes[1].kids[0].text)]
	} else if len(nodes) != 1 {
		known = false
	}
	if unit == "" || !known {
		t.fail(syntaxError(t.source, n.at, "A valid date part name is required but found "+n.text))
		return "day", 0
	}
	if n.is("WEEK") {
		shift = (7 - days) % 7
	}
	return unit, shift
}

// calendar translates the functions that take a part of a date; false for any other.
func (t *translation) calendar(function string, args [][]node, n node) bool {
	kind, verb, ok := strings.Cut(function, "_")
	if !ok || kind != "DATE" && kind != "DATETIME" && kind != "TIMESTAMP" && kind != "TIME" {
		return t.series(function, args, n)
	}
	switch {
	case verb == "TRUNC" && len(args) == 2:
		unit, shift := t.part(args[1])
		t.expand(fmt.Sprintf("cast_to_type(date_trunc('%s', {1} + INTERVAL (%d) DAY) - INTERVAL (%d) DAY, {1})", unit, shift, shift), args, n)
		if kind == "TIME" {
			t.fail(lacking("TIME_TRUNC"))
		}
	case verb == "TRUNC" && len(args) == 3 && kind == "TIMESTAMP":
		unit, shift := t.part(args[1])
		t.expand(fmt.Sprintf("timezone({3}, date_trunc('%s', timezone({3}, {1}) + INTERVAL (%d) DAY) - INTERVAL (%d) DAY)", unit, shift, shift), args, n)
	case (verb == "ADD" || verb == "SUB") && len(args) == 2 && len(args[1]) > 2 && args[1][0].is("INTERVAL"):
		operator := map[string]string{"ADD": "+", "SUB": "-"}[verb]
		t.expand("cast_to_type({1} "+operator+" {2}, {1})", args, n)
	case verb == "DIFF" && len(args) == 3:
		unit, shift := t.part(args[2])
		if kind == "TIMESTAMP" { // whole units, not boundaries
			t.expand(fmt.Sprintf("date_sub('%s', {2}, {1})", unit), args, n)
			break
		}
		if unit == "week" { // boundaries of weeks that begin on that day
			t.expand(fmt.Sprintf("(date_diff('day', date_trunc('week', {2} + INTERVAL (%[1]d) DAY), date_trunc('week', {1} + INTERVAL (%[1]d) DAY)) // 7)", shift), args, n)
			break
		}
		t.expand("date_diff('"+unit+"', {2}, {1})", args, n)
		if kind == "TIME" {
			t.fail(lacking("TIME_DIFF"))
		}
	default:
		return t.series(function, args, n)
	}
	return true
}

// series translates the arrays of dates and times, and formats.
func (t *translation) series(function string, args [][]node, n node) bool {
	switch {
	case function == "GENERATE_DATE_ARRAY" && len(args) == 2:
		t.steps("DATE", "day", 1, args, n)
	case (function == "GENERATE_DATE_ARRAY" || function == "GENERATE_TIMESTAMP_ARRAY") && len(args) == 3:
		step := args[2]
		if len(step) != 3 || !step[0].is("INTERVAL") || step[1].kind != number || units[strings.ToUpper(step[2].text)] == "" {
			t.fail(lacking("%s with a step that is not a positive number", function))
			return true
		}
		typ := "DATE"
		if function != "GENERATE_DATE_ARRAY" {
			typ = "TIMESTAMPTZ"
		}
		var by int
		if _, err := fmt.Sscan(step[1].text, &by); err != nil || by < 1 {
			t.fail(invalid("Sequence step cannot be 0"))
			return true
		}
		t.steps(typ, units[strings.ToUpper(step[2].text)], by, args, n)
	case strings.HasPrefix(function, "FORMAT_") && len(args) == 2:
		t.format(function, args, n)
	default:
		return false
	}
	return true
}

// steps writes an array of which each element is so many units after the first: a month
// after the 31st of January is not where the second one starts.
func (t *translation) steps(typ, unit string, by int, args [][]node, n node) {
	t.expand(fmt.Sprintf("list_filter([CAST({1} + INTERVAL (i * %[2]d) %[3]s AS %[1]s) for i in range(0, date_diff('%[3]s', {1}, {2}) // %[2]d + 1)], x -> x <= {2})", typ, by, unit), args, n)
}

// formats are the elements of FORMAT_DATE that strftime has, too.
const formats = "YmdHMSybBaAjpI%"

func (t *translation) format(function string, args [][]node, n node) {
	if len(args[0]) != 1 || args[0][0].kind != text {
		t.fail(lacking("%s with a format that is not a literal", function))
		return
	}
	f := strings.NewReplacer("%%", "%%", "%F", "%Y-%m-%d", "%T", "%H:%M:%S").Replace(args[0][0].text)
	for i := 0; i < len(f); i++ {
		if f[i] == '%' {
			if i++; i == len(f) || !strings.Contains(formats, f[i:i+1]) {
				t.fail(lacking("the format %s", args[0][0].text))
				return
			}
		}
	}
	t.put("strftime(", n.at)
	t.level(args[1])
	t.put(", "+quoted(f)+")", n.at)
}

// extracts are the parts that EXTRACT returns as DuckDB has them.
var extracts = map[string]string{
	"YEAR": "year(%s)", "QUARTER": "quarter(%s)", "MONTH": "month(%s)", "DAY": "day(%s)", "HOUR": "hour(%s)", "MINUTE": "minute(%s)", "SECOND": "second(%s)",
	"MILLISECOND": "(millisecond(%s) %% 1000)", "MICROSECOND": "(microsecond(%s) %% 1000000)", "DAYOFWEEK": "(dayofweek(%s) + 1)", "DAYOFYEAR": "dayofyear(%s)",
	"ISOWEEK": "weekofyear(%s)", "ISOYEAR": "isoyear(%s)", "DATE": "CAST(%s AS DATE)", "TIME": "CAST(%s AS TIME)",
	"WEEK": "CAST(strftime(%s, '%%U') AS BIGINT)",
}

// extract translates EXTRACT(part FROM x [AT TIME ZONE zone]).
func (t *translation) extract(g, n node) {
	k := g.kids
	if len(k) < 3 || !k[1].is("FROM") {
		t.unexpected(g)
		return
	}
	f := extracts[strings.ToUpper(k[0].text)]
	if f == "" {
		t.fail(syntaxError(t.source, k[0].at, "A valid date part name is required but found "+k[0].text))
		return
	}
	value, zone := k[2:], []node(nil)
	for i := range value {
		if value[i].is("AT") && i+3 < len(value) && value[i+1].is("TIME") && value[i+2].is("ZONE") {
			value, zone = value[:i], value[i+3:]
			break
		}
	}
	before, after, _ := strings.Cut(fmt.Sprintf(f, "\x00"), "\x00")
	t.put(before, n.at)
	if zone != nil {
		t.expand("timezone({2}, {1})", [][]node{value, zone}, n)
	} else {
		t.level(value)
	}
	t.put(after, n.at)
}
