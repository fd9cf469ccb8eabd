package snowflake

import (
	"slices"
	"strconv"
	"strings"
)

// words stand for themselves in Snowflake and call something in DuckDB.
var words = map[string]func(*rewriter) string{
	"CURRENT_TIMESTAMP": func(*rewriter) string { return "sf_now()" },
	"LOCALTIMESTAMP":    func(*rewriter) string { return "sf_now()" },
	"CURRENT_DATE":      func(*rewriter) string { return "CAST(sf_ntz(sf_now()) AS DATE)" },
}

// typedLiterals are the types that a text may follow.
var typedLiterals = map[string]string{"TIMESTAMP": "sf_ntz", "DATE": "sf_date", "TIME": "sf_time"}

// call rewrites the call of the function in[i], whose arguments end at in[end].
type call func(x *rewriter, in []token, i, end int, out []token) (int, []token, error)

var calls map[string]call

func init() { // the functions call back what looks into the table
	calls = map[string]call{
		"CAST": castCall, "TRY_CAST": castCall,
		"DATEADD": dateAdd, "TIMESTAMPADD": dateAdd, "TIMEADD": dateAdd,
		"DATEDIFF": digits(9, unitFirst("date_diff")), "TIMESTAMPDIFF": digits(9, unitFirst("date_diff")),
		"YEAR": digits(4, renamed("year")), "QUARTER": digits(2, renamed("quarter")), "MONTH": digits(2, renamed("month")), "DAY": digits(2, renamed("day")),
		"HOUR": digits(2, renamed("hour")), "MINUTE": digits(2, renamed("minute")), "SECOND": digits(2, renamed("second")),
		"DAYOFWEEKISO": digits(2, renamed("isodow")), "WEEKISO": digits(2, renamed("week")),
		"LENGTH": digits(18, renamed("length")), "SIGN": digits(1, renamed("sign")), "POSITION": digits(18, positionOf),
		"LEFT": counted("left"), "RIGHT": counted("right"), "SUBSTR": counted("substr"), "SUBSTRING": counted("substr"), "ROUND": counted("round"),
		"SPLIT_PART": splitPart,
		"DATE_TRUNC": unitFirst("sf_trunc"), "DATE_PART": unitFirst("sf_part"),
		"CONVERT_TIMEZONE": convertTimezone, "LISTAGG": listAgg, "TABLE": tableOf,
		"CURRENT_TIMESTAMP": constant("sf_now()"), "GETDATE": constant("sf_now()"), "LOCALTIMESTAMP": constant("sf_now()"),
		"CURRENT_DATE": constant("CAST(sf_ntz(sf_now()) AS DATE)"),
		"CURRENT_USER": of(func(s *session) string { return s.user.Name }), "CURRENT_ROLE": of(func(s *session) string { return s.role }),
		"CURRENT_DATABASE":        of(func(s *session) string { return s.database }),
		"CURRENT_SCHEMA":          of(func(s *session) string { return s.schema }),
		"CURRENT_WAREHOUSE":       of(func(s *session) string { return s.warehouse }),
		"CURRENT_SECONDARY_ROLES": of(func(s *session) string { return s.secondaryRoles() }),
		"CURRENT_ACCOUNT":         of(func(s *session) string { return s.server.account }),
		"CURRENT_ACCOUNT_NAME":    of(func(s *session) string { return s.server.account }),
		"CURRENT_REGION":          of(func(*session) string { return "AWS_FIXTURE" }),
		"CURRENT_SESSION":         of(func(s *session) string { return s.number() }),
		"LAST_QUERY_ID":           of(func(s *session) string { return s.lastQuery() }),
		"OBJECT_CONSTRUCT":        tagged("object", "json_object"), "ARRAY_CONSTRUCT": tagged("array", "json_array"),
		"MEDIAN": renamed("median"), "APPROX_COUNT_DISTINCT": renamed("approx_count_distinct"),
		"HASH": renamed("hash"), "TO_DECIMAL": toNumber, "TO_NUMBER": toNumber, "TO_NUMERIC": toNumber,
		"SEQ4": refusedCall, "SEQ8": refusedCall, "UNIFORM": refusedCall, "RANDOM": renamed("random"),
		"SYSTEM$CANCEL_QUERY": cancelQuery, "FLATTEN": flatten,
		"TO_JSON": func(x *rewriter, in []token, i, end int, out []token) (int, []token, error) {
			args, err := x.inner(in, i, end)
			return end - i + 1, append(out, wrap(in[i].at, "CAST(sf_json(", join(args), ") AS VARCHAR)")...), err
		},
	}
}

// inner rewrites a call's arguments.
func (x *rewriter) inner(in []token, i, end int) ([][]token, error) {
	args := arguments(in[i+2 : end])
	for k, a := range args {
		rewritten, err := x.sequence(a)
		if err != nil {
			return nil, err
		}
		args[k] = rewritten
	}
	return args, nil
}

func join(args [][]token) []token {
	var out []token
	for i, a := range args {
		if i > 0 {
			out = append(out, token{kind: mark, text: ","})
		}
		out = append(out, a...)
	}
	return out
}

func renamed(name string) call {
	return func(x *rewriter, in []token, i, end int, out []token) (int, []token, error) {
		args, err := x.inner(in, i, end)
		out = append(out, token{kind: word, text: strings.ToUpper(name), at: in[i].at}, in[i+1])
		return end - i + 1, append(append(out, join(args)...), in[end]), err
	}
}

// digits is a call whose result is a NUMBER of so many digits.
func digits(n int, f call) call {
	return func(x *rewriter, in []token, i, end int, out []token) (int, []token, error) {
		taken, called, err := f(x, in, i, end, nil)
		return taken, append(out, wrap(in[i].at, "CAST(", called, " AS DECIMAL("+strconv.Itoa(n)+",0))")...), err
	}
}

// counted is a function that takes whole numbers behind its first argument, where
// Snowflake takes every NUMBER.
func counted(name string) call {
	return func(x *rewriter, in []token, i, end int, out []token) (int, []token, error) {
		args, err := x.inner(in, i, end)
		if err != nil {
			return 0, nil, err
		}
		for k := 1; k < len(args); k++ {
			args[k] = wrap(in[i].at, "CAST(", args[k], " AS INTEGER)")
		}
		return end - i + 1, append(out, wrap(in[i].at, name+"(", join(args), ")")...), nil
	}
}

func splitPart(x *rewriter, in []token, i, end int, out []token) (int, []token, error) {
	args, err := x.inner(in, i, end)
	if err == nil && len(args) != 3 {
		err = refused("SPLIT_PART without three arguments")
	}
	if err != nil {
		return 0, nil, err
	}
	args[2] = wrap(in[i].at, "CAST(", args[2], " AS INTEGER)")
	return end - i + 1, append(out, wrap(in[i].at, "split_part(", join(args), ")")...), nil
}

// positionOf is POSITION(part, text), where DuckDB has the text first.
func positionOf(x *rewriter, in []token, i, end int, out []token) (int, []token, error) {
	args, err := x.inner(in, i, end)
	if err == nil && len(args) != 2 {
		err = refused("POSITION without two arguments")
	}
	if err != nil {
		return 0, nil, err
	}
	slices.Reverse(args)
	return end - i + 1, append(out, wrap(in[i].at, "strpos(", join(args), ")")...), nil
}

func constant(sql string) call {
	return func(_ *rewriter, in []token, i, end int, out []token) (int, []token, error) {
		return end - i + 1, append(out, raws(in[i].at, sql)...), nil
	}
}

// of returns a text of the session; "" is NULL.
func of(value func(*session) string) call {
	return func(x *rewriter, in []token, i, end int, out []token) (int, []token, error) {
		sql := "CAST(NULL AS VARCHAR)"
		if v := value(x.session); v != "" {
			sql = literal(v)
		}
		return end - i + 1, append(out, raws(in[i].at, sql)...), nil
	}
}

func refusedCall(_ *rewriter, in []token, i, _ int, _ []token) (int, []token, error) {
	return 0, nil, refused("the function %s", in[i].text)
}

func castCall(x *rewriter, in []token, i, end int, out []token) (int, []token, error) {
	depth, as := 0, -1
	for k := i + 2; k < end; k++ {
		switch {
		case in[k].is("("):
			depth++
		case in[k].is(")"):
			depth--
		case in[k].is("AS") && depth == 0:
			as = k
		}
	}
	if as < 0 {
		return 0, nil, syntaxError(x.source, in[end].at, ")")
	}
	to, _, err := x.typeAt(in[as+1 : end])
	if err != nil {
		return 0, nil, err
	}
	value, err := x.sequence(in[i+2 : as])
	if err != nil {
		return 0, nil, err
	}
	cast := to.cast(value)
	if in[i].is("TRY_CAST") {
		cast = wrap(in[i].at, "TRY(", cast, ")")
	}
	return end - i + 1, append(out, cast...), nil
}

// unit returns the unit of time that an argument names.
func (x *rewriter) unit(arg []token) (string, error) {
	if len(arg) != 1 || arg[0].kind != word && arg[0].kind != text && arg[0].kind != quoted {
		return "", refused("a unit of time that is an expression")
	}
	u := strings.ToLower(arg[0].text)
	if short, ok := map[string]string{"d": "day", "dd": "day", "w": "week", "mm": "month", "mon": "month", "y": "year", "yy": "year", "yyyy": "year",
		"q": "quarter", "qtr": "quarter", "h": "hour", "hh": "hour", "m": "minute", "mi": "minute", "min": "minute", "s": "second", "sec": "second",
		"ms": "millisecond", "us": "microsecond", "ns": "nanosecond", "dayofweekiso": "isodow", "epoch_second": "epoch"}[u]; ok {
		u = short
	}
	return u, nil
}

func unitFirst(name string) call {
	return func(x *rewriter, in []token, i, end int, out []token) (int, []token, error) {
		args := arguments(in[i+2 : end])
		if len(args) < 2 {
			return 0, nil, fail("000938", "22023", "SQL compilation error: error line 1 at position 0\nnot enough arguments for function [%s]", in[i].text)
		}
		u, err := x.unit(args[0])
		if err != nil {
			return 0, nil, err
		}
		rest, err := x.sequence(join(args[1:]))
		return end - i + 1, append(out, wrap(in[i].at, name+"("+literal(u)+", ", rest, ")")...), err
	}
}

// steps are the units of DATEADD: the function, and how many of its own unit one is.
var steps = map[string]struct{ function, factor string }{
	"year": {"sf_add_months", "12"}, "quarter": {"sf_add_months", "3"}, "month": {"sf_add_months", "1"},
	"week": {"sf_add_days", "7"}, "day": {"sf_add_days", "1"},
	"hour": {"sf_add_nanos", "3600000000000"}, "minute": {"sf_add_nanos", "60000000000"}, "second": {"sf_add_nanos", "1000000000"},
	"millisecond": {"sf_add_nanos", "1000000"}, "microsecond": {"sf_add_nanos", "1000"}, "nanosecond": {"sf_add_nanos", "1"},
}

func dateAdd(x *rewriter, in []token, i, end int, out []token) (int, []token, error) {
	args := arguments(in[i+2 : end])
	if len(args) != 3 {
		return 0, nil, fail("000938", "22023", "SQL compilation error: error line 1 at position 0\nnot enough arguments for function [%s]", in[i].text)
	}
	u, err := x.unit(args[0])
	if err != nil {
		return 0, nil, err
	}
	step, ok := steps[u]
	if !ok {
		return 0, nil, refused("DATEADD of %s", u)
	}
	count, err := x.sequence(args[1])
	if err != nil {
		return 0, nil, err
	}
	value, err := x.sequence(args[2])
	sum := wrap(in[i].at, step.function+"(CAST("+step.factor+" * (", count, ") AS BIGINT),")
	return end - i + 1, append(append(append(out, sum...), value...), raws(in[i].at, ")")...), err
}

func convertTimezone(x *rewriter, in []token, i, end int, out []token) (int, []token, error) {
	args, err := x.inner(in, i, end)
	name := "sf_convert("
	if len(args) == 3 {
		name = "sf_convert_from("
	}
	return end - i + 1, append(out, wrap(in[i].at, name, join(args), ")")...), err
}

// listAgg rewrites LISTAGG(x, sep) [WITHIN GROUP (ORDER BY y)]; no rows make an empty text.
func listAgg(x *rewriter, in []token, i, end int, out []token) (int, []token, error) {
	args, err := x.inner(in, i, end)
	if err != nil || len(args) == 0 {
		return 0, nil, err
	}
	if len(args) == 1 {
		args = append(args, []token{{kind: text}})
	}
	inner := join(args)
	if len(args[0]) > 0 && args[0][0].is("DISTINCT") {
		inner = append(append(append([]token{args[0][0]}, wrap(in[i].at, "sf_text(", args[0][1:], "),")...), args[1]...), nil...)
	} else {
		inner = append(wrap(in[i].at, "sf_text(", args[0], "),"), args[1]...)
	}
	if end+3 < len(in) && in[end+1].is("WITHIN") && in[end+2].is("GROUP") && in[end+3].is("(") {
		stop := matching(in, end+3)
		if stop < 0 {
			return 0, nil, syntaxError(x.source, in[end+3].at, "(")
		}
		order, err := x.sequence(in[end+4 : stop])
		if err != nil {
			return 0, nil, err
		}
		inner = append(inner, order...)
		end = stop
	}
	agg := wrap(in[i].at, "string_agg(", inner, ")")
	if end+1 < len(in) && in[end+1].is("OVER") {
		return end - i + 1, append(out, agg...), nil
	}
	return end - i + 1, append(out, wrap(in[i].at, "coalesce(", agg, ", '')")...), nil
}

// tableOf rewrites TABLE(function).
func tableOf(x *rewriter, in []token, i, end int, out []token) (int, []token, error) {
	inner := in[i+2 : end]
	if len(inner) > 0 && inner[0].is("GENERATOR") {
		if at := slices.IndexFunc(inner, func(t token) bool { return t.is("ROWCOUNT") }); at > 0 && at+2 < len(inner) && inner[at+2].kind == number {
			return end - i + 1, append(out, raws(in[i].at, "(SELECT 1 FROM range("+inner[at+2].text+"))")...), nil
		}
		return 0, nil, refused("GENERATOR without a constant ROWCOUNT")
	}
	if len(inner) > 1 && inner[0].is("FLATTEN") {
		_, rows, err := flatten(x, inner, 0, len(inner)-1, nil)
		return end - i + 1, append(append(out, raws(in[i].at, "LATERAL")...), rows...), err
	}
	if sql, ok, err := x.tableFunction(inner); ok || err != nil {
		return end - i + 1, append(out, raws(in[i].at, sql)...), err
	}
	return 0, nil, refused("the table function %s", write(x.source, inner).sql)
}

func tagged(tag, function string) call {
	return func(x *rewriter, in []token, i, end int, out []token) (int, []token, error) {
		args, err := x.inner(in, i, end)
		return end - i + 1, append(out, wrap(in[i].at, `struct_pack("`+tag+`" := CAST(`+function+"(", join(args), ") AS JSON))")...), err
	}
}

func toNumber(x *rewriter, in []token, i, end int, out []token) (int, []token, error) {
	args := arguments(in[i+2 : end])
	to := sqlType{name: "fixed", precision: 38}
	if len(args) == 3 && len(args[1]) == 1 && len(args[2]) == 1 {
		to.precision, to.scale = atoi(args[1][0].text), atoi(args[2][0].text)
	} else if len(args) != 1 {
		return 0, nil, refused("%s with a format", in[i].text)
	}
	value, err := x.sequence(args[0])
	return end - i + 1, append(out, to.cast(value)...), err
}

func cancelQuery(x *rewriter, in []token, i, end int, out []token) (int, []token, error) {
	if end != i+3 || in[i+2].kind != text {
		return 0, nil, refused("SYSTEM$CANCEL_QUERY of an expression")
	}
	answer := ""
	if x.run {
		answer = x.session.cancel(in[i+2].text)
	}
	return end - i + 1, append(out, raws(in[i].at, literal(answer))...), nil
}

// flatten rewrites FLATTEN(input => value): a row for each member of an array or an object.
func flatten(x *rewriter, in []token, i, end int, out []token) (int, []token, error) {
	args := arguments(in[i+2 : end])
	if len(args) == 1 && len(args[0]) > 2 && args[0][0].is("INPUT") && args[0][1].is("=>") {
		args[0] = args[0][2:]
	} else if len(args) != 1 {
		return 0, nil, refused("FLATTEN with more than its input")
	}
	value, err := x.sequence(args[0])
	if err != nil {
		return 0, nil, err
	}
	rows := wrap(in[i].at, `(SELECT 1 AS SEQ, CASE WHEN json_type(j.this) = 'OBJECT' THEN e.key END AS "KEY", CASE WHEN json_type(j.this) = 'ARRAY' THEN '[' || e.key || ']' ELSE e.key END AS "PATH", `+
		`CASE WHEN json_type(j.this) = 'ARRAY' THEN CAST(e.key AS DECIMAL(38,0)) END AS "INDEX", e.value AS "VALUE", j.this AS THIS FROM (SELECT sf_json(`, value, `) AS this) j, json_each(j.this) e)`)
	return end - i + 1, append(out, rows...), nil
}
