package bigquery

import (
	"slices"
	"strconv"
	"strings"
)

// functions are GoogleSQL's that the fixture has: how DuckDB writes each, by name and
// number of arguments, or * for any. {1} is an argument, {*} all of them, with what stands
// inside of their parentheses (DISTINCT, IGNORE NULLS, ORDER BY). "" is the same name.
// A function that is not here is refused: DuckDB may have one that does something else.
var functions = map[string]string{
	// aggregates and windows
	"COUNT/1": "", "SUM/1": "", "AVG/1": "", "MIN/1": "", "MAX/1": "", "STDDEV/1": "stddev_samp({*})", "STDDEV_SAMP/1": "", "STDDEV_POP/1": "",
	"VARIANCE/1": "var_samp({*})", "VAR_SAMP/1": "", "VAR_POP/1": "", "CORR/2": "", "COVAR_POP/2": "", "COVAR_SAMP/2": "",
	"COUNTIF/1": "count_if({*})", "LOGICAL_AND/1": "bool_and({*})", "LOGICAL_OR/1": "bool_or({*})", "ANY_VALUE/1": "any_value({*})",
	"APPROX_COUNT_DISTINCT/1": "", "STRING_AGG/1": "string_agg({1}, ',')", "STRING_AGG/2": "", "GROUPING/1": "",
	"APPROX_QUANTILES/2": "approx_quantile({1}, [i / CAST({2} AS DOUBLE) for i in range(0, {2} + 1)])",
	"ROW_NUMBER/0":       "", "RANK/0": "", "DENSE_RANK/0": "", "PERCENT_RANK/0": "", "CUME_DIST/0": "", "NTILE/1": "",
	"LAG/1": "", "LAG/2": "", "LAG/3": "", "LEAD/1": "", "LEAD/2": "", "LEAD/3": "", "FIRST_VALUE/1": "", "LAST_VALUE/1": "", "NTH_VALUE/2": "",
	"PERCENTILE_CONT/2": "quantile_cont({1}, {2})", "PERCENTILE_DISC/2": "quantile_disc({1}, {2})",
	// conditions
	"COALESCE/*": "coalesce({*})", "IFNULL/2": "coalesce({1}, {2})", "NULLIF/2": "nullif({1}, {2})", "IF/3": "CASE WHEN {1} THEN {2} ELSE {3} END",
	"ERROR/1": "error({1})",
	// numbers
	"ABS/1": "", "SIGN/1": "", "CEIL/1": "", "CEILING/1": "", "FLOOR/1": "", "ROUND/1": "", "ROUND/2": "round({1}, CAST({2} AS INTEGER))", "TRUNC/1": "", "SQRT/1": "", "EXP/1": "finite(exp({1}))", "LN/1": "",
	"LOG10/1": "", "POW/2": "finite(pow({1}, {2}))", "POWER/2": "finite(pow({1}, {2}))", "SIN/1": "", "COS/1": "", "TAN/1": "", "ATAN/1": "", "ATAN2/2": "",
	"MOD/2": "({1} % nonzero({2}))", "DIV/2": "({1} // nonzero({2}))", "IEEE_DIVIDE/2": "(CAST({1} AS DOUBLE) / CAST({2} AS DOUBLE))",
	"SAFE_DIVIDE/2": "(CASE WHEN {2} <> 0 THEN CAST({1} AS DOUBLE) / {2} END)", "SAFE_ADD/2": "TRY({1} + {2})", "SAFE_SUBTRACT/2": "TRY({1} - {2})",
	"SAFE_MULTIPLY/2": "TRY({1} * {2})", "SAFE_NEGATE/1": "TRY(-({1}))", "IS_NAN/1": "isnan({1})", "IS_INF/1": "isinf({1})", "RAND/0": "random()",
	// texts
	"LOWER/1": "", "UPPER/1": "", "LENGTH/1": "", "CHAR_LENGTH/1": "length({1})", "CHARACTER_LENGTH/1": "length({1})",
	"OCTET_LENGTH/1": "octet_length(CAST({1} AS BLOB))", "BYTE_LENGTH/1": "octet_length(CAST({1} AS BLOB))",
	"TRIM/1": "", "LTRIM/1": "", "RTRIM/1": "", "TRIM/2": "", "LTRIM/2": "", "RTRIM/2": "", "REPLACE/3": "", "REVERSE/1": "", "REPEAT/2": "",
	"LPAD/2": "lpad({1}, {2}, ' ')", "RPAD/2": "rpad({1}, {2}, ' ')", "LPAD/3": "", "RPAD/3": "",
	"STARTS_WITH/2": "", "ENDS_WITH/2": "", "STRPOS/2": "", "INSTR/2": "strpos({1}, {2})", "LEFT/2": "", "RIGHT/2": "",
	"SUBSTR/2": "substr({1}, CASE WHEN {2} = 0 THEN 1 ELSE {2} END)", "SUBSTR/3": "substr({1}, CASE WHEN {2} = 0 THEN 1 ELSE {2} END, {3})",
	"SUBSTRING/2": "substr({1}, CASE WHEN {2} = 0 THEN 1 ELSE {2} END)", "SUBSTRING/3": "substr({1}, CASE WHEN {2} = 0 THEN 1 ELSE {2} END, {3})",
	"SPLIT/1": "string_split({1}, ',')", "SPLIT/2": "string_split({1}, {2})", "REGEXP_CONTAINS/2": "regexp_matches({1}, {2})",
	"REGEXP_REPLACE/3": "regexp_replace({1}, {2}, {3}, 'g')", "TO_HEX/1": "lower(hex({1}))", "FROM_HEX/1": "unhex({1})", "TO_BASE64/1": "base64({1})",
	"FROM_BASE64/1": "from_base64({1})", "MD5/1": "unhex(md5({1}))", "SHA256/1": "unhex(sha256({1}))", "FARM_FINGERPRINT/1": "farm_fingerprint({1})",
	"GENERATE_UUID/0": "CAST(uuid() AS VARCHAR)", "UNICODE/1": "", "CHR/1": "",
	// arrays and JSON
	"ARRAY_LENGTH/1": "len({1})", "ARRAY_REVERSE/1": "list_reverse({1})", "ARRAY_TO_STRING/2": "array_to_string({1}, {2})", "ARRAY_CONCAT/2": "list_concat({1}, {2})",
	"GENERATE_ARRAY/2": "generate_series({1}, {2})", "GENERATE_ARRAY/3": "generate_series({1}, {2}, {3})",
	"TO_JSON/1": "to_json({1})", "TO_JSON_STRING/1": "CAST(to_json({1}) AS VARCHAR)", "PARSE_JSON/1": "CAST({1} AS JSON)",
	"JSON_VALUE/2": "json_extract_string({1}, {2})", "JSON_EXTRACT_SCALAR/2": "json_extract_string({1}, {2})", "JSON_VALUE/1": "json_extract_string({1}, '$')",
	"JSON_QUERY/2": "json_extract({1}, {2})", "JSON_EXTRACT/2": "json_extract({1}, {2})",
	// times
	"DATE/1": "CAST({1} AS DATE)", "DATE/2": "CAST(timezone({2}, CAST({1} AS TIMESTAMPTZ)) AS DATE)", "DATE/3": "make_date({1}, {2}, {3})",
	"DATETIME/1": "CAST({1} AS TIMESTAMP)", "DATETIME/2": "timezone({2}, CAST({1} AS TIMESTAMPTZ))",
	"DATETIME/6":  "make_timestamp({1}, {2}, {3}, {4}, {5}, CAST({6} AS DOUBLE))",
	"TIMESTAMP/1": "CAST({1} AS TIMESTAMPTZ)", "TIMESTAMP/2": "timezone({2}, CAST({1} AS TIMESTAMP))",
	"TIME/1": "CAST({1} AS TIME)", "TIME/3": "make_time({1}, {2}, CAST({3} AS DOUBLE))", "LAST_DAY/1": "last_day({1})",
	"TIMESTAMP_SECONDS/1": "CAST(make_timestamp(CAST({1} AS BIGINT) * 1000000) AS TIMESTAMPTZ)", "TIMESTAMP_MILLIS/1": "CAST(make_timestamp(CAST({1} AS BIGINT) * 1000) AS TIMESTAMPTZ)",
	"TIMESTAMP_MICROS/1": "CAST(make_timestamp({1}) AS TIMESTAMPTZ)", "UNIX_SECONDS/1": "(epoch_us({1}) // 1000000)", "UNIX_MILLIS/1": "epoch_ms({1})",
	"UNIX_MICROS/1": "epoch_us({1})", "UNIX_DATE/1": "date_diff('day', DATE '1970-01-01', {1})", "DATE_FROM_UNIX_DATE/1": "(DATE '1970-01-01' + CAST({1} AS INTEGER))",
	// places
	"ST_GEOGPOINT/2": "struct_pack(__geography := 'POINT(' || {1} || ' ' || {2} || ')')", "ST_GEOGFROMTEXT/1": "struct_pack(__geography := {1})",
	"ST_ASTEXT/1": "({1}).__geography",
}

// currents need no parentheses.
var currents = map[string]string{
	"CURRENT_DATE": "current_date", "CURRENT_TIMESTAMP": "now()", "CURRENT_DATETIME": "CAST(now() AS TIMESTAMP)", "CURRENT_TIME": "CAST(now() AS TIME)",
}

// macros are functions that DuckDB lacks.
var macros = []string{
	"CREATE MACRO nonzero(x) AS CASE WHEN x = 0 THEN error('division by zero') ELSE x END",
	"CREATE MACRO finite(x) AS CASE WHEN isinf(x) OR isnan(x) THEN error('Floating point error') ELSE x END",
	"CREATE MACRO element_at_offset(l, i) AS CASE WHEN i < 0 OR i >= len(l) THEN error('Array index ' || i || ' is out of bounds') ELSE l[i + 1] END",
	"CREATE MACRO element_at_ordinal(l, i) AS CASE WHEN i < 1 OR i > len(l) THEN error('Array index ' || i || ' is out of bounds') ELSE l[i] END",
	"CREATE MACRO safe_element_at_offset(l, i) AS CASE WHEN i >= 0 THEN l[i + 1] END",
	"CREATE MACRO safe_element_at_ordinal(l, i) AS CASE WHEN i >= 1 THEN l[i] END",
}

// call translates a function with its arguments, at which the cursor stands.
func (t *translation) call(c *cursor, s *scope, function string, n node) {
	g := c.peek(0)
	c.i++
	if inner, ok := strings.CutPrefix(function, "SAFE."); ok {
		t.put("TRY(", n.at)
		t.callOf(inner, commas(g.kids), g, n)
		t.put(")", n.at)
		return
	}
	t.callOf(function, commas(g.kids), g, n)
}

func (t *translation) callOf(function string, args [][]node, g, n node) {
	if t.calendar(function, args, n) {
		return
	}
	switch function {
	case "CONCAT": // NULL when a part is
		t.joinArgs("", args, " || ", "", n)
		return
	case "GREATEST", "LEAST": // NULL when one is; DuckDB passes over it
		t.put("CASE WHEN", n.at)
		t.joinArgs("", args, " IS NULL OR ", " IS NULL", n)
		t.put("THEN NULL ELSE", n.at)
		t.joinArgs(strings.ToLower(function), args, ", ", "", n)
		t.put("END", n.at)
		return
	case "ARRAY_AGG":
		t.arrayAggregate(args, n)
		return
	case "SESSION_USER":
		t.put(quoted(t.user), n.at)
		return
	case "EXTERNAL_QUERY":
		t.fail(missing("Connection %s", strings.Trim(t.source[g.at+1:g.until-1], " ")))
		return
	}
	template, ok := functions[function+"/"+strconv.Itoa(len(args))]
	if !ok {
		template, ok = functions[function+"/*"]
	}
	if !ok {
		t.unknown(function, len(args), n)
		return
	}
	if template == "" {
		template = strings.ToLower(function) + "({*})"
	}
	t.expand(template, args, n)
}

// unknown refuses a function: one that is here with another number of arguments is the
// caller's mistake, any other one is missing here, if it exists at all.
func (t *translation) unknown(function string, args int, n node) {
	for i := range 8 {
		if _, ok := functions[function+"/"+strconv.Itoa(i)]; ok {
			t.fail(syntaxError(t.source, n.at, "No matching signature for function "+function+" for "+strconv.Itoa(args)+" arguments"))
			return
		}
	}
	t.fail(syntaxError(t.source, n.at, "Function not found: "+strings.ToLower(function)+" (or the fixture does not have it)"))
}

// expand writes a template with its arguments.
func (t *translation) expand(template string, args [][]node, n node) {
	for template != "" {
		before, rest, ok := strings.Cut(template, "{")
		if before != "" {
			t.put(before, n.at)
		}
		if !ok {
			return
		}
		which, after, _ := strings.Cut(rest, "}")
		template = after
		if which == "*" {
			for i, a := range args {
				if i > 0 {
					t.put(",", n.at)
				}
				t.level(a)
			}
			continue
		}
		i, _ := strconv.Atoi(which) // of a template above
		t.argument(args[i-1], n)
	}
}

// argument writes an argument in parentheses, unless it has more than a value.
func (t *translation) argument(nodes []node, n node) {
	if len(nodes) < 2 || slices.ContainsFunc(nodes, func(k node) bool { return k.is("DISTINCT", "ORDER", "IGNORE", "RESPECT") }) || nodes[0].is("INTERVAL", "SELECT", "WITH") {
		t.level(nodes)
		return
	}
	t.put("(", n.at)
	t.level(nodes)
	t.put(")", n.at)
}

// joinArgs writes arguments in parentheses, each with an ending.
func (t *translation) joinArgs(function string, args [][]node, separator, ending string, n node) {
	t.put(function+"(", n.at)
	for i, a := range args {
		if i > 0 {
			t.put(separator, n.at)
		}
		t.put("(", n.at)
		t.level(a)
		t.put(")"+ending, n.at)
	}
	t.put(")", n.at)
}

// arrayAggregate translates ARRAY_AGG([DISTINCT] x [IGNORE NULLS] [ORDER BY …] [LIMIT n]).
func (t *translation) arrayAggregate(args [][]node, n node) {
	if len(args) == 0 {
		t.unknown("ARRAY_AGG", 0, n)
		return
	}
	// An ORDER BY may have commas of its own.
	var all []node
	for i, a := range args {
		if i > 0 {
			all = append(all, node{token: token{kind: sign, text: ",", at: n.at}})
		}
		all = append(all, a...)
	}
	value, ignore, limit := len(all), false, -1
	for i := len(all) - 1; i >= 0; i-- {
		switch {
		case all[i].is("LIMIT"):
			limit = i
		case all[i].is("IGNORE"):
			ignore = true
			value = i
		case all[i].is("RESPECT", "ORDER"):
			value = i
		case all[i].is("HAVING"):
			t.fail(lacking("ARRAY_AGG with HAVING"))
			return
		}
	}
	end := len(all)
	if limit >= 0 {
		end = limit
		value = min(value, limit)
		t.put("list_slice(", n.at)
	}
	t.put("array_agg(", n.at)
	t.level(all[:value])
	rest := value
	if rest < end && all[rest].is("IGNORE", "RESPECT") {
		rest += 2
	}
	if rest < end {
		t.level(all[rest:end])
	}
	t.put(")", n.at)
	if ignore {
		t.put("FILTER (WHERE (", n.at)
		from := 0
		if all[0].is("DISTINCT") {
			from = 1
		}
		t.level(all[from:value])
		t.put(") IS NOT NULL)", n.at)
	}
	if limit >= 0 {
		t.put(", 1,", n.at)
		t.level(all[limit+1:])
		t.put(")", n.at)
	}
}
