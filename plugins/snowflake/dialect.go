package snowflake

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

var (
	single  = dialect.Quote{Open: "'", Close: "'", Doubled: true}
	escaped = dialect.Quote{Open: "'", Close: "'", Doubled: true, Backslash: true}
	double  = dialect.Quote{Open: `"`, Close: `"`, Doubled: true}
)

// makeDialects describes Snowflake's SQL for a session of this connector, which fixes
// the time zone, the formats of dates and the case of quoted names.
func makeDialects() []dialect.Dialect {
	binary := single
	binary.Prefix = "X"
	return []dialect.Dialect{{
		Name:          "snowflake",
		Namespace:     []string{"catalog", "schema"},
		DefaultSchema: "PUBLIC",

		MaxIdentifierBytes: 255,
		Folding:            dialect.FoldUpper,
		Identifier:         double,
		String:             escaped,
		Lexis: dialect.Lexis{
			Strings: []dialect.Quote{
				escaped, binary,
				{Open: "$$", Close: "$$"}, // no tags: $a$ is a variable
			},
			Identifiers:    []dialect.Quote{double},
			LineComments:   []dialect.LineComment{{Open: "--"}, {Open: "//"}},
			BlockComments:  []dialect.BlockComment{{Open: "/*", Close: "*/"}},
			IdentifierPart: "$",
			Parameters:     []string{"?", ":", "$"},
		},
		Guard:           dialectGuard(),
		Limit:           dialect.LimitOffset,
		Parameter:       dialect.ParameterQuestion,
		NullsAscending:  dialect.NullsLast,
		NullsDescending: dialect.NullsFirst,
		Boolean:         dialect.BooleanNative,
		IntegerDivision: dialect.DivisionDecimal,
		Types: map[string]string{
			"bool": "BOOLEAN", "int64": "NUMBER(38,0)", "float64": "FLOAT", "text": "VARCHAR", "bytes": "BINARY",
			"decimal": "NUMBER(38,10)", "date": "DATE", "time": "TIME", "timestamp": "TIMESTAMP_NTZ",
			"timestamp_tz": "TIMESTAMP_TZ", "json": "VARIANT",
		},
		Forms:     dialectForms(),
		Functions: dialectFunctions(),
		Notes: []string{
			"Names without quotes are upper case. Write names that the catalog shows in lower or mixed case in double quotes.",
			"A field of a VARIANT is column:field, with a cast: column:field::NUMBER. An array of one is read with LATERAL FLATTEN(INPUT => column).",
			"QUALIFY filters by window functions, behind HAVING.",
		},
	}}
}

func dialectGuard() dialect.Guard {
	statement := func(kind dialect.StatementKind, words ...string) dialect.Statement {
		return dialect.Statement{Words: words, Kind: kind}
	}
	explain := statement(dialect.StatementExplain, "EXPLAIN")
	explain.Options = []string{"USING", "TABULAR", "JSON", "TEXT"}
	return dialect.Guard{
		Statements: []dialect.Statement{
			statement(dialect.StatementQuery, "SELECT"), statement(dialect.StatementQuery, "VALUES"), statement(dialect.StatementWith, "WITH"),
			statement(dialect.StatementShow, "SHOW"), statement(dialect.StatementShow, "DESCRIBE"), statement(dialect.StatementShow, "DESC"), explain,
		},
		Phrases: []dialect.Phrase{
			{Words: []string{"INTO"}, Reason: "assigns a variable"},
			{Words: []string{"->>"}, Reason: "goes on with another statement"},
		},
		Functions: slices.Concat(
			dialect.Rules("may change the account", "system$*"),
			dialect.Rules("reads the results of other statements", "result_scan"),
			dialect.Rules("advances a sequence", "getnextval"),
		),
		Relations: dialect.Rules("advances a sequence", "nextval"),
	}
}

func dialectForms() map[dialect.Form]string {
	f := map[dialect.Form]string{
		dialect.Cast: "CAST({x} AS {type})", dialect.True: "TRUE", dialect.False: "FALSE",
		dialect.TryCast:       "TRY_CAST({x}::VARCHAR AS {type})", // takes text only
		dialect.SafeDivide:    "({a}::FLOAT / NULLIF({b}, 0))",
		dialect.NullSafeEqual: "EQUAL_NULL({a}, {b})",
		dialect.Contains:      "CONTAINS(LOWER({x}), LOWER({p}))",
		dialect.StartsWith:    "STARTSWITH(LOWER({x}), LOWER({p}))",
		dialect.EndsWith:      "ENDSWITH(LOWER({x}), LOWER({p}))",
		dialect.Like:          `({x} LIKE {p} ESCAPE '\\')`,
		dialect.ILike:         `({x} ILIKE {p} ESCAPE '\\')`,
		dialect.Sum:           "SUM({x})", dialect.Count: "COUNT({x})", dialect.Min: "MIN({x})", dialect.Max: "MAX({x})",
		dialect.CountDistinct:                  "COUNT(DISTINCT {x})",
		dialect.Avg:                            "AVG({x}::FLOAT)",
		dialect.Median:                         "MEDIAN({x}::FLOAT)",
		dialect.Percentile:                     "PERCENTILE_CONT({p}) WITHIN GROUP (ORDER BY {x}::FLOAT)",
		dialect.ApproxDistinct:                 "APPROX_COUNT_DISTINCT({x})",
		dialect.StringAgg:                      "LISTAGG({x}, {sep}) WITHIN GROUP (ORDER BY {x})",
		dialect.FineLiteral("timestamp", 9):    "'{v}'::TIMESTAMP_NTZ(9)",
		dialect.FineLiteral("timestamp_tz", 9): "'{v}'::TIMESTAMP_TZ(9)",
		dialect.ToZone:                         "CONVERT_TIMEZONE('UTC', {zone}, {x})",
		dialect.ToUTC:                          "CONVERT_TIMEZONE({zone}, 'UTC', {x})",
		dialect.InstantToZone:                  "CONVERT_TIMEZONE({zone}, {x})::TIMESTAMP_NTZ",
		dialect.EpochSeconds:                   "TO_TIMESTAMP_NTZ({x})",
		dialect.EpochMillis:                    "TO_TIMESTAMP_NTZ({x}, 3)",
		// A text without an offset is in the session's zone, which is UTC.
		dialect.TextISO:      "CONVERT_TIMEZONE('UTC', TO_TIMESTAMP_TZ({x}))::TIMESTAMP_NTZ",
		dialect.Now:          "SYSDATE()",
		dialect.Sample:       "{table} SAMPLE SYSTEM ({percent})",
		dialect.HashOrder:    "HASH({x})",
		dialect.Inline:       "(VALUES {rows}) AS {name} ({columns})",
		dialect.NestedField:  "{x}:{field}",
		dialect.AscNullsLast: "{x} ASC NULLS LAST", dialect.AscNullsFirst: "{x} ASC NULLS FIRST",
		dialect.DescNullsLast: "{x} DESC NULLS LAST", dialect.DescNullsFirst: "{x} DESC NULLS FIRST",
	}
	for _, g := range []dialect.Grain{dialect.Second, dialect.Minute, dialect.Hour, dialect.Day, dialect.Week, dialect.Month, dialect.Quarter, dialect.Year} {
		unit := strings.ToUpper(string(g))
		switch g {
		case dialect.Second, dialect.Minute, dialect.Hour:
			f[dialect.Trunc(g)] = "DATE_TRUNC('" + unit + "', {x})"
		case dialect.Week: // DATE_TRUNC would follow the session's WEEK_START
			f[dialect.Trunc(g)] = "DATEADD('DAY', 1 - DAYOFWEEKISO({x}), {x}::DATE)"
		default:
			f[dialect.Trunc(g)] = "DATE_TRUNC('" + unit + "', {x})::DATE"
		}
		f[dialect.Add(g)] = "DATEADD(" + unit + ", {n}, {x})"
		// SEQ4() has gaps; ROWCOUNT takes constants only.
		f[dialect.Spine(g)] = "SELECT DATEADD(" + unit + ", ROW_NUMBER() OVER (ORDER BY NULL) - 1, {from}) AS period" +
			" FROM TABLE(GENERATOR(ROWCOUNT => 100000)) QUALIFY period <= {to}"
	}
	for _, exact := range []string{"int64", "decimal"} {
		f[dialect.LastRows(exact)] = "ROWS BETWEEN {n} PRECEDING AND CURRENT ROW"
	}
	return f
}

// dialectFunctions are the portable functions (dialect.PortableFunctions). CONCAT is none
// of them: it is NULL when a part is.
func dialectFunctions() map[string]string {
	// What has no value is inf or NaN, and NaN equals itself.
	finite := func(call string) string {
		return "IFF(" + call + " IN ('inf'::FLOAT, '-inf'::FLOAT, 'NaN'::FLOAT), NULL, " + call + ")"
	}
	return map[string]string{
		"abs": "ABS({1})", "ceil": "CEIL({1})", "coalesce": "COALESCE({args})",
		"date_diff_days": "DATEDIFF(DAY, {1}::DATE, {2}::DATE)", "day": "DAY({1})", "exp": finite("EXP({1})"), "floor": "FLOOR({1})",
		"greatest": "GREATEST({args})", "hour": "HOUR({1})", "iso_week": "WEEKISO({1})", "least": "LEAST({args})",
		"left": "LEFT({1}, {2})", "length": "LENGTH({1})", "ln": "LN({1})", "lower": "LOWER({1})", "ltrim/1": "LTRIM({1})",
		"minute": "MINUTE({1})", "mod": "MOD({1}, {2})", "month": "MONTH({1})", "nullif": "NULLIF({1}, {2})",
		"power": finite("POWER({1}, {2})"), "quarter": "QUARTER({1})", "replace": "REPLACE({1}, {2}, {3})", "right": "RIGHT({1}, {2})",
		"round": "ROUND({1})", "round/2": "ROUND({1}, {2})", "rtrim/1": "RTRIM({1})", "second": "SECOND({1})", "sign": "SIGN({1})",
		"split_part": "SPLIT_PART({1}, {2}, {3})", "sqrt": "SQRT({1})", "strpos": "POSITION({2}, {1})",
		"substring": "SUBSTR({args})", "trim/1": "TRIM({1})", "upper": "UPPER({1})", "weekday": "DAYOFWEEKISO({1})", "year": "YEAR({1})",
	}
}
