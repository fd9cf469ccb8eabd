package duckdb

import "github.com/loam-data/loam/sdk/dialect"

// dialectTypes have a decimal that is narrower than it could be: beside a value of 38
// digits before the point DuckDB rounds 1.5 to 2, without a word.
func dialectTypes() map[string]string {
	return map[string]string{
		"bool": "BOOLEAN", "int64": "BIGINT", "float64": "DOUBLE", "text": "VARCHAR", "bytes": "BLOB",
		"decimal": "DECIMAL(30,10)", "date": "DATE", "time": "TIME", "timestamp": "TIMESTAMP",
		"timestamp_tz": "TIMESTAMPTZ", "json": "JSON", "uuid": "UUID", "interval": "INTERVAL",
	}
}

func dialectForms() map[dialect.Form]string {
	f := map[dialect.Form]string{
		dialect.Cast:    "CAST({x} AS {type})",
		dialect.TryCast: "TRY_CAST({x} AS {type})",
		dialect.True:    "TRUE",
		dialect.False:   "FALSE",

		dialect.FineLiteral("timestamp", 9): "CAST('{v}' AS TIMESTAMP_NS)",

		dialect.NestedField:   "({x}).{field}",
		dialect.SafeDivide:    "(CAST({a} AS DOUBLE) / NULLIF({b}, 0))",
		dialect.NullSafeEqual: "({a} IS NOT DISTINCT FROM {b})",

		dialect.Contains:   "contains(lower({x}), lower({p}))",
		dialect.StartsWith: "starts_with(lower({x}), lower({p}))",
		dialect.EndsWith:   "ends_with(lower({x}), lower({p}))",
		dialect.ILike:      `({x} ILIKE {p} ESCAPE '\')`,
		dialect.Like:       `({x} LIKE {p} ESCAPE '\')`,
		dialect.LikePlain:  "({x} LIKE {p})",

		dialect.Sum:            "SUM({x})",
		dialect.Avg:            "AVG({x})",
		dialect.Count:          "COUNT({x})",
		dialect.CountDistinct:  "COUNT(DISTINCT {x})",
		dialect.ApproxDistinct: "approx_count_distinct({x})",
		dialect.Min:            "MIN({x})",
		dialect.Max:            "MAX({x})",
		dialect.Median:         "median(CAST({x} AS DOUBLE))",
		dialect.Percentile:     "quantile_cont(CAST({x} AS DOUBLE), {p})",
		dialect.StringAgg:      "string_agg({x}, {sep} ORDER BY {x})",

		dialect.AscNullsLast:   "{x} ASC NULLS LAST",
		dialect.AscNullsFirst:  "{x} ASC NULLS FIRST",
		dialect.DescNullsLast:  "{x} DESC NULLS LAST",
		dialect.DescNullsFirst: "{x} DESC NULLS FIRST",

		dialect.ToZone:        "({x} AT TIME ZONE 'UTC' AT TIME ZONE {zone})",
		dialect.ToUTC:         "({x} AT TIME ZONE {zone} AT TIME ZONE 'UTC')",
		dialect.InstantToZone: "({x} AT TIME ZONE {zone})",
		dialect.ZoneProbe:     "(SELECT max(name) FROM pg_timezone_names() WHERE name = {zone})",

		dialect.EpochSeconds: "make_timestamp(CAST(CAST({x} AS DECIMAL(24,6)) * 1000000 AS BIGINT))",
		dialect.EpochMillis:  "make_timestamp(CAST(CAST({x} AS DECIMAL(24,3)) * 1000 AS BIGINT))",
		dialect.TextISO:      "(CAST({x} AS TIMESTAMPTZ) AT TIME ZONE 'UTC')",
		dialect.Now:          "(now() AT TIME ZONE 'UTC')",

		dialect.Sample:    "{table} TABLESAMPLE {percent} PERCENT (bernoulli)",
		dialect.HashOrder: "hash({x})",
		dialect.Inline:    "(VALUES {rows}) AS {name} ({columns})",
	}
	for _, g := range dialect.Grains() {
		unit, fine := string(g), g == dialect.Second || g == dialect.Minute || g == dialect.Hour
		if fine {
			f[dialect.Trunc(g)] = "date_trunc('" + unit + "', {x})"
			f[dialect.Add(g)] = "({x} + INTERVAL ({n}) " + unit + ")"
			f[dialect.Spine(g)] = "SELECT unnest(generate_series({from}, {to}, INTERVAL 1 " + unit + ")) AS period"
			continue
		}
		f[dialect.Trunc(g)] = "CAST(date_trunc('" + unit + "', {x}) AS DATE)"
		f[dialect.Add(g)] = "CAST({x} + INTERVAL ({n}) " + unit + " AS DATE)"
		f[dialect.Spine(g)] = "SELECT CAST(unnest(generate_series({from}, {to}, INTERVAL 1 " + unit + ")) AS DATE) AS period"
	}
	for _, exact := range []string{"int64", "decimal", "float64"} {
		f[dialect.LastRows(exact)] = "ROWS BETWEEN {n} PRECEDING AND CURRENT ROW"
	}
	return f
}

// dialectFunctions are the portable functions (dialect.PortableFunctions).
func dialectFunctions() map[string]string {
	part := func(unit string) string { return "date_part('" + unit + "', {1})" }
	return map[string]string{
		"abs": "abs({1})", "ceil": "ceil({1})", "coalesce": "coalesce({args})", "concat": "concat({args})",
		"date_diff_days": "date_diff('day', CAST({1} AS DATE), CAST({2} AS DATE))",
		"day":            part("day"), "exp": "nullif(exp({1}), CAST('inf' AS DOUBLE))", "floor": "floor({1})", "greatest": "greatest({args})",
		"hour": part("hour"), "iso_week": part("week"), "least": "least({args})",
		"left": "left({1}, {2})", "length": "length({1})", "ln": "ln({1})", "lower": "lower({1})",
		"ltrim": "ltrim({args})", "minute": part("minute"), "mod": "mod({1}, {2})", "month": part("month"),
		"nullif": "nullif({1}, {2})", "power": "CASE WHEN isfinite(power({1}, {2})) THEN power({1}, {2}) END", "quarter": part("quarter"),
		"replace": "replace({1}, {2}, {3})", "right": "right({1}, {2})", "round": "round({1})", "round/2": "round({1}, CAST({2} AS INTEGER))",
		"rtrim": "rtrim({args})", "second": part("second"), "sign": "CAST(sign({1}) AS BIGINT)", "split_part": "split_part({1}, {2}, {3})",
		"sqrt": "sqrt({1})", "strpos": "strpos({1}, {2})", "substring": "substring({args})", "trim": "trim({args})",
		"upper": "upper({1})", "weekday": part("isodow"), "year": part("year"),
	}
}
