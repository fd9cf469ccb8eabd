package clickhouse_test

import (
	"testing"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/clickhouse"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/conform/corpus"
)

// No ordinary statement is refused.
func TestOrdinaryStatements(t *testing.T) {
	dialects := clickhouse.Dialects()
	setup := corpus.OrdinarySetup(&dialects[len(dialects)-1])
	t.Run("18.16", func(t *testing.T) {
		t.Parallel()
		conform.RunOrdinary(t, old(t, setup...).openAs(t, testserver.ClickHouseReader), dialects, append(oldExcuses, excuses...))
	})
	t.Run("26.7", func(t *testing.T) {
		t.Parallel()
		conform.RunOrdinary(t, today(t, setup...).openAs(t, testserver.ClickHouseReader), dialects, append(todayExcuses, excuses...))
	})
}

// excuses are those of every version.
var excuses = []conform.Excuse{
	{Texts: []string{"a FORMAT clause"}, Reason: "results have a form of their own: an invalid statement, with the hint to leave the clause out"},
	{Code: "47", Texts: []string{"Select Id From"}, Reason: "names of columns are case sensitive"},
	{Code: "36", Texts: []string{"dictGetOrDefault('d'"}, Reason: "the database has no dictionary"},
}

// todayExcuses are those of the library of 26.7.
var todayExcuses = []conform.Excuse{
	{Code: "721", Texts: []string{"runningDifference"}, Reason: "a deprecated function"},
	{Code: "497", Texts: []string{"zeros(3)"}, Reason: "the table function wants the right to create temporary tables"},
	{Code: "60", Texts: []string{"system.asynchronous_metrics"}, Reason: "a table of the server that the library lacks"},
}

// oldExcuses are those of 18.16.
var oldExcuses = []conform.Excuse{
	{Guard: true, Texts: []string{"EXPLAIN", "FROM orders SELECT", "$$"}, Reason: "statements and strings that are younger"},
	{Code: "62", Texts: []string{
		"OVER (", "OVER w", " AS (", // windows and common tables
		"SHOW COLUMNS", "SHOW FULL COLUMNS", "SHOW INDEX", "SHOW FUNCTIONS", "SHOW DICTIONARIES", "SHOW SETTINGS", "SHOW CLUSTERS",
		"SHOW ENGINES", "SHOW CHANGED SETTINGS", "SHOW FULL TABLES", "SHOW GRANTS", "SHOW CREATE VIEW", "SHOW DATABASES LIKE", "IN system LIKE",
		"EXISTS DATABASE", "EXISTS VIEW",
		"NOT BETWEEN", "UNION DISTINCT", " EXCEPT ", "INTERSECT", "REPLACE (", "APPLY (", "GROUPING SETS", "WITH TIES", "FETCH FIRST", "WITH FILL",
		"DATE '2024-01-01'", "::Float64", "trim(BOTH", "ILIKE", "REGEXP", "1_000", "view(SELECT", "# remark", "SEMI LEFT JOIN", "LEFT ANTI JOIN", "ASOF JOIN",
	}, Reason: "forms that are younger"},
	{Code: "46", Texts: []string{
		"function ABS", "function arrayCompact", "function arrayZip", "function base64Encode", "function COLUMNS",
		"function currentUser", "function date_diff", "function format",
		"function fromUnixTimestamp", "function geoDistance", "function groupArraySorted", "function ifNotFinite",
		"function JSONExtract", "function left", "function map", "function maxOrNull", "function multiSearchAny", "function neighbor",
		"function next", "function ngrams", "function ON", "function roundBankers", "function sign",
		"function simpleJSONExtractString", "function simpleLinearRegression", "function skewPop", "function toDateTime64",
		"function toIPv4", "function toJSONString", "function topKWeighted", "function toStartOfInterval",
		"function toStartOfWeek", "function TRIM", "function trim", "function tupleToNameValuePairs",
	}, Reason: "functions that are younger, or known in another case alone"},
	{Code: "47", Texts: []string{
		"identifier: ALL", "identifier: WEEK", "identifier: false", "identifier: total_rows", "name, value FROM system.metrics", "database, name, status FROM system.dictionaries",
	}, Reason: "words and columns of system tables that are younger"},
	{Code: "60", Texts: []string{"system.disks", "system.time_zones"}, Reason: "system tables that are younger"},
	{Code: "81", Texts: []string{"information_schema", "INFORMATION_SCHEMA"}, Reason: "no information_schema yet"},
	{Code: "164", Texts: []string{"Table functions are forbidden"}, Reason: "readonly = 1 forbids table functions"},
	{Code: "43", Texts: []string{"sumMap(['a'", "Nested type Array(String) cannot be inside Nullable"}, Reason: "types that the functions do not take yet"},
	{Code: "53", Texts: []string{"IN [1, 2, 3]"}, Reason: "IN takes no array yet"},
	{Code: "48", Texts: []string{"more than one JOIN"}, Reason: "one join in a query"},
	{Code: "49", Texts: []string{"unknown combination of JOIN"}, Reason: "no comma in FROM"},
	{Code: "403", Texts: []string{"a.id < b.id"}, Reason: "joins on equality alone"},
	{Code: "171", Texts: []string{"FULL JOIN orders USING"}, Reason: "a fault of the server: different columns in the two streams of the join"},
	{Texts: []string{"ALL INNER JOIN", "GLOBAL LEFT JOIN"}, Reason: "a fault of the server: the columns of a block that it sends differ in length"},
}
