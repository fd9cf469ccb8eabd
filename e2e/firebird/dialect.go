package firebird

import (
	"maps"
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// Source: the Firebird 3.0 language reference, "Identifiers", "Fixed-point data types",
// "FETCH, OFFSET" and "Reserved words and keywords".
const (
	longestName   = 31
	decimalDigits = 18
	longestText   = 8191 // characters of a VARCHAR in UTF-8
	reservedWords = `ADD ADMIN ALL ALTER AND ANY AS AT AVG BEGIN BETWEEN BIGINT BLOB BOOLEAN BOTH BY CASE CAST CHAR CHARACTER CHECK
	CLOSE COLLATE COLUMN COMMIT CONNECT CONSTRAINT CORR COUNT CREATE CROSS CURRENT CURRENT_DATE CURRENT_ROLE CURRENT_TIME
	CURRENT_TIMESTAMP CURRENT_USER CURSOR DATE DAY DEC DECIMAL DECLARE DEFAULT DELETE DELETING DISTINCT DOUBLE DROP ELSE END
	ESCAPE EXECUTE EXISTS EXTERNAL EXTRACT FALSE FETCH FILTER FLOAT FOR FOREIGN FROM FULL FUNCTION GLOBAL GRANT GROUP HAVING
	HOUR IN INDEX INNER INSENSITIVE INSERT INSERTING INT INTEGER INTO IS JOIN LEADING LEFT LIKE LONG LOWER MAX MERGE MIN
	MINUTE MONTH NATIONAL NATURAL NCHAR NO NOT NULL NUMERIC OF OFFSET ON ONLY OPEN OR ORDER OUTER OVER PARAMETER PLAN
	POSITION PRECISION PRIMARY PROCEDURE REAL RECREATE RECURSIVE REFERENCES RELEASE RETURN RETURNS REVOKE RIGHT ROLLBACK ROW
	ROWS SAVEPOINT SCROLL SECOND SELECT SENSITIVE SET SIMILAR SMALLINT SOME START SUM TABLE THEN TIME TIMESTAMP TO TRAILING
	TRIGGER TRIM TRUE UNION UNIQUE UNKNOWN UPDATE UPDATING UPPER USER USING VALUE VALUES VARCHAR VARIABLE VARYING VIEW WHEN
	WHERE WHILE WITH YEAR`
)

// dialectOf writes SQLite's dialect in the grammar of Firebird. A form whose grammar Firebird
// does not have is left out.
func dialectOf(of *dialect.Dialect) *dialect.Dialect {
	d := *of
	d.Name, d.Namespace, d.DefaultSchema, d.Notes = "firebird", nil, "", nil
	d.Limit, d.Folding, d.MaxIdentifierBytes, d.MaxDecimalDigits, d.MaxTextCast = dialect.LimitFetch, dialect.FoldUpper, longestName, decimalDigits, longestText
	d.Reserved = strings.Fields(reservedWords)
	d.Lexis = dialect.Lexis{
		Strings:        []dialect.Quote{{Open: "'", Close: "'", Doubled: true}, {Prefix: "X", Open: "'", Close: "'"}},
		Identifiers:    []dialect.Quote{{Open: `"`, Close: `"`, Doubled: true}},
		LineComments:   []dialect.LineComment{{Open: "--"}},
		BlockComments:  []dialect.BlockComment{{Open: "/*", Close: "*/"}},
		IdentifierPart: "$", Parameters: []string{"?"},
	}
	d.Guard.Statements = []dialect.Statement{
		{Words: []string{"SELECT"}, Kind: dialect.StatementQuery},
		{Words: []string{"WITH"}, Kind: dialect.StatementWith},
	}
	d.Types = map[string]string{
		"bool": "SMALLINT", "int64": "BIGINT", "float64": "DOUBLE PRECISION", "text": "VARCHAR(8191)", "bytes": "BLOB",
		"decimal": "DECIMAL(18, 9)", "date": "VARCHAR(8191)", "time": "VARCHAR(8191)", "timestamp": "VARCHAR(8191)", "timestamp_tz": "VARCHAR(8191)", // dates are text
	}
	d.Forms, d.Functions = forms(of.Forms), functions(of.Functions)
	return &d
}

func forms(of map[dialect.Form]string) map[dialect.Form]string {
	f := maps.Clone(of)
	for form, text := range f {
		if strings.HasPrefix(string(form), "spine.") {
			start := strings.Index(text, " WHERE ") // of the first row, which is of no table
			f[form] = text[:start] + " FROM rdb$database" + text[start:]
		}
	}
	maps.Copy(f, map[dialect.Form]string{
		dialect.EmptyFrom:      "FROM rdb$database",
		dialect.CastTo("bool"): "(CAST({x} AS BIGINT) <> 0)",
		dialect.SafeDivide:     "(CAST({a} AS DOUBLE PRECISION) / NULLIF({b}, 0))",
		dialect.NullSafeEqual:  "({a} IS NOT DISTINCT FROM {b})",
		dialect.Like:           "glob(" + strings.TrimSuffix(strings.TrimPrefix(of[dialect.Like], "({x} GLOB "), ")") + ", {x})",
		dialect.Sample:         "(SELECT * FROM {table} WHERE abs(random() / 9223372036854775808.0) < {percent} / 100.0)",
		dialect.Inline:         "(WITH {name} ({columns}) AS ({rows}) SELECT * FROM {name}) AS {name}",
		dialect.InlineRow:      "SELECT {values} FROM rdb$database",
		dialect.InlineBetween:  " UNION ALL ",
		dialect.Trunc(dialect.Quarter): "date({x}, 'start of month', '-' || " +
			"(CAST(strftime('%m', {x}) AS BIGINT) - 1 - (CAST(strftime('%m', {x}) AS BIGINT) - 1) / 3 * 3) || ' months')",
	})
	delete(f, dialect.StringAgg)      // with its order inside the call
	delete(f, dialect.CastTo("json")) // there is no JSON
	return f
}

func functions(of map[string]string) map[string]string {
	f := maps.Clone(of)
	for name, text := range f {
		f[name] = strings.ReplaceAll(text, "AS INTEGER", "AS BIGINT")
	}
	f["weekday"] = "CAST(strftime('%u', {1}) AS BIGINT)"
	delete(f, "mod") // whose remainder of integers takes an operator
	return f
}
