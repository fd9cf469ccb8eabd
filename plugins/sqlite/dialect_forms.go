package sqlite

import (
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// dialectTypes names what CAST(NULL AS …) uses; dates and times are text (see forms
// for how a value becomes one).
func dialectTypes() map[string]string {
	return map[string]string{
		"bool": "INTEGER", "int64": "INTEGER", "float64": "REAL", "text": "TEXT", "bytes": "BLOB", "decimal": "NUMERIC",
		"date": "TEXT", "time": "TEXT", "timestamp": "TEXT", "timestamp_tz": "TEXT",
		"json": "TEXT", "uuid": "TEXT", "nested_json": "TEXT",
	}
}

// glob makes a pattern of GLOB of one of LIKE: LIKE ignores the case of ASCII letters,
// whatever a statement says. The private characters stand for \\, \% and \_ meanwhile.
func glob(like string) string {
	for _, step := range [][2]string{
		{`'\\'`, "char(57344)"},
		{`'\%'`, "char(57345)"},
		{`'\_'`, "char(57346)"},
		{`'\'`, "''"},
		{"'['", "'[[]'"},
		{"'*'", "'[*]'"},
		{"'?'", "'[?]'"},
		{"'%'", "'*'"},
		{"'_'", "'?'"},
		{"char(57344)", `'\'`},
		{"char(57345)", "'%'"},
		{"char(57346)", "'_'"},
	} {
		like = "replace(" + like + ", " + step[0] + ", " + step[1] + ")"
	}
	return like
}

// Source of the date arithmetic: https://sqlite.org/lang_datefunc.html.
func dialectForms() map[dialect.Form]string {
	f := map[dialect.Form]string{
		dialect.Cast:                   "CAST({x} AS {type})",
		dialect.CastTo("bool"):         "(CAST({x} AS INTEGER) <> 0)",
		dialect.CastTo("date"):         "date({x})",
		dialect.CastTo("time"):         "time({x})",
		dialect.CastTo("timestamp"):    "datetime({x})",
		dialect.CastTo("timestamp_tz"): "datetime({x})",
		dialect.CastTo("json"):         "json({x})",

		dialect.Literal("date"):         "date('{v}')",
		dialect.Literal("time"):         "time('{v}')",
		dialect.Literal("timestamp"):    "datetime('{v}')",
		dialect.Literal("timestamp_tz"): "datetime('{v}')",
		dialect.True:                    "1",
		dialect.False:                   "0",

		dialect.SafeDivide:    "(CAST({a} AS REAL) / NULLIF({b}, 0))",
		dialect.NullSafeEqual: "({a} IS {b})",

		dialect.Contains:   "(instr(lower({x}), lower({p})) > 0)",
		dialect.StartsWith: "(substr(lower({x}), 1, length({p})) = lower({p}))",
		dialect.EndsWith:   "(substr(lower({x}), length({x}) - length({p}) + 1) = lower({p}))",
		dialect.ILike:      `(lower({x}) LIKE lower({p}) ESCAPE '\')`,
		dialect.Like:       "({x} GLOB " + glob("{p}") + ")",

		dialect.Sum:           "SUM({x})",
		dialect.Avg:           "AVG({x})",
		dialect.Count:         "COUNT({x})",
		dialect.CountDistinct: "COUNT(DISTINCT {x})",
		dialect.Min:           "MIN({x})",
		dialect.Max:           "MAX({x})",
		dialect.StringAgg:     "group_concat({x}, {sep} ORDER BY {x})",

		dialect.AscNullsLast:   "{x} ASC NULLS LAST",
		dialect.AscNullsFirst:  "{x} ASC NULLS FIRST",
		dialect.DescNullsLast:  "{x} DESC NULLS LAST",
		dialect.DescNullsFirst: "{x} DESC NULLS FIRST",

		dialect.ToZone:        "datetime({x}, {zone})",
		dialect.ToUTC:         "datetime(datetime({x}) || {zone})",
		dialect.InstantToZone: "datetime({x}, {zone})",
		dialect.ZoneProbe:     "datetime('now', {zone})",

		dialect.EpochSeconds: "datetime({x}, 'unixepoch')",
		dialect.EpochMillis:  "datetime({x} / 1000.0, 'unixepoch')",
		dialect.TextISO:      "datetime({x})",
		dialect.Now:          "datetime('now')",

		// random() & 65535 is uniform over 0..65535.
		dialect.Sample: "(SELECT * FROM {table} WHERE (random() & 65535) < 655.36 * {percent})",
		dialect.Inline: "(WITH {name} ({columns}) AS (VALUES {rows}) SELECT * FROM {name}) AS {name}",
	}
	for g, template := range map[dialect.Grain]string{
		dialect.Second:  "strftime('%Y-%m-%d %H:%M:%S', {x})",
		dialect.Minute:  "strftime('%Y-%m-%d %H:%M:00', {x})",
		dialect.Hour:    "strftime('%Y-%m-%d %H:00:00', {x})",
		dialect.Day:     "date({x})",
		dialect.Week:    "date({x}, 'weekday 0', '-6 days')",
		dialect.Month:   "date({x}, 'start of month')",
		dialect.Quarter: "date({x}, 'start of month', '-' || ((CAST(strftime('%m', {x}) AS INTEGER) - 1) % 3) || ' months')",
		dialect.Year:    "date({x}, 'start of year')",
	} {
		f[dialect.Trunc(g)] = template
	}
	for g, step := range map[dialect.Grain]struct{ function, factor, unit string }{
		dialect.Second:  {"datetime", "", "seconds"},
		dialect.Minute:  {"datetime", "", "minutes"},
		dialect.Hour:    {"datetime", "", "hours"},
		dialect.Day:     {"date", "", "days"},
		dialect.Week:    {"date", "7 * ", "days"},
		dialect.Month:   {"date", "", "months"},
		dialect.Quarter: {"date", "3 * ", "months"},
		dialect.Year:    {"date", "", "years"},
	} {
		next := func(x, n string) string {
			return step.function + "(" + x + ", (" + step.factor + n + ") || ' " + step.unit + "')"
		}
		f[dialect.Add(g)] = next("{x}", "{n}")
		if step.unit == "months" || step.unit == "years" { // a day that the month does not have is its last one
			f[dialect.Add(g)] = strings.TrimSuffix(f[dialect.Add(g)], ")") + ", 'floor')"
		}
		f[dialect.Spine(g)] = "WITH RECURSIVE spine (period) AS (" +
			"SELECT " + step.function + "({from}) WHERE " + step.function + "({from}) <= " + step.function + "({to}) " +
			"UNION ALL SELECT " + next("period", "1") + " FROM spine WHERE " + next("period", "1") + " <= " + step.function + "({to})" +
			") SELECT period FROM spine"
	}
	f[dialect.LastRows("int64")] = "ROWS BETWEEN {n} PRECEDING AND CURRENT ROW"
	return f
}

// There is no split_part. 9e999 is the infinity, and mod computes in doubles. min and max of several arguments give NULL when one
// of them is NULL.
func dialectFunctions() map[string]string {
	part := func(format string) string { return "CAST(strftime('" + format + "', {1}) AS INTEGER)" }
	return map[string]string{
		"abs": "abs({1})", "ceil": "ceil({1})", "coalesce": "coalesce({args})", "concat": "concat({args})",
		"date_diff_days": "CAST(julianday(date({2})) - julianday(date({1})) AS INTEGER)",
		"day":            part("%d"), "exp": "nullif(exp({1}), 9e999)", "floor": "floor({1})", "greatest": "max({args})",
		"hour": part("%H"), "iso_week": part("%V"), "least": "min({args})",
		"left": "substr({1}, 1, {2})", "length": "length({1})", "ln": "ln({1})", "lower": "lower({1})",
		"ltrim": "ltrim({args})", "minute": part("%M"), "mod": "(CASE WHEN typeof({1}) = 'integer' AND typeof({2}) = 'integer' THEN {1} % {2} ELSE mod({1}, {2}) END)", "month": part("%m"),
		"nullif": "nullif({1}, {2})", "power": "nullif(nullif(power({1}, {2}), 9e999), -9e999)",
		"quarter": "((CAST(strftime('%m', {1}) AS INTEGER) + 2) / 3)",
		"replace": "replace({1}, {2}, {3})", "right": "substr({1}, max(length({1}) - {2}, 0) + 1)",
		"round": "round({args})", "rtrim": "rtrim({args})", "second": part("%S"), "sign": "sign({1})",
		"sqrt": "sqrt({1})", "strpos": "instr({1}, {2})", "substring": "substr({args})", "trim": "trim({args})",
		"upper": "upper({1})", "weekday": "((CAST(strftime('%w', {1}) AS INTEGER) + 6) % 7 + 1)", "year": part("%Y"),
	}
}
