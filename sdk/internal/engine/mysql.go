package engine

import (
	"slices"

	"github.com/loam-data/loam/sdk/dialect"
)

// MySQL describes MySQL 8 with the default sql_mode.
func MySQL() []dialect.Dialect {
	d := dialect.Dialect{
		Name:      "mysql",
		Namespace: []string{"schema"},

		MaxIdentifierBytes: 64,
		Folding:            dialect.FoldNone,
		Identifier:         backtick,
		String:             escaped,
		Lexis: dialect.Lexis{
			Strings: []dialect.Quote{
				escaped,
				{Open: `"`, Close: `"`, Doubled: true, Backslash: true},
				prefixed("N", escaped), prefixed("X", single), prefixed("B", single),
			},
			Identifiers:        []dialect.Quote{backtick},
			LineComments:       []dialect.LineComment{{Open: "--", NeedsSpace: true}, {Open: "#"}},
			BlockComments:      []dialect.BlockComment{block},
			ExecutableComments: []string{"/*!", "/*M!"},
			IdentifierStart:    "$",
			IdentifierPart:     "$",
			DigitIdentifiers:   true,
			Parameters:         []string{"?", "@", "@@"},
		},
		Guard:           mysqlGuard(),
		Limit:           dialect.LimitOffset,
		Parameter:       dialect.ParameterQuestion,
		NullsAscending:  dialect.NullsFirst,
		NullsDescending: dialect.NullsLast,
		Boolean:         dialect.BooleanInteger,
		IntegerDivision: dialect.DivisionDecimal,
		Types: map[string]string{
			"int64": "SIGNED", "float64": "DOUBLE", "text": "CHAR", "bytes": "BINARY", "decimal": "DECIMAL(65,30)",
			"date": "DATE", "time": "TIME(6)", "timestamp": "DATETIME(6)", "json": "JSON",
		},
		Forms: mysqlForms(),
	}
	return []dialect.Dialect{d}
}

// MariaDB describes MariaDB, which knows executable comments of its own.
func MariaDB() []dialect.Dialect {
	d := MySQL()[0]
	d.Name = "mariadb"
	d.Guard.Statements = slices.Concat(d.Guard.Statements, []dialect.Statement{query("TABLE")})
	return []dialect.Dialect{d}
}

func mysqlGuard() dialect.Guard {
	return dialect.Guard{
		Statements: []dialect.Statement{
			query("SELECT"), query("VALUES"), query("TABLE"), with(), show("SHOW"),
			explain("ANALYZE", "FORMAT", "EXTENDED", "PARTITIONS"),
			{Words: []string{"DESCRIBE"}, Kind: dialect.StatementShow, Refused: []string{"ANALYZE"}},
			{Words: []string{"DESC"}, Kind: dialect.StatementShow, Refused: []string{"ANALYZE"}},
		},
		Phrases: []dialect.Phrase{
			phrase("writes a file or a variable", "INTO"),
			phrase("assigns a variable", ":="),
			phrase("takes row locks", "FOR", "UPDATE"),
			phrase("takes row locks", "FOR", "SHARE"),
			phrase("takes row locks", "LOCK", "IN", "SHARE", "MODE"),
			phrase("advances a sequence", "NEXT", "VALUE", "FOR"),
		},
		Functions: slices.Concat(
			dialect.Rules("takes or frees a lock", "get_lock", "release_lock", "release_all_locks"),
			dialect.Rules("waits instead of reading", "sleep", "benchmark", "master_pos_wait", "source_pos_wait"),
			dialect.Rules("reads a file of the server", "load_file"),
			dialect.Rules("changes session state", "last_insert_id", "setval", "nextval", "lastval"),
		),
	}
}

func mysqlForms() map[dialect.Form]string {
	f := standard(map[dialect.Form]string{
		dialect.SafeDivide:     "(({a} * 1e0) / NULLIF({b}, 0))",
		dialect.NullSafeEqual:  "({a} <=> {b})",
		dialect.Contains:       "(LOCATE(LOWER({p}), LOWER({x})) > 0)",
		dialect.StartsWith:     "(LEFT(LOWER({x}), CHAR_LENGTH({p})) = LOWER({p}))",
		dialect.EndsWith:       "(RIGHT(LOWER({x}), CHAR_LENGTH({p})) = LOWER({p}))",
		dialect.Like:           `({x} LIKE {p} ESCAPE '\\')`,
		dialect.ILike:          `(LOWER({x}) LIKE LOWER({p}) ESCAPE '\\')`,
		dialect.Avg:            "AVG({x} * 1e0)",
		dialect.StringAgg:      "GROUP_CONCAT({x} ORDER BY {x} SEPARATOR {sep})",
		dialect.AscNullsLast:   "{x} IS NULL, {x} ASC",
		dialect.AscNullsFirst:  "{x} IS NOT NULL, {x} ASC",
		dialect.DescNullsLast:  "{x} IS NULL, {x} DESC",
		dialect.DescNullsFirst: "{x} IS NOT NULL, {x} DESC",
		dialect.ToZone:         "CONVERT_TZ({x}, '+00:00', {zone})",
		dialect.ToUTC:          "CONVERT_TZ({x}, {zone}, '+00:00')",
		dialect.ZoneProbe:      "CONVERT_TZ(UTC_TIMESTAMP(), '+00:00', {zone})",
		dialect.EpochSeconds:   "(TIMESTAMP '1970-01-01 00:00:00' + INTERVAL {x} SECOND)",
		dialect.Now:            "UTC_TIMESTAMP(6)",
	})
	perGrain(f, dialect.Trunc, map[dialect.Grain]string{
		dialect.Second:  "CAST(DATE_FORMAT({x}, '%Y-%m-%d %H:%i:%s') AS DATETIME)",
		dialect.Minute:  "CAST(DATE_FORMAT({x}, '%Y-%m-%d %H:%i:00') AS DATETIME)",
		dialect.Hour:    "CAST(DATE_FORMAT({x}, '%Y-%m-%d %H:00:00') AS DATETIME)",
		dialect.Day:     "DATE({x})",
		dialect.Week:    "DATE_SUB(DATE({x}), INTERVAL WEEKDAY({x}) DAY)",
		dialect.Month:   "CAST(DATE_FORMAT({x}, '%Y-%m-01') AS DATE)",
		dialect.Quarter: "(MAKEDATE(YEAR({x}), 1) + INTERVAL (QUARTER({x}) - 1) QUARTER)",
		dialect.Year:    "MAKEDATE(YEAR({x}), 1)",
	})
	for g, unit := range units {
		f[dialect.Add(g)] = "DATE_ADD({x}, INTERVAL {n} " + unit + ")"
		f[dialect.Spine(g)] = "WITH RECURSIVE spine (period) AS (SELECT {from} UNION ALL SELECT DATE_ADD(period, INTERVAL 1 " + unit +
			") FROM spine WHERE DATE_ADD(period, INTERVAL 1 " + unit + ") <= {to}) SELECT period FROM spine"
	}
	return f
}

// units are the grains as most engines spell them.
var units = map[dialect.Grain]string{
	dialect.Second: "SECOND", dialect.Minute: "MINUTE", dialect.Hour: "HOUR", dialect.Day: "DAY",
	dialect.Week: "WEEK", dialect.Month: "MONTH", dialect.Quarter: "QUARTER", dialect.Year: "YEAR",
}
