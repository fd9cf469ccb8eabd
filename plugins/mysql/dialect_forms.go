package mysql

import "github.com/loam-data/loam/sdk/dialect"

// dialectTypes names what CAST can make.
func dialectTypes() map[string]string {
	return map[string]string{
		"bool": "SIGNED", "int64": "SIGNED", "float64": "DOUBLE", "text": "CHAR", "bytes": "BINARY", "decimal": "DECIMAL(65,30)",
		"date": "DATE", "time": "TIME(6)", "timestamp": "DATETIME(6)", "timestamp_tz": "DATETIME(6)",
		"json": "JSON", "nested_json": "JSON", "uuid": "CHAR", "interval": "TIME(6)",
	}
}

const (
	// exact makes a comparison of text by code points: the collations of columns
	// ignore case, and some ignore accents.
	exactX = "CONVERT({x} USING utf8mb4) COLLATE utf8mb4_bin"
	exactP = "CONVERT({p} USING utf8mb4) COLLATE utf8mb4_bin"
)

// zoned is what clocks of one zone show, of what those of another do.
//
// CONVERT_TZ leaves a time beyond the range of TIMESTAMP as it is, which would be a
// wrong clock reading, and gives NULL for every time where the server has no tables of
// time zones, not even for UTC. Both are errors here. The range is that of servers
// which count seconds in 31 bits, without the days at its ends, where zones differ.
func zoned(from, to string) string {
	converted := "CONVERT_TZ({x}, " + from + ", " + to + ")"
	return "(CASE WHEN {zone} = 'UTC' OR {x} IS NULL THEN {x} " +
		"WHEN ({x} < '1970-01-02' OR {x} >= '2038-01-18') AND " + failure("the server knows time zones from 1970 to 2037 only") + " THEN NULL " +
		"WHEN " + converted + " IS NULL AND " + failure("the server has no such time zone") + " THEN NULL ELSE " + converted + " END)"
}

// failure is a condition that is an error, whose text says what is the matter: a
// number out of range. RAND keeps it from being computed where it is not met.
func failure(why string) string {
	return "~0 + (CAST(RAND() AS UNSIGNED) + CHAR_LENGTH('" + why + "')) > 0"
}

// instant reads ISO 8601 text with or without an offset as a time in UTC.
func instant(x string) string {
	const offset = "'[+-][0-9][0-9]:?[0-9][0-9]$'"
	return "(CASE WHEN " + x + " REGEXP ':[0-9][0-9].*[+-][0-9][0-9]:?[0-9][0-9]$' THEN CAST(REGEXP_REPLACE(" + x + ", " + offset + ", '') AS DATETIME(6)) - INTERVAL " +
		"CAST(CONCAT(LEFT(REGEXP_SUBSTR(" + x + ", " + offset + "), 1), LEFT(RIGHT(REPLACE(" + x + ", ':', ''), 4), 2) * 60 + RIGHT(" + x + ", 2)) AS SIGNED) MINUTE " +
		"WHEN " + x + " REGEXP '[zZ]$' THEN CAST(LEFT(" + x + ", CHAR_LENGTH(" + x + ") - 1) AS DATETIME(6)) ELSE CAST(" + x + " AS DATETIME(6)) END)"
}

func dialectForms() map[dialect.Form]string {
	f := map[dialect.Form]string{
		dialect.Cast:           "CAST({x} AS {type})",
		dialect.CastTo("bool"): "({x} <> 0)",

		dialect.Literal("date"):         "DATE '{v}'",
		dialect.Literal("time"):         "TIME '{v}'",
		dialect.Literal("timestamp"):    "TIMESTAMP '{v}'",
		dialect.Literal("timestamp_tz"): instant("'{v}'"),
		dialect.True:                    "TRUE",
		dialect.False:                   "FALSE",

		dialect.SafeDivide:    "(({a} * 1e0) / NULLIF({b}, 0))",
		dialect.NullSafeEqual: "({a} <=> {b})",

		dialect.Contains:   "(LOCATE(LOWER(" + exactP + "), LOWER(" + exactX + ")) > 0)",
		dialect.StartsWith: "(LEFT(LOWER(" + exactX + "), CHAR_LENGTH({p})) = LOWER(" + exactP + "))",
		dialect.EndsWith:   "(RIGHT(LOWER(" + exactX + "), CHAR_LENGTH({p})) = LOWER(" + exactP + "))",
		dialect.ILike:      `(LOWER(` + exactX + `) LIKE LOWER(` + exactP + `) ESCAPE '\\')`,
		dialect.Like:       `(` + exactX + ` LIKE ` + exactP + ` ESCAPE '\\')`,

		dialect.Sum:           "SUM({x})",
		dialect.Avg:           "AVG({x} * 1e0)", // of integers it would have four digits behind the point
		dialect.Count:         "COUNT({x})",
		dialect.CountDistinct: "COUNT(DISTINCT {x})",
		dialect.Min:           "MIN({x})",
		dialect.Max:           "MAX({x})",
		dialect.StringAgg:     "GROUP_CONCAT(CAST({x} AS CHAR) ORDER BY CAST({x} AS CHAR) SEPARATOR {sep})",

		dialect.AscNullsLast:   "{x} IS NULL, {x} ASC",
		dialect.AscNullsFirst:  "{x} ASC",
		dialect.DescNullsLast:  "{x} DESC",
		dialect.DescNullsFirst: "{x} IS NOT NULL, {x} DESC",

		// Without it each row is looked up in a temporary table, on disk from 16 MB.
		dialect.ManyGroups: "SQL_BIG_RESULT",

		dialect.ToZone:        zoned("'+00:00'", "{zone}"),
		dialect.ToUTC:         zoned("{zone}", "'+00:00'"),
		dialect.InstantToZone: zoned("'+00:00'", "{zone}"),
		dialect.ZoneProbe:     "CONVERT_TZ('2024-01-01', '+00:00', {zone})",

		dialect.EpochSeconds: "(TIMESTAMP '1970-01-01 00:00:00' + INTERVAL {x} SECOND)",
		dialect.EpochMillis:  "(TIMESTAMP '1970-01-01 00:00:00' + INTERVAL ({x} * 1000) MICROSECOND)",
		dialect.TextISO:      instant("{x}"),
		dialect.Now:          "UTC_TIMESTAMP(6)",

		dialect.Sample:    "(SELECT * FROM {table} WHERE RAND() * 100 < {percent}) AS loam_sample",
		dialect.HashOrder: "MD5({x})",

		dialect.Trunc(dialect.Second):  "CAST(DATE_FORMAT({x}, '%Y-%m-%d %H:%i:%s') AS DATETIME)",
		dialect.Trunc(dialect.Minute):  "CAST(DATE_FORMAT({x}, '%Y-%m-%d %H:%i:00') AS DATETIME)",
		dialect.Trunc(dialect.Hour):    "CAST(DATE_FORMAT({x}, '%Y-%m-%d %H:00:00') AS DATETIME)",
		dialect.Trunc(dialect.Day):     "DATE({x})",
		dialect.Trunc(dialect.Week):    "DATE_SUB(DATE({x}), INTERVAL WEEKDAY({x}) DAY)",
		dialect.Trunc(dialect.Month):   "CAST(DATE_FORMAT({x}, '%Y-%m-01') AS DATE)",
		dialect.Trunc(dialect.Quarter): "DATE_ADD(MAKEDATE(YEAR({x}), 1), INTERVAL (QUARTER({x}) - 1) QUARTER)",
		dialect.Trunc(dialect.Year):    "MAKEDATE(YEAR({x}), 1)",
	}
	for g, unit := range map[dialect.Grain]string{
		dialect.Second: "SECOND", dialect.Minute: "MINUTE", dialect.Hour: "HOUR", dialect.Day: "DAY",
		dialect.Week: "WEEK", dialect.Month: "MONTH", dialect.Quarter: "QUARTER", dialect.Year: "YEAR",
	} {
		f[dialect.Add(g)] = "DATE_ADD({x}, INTERVAL {n} " + unit + ")"
		// A recursion inside a statement sees no CTE of it in MariaDB, and both products
		// end one after 1,000 rounds; a JSON array has a row for each of its elements.
		spine := func(ends string) string {
			return "SELECT DATE_ADD(b.lo, INTERVAL n.i - 1 " + unit + ") AS period FROM (SELECT {from} AS lo, {to} AS hi" + ends + ") AS b " +
				"JOIN JSON_TABLE(CONCAT('[0', REPEAT(',0', TIMESTAMPDIFF(" + unit + ", b.lo, b.hi)), ']'), '$[*]' COLUMNS (i FOR ORDINALITY)) AS n WHERE b.lo <= b.hi"
		}
		f[dialect.Spine(g)], f[dialect.SpineOver(g)] = spine(""), spine(" FROM {ends}")
	}
	for _, exact := range []string{"int64", "decimal"} {
		f[dialect.LastRows(exact)] = "ROWS BETWEEN {n} PRECEDING AND CURRENT ROW"
	}
	return f
}

func dialectFunctions() map[string]string {
	return map[string]string{
		"abs": "ABS({1})", "ceil": "CEILING({1})", "coalesce": "COALESCE({args})", "concat": "CONCAT_WS('', {args})",
		"date_diff_days": "DATEDIFF({2}, {1})", "day": "DAY({1})", "exp": "EXP({1})", "floor": "FLOOR({1})",
		"greatest": "GREATEST({args})", "hour": "HOUR({1})", "iso_week": "WEEK({1}, 3)", "least": "LEAST({args})",
		"left": "LEFT({1}, {2})", "length": "CHAR_LENGTH({1})", "ln": "LN({1})", "lower": "LOWER({1})", "ltrim/1": "LTRIM({1})",
		"minute": "MINUTE({1})", "mod": "MOD({1}, {2})", "month": "MONTH({1})", "nullif": "NULLIF({1}, {2})",
		"power": "POWER({1}, {2})", "quarter": "QUARTER({1})", "replace": "REPLACE({1}, {2}, {3})", "right": "RIGHT({1}, {2})",
		"round": "ROUND({1})", "round/2": "ROUND({1}, {2})", "rtrim/1": "RTRIM({1})", "second": "SECOND({1})", "sign": "SIGN({1})",
		"split_part": "IF(CHAR_LENGTH({1}) - CHAR_LENGTH(REPLACE({1}, {2}, '')) < ({3} - 1) * CHAR_LENGTH({2}), '', " +
			"SUBSTRING_INDEX(SUBSTRING_INDEX({1}, {2}, {3}), {2}, -1))",
		"sqrt": "SQRT({1})", "strpos": "LOCATE(CONVERT({2} USING utf8mb4) COLLATE utf8mb4_bin, CONVERT({1} USING utf8mb4) COLLATE utf8mb4_bin)", "substring": "SUBSTRING({args})", "trim/1": "TRIM({1})",
		"upper": "UPPER({1})", "weekday": "(WEEKDAY({1}) + 1)", "year": "YEAR({1})",
	}
}
