package postgres

import (
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// Dialects returns PostgreSQL's SQL as data: one dialect for every version that
// the connector supports.
func Dialects() []dialect.Dialect {
	return []dialect.Dialect{{
		Name: "postgres",

		Namespace:          []string{"schema"},
		DefaultSchema:      "public",
		MaxIdentifierBytes: 63,
		Folding:            dialect.FoldLower,
		Identifier:         dialect.Quote{Open: `"`, Close: `"`, Doubled: true},
		String:             dialect.Quote{Open: "'", Close: "'", Doubled: true},
		Reserved:           strings.Fields(reservedWords),
		Lexis:              dialectLexis(),
		Guard:              dialectGuard(),

		Limit:           dialect.LimitOffset,
		Parameter:       dialect.ParameterDollar,
		NullsAscending:  dialect.NullsLast,
		NullsDescending: dialect.NullsFirst,
		Boolean:         dialect.BooleanNative,
		IntegerDivision: dialect.DivisionTruncates,
		Zones:           dialect.ZoneIANA,

		Types:     dialectTypes(),
		Forms:     dialectForms(),
		Functions: dialectFunctions(),
		Notes: []string{
			"Unquoted names fold to lower case; quote a name with capitals: \"OrderId\".",
			"NULL in a UNION needs a type: CAST(NULL AS numeric).",
			"FULL JOIN works with plain equalities only.",
			"EXPLAIN ANALYZE runs the query that it explains.",
			"lower, upper and ILIKE follow the locale of the database; in the locale C they know ASCII letters only.",
		},
	}}
}

// Source: the key words marked reserved or reserved (can be function or type) in
// the manual's appendix C, for versions 12 to 18.
const reservedWords = `ALL ANALYSE ANALYZE AND ANY ARRAY AS ASC ASYMMETRIC AUTHORIZATION BINARY BOTH CASE CAST CHECK COLLATE
	COLLATION COLUMN CONCURRENTLY CONSTRAINT CREATE CROSS CURRENT_CATALOG CURRENT_DATE CURRENT_ROLE CURRENT_SCHEMA
	CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER DEFAULT DEFERRABLE DESC DISTINCT DO ELSE END EXCEPT FALSE FETCH FOR
	FOREIGN FREEZE FROM FULL GRANT GROUP HAVING ILIKE IN INITIALLY INNER INTERSECT INTO IS ISNULL JOIN LATERAL LEADING
	LEFT LIKE LIMIT LOCALTIME LOCALTIMESTAMP NATURAL NOT NOTNULL NULL OFFSET ON ONLY OR ORDER OUTER OVERLAPS PLACING
	PRIMARY REFERENCES RETURNING RIGHT SELECT SESSION_USER SIMILAR SOME SYMMETRIC SYSTEM_USER TABLE TABLESAMPLE THEN TO
	TRAILING TRUE UNION UNIQUE USER USING VARIADIC VERBOSE WHEN WHERE WINDOW WITH`

// Source: the manual's section 4.1 and scan.l. A plain literal has no backslash
// escapes because the session sets standard_conforming_strings on.
func dialectLexis() dialect.Lexis {
	return dialect.Lexis{
		Strings: []dialect.Quote{
			{Open: "'", Close: "'", Doubled: true},
			{Prefix: "E", Open: "'", Close: "'", Doubled: true, Backslash: true},
			{Prefix: "N", Open: "'", Close: "'", Doubled: true},
			{Prefix: "B", Open: "'", Close: "'", Doubled: true},
			{Prefix: "X", Open: "'", Close: "'", Doubled: true},
			{Prefix: "U&", Open: "'", Close: "'", Doubled: true},
		},
		Identifiers: []dialect.Quote{
			{Open: `"`, Close: `"`, Doubled: true},
			{Prefix: "U&", Open: `"`, Close: `"`, Doubled: true},
		},
		ContinuedStrings: true,
		DollarStrings:    true,
		LineComments:     []dialect.LineComment{{Open: "--"}},
		BlockComments:    []dialect.BlockComment{{Open: "/*", Close: "*/", Nested: true}},
		IdentifierPart:   "$",
		Parameters:       []string{"$"},
		EmptyStatements:  true,
	}
}
