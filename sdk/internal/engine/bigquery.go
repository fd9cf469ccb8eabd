package engine

import (
	"slices"

	"github.com/loam-data/loam/sdk/dialect"
)

// BigQuery describes GoogleSQL as BigQuery runs it.
func BigQuery() []dialect.Dialect {
	f := standard(map[dialect.Form]string{
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
	})
	for g, unit := range units {
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
	return []dialect.Dialect{{
		Name:      "bigquery",
		Namespace: []string{"catalog", "schema"},
		Folding:   dialect.FoldInsensitive, // of columns; see Notes

		MaxIdentifierBytes: 300,

		Identifier:      dialect.Quote{Open: "`", Close: "`", Backslash: true},
		String:          dialect.Quote{Open: "'", Close: "'", Backslash: true},
		Lexis:           bigQueryLexis(),
		Limit:           dialect.LimitOffset,
		Parameter:       dialect.ParameterAt,
		NullsAscending:  dialect.NullsFirst,
		NullsDescending: dialect.NullsLast,
		Boolean:         dialect.BooleanNative,
		IntegerDivision: dialect.DivisionFloat,
		Guard: dialect.Guard{
			Statements: []dialect.Statement{query("SELECT"), query("FROM"), with()},
			Phrases: []dialect.Phrase{
				phrase("names a table to write to", "INTO"),
				// The grammar of pipes has operators that write, enabled or not.
				phrase("writes what is piped into it", "|>", "INSERT"),
				phrase("writes what is piped into it", "|>", "CREATE"),
				phrase("writes what is piped into it", "|>", "EXPORT"),
			},
			Functions: slices.Concat(
				dialect.Rules("runs SQL on another database", "external_query"),
			),
		},
		Types: map[string]string{
			"bool": "BOOL", "int64": "INT64", "float64": "FLOAT64", "text": "STRING", "bytes": "BYTES",
			"decimal": "NUMERIC", "date": "DATE", "time": "TIME", "timestamp": "DATETIME", "timestamp_tz": "TIMESTAMP", "json": "JSON",
		},
		Forms: f,
		Notes: []string{
			"names of projects, datasets and tables are case-sensitive, those of columns are not",
			"double quotes make a string, backticks a name",
		},
	}}
}

// bigQueryLexis: a backslash before a quote keeps the literal open in raw
// strings too, although it stays in the value.
func bigQueryLexis() dialect.Lexis {
	var strings []dialect.Quote
	for _, prefix := range []string{"", "R", "B", "RB", "BR"} {
		for _, quote := range []string{"'", `"`, "'''", `"""`} {
			strings = append(strings, dialect.Quote{Prefix: prefix, Open: quote, Close: quote, Backslash: true})
		}
	}
	return dialect.Lexis{
		Strings:          strings,
		Identifiers:      []dialect.Quote{{Open: "`", Close: "`", Backslash: true}},
		LineComments:     []dialect.LineComment{dashes, {Open: "#"}},
		BlockComments:    []dialect.BlockComment{block},
		DigitIdentifiers: true,
		Parameters:       []string{"?", "@", "@@"},
	}
}
