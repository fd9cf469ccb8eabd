package readonly_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

// acting are the words of the engines' grammars that begin a statement which
// changes, locks, controls or runs something: PostgreSQL, MySQL, MariaDB,
// ClickHouse, DuckDB, SQLite, SQL Server, Oracle, Db2, Firebird, Snowflake,
// BigQuery, Hive, Spark, Trino, Teradata, SAP HANA, Cassandra and Neo4j.
var acting = strings.Fields(`ABORT ADD ADMIN ALTER ANALYSE ANALYZE APPLY ASSERT ASSOCIATE ATTACH AUDIT BACKUP BEGIN BINLOG BREAK BULK CACHE CALL CANCEL
	CHANGE CHECK CHECKPOINT CHECKSUM CLEAR CLONE CLOSE CLUSTER COLLECT COMMENT COMMIT COMPACT CONNECT CONTINUE COPY CREATE DBCC DEALLOCATE
	DECLARE DEFINE DELETE DENY DETACH DISABLE DISASSOCIATE DISCARD DISCONNECT DISKSET DO DROP DUMP ENABLE END EXCHANGE EXEC EXECUTE EXPORT
	FETCH FLASHBACK FLUSH FOR FORCE FOREACH FREE FREEZE GET GIVE GO GRANT HANDLER IDENTIFIED IF IMPERSONATE IMPORT INIT INSERT INSTALL
	INVALIDATE INVOKE ITERATE KILL LEAVE LET LISTEN LOAD LOCK LOCKING LOOP MAKE MARK MATCH MERGE MODIFY MOVE MSCK NOAUDIT NOTIFY ON OPEN OPTIMIZE
	PARALLEL PREPARE PRINT PUBLISH PURGE PUT RAISE RAISERROR READTEXT REASSIGN RECLUSTER RECONFIGURE RECREATE REFRESH REFRESHING REINDEX RELEASE
	REMOVE RENAME REPAIR REPEAT REPLACE REPLICATE RESET RESIGNAL RESTART RESTORE RESUME RETURN REVERT REVOKE RM ROLLBACK RUN SAVE SAVEPOINT SECURITY
	SET SETUSER SHUTDOWN SIGNAL START STOP SUBSCRIBE SUSPEND SWITCH SYNC SYSTEM TERMINATE THROW TRANSFER TRUNCATE UNCACHE UNDROP UNFREEZE UNINSTALL
	UNLISTEN UNLOAD UNLOCK UNSET UPDATE UPDATETEXT UPSERT USE USING VACUUM VALIDATE WAITFOR WATCH WHILE WRITETEXT XA`)

// tails follow the word, so that some statement of each form is one that acts.
var acts = []string{"", " t", " FROM t", " t SET a = 1", " TABLE t (a INT)", " OR REPLACE VIEW v AS SELECT 1"}

// kinds that a dialect may write: those that are known, and others.
var anyKind = []dialect.StatementKind{
	dialect.StatementQuery, dialect.StatementShow, dialect.StatementExplain, dialect.StatementWith,
	"", "command", "Query",
}

// hostile returns every dialect as a careless or hostile author would send it:
// the words are accepted as the kind, EXPLAIN takes them as options, and no
// phrase, function or relation is refused.
func hostile(words []string, kind dialect.StatementKind) []dialect.Dialect {
	all := allDialects()
	for i := range all {
		g := &all[i].Guard
		g.Phrases, g.Functions, g.Relations, g.Unseparated, g.ExpressionWith = nil, nil, nil, false, true
		g.Statements = slices.Clone(g.Statements)
		for j := range g.Statements {
			g.Statements[j].Refused = nil
			g.Statements[j].Options = slices.Concat(g.Statements[j].Options, words)
		}
		for _, w := range words {
			for _, spelt := range []string{w, strings.ToLower(w)} {
				g.Statements = append(g.Statements, dialect.Statement{Words: []string{spelt}, Kind: kind, Options: words})
			}
			// What acts as a further word of a statement that reads.
			g.Statements = append(g.Statements,
				dialect.Statement{Words: []string{"EXPLAIN", w}, Kind: dialect.StatementExplain},
				dialect.Statement{Words: []string{"WITH", w}, Kind: dialect.StatementWith},
			)
		}
		all[i].Lexis.ExecutableComments = nil
	}
	return all
}

// No dialect makes a statement acceptable that begins with a word that acts, nor
// one that has it in a CTE, behind WITH or behind EXPLAIN.
func TestNoDialectLowersTheFloor(t *testing.T) {
	t.Parallel()
	for _, kind := range anyKind {
		t.Run(fmt.Sprintf("%q", kind), func(t *testing.T) {
			t.Parallel()
			for _, word := range acting {
				dialects := hostile([]string{word}, kind)
				for n, tail := range acts {
					statement := word + tail
					if n%2 == 1 {
						statement = strings.ToLower(statement)
					}
					if !dialect.ExplainOption(word) { // EXPLAIN ANALYZE TABLE t explains TABLE t
						for _, explain := range []string{"EXPLAIN ", "EXPLAIN ANALYZE ", "EXPLAIN (ANALYZE) ", "EXPLAIN (FORMAT JSON, ANALYZE) "} {
							refusedByAll(t, explain+statement, dialects)
						}
					}
					for _, text := range []string{
						statement, "(" + statement + ")",
						"WITH x AS (" + statement + ") SELECT 1", "WITH x AS (SELECT 1) " + statement, "WITH 1 AS x " + statement, "-- a\n" + statement + ";",
						"SELECT 1; " + statement,
					} {
						refusedByAll(t, text, dialects)
					}
				}
			}
		})
	}
}

func refusedByAll(t *testing.T, text string, dialects []dialect.Dialect) {
	t.Helper()
	for i := range dialects {
		if readonly.Check(text, &dialects[i]) == nil {
			t.Errorf("%s accepts %q", dialects[i].Name, text)
		}
	}
}

// What opens a statement that reads is accepted as nothing else.
func TestOpeningsKeepTheirKinds(t *testing.T) {
	t.Parallel()
	for text, kinds := range map[string][]dialect.StatementKind{
		"EXPLAIN DELETE FROM t":                                  {dialect.StatementShow, dialect.StatementQuery, dialect.StatementWith, "x"},
		"EXPLAIN ANALYZE t":                                      {dialect.StatementShow, dialect.StatementQuery, dialect.StatementWith, "x"},
		"WITH x AS (DELETE t) SELECT 1":                          {dialect.StatementShow, dialect.StatementQuery, dialect.StatementExplain, "x"},
		"DESCRIBE ANALYZE DELETE t":                              {dialect.StatementShow, dialect.StatementQuery, dialect.StatementExplain},
		"DESC ANALYZE t":                                         {dialect.StatementShow, dialect.StatementQuery, dialect.StatementExplain},
		"DESC FORMAT = JSON ANALYZE t":                           {dialect.StatementShow, dialect.StatementQuery, dialect.StatementExplain},
		"DESCRIBE DELETE t":                                      {dialect.StatementShow, dialect.StatementQuery},
		"SUMMARIZE INSERT t":                                     {dialect.StatementShow, dialect.StatementQuery},
		"SHOW CALL p":                                            {dialect.StatementShow, dialect.StatementQuery},
		"SELECT * FROM (SUMMARIZE UPDATE t)":                     {dialect.StatementQuery},
		"(SUMMARIZE UPDATE t)":                                   {dialect.StatementShow, dialect.StatementQuery},
		"SELECT 1":                                               {dialect.StatementShow, dialect.StatementExplain, dialect.StatementWith, "x", ""},
		"PRAGMA user_version = 1":                                {dialect.StatementShow, dialect.StatementQuery, dialect.StatementExplain, "x"},
		"PRAGMA user_version(1)":                                 {dialect.StatementShow, dialect.StatementQuery},
		"PRAGMA main.journal_mode(wal)":                          {dialect.StatementShow},
		"PRAGMA journal_mode = wal":                              {dialect.StatementShow},
		"PRAGMA integrity_check = 1":                             {dialect.StatementShow},
		"PRAGMA optimize":                                        {dialect.StatementShow},
		"PRAGMA enable_profiling":                                {dialect.StatementShow},
		"PRAGMA table_info = t":                                  {dialect.StatementShow},
		"PRAGMA table_info(t) x":                                 {dialect.StatementShow},
		"PRAGMA table_info(?)":                                   {dialect.StatementShow},
		"PRAGMA table_info(t, u)":                                {dialect.StatementShow},
		"PRAGMA table_info((SELECT 1))":                          {dialect.StatementShow},
		"PRAGMA 'table_info'":                                    {dialect.StatementShow},
		"PRAGMA":                                                 {dialect.StatementShow},
		"PRAGMA main.":                                           {dialect.StatementShow},
		"PRAGMA table_info(t); DELETE FROM t":                    {dialect.StatementShow},
		"(PRAGMA table_info(t))":                                 {dialect.StatementShow},
		"WITH x AS (PRAGMA version) SELECT 1":                    {dialect.StatementShow, dialect.StatementQuery},
		"FROM s INSERT OVERWRITE TABLE t":                        {dialect.StatementQuery},
		"FROM s INSERT TABLE t SELECT *":                         {dialect.StatementQuery},
		"EXISTS t INTO OUTFILE 'x'":                              {dialect.StatementShow},
		"LIST x DROP TABLE t":                                    {dialect.StatementShow},
		"SELECT a INTO t FROM u":                                 {dialect.StatementQuery},
		"SELECT 1 FROM t FOR UPDATE":                             {dialect.StatementQuery},
		"SELECT 1 FROM t FOR NO KEY UPDATE":                      {dialect.StatementQuery},
		"SELECT 1 FROM t FOR SHARE":                              {dialect.StatementQuery},
		"SELECT 1 FROM t FOR KEY SHARE":                          {dialect.StatementQuery},
		"SELECT 1 FROM t LOCK IN SHARE MODE":                     {dialect.StatementQuery},
		"SELECT NEXT VALUE FOR s":                                {dialect.StatementQuery},
		"SELECT 1 PARALLEL WITH SET a = 1":                       {dialect.StatementQuery},
		"FROM t |> INSERT u":                                     {dialect.StatementQuery},
		"SELECT 1 DELETE FROM t":                                 {dialect.StatementQuery},
		"SELECT (1) DELETE FROM t":                               {dialect.StatementQuery},
		"SELECT 1 CREATE OR REPLACE VIEW v AS SELECT 1":          {dialect.StatementQuery},
		"SELECT 1 INSERT OR REPLACE t SELECT 1":                  {dialect.StatementQuery},
		"SELECT 1 DROP TABLE t":                                  {dialect.StatementQuery},
		"SELECT 1 UPDATE t SET a = 1":                            {dialect.StatementQuery},
		"SELECT * FROM FINAL TABLE (DELETE FROM t)":              {dialect.StatementQuery},
		"SELECT * FROM OLD TABLE (UPDATE t SET a = 1)":           {dialect.StatementQuery},
		"UNPIVOT t ON a INTO u":                                  {dialect.StatementQuery},
		"UNPIVOT t ON a INTO NAME FROM u":                        {dialect.StatementQuery},
		"UNPIVOT t ON a INTO NAME n VALUE v INTO u":              {dialect.StatementQuery},
		"UNPIVOT t ON a INTO NAME n VALUE v INTO NAME n VALUE v": {dialect.StatementQuery},
		"SELECT a INTO NAME n VALUE v":                           {dialect.StatementQuery},
		"UNPIVOT (SELECT a INTO NAME n VALUE v) ON a":            {dialect.StatementQuery},
		"(UNPIVOT t ON a) UNION SELECT a INTO NAME n VALUE v":    {dialect.StatementQuery},
		"SELECT 1 /*! INTO t */":                                 {dialect.StatementQuery},
		"SELECT 1 /*m!50000 INTO t */":                           {dialect.StatementQuery},
	} {
		first := strings.TrimLeft(text, "(")
		first, _, _ = strings.Cut(first, " ")
		for _, kind := range kinds {
			dialects := hostile([]string{first}, kind)
			for i := range dialects { // nothing but this statement and a main query
				g := &dialects[i].Guard
				g.Statements = slices.DeleteFunc(g.Statements, func(s dialect.Statement) bool {
					return strings.EqualFold(s.Words[0], first) && s.Kind != kind
				})
			}
			refusedByAll(t, text, dialects)
		}
	}
}

// A dialect that gives the floor's own words their own kinds is accepted.
func TestTheFloorLetsReadsThrough(t *testing.T) {
	t.Parallel()
	d := *byName(t, "duckdb")
	d.Guard.Phrases, d.Guard.Functions = nil, nil
	d.Guard.Statements = nil
	for _, s := range []dialect.Statement{
		{Words: []string{"SELECT"}, Kind: dialect.StatementQuery},
		{Words: []string{"UNPIVOT"}, Kind: dialect.StatementQuery},
		{Words: []string{"WITH"}, Kind: dialect.StatementWith},
		{Words: []string{"SHOW", "TABLES"}, Kind: dialect.StatementShow},
		{Words: []string{"SHOW", "CREATE"}, Kind: dialect.StatementShow},
		{Words: []string{"DESCRIBE"}, Kind: dialect.StatementShow},
		{Words: []string{"DESC"}, Kind: dialect.StatementExplain, Options: []string{"ANALYZE"}},
		{Words: []string{"EXPLAIN", "QUERY", "PLAN"}, Kind: dialect.StatementExplain, Options: []string{"FORMAT", "VERBOSE"}},
		{Words: []string{"PRAGMA"}, Kind: dialect.StatementShow},
		{Words: []string{"HELP"}, Kind: dialect.StatementShow},
		{Words: []string{"EXISTS"}, Kind: dialect.StatementShow},
	} {
		d.Guard.Statements = append(d.Guard.Statements, s)
	}
	for _, text := range []string{
		"SELECT 1", "SHOW TABLES", "SHOW CREATE TABLE t", "DESCRIBE t", "DESCRIBE update", "DESC ANALYZE SELECT 1", "EXPLAIN QUERY PLAN SELECT 1",
		"EXPLAIN QUERY PLAN FORMAT = json SELECT 1", "EXPLAIN QUERY PLAN VERBOSE SELECT 1", "HELP 'select'", "EXISTS t", "DESCRIBE a.analyze",
		"PRAGMA table_info(t)", "PRAGMA main.table_info('t');", "pragma Table_Info(\"t\")", "PRAGMA user_version", "PRAGMA main.user_version;", "PRAGMA database_list",
		"PRAGMA storage_info('t')", "PRAGMA index_xinfo(`i`)",
		"PRAGMA journal_mode", "PRAGMA main.journal_mode;", "PRAGMA integrity_check", "PRAGMA quick_check(10)", "PRAGMA integrity_check(t)",
		"UNPIVOT t ON a, b INTO NAME n VALUE v", "SELECT * FROM (UNPIVOT t ON a INTO NAME n VALUE v)", "WITH x AS (UNPIVOT t ON a INTO NAME n VALUE v) SELECT * FROM x",
		"UNPIVOT (SELECT 1 AS a) ON a INTO NAME n VALUE v, w",
		"SELECT delete FROM t", "SELECT a, delete FROM t", "SELECT DISTINCT delete FROM t", "SELECT ALL delete FROM t", "SELECT a + delete FROM t",
		"SELECT a AS delete FROM t", "SELECT t.delete FROM t", "SELECT update, set, insert FROM t", "SELECT update set FROM t", "SELECT drop, create FROM t",
		"SELECT a FROM t ORDER BY a DESC", "SELECT show, describe FROM t",
		"SELECT parallel, next, lock, into2 FROM t FOR", "SELECT \"into\" FROM t", "SELECT t.into FROM t", "SELECT 1 AS into",
	} {
		if err := readonly.Check(strings.ReplaceAll(text, "`", `"`), &d); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Marks that no engine has hide nothing: the text cannot be read, whatever is in it.
func TestMarksOfTheDialectsOwn(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*dialect.Lexis){
		"a word as a quote":           func(x *dialect.Lexis) { x.Strings = append(x.Strings, dialect.Quote{Open: "DELETE", Close: "t"}) },
		"a semicolon as a quote":      func(x *dialect.Lexis) { x.Strings = append(x.Strings, dialect.Quote{Open: ";", Close: ";"}) },
		"a bracket as a quote":        func(x *dialect.Lexis) { x.Identifiers = append(x.Identifiers, dialect.Quote{Open: "(", Close: ")"}) },
		"a quote that ends otherwise": func(x *dialect.Lexis) { x.Strings = append(x.Strings, dialect.Quote{Open: "'", Close: "--"}) },
		"a keyword as a prefix": func(x *dialect.Lexis) {
			x.Strings = append(x.Strings, dialect.Quote{Prefix: "INTO", Open: `"`, Close: `"`})
		},
		"an odd prefix": func(x *dialect.Lexis) {
			x.Strings = append(x.Strings, dialect.Quote{Prefix: "&;", Open: `"`, Close: `"`})
		},
		"a word as a line comment": func(x *dialect.Lexis) { x.LineComments = append(x.LineComments, dialect.LineComment{Open: "DELETE"}) },
		"a semicolon as a comment": func(x *dialect.Lexis) { x.LineComments = append(x.LineComments, dialect.LineComment{Open: ";"}) },
		"a word as a comment": func(x *dialect.Lexis) {
			x.BlockComments = append(x.BlockComments, dialect.BlockComment{Open: "DELETE", Close: "t"})
		},
		"a comment that ends late":   func(x *dialect.Lexis) { x.BlockComments = []dialect.BlockComment{{Open: "/*", Close: "*/ t"}} },
		"a semicolon in a name":      func(x *dialect.Lexis) { x.IdentifierPart = "$;" },
		"a space in a name":          func(x *dialect.Lexis) { x.IdentifierPart = " " },
		"a bracket that starts one":  func(x *dialect.Lexis) { x.IdentifierStart = "(" },
		"a semicolon as a parameter": func(x *dialect.Lexis) { x.Parameters = append(x.Parameters, ";") },
		"a word as a parameter":      func(x *dialect.Lexis) { x.Parameters = append(x.Parameters, "DELETE") },
		"no quote at all":            func(x *dialect.Lexis) { x.Strings = append(x.Strings, dialect.Quote{}) },
		"a q-quote that ends early": func(x *dialect.Lexis) {
			x.Strings = append(x.Strings, dialect.Quote{Prefix: "Q", Open: "'[", Close: "''"})
		},
		"a q-quote of a word": func(x *dialect.Lexis) {
			x.Strings = append(x.Strings, dialect.Quote{Prefix: "Q", Open: "'a", Close: "a'"})
		},
	} {
		d := *byName(t, "duckdb")
		change(&d.Lexis)
		err := readonly.Check("SELECT 1", &d)
		if e := sdk.AsError(err, sdk.SourceHost); err == nil || e.Kind != sdk.KindInternal || e.Source != sdk.SourceConnector {
			t.Errorf("%s: %v", name, err)
		}
		if d.Validate() == nil {
			t.Errorf("%s: the dialect is valid", name)
		}
	}
	d := *byName(t, "duckdb")
	for _, pair := range []string{"[]", "()", "{}", "<>", "!!", "||", "##"} {
		d.Lexis.Strings = append(d.Lexis.Strings, dialect.Quote{Prefix: "q", Open: "'" + pair[:1], Close: pair[1:] + "'"})
	}
	if err := readonly.Check("SELECT q'[it's; DROP TABLE t]', Q'{;}', q'|--|'", &d); err != nil {
		t.Errorf("q-quotes: %v", err)
	}
}

// Every attack of the corpus that is a statement of its own, or that a phrase of
// the floor stops, is refused when a dialect has nothing left but its lexis and
// accepts every word.
func TestCorpusAgainstHostileDialects(t *testing.T) {
	t.Parallel()
	for _, kind := range anyKind {
		for i, d := range hostile(acting, kind) {
			for _, c := range corpus.For(&allDialects()[i]) {
				first, _, _ := strings.Cut(strings.ToUpper(strings.TrimLeft(c.SQL, " \t\r\n(;")), " ")
				if c.Guard && slices.Contains(acting, first) && readonly.Check(c.SQL, &d) == nil {
					t.Errorf("%s as %q accepts %s: %s", d.Name, kind, c.Name, c.SQL)
				}
			}
		}
	}
}

func TestUnknownKindIsNamed(t *testing.T) {
	t.Parallel()
	d := *byName(t, "duckdb")
	d.Guard.Statements = []dialect.Statement{{Words: []string{"SELECT"}, Kind: "query_v2"}}
	e := sdk.AsError(readonly.Check("SELECT 1", &d), sdk.SourceHost)
	if want := "SELECT is refused because the connector gives it the kind query_v2, which this Loam does not know"; e.Msg != want || e.Hint == "" {
		t.Errorf("got %q, hint %q", e.Msg, e.Hint)
	}
}
