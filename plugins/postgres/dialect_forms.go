package postgres

import "github.com/loam-data/loam/sdk/dialect"

func dialectTypes() map[string]string {
	return map[string]string{
		"bool": "boolean", "int64": "bigint", "float64": "double precision", "text": "text", "bytes": "bytea",
		"decimal": "numeric", "date": "date", "time": "time", "timestamp": "timestamp", "timestamp_tz": "timestamptz",
		"json": "jsonb", "uuid": "uuid", "interval": "interval", "nested_json": "jsonb",
	}
}

func dialectForms() map[dialect.Form]string {
	f := map[dialect.Form]string{
		dialect.Cast: "CAST({x} AS {type})",

		dialect.Literal("date"):         "DATE '{v}'",
		dialect.Literal("time"):         "TIME '{v}'",
		dialect.Literal("timestamp"):    "TIMESTAMP '{v}'",
		dialect.Literal("timestamp_tz"): "TIMESTAMP WITH TIME ZONE '{v}'",
		dialect.Literal("interval"):     "INTERVAL '{v}'",
		dialect.True:                    "TRUE",
		dialect.False:                   "FALSE",

		dialect.SafeDivide:    "(CAST({a} AS double precision) / NULLIF({b}, 0))",
		dialect.NullSafeEqual: "({a} IS NOT DISTINCT FROM {b})",

		dialect.Contains:   "(strpos(lower({x}), lower({p})) > 0)",
		dialect.StartsWith: "starts_with(lower({x}), lower({p}))",
		dialect.EndsWith:   "(right(lower({x}), length(lower({p}))) = lower({p}))",
		dialect.ILike:      `({x} ILIKE {p} ESCAPE '\')`,
		dialect.Like:       `({x} LIKE {p} ESCAPE '\')`,

		dialect.Sum:           "SUM({x})",
		dialect.Avg:           "CAST(AVG({x}) AS double precision)",
		dialect.Count:         "COUNT({x})",
		dialect.CountDistinct: "COUNT(DISTINCT {x})",
		dialect.Min:           "MIN({x})",
		dialect.Max:           "MAX({x})",
		dialect.Median:        "percentile_cont(0.5) WITHIN GROUP (ORDER BY {x})",
		dialect.Percentile:    "percentile_cont({p}) WITHIN GROUP (ORDER BY {x})",
		dialect.StringAgg:     "string_agg(CAST({x} AS text), {sep} ORDER BY CAST({x} AS text))",

		dialect.AscNullsLast:   "{x} ASC NULLS LAST",
		dialect.AscNullsFirst:  "{x} ASC NULLS FIRST",
		dialect.DescNullsLast:  "{x} DESC NULLS LAST",
		dialect.DescNullsFirst: "{x} DESC NULLS FIRST",

		dialect.ToZone:        "({x} AT TIME ZONE 'UTC' AT TIME ZONE {zone})",
		dialect.ToUTC:         "({x} AT TIME ZONE {zone} AT TIME ZONE 'UTC')",
		dialect.InstantToZone: "({x} AT TIME ZONE {zone})",
		dialect.ZoneProbe:     "(SELECT MIN(name) FROM pg_catalog.pg_timezone_names WHERE name = {zone})",

		dialect.EpochSeconds: "(to_timestamp({x}) AT TIME ZONE 'UTC')",
		dialect.EpochMillis:  "(to_timestamp({x} / 1000.0) AT TIME ZONE 'UTC')",
		// A cast to timestamp would drop an offset without a word.
		dialect.TextISO: `(CASE WHEN {x} ~* ':\d\d.*(z|[+-]\d\d(:?\d\d)?)$' THEN CAST({x} AS timestamptz) AT TIME ZONE 'UTC' ELSE CAST({x} AS timestamp) END)`,
		dialect.Now:     "(now() AT TIME ZONE 'UTC')",

		dialect.Sample:    "{table} TABLESAMPLE SYSTEM ({percent})",
		dialect.HashOrder: "md5(CAST({x} AS text))",
		dialect.Inline:    "(VALUES {rows}) AS {name} ({columns})",
	}
	for g, unit := range map[dialect.Grain]struct{ part, interval, argument string }{
		dialect.Second:  {"second", "1 second", "secs => {n}"},
		dialect.Minute:  {"minute", "1 minute", "mins => {n}"},
		dialect.Hour:    {"hour", "1 hour", "hours => {n}"},
		dialect.Day:     {"day", "1 day", "days => {n}"},
		dialect.Week:    {"week", "7 days", "weeks => {n}"},
		dialect.Month:   {"month", "1 month", "months => {n}"},
		dialect.Quarter: {"quarter", "3 months", "months => 3 * {n}"},
		dialect.Year:    {"year", "1 year", "years => {n}"},
	} {
		result := "date"
		if g == dialect.Second || g == dialect.Minute || g == dialect.Hour {
			result = "timestamp"
		}
		f[dialect.Trunc(g)] = "CAST(date_trunc('" + unit.part + "', {x}) AS " + result + ")"
		f[dialect.Add(g)] = "CAST({x} + make_interval(" + unit.argument + ") AS " + result + ")"
		f[dialect.Spine(g)] = "SELECT CAST(p AS " + result + ") AS period FROM generate_series(" +
			"CAST({from} AS timestamp), CAST({to} AS timestamp), INTERVAL '" + unit.interval + "') AS s (p)"
	}
	f[dialect.Trunc(dialect.Day)] = "CAST({x} AS date)"
	for _, exact := range []string{"int64", "decimal", "float64"} {
		f[dialect.LastRows(exact)] = "ROWS BETWEEN {n} PRECEDING AND CURRENT ROW"
	}
	return f
}

// dialectFunctions round a double as it prints: a cast to numeric would keep 15 of
// its digits. Lengths and positions are integers here, whatever they come from.
func dialectFunctions() map[string]string {
	part := func(field string) string { return "CAST(EXTRACT(" + field + " FROM {1}) AS bigint)" }
	short := func(n string) string { return "CAST({" + n + "} AS integer)" }
	return map[string]string{
		"abs": "abs({1})", "ceil": "ceil({1})", "coalesce": "coalesce({args})", "concat": "concat({args})",
		"date_diff_days": "(CAST({2} AS date) - CAST({1} AS date))",
		"day":            part("DAY"), "exp": "exp({1})", "floor": "floor({1})", "greatest": "greatest({args})",
		"hour": part("HOUR"), "iso_week": part("WEEK"), "least": "least({args})", "left": "left({1}, " + short("2") + ")",
		"length": "length({1})", "ln": "ln({1})", "lower": "lower({1})", "ltrim": "ltrim({args})",
		"minute": part("MINUTE"), "mod": "mod({1}, {2})", "month": part("MONTH"), "nullif": "nullif({1}, {2})",
		"power": "power({1}, {2})", "quarter": part("QUARTER"), "replace": "replace({1}, {2}, {3})",
		"right": "right({1}, " + short("2") + ")", "round": "round({1})", "round/2": "round(CAST(CAST({1} AS text) AS numeric), " + short("2") + ")",
		"rtrim": "rtrim({args})", "second": "CAST(floor(EXTRACT(SECOND FROM {1})) AS bigint)", "sign": "CAST(sign({1}) AS bigint)",
		"split_part": "split_part({1}, {2}, " + short("3") + ")", "sqrt": "sqrt({1})", "strpos": "strpos({1}, {2})",
		"substring/2": "substr({1}, " + short("2") + ")", "substring/3": "substr({1}, " + short("2") + ", " + short("3") + ")", "trim": "btrim({args})", "upper": "upper({1})", "weekday": part("ISODOW"),
		"year": part("YEAR"),
	}
}
