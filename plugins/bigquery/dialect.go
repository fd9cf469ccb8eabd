package bigquery

import (
	"slices"

	"github.com/loam-data/loam/sdk/dialect"
)

// Dialects returns GoogleSQL as BigQuery runs it, as data.
func Dialects() []dialect.Dialect {
	return []dialect.Dialect{{
		Name:      "bigquery",
		Namespace: []string{"catalog", "schema"},

		Folding:      dialect.FoldInsensitive, // of columns
		TableFolding: dialect.FoldNone,

		MaxIdentifierBytes: 300,
		MaxDecimalDigits:   76,

		Identifier:      dialect.Quote{Open: "`", Close: "`", Backslash: true},
		String:          dialect.Quote{Open: "'", Close: "'", Backslash: true},
		Lexis:           dialectLexis(),
		Limit:           dialect.LimitOffset,
		Parameter:       dialect.ParameterAt,
		NullsAscending:  dialect.NullsFirst,
		NullsDescending: dialect.NullsLast,
		Boolean:         dialect.BooleanNative,
		IntegerDivision: dialect.DivisionFloat,
		Guard:           dialectGuard(),
		Types: map[string]string{
			"bool": "BOOL", "int64": "INT64", "float64": "FLOAT64", "text": "STRING", "bytes": "BYTES",
			"decimal": "BIGNUMERIC", "date": "DATE", "time": "TIME", "timestamp": "DATETIME", "timestamp_tz": "TIMESTAMP", "json": "JSON",
		},
		Forms:     dialectForms(),
		Functions: dialectFunctions(),
		Notes: []string{
			"names of projects, datasets and tables are case-sensitive, those of columns are not",
			"double quotes make a string, backticks a name",
		},
	}}
}

// dialectGuard accepts what reads; the service has the last word.
func dialectGuard() dialect.Guard {
	phrase := func(reason string, words ...string) dialect.Phrase {
		return dialect.Phrase{Words: words, Reason: reason}
	}
	return dialect.Guard{
		Statements: []dialect.Statement{
			{Words: []string{"SELECT"}, Kind: dialect.StatementQuery},
			{Words: []string{"FROM"}, Kind: dialect.StatementQuery},
			{Words: []string{"WITH"}, Kind: dialect.StatementWith},
		},
		Phrases: []dialect.Phrase{
			phrase("names a table to write to", "INTO"),
			// The grammar of pipes has operators that write, enabled or not.
			phrase("writes what is piped into it", "|>", "INSERT"),
			phrase("writes what is piped into it", "|>", "CREATE"),
			phrase("writes what is piped into it", "|>", "EXPORT"),
		},
		Functions: slices.Concat(
			dialect.Rules("runs SQL on another database", "external_query"),
			dialect.Rules("sends what it is given to a model, which is billed apart",
				"generate_text", "generate_embedding", "generate_table", "understand_text", "annotate_image", "process_document", "transcribe"),
		),
	}
}

func dialectForms() map[dialect.Form]string {
	f := map[dialect.Form]string{
		dialect.Cast: "CAST({x} AS {type})", dialect.True: "TRUE", dialect.False: "FALSE",
		dialect.NullSafeEqual: "({a} IS NOT DISTINCT FROM {b})",
		dialect.Sum:           "SUM({x})", dialect.Count: "COUNT({x})",
		dialect.CountDistinct: "COUNT(DISTINCT {x})", dialect.Min: "MIN({x})", dialect.Max: "MAX({x})",
		dialect.AscNullsLast: "{x} ASC NULLS LAST", dialect.AscNullsFirst: "{x} ASC NULLS FIRST",
		dialect.DescNullsLast: "{x} DESC NULLS LAST", dialect.DescNullsFirst: "{x} DESC NULLS FIRST",

		dialect.NestedField:  "{x}.{field}",
		dialect.NestedUnnest: "CROSS JOIN UNNEST({x}) AS {name}",

		dialect.TryCast:        "SAFE_CAST({x} AS {type})",
		dialect.SafeDivide:     "SAFE_DIVIDE(CAST({a} AS FLOAT64), {b})",
		dialect.Avg:            "AVG(CAST({x} AS FLOAT64))", // of a NUMERIC it would be one
		dialect.Contains:       "(STRPOS(LOWER({x}), LOWER({p})) > 0)",
		dialect.StartsWith:     "STARTS_WITH(LOWER({x}), LOWER({p}))",
		dialect.EndsWith:       "ENDS_WITH(LOWER({x}), LOWER({p}))",
		dialect.Like:           "({x} LIKE {p})",
		dialect.ILike:          "(LOWER({x}) LIKE LOWER({p}))",
		dialect.ApproxDistinct: "APPROX_COUNT_DISTINCT({x})",
		dialect.StringAgg:      "STRING_AGG({x}, {sep} ORDER BY {x})",
		dialect.ToZone:         "DATETIME(TIMESTAMP({x}), {zone})",
		dialect.ToUTC:          "DATETIME(TIMESTAMP({x}, {zone}))",
		dialect.InstantToZone:  "DATETIME({x}, {zone})",
		dialect.EpochSeconds:   "DATETIME(TIMESTAMP_SECONDS({x}))",
		dialect.EpochMillis:    "DATETIME(TIMESTAMP_MILLIS({x}))",
		dialect.TextISO:        "DATETIME(TIMESTAMP({x}))",
		dialect.Now:            "CURRENT_DATETIME()",
		dialect.Sample:         "{table} TABLESAMPLE SYSTEM ({percent} PERCENT)",
		dialect.HashOrder:      "FARM_FINGERPRINT(TO_JSON_STRING({x}))",
	}
	for g, unit := range map[dialect.Grain]string{
		dialect.Second: "SECOND", dialect.Minute: "MINUTE", dialect.Hour: "HOUR", dialect.Day: "DAY",
		dialect.Week: "WEEK", dialect.Month: "MONTH", dialect.Quarter: "QUARTER", dialect.Year: "YEAR",
	} {
		switch g {
		case dialect.Second, dialect.Minute, dialect.Hour:
			f[dialect.Trunc(g)] = "DATETIME_TRUNC({x}, " + unit + ")"
			f[dialect.Add(g)] = "DATETIME_ADD({x}, INTERVAL {n} " + unit + ")"
			f[dialect.Spine(g)] = "SELECT DATETIME(t) AS period FROM UNNEST(GENERATE_TIMESTAMP_ARRAY(TIMESTAMP({from}), TIMESTAMP({to}), INTERVAL 1 " + unit + ")) AS t"
			continue
		case dialect.Week: // WEEK alone starts on Sunday
			f[dialect.Trunc(g)] = "DATE_TRUNC(CAST({x} AS DATE), WEEK(MONDAY))"
		case dialect.Day:
			f[dialect.Trunc(g)] = "CAST({x} AS DATE)"
		default:
			f[dialect.Trunc(g)] = "DATE_TRUNC(CAST({x} AS DATE), " + unit + ")"
		}
		f[dialect.Add(g)] = "DATE_ADD({x}, INTERVAL {n} " + unit + ")"
		f[dialect.Spine(g)] = "SELECT period FROM UNNEST(GENERATE_DATE_ARRAY({from}, {to}, INTERVAL 1 " + unit + ")) AS period"
	}
	for _, exact := range []string{"int64", "decimal"} {
		f[dialect.LastRows(exact)] = "ROWS BETWEEN {n} PRECEDING AND CURRENT ROW"
	}
	return f
}

func dialectFunctions() map[string]string {
	return map[string]string{
		"abs": "ABS({1})", "ceil": "CEIL({1})", "coalesce": "COALESCE({args})",
		"date_diff_days": "DATE_DIFF(CAST({2} AS DATE), CAST({1} AS DATE), DAY)", "day": "EXTRACT(DAY FROM {1})", "exp": "EXP({1})",
		"floor": "FLOOR({1})", "greatest": "GREATEST({args})", "hour": "EXTRACT(HOUR FROM {1})", "iso_week": "EXTRACT(ISOWEEK FROM {1})",
		"least": "LEAST({args})", "left": "LEFT({1}, {2})", "length": "CHAR_LENGTH({1})", "ln": "LN({1})", "lower": "LOWER({1})",
		"ltrim/1": "LTRIM({1})", "minute": "EXTRACT(MINUTE FROM {1})", "mod": "MOD({1}, {2})", "month": "EXTRACT(MONTH FROM {1})",
		"nullif": "NULLIF({1}, {2})", "power": "POWER({1}, {2})", "quarter": "EXTRACT(QUARTER FROM {1})", "replace": "REPLACE({1}, {2}, {3})",
		"right": "RIGHT({1}, {2})", "round": "ROUND({1})", "round/2": "ROUND({1}, {2})", "rtrim/1": "RTRIM({1})",
		"second": "EXTRACT(SECOND FROM {1})", "sign": "SIGN({1})",
		"split_part": "IF({1} IS NULL, NULL, COALESCE(SPLIT({1}, {2})[SAFE_ORDINAL({3})], ''))",
		"sqrt":       "SQRT({1})", "strpos": "STRPOS({1}, {2})", "substring": "SUBSTR({args})", "trim/1": "TRIM({1})", "upper": "UPPER({1})",
		"weekday": "(MOD((EXTRACT(DAYOFWEEK FROM {1}) + 5), 7) + 1)", "year": "EXTRACT(YEAR FROM {1})",
	}
}

// dialectLexis: a backslash before a quote keeps the literal open in raw
// strings too, although it stays in the value.
func dialectLexis() dialect.Lexis {
	var strings []dialect.Quote
	for _, prefix := range []string{"", "R", "B", "RB", "BR"} {
		for _, quote := range []string{"'", `"`, "'''", `"""`} {
			strings = append(strings, dialect.Quote{Prefix: prefix, Open: quote, Close: quote, Backslash: true})
		}
	}
	return dialect.Lexis{
		Strings:          strings,
		Identifiers:      []dialect.Quote{{Open: "`", Close: "`", Backslash: true}},
		LineComments:     []dialect.LineComment{{Open: "--"}, {Open: "#"}},
		BlockComments:    []dialect.BlockComment{{Open: "/*", Close: "*/"}},
		DigitIdentifiers: true,
		Parameters:       []string{"?", "@", "@@"},
	}
}
