package sqlserver

import (
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// The product, as ServerInfo names it, and the edition of Azure SQL Database.
const (
	product       = "Microsoft SQL Server"
	azureDatabase = "5"
)

// Dialects returns the SQL of SQL Server 2022 and of older ones, as data, with
// QUOTED_IDENTIFIER on.
func Dialects() []dialect.Dialect {
	old := base()
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
	newer := base()
	newer.Product, newer.MinVersion = product, "16"
	newer.Forms[dialect.NullSafeEqual] = "({a} IS NOT DISTINCT FROM {b})"
	perGrain(newer.Forms, dialect.Trunc, map[dialect.Grain]string{
		dialect.Second: "DATETRUNC(second, {x})", dialect.Minute: "DATETRUNC(minute, {x})", dialect.Hour: "DATETRUNC(hour, {x})",
		dialect.Day: "CAST({x} AS date)", dialect.Week: "CAST(DATETRUNC(iso_week, {x}) AS date)",
		dialect.Month:   "DATETRUNC(month, CAST({x} AS date))",
		dialect.Quarter: "DATETRUNC(quarter, CAST({x} AS date))", dialect.Year: "DATETRUNC(year, CAST({x} AS date))",
	})
	return []dialect.Dialect{newer, old}
}

func base() dialect.Dialect {
	return dialect.Dialect{
		Name:          "sqlserver",
		Namespace:     []string{"catalog", "schema"},
		DefaultSchema: "dbo",

		MaxIdentifierBytes: 128, // characters, in truth
		Folding:            dialect.FoldInsensitive,
		Identifier:         bracket,
		String:             unicode,
		Lexis: dialect.Lexis{
			Strings:         []dialect.Quote{single, unicode},
			Identifiers:     []dialect.Quote{bracket, {Open: `"`, Close: `"`, Doubled: true}},
			LineComments:    []dialect.LineComment{{Open: "--"}},
			BlockComments:   []dialect.BlockComment{{Open: "/*", Close: "*/", Nested: true}},
			IdentifierStart: "#",
			IdentifierPart:  "#@$",
			Parameters:      []string{"@", "@@"},
			EmptyStatements: true,
		},
		Guard:           guard(),
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
			"decimal": "decimal(38,10)", "date": "date", "time": "time(7)", "timestamp": "datetime2(7)",
			"timestamp_tz": "datetimeoffset(7)", "uuid": "uniqueidentifier",
		},
		Forms:     forms(),
		Functions: functions(),
		Notes: []string{
			"=, IN, GROUP BY, DISTINCT, joins and the order of text follow the collation of a column, and most disregard case, some accents, and all space at the end: COLLATE Latin1_General_100_BIN2 tells case and accents apart.",
			"There is no boolean: a BIT is 0 or 1, and a predicate is no value.",
			"LIMIT is TOP (n), or OFFSET … ROWS FETCH NEXT … ROWS ONLY behind an ORDER BY; columns in GROUP BY have no numbers.",
		},
		OrderedSubqueryNeedsLimit: true,
		MaxDecimalDigits:          38,
	}
}

var (
	single  = dialect.Quote{Open: "'", Close: "'", Doubled: true}
	unicode = dialect.Quote{Prefix: "N", Open: "'", Close: "'", Doubled: true}
	bracket = dialect.Quote{Open: "[", Close: "]", Doubled: true}
)

// quote writes a name, literal a text.
func quote(name string) string   { return "[" + strings.ReplaceAll(name, "]", "]]") + "]" }
func literal(text string) string { return "N'" + strings.ReplaceAll(text, "'", "''") + "'" }
