//go:build cgo

package sqlserver

import (
	"fmt"
	"strings"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

type function func(*call) (string, error)

// functions are the functions that the fixture has, by name in upper case.
var functions map[string]function

func init() {
	functions = map[string]function{
		"CAST": castTo(false), "TRY_CAST": castTo(true), "CONVERT": convertTo(false), "TRY_CONVERT": convertTo(true),
		"IIF": iif, "ISNULL": macro("coalesce", 2, 2), "COUNT": counted, "COUNT_BIG": counted,
		"STRING_AGG": macro("string_agg", 2, 2), "CONCAT": macro("concat", 2, 254), "CONCAT_WS": macro("concat_ws", 3, 254),
		"PERCENTILE_CONT": macro("", 1, 1), "PERCENTILE_DISC": macro("", 1, 1), "APPROX_PERCENTILE_CONT": macro("", 1, 1), "APPROX_PERCENTILE_DISC": macro("", 1, 1),
		"APPROX_COUNT_DISTINCT": macro("approx_count_distinct", 1, 1),
		"STDEV":                 macro("stddev_samp", 1, 1), "STDEVP": macro("stddev_pop", 1, 1), "VAR": macro("var_samp", 1, 1), "VARP": macro("var_pop", 1, 1),
		"CHARINDEX": macro("ms_charindex", 2, 3), "LEN": length, "REPLICATE": macro("repeat", 2, 2),
		"SPACE": formatted("repeat(' ', %s)", 1), "CHAR": macro("chr", 1, 1), "NCHAR": macro("chr", 1, 1), "QUOTENAME": macro("ms_quotename", 1, 1),
		"STUFF": macro("ms_stuff", 4, 4), "LOG": macro("ms_log", 1, 2), "CEILING": macro("ceil", 1, 1), "POWER": macro("ms_power", 2, 2),
		"SQUARE": formatted("pow(%s, 2)", 1), "ROUND": macro("round", 2, 2), "AVG": macro("ms_avg", 1, 1), "NEWID": macro("uuid", 0, 0),
		"HASHBYTES": macro("ms_hashbytes", 2, 2), "PATINDEX": nil,
		"DATEADD": dateAdd, "DATEDIFF": dateDiff, "DATEDIFF_BIG": dateDiff, "DATETRUNC": dateTrunc, "DATEPART": datePart, "EOMONTH": endOfMonth,
		"YEAR": datePartOf("year"), "MONTH": datePartOf("month"), "DAY": datePartOf("day"),
		"DATEFROMPARTS": macro("make_date", 3, 3), "SWITCHOFFSET": switchOffset,
		"GETDATE": formatted(typed("CAST(now() AS TIMESTAMP)", "datetime"), 0), "GETUTCDATE": formatted(typed("CAST(now() AS TIMESTAMP)", "datetime"), 0),
		"SYSDATETIME": formatted(typed("CAST(now() AS TIMESTAMP)", "datetime2(7)"), 0), "SYSUTCDATETIME": formatted(typed("CAST(now() AS TIMESTAMP)", "datetime2(7)"), 0),
		"SYSDATETIMEOFFSET": formatted(typed("now()", "datetimeoffset(7)"), 0),
		"GENERATE_SERIES":   macro("ms_series", 2, 3), "STRING_SPLIT": macro("ms_split", 2, 2),
	}
	for _, same := range strings.Fields("ABS FLOOR SIGN EXP SQRT LOG10 PI SIN COS TAN ASIN ACOS ATAN DEGREES RADIANS COALESCE NULLIF LOWER UPPER LTRIM RTRIM TRIM REPLACE REVERSE LEFT RIGHT SUBSTRING TRANSLATE ASCII UNICODE SUM MIN MAX GROUPING GREATEST LEAST") {
		functions[same] = macro(strings.ToLower(same), 0, 254)
	}
	for _, window := range strings.Fields("ROW_NUMBER RANK DENSE_RANK NTILE LAG LEAD FIRST_VALUE LAST_VALUE PERCENT_RANK CUME_DIST") {
		functions[window] = macro(strings.ToLower(window), 0, 3)
	}
	for name, f := range sessionFunctions {
		functions[name] = f
	}
	delete(functions, "PATINDEX")
}

// macro calls a function of DuckDB, or a macro of macros.sql.
func macro(name string, least, most int) function {
	return func(c *call) (string, error) {
		if err := c.count(least, most); err != nil {
			return "", err
		}
		args, err := c.args()
		if name == "" {
			return strings.Join(args, ", "), err
		}
		return name + "(" + strings.Join(args, ", ") + ")", err
	}
}

func formatted(format string, n int) function {
	return func(c *call) (string, error) {
		if err := c.count(n, n); err != nil {
			return "", err
		}
		args, err := c.args()
		if err != nil || n == 0 {
			return format, err
		}
		return fmt.Sprintf(format, args[0]), nil
	}
}

// counted: COUNT takes one argument, and COUNT(*) none.
func counted(c *call) (string, error) {
	if err := c.count(1, 1); err != nil {
		return "", err
	}
	x, err := c.arg(0)
	return "count(" + x + ")", err
}

func iif(c *call) (string, error) {
	if err := c.count(3, 3); err != nil {
		return "", err
	}
	args, err := c.args()
	if err != nil {
		return "", err
	}
	return "CASE WHEN " + args[0] + " THEN " + args[1] + " ELSE " + args[2] + " END", nil
}

// length: LEN takes no notice of spaces at the end.
func length(c *call) (string, error) {
	if err := c.count(1, 1); err != nil {
		return "", err
	}
	x, err := c.arg(0)
	if aggregated(x) {
		x = "CAST(" + x + " AS VARCHAR)"
		return "CAST(length(rtrim(" + x + ", ' ')) AS INTEGER)", err
	}
	return "ms_len(" + x + ")", err
}

// dateparts are the names of a part of a date, and what DuckDB calls it.
var dateparts = map[string]string{
	"YEAR": "year", "YY": "year", "YYYY": "year", "QUARTER": "quarter", "QQ": "quarter", "Q": "quarter", "MONTH": "month", "MM": "month", "M": "month",
	"DAYOFYEAR": "dayofyear", "DY": "dayofyear", "Y": "dayofyear", "DAY": "day", "DD": "day", "D": "day",
	"WEEK": "week", "WK": "week", "WW": "week", "WEEKDAY": "weekday", "DW": "weekday", "ISO_WEEK": "isoweek", "ISOWK": "isoweek", "ISOWW": "isoweek",
	"HOUR": "hour", "HH": "hour", "MINUTE": "minute", "MI": "minute", "N": "minute", "SECOND": "second", "SS": "second", "S": "second",
	"MILLISECOND": "millisecond", "MS": "millisecond", "MICROSECOND": "microsecond", "MCS": "microsecond",
}

// part returns the datepart that is the first argument.
func (c *call) part() (string, error) {
	one, ok := c.raw(0)
	name := dateparts[one.text]
	if !ok || one.kind != word || name == "" {
		return "", &tds.Error{Number: 155, Class: 15, Line: uint32(c.line), Message: "'" + one.raw + "' is not a recognized " + strings.ToLower(c.name) + " option."}
	}
	return name, nil
}

// intervals build what is added.
var intervals = map[string]string{
	"year": "to_years(%s)", "quarter": "to_months(3 * %s)", "month": "to_months(%s)", "dayofyear": "to_days(%s)", "day": "to_days(%s)", "weekday": "to_days(%s)",
	"week": "to_days(7 * %s)", "hour": "to_hours(%s)", "minute": "to_minutes(%s)", "second": "to_seconds(%s)",
	"millisecond": "to_milliseconds(%s)", "microsecond": "to_microseconds(%s)",
}

func dateAdd(c *call) (string, error) {
	if err := c.count(3, 3); err != nil {
		return "", err
	}
	part, err := c.part()
	if err != nil {
		return "", err
	}
	n, err := c.arg(1)
	if err != nil {
		return "", err
	}
	x, err := c.arg(2)
	interval, ok := intervals[part]
	if !ok {
		return "", missing(c.line, "DATEADD of %s", part)
	}
	name := "ms_add_days"
	switch part {
	case "hour", "minute", "second", "millisecond", "microsecond":
		name = "ms_add_clock"
	}
	return name + "(" + fmt.Sprintf(interval, "CAST("+whole(n, false)+" AS INTEGER)") + ", " + x + ")", err
}

func dateDiff(c *call) (string, error) {
	if err := c.count(3, 3); err != nil {
		return "", err
	}
	part, err := c.part()
	if err != nil {
		return "", err
	}
	from, err := c.arg(1)
	if err != nil {
		return "", err
	}
	to, err := c.arg(2)
	from, to = "ms_moment("+from+")", "ms_moment("+to+")"
	diff := "date_diff('" + part + "', " + from + ", " + to + ")"
	switch part {
	case "week": // of Sundays between the two
		diff = "ms_week(" + to + ") - ms_week(" + from + ")"
	case "isoweek":
		return "", missing(c.line, "DATEDIFF of %s", part)
	case "dayofyear", "weekday":
		diff = "date_diff('day', " + from + ", " + to + ")"
	}
	if c.name == "DATEDIFF" {
		diff = "CAST(" + diff + " AS INTEGER)"
	}
	return diff, err
}

func dateTrunc(c *call) (string, error) {
	if err := c.count(2, 2); err != nil {
		return "", err
	}
	part, err := c.part()
	if err != nil {
		return "", err
	}
	x, err := c.arg(1)
	switch part {
	case "weekday":
		return "", &tds.Error{Number: 9810, Class: 16, Line: uint32(c.line), Message: "The datepart weekday is not supported by date function datetrunc."}
	case "isoweek":
		part = "week"
	case "week":
		return "", missing(c.line, "DATETRUNC of week")
	case "dayofyear":
		part = "day"
	}
	return "ms_trunc('" + part + "', " + x + ")", err
}

func datePart(c *call) (string, error) {
	if err := c.count(2, 2); err != nil {
		return "", err
	}
	part, err := c.part()
	if err != nil {
		return "", err
	}
	x, err := c.arg(1)
	return partOf(c, part, x, err)
}

func datePartOf(part string) function {
	return func(c *call) (string, error) {
		if err := c.count(1, 1); err != nil {
			return "", err
		}
		x, err := c.arg(0)
		return partOf(c, part, x, err)
	}
}

func partOf(c *call, part, x string, err error) (string, error) {
	x = moment(x)
	switch part {
	case "week":
		return "", missing(c.line, "DATEPART of week")
	case "isoweek":
		part = "week"
	case "weekday": // DATEFIRST is 7
		return "CAST(date_part('dow', " + x + ") + 1 AS INTEGER)", err
	case "millisecond", "microsecond":
		return "CAST(date_part('" + part + "', " + x + ") % " + map[string]string{"millisecond": "1000", "microsecond": "1000000"}[part] + " AS INTEGER)", err
	}
	return "CAST(date_part('" + part + "', " + x + ") AS INTEGER)", err
}

func endOfMonth(c *call) (string, error) {
	if err := c.count(1, 2); err != nil {
		return "", err
	}
	args, err := c.args()
	if err != nil {
		return "", err
	}
	x := moment(args[0])
	if len(args) > 1 {
		x += " + to_months(CAST(" + args[1] + " AS INTEGER))"
	}
	return "last_day(" + x + ")", nil
}

// switchOffset: the fixture keeps instants, and shows them at +00:00.
func switchOffset(c *call) (string, error) {
	if err := c.count(2, 2); err != nil {
		return "", err
	}
	if to, ok := c.raw(1); !ok || to.kind != text || to.text != "+00:00" {
		return "", missing(c.line, "SWITCHOFFSET to anything but '+00:00'")
	}
	x, err := c.arg(0)
	return "CAST(" + x + " AS TIMESTAMPTZ)", err
}
