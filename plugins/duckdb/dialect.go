package duckdb

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// Dialects returns DuckDB's SQL as data. The library is compiled in, so that one
// value fits every session.
func Dialects() []dialect.Dialect {
	return []dialect.Dialect{{
		Name: "duckdb",

		Namespace:     []string{"catalog", "schema"},
		DefaultSchema: "main",
		Folding:       dialect.FoldInsensitive,
		Identifier:    dialect.Quote{Open: `"`, Close: `"`, Doubled: true},
		String:        dialect.Quote{Open: "'", Close: "'", Doubled: true},
		Reserved:      strings.Fields(reservedWords),
		Lexis:         dialectLexis(),
		Guard:         dialectGuard(),

		Limit:           dialect.LimitOffset,
		Parameter:       dialect.ParameterDollar,
		NullsAscending:  dialect.NullsLast,
		NullsDescending: dialect.NullsLast,
		Boolean:         dialect.BooleanNative,
		IntegerDivision: dialect.DivisionFloat,
		Zones:           dialect.ZoneIANA,

		Types:     dialectTypes(),
		Forms:     dialectForms(),
		Functions: dialectFunctions(),
		Notes: []string{
			"Double quotes are for names, single quotes for text.",
			"int / int is a float; // divides integers.",
			"FROM t is a whole statement; SUMMARIZE t and DESCRIBE t tell about a table.",
			"Files cannot be named in SQL: the configured folders are tables of the schema files.",
			"A STRUCT's field is s.field, a LIST's first element l[1], a MAP's value m['key']; unnest(l) makes rows of a list.",
			"NULL sorts last in both directions.",
			"EXPLAIN ANALYZE runs the query that it explains.",
		},
	}}
}

// Source: duckdb_keywords() of DuckDB 1.5, the category "reserved", and those of
// "type_function", which cannot be the name of a column without quotes either.
const reservedWords = `ALL ANALYSE ANALYZE AND ANTI ANY ARRAY AS ASC ASOF ASYMMETRIC AT AUTHORIZATION BINARY BOTH BY CASE CAST CHECK
	COLLATE COLLATION COLUMN COLUMNS CONCURRENTLY CONSTRAINT CREATE CROSS DEFAULT DEFERRABLE DESC DESCRIBE
	DISTINCT DO ELSE END EXCEPT FALSE FETCH FOR FOREIGN FREEZE FROM FULL GENERATED GLOB GROUP HAVING ILIKE IN
	INITIALLY INNER INTERSECT INTO IS ISNULL JOIN LAMBDA LATERAL LEADING LEFT LIKE LIMIT MAP NATURAL NOT NOTNULL
	NULL OFFSET ON ONLY OR ORDER OUTER OVERLAPS PIVOT PIVOT_LONGER PIVOT_WIDER PLACING POSITIONAL PRIMARY QUALIFY
	REFERENCES RETURNING RIGHT SELECT SEMI SHOW SIMILAR SOME STRUCT SUMMARIZE SYMMETRIC TABLE TABLESAMPLE THEN TO
	TRAILING TRUE TRY_CAST UNION UNIQUE UNPACK UNPIVOT USING VARIADIC VERBOSE WHEN WHERE WINDOW WITH`

// Source: third_party/libpg_query/scan.l of DuckDB, and StripUnicodeSpaces.
func dialectLexis() dialect.Lexis {
	quoted := dialect.Quote{Open: "'", Close: "'", Doubled: true}
	with := func(prefix string, backslash bool) dialect.Quote {
		q := quoted
		q.Prefix, q.Backslash = prefix, backslash
		return q
	}
	return dialect.Lexis{
		Strings:          []dialect.Quote{quoted, with("E", true), with("X", false), with("B", false)},
		Identifiers:      []dialect.Quote{{Open: `"`, Close: `"`, Doubled: true}},
		ContinuedStrings: true,
		StringTables:     true,
		DollarStrings:    true,
		LineComments:     []dialect.LineComment{{Open: "--"}},
		BlockComments:    []dialect.BlockComment{{Open: "/*", Close: "*/", Nested: true}},
		IdentifierPart:   "$",
		Spaces:           "\u00A0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u202F\u205F\u3000\u200B",
		Parameters:       []string{"?", "$"},
		EmptyStatements:  true,
	}
}

func dialectGuard() dialect.Guard {
	query := func(word string) dialect.Statement {
		return dialect.Statement{Words: []string{word}, Kind: dialect.StatementQuery}
	}
	return dialect.Guard{
		Statements: []dialect.Statement{
			query("SELECT"), query("VALUES"), query("FROM"), query("TABLE"), query("PIVOT"), query("UNPIVOT"),
			query("DESCRIBE"), query("DESC"), query("SUMMARIZE"), query("SHOW"),
			{Words: []string{"WITH"}, Kind: dialect.StatementWith},
			{Words: []string{"EXPLAIN"}, Kind: dialect.StatementExplain, Options: []string{"ANALYZE", "ANALYSE", "FORMAT", "JSON", "TEXT"}},
			{Words: []string{"PRAGMA"}, Kind: dialect.StatementShow},
		},
		Phrases: append(described(), dialect.Phrase{Words: []string{"INTO"}, Reason: "names a table to write to"}),
		Functions: slices.Concat(
			dialect.Rules("reads or writes files", "read_*", "parquet_*", "sniff_csv", "glob", "*_scan", "arrow_scan*"),
			dialect.Rules("waits and does nothing else", "sleep_ms", "pg_sleep"),
			dialect.Rules("reads the process's environment", "getenv"),
			effects(),
		),
		Relations: dialect.Rules("looks for credentials", "duckdb_secrets"),
	}
}

// described are the writes that words about a query or a table would be about.
func described() []dialect.Phrase {
	var all []dialect.Phrase
	for _, word := range []string{"DESCRIBE", "DESC", "SUMMARIZE", "SHOW"} {
		for _, verb := range strings.Fields("INSERT UPDATE DELETE TRUNCATE MERGE CREATE ALTER DROP COPY ATTACH DETACH CALL SET USE EXECUTE") {
			all = append(all, dialect.Phrase{Words: []string{word, verb}, Reason: "is about a statement that writes"})
		}
	}
	return all
}

// effects are the functions that do more than compute, and that neither
// access_mode nor the fence stops. Views and macros must not call them either.
// Source: duckdb_functions() of DuckDB 1.5; a test checks that none is left out.
func effects() []dialect.FunctionRule {
	return slices.Concat(
		dialect.Rules("runs SQL that the guard cannot see", "query", "query_table", "json_execute_serialized_sql"),
		dialect.Rules("advances a sequence", "nextval", "setval"),
		dialect.Rules("prints or writes what statements do", "enable_profiling", "disable_profiling", "enable_logging", "disable_logging",
			"write_log", "truncate_duckdb_logs"),
		dialect.Rules("writes the database's file", "checkpoint", "force_checkpoint"),
		dialect.Rules("changes the session", "setseed", "enable_peg_parser", "disable_peg_parser", "add_parquet_key"),
		dialect.Rules("looks for credentials", "duckdb_secrets", "which_secret"),
	)
}
