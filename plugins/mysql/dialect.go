package mysql

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// The products, as ServerInfo names them.
const (
	productMySQL   = "MySQL"
	productMariaDB = "MariaDB"
)

// Dialects returns the SQL of MariaDB, of MySQL and of what else speaks their
// protocol, as data. The values hold for a session of this connector, which
// fixes the sql_mode, the time zone and the limits that some forms rely on.
func Dialects() []dialect.Dialect {
	mariaDB := base(productMariaDB)
	mariaDB.Guard.Statements = slices.DeleteFunc(mariaDB.Guard.Statements, func(s dialect.Statement) bool { return s.Words[0] == "TABLE" })
	mariaDB.Reserved = append(mariaDB.Reserved, strings.Fields(reservedByMariaDB)...)
	mariaDB.Types["json"], mariaDB.Types["nested_json"], mariaDB.Types["uuid"] = "CHAR", "CHAR", "UUID"
	mariaDB.Forms[dialect.Inline] = "(WITH {name} ({columns}) AS (VALUES {rows}) SELECT * FROM {name}) AS {name}"
	mariaDB.Notes = append(mariaDB.Notes, "JSON is a LONGTEXT with a check: compare parts of it with JSON_VALUE, not ->>.")

	before84 := base(productMySQL)
	before84.MaxVersion = "8.4"
	mysql := base(productMySQL)
	mysql.Reserved = append(mysql.Reserved, "MANUAL", "PARALLEL", "QUALIFY", "TABLESAMPLE")
	other := base("")
	other.Reserved = slices.Clone(mysql.Reserved)
	return []dialect.Dialect{mariaDB, before84, mysql, other}
}

func base(product string) dialect.Dialect {
	return dialect.Dialect{
		Name:    "mysql",
		Product: product,

		Namespace: []string{"schema"},
		// 64 characters, which are up to 3 bytes each; bytes are what is safe.
		MaxIdentifierBytes: 64,
		Folding:            dialect.FoldNone,
		Identifier:         dialect.Quote{Open: "`", Close: "`", Doubled: true},
		String:             dialect.Quote{Open: "'", Close: "'", Doubled: true, Backslash: true},
		Reserved:           strings.Fields(reservedByBoth),
		Lexis:              dialectLexis(),
		Guard:              dialectGuard(),

		Limit:           dialect.LimitOffset,
		Parameter:       dialect.ParameterQuestion,
		NullsAscending:  dialect.NullsFirst,
		NullsDescending: dialect.NullsLast,
		Boolean:         dialect.BooleanInteger,
		IntegerDivision: dialect.DivisionDecimal,
		Zones:           dialect.ZoneAny,

		Types:     dialectTypes(),
		Forms:     dialectForms(),
		Functions: dialectFunctions(),
		Notes: []string{
			"A schema is a database of the server; names of tables may or may not be told apart by case, as the server's lower_case_table_names says.",
			"=, IN, GROUP BY, DISTINCT, joins and the order of text follow the collation of a column, and most disregard case, accents and space at the end: BINARY x = 'a', LIKE BINARY and COLLATE utf8mb4_bin tell them apart.",
			"There is no boolean: TRUE is 1, and TINYINT(1) holds any small number.",
			"Dates may be 0000-00-00 or have a zero month or day.",
			"Times are in UTC; CONVERT_TZ with a zone's name needs the server's time zone tables, without which it is NULL, and leaves times before 1970 and after 2037 as they are.",
			"There is no FULL JOIN.",
		},
	}
}

// Source: the MySQL 8.0 manual, section 9.1.1 to 9.7, and MariaDB's pages
// "Comment syntax" and "Identifier names". The session's sql_mode has neither
// ANSI_QUOTES nor NO_BACKSLASH_ESCAPES.
func dialectLexis() dialect.Lexis {
	escaped := dialect.Quote{Open: "'", Close: "'", Doubled: true, Backslash: true}
	plain := dialect.Quote{Open: "'", Close: "'", Doubled: true}
	prefixed := func(prefix string, q dialect.Quote) dialect.Quote {
		q.Prefix = prefix
		return q
	}
	return dialect.Lexis{
		Strings: []dialect.Quote{
			escaped,
			{Open: `"`, Close: `"`, Doubled: true, Backslash: true},
			prefixed("N", escaped), prefixed("X", plain), prefixed("B", plain),
		},
		Identifiers:   []dialect.Quote{{Open: "`", Close: "`", Doubled: true}},
		LineComments:  []dialect.LineComment{{Open: "--", NeedsSpace: true}, {Open: "#"}},
		BlockComments: []dialect.BlockComment{{Open: "/*", Close: "*/"}},
		// A hint sets variables for the statement, the deadline among them.
		ExecutableComments: []string{"/*!", "/*M!", "/*+"},
		IdentifierStart:    "$",
		IdentifierPart:     "$",
		DigitIdentifiers:   true,
		Parameters:         []string{"?", "@", "@@"},
	}
}

// Source: the words marked (R) in the MySQL 8.0 manual's section 9.3, which
// MariaDB reserves too, or would not mind to see quoted.
const reservedByBoth = `ACCESSIBLE ADD ALL ALTER ANALYZE AND AS ASC ASENSITIVE BEFORE BETWEEN BIGINT BINARY BLOB BOTH BY
	CALL CASCADE CASE CHANGE CHAR CHARACTER CHECK COLLATE COLUMN CONDITION CONSTRAINT CONTINUE CONVERT CREATE CROSS CUBE
	CUME_DIST CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER CURSOR DATABASE DATABASES DAY_HOUR DAY_MICROSECOND
	DAY_MINUTE DAY_SECOND DEC DECIMAL DECLARE DEFAULT DELAYED DELETE DENSE_RANK DESC DESCRIBE DETERMINISTIC DISTINCT
	DISTINCTROW DIV DOUBLE DROP DUAL EACH ELSE ELSEIF EMPTY ENCLOSED ESCAPED EXCEPT EXISTS EXIT EXPLAIN FALSE FETCH
	FIRST_VALUE FLOAT FLOAT4 FLOAT8 FOR FORCE FOREIGN FROM FULLTEXT FUNCTION GENERATED GET GRANT GROUP GROUPING GROUPS
	HAVING HIGH_PRIORITY HOUR_MICROSECOND HOUR_MINUTE HOUR_SECOND IF IGNORE IN INDEX INFILE INNER INOUT INSENSITIVE INSERT
	INT INT1 INT2 INT3 INT4 INT8 INTEGER INTERSECT INTERVAL INTO IO_AFTER_GTIDS IO_BEFORE_GTIDS IS ITERATE JOIN JSON_TABLE
	KEY KEYS KILL LAG LAST_VALUE LATERAL LEAD LEADING LEAVE LEFT LIKE LIMIT LINEAR LINES LOAD LOCALTIME LOCALTIMESTAMP LOCK
	LONG LONGBLOB LONGTEXT LOOP LOW_PRIORITY MASTER_BIND MASTER_SSL_VERIFY_SERVER_CERT MATCH MAXVALUE MEDIUMBLOB MEDIUMINT
	MEDIUMTEXT MIDDLEINT MINUTE_MICROSECOND MINUTE_SECOND MOD MODIFIES NATURAL NOT NO_WRITE_TO_BINLOG NTH_VALUE NTILE NULL
	NUMERIC OF ON OPTIMIZE OPTIMIZER_COSTS OPTION OPTIONALLY OR ORDER OUT OUTER OUTFILE OVER PARTITION PERCENT_RANK
	PRECISION PRIMARY PROCEDURE PURGE RANGE RANK READ READS READ_WRITE REAL RECURSIVE REFERENCES REGEXP RELEASE RENAME
	REPEAT REPLACE REQUIRE RESIGNAL RESTRICT RETURN REVOKE RIGHT RLIKE ROW ROWS ROW_NUMBER SCHEMA SCHEMAS
	SECOND_MICROSECOND SELECT SENSITIVE SEPARATOR SET SHOW SIGNAL SMALLINT SPATIAL SPECIFIC SQL SQLEXCEPTION SQLSTATE
	SQLWARNING SQL_BIG_RESULT SQL_CALC_FOUND_ROWS SQL_SMALL_RESULT SSL STARTING STORED STRAIGHT_JOIN SYSTEM TABLE
	TERMINATED THEN TINYBLOB TINYINT TINYTEXT TO TRAILING TRIGGER TRUE UNDO UNION UNIQUE UNLOCK UNSIGNED UPDATE USAGE USE
	USING UTC_DATE UTC_TIME UTC_TIMESTAMP VALUES VARBINARY VARCHAR VARCHARACTER VARYING VIRTUAL WHEN WHERE WHILE WINDOW
	WITH WRITE XOR YEAR_MONTH ZEROFILL`

// Source: MariaDB's page "Reserved words", those beyond MySQL's.
const reservedByMariaDB = `CURRENT_ROLE DELETE_DOMAIN_ID DO_DOMAIN_IDS GENERAL IGNORE_DOMAIN_IDS IGNORE_SERVER_IDS
	MASTER_HEARTBEAT_PERIOD OFFSET PAGE_CHECKSUM PARSE_VCOL_EXPR REF_SYSTEM_ID RETURNING SLOW STATS_AUTO_RECALC
	STATS_PERSISTENT STATS_SAMPLE_PAGES`
