package clickhouse

import (
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// modern is the first version with window functions, CTEs, DateTime64 and the
// combinator OrNull, all of which the dialect of today builds on.
const modern = "21.3"

// Dialects returns ClickHouse's SQL as data: today's, that of the servers before 21.3,
// and today's again for a server whose version is not known. All are written for a
// session with readonly = 1, which allows no settings: what join_use_nulls and
// aggregate_functions_null_for_empty would do stands in the forms. The old one has no
// functions, by which a compiler knows that it is not to be written: without CTEs
// there is no semantic query.
func Dialects() []dialect.Dialect {
	today := base()
	today.Lexis, today.Guard = todayLexis(), todayGuard()
	today.Types, today.Forms, today.Functions = todayTypes(), todayForms(), todayFunctions()
	today.Parameter = dialect.ParameterAt
	unknown := today
	today.MinVersion = modern

	old := base()
	old.MaxVersion = modern
	old.Lexis, old.Guard = oldLexis(), oldGuard()
	old.Types, old.Forms = oldTypes(), oldForms()
	old.Notes = append(old.Notes,
		"Before version 21.3 there are no window functions, no CTEs (WITH names expressions only) and so no semantic layer, no ILIKE, and times are of whole seconds from 1970 on.")
	return []dialect.Dialect{today, old, unknown}
}

// base is what all versions have in common.
func base() dialect.Dialect {
	return dialect.Dialect{
		Name:          "clickhouse",
		Namespace:     []string{"schema"},
		DefaultSchema: "default",
		Folding:       dialect.FoldNone,
		Identifier:    dialect.Quote{Open: "`", Close: "`", Backslash: true},
		String:        dialect.Quote{Open: "'", Close: "'", Doubled: true, Backslash: true},
		Reserved:      strings.Fields(reservedWords),

		Limit:           dialect.LimitOffset,
		Parameter:       dialect.ParameterNone,
		NullsAscending:  dialect.NullsLast,
		NullsDescending: dialect.NullsLast,
		Boolean:         dialect.BooleanInteger,
		IntegerDivision: dialect.DivisionFloat,
		Zones:           dialect.ZoneIANA,
		Notes: []string{
			"Names are case-sensitive, quoted or not.",
			"A column holds NULL only if its type is Nullable(…); an outer join fills the others with 0, '' or 1970-01-01: write toNullable(x) or compare with the key of the other side.",
			"Sums and products of whole numbers wrap around at 64 bits without an error: sum(toInt128(x)) and toInt128(x) * y do not.",
			"Lengths, counts and positions are unsigned: toInt64(length(x)) may stand beside a negative number.",
			"A literal such as 1.5 is a float; % of two decimals is wrong when their scales differ, and if and CASE with two branches take decimals of one scale only: cast both.",
			"A DateTime is an instant; its time zone says how it is printed and cut into days.",
			"The primary key is a sorting order: its values may repeat.",
			"LIMIT n BY x gives the first n rows of each x.",
			"The row of WITH TOTALS is not part of a result.",
		},
	}
}

// Source: the words that an alias without AS cannot be, in the server's
// ParserAlias.cpp, and those that begin an expression.
const reservedWords = `ALL AND ANTI ANY ARRAY AS ASC ASCENDING ASOF BETWEEN BY CASE CAST COLLATE CROSS DESC DESCENDING DISTINCT
	ELSE END EXCEPT FINAL FORMAT FROM FULL GLOBAL GROUP HAVING ILIKE IN INNER INTERSECT INTERVAL INTO IS JOIN LEFT LIKE LIMIT
	NOT NULL OFFSET ON OR ORDER PREWHERE RIGHT SAMPLE SELECT SEMI SETTINGS THEN UNION USING WHEN WHERE WINDOW WITH QUALIFY`

func todayLexis() dialect.Lexis {
	x := oldLexis()
	x.Strings = append(x.Strings,
		dialect.Quote{Prefix: "X", Open: "'", Close: "'", Doubled: true, Backslash: true},
		dialect.Quote{Prefix: "B", Open: "'", Close: "'", Doubled: true, Backslash: true})
	x.DollarStrings = true
	x.Parameters = []string{"@"}
	x.DigitIdentifiers = true
	x.BlockComments = []dialect.BlockComment{{Open: "/*", Close: "*/", Nested: true}}
	x.Spaces = "\u00A0\u2003\u3000\uFEFF"
	return x
}

// Source: the server's Lexer.cpp; tried with 18.16 and 26.7.
func oldLexis() dialect.Lexis {
	return dialect.Lexis{
		Strings: []dialect.Quote{{Open: "'", Close: "'", Doubled: true, Backslash: true}},
		Identifiers: []dialect.Quote{
			{Open: "`", Close: "`", Doubled: true, Backslash: true},
			{Open: `"`, Close: `"`, Doubled: true, Backslash: true},
		},
		IdentifierPart: "$",
		// Old servers know no "#": where they would report an error, the guard takes
		// it for the comment that it is to all others.
		LineComments:    []dialect.LineComment{{Open: "--"}, {Open: "//"}, {Open: "#!"}, {Open: "#", NeedsSpace: true}},
		BlockComments:   []dialect.BlockComment{{Open: "/*", Close: "*/"}},
		EmptyStatements: true,
	}
}
