package engine

import (
	"slices"

	"github.com/loam-data/loam/sdk/dialect"
)

// Snowflake describes Snowflake.
func Snowflake() []dialect.Dialect {
	f := standard(map[dialect.Form]string{
		dialect.TryCast:        "TRY_CAST({x}::VARCHAR AS {type})", // takes text only
		dialect.SafeDivide:     "({a}::FLOAT / NULLIF({b}, 0))",
		dialect.NullSafeEqual:  "EQUAL_NULL({a}, {b})",
		dialect.Contains:       "CONTAINS(LOWER({x}), LOWER({p}))",
		dialect.StartsWith:     "STARTSWITH(LOWER({x}), LOWER({p}))",
		dialect.EndsWith:       "ENDSWITH(LOWER({x}), LOWER({p}))",
		dialect.Like:           `({x} LIKE {p} ESCAPE '\\')`,
		dialect.ILike:          `({x} ILIKE {p} ESCAPE '\\')`,
		dialect.Avg:            "AVG({x}::FLOAT)",
		dialect.Median:         "MEDIAN({x})",
		dialect.Percentile:     "PERCENTILE_CONT({p}) WITHIN GROUP (ORDER BY {x})",
		dialect.ApproxDistinct: "APPROX_COUNT_DISTINCT({x})",
		dialect.StringAgg:      "LISTAGG({x}, {sep}) WITHIN GROUP (ORDER BY {x})",
		dialect.ToZone:         "CONVERT_TIMEZONE('UTC', {zone}, {x})",
		dialect.ToUTC:          "CONVERT_TIMEZONE({zone}, 'UTC', {x})",
		dialect.InstantToZone:  "CONVERT_TIMEZONE({zone}, {x})::TIMESTAMP_NTZ",
		dialect.EpochSeconds:   "TO_TIMESTAMP_NTZ({x})",
		dialect.EpochMillis:    "TO_TIMESTAMP_NTZ({x}, 3)",
		// A text without an offset is in the session's zone, which the connector sets
		// to UTC.
		dialect.TextISO:   "CONVERT_TIMEZONE('UTC', TO_TIMESTAMP_TZ({x}))::TIMESTAMP_NTZ",
		dialect.Now:       "SYSDATE()",
		dialect.Sample:    "{table} SAMPLE SYSTEM ({percent})",
		dialect.HashOrder: "HASH({x})",
		dialect.Inline:    "(VALUES {rows}) AS {name} ({columns})",
	})
	for g, unit := range units {
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
				escaped, prefixed("X", single),
				{Open: "$$", Close: "$$"}, // no tags: $a$ is a variable
			},
			Identifiers:    []dialect.Quote{double},
			LineComments:   []dialect.LineComment{dashes, {Open: "//"}},
			BlockComments:  []dialect.BlockComment{block},
			IdentifierPart: "$",
			Parameters:     []string{"?", ":", "$"},
		},
		Guard: dialect.Guard{
			Statements: []dialect.Statement{
				query("SELECT"), query("VALUES"), with(), show("SHOW"), show("DESCRIBE"), show("DESC"),
				explain("USING", "TABULAR", "JSON", "TEXT"),
			},
			Phrases: []dialect.Phrase{
				phrase("assigns a variable", "INTO"),
				phrase("goes on with another statement", "->>"),
			},
			Functions: slices.Concat(
				dialect.Rules("may change the account", "system$*"),
				dialect.Rules("reads the results of other statements", "result_scan"),
			),
			Relations: dialect.Rules("advances a sequence", "nextval"),
		},
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
		Forms: f,
	}}
}
