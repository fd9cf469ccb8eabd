package engine

import (
	"slices"

	"github.com/loam-data/loam/sdk/dialect"
)

// SQLServer describes SQL Server 2022 and older ones, with QUOTED_IDENTIFIER on.
func SQLServer() []dialect.Dialect {
	old := sqlServer()
	perGrain(old.Forms, dialect.Trunc, map[dialect.Grain]string{
		dialect.Second: "DATEADD(second, DATEDIFF(second, '20000101', {x}), CAST('20000101' AS datetime2(0)))",
		dialect.Minute: "DATEADD(minute, DATEDIFF(minute, 0, {x}), 0)",
		dialect.Hour:   "DATEADD(hour, DATEDIFF(hour, 0, {x}), 0)",
		dialect.Day:    "CAST({x} AS date)",
		// DATEDIFF(week, …) counts Sundays, whatever DATEFIRST says.
		dialect.Week:    "DATEADD(day, -(DATEDIFF(day, '19000101', CAST({x} AS date)) % 7), CAST({x} AS date))",
		dialect.Month:   "DATEFROMPARTS(YEAR({x}), MONTH({x}), 1)",
		dialect.Quarter: "DATEFROMPARTS(YEAR({x}), DATEPART(quarter, {x}) * 3 - 2, 1)",
		dialect.Year:    "DATEFROMPARTS(YEAR({x}), 1, 1)",
	})
	newer := sqlServer()
	newer.Product, newer.MinVersion = "Microsoft SQL Server", "16"
	newer.Forms[dialect.NullSafeEqual] = "({a} IS NOT DISTINCT FROM {b})"
	perGrain(newer.Forms, dialect.Trunc, map[dialect.Grain]string{
		dialect.Second: "DATETRUNC(second, {x})", dialect.Minute: "DATETRUNC(minute, {x})", dialect.Hour: "DATETRUNC(hour, {x})",
		dialect.Day: "CAST({x} AS date)", dialect.Week: "CAST(DATETRUNC(iso_week, {x}) AS date)",
		dialect.Month:   "DATETRUNC(month, CAST({x} AS date))",
		dialect.Quarter: "DATETRUNC(quarter, CAST({x} AS date))", dialect.Year: "DATETRUNC(year, CAST({x} AS date))",
	})
	return []dialect.Dialect{newer, old}
}

func sqlServer() dialect.Dialect {
	return dialect.Dialect{
		Name:          "sqlserver",
		Namespace:     []string{"catalog", "schema"},
		DefaultSchema: "dbo",

		MaxIdentifierBytes: 128, // characters, in truth
		Folding:            dialect.FoldInsensitive,
		Identifier:         dialect.Quote{Open: "[", Close: "]", Doubled: true},
		String:             prefixed("N", single),
		Lexis: dialect.Lexis{
			Strings:         []dialect.Quote{single, prefixed("N", single)},
			Identifiers:     []dialect.Quote{{Open: "[", Close: "]", Doubled: true}, double},
			LineComments:    []dialect.LineComment{dashes},
			BlockComments:   []dialect.BlockComment{nested},
			IdentifierStart: "#",
			IdentifierPart:  "#@$",
			Parameters:      []string{"@", "@@"},
			EmptyStatements: true,
		},
		Guard:           sqlServerGuard(),
		Limit:           dialect.LimitTop,
		Parameter:       dialect.ParameterAt,
		NullsAscending:  dialect.NullsFirst,
		NullsDescending: dialect.NullsLast,
		Boolean:         dialect.BooleanNone,
		IntegerDivision: dialect.DivisionTruncates,
		Zones:           dialect.ZoneWindows,
		TopLevelWith:    true,
		Types: map[string]string{
			"bool": "bit", "int64": "bigint", "float64": "float", "text": "nvarchar(max)", "bytes": "varbinary(max)",
			"decimal": "decimal(38,10)", "date": "date", "time": "time(6)", "timestamp": "datetime2(6)",
			"timestamp_tz": "datetimeoffset(6)", "uuid": "uniqueidentifier",
		},
		Forms: sqlServerForms(),
	}
}

func sqlServerGuard() dialect.Guard {
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
		Statements:  []dialect.Statement{query("SELECT"), with()},
		Phrases:     phrases,
		Functions: slices.Concat(
			dialect.Rules("reaches other servers or files", "openrowset", "openquery", "opendatasource"),
			dialect.Rules("reads server files", "fn_get_audit_file", "fn_xe_file_target_read_file", "fn_trace_gettable"),
		),
		Relations: dialect.Rules("shows password hashes", "sql_logins", "syslogins"),
	}
}

func sqlServerForms() map[dialect.Form]string {
	f := standard(map[dialect.Form]string{
		dialect.TryCast:       "TRY_CAST({x} AS {type})",
		dialect.True:          "1",
		dialect.False:         "0",
		dialect.BoolValue:     "CASE WHEN {p} THEN 1 WHEN NOT {p} THEN 0 END",
		dialect.BoolTest:      "({x} = 1)",
		dialect.SafeDivide:    "(CAST({a} AS float) / NULLIF({b}, 0))",
		dialect.NullSafeEqual: "EXISTS (SELECT {a} INTERSECT SELECT {b})",
		dialect.Contains:      "(CHARINDEX(LOWER({p}), LOWER({x})) > 0)",
		// LEN and = take no notice of trailing spaces, CHARINDEX does; it does not
		// find an empty text, hence the mark.
		dialect.StartsWith:     "(CHARINDEX(LOWER('|' + {p}), LOWER('|' + {x})) = 1)",
		dialect.EndsWith:       "(CHARINDEX(REVERSE(LOWER({p} + '|')), REVERSE(LOWER({x} + '|'))) = 1)",
		dialect.Like:           `({x} LIKE REPLACE({p}, '[', '\[') ESCAPE '\')`,
		dialect.ILike:          `(LOWER({x}) LIKE REPLACE(LOWER({p}), '[', '\[') ESCAPE '\')`,
		dialect.Avg:            "AVG(CAST({x} AS float))",
		dialect.SumOf("int64"): "SUM(CAST({x} AS bigint))",
		dialect.ApproxDistinct: "APPROX_COUNT_DISTINCT({x})",
		dialect.StringAgg:      "STRING_AGG({x}, {sep}) WITHIN GROUP (ORDER BY {x})",
		dialect.AscNullsLast:   "CASE WHEN {x} IS NULL THEN 1 ELSE 0 END, {x} ASC",
		dialect.AscNullsFirst:  "CASE WHEN {x} IS NULL THEN 0 ELSE 1 END, {x} ASC",
		dialect.DescNullsLast:  "CASE WHEN {x} IS NULL THEN 1 ELSE 0 END, {x} DESC",
		dialect.DescNullsFirst: "CASE WHEN {x} IS NULL THEN 0 ELSE 1 END, {x} DESC",
		dialect.ToZone:         "CAST({x} AT TIME ZONE 'UTC' AT TIME ZONE {zone} AS datetime2(6))",
		dialect.ToUTC:          "CAST({x} AT TIME ZONE {zone} AT TIME ZONE 'UTC' AS datetime2(6))",
		dialect.InstantToZone:  "CAST({x} AT TIME ZONE {zone} AS datetime2(6))",
		dialect.ZoneProbe:      "(SELECT MIN(name) FROM sys.time_zone_info WHERE name = {zone})",
		// DATEADD takes an int: days first, or 2038 is the end.
		dialect.EpochSeconds: "DATEADD(second, {x} % 86400, DATEADD(day, {x} / 86400, CAST('19700101' AS datetime2(0))))",
		dialect.EpochMillis:  "DATEADD(millisecond, {x} % 86400000, DATEADD(day, {x} / 86400000, CAST('19700101' AS datetime2(3))))",
		dialect.TextISO:      "CAST(SWITCHOFFSET(CAST({x} AS datetimeoffset(6)), '+00:00') AS datetime2(6))",
		dialect.Now:          "SYSUTCDATETIME()",
		dialect.Sample:       "{table} TABLESAMPLE SYSTEM ({percent} PERCENT)",
		dialect.HashOrder:    "HASHBYTES('MD5', CAST({x} AS nvarchar(4000)))",
		dialect.Inline:       "(VALUES {rows}) AS {name} ({columns})",
	})
	for g, unit := range units {
		f[dialect.Add(g)] = "DATEADD(" + unit + ", {n}, {x})"
		f[dialect.Spine(g)] = "SELECT TOP (DATEDIFF(" + unit + ", {from}, {to}) + 1) DATEADD(" + unit +
			", ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) - 1, {from}) AS period FROM sys.all_columns a CROSS JOIN sys.all_columns b"
	}
	return f
}
