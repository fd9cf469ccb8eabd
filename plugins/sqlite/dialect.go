package sqlite

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// Dialects returns SQLite's SQL as data. The library is compiled in, so that
// one value fits every session.
func Dialects() []dialect.Dialect {
	return []dialect.Dialect{{
		Name: "sqlite",

		Namespace:     []string{"schema"},
		DefaultSchema: "main",
		Folding:       dialect.FoldInsensitive,
		Identifier:    dialect.Quote{Open: `"`, Close: `"`, Doubled: true},
		String:        dialect.Quote{Open: "'", Close: "'", Doubled: true},
		Reserved:      strings.Fields(reservedWords),
		Lexis:         dialectLexis(),
		Guard:         dialectGuard(),

		Limit:           dialect.LimitOffset,
		Parameter:       dialect.ParameterQuestion,
		NullsAscending:  dialect.NullsFirst,
		NullsDescending: dialect.NullsLast,
		Boolean:         dialect.BooleanInteger,
		IntegerDivision: dialect.DivisionTruncates,
		Zones:           dialect.ZoneOffset,

		Types:     dialectTypes(),
		Forms:     dialectForms(),
		Functions: dialectFunctions(),
		Notes: []string{
			"Double quotes are for names only: a text literal takes single quotes.",
			"Dates and times are text, integers or reals; date functions understand ISO 8601 text. Compare text dates in one format.",
			"LIKE, ILIKE, lower and upper ignore case for ASCII letters only; LIKE is not case-sensitive.",
			"PRAGMA reads the schema (table_list, table_info(t), index_list(t), foreign_key_list(t)) and settings without a value; SELECT * FROM pragma_table_info('t') joins and filters it.",
			"Time zones are fixed offsets such as '+02:00'; there is no daylight saving.",
			"There is no exact decimal type: NUMERIC holds integers and doubles.",
			"Timestamps are compared to the second.",
		},
	}}
}

// Source: https://sqlite.org/lang_keywords.html, without the keywords that the
// parser accepts as a column name and as an alias.
const reservedWords = `ADD ALL ALTER AND AS AUTOINCREMENT BETWEEN CASE CAST CHECK COLLATE COMMIT CONSTRAINT CREATE CROSS
	CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DEFAULT DEFERRABLE DELETE DISTINCT DROP ELSE ESCAPE EXCEPT EXISTS
	FOREIGN FROM FULL GLOB GROUP HAVING IF IN INDEX INDEXED INNER INSERT INTERSECT INTO IS ISNULL JOIN LEFT LIKE LIMIT
	MATCH NATURAL NOT NOTHING NOTNULL NULL ON OR ORDER OUTER PRIMARY RAISE REFERENCES REGEXP RETURNING RIGHT SELECT SET
	TABLE THEN TO TRANSACTION UNION UNIQUE UPDATE USING VALUES WHEN WHERE`

// Source: tokenize.c of SQLite 3.53.
func dialectLexis() dialect.Lexis {
	return dialect.Lexis{
		Strings: []dialect.Quote{
			{Open: "'", Close: "'", Doubled: true},
			{Prefix: "X", Open: "'", Close: "'"},
		},
		Identifiers: []dialect.Quote{
			{Open: `"`, Close: `"`, Doubled: true},
			{Open: "`", Close: "`", Doubled: true},
			{Open: "[", Close: "]"},
		},
		StringTables:    true,
		LineComments:    []dialect.LineComment{{Open: "--"}},
		BlockComments:   []dialect.BlockComment{{Open: "/*", Close: "*/"}},
		IdentifierPart:  "$",
		Spaces:          "\uFEFF",
		Parameters:      []string{"?", ":", "@", "$"},
		EmptyStatements: true,

		ParameterSuffixes: true,
	}
}

func dialectGuard() dialect.Guard {
	return dialect.Guard{
		Statements: []dialect.Statement{
			{Words: []string{"SELECT"}, Kind: dialect.StatementQuery},
			{Words: []string{"VALUES"}, Kind: dialect.StatementQuery},
			{Words: []string{"WITH"}, Kind: dialect.StatementWith},
			{Words: []string{"EXPLAIN"}, Kind: dialect.StatementExplain, Options: []string{"QUERY", "PLAN"}},
			{Words: []string{"PRAGMA"}, Kind: dialect.StatementShow},
		},
		Phrases: []dialect.Phrase{{Words: []string{"INTO"}, Reason: "names a table or file to write to"}},
		Functions: slices.Concat(
			dialect.Rules("loads code into the process", "load_extension", "fts3_tokenizer"),
			dialect.Rules("reads or writes files", "readfile", "writefile", "edit", "fsdir", "lsmode", "zipfile"),
			dialect.Rules("rewrites a full-text index", "optimize"),
			dialect.Rules("runs a PRAGMA that changes something", changingPragmas()...),
		),
		Relations: slices.Concat(
			dialect.Rules("shows raw pages past every rule about tables", "sqlite_dbpage", "sqlite_dbdata", "sqlite_dbptr"),
			dialect.Rules("reads or writes files", "fsdir", "zipfile"),
			dialect.Rules("runs a PRAGMA that changes something", changingPragmas()...),
		),
	}
}

// changingPragmas are the table-valued forms of pragmas that do more than tell.
func changingPragmas() []string {
	return []string{
		"pragma_optimize", "pragma_wal_checkpoint", "pragma_incremental_vacuum", "pragma_journal_*",
		"pragma_locking_mode", "pragma_shrink_memory",
	}
}
