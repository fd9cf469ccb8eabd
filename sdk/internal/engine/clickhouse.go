package engine

import (
	"slices"

	"github.com/loam-data/loam/sdk/dialect"
)

// ClickHouse describes ClickHouse 26 under readonly = 1, which forbids settings:
// what join_use_nulls would do is written into the forms.
func ClickHouse() []dialect.Dialect {
	f := standard(map[dialect.Form]string{
		dialect.TryCast:        "accurateCastOrNull({x}, '{type}')",
		dialect.True:           "true",
		dialect.False:          "false",
		dialect.SafeDivide:     "(toFloat64({a}) / nullIf({b}, 0))",
		dialect.NullSafeEqual:  "({a} <=> {b})",
		dialect.Contains:       "(positionCaseInsensitiveUTF8({x}, {p}) > 0)",
		dialect.StartsWith:     "startsWithUTF8(lowerUTF8({x}), lowerUTF8({p}))",
		dialect.EndsWith:       "endsWithUTF8(lowerUTF8({x}), lowerUTF8({p}))",
		dialect.Like:           "({x} LIKE {p})",
		dialect.ILike:          "({x} ILIKE {p})",
		dialect.Sum:            "sumOrNull({x})",
		dialect.Avg:            "avgOrNull({x})",
		dialect.Min:            "minOrNull({x})",
		dialect.Max:            "maxOrNull({x})",
		dialect.CountDistinct:  "uniqExact({x})",
		dialect.ApproxDistinct: "uniqCombined64({x})",
		dialect.Median:         "quantileExactInclusiveOrNull(0.5)({x})",
		dialect.Percentile:     "quantileExactInclusiveOrNull({p})({x})",
		dialect.StringAgg:      "arrayStringConcat(arraySort(groupArray({x})), {sep})",
		dialect.ToZone:         "toTimeZone({x}, {zone})",
		dialect.InstantToZone:  "toTimeZone({x}, {zone})",
		dialect.Now:            "now('UTC')",
		dialect.Nullable:       "toNullable({x})",
		dialect.HashOrder:      "cityHash64({x})",
		dialect.Sample:         "(SELECT * FROM {table} WHERE rand() % 10000 < {percent} * 100)",
	})
	perGrain(f, dialect.Trunc, map[dialect.Grain]string{
		dialect.Second: "toStartOfSecond(toDateTime64({x}, 3))", dialect.Minute: "toStartOfMinute({x})",
		dialect.Hour: "toStartOfHour({x})", dialect.Day: "toDate({x})", dialect.Week: "toMonday({x})",
		dialect.Month: "toStartOfMonth({x})", dialect.Quarter: "toStartOfQuarter({x})", dialect.Year: "toStartOfYear({x})",
	})
	for g, unit := range map[dialect.Grain]string{
		dialect.Second: "Seconds", dialect.Minute: "Minutes", dialect.Hour: "Hours", dialect.Day: "Days",
		dialect.Week: "Weeks", dialect.Month: "Months", dialect.Quarter: "Quarters", dialect.Year: "Years",
	} {
		f[dialect.Add(g)] = "add" + unit + "({x}, {n})"
		f[dialect.Spine(g)] = "SELECT add" + unit + "({from}, number) AS period FROM numbers(dateDiff('" + units[g] + "', {from}, {to}) + 1)"
	}
	types := map[string]string{}
	for logical, native := range map[string]string{
		"bool": "Bool", "int64": "Int64", "float64": "Float64", "text": "String", "bytes": "String",
		"decimal": "Decimal(38, 10)", "date": "Date32", "timestamp": "DateTime64(6)", "timestamp_tz": "DateTime64(6, 'UTC')", "uuid": "UUID",
	} {
		types[logical] = "Nullable(" + native + ")"
	}
	return []dialect.Dialect{{
		Name:          "clickhouse",
		Namespace:     []string{"schema"},
		DefaultSchema: "default",
		Folding:       dialect.FoldNone,
		Identifier:    dialect.Quote{Open: "`", Close: "`", Backslash: true},
		String:        escaped,
		Lexis: dialect.Lexis{
			Strings: []dialect.Quote{escaped, prefixed("X", single), prefixed("B", single)},
			Identifiers: []dialect.Quote{
				{Open: "`", Close: "`", Doubled: true, Backslash: true},
				{Open: `"`, Close: `"`, Doubled: true, Backslash: true},
			},
			DollarStrings:  true,
			IdentifierPart: "$",
			LineComments:   []dialect.LineComment{dashes, {Open: "#!"}, {Open: "#", NeedsSpace: true}},
			BlockComments:  []dialect.BlockComment{nested},
			Spaces:         "\u00A0\u2003\u3000\uFEFF",
		},
		Guard: dialect.Guard{
			ExpressionWith: true,
			Statements: []dialect.Statement{
				query("SELECT"), query("VALUES"), query("FROM"), with(), show("SHOW"), show("DESCRIBE"), show("DESC"),
				explain("AST", "SYNTAX", "QUERY", "TREE", "PLAN", "PIPELINE", "ESTIMATE", "HEADER", "ACTIONS", "INDEXES", "JSON"),
			},
			Phrases: []dialect.Phrase{phrase("writes a file", "INTO")},
			Functions: slices.Concat(
				dialect.Rules("reaches other servers or files",
					"url*", "file*", "remote*", "mysql*", "postgresql*", "mongodb*", "sqlite*", "jdbc*", "odbc*", "s3*",
					"gcs*", "hdfs*", "azureblobstorage*", "executable*", "input*", "cluster*", "redis*", "iceberg*", "deltalake*"),
				dialect.Rules("waits instead of reading", "sleep*"),
			),
		},
		Limit:           dialect.LimitOffset,
		Parameter:       dialect.ParameterNone,
		NullsAscending:  dialect.NullsLast,
		NullsDescending: dialect.NullsLast,
		Boolean:         dialect.BooleanInteger,
		IntegerDivision: dialect.DivisionFloat,
		Types:           types,
		Forms:           f,
	}}
}
