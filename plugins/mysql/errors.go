package mysql

import (
	"errors"
	"slices"
	"strconv"

	"github.com/go-sql-driver/mysql"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Errors that more than the table below knows.
const (
	errSyntax          = 1064
	errNoTable         = 1146
	errNoColumn        = 1054
	errUnknownTable    = 1109 // of a qualified column: no such table in FROM
	errNoView          = 1356 // a view refers to what is not there
	errNotPreparable   = 1295
	errInterrupted     = 1317
	errStatementTime   = 1969 // MariaDB's max_statement_time
	errExecutionTime   = 3024 // MySQL's max_execution_time
	errReadOnly        = 1792
	errDatabaseDenied  = 1044
	errTableDenied     = 1142
	errColumnDenied    = 1143
	errRoutineDenied   = 1370
	errAmbiguous       = 1052
	errLoginDenied     = 1045
	errNoDatabase      = 1049
	errNoFunction      = 1305
	errNativeArguments = 1582 // a function of the server, with too few or too many arguments
	errLibraryCall     = 1123 // a loadable function minds its arguments
	errNoSchemaOfTable = 1932 // the engine lost the table
)

var overloaded = sqlkit.Server(sdk.KindRateLimited, "the server has no free connection for this account: try again later")

// numbers maps error numbers, and states below them SQLSTATE classes, the first
// two characters. Numbers above 1900 are the products' own and do not meet.
// Source: both manuals' lists of server errors.
var numbers = map[uint16]sqlkit.Verdict{
	errReadOnly: sqlkit.ReadsOnly,
	1223:        sqlkit.ReadsOnly, // a lock prevents updates
	1290:        sqlkit.ReadsOnly, // --read-only, --secure-file-priv
	1422:        sqlkit.ReadsOnly, // a function that commits
	1568:        sqlkit.ReadsOnly, // the transaction's characteristics cannot be changed
	1665:        sqlkit.ReadsOnly,
	1694:        sqlkit.ReadsOnly,
	1766:        sqlkit.ReadsOnly,
	1836:        sqlkit.ReadsOnly,
	3566:        sqlkit.ReadsOnly,

	errLoginDenied: sqlkit.Host(sdk.KindUnauthenticated, "check user and password of the connection"),
	1130:           sqlkit.Host(sdk.KindUnauthenticated, "have the server let the account in from this machine: CREATE USER 'name'@'host'"),
	1227:           sqlkit.AskAdmin,
	1251:           sqlkit.Host(sdk.KindUnsupported, "have the account use caching_sha2_password, ed25519 or mysql_native_password"),
	1524:           sqlkit.Host(sdk.KindUnsupported, "have the account use a plugin that the server has loaded"),
	1698:           sqlkit.Host(sdk.KindUnauthenticated, "use an account with a password: this one logs in by its system user only"),
	1820:           sqlkit.Host(sdk.KindUnauthenticated, "have the account's password changed: it expired"),
	1862:           sqlkit.Host(sdk.KindUnauthenticated, "have the account's password changed: it expired"),
	3118:           sqlkit.Host(sdk.KindUnauthenticated, "have the account unlocked"),
	4151:           sqlkit.Host(sdk.KindUnauthenticated, "have the account unlocked"),
	3159:           sqlkit.Host(sdk.KindUnauthenticated, "set sslmode to require or verify-full: the server takes no unencrypted connection"),

	errDatabaseDenied: sqlkit.AskAdmin,
	errTableDenied:    sqlkit.AskAdmin,
	errColumnDenied:   sqlkit.AskAdmin,
	1345:              sqlkit.Server(sdk.KindDenied, "ask for the right to read the tables behind the view, or EXPLAIN something else"),
	errRoutineDenied:  sqlkit.Server(sdk.KindDenied, "check the function's name: it does not exist, or the account may not run it"),

	errNoDatabase:      sqlkit.Caller(sdk.KindNotFound, "check the database's name"),
	errNoTable:         sqlkit.Caller(sdk.KindNotFound, "check the table's name, and put its database in front"),
	errNoColumn:        sqlkit.Caller(sdk.KindNotFound, "check the column's name"),
	errUnknownTable:    sqlkit.Caller(sdk.KindNotFound, "name a table, or its alias, of the FROM clause"),
	errNoFunction:      sqlkit.Caller(sdk.KindNotFound, "check the function's name"),
	1630:               sqlkit.Caller(sdk.KindNotFound, "check the function's name: a space before its parenthesis may be in the way"),
	1128:               sqlkit.Caller(sdk.KindNotFound, "check the function's name"),
	1051:               sqlkit.Caller(sdk.KindNotFound, "check the table's name"),
	1193:               sqlkit.Caller(sdk.KindNotFound, "check the variable's name"),
	1273:               sqlkit.Caller(sdk.KindNotFound, "check the collation's name"),
	errNoView:          sqlkit.Server(sdk.KindInvalid, "have the view mended: it names what is not there, or its definer may not read it"),
	errNoSchemaOfTable: sqlkit.Server(sdk.KindInvalid, "have the table repaired: its storage engine does not know it"),
	1449:               sqlkit.Server(sdk.KindInvalid, "have the view mended: the account that defined it is gone"),

	errSyntax: sqlkit.Caller(sdk.KindSyntax, "correct the statement at this place"),
	1046:      sqlkit.Caller(sdk.KindInvalid, "put a database in front of the table's name"),
	1055:      sqlkit.Caller(sdk.KindSyntax, "add the column to GROUP BY, or aggregate it with MIN or MAX"),
	1140:      sqlkit.Caller(sdk.KindSyntax, "add the column to GROUP BY, or aggregate it with MIN or MAX"),
	1242:      sqlkit.Caller(sdk.KindInvalid, "make sure that each subquery used as a value gives one row"),
	1366:      sqlkit.Caller(sdk.KindInvalid, "check the values that the statement computes with"),
	1525:      sqlkit.Caller(sdk.KindInvalid, "correct the date or number in the statement"),

	errInterrupted:   sqlkit.Server(sdk.KindCanceled, "somebody ended the statement in the server: run it again"),
	errStatementTime: sqlkit.TimeOver,
	errExecutionTime: sqlkit.TimeOver,
	1205:             sqlkit.Server(sdk.KindConflict, "another transaction holds a lock: try again later"),
	1213:             sqlkit.Server(sdk.KindConflict, "run the statement again"),
	1412:             sqlkit.Server(sdk.KindConflict, "run the statement again: the table's structure changed meanwhile"),

	1040: overloaded,
	1203: overloaded,
	1226: overloaded,
	1129: sqlkit.Server(sdk.KindRateLimited, "have the administrator run FLUSH HOSTS: the server blocks this machine after failed connections").Final(),

	1021: sqlkit.Server(sdk.KindUnavailable, "the server's disk is full: tell its administrator"),
	1037: sqlkit.Server(sdk.KindLimit, "the server is out of memory: select less, or try again later").Again(),
	1038: sqlkit.Server(sdk.KindLimit, "the server is out of memory for sorting: select less").Again(),
	1041: sqlkit.Server(sdk.KindLimit, "the server is out of memory: select less, or try again later").Again(),
	1104: sqlkit.Caller(sdk.KindLimit, "select less: the account may not look at so many rows (max_join_size)"),
	1114: sqlkit.Server(sdk.KindLimit, "select less: a temporary table of the server is full").Again(),
	1153: sqlkit.Caller(sdk.KindLimit, "send a shorter statement: the server's max_allowed_packet is exceeded"),
	1116: sqlkit.Caller(sdk.KindLimit, "join fewer tables"),
	1436: sqlkit.Caller(sdk.KindLimit, "write a simpler statement: the server's stack is too small for it"),
	3636: sqlkit.Caller(sdk.KindLimit, "bound the recursion with a WHERE"),

	1053: sqlkit.Gone, // the server is stopping
	1077: sqlkit.Gone,
	1079: sqlkit.Gone,
	1152: sqlkit.Gone,
	1927: sqlkit.Gone, // MariaDB: the connection was killed
	4031: sqlkit.Gone, // idle for too long

	1235: sqlkit.Caller(sdk.KindUnsupported, "write the statement without this feature"),
	1286: sqlkit.Server(sdk.KindUnsupported, "have the storage engine enabled"),
	1429: sqlkit.Server(sdk.KindUnavailable, "a table of another server cannot be reached: try again, or read other tables"),
	1430: sqlkit.Server(sdk.KindUnavailable, "a table of another server cannot be read: try again, or read other tables"),
}

var states = map[string]sqlkit.Verdict{
	"08": sqlkit.Gone,
	"0A": sqlkit.Caller(sdk.KindUnsupported, "write the statement without this feature"),
	"21": sqlkit.Caller(sdk.KindInvalid, "make sure that columns and values are as many on both sides"),
	"22": sqlkit.Caller(sdk.KindInvalid, "check the values that the statement computes with"),
	"23": sqlkit.Caller(sdk.KindSyntax, "correct the statement at this place"), // 1052: an ambiguous column
	"25": sqlkit.ReadsOnly,
	"28": sqlkit.Host(sdk.KindUnauthenticated, "check user and password of the connection"),
	"3D": sqlkit.Caller(sdk.KindInvalid, "put a database in front of the table's name"),
	"40": sqlkit.Server(sdk.KindConflict, "run the statement again"),
	"42": sqlkit.Caller(sdk.KindSyntax, "correct the statement at this place"),
	"45": sqlkit.Server(sdk.KindInvalid, "read something else: the database's own code refuses this"),
	"70": sqlkit.Server(sdk.KindCanceled, "somebody ended the statement in the server: run it again"),
}

// asServerError returns what the server said, as opposed to what went wrong on
// the way to it.
func asServerError(err error) (*mysql.MySQLError, bool) {
	return errors.AsType[*mysql.MySQLError](err)
}

func isServerError(err error) bool {
	_, ok := asServerError(err)
	return ok
}

// said reports whether the server said one of the errors.
func said(err error, numbers ...uint16) bool {
	e, ok := asServerError(err)
	return ok && slices.Contains(numbers, e.Number)
}

func fromServer(e *mysql.MySQLError) *sdk.Error {
	return sqlkit.Lookup(numbers, e.Number, states, string(e.SQLState[:2])).Error(strconv.Itoa(int(e.Number)), e.Message, e)
}

// nativeError maps what the server said; nil for an error on the way to it.
func nativeError(err error) *sdk.Error {
	if said, ok := asServerError(err); ok {
		return fromServer(said)
	}
	return nil
}
