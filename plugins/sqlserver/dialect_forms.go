package sqlserver

import (
	"slices"

	"github.com/loam-data/loam/sdk/dialect"
)

func guard() dialect.Guard {
	phrase := func(reason string, words ...string) dialect.Phrase {
		return dialect.Phrase{Words: words, Reason: reason}
	}
	phrases := []dialect.Phrase{
		phrase("creates a table", "INTO"), phrase("advances a sequence", "NEXT", "VALUE", "FOR"),
		phrase("takes locks", "UPDLOCK"), phrase("takes locks", "XLOCK"), phrase("takes locks", "TABLOCKX"),
		phrase("takes locks", "HOLDLOCK"), phrase("takes locks", "SERIALIZABLE"), phrase("takes locks", "REPEATABLEREAD"),
	}
	// Statements need no separator, and these words are reserved.
	for _, verb := range []string{
		"INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE", "CREATE", "ALTER", "DROP", "EXEC", "EXECUTE", "SET", "USE",
		"BEGIN", "COMMIT", "ROLLBACK", "SAVE", "GRANT", "REVOKE", "DENY", "DECLARE", "BACKUP", "RESTORE", "KILL",
		"SHUTDOWN", "WAITFOR", "BULK", "RECONFIGURE", "DBCC", "PRINT", "RAISERROR", "IF", "WHILE", "GOTO", "RETURN",
		"CHECKPOINT", "REVERT", "SETUSER", "WRITETEXT", "UPDATETEXT", "READTEXT", "DUMP", "LOAD", "LINENO",
		"OPEN", "CLOSE", "DEALLOCATE", "BREAK", "CONTINUE",
	} {
		phrases = append(phrases, phrase("begins another statement", verb))
	}
	return dialect.Guard{
		Unseparated: true,
		Statements: []dialect.Statement{
			{Words: []string{"SELECT"}, Kind: dialect.StatementQuery}, {Words: []string{"WITH"}, Kind: dialect.StatementWith},
		},
		Phrases: phrases,
		Functions: slices.Concat(
			dialect.Rules("reaches other servers or files", "openrowset", "openquery", "opendatasource"),
			dialect.Rules("reads server files", "fn_get_audit_file", "fn_xe_file_target_read_file", "fn_trace_gettable"),
		),
		Relations: dialect.Rules("shows password hashes", "sql_logins", "syslogins"),
	}
}

func forms() map[dialect.Form]string {
	f := map[dialect.Form]string{
		dialect.Cast: "CAST({x} AS {type})",
		dialect.Sum:  "SUM({x})", dialect.Count: "COUNT_BIG({x})", dialect.CountDistinct: "COUNT_BIG(DISTINCT {x})", dialect.Min: "MIN({x})", dialect.Max: "MAX({x})",
		dialect.TryCast:       "TRY_CAST({x} AS {type})",
		dialect.True:          "1",
		dialect.False:         "0",
		dialect.BoolValue:     "CASE WHEN {p} THEN 1 WHEN NOT {p} THEN 0 END",
		dialect.BoolTest:      "({x} = 1)",
		dialect.SafeDivide:    "(CAST({a} AS float) / NULLIF({b}, 0))",
		dialect.NullSafeEqual: "EXISTS (SELECT {a} INTERSECT SELECT {b})",
		// An empty text is in every other one.
		dialect.Contains: "(CHARINDEX(LOWER({p}), LOWER({x})) > 0 OR DATALENGTH({p}) = 0 AND {x} IS NOT NULL)",
		// LEN and = take no notice of trailing spaces, CHARINDEX does; it does not
		// find an empty text, hence the mark.
		dialect.StartsWith:                     "(CHARINDEX(LOWER('|' + {p}), LOWER('|' + {x})) = 1)",
		dialect.EndsWith:                       "(CHARINDEX(REVERSE(LOWER({p} + '|')), REVERSE(LOWER({x} + '|'))) = 1)",
		dialect.Like:                           `({x} LIKE REPLACE({p}, '[', '\[') COLLATE Latin1_General_100_BIN2 ESCAPE '\')`,
		dialect.ILike:                          `(LOWER({x}) LIKE REPLACE(LOWER({p}), '[', '\[') ESCAPE '\')`,
		dialect.Avg:                            "AVG(CAST({x} AS float))",
		dialect.SumOf("int64"):                 "SUM(CAST({x} AS bigint))",
		dialect.ApproxDistinct:                 "APPROX_COUNT_DISTINCT({x})",
		dialect.StringAgg:                      "STRING_AGG({x}, {sep}) WITHIN GROUP (ORDER BY {x})",
		dialect.AscNullsLast:                   "CASE WHEN {x} IS NULL THEN 1 ELSE 0 END, {x} ASC",
		dialect.AscNullsFirst:                  "CASE WHEN {x} IS NULL THEN 0 ELSE 1 END, {x} ASC",
		dialect.DescNullsLast:                  "CASE WHEN {x} IS NULL THEN 1 ELSE 0 END, {x} DESC",
		dialect.DescNullsFirst:                 "CASE WHEN {x} IS NULL THEN 0 ELSE 1 END, {x} DESC",
		dialect.FineLiteral("timestamp", 7):    "CAST('{v}' AS datetime2(7))",
		dialect.FineLiteral("timestamp_tz", 7): "CAST('{v}' AS datetimeoffset(7))",
		dialect.ToZone:                         "CAST({x} AT TIME ZONE 'UTC' AT TIME ZONE {zone} AS datetime2(7))",
		dialect.ToUTC:                          "CAST({x} AT TIME ZONE {zone} AT TIME ZONE 'UTC' AS datetime2(7))",
		dialect.InstantToZone:                  "CAST({x} AT TIME ZONE {zone} AS datetime2(7))",
		dialect.ZoneProbe:                      "(SELECT MIN(name) FROM sys.time_zone_info WHERE name = {zone})",
		// DATEADD takes an int: days first, or 2038 is the end.
		dialect.EpochSeconds: "DATEADD(second, {x} % 86400, DATEADD(day, {x} / 86400, CAST('19700101' AS datetime2(0))))",
		dialect.EpochMillis:  "DATEADD(millisecond, {x} % 86400000, DATEADD(day, {x} / 86400000, CAST('19700101' AS datetime2(3))))",
		dialect.TextISO:      "CAST(SWITCHOFFSET(CAST({x} AS datetimeoffset(7)), '+00:00') AS datetime2(7))",
		dialect.Now:          "SYSUTCDATETIME()",
		dialect.Sample:       "{table} TABLESAMPLE SYSTEM ({percent} PERCENT)",
		dialect.HashOrder:    "HASHBYTES('MD5', CAST({x} AS nvarchar(4000)))",
		dialect.Inline:       "(VALUES {rows}) AS {name} ({columns})",
	}
	for g, unit := range units {
		f[dialect.Add(g)] = "DATEADD(" + unit + ", {n}, {x})"
		f[dialect.Spine(g)] = "SELECT TOP (DATEDIFF(" + unit + ", {from}, {to}) + 1) DATEADD(" + unit +
			", ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) - 1, {from}) AS period FROM sys.all_columns a CROSS JOIN sys.all_columns b"
	}
	for _, exact := range []string{"int64", "decimal"} {
		f[dialect.LastRows(exact)] = "ROWS BETWEEN {n} PRECEDING AND CURRENT ROW"
	}
	return f
}

// perGrain writes one form for every grain.
func perGrain(f map[dialect.Form]string, form func(dialect.Grain) dialect.Form, templates map[dialect.Grain]string) {
	for grain, template := range templates {
		f[form(grain)] = template
	}
}

var units = map[dialect.Grain]string{
	dialect.Second: "SECOND", dialect.Minute: "MINUTE", dialect.Hour: "HOUR", dialect.Day: "DAY",
	dialect.Week: "WEEK", dialect.Month: "MONTH", dialect.Quarter: "QUARTER", dialect.Year: "YEAR",
}

// functions are those that every version knows; a collation by code points tells
// upper from lower case.
func functions() map[string]string {
	return map[string]string{
		"abs": "ABS({1})", "ceil": "CEILING({1})", "coalesce": "COALESCE({args})", "concat": "CONCAT(N'', {args})",
		"date_diff_days": "DATEDIFF(day, {1}, {2})", "day": "DAY({1})", "exp": "EXP({1})", "floor": "FLOOR({1})",
		"hour": "DATEPART(hour, {1})", "iso_week": "DATEPART(iso_week, {1})", "left": "LEFT({1}, {2})",
		"length": "(LEN({1} + N'|') - 1)", "ln": "LOG({1})", "lower": "LOWER({1})", "ltrim/1": "LTRIM({1})",
		"minute": "DATEPART(minute, {1})", "mod": "({1} % {2})", "month": "MONTH({1})", "nullif": "NULLIF({1}, {2})",
		"power": "POWER(CAST({1} AS float), {2})", "quarter": "DATEPART(quarter, {1})",
		"replace": "REPLACE({1} COLLATE Latin1_General_100_BIN2, {2}, {3})", "right": "RIGHT({1}, {2})",
		"round": "ROUND({1}, 0)", "round/2": "ROUND({1}, {2})", "rtrim/1": "RTRIM({1})", "second": "DATEPART(second, {1})",
		"sign": "SIGN({1})", "sqrt": "SQRT({1})", "strpos": "CHARINDEX({2} COLLATE Latin1_General_100_BIN2, {1})",
		"substring/2": "SUBSTRING({1}, {2}, 2147483647)", "substring/3": "SUBSTRING({1}, {2}, {3})", "trim/1": "TRIM({1})",
		"upper": "UPPER({1})", "weekday": "(DATEDIFF(day, CAST('17530101' AS date), CAST({1} AS date)) % 7 + 1)", "year": "YEAR({1})",
	}
}
