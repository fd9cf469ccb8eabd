package engine

import (
	"slices"

	"github.com/loam-data/loam/sdk/dialect"
)

// DuckDB describes DuckDB 1.x.
func DuckDB() []dialect.Dialect {
	f := standard(map[dialect.Form]string{
		dialect.TryCast:        "TRY_CAST({x} AS {type})",
		dialect.SafeDivide:     "(CAST({a} AS DOUBLE) / NULLIF({b}, 0))",
		dialect.Contains:       "contains(lower({x}), lower({p}))",
		dialect.StartsWith:     "starts_with(lower({x}), lower({p}))",
		dialect.EndsWith:       "ends_with(lower({x}), lower({p}))",
		dialect.Median:         "median({x})",
		dialect.Percentile:     "quantile_cont({x}, {p})",
		dialect.ApproxDistinct: "approx_count_distinct({x})",
		dialect.StringAgg:      "string_agg({x}, {sep} ORDER BY {x})",
		dialect.ToZone:         "({x} AT TIME ZONE 'UTC' AT TIME ZONE {zone})",
		dialect.ToUTC:          "({x} AT TIME ZONE {zone} AT TIME ZONE 'UTC')",
		dialect.InstantToZone:  "({x} AT TIME ZONE {zone})",
		dialect.EpochSeconds:   "make_timestamp(CAST({x} * 1000000 AS BIGINT))",
		dialect.EpochMillis:    "make_timestamp(CAST({x} * 1000 AS BIGINT))",
		dialect.Now:            "(now() AT TIME ZONE 'UTC')",
		dialect.Sample:         "{table} TABLESAMPLE {percent} PERCENT",
		dialect.HashOrder:      "hash({x})",
		dialect.Inline:         "(VALUES {rows}) AS {name} ({columns})",
	})
	for g, unit := range units {
		trunc := "date_trunc('" + unit + "', {x})"
		if g != dialect.Second && g != dialect.Minute && g != dialect.Hour {
			trunc = "CAST(" + trunc + " AS DATE)"
		}
		f[dialect.Trunc(g)] = trunc
		f[dialect.Add(g)] = "({x} + INTERVAL ({n}) " + unit + ")"
		f[dialect.Spine(g)] = "SELECT unnest(range({from}, {to} + INTERVAL 1 " + unit + ", INTERVAL 1 " + unit + ")) AS period"
	}
	return []dialect.Dialect{{
		Name:          "duckdb",
		Namespace:     []string{"catalog", "schema"},
		DefaultSchema: "main",
		Folding:       dialect.FoldInsensitive,
		Identifier:    double,
		String:        single,
		Lexis: dialect.Lexis{
			Strings: []dialect.Quote{
				single, prefixed("E", escaped), prefixed("X", single), prefixed("B", single),
			},
			Identifiers:      []dialect.Quote{double},
			ContinuedStrings: true,
			StringTables:     true,
			DollarStrings:    true,
			LineComments:     []dialect.LineComment{dashes},
			BlockComments:    []dialect.BlockComment{nested},
			IdentifierPart:   "$",
			Spaces:           "\u00A0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u202F\u205F\u3000\u200B",
			Parameters:       []string{"?", "$"},
			EmptyStatements:  true,
		},
		Guard: dialect.Guard{
			Statements: []dialect.Statement{
				query("SELECT"), query("VALUES"), query("FROM"), query("TABLE"), query("PIVOT"), query("UNPIVOT"),
				query("DESCRIBE"), query("SUMMARIZE"), query("SHOW"), with(), explain("ANALYZE", "FORMAT"),
			},
			Phrases: []dialect.Phrase{phrase("names a table to write to", "INTO")},
			Functions: slices.Concat(
				dialect.Rules("reads or writes files", "read_*", "parquet_*", "sniff_csv", "glob", "*_scan"),
				dialect.Rules("runs SQL that the guard cannot see", "query", "query_table"),
				dialect.Rules("advances a sequence", "nextval", "setval"),
				dialect.Rules("writes to standard output", "enable_profiling", "enable_logging"),
			),
			Relations: dialect.Rules("shows credentials", "duckdb_secrets"),
		},
		Limit:           dialect.LimitOffset,
		Parameter:       dialect.ParameterDollar,
		NullsAscending:  dialect.NullsLast,
		NullsDescending: dialect.NullsLast,
		Boolean:         dialect.BooleanNative,
		IntegerDivision: dialect.DivisionFloat,
		Types: map[string]string{
			"bool": "BOOLEAN", "int64": "BIGINT", "float64": "DOUBLE", "text": "VARCHAR", "bytes": "BLOB",
			"decimal": "DECIMAL(38,10)", "date": "DATE", "time": "TIME", "timestamp": "TIMESTAMP",
			"timestamp_tz": "TIMESTAMPTZ", "json": "JSON", "uuid": "UUID", "interval": "INTERVAL",
		},
		Forms: f,
	}}
}
